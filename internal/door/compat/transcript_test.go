package compat_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
	"github.com/trilith-memory/trilith/internal/door/compat/mem0"
	"github.com/trilith-memory/trilith/internal/door/compat/zep"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

var dialects = []*compat.Dialect{&mem0.Dialect, &zep.Dialect}

// edge is the dialects beside the API, over a memory whose clock stands still while a request is answered.
type edge struct {
	http.Handler
	engine  *engine.Engine
	seconds *atomic.Int64
}

func open(t *testing.T, erase bool, change ...func(*engine.Config)) edge {
	t.Helper()
	e := edge{seconds: new(atomic.Int64)}
	now := func() time.Time {
		return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC).Add(time.Duration(e.seconds.Load()) * time.Second)
	}
	store := inmem.New(now)
	embedder, err := hashembed.New(32)
	if err != nil {
		t.Fatal(err)
	}
	c := engine.Config{Store: store, Log: store, Queue: store,
		Text: indextest.NewText(), Graph: walk.OverStore(store), Vectors: indextest.NewVector(), Embedder: embedder,
		Now: now, Extract: trilith.ExtractRules}
	for _, f := range change {
		f(&c)
	}
	if e.engine, err = engine.Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.engine.Close() })
	beside := map[string]func(rest.Guard) http.Handler{}
	for _, d := range dialects {
		beside[d.Prefix()] = func(g rest.Guard) http.Handler {
			return checked(t.Errorf, d, d.Handler(e.engine, g, compat.Options{Prefix: d.Prefix(), Erases: erase, Now: now}))
		}
	}
	e.Handler = rest.New(rest.Config{Engine: e.engine, Local: true, Beside: beside})
	return e
}

func (e edge) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	e.seconds.Add(1)
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:7700"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

// as is the header of a fresh key, with a scheme of the vendors'.
func (e edge) as(t *testing.T, scheme, tenant string, a trilith.Access, bound ...trilith.Scope) []string {
	t.Helper()
	r := trilith.APIKeyRequest{Name: "phone", Tenant: tenant, Access: a}
	for _, s := range bound {
		r.Scope = s
	}
	secret, _, err := e.engine.CreateKey(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"Authorization", scheme + " " + secret}
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	names  = regexp.MustCompile(`<\d+>`)
	scores = regexp.MustCompile(`"(score|relevance|semantic|bm25|entity)":[0-9.e-]+`)
)

// TestTranscripts sends the requests of testdata, as the vendors' clients send them, and compares the answers. A line
// that begins with > is a request; the line behind it is its answer. Ids are written as <1>, <2> and so on, in the
// order in which they are seen, in requests too.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, file := range transcripts(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := played(open(t, false), dialectOf(file), string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

func transcripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < len(dialects) {
		t.Fatal(files, err)
	}
	return files
}

// played is a transcript with the answers that come now.
func played(e edge, d *compat.Dialect, transcript string) string {
	var out strings.Builder
	var ids []string
	for _, line := range strings.Split(strings.TrimRight(transcript, "\n"), "\n") {
		request, isRequest := strings.CutPrefix(line, "> ")
		if !isRequest {
			if line == "" || line[0] == '#' {
				fmt.Fprintln(&out, line)
			}
			continue
		}
		fmt.Fprintln(&out, line)
		request = names.ReplaceAllStringFunc(request, func(name string) string {
			if n, _ := strconv.Atoi(strings.Trim(name, "<>")); n >= 1 && n <= len(ids) {
				return ids[n-1]
			}
			return name
		})
		parts := append(strings.SplitN(request, " ", 3), "")
		w := e.do(parts[0], strings.TrimSuffix(d.Prefix(), "/")+parts[1], parts[2])
		answer := uuids.ReplaceAllStringFunc(canonical(w.Body.Bytes()), func(id string) string {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			return fmt.Sprintf("<%d>", slices.Index(ids, id)+1)
		})
		fmt.Fprintln(&out, w.Code, scores.ReplaceAllString(answer, `"$1":0.5`))
	}
	return out.String()
}

// canonical writes JSON with the members of objects in order.
func canonical(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return string(data)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.Encode(v)
	return strings.TrimSpace(out.String())
}
