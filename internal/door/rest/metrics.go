package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
)

// Metrics count the work of a serving process. They also are the engine's [engine.Meter]. No label contains a tenant, a
// user or any other part of a request, only fixed words.
type Metrics struct {
	set counters

	requests, searchFailures, dropped, stored, refused, asked, tokens *counter
	latency, steps, searches, jobs, consulted                         *histogram
}

// timeBounds reach from a search of words in a small memory to the longest time that a request may take.
var timeBounds = []time.Duration{100 * time.Microsecond, 300 * time.Microsecond, time.Millisecond, 3 * time.Millisecond,
	10 * time.Millisecond,
	30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, time.Second, 3 * time.Second,
	10 * time.Second, 30 * time.Second}

// NewMetrics returns metrics in which nothing has been counted, of a program of the version.
func NewMetrics(version string) *Metrics {
	m := &Metrics{}
	m.set.Counter("trilith_build_info", "Always 1; the label is the version that runs.", "version").Add(1, version)
	m.requests = m.set.Counter("trilith_http_requests_total", "Requests that were answered.", "method", "route", "status")
	m.latency = m.set.Histogram("trilith_http_request_seconds", "How long answering took.", timeBounds, "method", "route")
	m.steps = m.set.Histogram("trilith_recall_step_seconds", "How long each step of a recall took.", timeBounds, "step")
	m.searches = m.set.Histogram("trilith_recall_arm_seconds", "How long one search of an arm took.", timeBounds, "arm")
	m.searchFailures = m.set.Counter("trilith_recall_arm_failures_total",
		"Searches of an arm that failed; the recall went on without them.", "arm")
	m.dropped = m.set.Counter("trilith_recall_dropped_total", "Candidates that were found and not given.", "reason")
	m.stored = m.set.Counter("trilith_memories_stored_total", "Memories that are new in the store, old wordings counted.",
		"kind")
	m.refused = m.set.Counter("trilith_items_refused_total", "Items that were sent and not stored.", "reason")
	m.jobs = m.set.Histogram("trilith_job_seconds", "How long one attempt of a background job took.", timeBounds,
		"kind", "outcome")
	m.consulted = m.set.Histogram("trilith_consult_memory_seconds",
		"What memory added to a consultation before its model was asked.", timeBounds, "missing")
	m.asked = m.set.Counter("trilith_provider_requests_total",
		"Requests that were sent to providers, those that failed too.", "provider", "model", "purpose")
	m.tokens = m.set.Counter("trilith_provider_tokens_total", "Tokens of requests and answers, as providers count them.",
		"provider", "model", "purpose")
	return m
}

// Step implements [engine.Meter].
func (m *Metrics) Step(step string, took time.Duration) { m.steps.Observe(took, step) }

// Searched implements [engine.Meter].
func (m *Metrics) Searched(arm trilith.Arm, took time.Duration, failed bool) {
	m.searches.Observe(took, string(arm))
	if failed {
		m.searchFailures.Add(1, string(arm))
	}
}

// Dropped implements [engine.Meter].
func (m *Metrics) Dropped(reason string) { m.dropped.Add(1, reason) }

// Stored implements [engine.Meter].
func (m *Metrics) Stored(kind trilith.Kind) { m.stored.Add(1, string(kind)) }

// Refused implements [engine.Meter].
func (m *Metrics) Refused(reason string) { m.refused.Add(1, reason) }

// Worked implements [engine.Meter].
func (m *Metrics) Worked(kind string, outcome engine.JobOutcome, took time.Duration) {
	m.jobs.Observe(took, kind, string(outcome))
}

// Spent implements [engine.Meter].
func (m *Metrics) Spent(p trilith.Purpose, s trilith.Spent) {
	m.asked.Add(s.Requests, s.Provider, s.Model, string(p))
	m.tokens.Add(s.Usage.InputTokens+s.Usage.OutputTokens, s.Provider, s.Model, string(p))
}

// Consulted implements [engine.Meter].
func (m *Metrics) Consulted(took time.Duration, missing bool) {
	m.consulted.Observe(took, strconv.FormatBool(missing))
}

func (m *Metrics) request(r *http.Request, status int, took time.Duration) {
	method, route := labels(r)
	m.requests.Add(1, method, route, strconv.Itoa(status))
	m.latency.Observe(took, method, route)
}

// methods are the methods with a series of their own: a client may send any word.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodOptions}

// labels returns the method and the route of an answered request, as fixed words.
func labels(r *http.Request) (method, route string) {
	method, route = r.Method, r.Pattern
	if !slices.Contains(methods, method) {
		method = "other"
	}
	if _, path, ok := strings.Cut(route, " "); ok {
		route = path
	}
	if route == "" || route == "/" {
		route = "none" // refused before it was looked up, or no route at all
	}
	return method, route
}

// probes are the pages for operators of the server.
type probes struct {
	group
	listed []Listed
}

// ready says whether the store can be used.
func (s *probes) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	st, err := s.engine.Status(ctx)
	if err != nil {
		fail(w, r.Context(), notReady(err))
		return
	}
	body, err := json.Marshal(st)
	if err != nil {
		fail(w, r.Context(), err)
		return
	}
	static("application/json", append(body, '\n'))(w, r)
}

// showMetrics returns the counters, and the state of the indexes and of the background jobs. The numbers show how busy
// all tenants are together. So, if there are keys, it needs the right reader of the operators' tenant.
func (s *probes) showMetrics(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	now, err := s.current(ctx, r)
	if err != nil {
		fail(w, r.Context(), err)
		return
	}
	var body bytes.Buffer
	s.metrics.set.WriteTo(&body)
	now.WriteTo(&body)
	static(metricsType, body.Bytes())(w, r)
}

// current returns how far the indexes are behind and how many jobs wait.
func (s *probes) current(ctx context.Context, r *http.Request) (*counters, error) {
	who, err := s.auth.identify(r)
	if err != nil {
		return nil, err
	}
	callOf(r.Context()).who = who
	if err := permit(who, &op.Op{Need: trilith.AccessReader, Operator: true}); err != nil {
		return nil, err
	}
	st, err := s.engine.Status(ctx)
	if err != nil {
		return nil, err
	}
	backlog, err := s.engine.Backlog(ctx)
	if err != nil {
		return nil, err
	}
	now := new(counters)
	lag := now.Gauge("trilith_index_lag", "Changes that an index has still to take in, counted up to a thousand.",
		"index")
	lag.Add(st.LagText, "text")
	lag.Add(st.LagVectors, "vectors")
	unkept := now.Counter("trilith_index_keep_failures_total",
		"Times that what is kept of an index for the next start could not be written.", "index")
	unkept.Add(int(st.UnkeptTexts), "text")
	unkept.Add(int(st.UnkeptVectors), "vectors")
	if err := s.standbys(ctx, now); err != nil {
		return nil, err
	}
	sent, dropped := s.tracer.Counts()
	spans := now.Counter("trilith_trace_spans_total", "Spans that the collector took, and those that were dropped.",
		"outcome")
	spans.Add(int(sent), "sent")
	spans.Add(int(dropped), "dropped")
	jobs := now.Gauge("trilith_jobs",
		"Background jobs that are not done, by state; of each tenant a thousand are counted.", "kind", "state")
	for _, b := range backlog {
		jobs.Add(b.Jobs, b.Kind, string(b.State))
	}
	return now, nil
}

// standbys measures how far standbys are behind, and who answers what only reads.
func (s *probes) standbys(ctx context.Context, now *counters) error {
	r, err := s.engine.StandbyReads(ctx)
	if err != nil || r == nil {
		return err
	}
	reads := now.Counter("trilith_standby_reads_total",
		"Requests that only read, by the standby that answered, or why none did.", "server")
	reads.Add(int(r.Behind), "primary: standbys are behind")
	reads.Add(int(r.Out), "primary: standbys are out")
	out := now.Gauge("trilith_standby_out", "Whether the primary answers in place of a standby.", "server")
	behind := now.Gauge("trilith_standby_bytes_behind", "Bytes of the log that a standby has still to replay.", "server")
	for _, st := range r.Standbys {
		reads.Add(int(st.Reads), st.Name)
		behind.Add(int(st.Bytes), st.Name)
		if st.Out != "" {
			out.Add(1, st.Name)
		} else {
			out.Add(0, st.Name)
		}
	}
	return nil
}
