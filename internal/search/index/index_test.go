package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

var acme = trilith.Scope{Tenant: "acme"}

// counting is an embedder that counts the texts that it embedded, and fails as long as a test says so.
type counting struct {
	role.Embedder

	mu    sync.Mutex
	n     int // texts
	calls int
	err   error
	bad   string // texts that hold it are refused
}

func (c *counting) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if c.err != nil {
		return nil, c.err
	}
	for _, text := range texts {
		if c.bad != "" && strings.Contains(text, c.bad) {
			return nil, trilith.Errorf(trilith.Invalid, "this text is refused")
		}
	}
	c.n += len(texts)
	return c.Embedder.Embed(ctx, use, texts)
}

func (c *counting) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

func (c *counting) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// rig is an indexer and what it works on.
type rig struct {
	*index.Indexer
	store    *inmem.Store
	text     *indextest.Text
	vectors  *indextest.Vector
	embedder *counting
}

func newRig(t *testing.T) *rig {
	t.Helper()
	h, err := hashembed.New(32)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{store: inmem.New(time.Now), vectors: indextest.NewVector(), embedder: &counting{Embedder: h}}
	r.restart(t)
	return r
}

// restart makes a new indexer on the store, as the next process would: the text index begins empty.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	r.text = indextest.NewText()
	x, err := index.New(t.Context(),
		index.Config{Store: r.store, Log: r.store, Text: r.text, Vectors: r.vectors, Embedder: r.embedder,
			Generation: index.Generation(r.embedder),
			Now:        time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	r.Indexer = x
}

// put commits n memories of a tenant, numbered from first.
func (r *rig) put(t *testing.T, tenant string, first, n int) []trilith.ID {
	t.Helper()
	var b role.Batch
	var ids []trilith.ID
	for i := first; i < first+n; i++ {
		m := trilith.Memory{ID: trilith.DeriveID(tenant, fmt.Sprint(i)), Version: 1, Kind: trilith.KindNote,
			Text:  fmt.Sprintf("Note number %d.", i),
			Scope: trilith.Scope{Tenant: tenant}, State: trilith.StateActive, EventTime: time.Unix(0, 0),
			RecordedAt: time.Unix(0, 0)}
		b.Memories = append(b.Memories, m)
		ids = append(ids, m.ID)
	}
	r.commit(t, tenant, b)
	return ids
}

func (r *rig) commit(t *testing.T, tenant string, b role.Batch) trilith.Cursor {
	t.Helper()
	done, err := r.store.Commit(t.Context(), trilith.Scope{Tenant: tenant}, b)
	if err != nil {
		t.Fatal(err)
	}
	return done.Cursor
}

// run starts Run and returns a function that ends it and waits.
func (r *rig) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { r.Run(ctx) })
	return func() {
		cancel()
		done.Wait()
	}
}

func (r *rig) await(t *testing.T) {
	t.Helper()
	head, err := r.store.Head(t.Context(), trilith.AsSystem("test"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Await(t.Context(), 0, head); err != nil {
		t.Fatalf("Await = %v", err)
	}
}

// held returns how many texts and vectors the indexes hold of the tenant.
func (r *rig) held(t *testing.T, tenant string) [2]int {
	t.Helper()
	s := trilith.Scope{Tenant: tenant}
	texts, err := r.text.Stamps(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := r.vectors.Stamps(t.Context(), s, index.Generation(r.embedder), nil)
	if err != nil {
		t.Fatal(err)
	}
	return [2]int{len(texts), len(vectors)}
}

func (r *rig) lag(t *testing.T) index.Lag {
	t.Helper()
	l, err := r.Lag(t.Context())
	if err != nil {
		t.Fatalf("Lag = %v", err)
	}
	return l
}

func TestCatchUpBringsTexts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put(t, "acme", 0, 3)
	r.put(t, "globex", 0, 2)
	if got, want := r.lag(t), (index.Lag{Text: 5, Vectors: 5}); got != want {
		t.Errorf("Lag of a new index = %+v, want %+v", got, want)
	}
	if err := r.CatchUp(t.Context()); err != nil {
		t.Fatalf("CatchUp = %v", err)
	}
	if a, g := r.held(t, "acme"), r.held(t, "globex"); a != [2]int{3, 0} || g != [2]int{2, 0} {
		t.Errorf("after CatchUp the indexes hold %v and %v, want the texts of both tenants", a, g)
	}
	if got, want := r.lag(t), (index.Lag{Vectors: 5}); got != want || r.embedder.count() != 0 {
		t.Errorf("Lag after CatchUp = %+v and %d texts are embedded, want %+v and none: a search must not wait for the embedder", got, r.embedder.count(), want)
	}
}

// TestCatchUpMeetsAWriter: a memory that changes while its text is indexed must still be in the index: it was
// acknowledged before the call, and its reader searches for it now.
func TestCatchUpMeetsAWriter(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ids := r.put(t, "acme", 0, 1)
	var once atomic.Bool
	r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Get" && once.CompareAndSwap(false, true) {
			r.put(t, "acme", 0, 1) // the next version
		}
		return nil
	}})
	if err := r.CatchUp(t.Context()); err != nil {
		t.Fatalf("CatchUp = %v", err)
	}
	if stamps, err := r.text.Stamps(t.Context(), acme, ids); err != nil || len(stamps) != 1 {
		t.Errorf("after CatchUp the text index holds %v, %v, want the memory in either version", stamps, err)
	}
}

// TestManyChanges goes over the size of one step.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for first := 0; first < 1200; first += 600 {
			r.put(t, "acme", first, 600)
		}
		if got := r.lag(t); got.Text != 1000 {
			t.Errorf("Lag.Text of 1200 changes = %d, want the bound of 1000", got.Text)
		}
		defer r.run(t)()
		r.await(t)
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.held(t, "acme"); got != [2]int{1200, 1200} || r.lag(t) != (index.Lag{}) {
			t.Errorf("the indexes hold %v with a lag of %+v, want 1200 each and none", got, r.lag(t))
		}
	})
}

func TestDeletesReachBothIndexes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ids := r.put(t, "acme", 0, 4)
		other := r.put(t, "globex", 0, 4)
		defer r.run(t)()
		r.await(t)
		r.commit(t, "acme", role.Batch{Delete: []role.Ref{{ID: ids[0]}, {ID: ids[1]}}})
		r.await(t)
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, g := r.held(t, "acme"), r.held(t, "globex"); a != [2]int{2, 2} || g != [2]int{len(other), len(other)} {
			t.Errorf("the indexes hold %v of acme and %v of globex, want 2 and %d each", a, g, len(other))
		}
	})
}

func TestRestartEmbedsNothingTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.put(t, "acme", 0, 20)
		stop := r.run(t)
		r.await(t)
		stop()
		r.restart(t)
		if got, want := r.lag(t), (index.Lag{Text: 20}); got != want {
			t.Errorf("Lag after a restart = %+v, want %+v", got, want)
		}
		r.put(t, "acme", 20, 5)
		defer r.run(t)()
		r.await(t)
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := r.embedder.count(); n != 25 || r.held(t, "acme") != [2]int{25, 25} {
			t.Errorf("%d texts were embedded and the indexes hold %v, want 25 of each: a restart must not cost money",
				n, r.held(t, "acme"))
		}
	})
}

func TestOutageKeepsThePosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.embedder.fail(trilith.Errorf(trilith.Unavailable, "away"))
		r.put(t, "acme", 0, 7)
		defer r.run(t)()
		<-time.After(time.Hour)
		if got, want := r.lag(t), (index.Lag{Vectors: 7}); got != want {
			t.Errorf("Lag during the outage = %+v, want %+v", got, want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		head, err := r.store.Head(ctx, trilith.AsSystem("test"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Await(ctx, 0, head); trilith.KindOf(err) != trilith.DeadlineExceeded {
			t.Errorf("Await during the outage = %v, want deadline_exceeded", err)
		}
		r.embedder.fail(nil)
		<-time.After(time.Minute)
		if got := r.lag(t); got != (index.Lag{}) || r.embedder.count() != 7 {
			t.Errorf("a minute after the outage: lag %+v, %d embedded, want none and 7", got, r.embedder.count())
		}
	})
}

func TestStoreOutageIsSurvived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.put(t, "acme", 0, 3)
		down := trilith.Errorf(trilith.Unavailable, "away")
		r.store.Inject(inmem.Fault{Before: func(context.Context, string) error { return down }})
		if err := r.CatchUp(t.Context()); err == nil {
			t.Error("CatchUp with the store away = nil: a search would miss what is known")
		}
		defer r.run(t)()
		<-time.After(time.Hour)
		r.store.Inject(inmem.Fault{})
		<-time.After(time.Minute)
		if got := r.held(t, "acme"); got != [2]int{3, 3} {
			t.Errorf("a minute after the outage the indexes hold %v, want 3 each", got)
		}
	})
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ids := r.put(t, "acme", 0, 10)
	r.commit(t, "acme", role.Batch{Delete: []role.Ref{{ID: ids[0]}}})
	orphan := role.TextPoint{Facets: trilith.Facets{ID: trilith.DeriveID("orphan"), Version: 1, Scope: acme},
		Text: "An orphan."}
	if err := r.text.Apply(t.Context(), []role.TextPoint{orphan}); err != nil {
		t.Fatal(err)
	}
	progress := 0
	if _, _, err := r.Rebuild(t.Context(), func(n int) { progress += n }); err != nil {
		t.Fatalf("Rebuild = %v", err)
	}
	if got := r.held(t, "acme"); got != [2]int{9, 9} || r.lag(t) != (index.Lag{}) || progress == 0 {
		t.Errorf("after Rebuild the indexes hold %v with a lag of %+v, progress %d; want 9 each and none", got,
			r.lag(t), progress)
	}
	before := r.embedder.count()
	if _, _, err := r.Rebuild(t.Context(), nil); err != nil || r.held(t, "acme") != [2]int{9, 9} ||
		r.embedder.count() == before {
		t.Errorf("Rebuild again = %v, the indexes hold %v, %d more embedded", err, r.held(t, "acme"),
			r.embedder.count()-before)
	}
}

func TestWithoutVectors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	x, err := index.New(t.Context(),
		index.Config{Store: r.store, Log: r.store, Text: r.text, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ids := r.put(t, "acme", 0, 3)
	texts, vectors, err := x.Rebuild(t.Context(), nil)
	if err != nil || texts != 3 || vectors != 0 {
		t.Errorf("Rebuild without an embedder = %d, %d, %v, want 3 texts", texts, vectors, err)
	}
	if err := x.Await(t.Context(), 0, "far away"); err != nil {
		t.Errorf("Await without an embedder = %v: there is nothing to wait for", err)
	}
	if err := x.EmbedAgain(t.Context(), "acme", index.EmbedJob{IDs: ids[:1]}); err != nil {
		t.Errorf("EmbedAgain without an embedder = %v", err)
	}
	if l, err := x.Lag(t.Context()); err != nil || l != (index.Lag{}) {
		t.Errorf("Lag without an embedder = %+v, %v", l, err)
	}
}

func TestEmbedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ids := r.put(t, "acme", 0, 1)
	if err := r.EmbedAgain(t.Context(), "acme", index.EmbedJob{IDs: ids[:1]}); err != nil ||
		r.held(t, "acme") != [2]int{0, 1} {
		t.Errorf("EmbedAgain = %v, the indexes hold %v, want one vector", err, r.held(t, "acme"))
	}
	if err := r.EmbedAgain(t.Context(), "acme", index.EmbedJob{IDs: []trilith.ID{trilith.DeriveID("gone")}}); err != nil {
		t.Errorf("EmbedAgain of a memory that is gone = %v: the job would never end", err)
	}
	away := trilith.Errorf(trilith.Unavailable, "away")
	r.embedder.fail(away)
	if err := r.EmbedAgain(t.Context(), "acme", index.EmbedJob{IDs: ids[:1]}); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("EmbedAgain with the embedder away = %v, want unavailable", err)
	}
}

func TestTextOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 3, 4, 23, 0, 0, 0, time.UTC)
	about := map[string]any{"document": "guide.md", "heading": "Oslo", "other": "x"}
	for _, c := range []struct {
		why  string
		m    trilith.Memory
		want string
	}{
		{"a question names the day and the speaker",
			trilith.Memory{Kind: trilith.KindEpisode, Text: "I sail.", Speaker: "Ana", EventTime: at},
			"4 March 2025 Ana: I sail."},
		{"a turn without a name", trilith.Memory{Kind: trilith.KindEpisode, Text: "I sail.", EventTime: at},
			"4 March 2025 I sail."},
		{"a passage is understood by its headings",
			trilith.Memory{Kind: trilith.KindPassage, Text: "It rains.", Metadata: about}, "guide.md: Oslo: It rains."},
		{"metadata of another type is no heading",
			trilith.Memory{Kind: trilith.KindPassage, Text: "It rains.", Metadata: map[string]any{"heading": 7.0}},
			"It rains."},
		{"a note is what it says", trilith.Memory{Kind: trilith.KindNote, Text: "I sail.", Speaker: "Ana", EventTime: at,
			Metadata: about}, "I sail."},
		{"so is an entry", trilith.Memory{Kind: trilith.KindEntry, Text: "Title\nContent", Metadata: about},
			"Title\nContent"},
	} {
		if diff := cmp.Diff(c.want, index.TextOf(&c.m)); diff != "" {
			t.Errorf("TextOf(%+v), but %s (-want +got):\n%s", c.m, c.why, diff)
		}
	}
}

func TestEmbeddingTextOf(t *testing.T) {
	t.Parallel()
	many := map[string]any{}
	for i := range 20 {
		many[fmt.Sprintf("k%02d", i)] = float64(i)
	}
	var first strings.Builder
	for i := range 16 {
		fmt.Fprintf(&first, "\nk%02d: %d", i, i)
	}
	for _, c := range []struct {
		why   string
		entry trilith.Entry
		want  string
	}{
		{"an entry is its category, title and content",
			trilith.Entry{Category: "Roof", Title: "Slate", Content: "Lasts a century."},
			"Roof\nSlate\nLasts a century."},
		{"what is empty takes no line", trilith.Entry{Title: "Slate", Content: "Lasts."}, "Slate\nLasts."},
		{"short scalars count, in the order of their keys",
			trilith.Entry{Content: "x", Structured: map[string]any{"years": 100.5, "nails": map[string]any{
				"metal": "copper\n  wire", "bent": false}, "list": []any{"a"}, "none": nil, "empty": " ",
				"amount": "12"}},
			"x\namount: 12\nnails.bent: false\nnails.metal: copper wire\nyears: 100.5"},
		{"a long value is none of them",
			trilith.Entry{Content: "x",
				Structured: map[string]any{"a": strings.Repeat("y", 65), "b": strings.Repeat("z", 64)}},
			"x\nb: " + strings.Repeat("z", 64)},
		{"nor are the many", trilith.Entry{Content: "x", Structured: many}, "x" + first.String()},
	} {
		m := trilith.Memory{Kind: trilith.KindEntry, Text: "all of it", Entry: &c.entry}
		if diff := cmp.Diff(c.want, index.EmbeddingTextOf(&m)); diff != "" {
			t.Errorf("EmbeddingTextOf(%+v), but %s (-want +got):\n%s", c.entry, c.why, diff)
		}
	}
	note := trilith.Memory{Kind: trilith.KindEpisode, Text: "I sail.", Speaker: "Ana",
		EventTime: time.Date(2025, 3, 4, 0, 0, 0, 0, time.UTC)}
	if got := index.EmbeddingTextOf(&note); got != index.TextOf(&note) {
		t.Errorf("EmbeddingTextOf(%+v) = %q, want what is indexed", note, got)
	}
}

// The text that a provider embeds begins with speaker and time; a vector that is a sum of words does not include them.
func TestPlainTextOf(t *testing.T) {
	t.Parallel()
	turn := trilith.Memory{Kind: trilith.KindEpisode, Text: "I sail.", Speaker: "Ana",
		EventTime: time.Date(2025, 3, 4, 0, 0, 0, 0, time.UTC)}
	if got := index.PlainTextOf(&turn); got != turn.Text {
		t.Errorf("PlainTextOf(%+v) = %q, want its text", turn, got)
	}
	entry := trilith.Memory{Kind: trilith.KindEntry, Text: "all of it",
		Entry: &trilith.Entry{Title: "Slate", Content: "Lasts."}}
	if got := index.PlainTextOf(&entry); got != index.EmbeddingTextOf(&entry) {
		t.Errorf("PlainTextOf(%+v) = %q, want what is embedded", entry, got)
	}
}

func TestCheckpointMayTrail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		saved := func() (cursor trilith.Cursor, version int64) {
			t.Helper()
			rs, err := r.store.Records(t.Context(), trilith.Scope{Tenant: trilith.SystemTenant},
				role.RecordListing{Kind: role.RecordPosition})
			if err != nil || len(rs) > 1 {
				t.Fatalf("Records = %v, %v", rs, err)
			}
			if len(rs) == 0 {
				return "", 0
			}
			var p struct{ Cursor trilith.Cursor }
			if err := json.Unmarshal(rs[0].Body, &p); err != nil {
				t.Fatal(err)
			}
			return p.Cursor, rs[0].Version
		}
		head := func() trilith.Cursor {
			t.Helper()
			c, err := r.store.Head(t.Context(), trilith.AsSystem("test"), 0)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		stop := r.run(t)
		for i := range 20 {
			r.put(t, "acme", i, 1)
			r.await(t)
		}
		if at, version := saved(); at == head() || version > 1 {
			t.Errorf("the checkpoint was written %d times, last at %q, for twenty writes at once; want one that trails", version, at)
		}
		<-time.After(2 * time.Second)
		if at, version := saved(); at != head() || version > 2 {
			t.Errorf("two seconds later the checkpoint is at %q (written %d times), want the head %q", at, version, head())
		}
		r.put(t, "acme", 20, 1)
		r.await(t)
		stop()
		if at, _ := saved(); at != head() {
			t.Errorf("at the end the checkpoint is at %q, want the head %q", at, head())
		}
	})
}
