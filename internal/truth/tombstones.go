package truth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// saltRecord is the body of a [role.RecordSalt].
type saltRecord struct {
	Salt     string `json:"salt"` // hex
	Imported bool   `json:"imported,omitempty"`
}

// Salt returns the salt for new tombstones of the tenant; the first erasure makes it. Salts from imports only serve to
// recognise erasures made elsewhere.
func (t *Truth) Salt(ctx context.Context, s trilith.Scope) ([]byte, error) {
	own, _, err := t.Salts(ctx, s)
	if err != nil || own != nil {
		return own, err
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	return salt, t.PutSalt(ctx, s, salt, false)
}

func (t *Truth) PutSalt(ctx context.Context, s trilith.Scope, salt []byte, imported bool) error {
	text := hex.EncodeToString(salt)
	var b role.Batch
	if err := b.Put(role.RecordSalt, trilith.DeriveID("salt", s.Tenant, text), saltRecord{text, imported}); err != nil {
		return err
	}
	_, err := t.Commit(ctx, s, b)
	return err
}

// Tombstones recognises data that was erased before.
type Tombstones struct{ salts [][]byte }

// Tombstones returns the tombstones of a tenant.
func (t *Truth) Tombstones(ctx context.Context, s trilith.Scope) (Tombstones, error) {
	_, salts, err := t.Salts(ctx, s)
	return Tombstones{salts}, err
}

func (g Tombstones) Hit(owners map[role.Key]trilith.ID, scopeKey string, d ingest.Draft, id trilith.ID) bool {
	return slices.ContainsFunc(g.Keys(scopeKey, d, id), func(k role.Key) bool {
		_, ok := owners[k]
		return ok
	})
}

// Keys returns the tombstones that exist if the draft was erased before; id is empty if the draft gets a new one.
func (g Tombstones) Keys(scopeKey string, d ingest.Draft, id trilith.ID) []role.Key {
	var ks []role.Key
	for _, salt := range g.salts {
		m := d.Memory
		if !d.Timed {
			m.EventTime = time.Time{}
		}
		hashes := HashesOf(salt, scopeKey, &m)
		if id != "" {
			hashes = append(hashes, IDHash(salt, id))
		}
		for _, h := range hashes {
			ks = append(ks, role.Key{Space: role.KeyErased, Value: h})
		}
	}
	return ks
}

// HashesOf returns the tombstones of a memory: one for its external id, one for its words and speaker in this scope.
// The second includes the time only for short texts ("yes", "thank you"): they are said again and again, and erasing
// one must not suppress the next.
func HashesOf(salt []byte, scopeKey string, m *trilith.Memory) []string {
	folded := strings.ToLower(strings.Join(strings.Fields(m.Text), " "))
	said := []string{"said", scopeKey, string(m.Role), m.Speaker, folded}
	if len(folded) < shortText && !m.EventTime.IsZero() {
		said = append(said, m.EventTime.Format(time.RFC3339Nano))
	}
	out := []string{SaltedHash(salt, said...)}
	if m.ExternalID != "" {
		out = append(out, SaltedHash(salt, "external", scopeKey, m.ExternalID))
	}
	return out
}

// ErasedIDs returns which ids of a tenant were erased.
func ErasedIDs(ctx context.Context, t *Truth, tenant trilith.Scope, ids ...trilith.ID) ([]trilith.ID, error) {
	_, salts, err := t.Salts(ctx, tenant)
	if err != nil || len(salts) == 0 {
		return nil, err
	}
	of := map[role.Key]trilith.ID{}
	var keys []role.Key
	for _, salt := range salts {
		for _, id := range ids {
			k := role.Key{Space: role.KeyErased, Value: IDHash(salt, id)}
			of[k], keys = id, append(keys, k)
		}
	}
	owners, err := t.Find(ctx, tenant, keys)
	if err != nil {
		return nil, err
	}
	var out []trilith.ID
	for _, k := range keys {
		if _, ok := owners[k]; ok && !slices.Contains(out, of[k]) {
			out = append(out, of[k])
		}
	}
	return out, nil
}

// Salts returns the tenant's own salt, nil if it has none yet, and all salts that its tombstones were made with.
func (t *Truth) Salts(ctx context.Context, s trilith.Scope) (own []byte, all [][]byte, err error) {
	rs, err := t.ReadRecords(ctx, s, role.RecordListing{Kind: role.RecordSalt})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rs {
		v, err := Decode[saltRecord](r)
		if err != nil {
			return nil, nil, err
		}
		salt, err := hex.DecodeString(v.Salt)
		if err != nil {
			return nil, nil, trilith.WrapError(trilith.Internal, "truth: salt", err)
		}
		all = append(all, salt)
		if own == nil && !v.Imported {
			own = salt
		}
	}
	return own, all, nil
}

// Tombstone returns the claim of a hash by the receipt, or the judgement, of an erasure.
func Tombstone(hash string, by trilith.ID) role.Claim {
	return role.Claim{Key: role.Key{Space: role.KeyErased, Value: hash}, Owner: by, Move: true}
}

// IDHash returns the tombstone of a memory's id.
func IDHash(salt []byte, id trilith.ID) string { return SaltedHash(salt, "id", string(id)) }

// SaltedHash returns the salted hash of parts; each part is preceded by its length.
func SaltedHash(salt []byte, parts ...string) string {
	h := hmac.New(sha256.New, salt)
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// shortText is the length in bytes below which a text is too common to be recognised without its time.
const shortText = 24
