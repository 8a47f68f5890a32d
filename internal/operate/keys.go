package operate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// keyPrefix lets a person and a secret scanner recognise a key.
const keyPrefix = "cairn_"

// CreateKey makes an API key. The secret is returned this once; the store keeps its hash.
func (o *Operator) CreateKey(ctx context.Context, name, tenant string, a cairn.Access) (
	secret string, k cairn.APIKey, err error) {
	if err := cairn.ValidateTenant(tenant); err != nil {
		return "", k, err
	}
	switch {
	case name == "" || len(name) > cairn.MaxNameBytes ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "", k, cairn.Errorf(cairn.Invalid, "name: must be 1 to %d bytes of printable text", cairn.MaxNameBytes)
	case !slices.Contains([]cairn.Access{cairn.AccessReader, cairn.AccessWriter, cairn.AccessAdmin}, a):
		return "", k, cairn.Errorf(cairn.Invalid, "access: %.32q is not one of reader, writer, admin", string(a))
	}
	secret = keyPrefix + rand.Text() // 130 bits: a plain hash is enough to keep it
	k = cairn.APIKey{ID: cairn.NewID(o.truth.Now()), Name: name, Tenant: tenant, Access: a, CreatedAt: o.truth.Now()}
	body, err := json.Marshal(k)
	if err != nil {
		return "", k, err
	}
	_, err = o.truth.Store.Commit(ctx, truth.SystemScope, cairn.Batch{
		Records: []cairn.Record{{Kind: cairn.RecordAPIKey, ID: k.ID, Body: body}},
		Claims:  []cairn.Claim{{Key: credential(secret), Owner: k.ID}},
		Audit: o.truth.Audit(truth.SystemScope, "key.create", k.ID,
			map[string]string{"name": name, "tenant": tenant, "access": string(a)}),
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

// Keys returns every key of every tenant, revoked ones too, oldest first.
func (o *Operator) Keys(ctx context.Context) ([]cairn.APIKey, error) {
	keys := []cairn.APIKey{}
	for r, err := range o.truth.Records(ctx, truth.SystemScope, cairn.RecordAPIKey) {
		k, err := truth.DecodeIf[cairn.APIKey](r, err)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b cairn.APIKey) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return keys, nil
}

// HasKeys reports whether a key was ever made. Revoking the last one does not open the memory to everybody again.
func (o *Operator) HasKeys(ctx context.Context) (bool, error) {
	rs, err := o.truth.Store.Records(ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, Limit: 1})
	return len(rs) > 0, err
}

// RevokeKey ends a key at once. Revoking it again changes nothing.
func (o *Operator) RevokeKey(ctx context.Context, id cairn.ID) error {
	if err := id.Validate(); err != nil {
		return err
	}
	return truth.Retry(ctx, func() (bool, error) {
		rs, err := o.truth.Store.Records(
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
		now := o.truth.Now()
		k.RevokedAt = &now
		body, err := json.Marshal(k)
		if err != nil {
			return false, err
		}
		_, err = o.truth.Store.Commit(ctx, truth.SystemScope, cairn.Batch{
			Expect:  []cairn.Expect{{Kind: cairn.RecordAPIKey, ID: id, Version: rs[0].Version}},
			Records: []cairn.Record{{Kind: cairn.RecordAPIKey, ID: id, Body: body}},
			Audit:   o.truth.Audit(truth.SystemScope, "key.revoke", id, nil),
		})
		return true, err
	})
}

// Authenticate returns the identity of the secret's holder. Unknown and revoked keys answer alike.
func (o *Operator) Authenticate(ctx context.Context, secret string) (cairn.Identity, error) {
	denied := cairn.Errorf(cairn.Unauthenticated, "the API key is not known; send it as Authorization: Bearer KEY")
	key := credential(secret)
	owners, err := o.truth.Store.Find(ctx, truth.SystemScope, []cairn.Key{key})
	if err != nil {
		return cairn.Identity{}, err
	}
	id, ok := owners[key]
	if !ok {
		return cairn.Identity{}, denied
	}
	rs, err := o.truth.Store.Records(
		ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, IDs: []cairn.ID{id}})
	if err != nil {
		return cairn.Identity{}, err
	}
	if len(rs) == 0 {
		return cairn.Identity{}, denied
	}
	k, err := truth.Decode[cairn.APIKey](rs[0])
	if err != nil {
		return cairn.Identity{}, err
	}
	if k.RevokedAt != nil {
		return cairn.Identity{}, denied
	}
	return cairn.Identity{Name: k.Name, Tenant: k.Tenant, Access: k.Access}, nil
}
