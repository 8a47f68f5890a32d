package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// stream is a stream of events that is being read.
type stream struct {
	t    *testing.T
	resp *http.Response
	scan *bufio.Scanner
	last string // id
}

func listen(t *testing.T, base, query string, headers ...string) *stream {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1/events"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &stream{t: t, resp: resp, scan: bufio.NewScanner(resp.Body)}
}

// next returns the next event of a kind, and passes over others; false at the end of the stream.
func (s *stream) next(kind trilith.EventKind) (e trilith.Event, data string, more bool) {
	s.t.Helper()
	name := ""
	for s.scan.Scan() {
		field, value, _ := strings.Cut(s.scan.Text(), ": ")
		switch {
		case field == "id":
			s.last = value
		case field == "event":
			name = value
		case field == "data" && name == string(kind):
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				s.t.Fatal(err)
			}
			return e, value, true
		}
	}
	return e, "", false
}

func (e *edge) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(e)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.URL
}

// TestEvents: a stream tells ids of what changed, and no text; its last id resumes it without a gap.
func TestEvents(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	base := e.serve(t)
	s := listen(t, base, "")
	if got := s.resp.Header.Get("Content-Type"); got != "text/event-stream" || s.resp.StatusCode != 200 {
		t.Fatalf("GET /events = %d %s", s.resp.StatusCode, got)
	}
	if got := s.resp.Header.Get("Content-Encoding"); got != "" {
		t.Errorf("GET /events is packed: %s", got)
	}
	if _, _, ok := s.next(trilith.EventOpen); !ok || s.last == "" {
		t.Fatal("the stream does not begin with an event that has an id")
	}
	id := e.note(t, "", "The slate is green.")
	got, data, _ := s.next(trilith.EventChange)
	if !slices.Contains(got.IDs, id) || got.All || strings.Contains(data, "slate") {
		t.Errorf("after a note: %s, want its id %s and no text", data, id)
	}
	s.resp.Body.Close()
	missed := e.note(t, "", "The slate is grey.")
	s = listen(t, base, "", "Last-Event-ID", s.last)
	if got, data, _ := s.next(trilith.EventChange); !slices.Contains(got.IDs, missed) || slices.Contains(got.IDs, id) {
		t.Errorf("resumed: %s, want %s alone", data, missed)
	}
	s.resp.Body.Close()
	s = listen(t, base, "?after=bm9uc2Vuc2U")
	if got, data, _ := s.next(trilith.EventChange); !got.All {
		t.Errorf("resumed after nonsense: %s, want that anything may have changed", data)
	}
	s.resp.Body.Close()
	if got := e.do("DELETE", "/api/v1/memories/"+string(id), ""); got.status != 200 {
		t.Fatalf("DELETE = %d %s", got.status, got.body)
	}
	s = listen(t, base, "")
	if jobs, data, _ := s.next(trilith.EventJobs); jobs.Jobs == nil {
		t.Errorf("jobs: %s", data)
	}
	if lag, data, _ := s.next(trilith.EventLag); lag.Lag == nil {
		t.Errorf("lag: %s", data)
	}
}

// note stores a note of a user and returns its id.
func (e *edge) note(t *testing.T, user, text string, headers ...string) trilith.ID {
	t.Helper()
	request := map[string]any{"text": text}
	if user != "" {
		request["user"] = user
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var out trilith.RememberResult
	got := e.do("POST", "/api/v1/memories", string(body), headers...)
	if err := json.Unmarshal([]byte(got.body), &out); err != nil || len(out.Memories) != 1 {
		t.Fatalf("POST /memories = %d %s", got.status, got.body)
	}
	return out.Memories[0].ID
}

// TestEventsOfOthers: events of another tenant, or outside the scope of a key, are not sent, not even as numbers; and
// a caller who sees a part of a tenant gets no events of jobs.
func TestEventsOfOthers(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	admin := []string{"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessAdmin)}
	other := []string{"Authorization", "Bearer " + e.key(t, "other", trilith.AccessAdmin)}
	secret, _, err := e.engine.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "ana", Tenant: "acme",
		Access: trilith.AccessReader, Scope: trilith.Scope{User: "ana"}})
	if err != nil {
		t.Fatal(err)
	}
	ana := []string{"Authorization", "Bearer " + secret}
	base := e.serve(t)
	streams := map[string]*stream{"other": listen(t, base, "", other...), "ana": listen(t, base, "", ana...),
		"of ana": listen(t, base, "?user=ana", admin...), "all": listen(t, base, "", admin...)}
	for _, s := range streams {
		s.next(trilith.EventOpen)
	}
	ben := e.note(t, "ben", "Ben likes the harbour.", admin...)
	if got := e.do("POST", "/api/v1/admin/erase", `{"ids":["`+string(ben)+`"]}`, admin...); got.status != 200 {
		t.Fatalf("POST /erase = %d %s", got.status, got.body)
	}
	foreign := e.note(t, "ana", "Ana likes the hills.", other...)
	own := e.note(t, "ana", "Ana likes the harbour.", admin...)
	for name, want := range map[string]trilith.ID{"other": foreign, "ana": own, "of ana": own} {
		got, data, _ := streams[name].next(trilith.EventChange)
		if !slices.Equal(got.IDs, []trilith.ID{want}) || got.Count != 1 || got.All {
			t.Errorf("the stream %q tells %s, want %s alone", name, data, want)
		}
	}
	var seen []trilith.ID
	for !slices.Contains(seen, own) {
		got, data, ok := streams["all"].next(trilith.EventChange)
		if !ok || slices.Contains(got.IDs, foreign) {
			t.Fatalf("the stream of the whole tenant tells %s", data)
		}
		seen = append(seen, got.IDs...)
	}
	if !slices.Contains(seen, ben) {
		t.Errorf("the stream of the whole tenant tells %v, want what was erased, %s, among it", seen, ben)
	}
	if got := e.do("GET", "/api/v1/events?user=ben", "", ana...); got.status != 403 {
		t.Errorf("the key of Ana listens to Ben: %d %s", got.status, got.body)
	}
	if got := e.do("GET", "/api/v1/events", ""); got.status != 401 {
		t.Errorf("GET /events without a key = %d %s", got.status, got.body)
	}
}

// TestEventsEnd: a stream ends when its key does, before it sends anything more; a caller has at most four; and a
// server that shuts down waits for no stream.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	admin := []string{"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessAdmin)}
	secret, key, err := e.engine.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "page", Tenant: "acme",
		Access: trilith.AccessReader})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rest.Serve(ctx, ln, e) }()
	base := "http://" + ln.Addr().String()
	var open []*stream
	for range 4 {
		s := listen(t, base, "", "Authorization", "Bearer "+secret)
		s.next(trilith.EventOpen)
		open = append(open, s)
	}
	if s := listen(t, base, "", "Authorization", "Bearer "+secret); s.resp.StatusCode != 429 {
		t.Errorf("a fifth stream of a key = %d, want 429", s.resp.StatusCode)
	}
	if err := e.engine.RevokeKey(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	e.note(t, "ana", "Ana likes the harbour.", admin...)
	for _, s := range open {
		if _, data, ok := s.next(trilith.EventChange); ok {
			t.Errorf("a stream of a revoked key tells %s", data)
		}
	}
	s := listen(t, base, "", admin...)
	s.next(trilith.EventOpen)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, _, ok := s.next("none"); ok {
		t.Error("a stream goes on after the server has ended")
	}
}

// TestJobCounts: the list of jobs counts the waiting ones, for callers who see the whole tenant only.
func TestJobCounts(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for _, q := range []string{"?counts=true", "?counts=true&limit=1&state=dead"} {
		got := e.do("GET", "/api/v1/jobs"+q, "")
		if got.status != 200 || !strings.Contains(got.body, `"counts":{"ready":0,"running":0,"dead":0}`) {
			t.Errorf("GET /jobs%s = %d %s", q, got.status, got.body)
		}
	}
	if got := e.do("GET", "/api/v1/jobs", ""); strings.Contains(got.body, "counts") {
		t.Errorf("GET /jobs = %s, want no counts that nobody asked for", got.body)
	}
}

// TestEventsOfAPage: a browser listens with its cookie, from the server's own page alone, and no longer than it is
// signed in.
func TestEventsOfAPage(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	admin := []string{"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessAdmin)}
	base := e.serve(t)
	host := strings.TrimPrefix(base, "http://")
	got := e.do("POST", "/api/v1/session", `{"key":"`+e.key(t, "acme", trilith.AccessReader)+`"}`, "Host", host)
	cookie, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
	for _, site := range []string{"cross-site", "same-site", "none"} {
		if s := listen(t, base, "", "Cookie", cookie, "Sec-Fetch-Site", site); s.resp.StatusCode != 403 {
			t.Errorf("listening from %s = %d, want 403", site, s.resp.StatusCode)
		}
	}
	if s := listen(t, base, "", "Cookie", cookie); s.resp.StatusCode != 403 {
		t.Errorf("listening from who knows where = %d, want 403", s.resp.StatusCode)
	}
	s := listen(t, base, "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin")
	if _, _, ok := s.next(trilith.EventOpen); !ok {
		t.Fatalf("listening from the own page = %d", s.resp.StatusCode)
	}
	if got := e.do("DELETE", "/api/v1/session", "", "Host", host, "Cookie", cookie, "Sec-Fetch-Site",
		"same-origin"); got.status != 200 {
		t.Fatalf("DELETE /session = %d %s", got.status, got.body)
	}
	e.note(t, "ana", "Ana likes the harbour.", admin...)
	if _, data, ok := s.next(trilith.EventChange); ok {
		t.Errorf("after signing out the stream tells %s", data)
	}
}
