package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/tracetest"
)

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

const asked = `{"user":"ana","messages":[{"role":"user","content":"Where is the boat?"}]}`

// TestTraces: spans distinguish the time of the memory and of the upstream, and the upstream joins the trace.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer := c.Tracer()
	x := open(t, says("application/json", chatAnswer), func(c *rest.Config) { c.Tracer = tracer })
	x.knows(t, "I moor the boat in Bergen.")
	if status, _, body := x.post(t, "/v1/chat/completions", asked, "Traceparent", traceparent); status != 200 {
		t.Fatalf("answer = %d %s", status, body)
	}
	x.Close()
	x.proxy.Close()
	tracer.Close()

	whole := c.One("POST /v1/")
	if whole.Parent != traceparent[36:52] || whole.Trace != traceparent[3:35] {
		t.Errorf("span = %+v, want one below that of the caller", whole)
	}
	for _, name := range []string{"proxy.memory", "proxy.upstream", "proxy.keep"} {
		if s := c.One(name); s.Trace != whole.Trace || s.Failed {
			t.Errorf("span %s = %+v, want one in the trace of the caller", name, s)
		}
	}
	want := "00-" + whole.Trace + "-" + c.One("proxy.upstream").ID + "-01"
	if got := x.up.heads[0].Get("Traceparent"); got != want {
		t.Errorf("traceparent at the upstream = %q, want %q", got, want)
	}
	if strings.Contains(c.Text(), "boat") {
		t.Error("the collector was sent a user's text")
	}
}

// TestTraceparentPasses: without a tracer it passes as it came, and none is added.
func TestTraceparentPasses(t *testing.T) {
	t.Parallel()
	x := open(t, says("application/json", chatAnswer))
	x.post(t, "/v1/chat/completions", asked, "Traceparent", traceparent, "Tracestate", "a=b")
	x.post(t, "/v1/chat/completions", asked)
	x.Close()
	x.proxy.Close()
	for i, want := range []http.Header{{"Traceparent": {traceparent}, "Tracestate": {"a=b"}}, {}} {
		for _, name := range []string{"Traceparent", "Tracestate"} {
			if got := x.up.heads[i].Get(name); got != want.Get(name) {
				t.Errorf("request %d: %s = %q, want %q", i, name, got, want.Get(name))
			}
		}
	}
}
