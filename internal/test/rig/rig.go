// Package rig opens engines for the tests of the rooms, with the parts that they are made of and with steps that
// many tests share. A method that does what an operation of the engine does, and ends the test where it fails, has
// Must before its name.
package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// Two users of one tenant, and the tenant itself.
var (
	Ana  = trilith.Scope{Tenant: "acme", User: "ana", Actor: "tester"}
	Ben  = trilith.Scope{Tenant: "acme", User: "ben", Actor: "tester"}
	Acme = trilith.Scope{Tenant: "acme", Actor: "tester"}
)

// Rig is an engine with the parts that it is made of, so that a test can reach behind it.
type Rig struct {
	*engine.Engine
	Parts engine.Config
}

// InMemory opens an engine that keeps everything in memory; change may replace parts of it before.
func InMemory(tb testing.TB, change ...func(*engine.Config)) Rig {
	tb.Helper()
	store := inmem.New(time.Now)
	return Open(tb, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)}, change...)
}

// OnFile opens an engine on a sqlite file.
func OnFile(tb testing.TB, path string, change ...func(*engine.Config)) Rig {
	tb.Helper()
	store, err := sqlite.Open(tb.Context(), sqlite.Options{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	return Open(tb, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(store)},
		change...)
}

// OnPostgres opens an engine on a database.
func OnPostgres(tb testing.TB, url string, change ...func(*engine.Config)) Rig {
	tb.Helper()
	store, err := postgres.Open(tb.Context(), postgres.Options{URL: url})
	if err != nil {
		tb.Fatal(err)
	}
	return Open(tb, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)}, change...)
}

// OnNewPostgres opens an engine on a database of its own.
func OnNewPostgres(tb testing.TB, change ...func(*engine.Config)) Rig {
	tb.Helper()
	return OnPostgres(tb, pgtest.Database(tb), change...)
}

// Unswept lets no sweep come in the background for an hour, where one would reach one of two engines that are compared
// before the other.
func Unswept(t interface {
	Context() context.Context
	Fatal(args ...any)
}, store role.Store, now time.Time) {
	never := role.Record{Kind: role.RecordSchedule, ID: trilith.DeriveID("schedule", "sweep"), Version: 1,
		Body: json.RawMessage(now.Add(time.Hour).UTC().Format(`{"due":"` + time.RFC3339 + `"}`))}
	if _, err := store.Commit(t.Context(), trilith.Scope{Tenant: trilith.SystemTenant},
		role.Batch{Records: []role.Record{never}}); err != nil {
		t.Fatal(err)
	}
}

// NewPath is that of a store's file in a folder of the test.
func NewPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "trilith.db") }

// Open fills in what c lacks, opens the engine and closes it at the end of the test.
func Open(tb testing.TB, c engine.Config, change ...func(*engine.Config)) Rig {
	tb.Helper()
	c.Text, c.Graph, c.Version = embedded.NewText(nil), walk.OverStore(c.Store), "test"
	if c.Embedder == nil {
		c.Embedder = Hash(tb, 64)
	}
	for _, f := range change {
		f(&c)
	}
	e, err := engine.Open(tb.Context(), c)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return Rig{e, c}
}

// Hash is an embedder that needs no network.
func Hash(tb testing.TB, dims int) role.Embedder {
	tb.Helper()
	h, err := hashembed.New(dims)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// Lasting is a store and its vectors that outlive the engines on them, as a file and a server do.
type Lasting struct {
	*inmem.Store
	Vectors role.VectorIndex
}

// NewLasting makes a store in memory that its engines do not close.
func NewLasting() Lasting {
	return Lasting{inmem.New(time.Now), LastingVectors{embedded.NewVector(nil)}}
}

func (Lasting) Close() error { return nil }

// LastingVectors are vectors that their engines do not close.
type LastingVectors struct{ role.VectorIndex }

func (LastingVectors) Close() error { return nil }

// Reach is that of vectors that every process on the store finds.
func (LastingVectors) Reach() role.Reach { return role.ReachAll }

// Config is that of one more engine on the store.
func (l Lasting) Config() engine.Config {
	return engine.Config{Store: l, Log: l, Queue: l, Vectors: l.Vectors}
}

// Fussy is an embedder that refuses some texts and keeps count of the documents that it embedded.
type Fussy struct {
	role.Embedder

	mu     sync.Mutex
	refuse func(text string) error // nil: refuses none
	Done   map[string]int          // texts embedded as documents
}

// NewFussy makes an embedder that refuses the texts for which refuse returns an error.
func NewFussy(tb testing.TB, refuse func(string) error) *Fussy {
	tb.Helper()
	return &Fussy{Embedder: Hash(tb, 64), refuse: refuse, Done: map[string]int{}}
}

func (f *Fussy) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range texts {
		if f.refuse != nil {
			if err := f.refuse(text); err != nil {
				return nil, err
			}
		}
	}
	if use == role.ForDocument {
		for _, text := range texts {
			f.Done[text]++
		}
	}
	return f.Embedder.Embed(ctx, use, texts)
}

// RefuseNow replaces the embedder's rule for refusals.
func (f *Fussy) RefuseNow(refuse func(string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = refuse
}

// Embedded returns how many documents were embedded, repetitions counted.
func (f *Fussy) Embedded() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, times := range f.Done {
		n += times
	}
	return n
}

// Refusing refuses texts that hold the word.
func Refusing(word string, kind trilith.ErrorKind) func(string) error {
	return func(text string) error {
		if strings.Contains(text, word) {
			return trilith.Errorf(kind, "the embedder does not take this text")
		}
		return nil
	}
}

// MustRemember stores the memories of a request.
func (r Rig) MustRemember(tb testing.TB, s trilith.Scope, req trilith.RememberRequest) trilith.RememberResult {
	tb.Helper()
	res, err := r.Remember(tb.Context(), s, req)
	if err != nil {
		tb.Fatalf("Remember(%+v, %+v) = %v", s, req, err)
	}
	return res
}

// Say remembers one text and returns its memory.
func (r Rig) Say(tb testing.TB, s trilith.Scope, text string) trilith.Memory {
	tb.Helper()
	return r.One(tb, s, trilith.RememberRequest{Text: text})
}

// Note remembers one note and returns its memory.
func (r Rig) Note(tb testing.TB, s trilith.Scope, text string) trilith.Memory {
	tb.Helper()
	return r.One(tb, s, trilith.RememberRequest{Note: &trilith.Note{Content: text}})
}

// One remembers a request that makes one memory, and returns the memory.
func (r Rig) One(tb testing.TB, s trilith.Scope, req trilith.RememberRequest) trilith.Memory {
	tb.Helper()
	res := r.MustRemember(tb, s, req)
	if len(res.Memories) != 1 {
		tb.Fatalf("Remember(%+v) stored %d memories and rejected %+v, want one stored", req,
			len(res.Memories), res.Rejected)
	}
	return res.Memories[0]
}

// MustRecall recalls.
func (r Rig) MustRecall(tb testing.TB, s trilith.Scope, req trilith.RecallRequest) trilith.RecallResult {
	tb.Helper()
	res, err := r.Recall(tb.Context(), s, req)
	if err != nil {
		tb.Fatalf("Recall(%+v, %+v) = %v", s, req, err)
	}
	return res
}

// Found recalls and returns the texts that the arms find, best first.
func (r Rig) Found(tb testing.TB, s trilith.Scope, query string) []string {
	tb.Helper()
	return TextsOf(r.MustRecall(tb, s, trilith.RecallRequest{Query: query, StrongOnly: true}).Hits)
}

// MustSettle waits for the work that is to be done in the background.
func (r Rig) MustSettle(tb testing.TB) {
	tb.Helper()
	if err := r.Settle(tb.Context()); err != nil {
		tb.Fatalf("Settle: %v", err)
	}
}

// Tell stores a turn of a person with the facts derived from it.
func (r Rig) Tell(t testing.TB, s trilith.Scope, at, text string) trilith.Memory {
	t.Helper()
	return r.One(t, s, trilith.RememberRequest{Text: text, Timestamp: at, Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
}

// Known returns the facts of an entity.
func (r Rig) Known(t testing.TB, s trilith.Scope, q trilith.LookupRequest) []trilith.Memory {
	t.Helper()
	res, err := r.Lookup(t.Context(), s, q)
	if err != nil {
		t.Fatalf("Lookup(%+v, %+v) = %v", s, q, err)
	}
	return res.Facts
}

// User names the user of a scope.
func User(s trilith.Scope) trilith.Identifier {
	return trilith.Identifier{Type: "user_id", Value: s.User}
}

// TextsOf are the texts of hits, best first.
func TextsOf(hits []trilith.Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Memory.Text)
	}
	return out
}

// All lists every memory of the scope, by id.
func (r Rig) All(tb testing.TB, s trilith.Scope) []trilith.Memory {
	tb.Helper()
	p, err := r.List(tb.Context(), s, trilith.ListRequest{Limit: trilith.MaxPageSize, States: trilith.States()})
	if err != nil || p.NextCursor != "" {
		tb.Fatalf("List(%+v) = %v, more after it: %q", s, err, p.NextCursor)
	}
	return p.Items
}

// Items exports the scope, with the header's time taken out.
func (r Rig) Items(tb testing.TB, s trilith.Scope) []trilith.ExportItem {
	tb.Helper()
	var out []trilith.ExportItem
	for it, err := range r.Export(tb.Context(), s) {
		if err != nil {
			tb.Fatalf("Export(%+v) = %v", s, err)
		}
		if it.Header != nil {
			it.Header.At = time.Time{}
		}
		out = append(out, it)
	}
	return out
}

// Exported is the export as a file, one item a line.
func (r Rig) Exported(tb testing.TB, s trilith.Scope) string {
	tb.Helper()
	var b strings.Builder
	for _, it := range r.Items(tb, s) {
		line, err := json.Marshal(it)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// ParseExport reads an export as a program that imports a file would.
func ParseExport(tb testing.TB, file string) []trilith.ExportItem {
	tb.Helper()
	var out []trilith.ExportItem
	for d := json.NewDecoder(strings.NewReader(file)); ; {
		var it trilith.ExportItem
		if err := d.Decode(&it); err == io.EOF {
			return out
		} else if err != nil {
			tb.Fatal(err)
		}
		out = append(out, it)
	}
}

// MustRestore takes an export in and returns how many items were stored and skipped.
func (r Rig) MustRestore(tb testing.TB, s trilith.Scope, items []trilith.ExportItem) (stored, skipped int) {
	tb.Helper()
	stored, skipped, err := r.Restore(tb.Context(), s, items)
	if err != nil {
		tb.Fatalf("Restore(%+v, %d items) = %v", s, len(items), err)
	}
	return stored, skipped
}

// WantError checks the kind of an error and that its message has the given words.
func WantError(tb testing.TB, call string, err error, kind trilith.ErrorKind, names string) {
	tb.Helper()
	if err == nil || trilith.KindOf(err) != kind || !strings.Contains(trilith.MessageOf(err), names) {
		tb.Errorf("%s = %v (%v), want %v with a message that names %q", call, err, trilith.KindOf(err), kind, names)
	}
}

// Together runs f n times at once and returns when all have ended.
func Together(n int, f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	all.Wait()
}

// Conversation makes n turns that share words with each other, each with an external id and a time of its own.
func Conversation(n int) []trilith.Message {
	random := rand.New(rand.NewPCG(7, 11))
	words := strings.Fields(
		`garden bicycle harbour violin recipe mountain passport lantern budget tomato kitchen painter
		airport invoice blanket teacher window orchard printer ferry museum cousin dentist camping piano`)
	out := make([]trilith.Message, n)
	for i := range out {
		var text []string
		for range 4 + random.IntN(8) {
			text = append(text, words[random.IntN(len(words))])
		}
		role := trilith.RoleUser
		if i%3 == 2 {
			role = trilith.RoleAssistant
		}
		out[i] = trilith.Message{ExternalID: fmt.Sprintf("turn-%d", i), Role: role,
			Tags:      []string{fmt.Sprintf("tag-%d", i%4)},
			Content:   fmt.Sprintf("%s, number %d.", strings.Join(text, " "), i),
			Timestamp: time.Date(2025, 1, 1+i%28, 8, 0, i, 0, time.UTC).Format(time.RFC3339)}
	}
	return out
}

// Scored is a hit as far as the ranking goes.
type Scored struct {
	What  string
	Score float64
}

// ScoresBy are hits with their scores, named by a function.
func ScoresBy(name func(*trilith.Memory) string, hits []trilith.Hit) []Scored {
	out := make([]Scored, len(hits))
	for i := range hits {
		out[i] = Scored{name(&hits[i].Memory), hits[i].Score}
	}
	return out
}

// ByExternalID names a memory for [ScoresBy].
func ByExternalID(m *trilith.Memory) string { return m.ExternalID }

// IDsOf are the ids of memories.
func IDsOf(ms []trilith.Memory) []trilith.ID {
	out := make([]trilith.ID, len(ms))
	for i, m := range ms {
		out[i] = m.ID
	}
	return out
}

// Sorted returns strings in order.
func Sorted[T ~string](vs []T) []T { return slices.Sorted(slices.Values(vs)) }
