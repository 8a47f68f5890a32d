package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// keyPrefix lets a person and a secret scanner recognise a key.
const keyPrefix = "cairn_"

// CreateKey makes an API key. The secret is returned this once; the store keeps its hash.
func (e *Engine) CreateKey(ctx context.Context, name, tenant string, a cairn.Access) (secret string, k cairn.APIKey, err error) {
	if err := cairn.ValidateTenant(tenant); err != nil {
		return "", k, err
	}
	switch {
	case name == "" || len(name) > cairn.MaxNameBytes || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "", k, cairn.Errorf(cairn.Invalid, "name: must be 1 to %d bytes of printable text", cairn.MaxNameBytes)
	case !slices.Contains([]cairn.Access{cairn.AccessReader, cairn.AccessWriter, cairn.AccessAdmin}, a):
		return "", k, cairn.Errorf(cairn.Invalid, "access: %.32q is not one of reader, writer, admin", string(a))
	}
	secret = keyPrefix + rand.Text() // 130 bits: a plain hash is enough to keep it
	k = cairn.APIKey{ID: cairn.NewID(e.now()), Name: name, Tenant: tenant, Access: a, CreatedAt: e.now()}
	body, err := json.Marshal(k)
	if err != nil {
		return "", k, err
	}
	_, err = e.cfg.Store.Commit(ctx, systemScope, cairn.Batch{
		Records: []cairn.Record{{Kind: cairn.RecordAPIKey, ID: k.ID, Body: body}},
		Claims:  []cairn.Claim{{Key: credential(secret), Owner: k.ID}},
		Audit:   e.audit(systemScope, "key.create", k.ID, map[string]string{"name": name, "tenant": tenant, "access": string(a)}),
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
func (e *Engine) Keys(ctx context.Context) ([]cairn.APIKey, error) {
	keys := []cairn.APIKey{}
	for r, err := range e.records(ctx, systemScope, cairn.RecordAPIKey) {
		k, err := decodeIf[cairn.APIKey](r, err)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b cairn.APIKey) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return keys, nil
}

// HasKeys reports whether a key was ever made. Revoking the last one does not open the memory to everybody again.
func (e *Engine) HasKeys(ctx context.Context) (bool, error) {
	rs, err := e.cfg.Store.Records(ctx, systemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, Limit: 1})
	return len(rs) > 0, err
}

// RevokeKey ends a key at once. Revoking it again changes nothing.
func (e *Engine) RevokeKey(ctx context.Context, id cairn.ID) error {
	if err := id.Validate(); err != nil {
		return err
	}
	return retry(ctx, func() (bool, error) {
		rs, err := e.cfg.Store.Records(ctx, systemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, IDs: []cairn.ID{id}})
		if err != nil {
			return false, err
		}
		if len(rs) == 0 {
			return false, cairn.Errorf(cairn.NotFound, "key %s does not exist", id)
		}
		k, err := decode[cairn.APIKey](rs[0])
		if err != nil || k.RevokedAt != nil {
			return false, err
		}
		now := e.now()
		k.RevokedAt = &now
		body, err := json.Marshal(k)
		if err != nil {
			return false, err
		}
		_, err = e.cfg.Store.Commit(ctx, systemScope, cairn.Batch{
			Expect:  []cairn.Expect{{Kind: cairn.RecordAPIKey, ID: id, Version: rs[0].Version}},
			Records: []cairn.Record{{Kind: cairn.RecordAPIKey, ID: id, Body: body}},
			Audit:   e.audit(systemScope, "key.revoke", id, nil),
		})
		return true, err
	})
}

// Authenticate returns who holds the secret. Unknown and revoked keys answer alike.
func (e *Engine) Authenticate(ctx context.Context, secret string) (cairn.Identity, error) {
	denied := cairn.Errorf(cairn.Unauthenticated, "the API key is not known; send it as Authorization: Bearer KEY")
	key := credential(secret)
	owners, err := e.cfg.Store.Find(ctx, systemScope, []cairn.Key{key})
	if err != nil {
		return cairn.Identity{}, err
	}
	id, ok := owners[key]
	if !ok {
		return cairn.Identity{}, denied
	}
	rs, err := e.cfg.Store.Records(ctx, systemScope, cairn.RecordListing{Kind: cairn.RecordAPIKey, IDs: []cairn.ID{id}})
	if err != nil {
		return cairn.Identity{}, err
	}
	if len(rs) == 0 {
		return cairn.Identity{}, denied
	}
	k, err := decode[cairn.APIKey](rs[0])
	if err != nil {
		return cairn.Identity{}, err
	}
	if k.RevokedAt != nil {
		return cairn.Identity{}, denied
	}
	return cairn.Identity{Name: k.Name, Tenant: k.Tenant, Access: k.Access}, nil
}
