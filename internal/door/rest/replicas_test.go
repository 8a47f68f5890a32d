package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// sharedStore is a store that another replica closes.
type sharedStore struct{ *inmem.Store }

func (sharedStore) Close() error { return nil }

// replica is one more server over the memory of e.
func (e *edge) replica(t *testing.T, c rest.Config) *edge {
	t.Helper()
	store := sharedStore{e.store}
	var err error
	c.Engine, err = engine.Open(
		t.Context(), engine.Config{Store: store, Log: store, Queue: store, Text: indextest.NewText(),
			Graph: walk.OverStore(store)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Engine.Close() })
	return &edge{Handler: rest.New(c), engine: c.Engine, store: e.store}
}

// Once a key is made through one replica, the others refuse callers without a key; a key revoked through one is refused
// by all. Both hold from the next request on.
func TestKeysAtAllReplicas(t *testing.T) {
	t.Parallel()
	a := open(t, rest.Config{Local: true})
	b := a.replica(t, rest.Config{Local: true})
	const list = "/api/v1/memories"
	if got := b.do("GET", list, ""); got.status != 200 {
		t.Fatalf("without keys: %d %s, want 200", got.status, got.body)
	}
	got := a.do("POST", "/api/v1/admin/keys", `{"name":"me","access":"admin"}`)
	var made struct {
		Key    trilith.APIKey
		Secret string
	}
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != 200 {
		t.Fatalf("POST /admin/keys = %d %s", got.status, got.body)
	}
	if got := b.do("GET", list, ""); got.status != 401 {
		t.Errorf("with a key made through another replica, without it: %d, want 401", got.status)
	}
	if got := b.do("GET", list, "", "X-API-Key", made.Secret); got.status != 200 {
		t.Errorf("with it: %d %s, want 200", got.status, got.body)
	}
	if got := a.do("DELETE", "/api/v1/admin/keys/"+string(made.Key.ID), "", "X-API-Key",
		made.Secret); got.status != 200 {
		t.Fatalf("DELETE /admin/keys = %d %s", got.status, got.body)
	}
	for name, headers := range map[string][]string{"the revoked key": {"X-API-Key", made.Secret}, "no key": nil} {
		if got := b.do("GET", list, "", headers...); got.status != 401 {
			t.Errorf("after the key was revoked through another replica, %s gets %d, want 401", name, got.status)
		}
	}
	if got := a.replica(t, rest.Config{Local: true}).do("GET", list, ""); got.status != 401 {
		t.Errorf("a replica that starts afterwards answers %d without a key, want 401", got.status)
	}
}
