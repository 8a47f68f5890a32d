package truth

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/ingest"
)

var SystemScope = cairn.Scope{Tenant: cairn.SystemTenant}

// CheckScope returns an error for a scope that no request may have.
func CheckScope(s cairn.Scope) error {
	if err := cairn.ValidateTenant(s.Tenant); err != nil {
		return err
	}
	return s.Validate()
}

// TenantOf returns the scope of the whole tenant, with the same actor.
func TenantOf(s cairn.Scope) cairn.Scope { return cairn.Scope{Tenant: s.Tenant, Actor: s.Actor} }

// CheckName returns an error for a text that cannot be a name.
func CheckName(field, name string) error {
	switch {
	case strings.TrimSpace(name) == "" || len(name) > cairn.MaxNameBytes:
		return cairn.Errorf(cairn.Invalid, "%s: must be 1 to %d bytes", field, cairn.MaxNameBytes)
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return cairn.Errorf(cairn.Invalid, "%s: is not valid UTF-8, or contains a NUL character", field)
	}
	return nil
}

func WithTenant(s cairn.Scope, tenant string) cairn.Scope {
	s.Tenant = tenant
	return s
}

// CheckSelection returns an error unless exactly one way of selecting memories is used.
func CheckSelection(ids []cairn.ID, f cairn.Filter) error {
	switch {
	case len(ids) == 0 && f.IsZero():
		return cairn.Errorf(cairn.Invalid, "ids: name at least one memory, or give a filter")
	case len(ids) > 0 && !f.IsZero():
		return cairn.Errorf(cairn.Invalid, "filter: give either ids or a filter")
	case len(ids) > cairn.MaxBatch:
		return cairn.Errorf(cairn.Exhausted, "ids: %d given, at most %d at once", len(ids), cairn.MaxBatch)
	}
	return f.Validate()
}

func CheckIDs(field string, ids []cairn.ID) error {
	for _, id := range ids {
		if id.Validate() != nil {
			return cairn.Errorf(cairn.Invalid, "%s: %.64q is not a UUID in lower case", field, string(id))
		}
	}
	return nil
}

// CheckMemory returns an error for a memory that no export of cairn contains.
func CheckMemory(m *cairn.Memory) error {
	known := func(field, value string, all ...string) error {
		if !slices.Contains(all, value) {
			return cairn.Errorf(cairn.Invalid, "%s: %.32q is not one of %s", field, value, strings.Join(all, ", "))
		}
		return nil
	}
	scope := WithTenant(m.Scope, "x")
	_, metadataErr := ingest.Metadata("metadata", m.Metadata)
	_, tagsErr := ingest.Tags("tags", m.Tags)
	if err := FirstError(known("kind", string(m.Kind), Texts(cairn.Kinds())...),
		known("state", string(m.State), Texts(cairn.States())...),
		known("role", string(m.Role), "", string(cairn.RoleUser), string(cairn.RoleAssistant), string(cairn.RoleSystem),
			string(cairn.RoleTool)),
		known("trust", string(m.Trust), Texts(cairn.Trusts())...),
		CheckIDs("id", []cairn.ID{m.ID}), CheckIDs("supersedes", m.Supersedes), scope.Validate(), metadataErr,
		tagsErr); err != nil {
		return err
	}
	for field, id := range map[string]cairn.ID{"source_id": m.SourceID, "superseded_by": m.SupersededBy,
		"shared_from": m.SharedFrom} {
		if id != "" {
			if err := CheckIDs(field, []cairn.ID{id}); err != nil {
				return err
			}
		}
	}
	switch {
	case len(m.Text) > cairn.MaxTextBytes:
		return cairn.Errorf(cairn.Invalid, "text: is longer than %d bytes", cairn.MaxTextBytes)
	case !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		return cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8, or contains a NUL character")
	case m.Version < 1:
		return cairn.Errorf(cairn.Invalid, "version: must be at least 1")
	case m.Seq < 0:
		return cairn.Errorf(cairn.Invalid, "seq: must not be negative")
	case m.EventTime.IsZero() || m.RecordedAt.IsZero():
		return cairn.Errorf(cairn.Invalid, "event_time, recorded_at: must both be set")
	case (m.Kind == cairn.KindEntry) != (m.Entry != nil):
		return cairn.Errorf(cairn.Invalid, "entry: must be set for kind entry, and for no other kind")
	case (m.Kind == cairn.KindFact) != (m.Fact != nil):
		return cairn.Errorf(cairn.Invalid, "fact: must be set for kind fact, and for no other kind")
	case m.Fact != nil:
		return checkFact(m)
	}
	return nil
}

// checkFact returns an error for a fact without evidence, or whose id does not derive from its parts.
func checkFact(m *cairn.Memory) error {
	f := m.Fact
	switch {
	case CheckIDs("fact.entity_id", []cairn.ID{f.EntityID}) != nil:
		return CheckIDs("fact.entity_id", []cairn.ID{f.EntityID})
	case f.FactID != f.Node.ID() || f.RelationshipKey != f.Key():
		return cairn.Errorf(cairn.Invalid, "fact.relationship_key: does not match entity, verb and object")
	case len(f.Evidence) == 0:
		return cairn.Errorf(cairn.Invalid, "fact.evidence: is empty")
	}
	return CheckLegacyID("fact.legacy_id", f.LegacyID)
}

func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Texts returns named strings as strings.
func Texts[T ~string](vs []T) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return out
}

// CheckLimit checks the limit of a request; 0 becomes the default.
func CheckLimit(limit, usual, most int) (int, error) {
	if limit < 0 || limit > most {
		return 0, cairn.Errorf(cairn.Invalid, "limit: is %d, must be 1 to %d (%d if left out)", limit, most, usual)
	}
	return cmp.Or(limit, usual), nil
}

// CheckWhole is CheckScope for operations on the whole tenant, which ignore the rest of the scope. A caller that is
// bound to a part of the tenant may not use them.
func CheckWhole(s cairn.Scope) error {
	if err := CheckScope(s); err != nil {
		return err
	}
	if s.Bound != (cairn.Bound{}) {
		return cairn.Errorf(cairn.Forbidden, "the key is bound to a part of its tenant; this concerns all of it")
	}
	return nil
}

// RequestKey returns the stored form of an idempotency key. Keys of bound callers are kept apart from all others, so
// that nobody learns from a key what others have sent.
func RequestKey(s cairn.Scope, key string) string {
	if key == "" || s.Bound == (cairn.Bound{}) {
		return key
	}
	sum := sha256.Sum256([]byte(strings.Join(append(s.Bound[:], key), "\x00")))
	return "bound:" + hex.EncodeToString(sum[:])
}
