package migrate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/transfer/migrate"
)

// billed is an embedder that costs money: what it makes is kept.
type billed struct {
	*hashembed.Embedder
	paid atomic.Int64 // documents
}

func (d *billed) Generation() trilith.Generation {
	g := d.Embedder.Generation()
	g.Provider = "billed"
	return g
}

func (d *billed) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForDocument {
		d.paid.Add(int64(len(texts)))
	}
	return d.Embedder.Embed(ctx, use, texts)
}

// memory is an engine on a store.
type memory struct {
	*engine.Engine
	embedder *billed
}

// memory opens an engine on the place. Its indexes are new: those of another store are of no use to it.
func (p place) memory(tb testing.TB) memory {
	tb.Helper()
	m, err := p.tryMemory(tb)
	if err != nil {
		tb.Fatalf("Open(%s) = %v", p.name, err)
	}
	return m
}

func (p place) tryMemory(tb testing.TB) (memory, error) {
	h, err := hashembed.New(64)
	if err != nil {
		tb.Fatal(err)
	}
	s, d := p.open(tb), &billed{Embedder: h}
	e, err := engine.Open(tb.Context(),
		engine.Config{Store: s, Log: s, Queue: s, Text: embedded.NewText(nil), Graph: walk.OverStore(s),
			Vectors: embedded.NewVector(nil), Embedder: d, Now: time.Now, Version: "test"})
	if err != nil {
		return memory{}, err
	}
	tb.Cleanup(func() { e.Close() })
	return memory{e, d}, nil
}

func (m memory) close(tb testing.TB) {
	tb.Helper()
	if err := m.Close(); err != nil {
		tb.Fatalf("Close = %v", err)
	}
}

func must[T any](v T, err error) func(tb testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

// lived is what a test has to know of a memory that has lived a while.
type lived struct {
	secret  string // of an API key
	said    trilith.RememberRequest
	gone    trilith.RememberRequest // erased
	numbers map[trilith.ID]int64    // of facts
}

// live makes a memory with everything that it can hold.
func live(t *testing.T, m memory) lived {
	t.Helper()
	ctx := t.Context()
	ana := trilith.Scope{Tenant: acme.Tenant, User: "ana", Actor: "tester"}
	ben := trilith.Scope{Tenant: acme.Tenant, User: "ben", Actor: "tester"}
	l := lived{said: trilith.RememberRequest{Text: "I have a violin from Cremona.", ExternalID: "violin",
		RequestKey: "the violin"},
		gone: trilith.RememberRequest{Text: "My number is Quillworth 12.", ExternalID: "number"}}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(m.Remember(ctx, ana, l.said))(t)
	assimilate := func(name, content string) trilith.AssimilateResult {
		return must(m.Assimilate(
			ctx, acme, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "name", Value: name},
				Content:    content,
				RequestKey: content, Timestamp: "2025-01-02"}))(t)
	}
	odile, odi := assimilate("Odile", "I live in Oakvale. I like chess."),
		assimilate("Odi", "I live in Bergen. My budget is 500 EUR.")
	assimilate("Odile", "I moved to Bergen.")
	must(m.UpdateEntity(ctx, acme, odile.Entity.ID,
		trilith.EntityUpdate{AddAliases: []string{"O."},
			AddIdentifiers: []trilith.Identifier{{Type: "email", Value: "odile@example.com"}},
			SetAttributes:  map[string]any{"n": 1}}))(t)
	must(m.MergeEntities(ctx, acme, odile.Entity.ID, trilith.MergeRequest{From: odi.Entity.ID}))(t)
	if len(odile.Facts) == 0 {
		t.Fatal("no facts were derived")
	}
	must(m.VerifyFact(ctx, acme, odile.Facts[0].ID, trilith.VerifyRequest{Decision: trilith.DecideReject, Note: "no"}))(t)
	l.numbers = must(m.LegacyIDs(ctx, acme, []trilith.ID{odile.Facts[0].ID}))(t)
	must(m.Remember(ctx, ana,
		trilith.RememberRequest{Document: &trilith.Document{
			Name: "plan.md", Content: "# Plan\n\nWe plant tomatoes.\n\n## Later\n\nWe eat them."},
			ExternalID: "plan"}))(t)
	note := must(m.Remember(ctx, ana, trilith.RememberRequest{Note: &trilith.Note{Content: "The folder is green."}}))(
		t).Memories[0]
	must(m.Update(ctx, ana, note.ID, trilith.UpdateRequest{Text: new("The folder is red."), Tags: &[]string{"folder"}}))(
		t)
	must(m.Share(ctx, ana, note.ID, trilith.ShareRequest{Scope: trilith.Scope{Tenant: acme.Tenant, User: "ben"}}))(t)
	entry := must(m.AddEntry(
		ctx, ben, trilith.EntryRequest{
			Entry: trilith.Entry{Category: "c", Title: "Ferries", Content: "They go hourly.",
				Structured: map[string]any{"n": 2.5}}}))(t)
	must(m.Forget(ctx, ben, trilith.ForgetRequest{IDs: []trilith.ID{entry.ID}}))(t)
	gone := must(m.Remember(ctx, ana, l.gone))(t).Memories[0]
	must(m.Erase(ctx, ana, trilith.EraseRequest{IDs: []trilith.ID{gone.ID}, Reason: "asked for"}))(t)
	must(m.UseLanguages(ctx, acme, trilith.LanguageChoice{Languages: []string{"en", "de"}}))(t)
	profiles := must(m.Profiles(ctx, acme))(t)
	must(m.UseProfile(ctx, acme, trilith.ProfileRequest{Name: profiles.Items[0].Name}))(t)
	must(m.Remember(ctx, globex, trilith.RememberRequest{Text: "Somebody else's words."}))(t)
	secret, _, err := m.CreateKey(ctx, trilith.APIKeyRequest{Name: "app", Tenant: acme.Tenant,
		Access: trilith.AccessWriter})
	check(err)
	l.secret = secret
	check(m.Work(ctx))
	check(m.Settle(ctx))
	return l
}

// exported is an export without its time.
func (m memory) exported(tb testing.TB, s trilith.Scope) string {
	tb.Helper()
	var b strings.Builder
	for it, err := range m.Export(tb.Context(), s) {
		if err != nil {
			tb.Fatal(err)
		}
		if it.Header != nil {
			it.Header.At = time.Time{}
		}
		line, err := json.Marshal(it)
		if err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

// TestTheMemoryLivesOn: everything that depends on the store's records continues in the copy as if nothing had
// happened.
func TestTheMemoryLivesOn(t *testing.T) {
	pairs(t, func(t *testing.T, from, to place) {
		a := from.memory(t)
		l := live(t, a)
		want := map[trilith.Scope]string{acme: a.exported(t, acme), globex: a.exported(t, globex)}
		hits := must(a.Recall(t.Context(), acme,
			trilith.RecallRequest{Query: "violin from Cremona", Arms: []trilith.Arm{trilith.ArmDense}}))(t).Hits
		a.close(t)
		run(t, from.at(t), to.at(t))
		wantSame(t, from.open(t), to.open(t))

		b := to.memory(t)
		if err := b.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := b.embedder.paid.Load(); n > 0 {
			t.Errorf("%d texts were embedded again, want none", n)
		}
		if n := a.embedder.paid.Load(); n == 0 {
			t.Error("nothing was embedded at the old store")
		}
		again := must(b.Recall(t.Context(), acme,
			trilith.RecallRequest{Query: "violin from Cremona", Arms: []trilith.Arm{trilith.ArmDense}}))(t).Hits
		if len(hits) == 0 || len(again) != len(hits) || again[0].Memory.ID != hits[0].Memory.ID {
			t.Errorf("Recall finds %d memories, before %d", len(again), len(hits))
		}
		for s, export := range want {
			if diff := cmp.Diff(export, b.exported(t, s)); diff != "" {
				t.Errorf("the export of %s (-before +after):\n%s", s.Tenant, diff)
			}
		}
		l.goesOn(t, b)
		report := must(b.Doctor(t.Context()))(t)
		for _, c := range report.Checks {
			if !c.OK {
				t.Errorf("doctor: %+v", c)
			}
		}
	})
}

// goesOn asks a copy for what the original would say.
func (l lived) goesOn(t *testing.T, m memory) {
	t.Helper()
	ctx := t.Context()
	ana := trilith.Scope{Tenant: acme.Tenant, User: "ana", Actor: "tester"}
	if id, err := m.Authenticate(ctx, l.secret); err != nil || id.Tenant != acme.Tenant ||
		id.Access != trilith.AccessWriter {
		t.Errorf("Authenticate = %+v, %v", id, err)
	}
	before := len(must(m.List(ctx, acme, trilith.ListRequest{Limit: trilith.MaxPageSize}))(t).Items)
	if r := must(m.Remember(ctx, ana, l.said))(t); len(r.Memories) != 1 {
		t.Errorf("a request that was answered before = %+v", r)
	}
	other := l.said
	other.Text = "I have a cello."
	if _, err := m.Remember(ctx, ana, other); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("another request under the key = %v, want conflict", err)
	}
	if r := must(m.Remember(ctx, ana, l.gone))(t); len(r.Memories) != 0 || len(r.Rejected) != 1 {
		t.Errorf("what was erased, sent again = %+v, want it rejected", r)
	}
	if after := len(must(m.List(ctx, acme, trilith.ListRequest{Limit: trilith.MaxPageSize}))(t).Items); after != before {
		t.Errorf("there are %d memories, before %d", after, before)
	}
	for id, n := range l.numbers {
		if got := must(m.LegacyFact(ctx, acme, n))(t); got != id {
			t.Errorf("fact number %d is %s, want %s", n, got, id)
		}
	}
	known := must(m.Facts(ctx, acme, trilith.FactQuery{Limit: 50}))(t).Items
	var ids []trilith.ID
	for _, f := range known {
		ids = append(ids, f.Memory.ID)
	}
	for id, n := range must(m.LegacyIDs(ctx, acme, ids))(t) {
		if old, ok := l.numbers[id]; ok && n != old || !ok && n <= int64(len(l.numbers)) {
			t.Errorf("fact %s has number %d; given before were %v", id, n, l.numbers)
		}
	}
	odile := must(m.Lookup(ctx, acme,
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "email", Value: "odile@example.com"}}))(t)
	if len(odile.Facts) == 0 {
		t.Error("the entity has lost its identifier or its facts")
	}
}

// TestEmbeddingsThatCameLater: a text that was embedded after its memory had been copied is not paid for again.
func TestEmbeddingsThatCameLater(t *testing.T) {
	t.Parallel()
	from, there := inMemory("from")
	to, _ := inMemory("to")
	for n := range 12 {
		commit(t, there, acme, role.Batch{Memories: []trilith.Memory{note(n, acme, fmt.Sprintf("Note %d.", n))}})
	}
	run(t, from.at(t), to.at(t))
	a := from.memory(t)
	if err := a.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.close(t)
	if n := a.embedder.paid.Load(); n != 12 {
		t.Fatalf("%d texts were embedded, want 12", n)
	}
	run(t, from.at(t), to.at(t))
	b := to.memory(t)
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.embedder.paid.Load(); n != 0 {
		t.Errorf("%d texts were embedded again, want none", n)
	}
}

// TestHalfIsNotOpened: an incomplete copy cannot be opened.
func TestHalfIsNotOpened(t *testing.T) {
	t.Parallel()
	from, there := inMemory("from")
	to, here := inMemory("to")
	fillWith(t, there, 12)
	faulty(here, 6, false)
	wantRefused(t, from, to, trilith.Unavailable)
	here.Inject(inmem.Fault{})
	if _, err := to.tryMemory(t); err == nil || trilith.KindOf(err) != trilith.Conflict ||
		!strings.Contains(err.Error(), "trilith migrate") {
		t.Errorf("Open of half a store = %v, want conflict and what to do", err)
	}
	run(t, from.at(t), to.at(t))
	if _, err := migrate.Run(
		t.Context(), to.at(t), place{"third", func(testing.TB) store { return lasting{inmem.New(time.Now)} }}.at(t),
		migrate.Options{}.Small()); err != nil {
		t.Errorf("from a store that was a copy before: %v", err)
	}
}
