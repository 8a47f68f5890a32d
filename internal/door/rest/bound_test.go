package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// A key that is bound to Ana reaches what is hers, and nothing else of the API.
func TestBoundKey(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	admin := []string{"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessAdmin)}
	var made struct {
		Key    trilith.APIKey
		Secret string
	}
	got := e.do("POST", "/api/v1/admin/keys", `{"name":"page","access":"writer","scope":{"user":"ana"},
		"expires_at":"2999-01-01T00:00:00Z"}`, admin...)
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || made.Key.Scope == nil ||
		made.Key.Scope.User != "ana" || made.Key.ExpiresAt == nil {
		t.Fatalf("POST /admin/keys = %d %s", got.status, got.body)
	}
	ana := []string{"Authorization", "Bearer " + made.Secret}
	for _, user := range []string{"ana", "ben"} {
		if got := e.do("POST", "/api/v1/memories", `{"user":"`+user+`","text":"`+user+` likes the harbour"}`,
			admin...); got.status != 200 {
			t.Fatalf("POST /memories = %d %s", got.status, got.body)
		}
	}
	for _, tc := range []struct {
		method, path, body string
		status             int
		holds, lacks       string
	}{
		{"GET", "/me", "", 200, `"scope":{"user":"ana"}`, ""},
		{"GET", "/memories", "", 200, "ana likes", "ben likes"},
		{"GET", "/memories?user=ana", "", 200, "ana likes", "ben likes"},
		{"GET", "/memories?user=ben", "", 403, "user: the key is bound to another;", "ben likes"},
		{"POST", "/search", `{"query":"harbour"}`, 200, "ana likes", "ben likes"},
		{"POST", "/search", `{"query":"harbour","user":"ben"}`, 403, "user", "ben likes"},
		{"POST", "/memories", `{"user":"ben","text":"Ben owes me money."}`, 403, "user", ""},
		{"GET", "/jobs", "", 403, "tenant", ""},
		{"GET", "/stats?view=usage", "", 403, "tenant", ""},
		{"GET", "/export", "", 403, "admin", ""},
		{"GET", "/admin?view=audit", "", 403, "admin", ""},
		{"POST", "/admin/keys", `{"name":"more","access":"reader"}`, 403, "admin", ""},
	} {
		got := e.do(tc.method, "/api/v1"+tc.path, tc.body, ana...)
		if got.status != tc.status || !strings.Contains(got.body, tc.holds) ||
			tc.lacks != "" && strings.Contains(got.body, tc.lacks) {
			t.Errorf("%s %s with the key of Ana = %d %s, want %d with %q and without %q", tc.method, tc.path, got.status,
				got.body, tc.status, tc.holds, tc.lacks)
		}
	}
}
