package truth

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

var SystemScope = trilith.Scope{Tenant: trilith.SystemTenant}

// TenantOf returns the scope of the whole tenant, with the same actor and time zone.
func TenantOf(s trilith.Scope) trilith.Scope {
	return trilith.Scope{Tenant: s.Tenant, TimeZone: s.TimeZone, Actor: s.Actor, Change: s.Change}
}

// CheckName returns an error for a text that cannot be a name.
func CheckName(field, name string) error {
	switch {
	case strings.TrimSpace(name) == "" || len(name) > trilith.MaxNameBytes:
		return trilith.Errorf(trilith.Invalid, "%s: must be 1 to %d bytes", field, trilith.MaxNameBytes)
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return trilith.Errorf(trilith.Invalid, "%s: is not valid UTF-8, or contains a NUL character", field)
	}
	return refuseKey(field, name)
}

// CheckSelection returns an error unless exactly one way of selecting memories is used.
func CheckSelection(ids []trilith.ID, f trilith.Filter) error {
	switch {
	case len(ids) == 0 && f.IsZero():
		return trilith.Errorf(trilith.Invalid, "ids: name at least one memory, or give a filter")
	case len(ids) > 0 && !f.IsZero():
		return trilith.Errorf(trilith.Invalid, "filter: give either ids or a filter")
	case len(ids) > role.MaxBatch:
		return trilith.Errorf(trilith.Exhausted, "ids: %d given, at most %d at once", len(ids), role.MaxBatch)
	}
	return f.Validate()
}

// CheckMemory returns an error for a memory that no export of trilith contains.
func CheckMemory(m *trilith.Memory) error {
	known := func(field, value string, all ...string) error {
		if !slices.Contains(all, value) {
			return trilith.Errorf(trilith.Invalid, "%s: %.32q is not one of %s", field, value, strings.Join(all, ", "))
		}
		return nil
	}
	scope := WithTenant(m.Scope, "x")
	_, metadataErr := ingest.Metadata("metadata", m.Metadata)
	_, tagsErr := ingest.Tags("tags", m.Tags)
	if err := cmp.Or(known("kind", string(m.Kind), Texts(trilith.Kinds())...),
		known("state", string(m.State), Texts(trilith.States())...),
		known("role", string(m.Role), "", string(trilith.RoleUser), string(trilith.RoleAssistant), string(trilith.RoleSystem),
			string(trilith.RoleTool)),
		known("trust", string(m.Trust), Texts(trilith.Trusts())...),
		CheckIDs("id", []trilith.ID{m.ID}), CheckIDs("supersedes", m.Supersedes), scope.Validate(), metadataErr,
		tagsErr); err != nil {
		return err
	}
	for field, id := range map[string]trilith.ID{"source_id": m.SourceID, "superseded_by": m.SupersededBy,
		"shared_from": m.SharedFrom} {
		if id != "" {
			if err := CheckIDs(field, []trilith.ID{id}); err != nil {
				return err
			}
		}
	}
	switch {
	case len(m.Text) > trilith.MaxTextBytes:
		return trilith.Errorf(trilith.Invalid, "text: is longer than %d bytes", trilith.MaxTextBytes)
	case !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		return trilith.Errorf(trilith.Invalid, "text: is not valid UTF-8, or contains a NUL character")
	case m.Version < 1:
		return trilith.Errorf(trilith.Invalid, "version: must be at least 1")
	case m.Seq < 0:
		return trilith.Errorf(trilith.Invalid, "seq: must not be negative")
	case m.EventTime.IsZero() || m.RecordedAt.IsZero():
		return trilith.Errorf(trilith.Invalid, "event_time, recorded_at: must both be set")
	case (m.Kind == trilith.KindEntry) != (m.Entry != nil):
		return trilith.Errorf(trilith.Invalid, "entry: must be set for kind entry, and for no other kind")
	case (m.Kind == trilith.KindFact) != (m.Fact != nil):
		return trilith.Errorf(trilith.Invalid, "fact: must be set for kind fact, and for no other kind")
	case m.Fact != nil:
		return checkFact(m)
	}
	return nil
}

func WithTenant(s trilith.Scope, tenant string) trilith.Scope {
	s.Tenant = tenant
	return s
}

// Texts returns named strings as strings.
func Texts[T ~string](vs []T) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return out
}

// checkFact returns an error for a fact without evidence, or whose id does not derive from its parts.
func checkFact(m *trilith.Memory) error {
	f := m.Fact
	switch {
	case CheckIDs("fact.entity_id", []trilith.ID{f.EntityID}) != nil:
		return CheckIDs("fact.entity_id", []trilith.ID{f.EntityID})
	case f.FactID != f.Node.ID() || f.RelationshipKey != f.Key():
		return trilith.Errorf(trilith.Invalid, "fact.relationship_key: does not match entity, verb and object")
	case len(f.Evidence) == 0:
		return trilith.Errorf(trilith.Invalid, "fact.evidence: is empty")
	}
	return CheckLegacyID("fact.legacy_id", f.LegacyID)
}

func CheckIDs(field string, ids []trilith.ID) error {
	for _, id := range ids {
		if id.Validate() != nil {
			return trilith.Errorf(trilith.Invalid, "%s: %.64q is not a UUID in lower case", field, string(id))
		}
	}
	return nil
}

// CheckLimit checks the limit of a request; 0 becomes the default.
func CheckLimit(limit, usual, most int) (int, error) {
	if limit < 0 || limit > most {
		return 0, trilith.Errorf(trilith.Invalid, "limit: is %d, must be 1 to %d (%d if left out)", limit, most, usual)
	}
	return cmp.Or(limit, usual), nil
}

// CheckWhole is CheckScope for operations on the whole tenant, which ignore the rest of the scope. A caller that is
// bound to a part of the tenant may not use them.
func CheckWhole(s trilith.Scope) error {
	if err := CheckScope(s); err != nil {
		return err
	}
	if s.Bound != (trilith.Bound{}) {
		return trilith.Errorf(trilith.Forbidden, "the key is bound to a part of its tenant; this concerns all of it")
	}
	return nil
}

// CheckScope returns an error for a scope that no request may have.
func CheckScope(s trilith.Scope) error {
	for _, f := range s.Fields() {
		if err := refuseKey(f.Name, f.Value); err != nil {
			return err
		}
	}
	if err := trilith.ValidateTenant(s.Tenant); err != nil {
		return err
	}
	for _, f := range s.Fields() { // here an empty value is one that was left out
		if f.Value != "" {
			if err := trilith.CheckScopeValue(f.Name, f.Value); err != nil {
				return err
			}
		}
	}
	return s.Validate()
}

// refuseKey returns an error for a name or an id that holds a secret key, because names and ids are shown, listed and
// exported unmasked.
func refuseKey(field, value string) error {
	if gate.HoldsKey(value) {
		return trilith.Errorf(trilith.Invalid, "%s: holds a key or a token; names and ids cannot be masked, so choose another", field)
	}
	return nil
}

// RequestKey returns the stored form of an idempotency key. Keys of bound callers are kept apart from all others, so
// that a key reveals no other caller's requests.
func RequestKey(s trilith.Scope, key string) string {
	if key == "" || s.Bound == (trilith.Bound{}) {
		return key
	}
	sum := sha256.Sum256([]byte(strings.Join(append(s.Bound[:], key), "\x00")))
	return "bound:" + hex.EncodeToString(sum[:])
}
