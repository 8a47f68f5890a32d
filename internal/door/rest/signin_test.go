package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
)

// page are the headers that a browser sends with a request of the server's own page.
func page(cookie string) []string {
	h := []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://localhost:7700"}
	if cookie != "" {
		h = append(h, "Cookie", cookie)
	}
	return h
}

// signIn signs a browser in and returns its cookie as the browser sends it.
func (e *edge) signIn(t *testing.T, body string) string {
	t.Helper()
	got := e.do("POST", "/api/v1/session", body, page("")...)
	if got.status != http.StatusOK {
		t.Fatalf("POST /session = %d %s", got.status, got.body)
	}
	cookie, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
	return cookie
}

func (e *edge) signInWith(t *testing.T, key string) string {
	t.Helper()
	return e.signIn(t, `{"key":"`+key+`"}`)
}

// TestSignIn: a cookie represents its key, is bound to the host, is hidden from scripts, and ends when the browser
// signs out.
func TestSignIn(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	key := e.key(t, "acme", trilith.AccessWriter)
	for _, c := range []struct{ host, name string }{{"localhost:7700", "trilith-7700="},
		{"127.0.0.1:80", "trilith-80="},
		{"memory.example", "__Host-trilith="}} {
		got := e.do("POST", "/api/v1/session", `{"key":"`+key+`"}`, "Host", c.host)
		set := got.header.Get("Set-Cookie")
		for _, want := range []string{c.name, "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"} {
			if !strings.Contains(set, want) {
				t.Errorf("POST /session on %s sets %q, want it to hold %q", c.host, set, want)
			}
		}
		if secure := strings.Contains(set, "; Secure"); secure != (c.name == "__Host-trilith=") {
			t.Errorf("POST /session on %s sets %q, Secure: %v", c.host, set, secure)
		}
		if strings.Contains(set, key) || strings.Contains(got.body, key) {
			t.Errorf("POST /session on %s repeats the key", c.host)
		}
	}
	cookie := e.signInWith(t, key)
	var me trilith.Me
	if got := e.do("GET", "/api/v1/me", "", page(cookie)...); got.status != 200 ||
		json.Unmarshal([]byte(got.body), &me) != nil || me.Tenant != "acme" || me.Access != trilith.AccessWriter {
		t.Errorf("GET /me = %d %s, want the writer of acme", got.status, got.body)
	}
	if got := e.do("DELETE", "/api/v1/session", "", page(cookie)...); got.status != 200 ||
		!strings.Contains(got.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("DELETE /session = %d, sets %q", got.status, got.header.Get("Set-Cookie"))
	}
	if got := e.do("GET", "/api/v1/me", "", page(cookie)...); got.status != 401 {
		t.Errorf("GET /me after signing out = %d, want 401", got.status)
	}
}

// TestSignInIsRefused: a caller without a key that lets in stays out, and one that guesses has to wait.
func TestSignInIsRefused(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	e.key(t, "acme", trilith.AccessReader)
	for _, c := range []struct {
		body   string
		status int
	}{{`{"key":"trilith_nobody"}`, 401}, {`{"link":"nobody"}`, 401}, {`{}`, 400}, {`{"key":"a","link":"b"}`, 400}} {
		if got := e.do("POST", "/api/v1/session", c.body, page("")...); got.status != c.status ||
			got.header.Get("Set-Cookie") != "" {
			t.Errorf("POST /session %s = %d %q, want %d and no cookie", c.body, got.status,
				got.header.Get("Set-Cookie"), c.status)
		}
	}
	for i := range 10 {
		got := e.do("POST", "/api/v1/session", `{"key":"trilith_guess"}`, page("")...)
		if want := map[bool]int{true: 401, false: 429}[i < 6]; got.status != want { // four came before
			t.Errorf("attempt %d = %d, want %d", i+5, got.status, want)
		}
	}
}

// TestSignInLink: a link signs in once, within its minute.
func TestSignInLink(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	e := open(t, rest.Config{}, func(c *engine.Config) { c.Now = clock.Now })
	e.key(t, "acme", trilith.AccessReader)
	link, err := e.engine.SignInLink(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if got := e.do("GET", "/api/v1/me", "", page("trilith-7700="+link)...); got.status != 401 {
		t.Errorf("a link used as a cookie = %d, want 401", got.status)
	}
	cookie := e.signIn(t, `{"link":"`+link+`"}`)
	if got := e.do("GET", "/api/v1/admin/keys", "", page(cookie)...); got.status != 200 {
		t.Errorf("GET /admin/keys after a link = %d, want 200", got.status)
	}
	if got := e.do("POST", "/api/v1/session", `{"link":"`+link+`"}`, page("")...); got.status != 401 {
		t.Errorf("the same link again = %d, want 401", got.status)
	}
	late, err := e.engine.SignInLink(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(trilith.SignInLinkLife)
	if got := e.do("POST", "/api/v1/session", `{"link":"`+late+`"}`, page("")...); got.status != 401 {
		t.Errorf("a link of a minute ago = %d, want 401", got.status)
	}
}

// TestSignInEnds: a sign-in that is used lives on, one that is not ends, and none outlives its week or its key.
func TestSignInEnds(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	e := open(t, rest.Config{}, func(c *engine.Config) { c.Now = clock.Now })
	secret, k, err := e.engine.CreateKey(t.Context(),
		trilith.APIKeyRequest{Name: "phone", Tenant: "acme", Access: trilith.AccessReader})
	if err != nil {
		t.Fatal(err)
	}
	used, idle := e.signInWith(t, secret), e.signInWith(t, secret)
	status := func(cookie string) int { return e.do("GET", "/api/v1/me", "", page(cookie)...).status }
	for range 2 {
		clock.Advance(trilith.SignInIdle - time.Hour)
		if got := status(used); got != 200 {
			t.Errorf("%v: a sign-in that is used = %d, want 200", clock.Now(), got)
		}
	}
	if got := status(idle); got != 401 {
		t.Errorf("a sign-in that nobody used = %d, want 401", got)
	}
	for range 16 {
		clock.Advance(trilith.SignInIdle - time.Hour)
		status(used)
	}
	if got := status(used); got != 401 {
		t.Errorf("a sign-in of more than a week ago = %d, want 401", got)
	}
	last := e.signInWith(t, secret)
	if err := e.engine.RevokeKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	if got := status(last); got != 401 {
		t.Errorf("a sign-in whose key was revoked = %d, want 401", got)
	}
}

// TestCookieCountsForOwnPages: a cookie counts only if a page of this server sent the request, for every way in which
// another site's page can make a browser send one.
func TestCookieCountsForOwnPages(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	cookie := e.signInWith(t, e.key(t, "acme", trilith.AccessAdmin))
	for _, r := range []struct{ method, path, body string }{
		{"GET", "/api/v1/memories", ""}, {"GET", "/api/v1/export", ""}, {"POST", "/api/v1/search", `{"query":"x"}`},
		{"POST", "/api/v1/memories", `{"text":"x"}`}, {"PUT", "/api/v1/settings?of=languages", `{"languages":["en"]}`},
		{"PATCH", "/api/v1/memories/" + string(unknownID), `{"tags":["x"]}`},
		{"DELETE", "/api/v1/memories/" + string(unknownID), ""},
		{"POST", "/api/v1/imports", "--x--"}, {"GET", "/api/v1/imports", ""},
	} {
		for _, origin := range []string{"", "http://localhost:7700", "http://localhost:3000",
			"https://evil.example", "null"} {
			for _, site := range []string{"", "none", "same-origin", "same-site", "cross-site", "Same-Origin"} {
				for _, kind := range []string{"application/json", "text/plain",
					"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
					headers := []string{"Cookie", cookie, "Content-Type", kind}
					if origin != "" {
						headers = append(headers, "Origin", origin)
					}
					if site != "" {
						headers = append(headers, "Sec-Fetch-Site", site)
					}
					own := site == "same-origin" && (origin == "" || origin == "http://localhost:7700") &&
						(r.body == "" || kind == "application/json" ||
							r.path == "/api/v1/imports" && strings.HasPrefix(kind, "multipart/"))
					got := e.do(r.method, r.path, r.body, headers...)
					if refused := got.status == 403; refused == own || got.status == 401 {
						t.Errorf("%s %s, Origin %q, Sec-Fetch-Site %q, %q = %d %.100s; want it let in: %v", r.method,
							r.path, origin, site, kind, got.status, got.body, own)
					}
				}
			}
		}
	}
}

// TestSigningInIsForOwnPages: another site can sign nobody in, which would show them a memory that is not theirs.
func TestSigningInIsForOwnPages(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	body := `{"key":"` + e.key(t, "acme", trilith.AccessAdmin) + `"}`
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Content-Type", "text/plain"},
		{"Content-Type", "application/x-www-form-urlencoded"}} {
		if got := e.do("POST", "/api/v1/session", body, headers...); got.status != 403 ||
			got.header.Get("Set-Cookie") != "" {
			t.Errorf("POST /session with %q = %d, sets %q; want 403", headers, got.status, got.header.Get("Set-Cookie"))
		}
	}
}

// TestCookieIsForTheAPI: agents and programs send keys. Their routes read no cookie, so that no page can make a
// browser call them.
func TestCookieIsForTheAPI(t *testing.T) {
	t.Parallel()
	e := openAll(t, rest.Config{})
	cookie := e.signInWith(t, e.key(t, rest.LocalTenant, trilith.AccessAdmin))
	ask := func(method, path, body string) {
		headers := append(page(cookie), "Accept", "application/json, text/event-stream")
		if got := e.do(method, path, body, headers...); got.status != 401 {
			t.Errorf("%s %s with a cookie = %d %.200s, want 401", method, path, got.status, got.body)
		}
	}
	ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	ask("GET", "/metrics", "")
	for _, o := range camel.Operations() {
		path := strings.NewReplacer("{id}", "12", "{projectId}", "12", "{factId}", "12").Replace(o.Path)
		ask(o.Method, path, map[bool]string{true: "", false: "{}"}[o.Method == "GET"])
	}
}

// TestSignedInRights: a page adds no right. It is a reader if its key is, and sees the tenant of its key.
func TestSignedInRights(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	acme := e.signInWith(t, e.key(t, "acme", trilith.AccessWriter))
	other := e.signInWith(t, e.key(t, "other", trilith.AccessAdmin))
	reader := e.signInWith(t, e.key(t, "acme", trilith.AccessReader))
	got := e.do("POST", "/api/v1/memories", `{"text":"The slate is green.","wait":"indexed"}`, page(acme)...)
	var stored trilith.RememberResult
	if got.status != 200 || json.Unmarshal([]byte(got.body), &stored) != nil {
		t.Fatalf("POST /memories = %d %s", got.status, got.body)
	}
	path := "/api/v1/memories/" + string(stored.Memories[0].ID)
	for _, c := range []struct {
		who, cookie, method, path, body string
		status                          int
	}{
		{"reader", reader, "GET", path, "", 200},
		{"reader", reader, "DELETE", path, "", 403},
		{"reader", reader, "PATCH", path, `{"tags":["x"]}`, 403},
		{"reader", reader, "POST", "/api/v1/memories", `{"text":"x"}`, 403},
		{"reader", reader, "GET", "/api/v1/admin/keys", "", 403},
		{"writer", acme, "GET", "/api/v1/admin/keys", "", 403},
		{"other tenant", other, "GET", path, "", 404},
		{"other tenant", other, "DELETE", path, "", 404},
		{"writer", acme, "DELETE", path, "", 200},
	} {
		if got := e.do(c.method, c.path, c.body, page(c.cookie)...); got.status != c.status {
			t.Errorf("%s: %s %s = %d %.200s, want %d", c.who, c.method, c.path, got.status, got.body, c.status)
		}
	}
	if got := e.do("POST", "/api/v1/search", `{"query":"slate"}`, page(other)...); strings.Contains(got.body, "green") {
		t.Errorf("another tenant finds what is not its own: %s", got.body)
	}
}

// TestFirstKeySignsIn: the maker of the first key of an open server goes on with it.
func TestFirstKeySignsIn(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	got := e.do("POST", "/api/v1/admin/keys", `{"name":"me","access":"admin"}`, page("")...)
	var made struct{ Secret string }
	if got.status != 200 || json.Unmarshal([]byte(got.body), &made) != nil || made.Secret == "" {
		t.Fatalf("POST /admin/keys = %d %s", got.status, got.body)
	}
	if got := e.do("GET", "/api/v1/me", "", page("")...); got.status != 401 {
		t.Errorf("GET /me after the first key = %d, want 401", got.status)
	}
	if got := e.do("GET", "/api/v1/admin/keys", "", page(e.signInWith(t, made.Secret))...); got.status != 200 {
		t.Errorf("GET /admin/keys by who has made the first key = %d, want 200", got.status)
	}
}
