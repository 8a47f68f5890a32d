package engine_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestAnotherEmbedder: vectors of two models in one search give nonsense, so starting with another one is refused.
func TestAnotherEmbedder(t *testing.T) {
	t.Parallel()
	store := rig.NewLasting()
	c := store.Config()
	c.EmbedderName = "hash:64"
	e := rig.Open(t, c)
	e.Note(t, rig.Ana, "The violin teacher is called Ida.")
	e.MustSettle(t)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	c.Embedder, c.EmbedderName, c.Text, c.Graph = rig.Hash(t, 32), "hash:32", e.Parts.Text, e.Parts.Graph
	_, err := engine.Open(t.Context(), c)
	for _, names := range []string{"hash:words (64 dimensions)", "hash:words (32 dimensions)", "--embedder hash:64",
		"trilith reindex --to hash:32"} {
		rig.WantError(t, "Open with another embedder", err, trilith.Conflict, names)
	}
}

func TestReopeningKeepsVectors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	var embedders [2]*rig.Fussy
	for i := range embedders {
		embedders[i] = rig.NewFussy(t, nil)
		e := rig.OnFile(t, path, func(c *engine.Config) { c.Embedder = embedders[i] })
		if i == 0 {
			e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(30)})
		}
		e.MustSettle(t)
		for _, m := range e.All(t, rig.Ana) {
			if m.IndexedAt == nil {
				t.Errorf("opened for the %d. time: %q has no vector", i+1, m.Text)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if first, second := embedders[0].Embedded(), embedders[1].Embedded(); first != 30 || second != 0 {
		t.Errorf("embedded %d texts at first and %d after the restart, want 30 and 0: each start would cost money",
			first, second)
	}
}

// TestOneBadText: a text that the embedder refuses waits in a job of its own, the others go on.
func TestOneBadText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("poison", trilith.Invalid))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		ms := e.MustRemember(t, rig.Ana,
			trilith.RememberRequest{Messages: []trilith.Message{{Content: "One good text."}, {Content: "A poison text."},
				{Content: "Another good text."}}}).Memories
		<-time.After(10 * time.Second)
		indexed := func(m trilith.Memory) bool {
			t.Helper()
			got, err := e.Get(t.Context(), rig.Ana, m.ID)
			if err != nil {
				t.Fatal(err)
			}
			return got.IndexedAt != nil
		}
		if !indexed(ms[0]) || indexed(ms[1]) || !indexed(ms[2]) {
			t.Errorf("indexed: %t, %t, %t; want all but the second", indexed(ms[0]), indexed(ms[1]), indexed(ms[2]))
		}
		jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{})
		if err != nil || len(jobs) != 1 || jobs[0].State != trilith.JobReady || jobs[0].Error == "" ||
			jobs[0].Attempts == 0 {
			t.Errorf("Jobs = %+v, %v; want one that was tried and says why it failed", jobs, err)
		}
		if st, err := e.Status(t.Context()); err != nil || st.LagVectors != 0 {
			t.Errorf("Status = %+v, %v; want no lag", st, err)
		}
		if got := e.Found(t, rig.Ana, "poison"); len(got) != 1 {
			t.Errorf("Recall = %q: without a vector it must still be found by its words", got)
		}
		embedder.RefuseNow(nil)
		<-time.After(time.Hour)
		if jobs, err = e.Jobs(t.Context(), rig.Acme, trilith.JobListing{}); err != nil || jobs[0].State != trilith.JobDone ||
			!indexed(ms[1]) {
			t.Errorf("an hour after the embedder was mended: %+v, %v, indexed %t", jobs, err, indexed(ms[1]))
		}
	})
}

// TestDeadJob: a text that is never taken ends as a dead job that the doctor shows and a person can retry.
func TestDeadJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("poison", trilith.Invalid))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{
			Messages: []trilith.Message{{Content: "A good text."}, {Content: "A poison text."}}})
		<-time.After(24 * time.Hour)
		jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobDead})
		if err != nil || len(jobs) != 1 {
			t.Fatalf("Jobs(dead) a day later = %+v, %v, want one", jobs, err)
		}
		if c := rig.Check(t, e, "jobs"); c.OK || c.Fix == "" {
			t.Errorf("Doctor says %+v, want the dead job and how to mend it", c)
		}
		embedder.RefuseNow(nil)
		if _, err := e.RetryJob(t.Context(), rig.Acme, jobs[0].ID); err != nil {
			t.Fatal(err)
		}
		rig.WantError(t, "RetryJob of another tenant",
			rig.ErrorOf(e.RetryJob(t.Context(), trilith.Scope{Tenant: "globex"}, jobs[0].ID)),
			trilith.NotFound, "")
		<-time.After(time.Minute)
		if c := rig.Check(t, e, "jobs"); !c.OK {
			t.Errorf("Doctor says %+v after the retry", c)
		}
	})
}

// TestEmbedderAway: an outage delays vectors, it loses none and holds up nobody.
func TestEmbedderAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("", trilith.Unavailable))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		const n = 30
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(n)})
		<-time.After(time.Hour)
		st, err := e.Status(t.Context())
		if err != nil || st.LagVectors != n || st.LagText != 0 && st.LagText != n || st.Generation == "" {
			t.Errorf("Status during the outage = %+v, %v; want a lag of %d vectors", st, err, n)
		}
		if got := e.Found(t, rig.Ana, "garden"); len(got) == 0 {
			t.Error("during the outage nothing is found by its words")
		}
		if jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{}); err != nil || len(jobs) != 0 {
			t.Errorf("an outage makes %d jobs, %v, want none: the changes wait", len(jobs), err)
		}
		embedder.RefuseNow(nil)
		<-time.After(time.Minute)
		if st, err = e.Status(t.Context()); err != nil || st.LagVectors != 0 || embedder.Embedded() != n {
			t.Errorf("a minute after the outage: %+v, %v, %d embedded, want %d and no lag", st, err,
				embedder.Embedded(), n)
		}
	})
}

func TestWordlessHasNoVector(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "🪨🪨🪨"}, Wait: trilith.WaitIndexed})
	if !res.Indexed {
		t.Error("a text that gets no vector keeps its writer waiting")
	}
	if m := e.All(t, rig.Ana)[0]; m.IndexedAt != nil {
		t.Errorf("it was indexed at %v", m.IndexedAt)
	}
}

// TestOneBadTextAlone: a text that the embedder refuses becomes a job also when nothing else waits with it; else the
// position never moves again and no vector of any tenant is made.
func TestOneBadTextAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("poison", trilith.Invalid))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		e.Note(t, rig.Ana, "A poisonous poison.")
		e.MustRemember(t, trilith.Scope{Tenant: "globex"}, trilith.RememberRequest{Text: "Another tenant's good text."})
		<-time.After(time.Minute)
		st, err := e.Status(t.Context())
		if err != nil || st.LagVectors != 0 || embedder.Embedded() == 0 {
			t.Errorf("a minute later %+v, %v and %d texts are embedded: one bad text holds up all others", st, err,
				embedder.Embedded())
		}
	})
}

// TestReindexThatIsCutOff: a rebuild that an outage or a crash cuts off must be taken up by the next process.
func TestReindexThatIsCutOff(t *testing.T) {
	t.Parallel()
	store := rig.NewLasting()
	embedder := rig.NewFussy(t, nil)
	start := func() rig.Rig {
		c := store.Config()
		c.Embedder = embedder
		return rig.Open(t, c)
	}
	e := start()
	e.Note(t, rig.Ana, "A memory that had a vector.")
	e.MustSettle(t)
	embedder.RefuseNow(rig.Refusing("", trilith.Unavailable))
	if _, err := e.Reindex(t.Context(), nil); trilith.KindOf(err) != trilith.Unavailable {
		t.Fatalf("Reindex without the embedder = %v, want unavailable", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	embedder.RefuseNow(nil)
	e = start()
	e.MustSettle(t)
	if m := e.All(t, rig.Ana)[0]; m.IndexedAt == nil {
		t.Error("after a restart the vectors that the rebuild dropped are never made again")
	}
}

// TestWaitingForAVector: a memory that waits for the vector of its new wording has no vector, even if the old wording
// had one.
func TestWaitingForAVector(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, nil)
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		m := e.Note(t, rig.Ana, "The old wording.")
		e.MustSettle(t)
		synctest.Wait()
		embedder.RefuseNow(rig.Refusing("new", trilith.Unavailable))
		if _, err := e.Update(t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{Text: new("The new wording.")}); err != nil {
			t.Fatal(err)
		}
		if got, err := e.Get(t.Context(), rig.Ana, m.ID); err != nil || got.IndexedAt != nil {
			t.Errorf("Get = indexed at %v, %v while the embedder is away, want nil: the vector is that of the old wording", got.IndexedAt, err)
		}
	})
}

// TestChangesAreEmbeddedOnce: a memory that changed several times before it is embedded is embedded once.
func TestChangesAreEmbeddedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("", trilith.Unavailable))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		m := e.Note(t, rig.Ana, "Changed again and again.")
		for _, tag := range []string{"a", "b", "c"} {
			if _, err := e.Update(t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{Tags: &[]string{tag}}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait() // else the indexer may hold the changes but the last when the embedder comes back
		embedder.RefuseNow(nil)
		<-time.After(time.Minute)
		if n := embedder.Embedded(); n != 1 {
			t.Errorf("one memory was embedded %d times: each costs money at a provider", n)
		}
	})
}
