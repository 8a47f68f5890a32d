package compat_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestRepeatsAreCounted: a vendor's client gets texts that say the same once, with their number in the metadata, unless
// that has a key of the name.
func TestRepeatsAreCounted(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	const said = "Look whether the ferry to Vardo is late."
	for i, metadata := range []map[string]any{nil, {"from": "cron"}, nil} {
		s := trilith.Scope{Tenant: "default", User: "ana", Session: fmt.Sprint("morning", i)}
		for _, text := range []string{said, fmt.Sprint("The ferry to Vardo has quay ", i, ".")} {
			r := trilith.RememberRequest{Text: text, Metadata: metadata}
			if _, err := e.engine.Remember(t.Context(), s, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	for target, body := range map[string]string{
		"/compat/mem0/v3/memories/search/": `{"query": "ferry to Vardo", "filters": {"user_id": "ana"}}`,
		"/compat/zep/api/v2/graph/search":  `{"user_id": "ana", "query": "ferry to Vardo", "scope": "episodes"}`} {
		w := e.do(http.MethodPost, target, body)
		answer := w.Body.String()
		if w.Code != http.StatusOK || strings.Count(answer, said) != 1 || strings.Count(answer, `"duplicates":2`) != 1 ||
			strings.Count(answer, "has quay") != 3 {
			t.Errorf("%s = %d %s", target, w.Code, answer)
		}
	}
}
