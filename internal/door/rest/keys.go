package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type createKeyInput struct{ Body trilith.APIKeyRequest }

type newKey struct {
	Key    trilith.APIKey `json:"key"`
	Secret string         `json:"secret" doc:"Shown once; only its hash is stored"`
}

type keyPage struct {
	Items      []trilith.APIKey `json:"items"`
	NextCursor string           `json:"next_cursor,omitempty"`
}

type oneKey struct {
	ID trilith.ID `path:"id" doc:"Id of the key"`
}

func (s *keyRoutes) register(api huma.API) {
	handle(s.edge, api, operation{id: "create-key", method: http.MethodPost, path: "/admin/keys", need: trilith.AccessAdmin,
		summary: "Make an API key for your tenant"}, s.createKey)
	handle(s.edge, api, operation{id: "list-keys", method: http.MethodGet, path: "/admin/keys", need: trilith.AccessAdmin,
		summary: "The API keys of your tenant"}, func(ctx context.Context, who trilith.Identity, _ *struct{}) (
		keyPage, error) {
		keys, err := s.keysOf(ctx, who.Tenant)
		return keyPage{Items: keys}, err
	})
	handle(s.edge, api, operation{id: "revoke-key", method: http.MethodDelete, path: "/admin/keys/{id}",
		need:    trilith.AccessAdmin,
		summary: "Take back an API key of your tenant"}, s.revokeKey)
}

func (s *keyRoutes) createKey(ctx context.Context, who trilith.Identity, in *createKeyInput) (newKey, error) {
	r := in.Body
	r.Tenant = who.Tenant
	secret, key, err := s.engine.CreateKey(ctx, r)
	if err != nil {
		return newKey{}, err
	}
	s.auth.requireKeys()
	return newKey{Key: key, Secret: secret}, nil
}

func (s *keyRoutes) revokeKey(ctx context.Context, who trilith.Identity, in *oneKey) (trilith.APIKey, error) {
	if _, err := s.key(ctx, who.Tenant, in.ID); err != nil {
		return trilith.APIKey{}, err
	}
	if err := s.engine.RevokeKey(ctx, in.ID); err != nil {
		return trilith.APIKey{}, err
	}
	return s.key(ctx, who.Tenant, in.ID)
}

func (s *keyRoutes) key(ctx context.Context, tenant string, id trilith.ID) (trilith.APIKey, error) {
	keys, err := s.keysOf(ctx, tenant)
	if err != nil {
		return trilith.APIKey{}, err
	}
	i := slices.IndexFunc(keys, func(k trilith.APIKey) bool { return k.ID == id })
	if i < 0 {
		return trilith.APIKey{}, trilith.Errorf(trilith.NotFound, "key %.64q does not exist", string(id))
	}
	return keys[i], nil
}

// keysOf returns the keys of one tenant: an admin neither sees nor touches those of another.
func (s *keyRoutes) keysOf(ctx context.Context, tenant string) ([]trilith.APIKey, error) {
	keys, err := s.engine.Keys(ctx)
	return slices.DeleteFunc(keys, func(k trilith.APIKey) bool { return k.Tenant != tenant }), err
}
