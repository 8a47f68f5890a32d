package rest_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestNothingStoredIsAProblem: a request of which nothing is stored is answered with 400 and its rejected items, by
// every path that stores and however often it is sent; one of which something is stored, now or earlier, is not.
func TestNothingStoredIsAProblem(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	const empty, path = `"\u200b"`, "/api/v1/memories"
	for range 2 {
		for _, c := range []struct{ method, path, body string }{
			{"POST", path, `{"text":` + empty + `}`},
			{"POST", path, `{"text":` + empty + `,"request_key":"k"}`},
			{"POST", path, `{"note":{"content":` + empty + `}}`},
			{"POST", path, `{"messages":[{"content":` + empty + `},{"role":"tool","content":"{}"}]}`},
			{"POST", "/api/v1/graph/assimilate", `{"identifier":{"type":"name","value":"Zed"},"content":` + empty + `}`},
			{"POST", "/api/v1/entries", `{"domain":"d","content":` + empty + `}`},
			{"PUT", "/api/v1/memories/by-key/k", `{"content":` + empty + `}`},
		} {
			got := e.do(c.method, c.path, c.body)
			var p rest.Problem
			if err := json.Unmarshal([]byte(got.body), &p); err != nil {
				t.Fatal(err)
			}
			if got.status != 400 || p.Kind != "invalid" || len(p.Rejected) == 0 ||
				p.Rejected[0].Reason != trilith.ReasonEmpty {
				t.Errorf("%s %s %s = %d %s; want 400 with what was rejected", c.method, c.path, c.body, got.status, got.body)
			}
		}
		for _, body := range []string{
			`{"messages":[{"content":` + empty + `},{"content":"I row.","external_id":"row"}]}`,
			`{"text":"I row.","external_id":"row"}`, // is stored already
			`{"text":` + empty + `,"dry_run":true}`,
		} {
			got := e.do("POST", path, body)
			if res := decode[trilith.RememberResult](t, got); len(res.Memories)+len(res.Rejected) == 0 {
				t.Errorf("POST %s %s = %d %s; want 200", path, body, got.status, got.body)
			}
		}
	}
	got := e.do("POST", "/api/v1/batch", `{"operations":[{"remember":{"text":`+empty+`}},{"remember":{"text":"I ski."}}]}`)
	out := decode[struct{ Results []trilith.OperationResult }](t, got).Results
	if len(out) != 2 || out[0].Error == nil || out[0].Remembered != nil || len(out[0].Error.Rejected) != 1 ||
		out[1].Error != nil {
		t.Errorf("POST /batch = %d %s; want the first refused with what was rejected, the second stored", got.status, got.body)
	}
	server := httptest.NewServer(e.Handler)
	t.Cleanup(server.Close)
	_, err := client.New(server.URL).Remember(t.Context(), trilith.Scope{}, trilith.RememberRequest{Text: "\u200b"})
	refused, ok := errors.AsType[*trilith.Refused](err)
	if !ok || trilith.KindOf(err) != trilith.Invalid || len(refused.Rejected) != 1 ||
		refused.Rejected[0].Reason != trilith.ReasonEmpty {
		t.Errorf("the client's Remember = %v; want what was rejected", err)
	}
}
