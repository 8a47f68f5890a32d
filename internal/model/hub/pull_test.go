package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hub"
	"github.com/trilith-memory/trilith/internal/test/hubtest"
)

const weightBytes = 300_000

// setup starts a hub, a client of it and a folder of models.
func setup(t *testing.T, o hub.Options) (*hubtest.Hub, *hub.Client, *hub.Puller) {
	t.Helper()
	h := hubtest.Start(weightBytes)
	t.Cleanup(h.Close)
	o.Address = h.URL
	c, err := hub.NewClient(o)
	if err != nil {
		t.Fatalf("NewClient: %v", err)
	}
	return h, c, &hub.Puller{Dir: filepath.Join(t.TempDir(), "models")}
}

// pull orders the toy and fetches it, as the command does.
func pull(ctx context.Context, c *hub.Client, p *hub.Puller, revision, sha256 string) (hub.Model, string, error) {
	m, err := hub.Order(hubtest.Repository, revision, sha256)
	if err != nil {
		return m, "", err
	}
	if m, err = c.Complete(ctx, m); err != nil {
		return m, "", err
	}
	return p.Pull(ctx, c, m)
}

func mustPull(t *testing.T, c *hub.Client, p *hub.Puller) (hub.Model, string) {
	t.Helper()
	m, path, err := pull(t.Context(), c, p, "", "")
	if err != nil {
		t.Fatalf("Pull: %v", err)
	}
	return m, path
}

// refused checks that an error has a kind and says something, and that it gives no secret away.
func refused(t *testing.T, err error, kind trilith.ErrorKind, says string) {
	t.Helper()
	if err == nil || trilith.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v of kind %v, want kind %v saying %q", err, trilith.KindOf(err), kind, says)
	}
	for _, secret := range []string{"Signature", "private", "hf_secret"} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("error %v tells %q", err, secret)
		}
	}
}

// nothingLoads checks that a pull which failed left nothing that local: would take for a model.
func nothingLoads(t *testing.T, p *hub.Puller) {
	t.Helper()
	_, err := hub.Find(p.Dir, hubtest.Repository)
	refused(t, err, trilith.NotFound, "trilith model pull toy/encoder")
}

func TestPull(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{Token: "hf_secret"})
	var heard []int64
	p.Progress = func(done, total int64) { heard = append(heard, done, total) }
	m, path := mustPull(t, c, p)

	var files []string
	for _, f := range m.Files {
		files = append(files, f.Path)
		data, err := os.ReadFile(filepath.Join(path, f.Path))
		if err != nil || string(data) != string(h.Files[f.Path]) {
			t.Errorf("%s: %d bytes (%v), want what the hub has", f.Path, len(data), err)
		}
		if f.SHA256 != hubtest.SHA256(data) || f.Pin != hub.PinHub {
			t.Errorf("%s: SHA-256 %s by %s, want its hash, by the hub", f.Path, f.SHA256, f.Pin)
		}
	}
	want := []string{"1_Pooling/config.json", "config.json", "model.safetensors", "tokenizer.json",
		"tokenizer_config.json", "vocab.txt"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if m.Revision != hubtest.Revision || m.License != "apache-2.0" || m.Source != h.URL {
		t.Errorf("revision %s, licence %s, source %s, want those of the hub", m.Revision, m.License, m.Source)
	}
	if last := len(heard) - 1; last < 1 || heard[last] != m.Size() || heard[last-1] != m.Size() {
		t.Errorf("progress ends at %v, want %d of %[2]d", heard[max(last-1, 0):], m.Size())
	}
	if found, err := hub.Find(p.Dir, hubtest.Repository); err != nil || found != path {
		t.Errorf("Find = %q, %v, want %q", found, err, path)
	}
	there, err := os.ReadDir(path)
	if err != nil || len(there) != len(want)+1 { // and the lock file
		t.Errorf("the folder holds %v (%v), want the files and %s", there, err, hub.LockFile)
	}

	t.Run("the token goes to the hub alone", func(t *testing.T) {
		for _, r := range h.Requests() {
			if want := map[bool]string{false: "Bearer hf_secret"}[r.CDN]; r.Authorization != want {
				t.Errorf("%s (CDN: %t) was sent the authorization %q, want %q", r.Path, r.CDN, r.Authorization, want)
			}
		}
	})
	t.Run("pulling again asks for nothing", func(t *testing.T) {
		before := len(h.Requests())
		m, err := hub.Order(hubtest.Repository, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if here, at, ok, err := p.Here(t.Context(), m); !ok || err != nil || at != path ||
			here.Revision != hubtest.Revision {
			t.Errorf("Here = %s at %q, %t, %v, want that it is here", here.Revision, at, ok, err)
		}
		if after := len(h.Requests()); after != before {
			t.Errorf("%d requests, want none", after-before)
		}
	})
	t.Run("another revision is a conflict", func(t *testing.T) {
		_, _, _, err := p.Here(t.Context(), hub.Model{Name: hubtest.Repository, Revision: strings.Repeat("f", 40)})
		refused(t, err, trilith.Conflict, "trilith model remove toy/encoder")
	})
}

func partSize(t *testing.T, p *hub.Puller) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(p.Dir, "toy--encoder.partial", hub.Weights+".part"))
	if err != nil {
		t.Fatalf("nothing was kept of the broken download: %v", err)
	}
	return info.Size()
}

func TestResume(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	h.Cut(200_000)
	_, _, err := pull(t.Context(), c, p, "", "")
	refused(t, err, trilith.Unavailable, "pull again, and it resumes where it stopped")
	nothingLoads(t, p)
	kept, before := partSize(t, p), h.Sent()
	if kept == 0 || kept > 200_000 {
		t.Fatalf("%d bytes were kept, want some of the 200000", kept)
	}
	if l, err := hub.List(p.Dir); err != nil || l[len(l)-1].State != hub.Partial {
		t.Errorf("List ends with %+v, %v, want the toy, partial", l[len(l)-1], err)
	}

	_, path := mustPull(t, c, p)
	if sent := h.Sent() - before; sent != weightBytes-kept {
		t.Errorf("the second pull was sent %d bytes of weights, want the %d that were missing", sent, weightBytes-kept)
	}
	last := h.Requests()[len(h.Requests())-1]
	for _, r := range h.Requests() {
		if r.CDN {
			last = r
		}
	}
	if want := fmt.Sprintf("bytes=%d-", kept); last.Range != want || last.IfRange != `"`+
		hubtest.SHA256(h.Files[hub.Weights])+`"` {
		t.Errorf("the second pull asked for %q if it is %q, want %q of the same thing", last.Range, last.IfRange, want)
	}
	if data, err := os.ReadFile(filepath.Join(path, hub.Weights)); err != nil ||
		hubtest.SHA256(data) != hubtest.SHA256(h.Files[hub.Weights]) {
		t.Errorf("the weights are not those of the hub: %v", err)
	}
}

// A file that is another one by now is not joined to the beginning of the old one.
func TestResumeOfSomethingElse(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	h.Cut(200_000)
	_, _, err := pull(t.Context(), c, p, "", "")
	refused(t, err, trilith.Unavailable, "pull again")
	h.Files[hub.Weights] = slices.Repeat([]byte{7}, weightBytes)
	before := h.Sent()
	var done int64
	p.Progress = func(d, _ int64) { done = d }
	m, path := mustPull(t, c, p)
	if done != m.Size() {
		t.Errorf("progress ends at %d of %d", done, m.Size())
	}
	if sent := h.Sent() - before; sent != weightBytes {
		t.Errorf("%d bytes were sent, want all %d of the new file", sent, weightBytes)
	}
	if data, err := os.ReadFile(filepath.Join(path, hub.Weights)); err != nil || data[0] != 7 {
		t.Errorf("the weights begin with %v (%v), want the new ones", data[:1], err)
	}
}

// A pull continues an earlier one only if its files surely belong to the same thing.
func TestWhatIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ revision, tag string }{
		"another revision":                 {"toy/encoder@" + strings.Repeat("f", 40), ""},
		"a tag that is weak":               {"toy/encoder@" + hubtest.Revision, `W/"x"`},
		"no tag":                           {"toy/encoder@" + hubtest.Revision, "-"},
		"more than there is":               {"toy/encoder@" + hubtest.Revision, ""},
		"a finished file that has changed": {"toy/encoder@" + hubtest.Revision, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, client, p := setup(t, hub.Options{})
			left := map[string]string{".revision": c.revision, hub.Weights + ".part": strings.Repeat("x", 1000),
				"vocab.txt":           "another",
				hub.Weights + ".etag": `"` + hubtest.SHA256(h.Files[hub.Weights]) + `"`}
			switch {
			case c.tag == "-":
				delete(left, hub.Weights+".etag")
			case c.tag != "":
				left[hub.Weights+".etag"] = c.tag
			case name == "more than there is":
				left[hub.Weights+".part"] = strings.Repeat("x", weightBytes+1)
			}
			dir := filepath.Join(p.Dir, "toy--encoder.partial")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range left {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			mustPull(t, client, p)
			for _, r := range h.Requests() {
				if r.Range != "" {
					t.Errorf("%s was asked for %s, want all of it", r.Path, r.Range)
				}
			}
		})
	}
}

func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	answer := func(status int, headers ...string) func(*hubtest.Hub) {
		return func(h *hubtest.Hub) {
			h.Break(func(w http.ResponseWriter, _ *http.Request, cdn bool) bool {
				for i := 0; i < len(headers); i += 2 {
					w.Header().Set(headers[i], headers[i+1])
				}
				w.WriteHeader(status)
				if w.Header().Get("Link") != "" {
					_ = json.NewEncoder(w).Encode(map[string]string{"sha": hubtest.Revision})
				}
				return true
			})
		}
	}
	weights := func(f func(w http.ResponseWriter, r *http.Request, data []byte)) func(*hubtest.Hub) {
		return func(h *hubtest.Hub) {
			h.Break(func(w http.ResponseWriter, r *http.Request, cdn bool) bool {
				if cdn {
					f(w, r, h.Files[hub.Weights])
				}
				return cdn
			})
		}
	}
	list := func(change func([]hubtest.Entry) []hubtest.Entry) func(*hubtest.Hub) {
		return func(h *hubtest.Hub) {
			h.Break(func(w http.ResponseWriter, r *http.Request, _ bool) bool {
				if !strings.Contains(r.URL.Path, "/tree/") {
					return false
				}
				_ = json.NewEncoder(w).Encode(change(h.Listing()))
				return true
			})
		}
	}
	for _, c := range []struct {
		name   string
		break_ func(*hubtest.Hub)
		kind   trilith.ErrorKind
		says   string
	}{
		{"a repository that needs a token", answer(401), trilith.Unauthenticated, "HF_TOKEN"},
		{"terms that were not accepted", answer(403), trilith.Forbidden, "terms"},
		{"no such repository", answer(404), trilith.NotFound, "has no revision main of toy/encoder"},
		{"too many requests", answer(429, "Retry-After", "17"), trilith.Unavailable, `"17" seconds`},
		{"a hub in repair", answer(503), trilith.Unavailable, "busy"},
		{"a status that nobody expects", answer(418), trilith.Unavailable, "418"},
		{"an answer that is no JSON", answer(200), trilith.Unavailable, "cannot be read"},
		{"a question that is sent elsewhere", answer(302, "Location", "https://elsewhere.example/api"),
			trilith.Unavailable, "elsewhere.example"},
		{"a question that is sent round and round", answer(302, "Location", "/again"), trilith.Unavailable,
			"more than 5 times"},
		{"an unsafe way", answer(302, "Location", "http://elsewhere.example/?Signature=private"),
			trilith.Unavailable, "not safe"},
		{"a wrong hash", weights(func(w http.ResponseWriter, _ *http.Request, data []byte) {
			_, _ = w.Write(append(slices.Clone(data[:len(data)-1]), data[len(data)-1]+1))
		}), trilith.Internal, "discarded"},
		{"a small file that is another", func(h *hubtest.Hub) {
			h.Break(func(w http.ResponseWriter, r *http.Request, _ bool) bool {
				if !strings.HasSuffix(r.URL.Path, "/vocab.txt") {
					return false
				}
				_, _ = w.Write(slices.Repeat([]byte{'x'}, len(h.Files["vocab.txt"])))
				return true
			})
		}, trilith.Internal, "is the git object"},
		{"a list that goes on elsewhere", answer(200, "Link", `<https://elsewhere.example/>; rel="next"`),
			trilith.Internal, "elsewhere.example, which is another host"},
		{"a wrong length", weights(func(w http.ResponseWriter, _ *http.Request, data []byte) {
			w.Header().Set("Content-Length", "5000000")
			_, _ = w.Write(data)
		}), trilith.Internal, "sends 5000000 bytes"},
		{"more than was said", weights(func(w http.ResponseWriter, _ *http.Request, data []byte) {
			_ = http.NewResponseController(w).Flush() // so that no length is said
			_, _ = w.Write(append(slices.Clone(data), 'x'))
		}), trilith.Internal, "which has 300000"},
		{"less than was said", weights(func(w http.ResponseWriter, _ *http.Request, data []byte) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(data[:1000])
		}), trilith.Unavailable, "broke off after 1.0 kB of 300.0 kB"},
		{"a range that nobody asked for", weights(func(w http.ResponseWriter, _ *http.Request, data []byte) {
			w.Header().Set("Content-Range", "bytes 5-299999/300000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(data[5:])
		}), trilith.Unavailable, "starts from its beginning"},
		{"a path that leads out", list(func(es []hubtest.Entry) []hubtest.Entry {
			es[1].Path = "../" + es[1].Path
			return es
		}), trilith.Unavailable, `"../`},
		{"a file without a hash", list(func(es []hubtest.Entry) []hubtest.Entry {
			es[1].OID = "unknown"
			return es
		}), trilith.Unavailable, "no hash"},
		{"a file twice", list(func(es []hubtest.Entry) []hubtest.Entry { return append(es, es...) }),
			trilith.Internal, "twice"},
		{"pickled weights only", func(h *hubtest.Hub) { delete(h.Files, hub.Weights) }, trilith.Unsupported, "pickled"},
		{"no tokenizer", func(h *hubtest.Hub) { delete(h.Files, "vocab.txt"); delete(h.Files, "tokenizer.json") },
			trilith.Unsupported, "tokenizer.json"},
		{"no configuration", func(h *hubtest.Hub) { delete(h.Files, "config.json") }, trilith.Unsupported, "config.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, client, p := setup(t, hub.Options{Token: "hf_secret"})
			c.break_(h)
			_, _, err := pull(t.Context(), client, p, "", "")
			refused(t, err, c.kind, c.says)
			nothingLoads(t, p)
			h.Break(nil)
			if c.kind != trilith.Unsupported {
				mustPull(t, client, p) // whatever happened, it is in nobody's way
			}
		})
	}
}

// A hub that falls silent is given up, whether before its answer or in the middle of a file.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, cdn := range []bool{false, true} {
		h, c, p := setup(t, hub.Options{Stall: 20 * time.Millisecond})
		h.Break(func(w http.ResponseWriter, r *http.Request, atCDN bool) bool {
			if atCDN != cdn {
				return false
			}
			if cdn {
				_, _ = w.Write(h.Files[hub.Weights][:10])
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
			return true
		})
		_, _, err := pull(t.Context(), c, p, "", "")
		refused(t, err, trilith.Unavailable, "nothing was received for too long")
		nothingLoads(t, p)
	}
}

func TestGivingUp(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	h.Break(func(w http.ResponseWriter, r *http.Request, cdn bool) bool {
		if cdn {
			_, _ = w.Write(h.Files[hub.Weights][:10])
			_ = http.NewResponseController(w).Flush()
			cancel()
			<-r.Context().Done()
		}
		return cdn
	})
	if _, _, err := pull(ctx, c, p, "", ""); trilith.KindOf(err) != trilith.Canceled {
		t.Errorf("a pull that was given up: %v, want Canceled", err)
	}
	nothingLoads(t, p)
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	h.Close()
	_, _, err := pull(t.Context(), c, p, "", "")
	refused(t, err, trilith.Unavailable, "trilith model pull --from DIR NAME")
}

func TestPins(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	_, _, err := pull(t.Context(), c, p, "", strings.Repeat("0", 64))
	refused(t, err, trilith.Internal, "nothing was fetched")
	nothingLoads(t, p)
	m, _, err := pull(t.Context(), c, p, hubtest.Revision, strings.ToUpper(hubtest.SHA256(h.Files[hub.Weights])))
	if err != nil || !m.Pinned() {
		t.Errorf("Pull with the right hash: %v, pinned %t, want it pinned", err, m.Pinned())
	}
	_, err = hub.Order(hubtest.Repository, "", "abc")
	refused(t, err, trilith.Invalid, "64 hexadecimal digits")
	_, err = hub.Order("all-MiniLM-L6-v2", "", strings.Repeat("0", 64))
	refused(t, err, trilith.Conflict, "the catalogue says")
	_, err = hub.Order(hubtest.Repository, "../main", "")
	refused(t, err, trilith.Invalid, "revision")
}

// A commit is a commit: a hub that answers about another one is not believed.
func TestAnotherCommit(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	h.Break(func(w http.ResponseWriter, r *http.Request, _ bool) bool {
		if !strings.Contains(r.URL.Path, "/revision/") {
			return false
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"sha": strings.Repeat("f", 40)})
		return true
	})
	_, _, err := pull(t.Context(), c, p, hubtest.Revision, "")
	refused(t, err, trilith.Internal, "answers about ffff")
}

// An order that says everything asks the hub for nothing but the files.
func TestCompleteOrder(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	order := hub.Catalogue()[0]
	order.Repository, order.Revision = hubtest.Repository, hubtest.Revision
	for i, f := range order.Files {
		if _, ok := h.Files[f.Path]; !ok {
			h.Files[f.Path] = []byte("{}")
		}
		data := h.Files[f.Path]
		order.Files[i].Size, order.Files[i].SHA256 = int64(len(data)), hubtest.SHA256(data)
	}
	m, err := c.Complete(t.Context(), order)
	if err != nil || !m.Complete() {
		t.Fatalf("Complete: %v, complete %t", err, m.Complete())
	}
	if _, _, err := p.Pull(t.Context(), c, m); err != nil {
		t.Fatalf("Pull: %v", err)
	}
	for _, r := range h.Requests() {
		if strings.HasPrefix(r.Path, "/api/") {
			t.Errorf("the hub was asked for %s, want files only", r.Path)
		}
	}
	delete(h.Files, "modules.json")
	if _, err := hub.Remove(p.Dir, "all-MiniLM-L6-v2"); err != nil {
		t.Fatal(err)
	}
	_, _, err = p.Pull(t.Context(), c, m)
	refused(t, err, trilith.NotFound, "modules.json")
}

func TestRoom(t *testing.T) {
	t.Parallel()
	_, c, p := setup(t, hub.Options{})
	p.Free = func(string) (int64, error) { return 1000, nil }
	_, _, err := pull(t.Context(), c, p, "", "")
	refused(t, err, trilith.Exhausted, "needs 300.1 kB more")
	p.Free = func(string) (int64, error) { return 0, trilith.Errorf(trilith.Unsupported, "not known") }
	mustPull(t, c, p)
}

// Two at once would write into each other's files.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	var second, removing error
	h.Break(func(_ http.ResponseWriter, _ *http.Request, cdn bool) bool {
		if cdn && second == nil {
			_, _, second = pull(t.Context(), c, p, "", "")
			_, removing = hub.Remove(p.Dir, hubtest.Repository)
		}
		return false
	})
	mustPull(t, c, p)
	refused(t, second, trilith.Conflict, "another trilith process is working")
	refused(t, removing, trilith.Conflict, "another trilith process is working")
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{"": true, "https://mirror.example/hf/": true, "http://localhost:1": true,
		"http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://mirror.example": false, "ftp://mirror.example": false, "https://ana:secret@mirror.example": false,
		"https://mirror.example/?x=1": false, "mirror.example": false} {
		if _, err := hub.NewClient(hub.Options{Address: address}); (err == nil) != ok || err != nil &&
			strings.Contains(err.Error(), "secret") {
			t.Errorf("NewClient(%q): %v, want accepted: %t", address, err, ok)
		}
	}
}
