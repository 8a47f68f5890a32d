package rest_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
)

// callers are the keys of a test: of an admin and a reader of acme, of those bound to a user of it, and of another
// tenant.
func (e *edge) callers(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{
		"admin":  {"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessAdmin)},
		"reader": {"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessReader)},
		"other":  {"Authorization", "Bearer " + e.key(t, "other", trilith.AccessAdmin)},
	}
	for _, user := range []string{"ana", "ben"} {
		secret, _, err := e.engine.CreateKey(t.Context(), trilith.APIKeyRequest{Name: user, Tenant: "acme",
			Access: trilith.AccessWriter, Scope: trilith.Scope{User: user}})
		if err != nil {
			t.Fatal(err)
		}
		out[user] = []string{"Authorization", "Bearer " + secret}
	}
	return out
}

// call asks a route as a caller, and decodes the answer if it is to be one.
func (e *edge) call(t *testing.T, who []string, method, path, body string, status int, into any) answer {
	t.Helper()
	got := e.do(method, "/api/v1"+path, body, who...)
	if got.status != status {
		t.Fatalf("%s %s %s = %d %s, want %d", method, path, body, got.status, got.body, status)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(got.body), into); err != nil {
			t.Fatalf("%s %s = %s: %v", method, path, got.body, err)
		}
	}
	return got
}

// TestSearchRoutes walks through every route of searches and alerts as their owner, as somebody who is bound to another
// user, and as another tenant: these see nothing, not even that there is something.
func TestSearchRoutes(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	keys := e.callers(t)
	var q trilith.SavedSearch
	e.call(t, keys["ana"], "POST", "/searches", `{"name":"harbour","of":"memories","query":"harbour"}`, 200, &q)
	if q.ID == "" || q.Scope.User != "ana" || q.Version != 1 || len(q.Alerts) != 2 {
		t.Errorf("POST /searches = %+v", q)
	}
	path := "/searches/" + string(q.ID)
	e.call(t, keys["ana"], "POST", "/searches", `{"name":"harbour"}`, 409, nil)
	e.call(t, keys["reader"], "POST", "/searches", `{"name":"mine"}`, 403, nil)
	e.call(t, keys["ana"], "POST", "/searches", `{"name":"away","user":"ben"}`, 403, nil)
	note := e.note(t, "ana", "Ana likes the harbour.", keys["admin"]...)
	e.note(t, "ben", "Ben likes the harbour.", keys["admin"]...)
	if err := e.engine.RunSearches(t.Context()); err != nil {
		t.Fatal(err)
	}
	var page trilith.AlertPage
	e.call(t, keys["ana"], "GET", "/alerts?open=true", "", 200, &page)
	if len(page.Items) != 1 || page.Items[0].MemoryID != note || page.Items[0].Search != q.ID {
		t.Fatalf("GET /alerts = %+v, want one about %s", page, note)
	}
	ack := `{"ids":["` + string(page.Items[0].ID) + `"]}`
	for _, name := range []string{"ben", "other"} {
		who := keys[name]
		for _, list := range []string{"/searches", "/alerts", "/alerts?search=" + string(q.ID)} {
			var got struct{ Items []json.RawMessage }
			if e.call(t, who, "GET", list, "", 200, &got); len(got.Items) != 0 {
				t.Errorf("GET %s of %s = %s, want none", list, name, got.Items)
			}
		}
		for _, c := range []struct{ method, path, body string }{
			{"GET", path, ""}, {"PUT", path, `{"name":"harbour","query":"hills"}`}, {"DELETE", path, ""},
			{"POST", "/alerts/acknowledge", ack},
		} {
			got := e.call(t, who, c.method, c.path, c.body, 404, nil)
			if strings.Contains(got.body, "harbour") {
				t.Errorf("%s %s of %s tells %s", c.method, c.path, name, got.body)
			}
		}
	}
	for _, list := range []string{"/searches?user=ana", "/alerts?user=ana", path + "?user=ana"} {
		e.call(t, keys["ben"], "GET", list, "", 403, nil)
	}
	for _, list := range []string{"/searches", "/alerts", path} {
		e.call(t, nil, "GET", list, "", 401, nil)
	}
	e.call(t, keys["reader"], "POST", "/alerts/acknowledge", ack, 403, nil)
	e.call(t, keys["reader"], "DELETE", path, "", 403, nil)
	e.call(t, keys["reader"], "PUT", path, `{"name":"harbour"}`, 403, nil)
	var all trilith.Searches
	if e.call(t, keys["reader"], "GET", "/searches", "", 200, &all); len(all.Items) != 1 {
		t.Errorf("GET /searches of the tenant = %+v", all)
	}
	var n trilith.Acknowledged
	if e.call(t, keys["ana"], "POST", "/alerts/acknowledge", ack, 200, &n); n.Acknowledged != 1 {
		t.Errorf("POST /alerts/acknowledge = %+v", n)
	}
	if e.call(t, keys["ana"], "GET", "/alerts?open=true", "", 200, &page); len(page.Items) != 0 {
		t.Errorf("open alerts after they were seen = %+v", page)
	}
	e.call(t, keys["ana"], "PUT", path, `{"name":"harbour","of":"memories","query":"hills","version":7}`, 409, nil)
	var changed trilith.SavedSearch
	e.call(t, keys["ana"], "PUT", path, `{"name":"harbour","of":"memories","query":"hills","version":1}`, 200, &changed)
	if changed.Version != 2 || changed.Query != "hills" || changed.Name != "harbour" {
		t.Errorf("PUT %s = %+v", path, changed)
	}
	if e.call(t, keys["ana"], "GET", path, "", 200, &q); q.Query != "hills" {
		t.Errorf("GET %s = %+v", path, q)
	}
	e.call(t, keys["ana"], "DELETE", path, "", 200, nil)
	e.call(t, keys["ana"], "GET", path, "", 404, nil)
	if e.call(t, keys["admin"], "GET", "/alerts", "", 200, &page); len(page.Items) != 0 {
		t.Errorf("alerts of a search that is gone = %+v", page)
	}
}

// TestSearchRoutesRefuse: an invalid search is refused with the name of the field. An address is never accepted as the
// name of a webhook.
func TestSearchRoutesRefuse(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true}, func(c *engine.Config) {
		c.Alerts.Webhooks = map[string]engine.WebhookSender{"site": unwilling{}}
	})
	var q trilith.SavedSearch
	e.call(t, nil, "POST", "/searches", `{"name":"one","webhook":"site"}`, 200, &q)
	for names, body := range map[string]string{
		"name":    `{}`,
		"alerts":  `{"name":"a","alerts":["fire"]}`,
		"amount":  `{"name":"a","alerts":["amount"],"amount":"much"}`,
		"filter":  `{"name":"a","filter":{"field":"nonsense","op":"eq","value":1}}`,
		"days":    `{"name":"a","days":-1}`,
		"webhook": `{"name":"a","webhook":"https://example.com/in"}`,
	} {
		if p := e.do("POST", "/api/v1/searches", body).problem(t); p.Status != 400 ||
			!strings.Contains(p.Detail+string(mustJSON(t, p)), names) {
			t.Errorf("POST /searches %s = %+v, want 400 that names %s", body, p, names)
		}
	}
	for _, hook := range []string{"http://127.0.0.1:1/", "http://169.254.169.254/latest", "SITE", "site ", "other"} {
		body := `{"name":"one","webhook":` + string(mustJSON(t, hook)) + `}`
		if p := e.do("PUT", "/api/v1/searches/"+string(q.ID), body).problem(t); p.Status != 400 ||
			!strings.HasPrefix(p.Detail, "webhook: ") {
			t.Errorf("a search that names the webhook %q = %+v", hook, p)
		}
	}
	for _, query := range []string{"?after=-1", "?limit=0", "?limit=5000", "?search=nonsense"} {
		if p := e.do("GET", "/api/v1/alerts"+query, "").problem(t); p.Status != 400 {
			t.Errorf("GET /alerts%s = %+v", query, p)
		}
	}
	if p := e.do("POST", "/api/v1/alerts/acknowledge", `{"ids":[]}`).problem(t); p.Status != 400 {
		t.Errorf("acknowledging nothing = %+v", p)
	}
}

// unwilling is a webhook that takes nothing.
type unwilling struct{}

func (unwilling) Send(context.Context, trilith.ID, []byte) error {
	return trilith.Errorf(trilith.Unavailable, "webhook site: the receiver answers with status 500")
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAlertEvents: a stream sends the alerts of its scope when they are raised, without text. Resuming from its last
// id sends those that were missed. Nobody gets alerts of another scope.
func TestAlertEvents(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	keys := e.callers(t)
	base := e.serve(t)
	saved := map[string]trilith.SavedSearch{}
	for _, name := range []string{"ana", "ben", "other"} {
		var q trilith.SavedSearch
		e.call(t, keys[name], "POST", "/searches", `{"name":"harbour","of":"memories","query":"harbour"}`, 200, &q)
		saved[name] = q
	}
	streams := map[string]*stream{}
	for _, name := range []string{"ana", "ben", "other", "reader"} {
		streams[name] = listen(t, base, "", keys[name]...)
		streams[name].next(trilith.EventOpen)
	}
	raise := func(user, text string, who []string) trilith.ID {
		t.Helper()
		id := e.note(t, user, text, who...)
		if err := e.engine.RunSearches(t.Context()); err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := raise("ana", "Ana likes the harbour.", keys["admin"])
	for _, name := range []string{"ana", "reader"} {
		got, data, _ := streams[name].next(trilith.EventAlert)
		if got.Count != 1 || len(got.Alerts) != 1 || got.Alerts[0].MemoryID != first ||
			got.Alerts[0].Search != saved["ana"].ID || strings.Contains(data, "likes") {
			t.Errorf("the stream of %s tells %s, want one alert about %s, without text", name, data, first)
		}
	}
	for _, name := range []string{"ben", "other"} { // who hears of Ana's alert hears of it before their own
		own := raise("ben", "The harbour is near.", keys[name])
		got, data, _ := streams[name].next(trilith.EventAlert)
		if len(got.Alerts) != 1 || got.Alerts[0].MemoryID != own || got.Alerts[0].Search != saved[name].ID {
			t.Errorf("the stream of %s tells %s, want its own alert alone", name, data)
		}
	}
	at := streams["ana"].last
	streams["ana"].resp.Body.Close()
	missed := []trilith.ID{raise("ana", "The harbour is loud.", keys["ana"]),
		raise("ana", "The harbour is old.", keys["ana"])}
	resumed := listen(t, base, "", append(slices.Clone(keys["ana"]), "Last-Event-ID", at)...)
	var heard []trilith.ID
	for len(heard) < 2 {
		got, data, ok := resumed.next(trilith.EventAlert)
		if !ok {
			t.Fatalf("the resumed stream ends after %s", data)
		}
		for _, al := range got.Alerts {
			heard = append(heard, al.MemoryID)
		}
	}
	if !slices.Equal(heard, missed) {
		t.Errorf("resumed: alerts about %s, want %s", heard, missed)
	}
}

// TestDeadWebhookJobRoutes: the dead job of a webhook is listed with its reason. Only callers who see the whole tenant
// can retry it.
func TestDeadWebhookJobRoutes(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{}, func(c *engine.Config) {
		c.Alerts.Webhooks = map[string]engine.WebhookSender{"site": unwilling{}}
	})
	keys := e.callers(t)
	now := time.Now()
	dead := trilith.Job{ID: trilith.DeriveID("dead"), Kind: "webhook:site", State: trilith.JobDead, Attempts: 40,
		MaxAttempts: 40, Payload: []byte(`{"search":"` + string(trilith.DeriveID("gone")) + `","from":1}`),
		Error: "webhook site: the receiver answers with status 500", RunAt: now, CreatedAt: now, UpdatedAt: now}
	_, err := e.store.Commit(t.Context(), trilith.Scope{Tenant: "acme"}, role.Batch{Jobs: []trilith.Job{dead}})
	if err != nil {
		t.Fatal(err)
	}
	got := e.call(t, keys["admin"], "GET", "/jobs?state=dead&kind="+url.QueryEscape(dead.Kind), "", 200, nil)
	if !strings.Contains(got.body, string(dead.ID)) || !strings.Contains(got.body, "status 500") {
		t.Errorf("GET /jobs?state=dead = %s, want the job with its reason", got.body)
	}
	if got := e.call(t, keys["other"], "GET", "/jobs?state=dead", "", 200, nil); strings.Contains(got.body, "webhook") {
		t.Errorf("GET /jobs of another tenant = %s", got.body)
	}
	retry := "/jobs/" + string(dead.ID) + "/retry"
	e.call(t, keys["ana"], "GET", "/jobs?state=dead", "", 403, nil)
	e.call(t, keys["ana"], "POST", retry, "", 403, nil)
	e.call(t, keys["other"], "POST", retry, "", 404, nil)
	e.call(t, keys["admin"], "POST", retry, "", 200, nil)
	if got := e.call(t, keys["admin"], "GET", "/jobs?state=dead", "", 200, nil); strings.Contains(got.body, "webhook") {
		t.Errorf("GET /jobs?state=dead after it was retried = %s", got.body)
	}
}
