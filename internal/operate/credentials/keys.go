// Package credentials lets callers in: by the API keys of programs, and by the sign-ins of browsers, which hold no key.
package credentials

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// keyPrefix lets a person and a secret scanner recognise a key.
const keyPrefix = "trilith_"

// Keys are the API keys of one store. Its methods are safe for concurrent use.
type Keys struct{ truth *truth.Truth }

// NewKeys returns the keys that the truth holds.
func NewKeys(t *truth.Truth) *Keys { return &Keys{t} }

// CreateKey makes an API key. The secret is returned only here; the store has its hash. A key with a scope has at most the
// right writer, because an admin's operations concern the whole tenant.
func (ks *Keys) CreateKey(ctx context.Context, r trilith.APIKeyRequest) (secret string, k trilith.APIKey, err error) {
	now := ks.truth.Now()
	bound := r.Scope.Bare()
	bound.Tenant = r.Tenant
	zoned := bound
	zoned.TimeZone = r.Scope.TimeZone // it binds to nothing: it is that of callers who name none
	if err := truth.CheckScope(zoned); err != nil {
		return "", k, err
	}
	switch {
	case r.Name == "" || len(r.Name) > trilith.MaxNameBytes ||
		strings.ContainsFunc(r.Name, func(r rune) bool { return r < ' ' }):
		return "", k, trilith.Errorf(trilith.Invalid, "name: must be 1 to %d bytes of printable text", trilith.MaxNameBytes)
	case !slices.Contains([]trilith.Access{trilith.AccessReader, trilith.AccessWriter, trilith.AccessAdmin}, r.Access):
		return "", k, trilith.Errorf(trilith.Invalid, "access: %.32q is not one of reader, writer, admin", string(r.Access))
	case bound != truth.TenantOf(bound) && r.Access == trilith.AccessAdmin:
		return "", k, trilith.Errorf(trilith.Invalid,
			"access: an admin's rights are those of the whole tenant; a key with a scope is reader or writer")
	case bound != truth.TenantOf(bound) && bound.User+bound.Project+bound.Session == "":
		return "", k, trilith.Errorf(trilith.Invalid,
			"scope: bind the key to a user, a project or a session; the other values narrow it further")
	case r.ExpiresAt != nil && !r.ExpiresAt.After(now):
		return "", k, trilith.Errorf(trilith.Invalid, "expires_at: is in the past")
	}
	if err := cmp.Or(truth.CheckName("name", r.Name), truth.CheckName("system", cmp.Or(r.System, "none"))); err != nil {
		return "", k, err
	}
	secret = keyPrefix + rand.Text() // 130 bits: a plain hash is enough to keep it
	k = trilith.APIKey{ID: trilith.NewID(now), Name: r.Name, Tenant: r.Tenant, Access: r.Access, CreatedAt: now,
		System: r.System}
	noted := map[string]string{"name": k.Name, "tenant": k.Tenant, "access": string(k.Access)}
	if bound != truth.TenantOf(bound) {
		noted["bound"] = "true"
	}
	zoned.Tenant = ""
	if zoned != (trilith.Scope{}) {
		k.Scope = &zoned
	}
	if k.System != "" {
		noted["system"] = k.System
	}
	if r.ExpiresAt != nil {
		k.ExpiresAt = new(trilith.Time(*r.ExpiresAt))
		noted["expires_at"] = k.ExpiresAt.Format(time.RFC3339)
	}
	b := role.Batch{Claims: []role.Claim{{Key: credential(secret), Owner: k.ID}},
		Audit: ks.truth.Audit(truth.SystemScope, "key.create", k.ID, noted)}
	if err := b.Put(role.RecordAPIKey, k.ID, k); err != nil {
		return "", k, err
	}
	if _, err := ks.truth.Commit(ctx, truth.SystemScope, b); err != nil {
		return "", k, err
	}
	return secret, k, nil
}

// Keys returns every key of every tenant, revoked ones too, oldest first.
func (ks *Keys) Keys(ctx context.Context) ([]trilith.APIKey, error) {
	keys := []trilith.APIKey{}
	for r, err := range ks.truth.Records(ctx, truth.SystemScope, role.RecordAPIKey) {
		k, err := truth.DecodeIf[trilith.APIKey](r, err)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b trilith.APIKey) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return keys, nil
}

// HasKeys reports whether a key was ever made. Revoking the last one does not open the memory to everybody again.
func (ks *Keys) HasKeys(ctx context.Context) (bool, error) {
	rs, err := ks.truth.ReadRecords(ctx, truth.SystemScope, role.RecordListing{Kind: role.RecordAPIKey, Limit: 1})
	return len(rs) > 0, err
}

// RevokeKey ends a key at once. Revoking it again changes nothing.
func (ks *Keys) RevokeKey(ctx context.Context, id trilith.ID) error {
	if err := id.Validate(); err != nil {
		return err
	}
	return truth.Retry(ctx, func() (bool, error) {
		k, version, err := truth.ReadRecord[trilith.APIKey](ctx, ks.truth, truth.SystemScope, role.RecordAPIKey, id)
		if err == nil && version == 0 {
			err = trilith.Errorf(trilith.NotFound, "key %s does not exist", id)
		}
		if err != nil || k.RevokedAt != nil {
			return false, err
		}
		now := ks.truth.Now()
		k.RevokedAt = &now
		b := role.Batch{Audit: ks.truth.Audit(truth.SystemScope, "key.revoke", id, nil)}
		if err := b.Replace(role.RecordAPIKey, id, version, k); err != nil {
			return false, err
		}
		_, err = ks.truth.Commit(ctx, truth.SystemScope, b)
		return true, err
	})
}

// Authenticate returns the identity of the secret's holder. Unknown, revoked and expired keys answer alike.
func (ks *Keys) Authenticate(ctx context.Context, secret string) (trilith.Identity, error) {
	k, err := ks.keyOf(ctx, secret)
	if err != nil {
		return trilith.Identity{}, err
	}
	return identityOf(k), nil
}

// keyOf returns the key of a secret, if it lets anybody in.
func (ks *Keys) keyOf(ctx context.Context, secret string) (trilith.APIKey, error) {
	key := credential(secret)
	owners, err := ks.truth.Find(ctx, truth.SystemScope, []role.Key{key})
	if err != nil {
		return trilith.APIKey{}, err
	}
	id, ok := owners[key]
	if !ok {
		return trilith.APIKey{}, errUnknownKey()
	}
	return ks.keyRecord(ctx, id)
}

func credential(secret string) role.Key {
	sum := sha256.Sum256([]byte(secret))
	return role.Key{Space: role.KeyCredential, Value: hex.EncodeToString(sum[:])}
}

// keyRecord returns a key that lets its holder in now.
func (ks *Keys) keyRecord(ctx context.Context, id trilith.ID) (trilith.APIKey, error) {
	k, version, err := truth.ReadRecord[trilith.APIKey](ctx, ks.truth, truth.SystemScope, role.RecordAPIKey, id)
	if err == nil && (version == 0 || k.Ended(ks.truth.Now())) {
		err = errUnknownKey()
	}
	return k, err
}

func errUnknownKey() error {
	return trilith.Errorf(trilith.Unauthenticated, "the API key is not known; send it as Authorization: Bearer KEY")
}

func identityOf(k trilith.APIKey) trilith.Identity {
	who := trilith.Identity{Name: k.Name, Tenant: k.Tenant, Access: k.Access, KeyID: k.ID, System: k.System}
	if k.Scope != nil {
		who.Scope = *k.Scope
	}
	return who
}
