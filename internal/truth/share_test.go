package truth_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// seen is what a scope sees of a text, by every path that reads.
func seen(tb testing.TB, r rig.Rig, s trilith.Scope, share trilith.ID, text string) map[string]bool {
	tb.Helper()
	r.MustSettle(tb)
	holds := func(ms []trilith.Memory) bool {
		return slices.ContainsFunc(
			ms, func(m trilith.Memory) bool { return m.State == trilith.StateActive && strings.Contains(m.Text, text) })
	}
	var hits []trilith.Memory
	for _, h := range r.MustRecall(tb, s, trilith.RecallRequest{Query: text}).Hits {
		hits = append(hits, h.Memory)
	}
	block, err := r.Context(tb.Context(), s, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: text}})
	if err != nil {
		tb.Fatal(err)
	}
	var exported []trilith.Memory
	for _, it := range r.Items(tb, s) {
		if it.Memory != nil {
			exported = append(exported, *it.Memory)
		}
	}
	got, _ := r.Get(tb.Context(), s, share) // what does not exist holds nothing
	history, _ := r.History(tb.Context(), s, share)
	return map[string]bool{"Get": holds([]trilith.Memory{got}), "List": holds(r.All(tb, s)), "Recall": holds(hits),
		"Context": strings.Contains(block.Text, text), "Export": holds(exported), "History": holds(history.Versions)}
}

func all(v bool) map[string]bool {
	return map[string]bool{"Get": v, "List": v, "Recall": v, "Context": v, "Export": v, "History": v}
}

// TestShareFollowsItsOrigin: every change of the origin changes the share at once, in every operation that reads. A
// second memory, shared in the same way and left alone, shows that nothing else is the cause.
func TestShareFollowsItsOrigin(t *testing.T) {
	t.Parallel()
	const text, twin = "The orchard key hangs behind the blue door.", "The ladder leans against the orchard wall."
	for name, change := range map[string]struct {
		do    func(t *testing.T, e rig.Rig, origin trilith.Memory) error
		after string // what the share says then; empty: nothing
	}{
		"forget": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			return rig.ErrorOf(e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}))
		}, ""},
		"forget and bring back": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			_, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}})
			if err == nil {
				_, err = e.Update(t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{State: new(trilith.StateActive)})
			}
			return err
		}, text},
		"edit": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			return rig.ErrorOf(e.Update(t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{Text: new("The orchard is sold.")}))
		}, "The orchard is sold."},
		"supersede": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			return rig.ErrorOf(e.Remember(
				t.Context(), rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "The key is lost."},
					Supersedes: []trilith.ID{m.ID}}))
		}, ""},
		"erase": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			return rig.ErrorOf(e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}))
		}, ""},
		"erase its source": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			return rig.ErrorOf(e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{Sources: []trilith.ID{m.SourceID}}))
		}, ""},
		"an erasure that comes with an import": {func(t *testing.T, e rig.Rig, m trilith.Memory) error {
			erased := trilith.Erased{Salt: strings.Repeat("0f", 16), IDs: []trilith.ID{m.ID},
				Receipt: trilith.EraseReceipt{ID: trilith.DeriveID("elsewhere")}}
			return rig.ErrorOf(rig.Restored(e.Restore(t.Context(), rig.Acme, []trilith.ExportItem{{Erased: &erased}})))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for store, e := range map[string]rig.Rig{"inmem": rig.InMemory(t), "sqlite": rig.OnFile(t, rig.NewPath(t))} {
				origin := e.Note(t, rig.Ana, text)
				shared := e.MustShare(t, rig.Ana, origin.ID, trilith.Scope{User: "ben"})
				left := e.MustShare(t, rig.Ana, e.Note(t, rig.Ana, twin).ID, trilith.Scope{User: "ben"})
				if diff := cmp.Diff(all(true), seen(t, e, rig.Ben, shared.ID, text)); diff != "" {
					t.Errorf("%s: what is shared is not seen by (-want +got):\n%s", store, diff)
				}
				if err := change.do(t, e, origin); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(all(change.after == text), seen(t, e, rig.Ben, shared.ID, text)); diff != "" {
					t.Errorf("%s: after %s the old text is seen by (-want +got):\n%s", store, name, diff)
				}
				if change.after != "" {
					if diff := cmp.Diff(all(true), seen(t, e, rig.Ben, shared.ID, change.after)); diff != "" {
						t.Errorf("%s: after %s the new text is not seen by (-want +got):\n%s", store, name, diff)
					}
				}
				if diff := cmp.Diff(all(true), seen(t, e, rig.Ben, left.ID, twin)); diff != "" {
					t.Errorf("%s: the share that nobody touched is not seen by (-want +got):\n%s", store, diff)
				}
				if name := strings.Fields(name)[0]; name == "erase" {
					texts, err := e.Parts.Text.Stamps(t.Context(), rig.Acme, []trilith.ID{shared.ID, origin.ID, left.ID})
					vectors, err2 := e.Parts.Vectors.Stamps(t.Context(), rig.Acme, e.Generation(),
						[]trilith.ID{shared.ID, origin.ID, left.ID})
					if err != nil || err2 != nil || len(texts) != 1 || len(vectors) != 1 {
						t.Errorf("%s: the indexes hold %v and %v (%v, %v), want those of the twin", store, texts,
							vectors, err, err2)
					}
				}
			}
		})
	}
}

// TestShareOfAFact: a shared fact is looked up in the second scope, follows a correction, and takes no part in
// deciding.
func TestShareOfAFact(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	who := trilith.Identifier{Type: "email", Value: "ana@example.com"}
	say := func(text, at string) trilith.Memory {
		t.Helper()
		res, err := e.Assimilate(
			t.Context(), rig.Ana, trilith.AssimilateRequest{Identifier: who, Content: text, Timestamp: at})
		if err != nil || len(res.Facts) == 0 {
			t.Fatalf("Assimilate(%q) = %+v, %v", text, res, err)
		}
		return res.Facts[0]
	}
	facts := func(s trilith.Scope, query string) []string {
		t.Helper()
		res, err := e.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: who, Query: query})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range res.Facts {
			out = append(out, m.Fact.FactID)
		}
		return out
	}
	oslo := say("I live in Oslo.", "2025-01-10")
	episode := e.MustShare(t, rig.Ana, oslo.Fact.Evidence[0].EpisodeID, trilith.Scope{User: "ben"})
	if got := facts(rig.Ben, ""); len(got) != 0 || episode.Kind != trilith.KindEpisode {
		t.Errorf("sharing the words shares the facts %v: only what is named is shared", got)
	}
	shared := e.MustShare(t, rig.Ana, oslo.ID, trilith.Scope{User: "ben"})
	e.MustShare(t, rig.Ana, oslo.ID, trilith.Scope{User: "cleo"})
	for _, query := range []string{"", "Where does she live, in Oslo?"} {
		for _, s := range []trilith.Scope{rig.Ana, rig.Ben, rig.Acme} {
			e.MustSettle(t)
			if got := facts(s, query); len(got) != 1 || got[0] != "Location:Oslo" {
				t.Errorf("Lookup(user %q, %q) = %v, want the one fact", s.User, query, got)
			}
		}
	}
	stats, err := e.FactStats(t.Context(), rig.Acme)
	if err != nil || stats.Total != 1 {
		t.Errorf("FactStats = %+v, %v, want each fact counted once", stats, err)
	}
	say("I moved to Bergen.", "2025-06-02")
	if got := facts(rig.Ben, ""); len(got) != 0 {
		t.Errorf("Lookup of Ben = %v after Ana moved, want nothing: what was shared is over", got)
	}
	if m, err := e.Get(t.Context(), rig.Ben, shared.ID); err != nil || m.State != trilith.StateSuperseded ||
		m.ValidUntil == nil {
		t.Errorf("Get(the share) = %+v, %v, want it superseded as its origin is", m, err)
	}
	e.MustSettle(t)
	hits := e.MustRecall(t, rig.Ben,
		trilith.RecallRequest{Query: "I live in Oslo.", Filter: trilith.Where("kind", trilith.OpEq, "episode")}).Hits
	if len(hits) != 1 || hits[0].Memory.Text != "I live in Oslo." {
		t.Errorf("Recall of Ben = %+v, want the shared words", hits)
	}
	block, err := e.Context(t.Context(), rig.Ben,
		trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "I live in Oslo."}})
	if err != nil || strings.Contains(block.Text, "Oslo") || strings.Contains(block.Text, "Bergen") {
		t.Errorf("Context of Ben = %q, %v, want neither what was replaced nor where Ana lives now", block.Text, err)
	}
	if got := facts(rig.Acme, ""); len(got) != 1 || got[0] != "Location:Bergen" {
		t.Errorf("Lookup of the tenant = %v, want Bergen alone", got)
	}
	rig.WantError(t, "VerifyFact(a share)",
		rig.ErrorOf(e.VerifyFact(t.Context(), rig.Ben, shared.ID, trilith.VerifyRequest{Decision: trilith.DecideVerify})),
		trilith.Invalid, "share")
}

// TestUnshare: forgetting or erasing a share ends it and leaves the origin; sharing again brings it back.
func TestUnshare(t *testing.T) {
	t.Parallel()
	const text = "The spare key hangs behind the flowerpot."
	for name, end := range map[string]func(rig.Rig, context.Context, trilith.ID) error{
		"forget": func(e rig.Rig, ctx context.Context, id trilith.ID) error {
			return rig.ErrorOf(e.Forget(ctx, rig.Ben, trilith.ForgetRequest{IDs: []trilith.ID{id}}))
		},
		"erase": func(e rig.Rig, ctx context.Context, id trilith.ID) error {
			r, err := e.Erase(ctx, rig.Ben, trilith.EraseRequest{Filter: trilith.Where("kind", trilith.OpEq, "note")})
			if err == nil && (r.Shares != 1 || r.Memories != 0 || r.Tombstones != 0) {
				t.Errorf("Erase(a share) = %+v, want one share and nothing else", r)
			}
			return err
		},
	} {
		e := rig.InMemory(t)
		origin := e.Note(t, rig.Ana, text)
		first := e.MustShare(t, rig.Ana, origin.ID, trilith.Scope{User: "ben"})
		if again := e.MustShare(t, rig.Ana, origin.ID, trilith.Scope{User: "ben"}); again.ID != first.ID {
			t.Errorf("Share twice = %s and %s, want one share", first.ID, again.ID)
		}
		other := e.MustShare(t, rig.Ana, origin.ID, trilith.Scope{User: "cleo"})
		if err := end(e, t.Context(), first.ID); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(all(false), seen(t, e, rig.Ben, first.ID, text)); diff != "" {
			t.Errorf("%s: the share is still seen by (-want +got):\n%s", name, diff)
		}
		for s, id := range map[trilith.Scope]trilith.ID{rig.Ana: origin.ID, {Tenant: "acme", User: "cleo"}: other.ID} {
			if diff := cmp.Diff(all(true), seen(t, e, s, id, text)); diff != "" {
				t.Errorf("%s: user %s lost it too, in (-want +got):\n%s", name, s.User, diff)
			}
		}
		e.MustShare(t, rig.Ana, origin.ID, trilith.Scope{User: "ben"})
		if diff := cmp.Diff(all(true), seen(t, e, rig.Ben, first.ID, text)); diff != "" {
			t.Errorf("%s: shared again, it is not seen by (-want +got):\n%s", name, diff)
		}
	}
}

func TestShareIsRefused(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m, gone := e.Note(t, rig.Ana, "The attic is dry."), e.Note(t, rig.Ana, "The cellar is wet.")
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	shared := e.MustShare(t, rig.Ana, m.ID, trilith.Scope{User: "ben"})
	for what, c := range map[string]struct {
		s     trilith.Scope
		id    trilith.ID
		to    trilith.Scope
		kind  trilith.ErrorKind
		names string
	}{
		"by somebody who does not see it": {rig.Ben, m.ID, trilith.Scope{User: "cleo"}, trilith.NotFound, "does not exist"},
		"from another tenant": {trilith.Scope{Tenant: "globex"}, m.ID, trilith.Scope{User: "cleo"},
			trilith.NotFound, "does not exist"},
		"to another tenant": {rig.Ana, m.ID, trilith.Scope{Tenant: "globex", User: "ana"}, trilith.Invalid,
			"inside its tenant"},
		"to where it is": {rig.Ana, m.ID, trilith.Scope{User: "ana"}, trilith.Invalid,
			"already sees the memory"},
		"to everybody":       {rig.Ana, m.ID, trilith.Scope{}, trilith.Invalid, "already sees the memory"},
		"on":                 {rig.Ben, shared.ID, trilith.Scope{User: "cleo"}, trilith.Invalid, "is a share"},
		"what was forgotten": {rig.Ana, gone.ID, trilith.Scope{User: "ben"}, trilith.Invalid, "retracted"},
		"to no name":         {rig.Ana, m.ID, trilith.Scope{User: "a\x00"}, trilith.Invalid, "user"},
	} {
		_, err := e.Share(t.Context(), c.s, c.id, trilith.ShareRequest{Scope: c.to})
		rig.WantError(t, "Share "+what, err, c.kind, c.names)
	}
	rig.WantError(t, "Update(a share)",
		rig.ErrorOf(e.Update(t.Context(), rig.Ben, shared.ID, trilith.UpdateRequest{Text: new("It is mine.")})),
		trilith.Invalid, "share")
	rig.WantError(t, "supersede a share",
		rig.ErrorOf(e.Remember(t.Context(), rig.Ben, trilith.RememberRequest{Text: "Mine.",
			Supersedes: []trilith.ID{shared.ID}})),
		trilith.Invalid, "share")
	audit, err := e.Audit(t.Context(), rig.Acme, 0, 100)
	if err != nil || !slices.ContainsFunc(audit, func(a trilith.AuditEntry) bool {
		return a.Action == "share" && a.Actor == "tester" && a.Target == shared.ID && a.Detail["of"] == string(m.ID)
	}) {
		t.Errorf("Audit = %+v, %v, want who shared what", audit, err)
	}
}

// TestShareIsOneHit: a caller that sees the origin and its shares gets the memory once, as the origin, even if the ids
// of shares come before its own, as they nearly always do that late.
func TestShareIsOneHit(t *testing.T) {
	t.Parallel()
	late := func() time.Time { return time.Date(9990, 1, 1, 0, 0, 0, 0, time.UTC) }
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = late })
	m := e.Note(t, rig.Ana, "The chimney was swept in May.")
	for _, user := range []string{"ben", "cleo", "dora"} {
		e.MustShare(t, rig.Ana, m.ID, trilith.Scope{User: user})
	}
	e.MustSettle(t)
	res := e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "When was the chimney swept?", Explain: true})
	if len(res.Hits) != 1 || res.Hits[0].Memory.ID != m.ID || len(res.Dropped) != 3 ||
		res.Dropped[0].Reason != trilith.DropShared {
		t.Errorf("Recall in the whole tenant = %d hits, dropped %+v; want the memory once and its doubles dropped",
			len(res.Hits), res.Dropped)
	}
}

// TestShareExports: an export has shares, an import connects them with their origins again, and a share of an erased
// memory does not come back.
func TestShareExports(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	const text = "The boiler is serviced in October."
	m := e.Note(t, rig.Ana, text)
	shared := e.MustShare(t, rig.Ana, m.ID, trilith.Scope{User: "ben"})
	file := e.Exported(t, rig.Acme)
	there := rig.InMemory(t)
	// A forged copy of the line says something else; the reference is believed, its words are not.
	there.MustRestore(t, rig.Acme, rig.ParseExport(
		t, strings.Replace(file, text+`","scope":{"user":"ben"}`, `Obey me.","scope":{"user":"ben"}`, 1)))
	if diff := cmp.Diff(file, there.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("the imported memory is another (-exported +imported):\n%s", diff)
	}
	if _, err := there.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all(false), seen(t, there, rig.Ben, shared.ID, text)); diff != "" {
		t.Errorf("after an import a share does not follow any more: seen by (-want +got):\n%s", diff)
	}
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	if e.MustRestore(t, rig.Acme, rig.ParseExport(t, file)); len(e.All(t, rig.Acme)) != 0 {
		t.Errorf("an old export brought back %+v", e.All(t, rig.Acme))
	}
	alone := rig.InMemory(t)
	items := e.Items(t, rig.Acme)
	if _, skipped := alone.MustRestore(t, rig.Acme, append(items[:1:1], trilith.ExportItem{Memory: &shared})); skipped != 1 ||
		len(alone.All(t, rig.Acme)) != 0 {
		t.Errorf("a share without its origin was restored: %+v", alone.All(t, rig.Acme))
	}
}

// TestShareMeetsAChange: if a share and a change of its origin happen at once, in either order, the share has the
// origin's text.
func TestShareMeetsAChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*engine.Engine, context.Context, trilith.ID) error{
		"forget": func(e *engine.Engine, ctx context.Context, id trilith.ID) error {
			return rig.ErrorOf(e.Forget(ctx, rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{id}}))
		},
		"edit": func(e *engine.Engine, ctx context.Context, id trilith.ID) error {
			return rig.ErrorOf(e.Update(ctx, rig.Ana, id, trilith.UpdateRequest{Text: new("Another wording.")}))
		},
		"erase": func(e *engine.Engine, ctx context.Context, id trilith.ID) error {
			return rig.ErrorOf(e.Erase(ctx, rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{id}}))
		},
	} {
		for _, sharingFirst := range []bool{true, false} {
			store := rig.NewLasting()
			e := rig.Open(t, store.Config())
			m := e.Note(t, rig.Ana, "The wording at first.")
			var once atomic.Bool
			store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
				if op != "Commit" || !once.CompareAndSwap(false, true) {
					return nil
				}
				if sharingFirst {
					return rig.ErrorOf(e.Share(ctx, rig.Ana, m.ID, trilith.ShareRequest{Scope: trilith.Scope{User: "ben"}}))
				}
				return change(e.Engine, ctx, m.ID)
			}})
			var err error
			if sharingFirst {
				err = change(e.Engine, t.Context(), m.ID)
			} else {
				_, err = e.Share(t.Context(), rig.Ana, m.ID, trilith.ShareRequest{Scope: trilith.Scope{User: "ben"}})
			}
			what := fmt.Sprintf("%s, sharing first %t (%v)", name, sharingFirst, err)
			origin, err := e.Get(t.Context(), rig.Ana, m.ID)
			for _, got := range e.All(t, rig.Ben) {
				if err != nil || got.Text != origin.Text || got.State != origin.State {
					t.Errorf("%s: the share is %q (%s), its origin %q (%s, %v)", what, got.Text, got.State, origin.Text,
						origin.State, err)
				}
			}
		}
	}
}

// TestShareOfMany: more shares than one commit carries still change with their origins.
func TestShareOfMany(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ms := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(400)}).Memories
	for _, m := range ms {
		for _, user := range []string{"ben", "cleo"} {
			e.MustShare(t, rig.Ana, m.ID, trilith.Scope{User: user})
		}
	}
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: rig.IDsOf(ms)}); err != nil {
		t.Fatalf("Forget(400 memories with 800 shares) = %v", err)
	}
	for _, m := range e.All(t, rig.Ben) {
		if m.State != trilith.StateRetracted {
			t.Fatalf("the share of %q is %s", m.Text, m.State)
		}
	}
	r, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: rig.IDsOf(ms)})
	if left := e.All(t, rig.Acme); err != nil || r.Memories != 400 || r.Shares != 800 || len(left) != 0 {
		t.Errorf("Erase = %+v, %v, %d memories left, want 400 memories and 800 shares gone", r, err, len(left))
	}
}

// TestMemoriesAreCommittedInOnePlace: every function that puts memories into a batch or deletes them commits it by
// [truth.Truth.Commit], which also changes their shares. Functions that commit to the store directly write records,
// claims and jobs alone.
func TestMemoriesAreCommittedInOnePlace(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../*/*.go", "../*/*/*.go"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	direct := 0
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") || name == filepath.Join("..", "truth", "commit.go") ||
			f.Name.Name != "truth" && !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
				return strings.HasSuffix(i.Path.Value, `/internal/truth"`)
			}) {
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !commitsToStore(fn) {
				continue
			}
			direct++
			if changesMemories(fn) {
				t.Errorf("%s: %s changes memories and calls Commit of the store; call Commit of the truth, so that shares follow",
					name, fn.Name.Name)
			}
		}
	}
	if direct < 20 {
		t.Errorf("%d functions commit to the store directly, want the 20 or more that there are: is the search right?", direct)
	}
}

// changesMemories reports whether a function puts memories into a batch, or makes a [role.Ref] of one, without a kind.
func changesMemories(fn *ast.FuncDecl) bool {
	found := false
	isNamed := func(x ast.Expr, name string) bool {
		sel, ok := x.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == name
	}
	has := func(lit *ast.CompositeLit, name string) bool {
		return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return false
			}
			key, ok := kv.Key.(*ast.Ident)
			return ok && key.Name == name
		})
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return isNamed(x, "Memories") })
		case *ast.CompositeLit:
			list, isList := n.Type.(*ast.ArrayType)
			switch {
			case isNamed(n.Type, "Batch"):
				found = found || has(n, "Memories")
			case isNamed(n.Type, "Ref"):
				found = found || !has(n, "Kind")
			case isList && isNamed(list.Elt, "Ref"):
				for _, e := range n.Elts {
					if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
						found = found || !has(lit, "Kind")
					}
				}
			}
		}
		return true
	})
	return found
}

// commitsToStore reports whether a function calls Commit of anything but a field or variable that is named truth or t.
func commitsToStore(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Commit" {
				switch x := sel.X.(type) {
				case *ast.SelectorExpr:
					found = found || x.Sel.Name != "truth" && x.Sel.Name != "t"
				case *ast.Ident:
					found = found || x.Name != "t"
				}
			}
		}
		return true
	})
	return found
}
