package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

func TestRights(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	keys := map[string]string{"none": "", "unknown": "trilith_nobody_made_this"}
	for _, a := range []trilith.Access{trilith.AccessReader, trilith.AccessWriter, trilith.AccessAdmin} {
		keys[string(a)] = e.key(t, "acme", a)
	}
	keys["operator"] = e.key(t, rest.LocalTenant, trilith.AccessAdmin)
	id := string(unknownID)
	for _, op := range []struct {
		request, body string
		need          string // the least right
	}{
		{"GET /api/v1/memories", "", "reader"},
		{"GET /api/v1/memories/" + id, "", "reader"},
		{"GET /api/v1/memories/" + id + "?view=history", "", "reader"},
		{"POST /api/v1/search", `{"query":"x"}`, "reader"},
		{"POST /api/v1/context", `{"query":"x"}`, "reader"},
		{"GET /api/v1/graph/entities", "", "reader"},
		{"GET /api/v1/graph/entities/" + id, "", "reader"},
		{"GET /api/v1/graph/entities/" + id + "?view=history", "", "reader"},
		{"GET /api/v1/graph/entities/" + id + "?view=neighborhood&hops=1", "", "reader"},
		{"PATCH /api/v1/graph/entities/" + id, `{"name":"x"}`, "writer"},
		{"POST /api/v1/graph/entities/" + id + "/merge", `{"from":"` + id + `"}`, "writer"},
		{"POST /api/v1/graph/entities/" + id + "/split", `{"merged":"` + id + `"}`, "writer"},
		{"GET /api/v1/graph/entities/lookup?type=name&value=x", "", "reader"},
		{"GET /api/v1/graph/entities/lookup?view=summary&type=name&value=x", "", "reader"},
		{"POST /api/v1/graph/assimilate", `{"identifier":{"type":"name","value":"x"},"content":"x"}`, "writer"},
		{"GET /api/v1/jobs", "", "reader"},
		{"GET /api/v1/jobs/" + id, "", "reader"},
		{"POST /api/v1/memories", `{"text":"x"}`, "writer"},
		{"PATCH /api/v1/memories/" + id, `{"tags":["x"]}`, "writer"},
		{"DELETE /api/v1/memories/" + id, "", "writer"},
		{"POST /api/v1/forget", `{"ids":["` + id + `"]}`, "writer"},
		{"POST /api/v1/jobs/" + id + "/retry", "", "writer"},
		{"DELETE /api/v1/memories/" + id + "?erase=true", "", "admin"},
		{"POST /api/v1/admin/erase", `{"ids":["` + id + `"]}`, "admin"},
		{"GET /api/v1/admin?view=audit", "", "admin"},
		{"GET /api/v1/admin/keys", "", "admin"},
		{"POST /api/v1/admin/keys", `{"name":"n","access":"reader"}`, "admin"},
		{"DELETE /api/v1/admin/keys/" + id, "", "admin"},
		{"GET /api/v1/export", "", "admin"},
		{"POST /api/v1/import", "", "admin"},
		{"POST /api/v1/admin/jobs?do=reindex", "", "operator"},
		{"GET /api/v1/admin?view=vectors", "", "operator"},
		{"GET /api/v1/admin?view=doctor", "", "operator"},
		{"POST /api/v1/admin/jobs?do=repair", "", "operator"},
		{"POST /api/v1/admin/jobs?do=backup", `{"path":"x"}`, "operator"},
	} {
		order := []string{"reader", "writer", "admin", "operator"}
		rank := func(name string) int {
			for i, o := range order {
				if o == name {
					return i
				}
			}
			return -1
		}
		for who, secret := range keys {
			method, target, _ := strings.Cut(op.request, " ")
			headers := []string{}
			if secret != "" {
				headers = []string{"Authorization", "Bearer " + secret}
			}
			got := e.do(method, target, op.body, headers...)
			switch {
			case rank(who) < 0:
				if got.status != 401 || got.header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("%s with key %s = %d, want 401 with a challenge", op.request, who, got.status)
				}
			case rank(who) < rank(op.need):
				if got.status != 403 {
					t.Errorf("%s with key %s = %d, want 403", op.request, who, got.status)
				}
			case got.status == 401 || got.status == 403:
				t.Errorf("%s with key %s = %d %s, want to be let in", op.request, who, got.status, got.body)
			}
		}
	}
}

func TestKeyHeaders(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	secret := e.key(t, "acme", trilith.AccessReader)
	for _, tc := range []struct {
		name, value string
		status      int
	}{
		{"Authorization", "Bearer " + secret, 200},
		{"Authorization", "bearer   " + secret + " ", 200},
		{"Authorization", "Token " + secret, 200},
		{"Authorization", "tOKEN  " + secret, 200},
		{"Authorization", "Api-Key " + secret, 200},
		{"Authorization", "api-key " + secret, 200},
		{"Authorization", "API-KEY " + secret, 200},
		{"X-API-Key", secret, 200},
		{"Authorization", "ApiKey " + secret, 401},
		{"Authorization", "Token" + secret, 401},
		{"Authorization", "Token ", 401},
		{"Authorization", "Api-Key " + secret + "x", 401},
		{"Authorization", secret, 401},
		{"Authorization", "Basic " + secret, 401},
		{"Authorization", "Bearer ", 401},
		{"Authorization", "Bearer " + secret + "x", 401},
	} {
		if got := e.do("GET", "/api/v1/memories", "", tc.name, tc.value); got.status != tc.status {
			t.Errorf("%s: %q = %d, want %d", tc.name, strings.Replace(tc.value, secret, "KEY", 1),
				got.status, tc.status)
		}
	}
}

func TestStrangersSendNoBody(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	if got := e.do("POST", "/api/v1/search", "{"); got.status != 401 {
		t.Errorf("a broken body without a key = %d, want 401: who asks comes first", got.status)
	}
}

func TestTenantComesFromTheKey(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	north := []string{"Authorization", "Bearer " + e.key(t, "north", trilith.AccessAdmin)}
	south := []string{"Authorization", "Bearer " + e.key(t, "south", trilith.AccessAdmin)}
	got := e.do("POST", "/api/v1/memories", `{"text":"the well is behind the mill"}`, north...)
	var stored trilith.RememberResult
	if err := json.Unmarshal([]byte(got.body), &stored); err != nil || len(stored.Memories) != 1 {
		t.Fatalf("POST /memories = %d %s", got.status, got.body)
	}
	path := "/api/v1/memories/" + string(stored.Memories[0].ID)
	for _, request := range []string{"GET " + path, "GET " + path + "/history", "DELETE " + path, "DELETE " + path +
		"?erase=true"} {
		method, target, _ := strings.Cut(request, " ")
		if got := e.do(method, target, "", south...); got.status != 404 {
			t.Errorf("%s from another tenant = %d, want 404", request, got.status)
		}
	}
	if got := e.do("POST", "/api/v1/search", `{"query":"well behind the mill"}`, south...); !strings.Contains(
		got.body, `"hits":[]`) {
		t.Errorf("POST /search from another tenant = %s", got.body)
	}
	if got := e.do("GET", path, "", north...); got.status != 200 {
		t.Errorf("GET by the owner = %d %s", got.status, got.body)
	}
	audit := e.do("GET", "/api/v1/admin?view=audit", "", north...)
	if !strings.Contains(audit.body, `"actor":"north admin"`) {
		t.Errorf("the audit does not name the key: %s", audit.body)
	}
}

func TestKeysOfOtherTenants(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	north := []string{"Authorization", "Bearer " + e.key(t, "north", trilith.AccessAdmin)}
	south := []string{"Authorization", "Bearer " + e.key(t, "south", trilith.AccessAdmin)}
	var made struct {
		Key    trilith.APIKey
		Secret string
	}
	got := e.do("POST", "/api/v1/admin/keys", `{"name":"bot","access":"writer"}`, north...)
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || made.Key.Tenant != "north" || made.Secret == "" {
		t.Fatalf("POST /admin/keys = %d %s, want a key of the maker's tenant", got.status, got.body)
	}
	if got := e.do("POST", "/api/v1/admin/keys", `{"name":"bot","access":"writer","tenant":"north"}`,
		south...); got.status != 400 {
		t.Errorf("POST /admin/keys for another tenant = %d, want 400", got.status)
	}
	if got := e.do("GET", "/api/v1/admin/keys", "", south...); strings.Contains(got.body, "north") {
		t.Errorf("GET /admin/keys shows keys of another tenant: %s", got.body)
	}
	path := "/api/v1/admin/keys/" + string(made.Key.ID)
	if got := e.do("DELETE", path, "", south...); got.status != 404 {
		t.Errorf("DELETE of another tenant's key = %d, want 404", got.status)
	}
	bot := []string{"X-API-Key", made.Secret}
	if got := e.do("GET", "/api/v1/memories", "", bot...); got.status != 200 {
		t.Errorf("the new key gets %d, want 200", got.status)
	}
	if got := e.do("DELETE", path, "", north...); got.status != 200 || !strings.Contains(got.body, "revoked_at") {
		t.Errorf("DELETE of an own key = %d %s, want it revoked", got.status, got.body)
	}
	if got := e.do("GET", "/api/v1/memories", "", bot...); got.status != 401 {
		t.Errorf("the revoked key gets %d, want 401", got.status)
	}
	if got := e.do("GET", "/api/v1/admin/keys", "", north...); strings.Contains(got.body, made.Secret) {
		t.Error("GET /admin/keys shows a secret")
	}
}

func TestLocalEndsWithTheFirstKey(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	if got := e.do("GET", "/api/v1/memories", ""); got.status != 200 {
		t.Fatalf("without keys: %d %s, want 200", got.status, got.body)
	}
	got := e.do("POST", "/api/v1/admin/keys", `{"name":"me","access":"admin"}`)
	var made struct {
		Key    trilith.APIKey
		Secret string
	}
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || made.Key.Tenant != rest.LocalTenant {
		t.Fatalf("POST /admin/keys = %d %s", got.status, got.body)
	}
	if got := e.do("GET", "/api/v1/memories", ""); got.status != 401 {
		t.Errorf("after the first key, without it: %d, want 401", got.status)
	}
	if got := e.do("DELETE", "/api/v1/admin/keys/"+string(made.Key.ID), "", "X-API-Key",
		made.Secret); got.status != 200 {
		t.Fatalf("DELETE /admin/keys = %d %s", got.status, got.body)
	}
	if got := e.do("GET", "/api/v1/memories", ""); got.status != 401 {
		t.Errorf("after the last key was revoked: %d, want 401: revoking never widens access", got.status)
	}

	keyed := open(t, rest.Config{Local: true})
	keyed.key(t, "acme", trilith.AccessReader)
	if got := keyed.do("GET", "/api/v1/memories", ""); got.status != 401 {
		t.Errorf("a local listener over a store with keys: %d, want 401", got.status)
	}
}

func TestWebPagesAreKeptOut(t *testing.T) {
	t.Parallel()
	local := open(t, rest.Config{Local: true})
	keyed := open(t, rest.Config{})
	key := keyed.key(t, "acme", trilith.AccessReader)
	for _, tc := range []struct {
		host, origin string
		status       int
	}{
		{"localhost:7700", "", 200},
		{"LOCALHOST", "", 200},
		{"localhost.", "", 200},
		{"trilith.localhost:7700", "", 200},
		{"127.0.0.1:7700", "", 200},
		{"127.8.9.10", "", 200},
		{"[::1]:7700", "", 200},
		{"[::1]", "", 200},
		{"localhost:7700", "http://localhost:7700", 200},
		{"evil.example", "", 403},
		{"evil.example:7700", "http://evil.example:7700", 403},
		{"localhost.evil.example", "", 403},
		{"127.0.0.1.evil.example", "", 403},
		{"192.168.1.5:7700", "", 403},
		{"[::ffff:8.8.8.8]:7700", "", 403},
		{"", "", 403},
		{"localhost:7700", "https://evil.example", 403},
		{"localhost:7700", "http://localhost:3000", 403},
		{"localhost:7700", "null", 403},
	} {
		got := local.do("POST", "/api/v1/search", `{"query":"x"}`, "Host", tc.host, "Origin", tc.origin)
		if got.status != tc.status {
			t.Errorf("without keys, Host %q and Origin %q = %d, want %d", tc.host, tc.origin, got.status, tc.status)
		}
		got = keyed.do("POST", "/api/v1/search", `{"query":"x"}`, "Host", tc.host, "Origin", tc.origin,
			"X-API-Key", key)
		if got.status != 200 {
			t.Errorf("with a key, Host %q and Origin %q = %d, want 200: the key protects", tc.host,
				tc.origin, got.status)
		}
	}
}

// TestSecret: the key of the process itself has all rights, with any keys in the store, and no request works without a
// key.
func TestSecret(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Secret: "of-this-process", Local: true})
	for header, want := range map[string]int{"": 401, "Bearer of-this-proces": 401, "Bearer of-this-process": 200} {
		if got := e.do("GET", "/api/v1/admin?view=doctor", "", "Authorization", header); got.status != want {
			t.Errorf("GET /admin?view=doctor with %q = %d, want %d", header, got.status, want)
		}
	}
	reader := e.key(t, rest.LocalTenant, trilith.AccessReader)
	if got := e.do("GET", "/api/v1/memories", "", "Authorization", "Bearer "+reader); got.status != 200 {
		t.Errorf("GET /memories with a key of the store = %d, want 200", got.status)
	}
}
