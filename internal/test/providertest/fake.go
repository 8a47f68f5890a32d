// Package providertest replaces the HTTP services of providers: servers that follow a script and record their
// requests, and a table of everything that goes wrong with such services, which every driver has to live with.
//
// A fake is reached through its Transport, over pipes inside the process. So a test in a bubble of testing/synctest
// waits for nothing, however long a driver pauses.
package providertest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Secret is the credential that drivers under test are given, and Text the text in their requests. Neither may appear
// in an error or a log line.
const (
	Secret = "sk-test-4f9a2c-secret"
	Text   = "Ana is allergic to walnuts."
)

// Request is a request as it arrived.
type Request struct {
	Method string
	Path   string // with its query
	Header http.Header
	Body   []byte
}

// Fake is a server that follows a script.
type Fake struct {
	URL       string // its base URL, on the loopback
	Transport *http.Transport
	Logger    *slog.Logger // keeps its records

	mu       sync.Mutex
	steps    []http.HandlerFunc
	requests []Request
	log      bytes.Buffer
}

// New starts a server that answers each request with the next step, and from then on with the last. It ends with the
// test.
func New(tb testing.TB, steps ...http.HandlerFunc) *Fake {
	f := &Fake{URL: "http://127.0.0.1:1", steps: steps}
	f.Logger = slog.New(slog.NewTextHandler(writer{f}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	f.Transport = &http.Transport{DialContext: l.dial}
	server := &http.Server{Handler: f, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(l) }() // it ends by being closed
	tb.Cleanup(func() {
		f.Transport.CloseIdleConnections()
		_ = server.Close()
		<-served
	})
	return f
}

// ServeHTTP records a request and answers it with the step that is due.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	step := f.steps[min(len(f.requests), len(f.steps)-1)]
	f.requests = append(f.requests, Request{r.Method, r.URL.RequestURI(), r.Header, body})
	f.mu.Unlock()
	step(w, r)
}

// Requests returns the requests that arrived so far.
func (f *Fake) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[:len(f.requests):len(f.requests)]
}

// Log returns the records logged so far.
func (f *Fake) Log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.String()
}

// writer appends to the log of a fake.
type writer struct{ *Fake }

func (w writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

// Want compares a request with the service's documentation: its path, the JSON of its body, and the headers named.
// The order of members and white space do not matter.
func (r Request) Want(t testing.TB, path, body string, headers map[string]string) {
	t.Helper()
	if r.Method != http.MethodPost || r.Path != path {
		t.Errorf("the request is %s %s, want POST %s", r.Method, r.Path, path)
	}
	if diff := cmp.Diff(decode(t, []byte(body)), decode(t, r.Body)); diff != "" {
		t.Errorf("the request's body differs (-want +got):\n%s", diff)
	}
	for name, want := range headers {
		if got := r.Header.Get(name); got != want {
			t.Errorf("the request's header %s is %q, want %q", name, got, want)
		}
	}
}

func decode(t testing.TB, body []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%.200s is not JSON: %v", body, err)
	}
	return v
}

// JSON answers with a status and a body, and with headers given as name, value, ….
func JSON(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body) // the client may have gone
	}
}

// Complaint answers with a status and a sentence that repeats the credential and the text, as services do.
func Complaint(status int, headers ...string) http.HandlerFunc {
	said := "cannot do this with the key " + Secret + ": " + Text
	return JSON(status, `{"error":{"code":`+strconv.Itoa(status)+`,"message":"`+said+`","type":"error"},"detail":"`+
		said+`","message":"`+said+`"}`, headers...)
}

// Reset closes the connection instead of answering.
func Reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Never takes the request and says nothing until the client gives up.
func Never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// After answers as step does, later.
func After(d time.Duration, step http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		pause(r.Context(), d)
		step(w, r)
	}
}

// KeptAlive answers as step does, after blank lines as DeepSeek sends them under load.
func KeptAlive(step http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for range 5 {
			io.WriteString(w, "\n")
			w.(http.Flusher).Flush()
			pause(r.Context(), time.Second)
		}
		w.Write(recorded(step, r).Body.Bytes())
	}
}

// Gzip answers as step does, packed.
func Gzip(step http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			http.Error(w, "the client does not take gzip", http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write(recorded(step, r).Body.Bytes())
		z.Close()
	}
}

// Truncated answers with the first half of step's answer.
func Truncated(step http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := recorded(step, r).Body.Bytes()
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body[:len(body)/2])
	}
}

func recorded(step http.HandlerFunc, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	step(w, r)
	return w
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// pipes is a listener inside the process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }
