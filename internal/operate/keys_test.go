package operate_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	var ticks atomic.Int64
	e := rig.InMemory(t, func(c *engine.Config) {
		c.Now = func() time.Time { return time.Date(2025, 7, 1, 0, 0, int(ticks.Add(1)), 0, time.UTC) }
	})
	if has, err := e.HasKeys(t.Context()); has || err != nil {
		t.Fatalf("HasKeys of a new memory = %t, %v", has, err)
	}
	secret, key, err := e.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "laptop", Tenant: "acme",
		Access: trilith.AccessWriter})
	if err != nil || !strings.HasPrefix(secret, "trilith_") || len(secret) < 30 {
		t.Fatalf("CreateKey = %q, %v", secret, err)
	}
	other, _, err := e.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "laptop", Tenant: "acme",
		Access: trilith.AccessReader})
	if err != nil || other == secret {
		t.Fatalf("CreateKey of the same name = %v; are the secrets equal? %t", err, other == secret)
	}
	got, err := e.Authenticate(t.Context(), secret)
	if want := (trilith.Identity{Name: "laptop", Tenant: "acme", Access: trilith.AccessWriter,
		KeyID: key.ID}); err != nil ||
		got != want {
		t.Errorf("Authenticate = %+v, %v, want %+v", got, err, want)
	}
	keys, err := e.Keys(t.Context())
	if diff := cmp.Diff(key, keys[0]); err != nil || len(keys) != 2 || diff != "" {
		t.Errorf("Keys = %d keys, %v, the first (-made +listed):\n%s", len(keys), err, diff)
	}

	for range 2 { // again changes nothing
		if err := e.RevokeKey(t.Context(), key.ID); err != nil {
			t.Fatalf("RevokeKey = %v", err)
		}
	}
	var messages []string
	for _, c := range []struct{ why, secret string }{
		{"a revoked key opens nothing", secret}, {"nor an unknown one", secret + "x"}, {"nor none", ""},
		{"nor a key's id", string(key.ID)},
	} {
		id, err := e.Authenticate(t.Context(), c.secret)
		rig.WantError(t, c.why+": Authenticate", err, trilith.Unauthenticated, "API key")
		if err != nil {
			messages = append(messages, err.Error())
		}
		if id != (trilith.Identity{}) {
			t.Errorf("%s: Authenticate answers %+v beside the error", c.why, id)
		}
	}
	for _, m := range messages[1:] {
		if m != messages[0] {
			t.Errorf("a guesser learns which keys existed: %q and %q", messages[0], m)
		}
	}
	if _, err := e.Authenticate(t.Context(), other); err != nil {
		t.Errorf("revoking one key took another along: %v", err)
	}
	if has, err := e.HasKeys(t.Context()); !has || err != nil {
		t.Errorf("HasKeys after revoking = %t, %v: an open memory without keys is everybody's", has, err)
	}
	rig.WantError(t, "RevokeKey(unknown)", e.RevokeKey(t.Context(), trilith.DeriveID("unknown")), trilith.NotFound, "key")
	rig.WantError(t, "RevokeKey(no id)", e.RevokeKey(t.Context(), "laptop"), trilith.Invalid, "id")
	if file := e.Exported(t, rig.Acme); strings.Contains(file, "laptop") {
		t.Errorf("an export of a tenant holds keys: %s", file)
	}
}

func TestCreateKeyRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, c := range []struct {
		why, name, tenant string
		access            trilith.Access
		names             string
	}{
		{"a key without a name cannot be told from others", "", "acme", trilith.AccessReader, "name"},
		{"a line break forges a line of the log", "a\nb", "acme", trilith.AccessReader, "name"},
		{"a name over the limit", strings.Repeat("n", 256), "acme", trilith.AccessReader, "name"},
		{"a key to our own records", "n", trilith.SystemTenant, trilith.AccessAdmin, "tenant"},
		{"a key to no tenant", "n", "", trilith.AccessAdmin, "tenant"},
		{"rights that do not exist", "n", "acme", "root", "access"},
	} {
		_, _, err := e.CreateKey(t.Context(), trilith.APIKeyRequest{Name: c.name, Tenant: c.tenant, Access: c.access})
		rig.WantError(t, c.why+": CreateKey", err, trilith.Invalid, c.names)
	}
	if has, err := e.HasKeys(t.Context()); has || err != nil {
		t.Errorf("HasKeys = %t, %v: a refused key was stored", has, err)
	}
}

// TestKeysAreNoNames: whatever is a name or a scope value is shown, listed and exported as it is. So nothing may be
// called by a key: not by this program's, and not by another issuer's.
func TestKeysAreNoNames(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	request := trilith.APIKeyRequest{Name: "laptop", Tenant: "acme", Access: trilith.AccessWriter}
	own, _, err := e.CreateKey(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{own, "ghp_" + strings.Repeat("a1B2", 9)} {
		for _, s := range []trilith.Scope{{Project: secret}, {Domain: secret}, {User: "u-" + secret}, {Agent: secret},
			{Session: secret}, {Channel: secret}} {
			s.Tenant = "acme"
			_, err := e.Remember(t.Context(), s, trilith.RememberRequest{Text: "The crane is here."})
			rig.WantError(t, "Remember", err, trilith.Invalid, "holds a key")
			_, err = e.Recall(t.Context(), s, trilith.RecallRequest{Query: "crane"})
			rig.WantError(t, "Recall", err, trilith.Invalid, "holds a key")
			bound := request
			bound.Scope = s
			_, _, err = e.CreateKey(t.Context(), bound)
			rig.WantError(t, "CreateKey for a scope", err, trilith.Invalid, "holds a key")
		}
		in := trilith.Scope{Tenant: "acme", User: "ana"}
		named := request
		named.Name = secret
		_, _, err := e.CreateKey(t.Context(), named)
		rig.WantError(t, "CreateKey", err, trilith.Invalid, "name: holds a key")
		_, err = e.SaveSearch(t.Context(), in, trilith.SearchRequest{Name: secret, Of: trilith.SearchMemories, Query: "x"})
		rig.WantError(t, "SaveSearch", err, trilith.Invalid, "name: holds a key")
		_, err = e.PutObject(t.Context(), in, trilith.Object{Type: "t", Name: secret}, false)
		rig.WantError(t, "PutObject", err, trilith.Invalid, "name: holds a key")
		if strings.Contains(e.Exported(t, in), secret) {
			t.Errorf("%.6s… was stored", secret)
		}
	}
}
