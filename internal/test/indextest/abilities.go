package indextest

import (
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// abilityCase is one case for an ability that an index may have. Every call of open is a new process on the same store.
type abilityCase[Index any] struct {
	name, why string
	has       func(x Index) bool
	run       func(t *testing.T, open func() Index)
}

func runAbilities[Index any](t *testing.T, fresh func(tb testing.TB) (open func() Index), cases []abilityCase[Index]) {
	first, ran := fresh(t)(), 0
	for _, c := range cases {
		if !c.has(first) {
			continue
		}
		ran++
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			explain(t, c.why)
			c.run(t, fresh(t))
		})
	}
	if ran == 0 {
		t.Error("the index has no ability: leave the suite out")
	}
}

// has reports whether an index has an ability.
func has[A, Index any](x Index) bool { _, ok := any(x).(A); return ok }

// RunTextAbilities runs the cases of every ability of package trilith that the text index has besides its role. For
// each case fresh makes a store and returns a function to open its index; the harness closes the opened ones.
func RunTextAbilities(t *testing.T, fresh func(tb testing.TB) (open func() role.TextIndex)) {
	keeps, shared := has[role.TextSnapshotter, role.TextIndex], has[role.SharedText, role.TextIndex]
	runAbilities(t, fresh, []abilityCase[role.TextIndex]{
		{"keeper/nothing", "without a snapshot there is no mark", keeps, testKeptNothing},
		{"keeper/mark", "a loaded snapshot has its content and mark, and accepts further texts", keeps, testKept},
		{"keeper/discard", "a discarded snapshot does not come back", keeps, testKeptDiscarded},
		{"shared/form", "indexes for the same analyzer always have the same name for their form", shared, testSharedForm},
		{"shared/others", "other processes, present and later ones, find the texts that one process applied", shared,
			testSharedText},
	})
}

// RunVectorAbilities runs the cases of every ability of package trilith that the vector index has besides its role;
// fresh is as in [RunTextAbilities].
func RunVectorAbilities(t *testing.T, fresh func(tb testing.TB) (open func() role.VectorIndex)) {
	reaches, keeps := has[role.Reacher, role.VectorIndex], has[role.VectorSnapshotter, role.VectorIndex]
	releases := has[role.VectorReleaser, role.VectorIndex]
	announces, examines := has[role.VectorAnnouncer, role.VectorIndex], has[role.VectorExaminer, role.VectorIndex]
	placed, read := has[role.VectorLocator, role.VectorIndex], has[role.VectorReader, role.VectorIndex]
	runAbilities(t, fresh, []abilityCase[role.VectorIndex]{
		{"reach/told", "applied data is visible as Reach says: to other processes, to later ones, or to none",
			reaches, testReach},
		{"keeper/answers", "saving and discarding snapshots change no answer, now or after reopening, and deleted points stay deleted",
			keeps, testVectorsKept},
		{"releaser/answers", "released points are still found, and more can be applied", releases,
			testReleased},
		{"announcer/answers", "announcing a generation can be repeated, works before it holds anything, and changes no answer",
			announces, testAnnounced},
		{"examiner/found", "an index with the active generation is healthy, and one without is not", examines, testExamined},
		{"reader/points", "points are read as they were applied, by every process, and without those of others", read,
			testPoints},
		{"placer/same", "every process always returns the same name for the place", placed, testPlaced},
		{"placer/made", "an index that was lost and rebuilt has a new name in every process", placed,
			testMade},
	})
}

func testKeptNothing(t *testing.T, open func() role.TextIndex) {
	if mark, err := open().(role.TextSnapshotter).LoadSnapshot(t.Context()); mark != "" || err != nil {
		t.Errorf("Kept of nothing = %q, %v; want nothing", mark, err)
	}
}

// keep applies texts and saves a snapshot with a mark.
func keep(t *testing.T, x role.TextIndex, mark string, ts ...role.TextPoint) {
	t.Helper()
	putTexts(t, x, ts...)
	if err := x.(role.TextSnapshotter).SaveSnapshot(t.Context(), mark); err != nil {
		t.Fatalf("Keep(%q) = %v, want nil", mark, err)
	}
}

func testKept(t *testing.T, open func() role.TextIndex) {
	x := open()
	keep(t, x, "first", text("ana", 1, 1, "apple"))
	keep(t, x, "second", text("ana", 2, 1, "pear"), text("ben", 3, 1, "apple"))
	y := open()
	if mark, err := y.(role.TextSnapshotter).LoadSnapshot(t.Context()); mark != "second" || err != nil {
		t.Fatalf("Kept = %q, %v; want the last mark", mark, err)
	}
	for _, index := range []role.TextIndex{x, y} { // later changes are applied again
		putTexts(t, index, text("ana", 2, 1, "pear"), text("ana", 4, 1, "apple pear"))
	}
	for _, tenant := range []string{"ana", "ben"} {
		for _, query := range []string{"apple", "pear"} {
			s, p := trilith.Scope{Tenant: tenant}, role.TextProbe{Text: query}
			if diff := gocmp.Diff(searchText(t, x, s, p), searchText(t, y, s, p)); diff != "" {
				t.Errorf("%s asked for %s answers otherwise (-kept +taken up):\n%s", tenant, query, diff)
			}
		}
	}
}

func testKeptDiscarded(t *testing.T, open func() role.TextIndex) {
	x := open()
	keep(t, x, "here", text("ana", 1, 1, "apple"))
	if err := x.(role.TextSnapshotter).DiscardSnapshot(t.Context()); err != nil {
		t.Fatalf("Discard = %v, want nil", err)
	}
	testKeptNothing(t, open)
	if found := searchText(t, x, trilith.Scope{Tenant: "ana"}, role.TextProbe{Text: "apple"}).Candidates; len(
		found) != 1 {
		t.Errorf("after Discard the index itself finds %d texts, want what it holds", len(found))
	}
}

func testSharedForm(t *testing.T, open func() role.TextIndex) {
	x, y := open().(role.SharedText), open().(role.SharedText)
	form := x.Form()
	if form == "" || y.Form() != form || x.Form() != form {
		t.Errorf("Form = %q, %q, %q; want one that is not empty", form, y.Form(), x.Form())
	}
}

func testSharedText(t *testing.T, open func() role.TextIndex) {
	x, y := open(), open()
	putTexts(t, x, text("ana", 1, 1, "apple"))
	for who, index := range map[string]role.TextIndex{"another process": y, "a later process": open()} {
		if found := searchText(t, index, trilith.Scope{Tenant: "ana"}, role.TextProbe{Text: "apple"}).Candidates; len(
			found) != 1 {
			t.Errorf("%s finds %d texts, want what the first one has applied", who, len(found))
		}
	}
}

// abilityGeneration is the generation of the cases.
var abilityGeneration = trilith.Generation{Provider: "test", Model: "abilities", Dims: 2, Recipe: 1}

// finds expects a search to find that many points.
func finds(t *testing.T, who string, x role.VectorIndex, want ...int) {
	t.Helper()
	probe := role.VectorProbe{Vector: trilith.Vector{1, 0}, K: 9}
	found, err := First(x.Search(t.Context(), trilith.Scope{Tenant: "ana"}, abilityGeneration, probe))
	if err != nil {
		t.Fatalf("%s: Search = %v, want nil", who, err)
	}
	var got, ids []trilith.ID
	for _, c := range found {
		got = append(got, c.ID)
	}
	for _, n := range want {
		ids = append(ids, pid(n))
	}
	if diff := gocmp.Diff(ids, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s finds (-want +got):\n%s", who, diff)
	}
}

func applyPoints(t *testing.T, x role.VectorIndex, ns ...int) {
	t.Helper()
	for _, n := range ns {
		mustApply(t, x, abilityGeneration, point("ana", n, 1, trilith.Vector{1, 0}))
	}
}

func testReach(t *testing.T, open func() role.VectorIndex) {
	x, other := open(), open()
	reach := x.(role.Reacher).Reach()
	if again := other.(role.Reacher).Reach(); again != reach {
		t.Errorf("Reach = %d, and %d of another process; want one", reach, again)
	}
	finds(t, "another process before", other)
	applyPoints(t, x, 1, 2)
	finds(t, "the process itself", x, 1, 2)
	switch reach {
	case role.ReachAll:
		finds(t, "another process", other, 1, 2)
		finds(t, "a later process", open(), 1, 2)
	case role.ReachStore:
		finds(t, "a later process", open(), 1, 2)
	case role.ReachProcess:
		finds(t, "another process", other)
		finds(t, "a later process", open())
	default:
		t.Errorf("Reach = %d, which is none", reach)
	}
}

func testVectorsKept(t *testing.T, open func() role.VectorIndex) {
	x := open()
	keep := func(what string, f func(role.VectorSnapshotter) error) {
		t.Helper()
		if err := f(x.(role.VectorSnapshotter)); err != nil {
			t.Fatalf("%s = %v, want nil", what, err)
		}
	}
	applyPoints(t, x, 1, 2, 3)
	keep("Keep", func(k role.VectorSnapshotter) error { return k.SaveSnapshot(t.Context()) })
	if err := x.Delete(t.Context(), trilith.Scope{Tenant: "ana"}, []trilith.ID{pid(2)}); err != nil {
		t.Fatalf("Delete = %v, want nil", err)
	}
	keep("Discard", func(k role.VectorSnapshotter) error { return k.DiscardSnapshot(t.Context()) })
	finds(t, "after Discard", x, 1, 3)
	applyPoints(t, x, 4)
	keep("Keep", func(k role.VectorSnapshotter) error { return k.SaveSnapshot(t.Context()) })
	finds(t, "after Keep", x, 1, 3, 4)
	if r, ok := x.(role.Reacher); !ok || r.Reach() != role.ReachProcess {
		finds(t, "a later process", open(), 1, 3, 4)
	}
}

func testReleased(t *testing.T, open func() role.VectorIndex) {
	x := open()
	release := func() { x.(role.VectorReleaser).Release(abilityGeneration) }
	release() // of nothing
	for n := range 3 {
		applyPoints(t, x, n)
		release()
		finds(t, fmt.Sprintf("after %d points and Release", n+1), x, []int{0, 1, 2}[:n+1]...)
	}
}

func testPoints(t *testing.T, open func() role.VectorIndex) {
	x := open()
	want := point("ana", 1, 3, trilith.Vector{.6, .8})
	want.At, want.Cut = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC), true
	want.Facets.Tags, want.Facets.Speaker = []string{"garden"}, "Ana"
	mustApply(t, x, abilityGeneration, want, point("ana", 2, 1, trilith.Vector{1, 0}),
		point("ben", 1, 1, trilith.Vector{0, 1}))
	other := abilityGeneration
	other.Model = "another"
	mustApply(t, x, other, point("ana", 4, 1, trilith.Vector{0, 1}))
	got, err := open().(role.VectorReader).Points(t.Context(), trilith.Scope{Tenant: "ana"}, abilityGeneration,
		[]trilith.ID{pid(1), pid(3), pid(4)})
	if diff := gocmp.Diff([]role.Point{want}, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("Points of one that is there, of none, and of another generation (-want +got), %v:\n%s", err, diff)
	}
	none, err := x.(role.VectorReader).Points(t.Context(), trilith.Scope{Tenant: "ana"}, abilityGeneration, nil)
	if len(none) != 0 || err != nil {
		t.Errorf("Points of no ids = %d, %v; want none", len(none), err)
	}
	_, err = x.(role.VectorReader).Points(t.Context(), trilith.Scope{}, abilityGeneration, []trilith.ID{pid(1)})
	if trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Points without a tenant = %v, want invalid", err)
	}
}

func announce(t *testing.T, x role.VectorIndex, g trilith.Generation) {
	t.Helper()
	if err := x.(role.VectorAnnouncer).Announce(t.Context(), trilith.AsSystem("test"), g); err != nil {
		t.Fatalf("Announce(%s) = %v, want nil", g, err)
	}
}

func testAnnounced(t *testing.T, open func() role.VectorIndex) {
	x, other := open(), abilityGeneration
	other.Model = "another"
	announce(t, x, abilityGeneration)
	applyPoints(t, x, 1, 2)
	for _, g := range []trilith.Generation{abilityGeneration, other, other, abilityGeneration} {
		announce(t, x, g)
		finds(t, "after Announce", x, 1, 2)
	}
	announce(t, open(), other)
	finds(t, "after another process has announced", x, 1, 2)
	err := x.(role.VectorAnnouncer).Announce(t.Context(), trilith.System{}, other)
	wantKind(t, "Announce without permission", err, trilith.Internal)
}

func testExamined(t *testing.T, open func() role.VectorIndex) {
	x := open()
	sound := func() bool {
		t.Helper()
		checks, err := x.(role.VectorExaminer).Examine(t.Context(), abilityGeneration)
		if err != nil || len(checks) == 0 {
			t.Fatalf("Examine = %v, %v; want a check at least", checks, err)
		}
		ok := true
		for _, c := range checks {
			ok = ok && c.OK
			if c.Name == "" || c.Detail == "" || !c.OK && c.Fix == "" {
				t.Errorf("Examine = %+v; want a name, what was found, and what to do if it is not well", c)
			}
		}
		return ok
	}
	if sound() {
		t.Error("Examine finds nothing wrong before there is anything")
	}
	applyPoints(t, x, 1)
	if has[role.VectorAnnouncer](x) {
		announce(t, x, abilityGeneration)
	}
	if !sound() {
		t.Error("Examine finds something wrong with an index that works")
	}
}

func testPlaced(t *testing.T, open func() role.VectorIndex) {
	x, other := open().(role.VectorLocator), open().(role.VectorLocator)
	if at := x.Location(); at == "" || other.Location() != at || x.Location() != at {
		t.Errorf("Location = %q, %q, %q; want one that is not empty", at, other.Location(), x.Location())
	}
}

func testMade(t *testing.T, open func() role.VectorIndex) {
	x, other := open(), open()
	made := func(x role.VectorIndex) string {
		t.Helper()
		name, err := x.(role.VectorLocator).Made(t.Context(), abilityGeneration)
		if err != nil || name == "" {
			t.Fatalf("Made = %q, %v; want a name", name, err)
		}
		return name
	}
	first := made(x)
	applyPoints(t, x, 1)
	if now := made(other); now != first || made(x) != first {
		t.Errorf("Made = %q after %q, though nothing was lost", now, first)
	}
	if err := other.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	if now := made(x); now == first || made(other) != now {
		t.Errorf("Made = %q after all was lost, want another name than before, the same for all", now)
	}
}
