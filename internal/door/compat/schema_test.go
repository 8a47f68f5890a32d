package compat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/trilith-memory/trilith/internal/door/compat"
)

// described is what a vendor says of good answers, by method and path; tools/scripts/vendor_schemas draws it. The second of a
// pair is for callers that name the members they want: none has to be there.
type described map[string][2]*jsonschema.Resolved

var descriptions = sync.OnceValues(func() (map[string]described, error) {
	out := map[string]described{}
	for _, d := range dialects {
		data, err := os.ReadFile("testdata/" + d.Name + ".schema.json")
		if err != nil {
			return nil, err
		}
		var file struct {
			Calls map[string]*jsonschema.Schema
			Defs  map[string]*jsonschema.Schema `json:"$defs"`
		}
		if err := json.Unmarshal(data, &file); err != nil {
			return nil, err
		}
		one := described{}
		for call, answer := range file.Calls {
			root := &jsonschema.Schema{Defs: map[string]*jsonschema.Schema{"answer": answer}, Ref: "#/$defs/answer"}
			for name, def := range file.Defs {
				root.Defs[name] = def
			}
			var pair [2]*jsonschema.Resolved
			for i := range pair {
				if i == 1 {
					optional(root)
				}
				if pair[i], err = root.CloneSchemas().Resolve(nil); err != nil {
					return nil, err
				}
			}
			one[call] = pair
		}
		out[d.Name] = one
	}
	return out, nil
})

// optional lets every member of a memory be left out.
func optional(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties["memory"] != nil {
		s.Required = nil
	}
	for _, in := range slices.Concat(s.AnyOf, []*jsonschema.Schema{s.Items}, slices.Collect(maps.Values(s.Properties)),
		slices.Collect(maps.Values(s.Defs))) {
		optional(in)
	}
}

// of returns the schema of the answers of a call, that whose path has the most words in common with it.
func (d described) of(method, path string) (found [2]*jsonschema.Resolved) {
	best := -1
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for call, pair := range d {
		words, ok := strings.CutPrefix(call, method+" ")
		pattern := strings.Split(words, "/")
		if !ok || len(pattern) != len(parts) {
			continue
		}
		same := 0
		for i, word := range pattern {
			switch word {
			case parts[i]:
				same++
			case "{}":
			default:
				same = -len(parts)
			}
		}
		if same > best {
			found, best = pair, same
		}
	}
	return found
}

// check says what is wrong with a good answer.
func (d described) check(r *http.Request, asked string, path string, answer []byte) error {
	pair := d.of(r.Method, path)
	if pair[0] == nil {
		return errors.New("the vendor describes no answer")
	}
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	if r.URL.Query().Has("fields") || strings.Contains(asked, `"fields":`) {
		return pair[1].Validate(v)
	}
	return pair[0].Validate(v)
}

// checked serves a dialect, and reports each good answer that is not as its vendor describes it.
func checked(report func(format string, args ...any), d *compat.Dialect, next http.Handler) http.Handler {
	all, err := descriptions()
	if err != nil {
		report("%v", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			report("%v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(asked))
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		path := strings.TrimPrefix(r.URL.Path, strings.TrimSuffix(d.Prefix(), "/"))
		if rec.Code < 300 {
			if err := all[d.Name].check(r, string(asked), path, rec.Body.Bytes()); err != nil {
				report("%s %s of %s is answered otherwise than the vendor says: %.600v\n%.600s", r.Method, path, d.Vendor, err,
					rec.Body)
			}
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	})
}

var (
	upstream = flag.String("upstream", "", "run no test, but the program of the arguments, through the check before this server")
	spoken   = flag.String("dialect", "", "the dialect that the program speaks")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *upstream == "" {
		os.Exit(m.Run())
	}
	os.Exit(checkProgram(flag.Args()))
}

// checkProgram has a program talk to a real server, and returns its exit code; 1 if an answer was not as described.
func checkProgram(command []string) (code int) {
	to, err := url.Parse(*upstream)
	if err != nil {
		panic(err)
	}
	d := dialects[slices.IndexFunc(dialects, func(d *compat.Dialect) bool { return d.Name == *spoken })]
	var bad atomic.Bool
	server := httptest.NewServer(checked(func(format string, args ...any) {
		bad.Store(true)
		fmt.Printf("FAIL "+format+"\n", args...)
	}, d, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host})
		r.Out.Header.Del("Accept-Encoding") // the answer is read here
	}}))
	defer server.Close()
	run := exec.Command(command[0], append(command[1:], server.URL+to.Path)...)
	run.Stdout, run.Stderr = os.Stdout, os.Stderr
	if run.Run() != nil || bad.Load() {
		return 1
	}
	return 0
}

// TestEveryCallIsChecked: the transcripts have a good answer of every call of a dialect, so that all are checked.
func TestEveryCallIsChecked(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		seen := map[string]bool{}
		mux := http.NewServeMux()
		for _, route := range d.Routes {
			mux.HandleFunc(route.Method+" "+route.Path, func(http.ResponseWriter, *http.Request) {})
		}
		var lines []string
		for _, file := range transcripts(t) {
			if transcript, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			} else if strings.HasPrefix(file, "testdata/"+d.Name) {
				lines = append(lines, strings.Split(string(transcript), "\n")...)
			}
		}
		for i, line := range lines {
			request, asked := strings.CutPrefix(line, "> ")
			if parts := strings.SplitN(request, " ", 3); asked && strings.HasPrefix(lines[i+1], "2") {
				path, _, _ := strings.Cut(names.ReplaceAllString(parts[1], "x"), "?")
				_, pattern := mux.Handler(httptest.NewRequest(parts[0], strings.TrimSuffix(path, "/"), nil))
				seen[pattern] = true
			}
		}
		for _, route := range d.Routes {
			if call := route.Method + " " + route.Path; !seen[call] {
				t.Errorf("no transcript of %s has a good answer of %s", d.Vendor, call)
			}
		}
	}
}
