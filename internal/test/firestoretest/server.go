// Package firestoretest replaces Firestore: a server of those routes of its REST API that trilith uses, in the
// memory of a process.
//
// It is written from the product's own rules and not from trilith's requests, so it refuses the same requests as
// Firestore: documents over 1 MiB, queries that no index serves, fields that do not compare. It also counts the
// billed operations, and it can be told to be slow, to refuse calls, and to carry out a call whose answer never
// arrives.
package firestoretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Limits of the product.
const (
	maxRequest  = 4 << 20 // of the emulator; production takes 10 MiB
	maxDocument = 1 << 20
	maxIn       = 30
	maxNearest  = 1000
	maxDims     = 2048
	maxIndexed  = 1500 // bytes of a value in an index; a query for a longer one is refused
)

// Faults say how a server misbehaves. Functions are called for each request with its route, such as commit or
// runQuery, while nothing else of the server runs; nil ones do nothing.
type Faults struct {
	Latency time.Duration                   // passes before a request is carried out
	Refuse  func(route string) int          // a status to answer with instead of carrying the request out; 0: none
	Drop    func(route string) bool         // the request is carried out, and the connection ends without an answer
	Trace   func(route string, body []byte) // gets each request
}

// Bill counts operations as Firestore does for its bill.
type Bill struct {
	Reads, Writes, Deletes int
	Requests               map[string]int // by route
	ReadsOf                map[string]int // Reads by route and collection
	Largest                int            // bytes of the largest request
}

// Server is an [http.Handler] that holds any number of databases, each for itself.
type Server struct {
	mu        sync.Mutex
	faults    Faults
	bill      Bill
	databases map[string]*database
	indexes   []index // nil: queries need none, as with the emulator
	now       time.Time
}

// New returns an empty server.
func New() *Server {
	return &Server{databases: make(map[string]*database), bill: noBill()}
}

// SetFaults makes the server misbehave from now on, or behave, with none.
func (s *Server) SetFaults(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Bill returns the counts since the last call.
func (s *Server) Bill() Bill {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bill
	s.bill = noBill()
	return b
}

func noBill() Bill { return Bill{Requests: make(map[string]int), ReadsOf: make(map[string]int)} }

func (s *Server) read(route, collection string, n int) {
	s.bill.Reads += n
	s.bill.ReadsOf[route+" "+collection] += n
}

// Documents returns the paths of all documents of a database, for tests that look for left-over documents.
func (s *Server) Documents(project, name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	db := s.databases["projects/"+project+"/databases/"+name]
	if db == nil {
		return nil
	}
	for _, c := range db.collections {
		for d := range maps.Values(c) {
			out = append(out, d.path)
		}
	}
	return out
}

// Put stores a document at once, made of texts, float64, int64, bool, nil, [time.Time], []float64 for a vector, []any
// and map[string]any.
func (s *Server) Put(project, name, path string, doc map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	db := s.database("projects/" + project + "/databases/" + name)
	db.apply(change{path: path, fields: held(doc).(fields)}, s.tick())
}

// Remove deletes a document behind everybody's back.
func (s *Server) Remove(project, name, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.database("projects/"+project+"/databases/"+name).apply(change{path: path}, s.tick())
}

// Copy stores a document once more under another path, with some of its fields changed; see [Server.Put].
func (s *Server) Copy(project, name, from, to string, with map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	db := s.database("projects/" + project + "/databases/" + name)
	f := maps.Clone(db.get(from).fields)
	maps.Copy(f, held(with).(fields))
	db.apply(change{path: to, fields: f}, s.tick())
}

// held is a value as the server holds it.
func held(v any) any {
	switch v := v.(type) {
	case []float64:
		return vector(v)
	case []any:
		out := make(list, len(v))
		for i, x := range v {
			out[i] = held(x)
		}
		return out
	case map[string]any:
		out := make(fields, len(v))
		for name, x := range v {
			out[name] = held(x)
		}
		return out
	}
	return v
}

// failure is an error in Google's form.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
}

func (f *failure) Error() string { return f.Status + ": " + f.Message }

func refuse(code int, status, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...), status}
}

func invalid(format string, args ...any) *failure {
	return refuse(http.StatusBadRequest, "INVALID_ARGUMENT", format, args...)
}

var statuses = map[int]string{http.StatusConflict: "ABORTED", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
	http.StatusServiceUnavailable: "UNAVAILABLE", http.StatusForbidden: "PERMISSION_DENIED",
	http.StatusInternalServerError: "INTERNAL"}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil {
		return
	}
	database, parent, route, ok := split(r.URL.Path)
	s.mu.Lock()
	f := s.faults
	s.mu.Unlock()
	if f.Latency > 0 {
		timer := time.NewTimer(f.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	answer, err := func() (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bill.Requests[route]++
		s.bill.Largest = max(s.bill.Largest, len(body))
		if f.Trace != nil {
			f.Trace(route, body)
		}
		if f.Refuse != nil {
			if code := f.Refuse(route); code != 0 {
				return nil, refuse(code, statuses[code], "the server was told to refuse")
			}
		}
		if !ok || r.Method != http.MethodPost {
			return nil, refuse(http.StatusNotFound, "NOT_FOUND", "no such route: %s %s", r.Method, r.URL.Path)
		}
		if len(body) > maxRequest {
			return nil, refuse(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "message exceeds maximum size %d",
				maxRequest)
		}
		return s.carryOut(database, parent, route, body)
	}()
	if f.Drop != nil {
		s.mu.Lock()
		drop := f.Drop(route)
		s.mu.Unlock()
		if drop {
			panic(http.ErrAbortHandler)
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	code := http.StatusOK
	if err != nil {
		fail, known := err.(*failure)
		if !known {
			fail = refuse(http.StatusInternalServerError, "INTERNAL", "%v", err)
		}
		code = fail.Code
		answer = map[string]any{"error": fail}
		if route == "runQuery" || route == "batchGet" || route == "runAggregationQuery" { // they answer with a list
			answer = []any{answer}
		}
	}
	if err := enc.Encode(answer); err != nil {
		code = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_, _ = w.Write(out.Bytes())
}

// split takes a path apart: /v1/projects/P/databases/D/documents[/PARENT]:ROUTE.
func split(path string) (database, parent, route string, ok bool) {
	path, found := strings.CutPrefix(path, "/v1/")
	at := strings.LastIndexByte(path, ':')
	if !found || at < 0 {
		return "", "", "", false
	}
	path, route = path[:at], path[at+1:]
	database, parent, ok = strings.Cut(path, "/documents")
	parts := strings.Split(database, "/")
	ok = ok && len(parts) == 4 && parts[0] == "projects" && parts[2] == "databases"
	return database, strings.TrimPrefix(parent, "/"), route, ok
}

// database returns a database, which is made when it is first asked for.
func (s *Server) database(name string) *database {
	db := s.databases[name]
	if db == nil {
		db = &database{name: name, collections: make(map[string]map[string]*document)}
		s.databases[name] = db
	}
	return db
}

func (s *Server) carryOut(name, parent, route string, body []byte) (any, error) {
	db := s.database(name)
	switch route {
	case "commit":
		var q struct{ Writes []write }
		if err := read(body, &q); err != nil {
			return nil, err
		}
		return s.commit(db, q.Writes)
	case "batchWrite":
		var q struct{ Writes []write }
		if err := read(body, &q); err != nil {
			return nil, err
		}
		return s.batchWrite(db, q.Writes)
	case "batchGet":
		var q struct {
			Documents []string
			Mask      *struct{ FieldPaths []string }
		}
		if err := read(body, &q); err != nil {
			return nil, err
		}
		var only map[string]bool
		if q.Mask != nil {
			only = make(map[string]bool)
			for _, p := range q.Mask.FieldPaths {
				only[p] = true
			}
		}
		return s.batchGet(db, q.Documents, only)
	case "runQuery":
		var q struct{ StructuredQuery query }
		if err := read(body, &q); err != nil {
			return nil, err
		}
		return s.runQuery(db, parent, &q.StructuredQuery)
	case "runAggregationQuery":
		var q struct{ StructuredAggregationQuery aggregation }
		if err := read(body, &q); err != nil {
			return nil, err
		}
		return s.runAggregation(db, parent, &q.StructuredAggregationQuery)
	}
	return nil, refuse(http.StatusNotFound, "NOT_FOUND", "no such route: %s", route)
}

// read decodes a request; a field that is not known here would be one whose meaning is lost.
func read(body []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(to); err != nil {
		return invalid("Invalid JSON payload received. %v", err)
	}
	return nil
}

// tick returns a time after all that were returned before.
func (s *Server) tick() time.Time {
	now := time.Now().UTC().Truncate(time.Microsecond)
	if !now.After(s.now) {
		now = s.now.Add(time.Microsecond)
	}
	s.now = now
	return now
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }
