// Package tracetest is a collector of OpenTelemetry on loopback that keeps the spans that it was sent.
package tracetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith/internal/trace"
)

// Span is a span as it reached the collector.
type Span struct {
	Trace, ID, Parent, Name string
	Kind                    trace.Kind
	Failed                  bool
	Start, End              string
	Attributes              map[string]string
}

// Collector takes spans, and fails its test if they come otherwise than the protocol says.
type Collector struct {
	*httptest.Server
	tb    testing.TB
	mu    sync.Mutex
	spans []Span
	text  strings.Builder
}

// New returns a collector that lives as long as the test.
func New(tb testing.TB) *Collector {
	tb.Helper()
	c := &Collector{tb: tb}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	tb.Cleanup(c.Close)
	return c
}

// Tracer returns a tracer that sends to the collector. Close it before the spans are looked at.
func (c *Collector) Tracer() *trace.Tracer {
	c.tb.Helper()
	t, err := trace.New(trace.Options{Endpoint: c.URL, Version: "test"})
	if err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(t.Close)
	return t
}

func (c *Collector) take(_ http.ResponseWriter, r *http.Request) {
	type value struct{ StringValue, IntValue string }
	var body struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Kind                                trace.Kind
					StartTimeUnixNano, EndTimeUnixNano  string
					Attributes                          []struct {
						Key   string
						Value value
					}
					Status struct{ Code int }
				}
			}
		}
	}
	var text strings.Builder
	err := json.NewDecoder(io.TeeReader(r.Body, &text)).Decode(&body)
	if err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/json" {
		c.tb.Errorf("%s %s is no request of OTLP: %v", r.Method, r.URL.Path, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.WriteString(text.String())
	for _, resource := range body.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				out := Span{Trace: s.TraceID, ID: s.SpanID, Parent: s.ParentSpanID, Name: s.Name, Kind: s.Kind,
					Failed: s.Status.Code == 2, Start: s.StartTimeUnixNano, End: s.EndTimeUnixNano,
					Attributes: map[string]string{}}
				for _, a := range s.Attributes {
					out.Attributes[a.Key] = a.Value.StringValue + a.Value.IntValue
				}
				c.spans = append(c.spans, out)
			}
		}
	}
}

// Spans returns the spans that came, in the order in which they ended.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Text returns all that came, word for word.
func (c *Collector) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// Named returns the spans of a name.
func (c *Collector) Named(name string) (out []Span) {
	for _, s := range c.Spans() {
		if s.Name == name {
			out = append(out, s)
		}
	}
	return out
}

// One returns the only span of a name.
func (c *Collector) One(name string) Span {
	c.tb.Helper()
	found := c.Named(name)
	if len(found) != 1 {
		var names []string
		for _, s := range c.Spans() {
			names = append(names, s.Name)
		}
		c.tb.Fatalf("%d spans are named %q, want one; there are %q", len(found), name, names)
	}
	return found[0]
}
