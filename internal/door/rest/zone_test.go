package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

// The days of the client's callers are theirs.
func TestDaysThroughTheClient(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	scenario.Days(t, client.New(srv.URL), nil)
}

// A request names its time zone in its body or query, for all calls in a header, or has that of its key; the nearest wins.
func TestTimeZones(t *testing.T) {
	t.Parallel()
	s := open(t, rest.Config{})
	admin := s.key(t, "acme", trilith.AccessAdmin)
	made := s.do(http.MethodPost, "/api/v1/admin/keys",
		`{"name": "phone", "access": "writer", "scope": {"user": "ana", "time_zone": "Asia/Tokyo"}}`, "Authorization", "Bearer "+admin)
	var key struct {
		Secret string `json:"secret"`
	}
	if err := json.Unmarshal([]byte(made.body), &key); err != nil || made.status != http.StatusOK {
		t.Fatalf("a key with a time zone: %d %s %v", made.status, made.body, err)
	}
	const header = "X-Trilith-Time-Zone"
	for name, c := range map[string]struct {
		query, member string
		headers       []string
		want          string // offset of what is said at noon of 1 July
	}{
		"key":    {"", "", nil, "+09:00"},
		"header": {"", "", []string{header, "Europe/Berlin"}, "+02:00"},
		"body":   {"", `, "time_zone": "America/New_York"`, []string{header, "Europe/Berlin"}, "-04:00"},
		"offset": {"", `, "time_zone": "+05:30"`, nil, "+05:30"},
	} {
		got := s.do(http.MethodPost, "/api/v1/memories", `{"text": "`+name+` is said at noon.", "timestamp": "2026-07-01T12:00:00"`+
			c.member+`}`, append([]string{"Authorization", "Bearer " + key.Secret}, c.headers...)...)
		if want := `"2026-07-01T12:00:00` + c.want + `"`; got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s; want the event time %s", name, got.status, got.body, want)
		}
	}
	got := s.do(http.MethodPost, "/api/v1/batch", `{"time_zone": "Europe/Berlin", "operations": [
		{"remember": {"text": "One is said at noon.", "timestamp": "2026-07-01T12:00:00"}},
		{"scope": {"time_zone": "Asia/Kolkata"}, "remember": {"text": "Two is said at noon.", "timestamp": "2026-07-01T12:00:00"}}]}`,
		"Authorization", "Bearer "+key.Secret)
	for _, want := range []string{"12:00:00+02:00", "12:00:00+05:30"} {
		if strings.Count(got.body, `"user":"ana"`) != 2 || !strings.Contains(got.body, want) {
			t.Errorf("a batch: %d %s; want two of ana, one at %s", got.status, got.body, want)
		}
	}
	if got := s.do(http.MethodGet, "/api/v1/me", "", "Authorization", "Bearer "+admin, header, "Asia/Tokyo"); strings.Contains(got.body, "scope") {
		t.Errorf("who calls from somewhere is %s, want no scope that the key is bound to", got.body)
	}
	for name, c := range map[string]struct {
		target, body string
		headers      []string
	}{
		"body":   {"/api/v1/memories", `{"text": "x", "time_zone": "Berlin"}`, nil},
		"blank":  {"/api/v1/memories", `{"text": "x", "time_zone": ""}`, nil},
		"header": {"/api/v1/memories", `{"text": "x"}`, []string{header, "Mars/Olympus"}},
		"key":    {"/api/v1/admin/keys", `{"name": "y", "access": "reader", "scope": {"time_zone": "Nowhere"}}`, nil},
	} {
		got := s.do(http.MethodPost, c.target, c.body, append([]string{"Authorization", "Bearer " + admin}, c.headers...)...)
		if got.status != http.StatusBadRequest || !strings.Contains(strings.ToLower(got.body), "time") {
			t.Errorf("%s: a zone that does not exist: %d %s; want 400 with the name of the field", name, got.status, got.body)
		}
	}
	got = s.do(http.MethodGet, "/api/v1/memories?time_zone=Berlin", "", "Authorization", "Bearer "+admin)
	if got.status != http.StatusBadRequest {
		t.Errorf("a zone that does not exist, in the query: %d %s", got.status, got.body)
	}
}
