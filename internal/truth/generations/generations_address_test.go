package generations_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// placed is an embedder that asks a service at an address.
type placed struct {
	role.Embedder
	address string
}

func (p placed) Generation() trilith.Generation {
	g := p.Embedder.Generation()
	g.Address = p.address
	return g
}

// opensAt opens an engine with the embedder of a name such as hash:64@http://a/v1.
func opensAt(t *testing.T, store rig.Lasting, by *openers, name string, change ...func(*engine.Config)) rig.Rig {
	t.Helper()
	opens := func(ctx context.Context, name string) (role.Embedder, error) {
		model, address, _ := strings.Cut(name, "@")
		made, err := by.open(ctx, model)
		return placed{made, address}, err
	}
	c := store.Config()
	var err error
	if c.Embedder, err = opens(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	c.EmbedderName, c.Embedders, c.Named = name, opens, anyName
	return rig.Open(t, c, change...)
}

// TestAddresses: the same model at another address is another generation, whose vectors are made again beside those of
// the active one.
func TestAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := opensAt(t, store, by, "hash:64@http://a/v1")
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(20)})
		e.MustSettle(t)
		a := e.Generation().Key()
		switchTo(t, e, "hash:64@http://b/v1")
		if b := e.Generation().Key(); a == b {
			t.Errorf("two addresses have the key %s", b)
		}
		wantStates(t, e, "after the switch", "active hash:64@http://b/v1, previous hash:64@http://a/v1")
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		c := store.Config()
		c.Text, c.Graph = embedded.NewText(nil), walk.OverStore(c.Store)
		c.Embedder, c.EmbedderName = placed{rig.Hash(t, 64), "http://a/v1"}, "hash:64@http://a/v1"
		_, err := engine.Open(t.Context(), c)
		rig.WantError(t, "Open with the address before", err, trilith.Conflict, "at http://b/v1")
		opensAt(t, store, by, "hash:64@http://b/v1").Close()
	})
}
