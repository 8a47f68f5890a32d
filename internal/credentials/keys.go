// Package credentials lets callers in: by the API keys of programs, and by the sign-ins of browsers, which hold no key.
package credentials

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// keyPrefix lets a person and a secret scanner recognise a key.
const keyPrefix = "cairn_"

// Keys are the API keys of one store. Its methods are safe for concurrent use.
type Keys struct{ truth *truth.Truth }

// NewKeys returns the keys that the truth holds.
func NewKeys(t *truth.Truth) *Keys { return &Keys{t} }

// Create makes an API key. The secret is returned only here; the store has its hash. A key with a scope has at most the
// right writer, because an admin's operations concern the whole tenant.
func (ks *Keys) Create(ctx context.Context, r cairn.APIKeyRequest) (secret string, k cairn.APIKey, err error) {
	now := ks.truth.Now()
	bound := r.Scope.Bare()
	bound.Tenant = r.Tenant
	if err := truth.FirstError(cairn.ValidateTenant(r.Tenant), bound.Validate()); err != nil {
		return "", k, err
	}
	switch {
	case r.Name == "" || len(r.Name) > cairn.MaxNameBytes ||
		strings.ContainsFunc(r.Name, func(r rune) bool { return r < ' ' }):
		return "", k, cairn.Errorf(cairn.Invalid, "name: must be 1 to %d bytes of printable text", cairn.MaxNameBytes)
	case !slices.Contains([]cairn.Access{cairn.AccessReader, cairn.AccessWriter, cairn.AccessAdmin}, r.Access):
		return "", k, cairn.Errorf(cairn.Invalid, "access: %.32q is not one of reader, writer, admin", string(r.Access))
	case bound != truth.TenantOf(bound) && r.Access == cairn.AccessAdmin:
		return "", k, cairn.Errorf(cairn.Invalid,
			"access: an admin's rights are those of the whole tenant; a key with a scope is reader or writer")
	case bound != truth.TenantOf(bound) && bound.User+bound.Project+bound.Session == "":
		return "", k, cairn.Errorf(cairn.Invalid,
			"scope: bind the key to a user, a project or a session; the other values narrow it further")
	case r.ExpiresAt != nil && !r.ExpiresAt.After(now):
		return "", k, cairn.Errorf(cairn.Invalid, "expires_at: is in the past")
	}
	secret = keyPrefix + rand.Text() // 130 bits: a plain hash is enough to keep it
	k = cairn.APIKey{ID: cairn.NewID(now), Name: r.Name, Tenant: r.Tenant, Access: r.Access, CreatedAt: now}
	noted := map[string]string{"name": k.Name, "tenant": k.Tenant, "access": string(k.Access)}
	if bound != truth.TenantOf(bound) {
		bound.Tenant = ""
		k.Scope = &bound
		noted["bound"] = "true"
	}
	if r.ExpiresAt != nil {
		k.ExpiresAt = new(cairn.Time(*r.ExpiresAt))
		noted["expires_at"] = k.ExpiresAt.Format(time.RFC3339)
	}
	body, err := json.Marshal(k)
	if err != nil {
		return "", k, err
	}
	_, err = ks.truth.Store.Commit(ctx, truth.SystemScope, cairn.Batch{
		Records: []cairn.Record{{Kind: cairn.RecordAPIKey, ID: k.ID, Body: body}},
		Claims:  []cairn.Claim{{Key: credential(secret), Owner: k.ID}},
		Audit:   ks.truth.Audit(truth.SystemScope, "key.create", k.ID, noted),
	})
	if err != nil {
		return "", k, err
	}
	return secret, k, nil
}

func credential(secret string) cairn.Key {
	sum := sha256.Sum256([]byte(secret))
	return cairn.Key{Space: cairn.KeyCredential, Value: hex.EncodeToString(sum[:])}
}

// All returns every key of every tenant, revoked ones too, oldest first.
func (ks *Keys) All(ctx context.Context) ([]cairn.APIKey, error) {
	keys := []cairn.APIKey{}
	for r, err := range ks.truth.Records(ctx, truth.SystemScope, cairn.RecordAPIKey) {
		k, err := truth.DecodeIf[cairn.APIKey](r, err)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b cairn.APIKey) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return keys, nil
}

// Any reports whether a key was ever made. Revoking the last one does not open the memory to everybody again.
func (ks *Keys) Any(ctx context.Context) (bool, error) {
	rs, err := ks.truth.Store.Records(ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, Limit: 1})
	return len(rs) > 0, err
}

// Revoke ends a key at once. Revoking it again changes nothing.
func (ks *Keys) Revoke(ctx context.Context, id cairn.ID) error {
	if err := id.Validate(); err != nil {
		return err
	}
	return truth.Retry(ctx, func() (bool, error) {
		rs, err := ks.truth.Store.Records(
			ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, IDs: []cairn.ID{id}})
		if err != nil {
			return false, err
		}
		if len(rs) == 0 {
			return false, cairn.Errorf(cairn.NotFound, "key %s does not exist", id)
		}
		k, err := truth.Decode[cairn.APIKey](rs[0])
		if err != nil || k.RevokedAt != nil {
			return false, err
		}
		now := ks.truth.Now()
		k.RevokedAt = &now
		body, err := json.Marshal(k)
		if err != nil {
			return false, err
		}
		_, err = ks.truth.Store.Commit(ctx, truth.SystemScope, cairn.Batch{
			Expect:  []cairn.Expect{{Kind: cairn.RecordAPIKey, ID: id, Version: rs[0].Version}},
			Records: []cairn.Record{{Kind: cairn.RecordAPIKey, ID: id, Body: body}},
			Audit:   ks.truth.Audit(truth.SystemScope, "key.revoke", id, nil),
		})
		return true, err
	})
}

// Authenticate returns the identity of the secret's holder. Unknown, revoked and expired keys answer alike.
func (ks *Keys) Authenticate(ctx context.Context, secret string) (cairn.Identity, error) {
	k, err := ks.keyOf(ctx, secret)
	if err != nil {
		return cairn.Identity{}, err
	}
	return identityOf(k), nil
}

func errUnknownKey() error {
	return cairn.Errorf(cairn.Unauthenticated, "the API key is not known; send it as Authorization: Bearer KEY")
}

// keyOf returns the key of a secret, if it lets anybody in.
func (ks *Keys) keyOf(ctx context.Context, secret string) (cairn.APIKey, error) {
	key := credential(secret)
	owners, err := ks.truth.Store.Find(ctx, truth.SystemScope, []cairn.Key{key})
	if err != nil {
		return cairn.APIKey{}, err
	}
	id, ok := owners[key]
	if !ok {
		return cairn.APIKey{}, errUnknownKey()
	}
	return ks.keyRecord(ctx, id)
}

// keyRecord returns a key that lets its holder in now.
func (ks *Keys) keyRecord(ctx context.Context, id cairn.ID) (cairn.APIKey, error) {
	rs, err := ks.truth.Store.Records(
		ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, IDs: []cairn.ID{id}})
	if err != nil {
		return cairn.APIKey{}, err
	}
	if len(rs) == 0 {
		return cairn.APIKey{}, errUnknownKey()
	}
	k, err := truth.Decode[cairn.APIKey](rs[0])
	if err == nil && k.Ended(ks.truth.Now()) {
		err = errUnknownKey()
	}
	return k, err
}

func identityOf(k cairn.APIKey) cairn.Identity {
	who := cairn.Identity{Name: k.Name, Tenant: k.Tenant, Access: k.Access, KeyID: k.ID}
	if k.Scope != nil {
		who.Scope = *k.Scope
	}
	return who
}
