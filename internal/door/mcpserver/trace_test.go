package mcpserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/tracetest"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

const tracedCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_search",` +
	`"arguments":{"query":"Where is the boat?"},"_meta":{"traceparent":"` + traceparent + `"}}}`

// TestTraces: a call over standard input lies below the span that its _meta names, a mistake in it is a failed tool,
// and a call without one begins a trace.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer := c.Tracer()
	r := newRig(t)
	config := r.config()
	config.Tracer = tracer
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, tracedCall,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_search","arguments":{"qury":"x"},` +
			`"_meta":{"traceparent":7}}}`, ""}, "\n")
	if err := mcpserver.Serve(t.Context(), config, local(), strings.NewReader(in), io.Discard); err != nil {
		t.Fatal(err)
	}
	tracer.Close()

	calls, tools := c.Named("mcp tools/call"), c.Named("tool memory_search")
	if len(calls) != 2 || len(tools) != 2 {
		t.Fatalf("%d calls and %d tools, want 2 and 2: %+v", len(calls), len(tools), c.Spans())
	}
	for i := range calls {
		tool := tools[i]
		call := calls[0]
		if tool.Parent != call.ID {
			call = calls[1]
		}
		below := call.Parent == traceparent[36:52]
		if tool.Parent != call.ID || (call.Trace == traceID) != below || tool.Failed == below || call.Failed ||
			call.Attributes["trilith.request_id"] == "" {
			t.Errorf("call %+v with tool %+v", call, tool)
		}
	}
	if calls[0].Trace == calls[1].Trace {
		t.Error("both calls are in one trace")
	}
	if strings.Contains(c.Text(), "boat") {
		t.Error("the collector was sent a user's text")
	}
}

// TestTracesOverHTTP: a call lies below the request that it came in.
func TestTracesOverHTTP(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer := c.Tracer()
	r := newRig(t)
	config := r.config()
	config.Tracer = tracer
	srv := httptest.NewServer(rest.New(rest.Config{Engine: r.Engine, Local: true, Tracer: tracer,
		Beside: map[string]func(rest.Guard) http.Handler{
			"/mcp": func(d rest.Guard) http.Handler { return mcpserver.NewHandler(config, d) }}}))
	t.Cleanup(srv.Close)
	body := strings.Replace(tracedCall, `,"_meta":{"traceparent":"`+traceparent+`"}`, "", 1)
	if status, _, text := post(t, srv.URL+"/mcp", body, "Traceparent", traceparent); status != 200 {
		t.Fatalf("answer = %d %s", status, text)
	}
	srv.Close()
	tracer.Close()
	request, call := c.One("POST /mcp"), c.One("mcp tools/call")
	if request.Parent != traceparent[36:52] || call.Parent != request.ID || call.Trace != traceID {
		t.Errorf("request %+v with call %+v, want one below the other, below the caller", request, call)
	}
	if tool := c.One("tool memory_search"); tool.Parent != call.ID {
		t.Errorf("tool = %+v, want one below the call", tool)
	}
}
