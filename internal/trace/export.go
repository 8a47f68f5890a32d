package trace

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
)

// Bounds of the spans that wait to be sent, and of sending them.
const (
	maxWaiting = 4096 // spans; further ones are dropped while so many wait
	maxBatch   = 512  // spans of one request
	pause      = time.Second
	sendTime   = 5 * time.Second
	closeTime  = 3 * time.Second
)

// Options say where spans go.
type Options struct {
	// Endpoint is the address of a collector that takes OTLP over HTTP: http://127.0.0.1:4318. Spans go to /v1/traces
	// below it, and nowhere else: a redirect is a failure.
	Endpoint string
	Version  string            // of the program
	Logger   *slog.Logger      // nil: silent
	Now      func() time.Time  // nil: time.Now
	Network  http.RoundTripper // nil: one of its own
}

// Tracer makes spans and sends them to a collector, in the background and in batches. Nothing waits for it: a span for
// which there is no room is dropped and counted, and so are those that a collector does not take. Safe for concurrent
// use. A nil one traces nothing.
type Tracer struct {
	o      Options
	target string
	queue  chan *Span
	end    chan struct{}
	over   chan struct{}
	once   sync.Once
	bad    bool // the last request failed

	sent, dropped atomic.Int64
}

// New returns a tracer that sends until it is closed.
func New(o Options) (*Tracer, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, trilith.Errorf(trilith.Invalid,
			"traces: must be the address of a collector, such as http://127.0.0.1:4318, without user and query")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Network == nil {
		o.Network = &http.Transport{DialContext: (&net.Dialer{Timeout: sendTime}).DialContext,
			TLSHandshakeTimeout: sendTime, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute}
	}
	t := &Tracer{o: o, target: strings.TrimSuffix(u.String(), "/") + "/v1/traces", queue: make(chan *Span, maxWaiting),
		end: make(chan struct{}), over: make(chan struct{})}
	go t.run()
	return t, nil
}

// run sends a batch when it is full, and a partial one once in a while.
func (t *Tracer) run() {
	defer close(t.over)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var batch []*Span
	send := func(ctx context.Context) {
		if len(batch) > 0 {
			t.send(ctx, batch)
			batch = nil
		}
	}
	for {
		select {
		case s := <-t.queue:
			if batch = append(batch, s); len(batch) >= maxBatch {
				send(context.Background())
			}
		case <-tick.C:
			send(context.Background())
		case <-t.end:
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			defer cancel()
			for {
				select {
				case s := <-t.queue:
					if batch = append(batch, s); len(batch) >= maxBatch {
						send(ctx)
					}
					continue
				default:
				}
				send(ctx)
				return
			}
		}
	}
}

// send hands spans to the collector, once: a collector that is away must not make a service remember its past.
func (t *Tracer) send(ctx context.Context, spans []*Span) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err := t.post(ctx, t.request(spans))
	if err == nil {
		t.sent.Add(int64(len(spans)))
		t.bad = false
		return
	}
	t.dropped.Add(int64(len(spans)))
	if !t.bad { // once, not each second
		t.o.Logger.Warn("traces: the collector does not accept spans; they are dropped", "error", err)
	}
	t.bad = true
}

func (t *Tracer) post(ctx context.Context, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.target, bytes.NewReader(data))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "trilith/"+t.o.Version)
	res, err := t.o.Network.RoundTrip(r) // follows no redirect
	if err != nil {
		if ctx.Err() != nil {
			return errors.New("no answer in time")
		}
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16)) // so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}

// Close sends the waiting spans, for a few seconds at most. Spans that end later are dropped.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.once.Do(func() { close(t.end) })
	<-t.over
}

// The request of OTLP over HTTP with JSON, which writes ids in hexadecimal digits and large numbers as strings.
type (
	otlpRequest struct {
		ResourceSpans []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource struct {
			Attributes []otlpAttribute `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []otlpScope `json:"scopeSpans"`
	}
	otlpScope struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpSpan struct {
		TraceID      string          `json:"traceId"`
		SpanID       string          `json:"spanId"`
		ParentSpanID string          `json:"parentSpanId,omitempty"`
		Name         string          `json:"name"`
		Kind         Kind            `json:"kind"`
		Start        string          `json:"startTimeUnixNano"`
		End          string          `json:"endTimeUnixNano"`
		Attributes   []otlpAttribute `json:"attributes,omitempty"`
		Status       otlpStatus      `json:"status"`
	}
	otlpStatus struct {
		Code int `json:"code,omitempty"`
	}
	otlpAttribute struct {
		Key   string            `json:"key"`
		Value map[string]string `json:"value"`
	}
)

// statusError is the code of a span that failed.
const statusError = 2

func (t *Tracer) request(spans []*Span) otlpRequest {
	var scope otlpScope
	scope.Scope.Name, scope.Scope.Version = "trilith", t.o.Version
	for _, s := range spans {
		out := otlpSpan{TraceID: hex.EncodeToString(s.at.trace[:]), SpanID: hex.EncodeToString(s.at.span[:]),
			Name: s.name, Kind: s.kind, Start: nanos(s.start), End: nanos(s.end)}
		if s.parent != [8]byte{} {
			out.ParentSpanID = hex.EncodeToString(s.parent[:])
		}
		if s.failed {
			out.Status.Code = statusError
		}
		for _, a := range s.attributes {
			out.Attributes = append(out.Attributes, a.otlp())
		}
		scope.Spans = append(scope.Spans, out)
	}
	var resource otlpResource
	resource.Resource.Attributes = []otlpAttribute{attribute{"service.name", "trilith"}.otlp(),
		attribute{"service.version", t.o.Version}.otlp()}
	resource.ScopeSpans = []otlpScope{scope}
	return otlpRequest{[]otlpResource{resource}}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func (a attribute) otlp() otlpAttribute {
	if n, ok := a.value.(int); ok {
		return otlpAttribute{a.key, map[string]string{"intValue": strconv.Itoa(n)}}
	}
	text, _ := a.value.(string)
	return otlpAttribute{a.key, map[string]string{"stringValue": text}}
}

// Counts returns how many spans a collector has taken, and how many were dropped.
func (t *Tracer) Counts() (sent, dropped int64) {
	if t == nil {
		return 0, 0
	}
	return t.sent.Load(), t.dropped.Load()
}

func (t *Tracer) take(s *Span) {
	select {
	case <-t.end:
		t.dropped.Add(1)
		return
	default:
	}
	select {
	case t.queue <- s:
	default:
		t.dropped.Add(1)
	}
}
