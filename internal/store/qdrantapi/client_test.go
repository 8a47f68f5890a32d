package qdrantapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
)

// answers is a transport that answers as a function of how often it was asked.
type answers func(n int, r *http.Request) (*http.Response, error)

type transport struct {
	answer answers
	asked  atomic.Int64
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.answer(int(t.asked.Add(1)), r)
}

// respond is an answer of a server.
func respond(status int, body string, header ...string) *http.Response {
	w := httptest.NewRecorder()
	for i := 0; i+1 < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(status)
	_, _ = w.WriteString(body)
	return w.Result()
}

func client(t *testing.T, a answers, change ...func(*qdrantapi.Options)) (*qdrantapi.Client, *transport) {
	t.Helper()
	tr := &transport{answer: a}
	o := qdrantapi.Options{Addresses: []string{"http://one:6333"}, Transport: tr}
	for _, f := range change {
		f(&o)
	}
	c, err := qdrantapi.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, tr
}

var refused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// TestCallRepeats: a request that may succeed the next time is repeated a few times, and no other request is.
func TestCallRepeats(t *testing.T) {
	t.Parallel()
	bad := func(status int, header ...string) answers {
		return func(int, *http.Request) (*http.Response, error) {
			return respond(status, `{"status":{"error":"the server says secret things"}}`, header...), nil
		}
	}
	cut := func(int, *http.Request) (*http.Response, error) { return nil, errors.New("EOF") }
	for _, c := range []struct {
		what   string
		answer answers
		asked  int64
		kind   trilith.ErrorKind
	}{
		{"too many requests", bad(429), 4, trilith.Unavailable},
		{"too many requests, and much later", bad(429, "Retry-After", "60"), 1, trilith.Unavailable},
		{"too many requests, and a little later", bad(429, "Retry-After", "1"), 4, trilith.Unavailable},
		{"away", bad(503), 4, trilith.Unavailable},
		{"a broken connection", cut, 4, trilith.Unavailable},
		{"a fault", bad(500), 1, trilith.Unavailable},
		{"a wrong request", bad(400), 1, trilith.Internal},
		{"nothing there", bad(404), 1, trilith.NotFound},
		{"there already", bad(409), 1, trilith.Conflict},
		{"no key", bad(401), 1, trilith.Unauthenticated},
		{"a key that may not", bad(403), 1, trilith.Forbidden},
		{"a redirect", bad(302, "Location", "http://two"), 1, trilith.Internal},
		{"no JSON", func(int, *http.Request) (*http.Response, error) { return respond(200, "<html>"), nil }, 1,
			trilith.Internal},
		{"nobody there", func(int, *http.Request) (*http.Response, error) { return nil, refused }, 1,
			trilith.Unavailable},
	} {
		synctest.Test(t, func(t *testing.T) {
			x, tr := client(t, c.answer)
			var result any
			err := x.Call(t.Context(), http.MethodPost, "/collections/x", map[string]any{"a": 1}, &result)
			if err == nil || trilith.KindOf(err) != c.kind || strings.Contains(trilith.MessageOf(err), "secret") {
				t.Errorf("%s: Call = %v; want %s, without what the server says", c.what, err, c.kind)
			}
			if n := tr.asked.Load(); n != c.asked {
				t.Errorf("%s: asked %d times, want %d", c.what, n, c.asked)
			}
		})
	}
}

// TestCallGoesOn: a request whose answer was lost is sent whole again, and its answer counts.
func TestCallGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, _ := client(t, func(n int, r *http.Request) (*http.Response, error) {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["a"] != 1.0 {
				t.Errorf("try %d holds %v, %v", n, body, err)
			}
			if n < 3 {
				return nil, errors.New("EOF")
			}
			return respond(200, `{"result":{"count":7},"status":"ok"}`), nil
		})
		var result struct{ Count int }
		err := x.Call(t.Context(), http.MethodPost, "/x", map[string]any{"a": 1}, &result)
		if err != nil || result.Count != 7 {
			t.Errorf("Call = %+v, %v; want 7", result, err)
		}
	})
}

// TestCallHosts: a host that is not there is passed over, and the one that answers is asked from then on.
func TestCallHosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, tr := client(t, func(_ int, r *http.Request) (*http.Response, error) {
			if r.URL.Hostname() == "one" {
				return nil, refused
			}
			return respond(200, `{"result":true}`), nil
		}, func(o *qdrantapi.Options) { o.Addresses = []string{"http://one:6333", "http://two:6333"} })
		for range 3 {
			if err := x.Call(t.Context(), http.MethodGet, "/x", nil, nil); err != nil {
				t.Fatalf("Call = %v, want nil", err)
			}
		}
		if n := tr.asked.Load(); n != 4 {
			t.Errorf("asked %d times, want 4: the first host once", n)
		}
	})
}

// TestCallHangs: a server that does not answer in time is left alone for a moment, so that not everybody waits for it.
func TestCallHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := true
		x, tr := client(t, func(_ int, r *http.Request) (*http.Response, error) {
			if hangs {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return respond(200, `{"result":true}`), nil
		}, func(o *qdrantapi.Options) { o.Timeout = 5 * time.Second })
		begin := time.Now()
		for range 3 {
			if err := x.Call(t.Context(), http.MethodGet, "/x", nil, nil); trilith.KindOf(err) != trilith.Unavailable {
				t.Errorf("Call = %v, want unavailable", err)
			}
		}
		if d := time.Since(begin); d > 6*time.Second || tr.asked.Load() != 1 {
			t.Errorf("three calls took %v and asked %d times, want one to wait", d, tr.asked.Load())
		}
		hangs = false
		<-time.After(4 * time.Second)
		if err := x.Call(t.Context(), http.MethodGet, "/x", nil, nil); err != nil {
			t.Errorf("Call after the rest = %v, want nil", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := x.Call(ctx, http.MethodGet, "/x", nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Call with a canceled context = %v", err)
		}
		x.Close()
		if err := x.Call(t.Context(), http.MethodGet, "/x", nil, nil); trilith.KindOf(err) != trilith.Unavailable {
			t.Errorf("Call after Close = %v, want unavailable", err)
		}
	})
}

// TestKey: the key is sent, never unencrypted to another machine unless that is allowed, and is in no error.
func TestKey(t *testing.T) {
	t.Parallel()
	got := ""
	x, _ := client(t, func(_ int, r *http.Request) (*http.Response, error) {
		got = r.Header.Get("Api-Key")
		return respond(401, "secret-1 is wrong"), nil
	}, func(o *qdrantapi.Options) { o.Key, o.Addresses = "secret-1", []string{"https://one"} })
	if _, err := x.Version(t.Context()); err == nil || strings.Contains(trilith.MessageOf(err), "secret-1") {
		t.Errorf("Version = %v, want an error without the key", err)
	}
	if got != "secret-1" {
		t.Errorf("the key that was sent is %q", got)
	}
	for address, ok := range map[string]bool{"http://one:6333": false, "https://one": true, "http://localhost:6333": true,
		"http://127.0.0.1:6333": true, "http://[::1]:6333": true, "ftp://one": false, "http://u@one": false,
		"http://one?a=b": false, "": false} {
		_, err := qdrantapi.New(qdrantapi.Options{Addresses: []string{address}, Key: "secret-1"})
		if (err == nil) != ok {
			t.Errorf("New with a key and %q = %v, want it taken: %v", address, err, ok)
		}
	}
	if _, err := qdrantapi.New(qdrantapi.Options{}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("New without an address = %v, want invalid", err)
	}
	o := qdrantapi.Options{Addresses: []string{"https://one"}, CAFile: []byte("nonsense")}
	if _, err := qdrantapi.New(o); err == nil {
		t.Error("New with a file of authorities that holds none = nil, want an error")
	}
}

// TestPointID: ids of points are numbers or texts, and go back as they came.
func TestPointID(t *testing.T) {
	t.Parallel()
	for _, want := range []string{`17`, `18446744073709551615`, `"3b241101-e2bb-4255-8caf-4136c566a962"`} {
		var id qdrantapi.PointID
		if err := json.Unmarshal([]byte(want), &id); err != nil {
			t.Errorf("Unmarshal(%s) = %v", want, err)
		}
		if got, err := json.Marshal(id); err != nil || string(got) != want {
			t.Errorf("Marshal(%q) = %s, %v; want %s", id, got, err, want)
		}
	}
}

// TestNotCompressed: no compressed answers are asked for. Qdrant sends those in pieces, and the last one waits for an
// acknowledgement of the piece before it, which takes the other side 40 ms.
func TestNotCompressed(t *testing.T) {
	t.Parallel()
	encodings := make(chan string, 1)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		encodings <- r.Header.Get("Accept-Encoding")
		w.Write([]byte(`{"result":{}}`))
	}))
	t.Cleanup(h.Close)
	c, err := qdrantapi.New(qdrantapi.Options{Addresses: []string{h.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Call(t.Context(), http.MethodGet, "/", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := <-encodings; got != "" && got != "identity" {
		t.Errorf("Accept-Encoding = %q, want none", got)
	}
}
