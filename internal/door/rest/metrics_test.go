package rest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/role"
)

// scraped reads /metrics and returns the value of each series, as it is written.
func scraped(t *testing.T, e *edge, headers ...string) map[string]string {
	t.Helper()
	got := e.do("GET", "/metrics", "", headers...)
	if got.status != 200 || got.header.Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("GET /metrics = %d %s: %s", got.status, got.header.Get("Content-Type"), got.body)
	}
	series := map[string]string{}
	form := regexp.MustCompile(`^([a-z_]+(?:\{(?:[a-z_]+="[^"]*",?)+\})?) (\S+)$`)
	for line := range strings.Lines(got.body) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		m := form.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("GET /metrics says %q, which is no sample", line)
		}
		if _, twice := series[m[1]]; twice {
			t.Errorf("GET /metrics says %s twice", m[1])
		}
		series[m[1]] = m[2]
	}
	return series
}

func TestMetricsCount(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	e.do("POST", "/api/v1/memories", `{"user": "ana", "note": {"content": "The ferry leaves at half past seven."}}`)
	e.do("POST", "/api/v1/memories", `{"user": "ana", "text": " "}`)
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.do("POST", "/api/v1/search", `{"user": "ana", "query": "ferry", "min_score": 1}`)
	e.do("POST", "/api/v1/search", `{"user": "ana"}`)
	e.do("GET", "/nowhere/ana", "")
	e.do("BREW", "/api/v1/memories", "")
	job := trilith.Job{ID: trilith.DeriveID("job"), Kind: "future"} // no worker takes it
	if _, err := e.store.Commit(t.Context(), trilith.Scope{Tenant: "acme"}, role.Batch{Jobs: []trilith.Job{job},
		Records: []role.Record{
			{Kind: role.RecordSession, ID: trilith.DeriveID("any"), Body: []byte("{}")}}}); err != nil {
		t.Fatal(err)
	}
	got := scraped(t, e)
	for series, want := range map[string]string{
		`trilith_build_info{version="test"}`:                                                  "1",
		`trilith_http_requests_total{method="POST",route="/api/v1/memories",status="200"}`:    "1",
		`trilith_http_requests_total{method="POST",route="/api/v1/search",status="200"}`:      "1",
		`trilith_http_requests_total{method="POST",route="/api/v1/search",status="400"}`:      "1",
		`trilith_http_requests_total{method="POST",route="/api/v1/memories",status="400"}`:    "1",
		`trilith_http_requests_total{method="GET",route="none",status="404"}`:                 "1",
		`trilith_http_requests_total{method="other",route="none",status="405"}`:               "1",
		`trilith_http_request_seconds_count{method="POST",route="/api/v1/search"}`:            "2",
		`trilith_http_request_seconds_bucket{method="POST",route="/api/v1/search",le="+Inf"}`: "2",
		`trilith_memories_stored_total{kind="note"}`:                                          "1",
		`trilith_items_refused_total{reason="empty"}`:                                         "1",
		`trilith_recall_dropped_total{reason="score"}`:                                        "1",
		`trilith_recall_step_seconds_count{step="verify"}`:                                    "1",
		`trilith_index_lag{index="text"}`:                                                     "0",
		`trilith_index_lag{index="vectors"}`:                                                  "0",
		`trilith_jobs{kind="future",state="ready"}`:                                           "1",
	} {
		if got[series] != want {
			t.Errorf("/metrics says %s %q, want %q", series, got[series], want)
		}
	}
	for _, arm := range []string{"lexical", "dense"} {
		if n := got[`trilith_recall_arm_seconds_count{arm="`+arm+`"}`]; n == "" || n == "0" {
			t.Errorf("/metrics says that the arm %s searched %q times", arm, n)
		}
	}
	for series := range got {
		if strings.Contains(series, "ana") || strings.Contains(series, "acme") || strings.Contains(series, "default") {
			t.Errorf("/metrics names whose memory it is: %s", series)
		}
	}
}

// TestMetricsAreDocumented: the table of the page for operators lists what is there, and nothing else.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	names := func(form, text string) []string {
		var out []string
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	there := names(`(?m)^# TYPE (\S+) `, open(t, rest.Config{Local: true}).do("GET", "/metrics", "").body)
	if diff := cmp.Diff(there, names("(?m)^\\| `(trilith_[a-z_]+)` ", string(page))); diff != "" {
		t.Errorf("docs/operating.md (-there +documented):\n%s", diff)
	}
}

// TestMetricsNeedAKey: as soon as there are keys, numbers over all tenants are the operators'.
func TestMetricsNeedAKey(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	scraped(t, e)
	reader, foreign := e.key(t, rest.LocalTenant, trilith.AccessReader), e.key(t, "acme", trilith.AccessAdmin)
	scraped(t, e, "Authorization", "Bearer "+reader)
	if got := e.do("GET", "/metrics", ""); got.status != 401 {
		t.Errorf("GET /metrics without a key = %d, want 401", got.status)
	}
	if got := e.do("GET", "/metrics", "", "Authorization", "Bearer "+foreign); got.status != 403 ||
		!strings.Contains(got.problem(t).Detail, rest.LocalTenant) {
		t.Errorf("GET /metrics with a key of another tenant = %d %s, want 403 that names the right tenant",
			got.status, got.body)
	}
}
