package generations_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// openers open the embedders hash:DIMS by their names, except those that they are told to refuse, and count the
// embedded texts.
type openers struct {
	tb testing.TB

	mu     sync.Mutex
	opened map[string]*rig.Fussy
	refuse func(name string) error
}

func (o *openers) open(_ context.Context, name string) (role.Embedder, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refuse != nil {
		if err := o.refuse(name); err != nil {
			return nil, err
		}
	}
	var dims int
	if _, err := fmt.Sscanf(name, "hash:%d", &dims); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: %q is none", name)
	}
	if o.opened == nil {
		o.opened = map[string]*rig.Fussy{}
	}
	if o.opened[name] == nil {
		o.opened[name] = &rig.Fussy{Embedder: rig.Hash(o.tb, dims), Done: map[string]int{}}
	}
	return o.opened[name], nil
}

// of returns what opens and counts the embedder of a name.
func (o *openers) of(name string) *rig.Fussy {
	o.tb.Helper()
	made, err := o.open(context.Background(), name)
	if err != nil {
		o.tb.Fatal(err)
	}
	return made.(*rig.Fussy)
}

// refuseNow replaces what cannot be opened.
func (o *openers) refuseNow(refuse func(name string) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuse = refuse
}

// on opens an engine on the store with an embedder of a name.
func (o *openers) on(store rig.Lasting, name string, change ...func(*engine.Config)) rig.Rig {
	o.tb.Helper()
	c := store.Config()
	c.Embedder, c.EmbedderName, c.Embedders, c.Named = o.of(name), name, o.open, anyName
	return rig.Open(o.tb, c, change...)
}

// anyName is for engines whose settings name every embedder.
func anyName(name string) (string, error) { return name, nil }

func key(tb testing.TB, dims int) string { return index.Generation(rig.Hash(tb, dims)).Key() }

// states are the generations in short: "active hash:64, previous hash:32".
func states(gs []trilith.GenerationStatus) string {
	var out []string
	for _, g := range gs {
		out = append(out, string(g.State)+" "+g.Embedder)
	}
	return strings.Join(out, ", ")
}

func wantStates(tb testing.TB, r rig.Rig, when, want string) {
	tb.Helper()
	gs, err := r.Generations(tb.Context())
	if got := states(gs); err != nil || got != want {
		tb.Errorf("Generations %s = %s, %v; want %s", when, got, err, want)
	}
}

func switchTo(tb testing.TB, r rig.Rig, name string) {
	tb.Helper()
	if _, err := r.SwitchTo(tb.Context(), name); err != nil {
		tb.Fatalf("SwitchTo(%s) = %v", name, err)
	}
	awaitGenerations(tb, r)
}

func awaitGenerations(tb testing.TB, r rig.Rig) {
	tb.Helper()
	if err := r.AwaitGenerations(tb.Context(), func([]trilith.GenerationStatus) {}); err != nil {
		tb.Fatalf("AwaitGenerations = %v", err)
	}
}

// dense answers questions by vectors alone.
func denseAnswers(tb testing.TB, r rig.Rig, questions ...string) map[string][]rig.Scored {
	tb.Helper()
	out := map[string][]rig.Scored{}
	for _, q := range questions {
		res := r.MustRecall(tb, rig.Ana, trilith.RecallRequest{Query: q, Arms: []trilith.Arm{trilith.ArmDense},
			Explain: true})
		out[q] = rig.ScoresBy(func(m *trilith.Memory) string { return m.Text }, res.Hits)
		if res.Explain.Generation != r.Generation().Key() {
			tb.Errorf("Recall(%q) was answered from %s, want %s", q, res.Explain.Generation, r.Generation().Key())
		}
	}
	return out
}

// stamps counts the vectors of a generation.
func stamps(tb testing.TB, l rig.Lasting, dims int) int {
	tb.Helper()
	stamps, err := l.Vectors.Stamps(tb.Context(), rig.Acme, index.Generation(rig.Hash(tb, dims)), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return len(stamps)
}

// TestDualReading: while a generation is built questions are answered from the old one, what is written gets vectors of
// both, and the switch comes when the new one has all.
func TestDualReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		wantStates(t, e, "at first", "active hash:64")
		by.of("hash:32").RefuseNow(rig.Refusing("violin", trilith.Unavailable))
		gs, err := e.SwitchTo(t.Context(), "hash:32")
		if err != nil || states(gs) != "active hash:64, building hash:32" {
			t.Fatalf("SwitchTo = %s, %v", states(gs), err)
		}
		<-time.After(time.Minute)
		e.Note(t, rig.Ana, "The piano teacher is called Olga.")
		e.MustSettle(t)
		if got := denseAnswers(t, e, "piano teacher")["piano teacher"]; len(got) != 2 || e.Generation().Dims != 64 {
			t.Errorf("while the other is built %s answers %v", e.Generation(), got)
		}
		gs, err = e.Generations(t.Context())
		if b := gs[1].Build; err != nil || b == nil || b.Total < 1 || b.Total > 2 || b.Done != 0 ||
			!strings.Contains(b.Error, "does not take this text") {
			t.Errorf("Generations during an outage = %+v, %v; want how far it is and why it does not go on", b, err)
		}
		by.of("hash:32").RefuseNow(nil)
		awaitGenerations(t, e)
		wantStates(t, e, "in the end", "active hash:32, previous hash:64")
		if got := denseAnswers(t, e, "piano teacher")["piano teacher"]; len(got) != 2 || e.Generation().Dims != 32 {
			t.Errorf("after the switch %s answers %v", e.Generation(), got)
		}
		if stamps(t, store, 64) != 2 || stamps(t, store, 32) != 2 {
			t.Errorf("the generations have %d and %d vectors, want 2 each", stamps(t, store, 64), stamps(t, store, 32))
		}
		if m := e.All(t, rig.Ana)[0]; m.Embedding == nil || m.Embedding.Generation != key(t, 32) {
			t.Errorf("the memory has the vector %+v, want one of the new generation", m.Embedding)
		}
	})
}

// TestOutageOfABuild: a build that does not get on says why all the time, and tries again ever more rarely.
func TestOutageOfABuild(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		var tries atomic.Int64
		by.of("hash:32").RefuseNow(func(text string) error {
			if !strings.Contains(text, "violin") {
				return nil // the switch itself tries it
			}
			tries.Add(1)
			return trilith.Errorf(trilith.Unavailable, "embedder: is down")
		})
		if _, err := e.SwitchTo(t.Context(), "hash:32"); err != nil {
			t.Fatalf("SwitchTo = %v", err)
		}
		for range 360 { // an hour
			<-time.After(10 * time.Second)
			gs, err := e.Generations(t.Context())
			if b := gs[1].Build; err != nil || b == nil || !strings.Contains(b.Error, "is down") {
				t.Fatalf("Generations after %d tries = %+v, %v; want why it does not go on", tries.Load(), b, err)
			}
		}
		if n := tries.Load(); n < 100 || n > 150 {
			t.Errorf("in an hour of outage it was tried %d times, want about twice a minute", n)
		}
		by.of("hash:32").RefuseNow(nil)
		awaitGenerations(t, e)
		wantStates(t, e, "in the end", "active hash:32, previous hash:64")
	})
}

// TestThereAndBack: after a change to another generation and back, answers are as before, with everything that was
// stored, changed and erased meanwhile; and going back embeds only what is new.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(40)})
		gone := e.Note(t, rig.Ana, "A note about a lantern that will be erased.")
		edited := e.Note(t, rig.Ana, "A note about a kitchen.")
		e.MustSettle(t)
		questions := []string{"garden bicycle", "a violin in the kitchen", "lantern", "budget"}
		before := denseAnswers(t, e, questions...)
		switchTo(t, e, "hash:128")
		if other := denseAnswers(t, e, questions...); cmp.Equal(before, other) {
			t.Error("another generation answers with the same scores: this test proves nothing")
		}
		if _, err := e.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitGenerations(t, e)
		if diff := cmp.Diff(before, denseAnswers(t, e, questions...)); diff != "" {
			t.Errorf("there and back answers differ (-before +after):\n%s", diff)
		}
		paid := by.of("hash:64").Embedded()
		switchTo(t, e, "hash:128")
		e.Note(t, rig.Ana, "A note about a ferry.")
		if _, err := e.Update(t.Context(), rig.Ana, edited.ID,
			trilith.UpdateRequest{Text: new("A note about a printer.")}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
			t.Fatal(err)
		}
		e.MustSettle(t)
		if _, err := e.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitGenerations(t, e)
		e.MustSettle(t)
		if n := by.of("hash:64").Embedded() - paid; n > 5 {
			t.Errorf("going back embedded %d texts, want only what is new", n)
		}
		fresh := by.on(rig.NewLasting(), "hash:64") // a memory that never was elsewhere
		if _, _, err := fresh.Restore(t.Context(), rig.Acme, e.Items(t, rig.Acme)); err != nil {
			t.Fatal(err)
		}
		fresh.MustSettle(t)
		questions = append(questions, "ferry", "printer")
		if diff := cmp.Diff(denseAnswers(t, fresh, questions...), denseAnswers(t, e, questions...)); diff != "" {
			t.Errorf("after going back with changes answers differ (-never elsewhere +back):\n%s", diff)
		}
		wantStates(t, e, "in the end", "active hash:64, previous hash:128")
	})
}

// TestBuildIsTakenUp: a build outlives the engine that began it, and the next one goes on where it was left.
func TestBuildIsTakenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(600)})
		e.MustSettle(t)
		by.of("hash:32").RefuseNow(rig.Refusing("number 550.", trilith.Unavailable)) // in the second step of 500
		if _, err := e.SwitchTo(t.Context(), "hash:32"); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		done := by.of("hash:32").Embedded()
		by.of("hash:32").RefuseNow(nil)
		e = by.on(store, "hash:64")
		awaitGenerations(t, e)
		wantStates(t, e, "in the end", "active hash:32, previous hash:64")
		if n := by.of("hash:32").Embedded(); done < 500 || n != 601 { // one text is the trial of SwitchTo
			t.Errorf("%d texts were embedded before the restart and %d in all, want 500 and each once", done, n)
		}
	})
}

// TestBuildElsewhere: an engine that did not build notices the switch and goes on with the new embedder, or says
// clearly that it cannot.
func TestBuildElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by, poor := rig.NewLasting(), &openers{tb: t}, &openers{tb: t}
		poor.refuseNow(func(name string) error {
			if name == "hash:32" {
				return trilith.Errorf(trilith.Unauthenticated, "embedder: SOME_API_KEY is not set")
			}
			return nil
		})
		e, serving, cannot := by.on(store, "hash:64"), by.on(store, "hash:64"), poor.on(store, "hash:64")
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		rig.WantError(t, "SwitchTo without the key",
			func() error { _, err := cannot.SwitchTo(t.Context(), "hash:32"); return err }(), trilith.Unauthenticated,
			"SOME_API_KEY")
		switchTo(t, e, "hash:32")
		<-time.After(10 * time.Second)
		serving.Note(t, rig.Ana, "The piano teacher is called Olga.")
		serving.MustSettle(t)
		if got := denseAnswers(t, serving, "piano teacher")["piano teacher"]; serving.Generation().Dims != 32 ||
			len(got) != 2 {
			t.Errorf("the engine that was there goes on with %s and finds %v", serving.Generation(), got)
		}
		res := cannot.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "violin teacher", Explain: true})
		at := slices.IndexFunc(res.Explain.Arms, func(a trilith.ArmReport) bool { return a.Arm == trilith.ArmDense })
		if at < 0 || !strings.Contains(res.Explain.Arms[at].Error, "SOME_API_KEY") || len(res.Hits) == 0 {
			t.Errorf("an engine that cannot open the embedder reports %+v and finds %d by words", res.Explain.Arms,
				len(res.Hits))
		}
		poor.refuseNow(nil)
		<-time.After(10 * time.Second)
		if got := denseAnswers(t, cannot, "piano teacher")["piano teacher"]; len(got) != 2 {
			t.Errorf("once the embedder can be opened it finds %v", got)
		}
	})
}

// TestStartingAfterTheSwitch: a process that starts with the old embedder is refused and told what to do. One that
// follows the switch may start.
func TestStartingAfterTheSwitch(t *testing.T) {
	t.Parallel()
	store, by := rig.NewLasting(), &openers{tb: t}
	e := by.on(store, "hash:64")
	e.Note(t, rig.Ana, "The violin teacher is called Ida.")
	switchTo(t, e, "hash:32")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	c := e.Parts
	c.Text = embedded.NewText(nil)
	_, err := engine.Open(t.Context(), c)
	for _, names := range []string{"hash:words (32 dimensions)", "hash:words (64 dimensions)", "--embedder hash:32",
		"trilith reindex --to hash:64", "trilith reindex --rollback"} {
		rig.WantError(t, "Open with the old embedder", err, trilith.Conflict, names)
	}
	wantStates(t, by.on(store, "hash:32"), "with the new embedder", "active hash:32, previous hash:64")
	follower := by.on(store, "hash:64", func(c *engine.Config) { c.AnyGeneration = true })
	if got := follower.Generation().Key(); got != key(t, 32) {
		t.Errorf("who follows goes on with %s", got)
	}
	if _, err := follower.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitGenerations(t, follower)
	by.on(store, "hash:64")
}

// TestStartingAsTheTarget: an engine that is configured with the embedder that is being built answers from the old one.
func TestStartingAsTheTarget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		by.of("hash:32").RefuseNow(rig.Refusing("violin", trilith.Unavailable))
		if _, err := e.SwitchTo(t.Context(), "hash:32"); err != nil {
			t.Fatal(err)
		}
		target := by.on(store, "hash:32")
		if got := denseAnswers(t, target, "teacher")["teacher"]; target.Generation().Dims != 64 || len(got) != 1 {
			t.Errorf("the target of the build answers %v from %s, want from the old generation", got,
				target.Generation())
		}
		by.of("hash:32").RefuseNow(nil)
		awaitGenerations(t, e)
		<-time.After(10 * time.Second)
		if target.Generation().Dims != 32 {
			t.Errorf("after the switch the target goes on with %s", target.Generation())
		}
	})
}

// TestWishes: the wanted generation can change at any time, and vectors of generations that are not wanted are
// removed.
func TestWishes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(600)})
		e.MustSettle(t)
		fails := func(what string, err error, kind trilith.ErrorKind, names string) {
			t.Helper()
			rig.WantError(t, what, err, kind, names)
			wantStates(t, e, "after a refusal", "active hash:64")
		}
		_, err := e.Rollback(t.Context())
		fails("Rollback with nothing before", err, trilith.NotFound, "--to")
		_, err = e.SwitchTo(t.Context(), "rubbish")
		fails("SwitchTo(rubbish)", err, trilith.Invalid, "rubbish")
		by.of("hash:16").RefuseNow(rig.Refusing("", trilith.Unauthenticated))
		_, err = e.SwitchTo(t.Context(), "hash:16")
		fails("SwitchTo an embedder that does not embed", err, trilith.Unauthenticated, "")

		begin := func(name string) {
			t.Helper()
			by.of(name).RefuseNow(rig.Refusing("number 550.", trilith.Unavailable))
			if _, err := e.SwitchTo(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute)
		}
		begin("hash:32")
		if n := stamps(t, store, 32); n != 500 {
			t.Fatalf("%d vectors were made before the outage, want 500", n)
		}
		begin("hash:16") // another wish
		if stamps(t, store, 32) != 0 || stamps(t, store, 16) != 500 {
			t.Errorf("what is not wanted has %d vectors, what is wanted %d; want 0 and 500", stamps(t, store, 32),
				stamps(t, store, 16))
		}
		begin("hash:32")
		switchTo(t, e, "hash:64") // as it is
		wantStates(t, e, "after giving up", "active hash:64")
		if stamps(t, store, 32) != 0 || stamps(t, store, 16) != 0 || stamps(t, store, 64) != 600 {
			t.Errorf("vectors after giving up: %d, %d and %d, want none but the 600 in force", stamps(t, store, 32),
				stamps(t, store, 16), stamps(t, store, 64))
		}
		by.of("hash:32").RefuseNow(nil)
		by.of("hash:16").RefuseNow(nil)
		switchTo(t, e, "hash:32")
		switchTo(t, e, "hash:16")
		wantStates(t, e, "after two", "active hash:16, previous hash:32")
		if stamps(t, store, 64) != 0 {
			t.Error("the generation before the previous one is kept")
		}
		if _, err := e.ForgetPrevious(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitGenerations(t, e)
		wantStates(t, e, "after forgetting", "active hash:16")
		if stamps(t, store, 32) != 0 || stamps(t, store, 16) != 600 {
			t.Errorf("vectors after forgetting: %d and %d, want 0 and 600", stamps(t, store, 32), stamps(t, store, 16))
		}
		switchTo(t, e, "hash:32") // again, from the beginning
		if stamps(t, store, 32) != 600 {
			t.Errorf("made again after it was dropped it has %d vectors, want 600", stamps(t, store, 32))
		}
	})
}

// TestRollbackMeetsABuild: going back while something else is built would be two wishes.
func TestRollbackMeetsABuild(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		switchTo(t, e, "hash:32")
		by.of("hash:16").RefuseNow(rig.Refusing("violin", trilith.Unavailable))
		if _, err := e.SwitchTo(t.Context(), "hash:16"); err != nil {
			t.Fatal(err)
		}
		_, err := e.Rollback(t.Context())
		rig.WantError(t, "Rollback during a build", err, trilith.Conflict, "trilith reindex --to hash:32")
		by.of("hash:64").RefuseNow(rig.Refusing("harp", trilith.Unavailable))
		switchTo(t, e, "hash:32")
		e.Note(t, rig.Ana, "The harp teacher is called Eva.")
		e.MustSettle(t)
		if _, err := e.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantStates(t, e, "on the way back", "active hash:32, building hash:64")
		_, err = e.ForgetPrevious(t.Context())
		rig.WantError(t, "ForgetPrevious on the way back", err, trilith.Conflict, "trilith reindex --to hash:32")
		switchTo(t, e, "hash:32") // thought better of it
		wantStates(t, e, "not gone back", "active hash:32, previous hash:64")
		if n := stamps(t, store, 64); n != 1 {
			t.Errorf("the previous generation has %d vectors, want the one that it had", n)
		}
	})
}

// TestRefusedByTheNewOne: texts that only the new embedder refuses hold up nothing and get jobs.
func TestRefusedByTheNewOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		for _, text := range []string{"A good text.", "A poison text.", "Another good text."} {
			e.Note(t, rig.Ana, text)
		}
		e.MustSettle(t)
		by.of("hash:32").RefuseNow(rig.Refusing("poison", trilith.Invalid))
		switchTo(t, e, "hash:32")
		if n := stamps(t, store, 32); n != 2 {
			t.Errorf("the new generation has %d vectors, want 2", n)
		}
		report, err := e.Doctor(t.Context())
		if err != nil || len(report.Generations) != 2 || report.Generations[0].Refused != 1 ||
			report.Generations[0].Missing != 1 || report.Generations[0].Vectors != 2 {
			t.Errorf("Doctor = %+v, %v; want one text missing because it was refused", report.Generations, err)
		}
		by.of("hash:32").RefuseNow(nil)
		<-time.After(time.Hour)
		if n := stamps(t, store, 32); n != 3 {
			t.Errorf("an hour after the embedder was mended there are %d vectors, want 3", n)
		}
	})
}

// TestSwitchOnAFile: two engines on one file, one of which builds; the other finds by vectors what the first embedded.
func TestSwitchOnAFile(t *testing.T) {
	t.Parallel()
	path, by := filepath.Join(t.TempDir(), "trilith.db"), &openers{tb: t}
	on := func(c *engine.Config) {
		c.Embedder, c.EmbedderName, c.Embedders, c.Named = by.of("hash:64"), "hash:64", by.open, anyName
	}
	serving, e := rig.OnFile(t, path, on), rig.OnFile(t, path, on)
	serving.Note(t, rig.Ana, "The violin teacher is called Ida.")
	serving.MustSettle(t)
	before := denseAnswers(t, serving, "violin")
	for _, c := range []struct {
		to   string
		dims int
	}{{"hash:32", 32}, {"", 64}} { // and back, to vectors that the other engine has in memory
		e.Note(t, rig.Ana, fmt.Sprintf("A viola, before the switch to %d dimensions.", c.dims))
		e.MustSettle(t)
		var err error
		if c.to == "" {
			_, err = e.Rollback(t.Context())
		} else {
			_, err = e.SwitchTo(t.Context(), c.to)
		}
		if err != nil {
			t.Fatal(err)
		}
		awaitGenerations(t, e)
		rig.Until(t, func() bool { return serving.Generation().Dims == c.dims })
		if diff := cmp.Diff(denseAnswers(t, e, "violin", "viola"),
			denseAnswers(t, serving, "violin", "viola")); diff != "" {
			t.Errorf("%d dimensions: the engines answer differently (-that built +that was there):\n%s", c.dims, diff)
		}
	}
	if diff := cmp.Diff(before["violin"][0], denseAnswers(t, serving, "violin")["violin"][0]); diff != "" {
		t.Errorf("there and back (-before +after):\n%s", diff)
	}
	if _, err := e.ForgetPrevious(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitGenerations(t, e)
	if report, err := e.Doctor(t.Context()); err != nil || !report.OK || len(report.Generations) != 1 {
		t.Errorf("Doctor = %+v, %v; want all well and one generation", report, err)
	}
}

// TestNewerRecipe: with a newer text recipe all vectors are made again by themselves, and questions are answered from
// the old ones meanwhile.
func TestNewerRecipe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, by := rig.NewLasting(), &openers{tb: t}
		e := by.on(store, "hash:64")
		m := e.Note(t, rig.Ana, "The violin teacher is called Ida.")
		e.MustSettle(t)
		old := e.Generation()
		old.Recipe--
		remake(t, store, old, m)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		by.of("hash:64").RefuseNow(rig.Refusing("Ida", trilith.Unavailable))
		e = by.on(store, "hash:64")
		if got := denseAnswers(t, e, "violin")["violin"]; len(got) != 1 || e.Generation() != old {
			t.Errorf("before the new vectors are made %s answers %v", e.Generation(), got)
		}
		wantStates(t, e, "meanwhile", "active hash:64, building hash:64")
		by.of("hash:64").RefuseNow(nil)
		awaitGenerations(t, e)
		wantStates(t, e, "in the end", "active hash:64")
		if got := denseAnswers(t, e, "violin")["violin"]; len(got) != 1 || e.Generation().Recipe != index.RecipeVersion {
			t.Errorf("with the new vectors %s answers %v", e.Generation(), got)
		}
	})
}

// remake makes the store look as if a program with another recipe had written it.
func remake(tb testing.TB, l rig.Lasting, g trilith.Generation, m trilith.Memory) {
	tb.Helper()
	es, err := rig.Hash(tb, g.Dims).Embed(tb.Context(), role.ForDocument, []string{m.Text})
	if err != nil {
		tb.Fatal(err)
	}
	if err := l.Vectors.Reset(tb.Context(), trilith.AsSystem("test")); err != nil {
		tb.Fatal(err)
	}
	if err := l.Vectors.Apply(
		tb.Context(), g, []role.Point{
			{Facets: role.FacetsOf(&m), Vector: es[0].Vector, At: m.RecordedAt}}); err != nil {
		tb.Fatal(err)
	}
	body := fmt.Sprintf(`{"provider": "hash", "model": "words", "dims": %d, "recipe": %d, "threshold": true, "embedder": "hash:64"}`, g.Dims, g.Recipe)
	if _, err := l.Commit(tb.Context(), trilith.Scope{Tenant: trilith.SystemTenant}, role.Batch{Records: []role.Record{
		{Kind: role.RecordGeneration, ID: trilith.DeriveID("generation"), Body: []byte(body)}}}); err != nil {
		tb.Fatal(err)
	}
}
