package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

// answering gives the engine a model that follows a script, and a recall log.
func answering(entries ...scripted.Entry) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Model = scripted.New(scripted.Script{Entries: entries})
		c.Recalls = engine.RecallLog{Rows: 100}
	}
}

// A consultation is answered as JSON, or in events whose pieces are the answer; under a key it is answered once.
func TestConsult(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true},
		answering(scripted.Entry{Answer: "It is \n\n fine.\n- [ ] Call the roofer\n"}))
	const path, body = "/api/v1/agent/consult", `{"prompt": "How is the roof?", "project": "12"}`
	first := e.do("POST", path, body, "Idempotency-Key", "k")
	var told trilith.ConsultResult
	if err := json.Unmarshal([]byte(first.body), &told); err != nil || first.status != 200 || !told.Stored ||
		told.Session == "" || len(told.Actions) != 1 || told.Used.RecallID == "" ||
		!strings.Contains(first.body, `"facts":[]`) {
		t.Fatalf("consult = %d %s, %v", first.status, first.body, err)
	}
	again := e.do("POST", path, body, "Idempotency-Key", "k")
	if !strings.Contains(again.body, `"replayed":true`) || !strings.Contains(again.body, told.Session) {
		t.Errorf("repeated = %s", again.body)
	}
	streamed := e.do("POST", path, body, "Accept", "application/json;q=0.5, text/event-stream")
	if streamed.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("streamed = %d %v", streamed.status, streamed.header)
	}
	var pieces strings.Builder
	last := ""
	for event := range strings.SplitSeq(strings.TrimSuffix(streamed.body, "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(event, "\n")
		var got struct{ Text, Answer string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &got); err != nil {
			t.Fatalf("event %q: %v", event, err)
		}
		pieces.WriteString(got.Text)
		if last = name; name == "event: answer" && got.Answer != pieces.String() {
			t.Errorf("the pieces are %q, the answer is %q", pieces.String(), got.Answer)
		}
	}
	if last != "event: answer" || pieces.String() != told.Answer {
		t.Errorf("streamed %q, the last event is %q", pieces.String(), last)
	}
	if p := e.do("POST", path, `{"prompt": ""}`).problem(t); p.Status != 400 {
		t.Errorf("no prompt: %+v", p)
	}
	if p := open(t, rest.Config{Local: true}).do("POST", path, body).problem(t); p.Status != 501 ||
		!strings.Contains(p.Detail, "--model") {
		t.Errorf("without a model: %+v", p)
	}
	keyed := open(t, rest.Config{}, answering())
	reader := keyed.key(t, "acme", trilith.AccessReader)
	if p := keyed.do("POST", path, body, "X-API-Key", reader).problem(t); p.Status != 403 {
		t.Errorf("a reader consults: %+v", p)
	}
}

// The Go client reads what the server streams, an error in place of it, and the log.
func TestConsultByClient(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true},
		answering(scripted.Entry{Match: "roof", Answer: "It is fine."},
			scripted.Entry{Match: "wall", Fails: true, Kind: trilith.Exhausted}))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "localhost:7700"
		e.ServeHTTP(w, r)
	}))
	defer srv.Close()
	c, s := client.New(srv.URL), trilith.Scope{Project: "12"}
	var pieces []string
	res, err := c.ConsultStream(t.Context(), s, trilith.ConsultRequest{Prompt: "How is the roof?"},
		func(p string) { pieces = append(pieces, p) })
	if err != nil || strings.Join(pieces, "") != "It is fine." || len(pieces) < 2 || res.Answer != "It is fine." ||
		!res.Stored {
		t.Errorf("ConsultStream = %+v, %v, pieces %q", res, err, pieces)
	}
	if _, err := c.ConsultStream(t.Context(), s, trilith.ConsultRequest{Prompt: "And the wall?"},
		func(string) {}); trilith.KindOf(err) != trilith.Exhausted {
		t.Errorf("a model without quota: %v", err)
	}
	if res, err = c.Consult(t.Context(), s, trilith.ConsultRequest{Prompt: "The roof?"}); err != nil ||
		res.Answer != "It is fine." {
		t.Errorf("Consult = %+v, %v", res, err)
	}
	found, err := c.Recall(t.Context(), s, trilith.RecallRequest{Query: "roof"})
	if err != nil || found.RecallID == "" {
		t.Fatalf("Recall = %+v, %v", found, err)
	}
	page, err := c.Recalls(t.Context(), s, trilith.RecallsRequest{Via: "rest", Limit: 2})
	if err != nil || len(page.Items) != 2 || page.NextCursor == "" {
		t.Errorf("Recalls = %+v, %v", page, err)
	}
	rest, err := c.Recalls(t.Context(), s, trilith.RecallsRequest{Via: "rest", Cursor: page.NextCursor})
	page.Items = append(page.Items, rest.Items...) // those of one millisecond are in no order
	if err != nil || !slices.ContainsFunc(page.Items,
		func(r trilith.ServedRecall) bool { return r.ID == found.RecallID }) {
		t.Errorf("Recalls = %+v, %v, want the search among them", page, err)
	}
	row, err := c.LoggedRecall(t.Context(), s, res.Used.RecallID)
	if err != nil || row.What != trilith.ServedConsult || row.RequestID == "" {
		t.Errorf("LoggedRecall = %+v, %v", row, err)
	}
	if again, err := c.RecallAgain(t.Context(), s, found.RecallID); err != nil || len(again.Gone) != 0 {
		t.Errorf("RecallAgain = %+v, %v", again, err)
	}
	if out, err := c.ForgetRecalls(t.Context(), s); err != nil || out.Deleted != 4 {
		t.Errorf("ForgetRecalls = %+v, %v; want 4", out, err)
	}
}
