package index_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// lasting is a text index that outlives the processes that use it, and counts their calls.
type lasting struct {
	*indextest.Text

	mu      sync.Mutex
	applied int // texts
	resets  int
	before  func() // of each Apply; nil: nothing
}

func (l *lasting) Apply(ctx context.Context, ts []role.TextPoint) error {
	l.mu.Lock()
	l.applied += len(ts)
	before := l.before
	l.mu.Unlock()
	if before != nil {
		before()
	}
	return l.Text.Apply(ctx, ts)
}

func (l *lasting) Reset(ctx context.Context, sys trilith.System) error {
	l.mu.Lock()
	l.resets++
	l.mu.Unlock()
	return l.Text.Reset(ctx, sys)
}

func (l *lasting) counts() (applied, resets int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.applied, l.resets
}

func (l *lasting) each(before func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = before
}

// halt makes only the next Apply wait, and reports when that has begun.
func (l *lasting) halt() (halted, going chan struct{}) {
	halted, going = make(chan struct{}), make(chan struct{})
	var one atomic.Bool
	l.each(func() {
		if one.CompareAndSwap(false, true) {
			close(halted)
			<-going
		}
	})
	return halted, going
}

// seenAs is a lasting index as a process sees it that makes terms in a form.
type seenAs struct {
	*lasting
	form string
}

func (s seenAs) Form() string { return s.form }

// several are processes over one memory and its indexes.
type several struct {
	*rig // its indexer is the first of them
	text *lasting
	all  []*rig
}

func newSeveral(t *testing.T, n int) *several {
	t.Helper()
	h, err := hashembed.New(32)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{store: inmem.New(time.Now), text: indextest.NewText(), vectors: indextest.NewVector(),
		embedder: &counting{Embedder: h}}
	s := &several{rig: r, text: &lasting{Text: r.text}}
	for range n {
		s.add(t, "plain")
	}
	if n > 0 {
		r.Indexer = s.all[0].Indexer
	}
	return s
}

// add starts one more process; change may replace what it works on.
func (s *several) add(t *testing.T, form string, change ...func(*index.Config)) *rig {
	t.Helper()
	c := index.Config{Store: s.store, Log: s.store, Text: seenAs{s.text, form}, Turns: s.store, Vectors: s.vectors,
		Embedder:   s.embedder,
		Generation: index.Generation(s.embedder), Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&c)
	}
	x, err := index.New(t.Context(), c)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	r := *s.rig
	r.Indexer = x
	s.all = append(s.all, &r)
	return &r
}

func (r *rig) catchUp(t *testing.T) {
	t.Helper()
	if err := r.CatchUp(t.Context()); err != nil {
		t.Errorf("CatchUp = %v", err)
	}
}

// finds returns how many texts of acme are found by a word.
func (r *rig) finds(t *testing.T, word string) int {
	t.Helper()
	r.catchUp(t)
	res, err := r.Texts(acme).Search(t.Context(), role.TextProbe{Text: word, K: role.MaxCandidates})
	if err != nil {
		t.Errorf("Search = %v", err)
	}
	return len(res.Candidates)
}

// A write that any process has acknowledged is found by all of them at once, and each text is applied once in all, also
// by a process that starts later.
func TestTextsAreAppliedOnceInAll(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 3)
	s.put(t, "acme", 0, 700)
	var all sync.WaitGroup
	for range 4 {
		for _, r := range s.all {
			all.Go(func() {
				if n := r.finds(t, "note"); n != role.MaxCandidates {
					t.Errorf("found %d, want as many as one answer holds", n)
				}
			})
		}
	}
	all.Wait()
	s.put(t, "acme", 700, 3)
	late := s.add(t, "plain")
	if l := late.lag(t); l.Text != 3 {
		t.Errorf("a process that starts later has %d texts to apply, want 3", l.Text)
	}
	for i, r := range append(s.all, late) {
		if n := r.finds(t, "702"); n != 1 {
			t.Errorf("process %d finds %d, want 1", i, n)
		}
	}
	if applied, _ := s.text.counts(); applied != 703 {
		t.Errorf("%d texts were applied in all, want each of 703 once", applied)
	}
}

// When nothing has changed a search looks at the head of the log and at nothing else.
func TestCatchUpCostsOneLook(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 2)
	s.put(t, "acme", 0, 3)
	s.all[0].catchUp(t)
	s.all[1].catchUp(t)
	var asked []string
	s.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		asked = append(asked, op)
		return nil
	}})
	s.all[1].catchUp(t)
	if want := []string{"Head"}; !slices.Equal(asked, want) {
		t.Errorf("the store was asked %q, want %q", asked, want)
	}
}

// A caller that needs changes that another process is applying waits for them, not longer than it wants, and applies
// them itself when that process is gone.
func TestTurnIsWaitedForAndTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral(t, 2)
		s.put(t, "acme", 0, 3)
		halted, going := s.text.halt()
		dying, kill := context.WithCancel(t.Context())
		first := make(chan error)
		go func() { first <- s.all[0].CatchUp(dying) }()
		<-halted
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.all[1].CatchUp(short); trilith.KindOf(err) != trilith.DeadlineExceeded {
			t.Errorf("CatchUp while another process applies = %v, want deadline_exceeded", err)
		}
		second := make(chan error)
		go func() { second <- s.all[1].CatchUp(t.Context()) }()
		synctest.Wait()
		kill()
		close(going)
		if err := <-first; trilith.KindOf(err) != trilith.Canceled {
			t.Errorf("CatchUp of the process that ended = %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("CatchUp of the process that took over = %v", err)
		}
		if n := s.all[1].finds(t, "note"); n != 3 {
			t.Errorf("found %d, want 3", n)
		}
	})
}

// always gives the turn to everybody: so it looks to a process that has lost its turn and does not know.
type always struct{}

func (always) TryTurn(ctx context.Context, _ trilith.System, _ string) (context.Context, func(), bool, error) {
	return ctx, func() {}, true, nil
}

// A process that continued although it had lost its turn does not bring back what was erased meanwhile.
func TestLostTurnDoesNoHarm(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 0)
	slow, quick := s.add(t, "plain", func(c *index.Config) { c.Turns = always{} }),
		s.add(t, "plain", func(c *index.Config) { c.Turns = always{} })
	ids := s.put(t, "acme", 0, 3)
	halted, going := s.text.halt()
	done := make(chan error)
	go func() { done <- slow.CatchUp(t.Context()) }()
	<-halted
	s.commit(t, "acme", role.Batch{Delete: []role.Ref{{ID: ids[0]}}})
	quick.catchUp(t)
	close(going)
	if err := <-done; err != nil {
		t.Errorf("CatchUp of the slow process = %v", err)
	}
	if stamps, err := s.text.Stamps(t.Context(), acme, nil); err != nil || len(stamps) != 2 {
		t.Errorf("the index holds %d texts, %v, want 2: one was erased", len(stamps), err)
	}
	late := s.add(t, "plain")
	if l := late.lag(t); l.Text != 0 {
		t.Errorf("the position went back: %d changes are to be applied again", l.Text)
	}
}

// A process that makes other terms than those in the index rebuilds it when it starts. Those that were there before
// leave it so, and search what there is, unless nobody goes on with it.
func TestFormOfTermsChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral(t, 1)
		s.put(t, "acme", 0, 3)
		old := s.all[0]
		old.catchUp(t)
		_, before := s.text.counts()
		next := s.add(t, "fancy")
		if n := next.finds(t, "note"); n != 3 {
			t.Errorf("the process with another form finds %d, want 3", n)
		}
		if applied, resets := s.text.counts(); resets != before+1 || applied != 6 {
			t.Errorf("%d texts applied, %d resets, want all made anew once", applied, resets-before)
		}
		s.put(t, "acme", 3, 1)
		found := make(chan int)
		go func() { found <- old.finds(t, "note") }()
		synctest.Wait()
		next.catchUp(t)
		if n := <-found; n != 4 {
			t.Errorf("the old process finds %d, want 4", n)
		}
		if err := old.RepairTexts(t.Context(), acme, []trilith.ID{trilith.DeriveID("acme", "0")}); trilith.KindOf(
			err) != trilith.Unavailable {
			t.Errorf("the old process puts its terms into the index: %v", err)
		}
		if _, resets := s.text.counts(); resets != before+1 {
			t.Errorf("%d resets, want the old process to leave the index as it is", resets-before)
		}
		s.put(t, "acme", 4, 1)
		start := time.Now()
		if n := old.finds(t, "note"); n != 5 || time.Since(start) < 10*time.Second {
			t.Errorf("with nobody else the old process finds %d after %s, want 5 after a while", n, time.Since(start))
		}
		if _, resets := s.text.counts(); resets != before+2 {
			t.Errorf("%d resets, want one more by the process that is left", resets-before)
		}
	})
}

// A process that died while it rebuilt an index leaves the next process no problem, wherever it died.
func TestBeginningIsCutOff(t *testing.T) {
	t.Parallel()
	for last := 1; last <= 3; last++ {
		s := newSeveral(t, 1)
		s.put(t, "acme", 0, 3)
		s.all[0].catchUp(t)
		next := s.add(t, "fancy")
		commits := 0
		s.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "Commit" {
				if commits++; commits == last {
					return trilith.Errorf(trilith.Unavailable, "killed")
				}
			}
			return nil
		}})
		if err := next.CatchUp(t.Context()); trilith.KindOf(err) != trilith.Unavailable {
			t.Fatalf("CatchUp = %v, want it cut off at commit %d", err, last)
		}
		s.store.Inject(inmem.Fault{})
		if n := s.add(t, "plain").finds(t, "note"); n != 3 {
			t.Errorf("cut off at commit %d: the next process of the form before finds %d, want 3", last, n)
		}
		if n := s.add(t, "fancy").finds(t, "note"); n != 3 {
			t.Errorf("cut off at commit %d: the next one of the other form finds %d, want 3", last, n)
		}
	}
}

// A shared text index is rebuilt text by text: searches meanwhile miss nothing.
func TestRebuildHidesNothing(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 2)
	s.put(t, "acme", 0, 300)
	s.all[0].catchUp(t)
	orphan := role.TextPoint{Facets: trilith.Facets{ID: trilith.DeriveID("orphan"), Version: 1, Scope: acme},
		Text: "An orphan."}
	if err := s.text.Apply(t.Context(), []role.TextPoint{orphan}); err != nil {
		t.Fatal(err)
	}
	s.text.each(func() {
		if n := s.all[1].finds(t, "note"); n != 300 {
			t.Errorf("in the middle of it %d are found, want 300", n)
		}
	})
	if texts, vectors, err := s.Rebuild(t.Context(), nil); err != nil || texts != 300 || vectors != 300 {
		t.Errorf("Rebuild = %d, %d, %v, want 300 of each", texts, vectors, err)
	}
	if got := s.held(t, "acme"); got != [2]int{300, 300} {
		t.Errorf("the indexes hold %v, want what there is and no orphan", got)
	}
}

// A change of languages through one process makes the others search rightly, and texts are applied in them once in all.
func TestLanguagesAreShared(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 3)
	ids := s.put(t, "acme", 0, 900)
	s.say(t, "acme", ids, "Viajamos juntos")
	s.all[0].catchUp(t)
	before, _ := s.text.counts()
	filter := trilith.Where("id", trilith.OpEq, string(ids[899]))
	found := func(r *rig) int {
		r.catchUp(t)
		res, err := r.Texts(acme).Search(t.Context(), role.TextProbe{Text: "viajar", K: 1, Filter: filter})
		if err != nil {
			t.Error(err)
		}
		return len(res.Candidates)
	}
	if n := found(s.all[1]); n != 0 {
		t.Errorf("without a choice %d are found, want none", n)
	}
	s.choose(t, "es")
	var all sync.WaitGroup
	for _, r := range append(s.all, s.add(t, "plain")) {
		all.Go(func() {
			if n := found(r); n != 1 {
				t.Errorf("with Spanish %d are found, want 1", n)
			}
		})
	}
	all.Wait()
	if applied, _ := s.text.counts(); applied != before+900 {
		t.Errorf("%d texts were applied again, want 900", applied-before)
	}
	if n := found(s.add(t, "plain")); n != 1 {
		t.Errorf("a process that starts later finds %d, want 1", n)
	}
	s.choose(t)
	if err := s.all[2].Reread(t.Context(), acme); err != nil {
		t.Error(err)
	}
	if n := found(s.all[0]); n != 0 {
		t.Errorf("with the choice taken back %d are found, want none", n)
	}
	if applied, _ := s.text.counts(); applied != before+1800 {
		t.Errorf("%d texts were applied again in all, want 1800", applied-before)
	}
}

// A text that one process embeds is embedded by no other, and all may wait for it: also one that cannot open the
// embedder.
func TestVectorsAreMadeOnceInAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral(t, 3)
		without := s.add(t, "plain", func(c *index.Config) { c.Embedder = nil })
		for _, r := range s.all {
			defer r.run(t)()
		}
		s.put(t, "acme", 0, 700)
		without.await(t)
		s.put(t, "acme", 700, 5)
		for _, r := range s.all {
			r.await(t)
			if l := r.lag(t); l.Vectors != 0 {
				t.Errorf("after waiting the lag is %+v", l)
			}
		}
		if n := s.embedder.count(); n != 705 || s.held(t, "acme")[1] != 705 {
			t.Errorf("%d texts were embedded, %d vectors are held, want 705 of each", n, s.held(t, "acme")[1])
		}
	})
}

// Callers that wait for another process look now and then, however many wait: not as often as they can.
func TestWaitingIsCheap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral(t, 1)
		s.put(t, "acme", 0, 3)
		_, release, ok, err := s.store.TryTurn(t.Context(), trilith.AsSystem("test"), "texts")
		if err != nil || !ok {
			t.Fatalf("TryTurn = %v, %v", ok, err)
		}
		var asked atomic.Int64
		s.store.Inject(inmem.Fault{Before: func(context.Context, string) error {
			asked.Add(1)
			return nil
		}})
		head, err := s.store.Head(t.Context(), trilith.AsSystem("test"), 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				if err := s.CatchUp(ctx); trilith.KindOf(err) != trilith.DeadlineExceeded {
					t.Errorf("CatchUp = %v, want deadline_exceeded", err)
				}
			})
			waiting.Go(func() {
				if err := s.Await(ctx, 0, head); trilith.KindOf(err) != trilith.DeadlineExceeded {
					t.Errorf("Await = %v, want deadline_exceeded", err)
				}
			})
		}
		waiting.Wait()
		release()
		// of each that waits for vectors some 60 looks, and all searches share one look
		if n := asked.Load(); n > 2000 {
			t.Errorf("in ten seconds the store was asked %d times", n)
		}
	})
}

// When a process that rebuilds vectors dies, another continues, though nothing is written.
func TestRebuildOfVectorsIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral(t, 2)
		s.put(t, "acme", 0, 5)
		stop := s.all[0].run(t)
		s.all[0].await(t)
		stop()
		s.embedder.fail(trilith.Errorf(trilith.Unavailable, "away"))
		if _, _, err := s.all[0].Rebuild(t.Context(), nil); trilith.KindOf(err) != trilith.Unavailable {
			t.Fatalf("Rebuild = %v, want it cut off", err)
		}
		s.embedder.fail(nil)
		defer s.all[1].run(t)()
		<-time.After(time.Minute)
		if got := s.held(t, "acme"); got != [2]int{5, 5} {
			t.Errorf("a minute later the indexes hold %v, want 5 of each", got)
		}
	})
}
