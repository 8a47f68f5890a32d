package derive_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// panicking is a store on which each commit of facts from a quote panics, as a bug in a reader of texts would.
type panicking struct {
	*inmem.Store
	quote  string
	mended atomic.Bool
	atOnce atomic.Bool // the next reading before words are stored panics too
}

func (p *panicking) Commit(ctx context.Context, s trilith.Scope, b role.Batch) (role.Commit, error) {
	for _, m := range b.Memories {
		if m.Fact != nil && !p.mended.Load() && strings.Contains(m.Fact.Evidence[0].Quote, p.quote) {
			panic("read " + p.quote)
		}
	}
	return p.Store.Commit(ctx, s, b)
}

// Jobs panics where what is said is read at once: before it is stored.
func (p *panicking) Jobs(ctx context.Context, s trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	if l.State == trilith.JobReady && l.Kind == "extract" && p.atOnce.CompareAndSwap(true, false) {
		panic("read at once")
	}
	return p.Store.Jobs(ctx, s, l)
}

// TestPanicCostsOneTurn: a turn at which reading panics has no facts. The job finishes at its first attempt, all other
// turns have theirs, and jobs and the doctor name the turn until it was read.
func TestPanicCostsOneTurn(t *testing.T) {
	t.Parallel()
	store := &panicking{Store: inmem.New(time.Now), quote: "cello"}
	e := rig.InMemory(t, func(c *engine.Config) { c.Store, c.Log, c.Queue = store, store, store })
	scope := rig.Ana
	scope.Session = "s"
	said := []string{"I live in Bergen.", "I play the cello.", "I am allergic to peanuts.", "I work at Equinor.",
		"I have a dog named Rex."}
	var messages []trilith.Message
	for _, text := range said {
		messages = append(messages, trilith.Message{Content: text})
	}
	res, err := e.Remember(t.Context(), scope, trilith.RememberRequest{Messages: messages, Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
	if err != nil || res.Pending {
		t.Fatalf("Remember = pending %v, %v", res.Pending, err)
	}
	cello := res.Memories[1].ID
	withFacts := func() (turns []string) {
		t.Helper()
		for i := range res.Memories {
			page, err := e.List(t.Context(), scope, trilith.ListRequest{Filter: trilith.AllOf(
				trilith.Where("kind", trilith.OpEq, trilith.KindFact),
				trilith.Where("evidence", trilith.OpEq, string(res.Memories[i].ID)))})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Items) > 0 {
				turns = append(turns, res.Memories[i].Text)
			}
		}
		return turns
	}
	if got, want := withFacts(), slices.Delete(slices.Clone(said), 1, 2); !slices.Equal(got, want) {
		t.Errorf("facts of %q, want %q", got, want)
	}
	named := func(step string, want ...trilith.ID) {
		t.Helper()
		jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "extract"})
		if err != nil {
			t.Fatal(err)
		}
		var unread []trilith.ID
		for _, j := range jobs {
			if j.State != trilith.JobDone || j.Attempts != 1 {
				t.Errorf("%s: job %s is %s after %d attempts, want it done by the first", step, j.ID, j.State, j.Attempts)
			}
			if j.Report != nil {
				unread = append(unread, j.Report.Unread...)
			}
		}
		if !slices.Equal(unread, want) {
			t.Errorf("%s: jobs name %v as unread, want %v", step, unread, want)
		}
		report, err := e.Doctor(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(report)
		for _, id := range want {
			if !strings.Contains(string(body), string(id)) {
				t.Errorf("%s: the doctor does not name %s: %s", step, id, body)
			}
		}
		if names := slices.ContainsFunc(report.Checks, func(c trilith.Check) bool { return c.Name == "unread" }); names !=
			(len(want) > 0) || !report.OK || strings.Contains(string(body), "cello") {
			t.Errorf("%s: the doctor says %s", step, body)
		}
	}
	named("the bug is there", cello)
	store.mended.Store(true)
	if _, err := e.Reextract(t.Context(), rig.Acme, trilith.ReextractRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	named("the bug is mended")
	if got := withFacts(); !slices.Equal(got, said) {
		t.Errorf("facts of %q after the bug was mended, want of all", got)
	}
}

// TestPanicKeepsWords: what is assimilated is stored although reading it panics, at once and in the job.
func TestPanicKeepsWords(t *testing.T) {
	t.Parallel()
	store := &panicking{Store: inmem.New(time.Now), quote: "cello"}
	e := rig.InMemory(t, func(c *engine.Config) { c.Store, c.Log, c.Queue = store, store, store })
	for _, text := range []string{"I play the cello.", "I like and, well, that is that."} {
		store.atOnce.Store(true)
		var res trilith.AssimilateResult
		err := survive.Do(func() (err error) {
			res, err = e.Assimilate(t.Context(), rig.Ana, trilith.AssimilateRequest{Content: text,
				Identifier: trilith.Identifier{Type: "name", Value: "Zed"}})
			return err
		})
		if err != nil || res.Pending || len(res.Facts) > 0 {
			t.Errorf("Assimilate(%q) = %+v, %v; want no facts", text, res, err)
		}
		page, err := e.List(t.Context(), rig.Ana,
			trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)})
		if err != nil || !slices.ContainsFunc(page.Items, func(m trilith.Memory) bool { return m.Text == text }) {
			t.Errorf("the words %q are not stored: %v", text, err)
		}
	}
}

// TestPanicRefusesOneItem: an item at which cutting it panics is refused, and the others of the batch are stored.
func TestPanicRefusesOneItem(t *testing.T) {
	t.Parallel()
	var armed atomic.Bool
	e := rig.InMemory(t, func(c *engine.Config) {
		c.Now = func() time.Time {
			if armed.CompareAndSwap(true, false) {
				panic("a bug")
			}
			return time.Now()
		}
	})
	armed.Store(true)
	out, err := e.Batch(t.Context(), rig.Ana, trilith.BatchRequest{Operations: []trilith.Operation{
		{Remember: &trilith.RememberRequest{Text: "One."}},
		{Remember: &trilith.RememberRequest{Text: "Two."}}}})
	if err != nil || out.Results[0].Error == nil || out.Results[1].Remembered == nil ||
		len(out.Results[1].Remembered.Memories) != 1 {
		t.Errorf("Batch = %+v, %v; want one error and one memory", out, err)
	}
}
