package camel_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

// following gives the engine a model that follows a script.
func following(entries ...scripted.Entry) (func(*engine.Config), *scripted.Model) {
	model := scripted.New(scripted.Script{Entries: entries})
	return func(c *engine.Config) { c.Model = model }, model
}

// passing is what no two runs have in common.
var passing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9]{13}\b`)

// TestConsult shows the request to the model and the answer to the caller.
func TestConsult(t *testing.T) {
	t.Parallel()
	with, model := following(scripted.Entry{Match: "roof", Answer: "It costs 6,400.50 EUR.\n- [ ] Pay Roof & Co by 2026-02-01\n"},
		scripted.Entry{Match: "walls", Answer: "I do not know."})
	e := open(t, rest.Config{Local: true}, with)
	fill(t, e)
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, body := range []string{
		`{"userPrompt": "What does the roof cost?", "projectId": 12, "userId": 7, "sessionId": "call-9"}`,
		`{"userPrompt": "And the walls?", "projectId": 12}`,
	} {
		got := e.do("POST", "/api/agent/consult", body)
		if err := e.engine.Settle(t.Context()); err != nil { // the next question finds what this one said
			t.Fatal(err)
		}
		var told bytes.Buffer
		if err := json.Indent(&told, []byte(got.body), "", "  "); err != nil {
			t.Fatalf("the answer is not JSON: %s", got.body)
		}
		requests := model.Requests()
		asked := requests[len(requests)-1]
		out.WriteString("POST /api/agent/consult\n" + body + "\n\n--- the model is asked\n" + asked.System + "\n\n" +
			asked.Messages[0].Text + "\n\n--- " + got.header.Get("Content-Type") + "\n" + told.String() + "\n")
		if got.status != 200 {
			t.Errorf("%s = %d", body, got.status)
		}
	}
	file := filepath.Join("testdata", "consult.golden")
	text := passing.ReplaceAllString(out.String(), "*")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s differs; if it should, run with -update (-want +got):\n%s", file, diff)
	}
}

// A new session is named by the time, no two alike, and the prompt's turn too.
func TestConsultNamesSessions(t *testing.T) {
	t.Parallel()
	with, _ := following(scripted.Entry{Answer: "Yes."})
	e := open(t, rest.Config{Local: true}, with)
	name := regexp.MustCompile(`^session-[0-9]{13,}$`)
	seen := map[string]bool{}
	for range 20 {
		got := e.do("POST", "/api/agent/consult", `{"userPrompt": "Really?", "projectId": 1}`)
		var body map[string]any
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || len(body) != 3 || body["answer"] != "Yes." {
			t.Fatalf("consult = %d %s, %v", got.status, got.body, err)
		}
		session, _ := body["sessionId"].(string)
		actions, ok := body["actions"].([]any)
		if !ok || len(actions) > 0 || !name.MatchString(session) || seen[session] {
			t.Errorf("consult = %s; want no actions and a new session", got.body)
		}
		seen[session] = true
	}
	page, err := e.engine.List(t.Context(), trilith.Scope{Tenant: "default"},
		trilith.ListRequest{Filter: trilith.Where("role", trilith.OpEq, trilith.RoleUser)})
	if err != nil || len(page.Items) != 20 || !strings.HasPrefix(page.Items[0].ExternalID, "msg-") {
		t.Errorf("%d prompts are stored, %v; want 20 that are named msg-<ms>", len(page.Items), err)
	}
	for range 2 { // under a key the exchange is stored once
		if got := e.do("POST", "/api/agent/consult", `{"userPrompt": "Once?"}`, "Idempotency-Key", "k"); got.status != 200 {
			t.Errorf("with a key: %d %s", got.status, got.body)
		}
	}
	page, err = e.engine.List(t.Context(), trilith.Scope{Tenant: "default"},
		trilith.ListRequest{Filter: trilith.Where("role", trilith.OpEq, trilith.RoleUser)})
	if err != nil || len(page.Items) != 21 {
		t.Errorf("%d prompts are stored, %v; want 21", len(page.Items), err)
	}
}

// A failure on our side is answered with one sentence, and an error that the caller can fix as everywhere else.
func TestConsultFails(t *testing.T) {
	t.Parallel()
	with, _ := following(scripted.Entry{Fails: true, Kind: trilith.Unavailable})
	const path, ok = "/api/agent/consult", `{"userPrompt": "Hello?"}`
	wantError(t, "a model that is away", open(t, rest.Config{Local: true}, with).do("POST", path, ok),
		http.StatusInternalServerError, "Failed to process request")
	e := open(t, rest.Config{Local: true})
	got := e.do("POST", path, ok)
	if got.body != `{"error":"Failed to process request"}`+"\n" || got.status != 500 {
		t.Errorf("without a model: %d %s", got.status, got.body)
	}
	wantError(t, "no prompt", e.do("POST", path, `{}`), 400, "userPrompt")
	wantError(t, "an unknown member", e.do("POST", path, `{"prompt": "x"}`), 400, "userPrompt")
	wantError(t, "a project that is none", e.do("POST", path, `{"userPrompt": "x", "projectId": 0}`), 400, "projectId")
}
