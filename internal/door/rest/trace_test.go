package rest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/tracetest"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

// TestTraces: the span of a request is a child of its caller's, the parts of its work are its children, and spans
// contain no texts.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer := c.Tracer()
	e := open(t, rest.Config{Local: true, Tracer: tracer}, func(ec *engine.Config) { ec.Tracer = tracer })
	stored := e.do("POST", "/api/v1/memories", `{"text":"Ana moors the boat in Bergen.","user":"ana","wait":"indexed"}`,
		"Traceparent", traceparent)
	found := e.do("POST", "/api/v1/search", `{"query":"Where is the boat?","user":"ana"}`, "Traceparent", traceparent)
	wrong := e.do("GET", "/api/v1/memories/by-key/ana's-secret", "", "Traceparent", traceparent)
	unwanted := e.do("GET", "/api/v1/me", "", "Traceparent", traceparent[:53]+"00")
	alone := e.do("GET", "/api/v1/me", "")
	for _, a := range []answer{stored, found, unwanted, alone} {
		if a.status != 200 {
			t.Fatalf("status = %d, want 200: %s", a.status, a.body)
		}
	}
	if p := wrong.problem(t); p.TraceID != traceID {
		t.Errorf("trace of the problem = %q, want %s", p.TraceID, traceID)
	}
	shown := e.do("GET", "/metrics", "").body
	e.engine.Close()
	tracer.Close()

	for _, name := range []string{"POST /api/v1/memories", "POST /api/v1/search", "GET /api/v1/memories/by-key/{key}"} {
		s := c.One(name)
		if s.Trace != traceID || s.Parent != traceparent[36:52] || s.Failed || s.Attributes["trilith.tenant"] != "default" ||
			s.Attributes["trilith.request_id"] == "" {
			t.Errorf("span of %s = %+v, want one below that of the caller", name, s)
		}
	}
	search, remember := c.One("POST /api/v1/search"), c.One("POST /api/v1/memories")
	arms := map[string]bool{}
	for _, s := range c.Named("recall.arm") {
		if s.Parent == search.ID {
			arms[s.Attributes["trilith.arm"]] = true
		}
	}
	if !arms[string(trilith.ArmLexical)] || !arms[string(trilith.ArmDense)] {
		t.Errorf("arms below the search = %v, want lexical and dense", arms)
	}
	var commits, questions int
	for _, s := range c.Spans() {
		if s.Name == "store.commit" && s.Parent == remember.ID {
			commits++
		}
		if s.Name == "embedder.embed" && s.Trace == traceID && s.Parent == search.ID {
			questions++
		}
	}
	if commits == 0 || questions == 0 { // beside the question, a hit may be embedded to find what was said later
		t.Errorf("%d commits below the write and %d embeddings below the search, want some of both", commits, questions)
	}
	me := c.One("GET /api/v1/me")
	if me.Parent != "" || me.Trace == traceID || len(me.Trace) != 32 {
		t.Errorf("span without a caller = %+v, want the first of a trace of its own", me)
	}
	for _, word := range []string{"Ana", "boat", "secret"} {
		if strings.Contains(c.Text(), word) {
			t.Errorf("the collector was sent %q, which is a user's text", word)
		}
	}
	if !strings.Contains(shown, `trilith_trace_spans_total{outcome="dropped"} 0`) {
		t.Error("/metrics does not say how many spans were dropped")
	}
	if !strings.Contains(e.log.String(), `"trace_id":"`+traceID) {
		t.Errorf("no line of the log names the trace:\n%s", e.log)
	}
}

// TestTraceWithoutTracer: the log and a problem name the caller's trace, whether or not anybody records.
func TestTraceWithoutTracer(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	p := e.do("GET", "/api/v1/nothing", "", "Traceparent", traceparent).problem(t)
	if p.TraceID != traceID || !strings.Contains(e.log.String(), `"trace_id":"`+traceID) {
		t.Errorf("trace of the problem = %q, want %s; the log:\n%s", p.TraceID, traceID, e.log)
	}
	if p := e.do("GET", "/api/v1/nothing", "", "Traceparent", "of ours").problem(t); p.TraceID != "" {
		t.Errorf("trace of a caller that names none = %q", p.TraceID)
	}
}

// silent is a model that finds nothing.
type silent struct{}

func (silent) Info() role.ModelInfo {
	return role.ModelInfo{Provider: "silent", Name: "s", Context: 8000, Forms: []role.OutputForm{role.FormText}}
}

func (silent) Generate(context.Context, role.ModelRequest) (role.ModelAnswer, error) {
	return role.ModelAnswer{Text: `{"facts":[]}`, Stop: role.StopEnd, Usage: trilith.Usage{InputTokens: 7}}, nil
}

func (silent) Close() error { return nil }

// TestJobsAreTraced: a job in the background is a trace of its own that names its request, with its call of the model.
func TestJobsAreTraced(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer := c.Tracer()
	e := open(t, rest.Config{Local: true, Tracer: tracer}, func(ec *engine.Config) {
		ec.Tracer, ec.Model, ec.Extract = tracer, silent{}, trilith.ExtractLLM
	})
	a := e.do("POST", "/api/v1/memories", `{"text":"Ana moors the boat in Bergen.","user":"ana","wait":"extracted"}`,
		"X-Request-Id", "r-1")
	if a.status >= 300 {
		t.Fatalf("remember = %d %s", a.status, a.body)
	}
	e.engine.Close()
	tracer.Close()
	job := c.One("job distil")
	if job.Parent != "" || job.Attributes["trilith.request_id"] != "r-1" || job.Failed {
		t.Errorf("job = %+v, want the first of its trace, for r-1", job)
	}
	asked := c.One("model.generate")
	if asked.Trace != job.Trace || asked.Attributes["gen_ai.system"] != "silent" ||
		asked.Attributes["gen_ai.usage.input_tokens"] != "7" {
		t.Errorf("call of the model = %+v, want one in the trace of the job", asked)
	}
}
