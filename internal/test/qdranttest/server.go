// Package qdranttest is a Qdrant server in the process of a test: the part of the REST API that a vector index needs,
// over collections in memory, with switches for what servers do at times. It searches by looking at every point, so an
// answer is exact.
package qdranttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Switches say how a server behaves. The zero value answers at once and well.
type Switches struct {
	Version     string         // the version that it reports; 1.19.0 if empty
	Key         string         // the API key that it wants; empty: none
	Strict      map[string]any // strict_mode_config of every collection; nil: it is off
	Shuffle     bool           // points of equal score come in another order every time
	Delayed     bool           // writes without wait=true are not seen, see [Server.Catch]
	LaggingBy   int            // counts that are not exact are so many too small
	Down        bool           // connections are cut before an answer
	Fail        int            // status that every request is answered with; 0: none
	FailEvery   int            // with Fail: only every so many requests fail, repeated ones go through
	CutEvery    int            // likewise, the answer of every so many is cut, after the request was done
	RetryAfter  string         // header of answers with status Fail
	OnRequest   func(method, path string, body []byte)
	NoMetadata  bool // an old server, which keeps no metadata of collections
	RefuseIndex bool // no payload index can be created
	Indexing    bool // collections say that they are not indexed yet
}

// Server is a Qdrant server. Its methods are safe for concurrent use.
type Server struct {
	mu          sync.Mutex
	switches    Switches
	collections map[string]*collection
	aliases     map[string]string
	requests    int
	interrupted map[string]int // requests that met FailEvery or CutEvery, and equal ones since, by method, path and body
	random      *rand.Rand
}

// New returns a server without collections.
func New() *Server {
	return &Server{collections: map[string]*collection{}, aliases: map[string]string{}, interrupted: map[string]int{},
		random: rand.New(rand.NewPCG(1, 2))}
}

// Start serves on a port of this machine until the test ends, and returns the address, as http://127.0.0.1:PORT.
func Start(tb testing.TB, s *Server) string {
	tb.Helper()
	h := httptest.NewServer(s)
	tb.Cleanup(h.Close)
	return h.URL
}

// Set changes how the server behaves.
func (s *Server) Set(change func(*Switches)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.switches)
}

// Requests is how many requests there were.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Lose makes the server a new one, with nothing on it.
func (s *Server) Lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collections, s.aliases = map[string]*collection{}, map[string]string{}
}

// Catch makes the writes without wait=true seen.
func (s *Server) Catch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.collections {
		c.catch()
	}
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	text   string
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil && r.ContentLength > 0 {
		write(w, nil, refuse(http.StatusBadRequest, "Format error in JSON body: %v", err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	x := s.switches
	if x.OnRequest != nil {
		x.OnRequest(r.Method, r.URL.Path, body)
	}
	switch {
	case x.Down:
		panic(http.ErrAbortHandler)
	case x.Fail != 0 && (x.FailEvery == 0 || s.interrupts(x.FailEvery, r, body)):
		w.Header().Set("Retry-After", x.RetryAfter)
		write(w, nil, refuse(x.Fail, "Service unavailable"))
		return
	case x.Key != "" && r.Header.Get("Api-Key") != x.Key:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "Must provide an API key or an Authorization bearer token")
		return
	case r.URL.Path == "/":
		version := x.Version
		if version == "" {
			version = "1.19.0"
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"title": "qdrant - vector search engine", "version": version})
		return
	}
	result, no := s.route(r, body)
	if x.CutEvery > 0 && s.interrupts(x.CutEvery, r, body) {
		panic(http.ErrAbortHandler)
	}
	write(w, result, no)
}

// A request is interrupted mostInterruptions times at most, and then spared for as many equal requests as any number
// of clients send while one of them repeats its own: so a client's repetition goes through.
const (
	mostInterruptions = 2 // less than the attempts of a client
	spared            = 64
)

// interrupts reports whether a request is one of every so many.
func (s *Server) interrupts(every int, r *http.Request, body []byte) bool {
	what := r.Method + " " + r.URL.String() + " " + string(body)
	switch n := s.interrupted[what]; {
	case n == mostInterruptions+spared:
		delete(s.interrupted, what)
		return false
	case n >= mostInterruptions:
		s.interrupted[what]++
		return false
	case s.requests%every != 0:
		return false
	}
	s.interrupted[what]++
	return true
}

func write(w http.ResponseWriter, result any, no *refusal) {
	w.Header().Set("Content-Type", "application/json")
	if no != nil {
		w.WriteHeader(no.status)
		_ = json.NewEncoder(w).Encode(map[string]any{"status": map[string]any{"error": no.text}, "time": 0})
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"result": result, "status": "ok", "time": 0})
}

// route finds the operation of a request.
func (s *Server) route(r *http.Request, body []byte) (any, *refusal) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/collections" && r.Method == http.MethodGet:
		return s.list(), nil
	case r.URL.Path == "/aliases":
		return s.listAliases(), nil
	case r.URL.Path == "/collections/aliases" && r.Method == http.MethodPost:
		return s.changeAliases(body)
	case path[0] != "collections" || len(path) < 2:
		return nil, refuse(http.StatusNotFound, "Not found")
	}
	name := path[1]
	if len(path) == 2 {
		switch r.Method {
		case http.MethodPut:
			return s.create(name, body)
		case http.MethodDelete:
			return s.drop(name), nil
		}
	}
	c, no := s.named(name)
	if no != nil {
		return nil, no
	}
	wait := r.URL.Query().Get("wait") == "true"
	switch rest := strings.Join(path[2:], "/"); r.Method + " " + rest {
	case "GET ":
		return s.describe(c), nil
	case "PUT index":
		return c.index(body, s.switches.RefuseIndex)
	case "PUT shards":
		return true, nil
	case "PUT points":
		return c.upsert(body, wait || !s.switches.Delayed)
	case "POST points/delete":
		return c.delete(body, wait || !s.switches.Delayed)
	case "POST points/query":
		return s.query(c, body)
	case "POST points/query/batch":
		return s.queryBatch(c, body)
	case "POST points/scroll":
		return c.scroll(body)
	case "POST points/count":
		return c.count(body, s.switches.LaggingBy)
	}
	return nil, refuse(http.StatusNotFound, "Not found")
}
