package trace_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/tracetest"
	"github.com/trilith-memory/trilith/internal/trace"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestParent(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, header, want string }{
		{"sampled", parent, parent},
		{"not sampled", parent[:53] + "00", parent[:53] + "00"},
		{"flags that nobody knows yet", parent[:53] + "ff", parent},
		{"a later version, with more behind", "cc" + parent[2:] + "-what-the-future-is", parent},
		{"empty", "", ""},
		{"this version, with more behind", parent + "-x", ""},
		{"a later version, with something behind", "cc" + parent[2:] + ".x", ""},
		{"no version", "ff" + parent[2:], ""},
		{"too short", parent[:54], ""},
		{"capital letters", strings.ToUpper(parent), ""},
		{"no digits", strings.Replace(parent, "0af7", "0agh", 1), ""},
		{"no trace", "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", ""},
		{"no span", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", ""},
		{"other separators", strings.ReplaceAll(parent, "-", "_"), ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx := trace.WithParent(t.Context(), tc.header)
			if got := trace.Parent(ctx); got != tc.want {
				t.Errorf("Parent of %q = %q, want %q", tc.header, got, tc.want)
			}
			if got, want := trace.ID(ctx), strings.Split(tc.want+"--", "-")[1]; got != want {
				t.Errorf("ID of %q = %q, want %q", tc.header, got, want)
			}
		})
	}
}

func FuzzParent(f *testing.F) {
	f.Add(parent)
	f.Add("cc" + parent[2:] + "-x")
	f.Fuzz(func(t *testing.T, header string) {
		got := trace.Parent(trace.WithParent(t.Context(), header))
		if got == "" {
			return
		}
		if again := trace.Parent(trace.WithParent(t.Context(), got)); again != got {
			t.Errorf("Parent of %q = %q, and of that %q", header, got, again)
		}
	})
}

func newTracer(t *testing.T, o trace.Options) *trace.Tracer {
	t.Helper()
	tr, err := trace.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func TestSpansReachTheCollector(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	at := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	tr := newTracer(t, trace.Options{Endpoint: c.URL, Version: "9", Now: func() time.Time {
		at = at.Add(time.Millisecond)
		return at
	}})
	ctx, root := tr.Start(trace.WithParent(t.Context(), parent), "request", trace.Server)
	below, inner := trace.Start(ctx, "store.commit", trace.Internal)
	if got, want := trace.ID(below), trace.ID(ctx); got != want || got != parent[3:35] {
		t.Errorf("trace = %s below and %s above, want %s", got, want, parent[3:35])
	}
	inner.SetInt("trilith.memories", 3)
	inner.End(trilith.Errorf(trilith.Conflict, "a text of Ana's"))
	root.Rename("GET /api/v1/me")
	root.Set("trilith.request_id", "r1")
	root.Set("trilith.tenant", "")
	root.End(nil)
	tr.Close()

	got := c.Spans()
	if len(got) != 2 {
		t.Fatalf("%d spans arrived, want 2", len(got))
	}
	want := []tracetest.Span{
		{Trace: parent[3:35], Parent: got[1].ID, Name: "store.commit", Kind: trace.Internal, Failed: true,
			Attributes: map[string]string{"trilith.memories": "3", "error.type": "conflict"}},
		{Trace: parent[3:35], Parent: parent[36:52], Name: "GET /api/v1/me", Kind: trace.Server,
			Attributes: map[string]string{"trilith.request_id": "r1"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(tracetest.Span{}, "ID", "Start", "End")); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	within, outer := got[0], got[1]
	if within.ID == outer.ID || outer.Start >= within.Start || within.Start >= within.End || within.End >= outer.End {
		t.Errorf("spans = %+v, want the first inside of the second", got)
	}
	if strings.Contains(c.Text(), "Ana") {
		t.Error("the collector was sent the text of an error")
	}
	if sent, dropped := tr.Counts(); sent != 2 || dropped != 0 {
		t.Errorf("Counts = %d, %d, want 2, 0", sent, dropped)
	}
}

func TestNothingIsRecorded(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tr := newTracer(t, trace.Options{Endpoint: c.URL})
	var off *trace.Tracer
	unwanted := trace.WithParent(t.Context(), parent[:53]+"00")
	for name, start := range map[string]func(ctx context.Context) (context.Context, *trace.Span){
		"no tracer": func(ctx context.Context) (context.Context, *trace.Span) {
			return off.Start(ctx, "x", trace.Server)
		},
		"below no span": func(ctx context.Context) (context.Context, *trace.Span) {
			return trace.Start(ctx, "x", trace.Server)
		},
		"a caller that wants none": func(context.Context) (context.Context, *trace.Span) {
			return tr.Start(unwanted, "x", trace.Server)
		},
	} {
		ctx, s := start(t.Context())
		if s != nil {
			t.Errorf("%s: a span was begun", name)
		}
		_, below := trace.Start(ctx, "y", trace.Internal)
		below.End(nil)
		s.Set("a", "b")
		s.SetInt("a", 1)
		s.Rename("c")
		s.End(errors.New("no"))
	}
	off.Close()
	tr.Close()
	if n := len(c.Spans()); n != 0 {
		t.Errorf("%d spans arrived, want none", n)
	}
	if sent, dropped := off.Counts(); sent != 0 || dropped != 0 {
		t.Errorf("Counts of none = %d, %d", sent, dropped)
	}
}

// TestDroppedSpansAreCounted: a collector that refuses, redirects or does not answer costs spans and nothing else.
func TestDroppedSpansAreCounted(t *testing.T) {
	t.Parallel()
	elsewhere := tracetest.New(t)
	tests := map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/v1/traces", http.StatusTemporaryRedirect)
		},
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(answer)
			t.Cleanup(srv.Close)
			tr := newTracer(t, trace.Options{Endpoint: srv.URL})
			for range 3 {
				_, s := tr.Start(t.Context(), "x", trace.Server)
				s.End(nil)
			}
			_, late := tr.Start(t.Context(), "late", trace.Server)
			tr.Close()
			late.End(nil)
			if sent, dropped := tr.Counts(); sent != 0 || dropped != 4 {
				t.Errorf("Counts = %d, %d, want 0, 4", sent, dropped)
			}
		})
	}
}

// holding is a network on which no request comes through before the test lets it.
type holding struct{ begun, let chan struct{} }

func (h holding) RoundTrip(r *http.Request) (*http.Response, error) {
	h.begun <- struct{}{}
	<-h.let
	return nil, errors.New("away")
}

// TestTheQueueIsBounded: spans that do not fit are dropped at once, while the tracer waits for the collector.
func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	h := holding{make(chan struct{}, 100), make(chan struct{})}
	tr := newTracer(t, trace.Options{Endpoint: "http://collector.example", Network: h})
	spans := func(n int) {
		for range n {
			_, s := tr.Start(t.Context(), "x", trace.Server)
			s.End(nil)
		}
	}
	spans(512)
	<-h.begun // a batch is on its way, and nothing takes from the queue
	spans(5000)
	if _, dropped := tr.Counts(); dropped != 5000-4096 {
		t.Errorf("%d spans were dropped, want %d", dropped, 5000-4096)
	}
	close(h.let)
	tr.Close()
	if sent, dropped := tr.Counts(); sent != 0 || dropped != 5512 {
		t.Errorf("Counts = %d, %d, want 0, 5512", sent, dropped)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "collector", "grpc://collector:4317", "http://", "http://a:b@c", "http://c/?x=1"} {
		if _, err := trace.New(trace.Options{Endpoint: bad}); trilith.KindOf(err) != trilith.Invalid ||
			!strings.HasPrefix(trilith.MessageOf(err), "traces: ") {
			t.Errorf("New(%q) = %v, want Invalid about traces", bad, err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run("on="+strconv.FormatBool(on), func(b *testing.B) {
			ctx := b.Context()
			if on {
				tr, err := trace.New(trace.Options{Endpoint: "http://collector.example", Network: holding{
					make(chan struct{}, 1), make(chan struct{})}})
				if err != nil {
					b.Fatal(err)
				}
				ctx, _ = tr.Start(ctx, "request", trace.Server)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, s := trace.Start(ctx, "x", trace.Internal)
				s.End(nil)
			}
		})
	}
}
