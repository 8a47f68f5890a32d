package rest_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

func TestInterviews(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	in := decode[trilith.Interview](t, e.do("POST", "/api/v1/interviews", `{"domain":"bakery","user":"ana"}`))
	if in.State != trilith.InterviewOpen || in.Field != "specialties" || in.ID == "" || in.Missing != 5 {
		t.Errorf("POST /interviews = %+v, want the first question", in)
	}
	path := "/api/v1/interviews/" + in.ID
	for range 2 { // under a key the second is the first
		got := decode[trilith.Interview](t, e.do("POST", path+"/answers", `{"text":"Rye bread."}`,
			"Idempotency-Key", "first"))
		if got.Field != "opened" || len(got.Entries) != 1 || got.Known != 1 {
			t.Errorf("POST /interviews/{id}/answers = %+v, want the second question and an entry", got)
		}
	}
	beside := decode[trilith.Interview](t, e.do("POST", path+"/answers",
		`{"text":"Old Henrik lost his thumb in the dough divider."}`))
	if len(beside.Entries) != 1 || beside.Entries[0].Metadata["field"] != nil || beside.Field != "opened" {
		t.Errorf("POST /interviews/{id}/answers = %+v, want an entry without a field, and the question again", beside)
	}
	gaps := decode[trilith.DomainGaps](t, e.do("GET", path+"/gaps", ""))
	of := decode[trilith.DomainGaps](t, e.do("GET", "/api/v1/domains/bakery/gaps?user=ana", ""))
	if len(gaps.Known) != 1 || gaps.Known[0].Value != "Rye bread" || len(of.Known) != 1 || of.Missing != 4 {
		t.Errorf("gaps = %+v and %+v, want the bread known in both", gaps, of)
	}
	if none := decode[trilith.DomainGaps](t, e.do("GET", "/api/v1/domains/bakery/gaps?user=ben", "")); none.Missing != 5 {
		t.Errorf("gaps of another person = %+v", none)
	}
	if all := decode[trilith.Domains](t, e.do("GET", "/api/v1/domains", "")); len(all.Items) != 2 ||
		all.Items[0].ID != "bakery" {
		t.Errorf("GET /domains = %+v", all)
	}
	for _, c := range []struct {
		method, path, body, want string
		status                   int
	}{
		{"POST", "/api/v1/interviews", `{}`, "domain: is empty", 400},
		{"POST", "/api/v1/interviews", `{"domain":"/etc/passwd"}`, "there is no schema", 404},
		{"POST", "/api/v1/interviews", `{"domain":"bakery","file":"x.yaml"}`, "file", 400},
		{"POST", path + "/answers", `{"text":" "}`, "text: is empty", 400},
		{"POST", path + "x/answers", `{"text":"Rye."}`, "does not exist", 404},
		{"GET", path + "/gaps?user=ben", "", "does not exist", 404},
		{"GET", "/api/v1/domains/fishery/gaps", "", "there is no schema", 404},
	} {
		if got := e.do(c.method, c.path, c.body); got.status != c.status || !strings.Contains(got.body, c.want) {
			t.Errorf("%s %s %s = %d %s, want %d and %q", c.method, c.path, c.body, got.status, got.body, c.status, c.want)
		}
	}
}

// TestInterviewsThroughTheClient: the caller chooses the name of a session.
func TestInterviewsThroughTheClient(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	c := client.New(srv.URL)
	for _, session := range []string{"monday", "a/b c?d#é", "100 %"} {
		s := trilith.Scope{Domain: "werkstatt", User: session, Session: session}
		in, err := c.StartInterview(t.Context(), s)
		if err != nil || in.ID != session {
			t.Fatalf("StartInterview(%q) = %+v, %v", session, in, err)
		}
		if in, err = c.AnswerInterview(t.Context(), s, session,
			trilith.InterviewAnswer{Text: "Drehteile"}); err != nil || in.Field != "gruendung" {
			t.Errorf("AnswerInterview(%q) = %+v, %v", session, in, err)
		}
		if g, err := c.InterviewGaps(t.Context(), trilith.Scope{}, session); err != nil || len(g.Known) != 1 {
			t.Errorf("InterviewGaps(%q) = %+v, %v", session, g, err)
		}
		s.Session = ""
		if g, err := c.DomainGaps(t.Context(), s); err != nil || g.Missing != 4 {
			t.Errorf("DomainGaps of %q = %+v, %v", session, g, err)
		}
	}
	if all, err := c.Domains(t.Context(), trilith.Scope{}); err != nil || len(all.Items) != 2 {
		t.Errorf("Domains = %+v, %v", all, err)
	}
}
