package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// server is a memory that several processes have open: a store and indexes that outlive them. Its clock can be put
// forward.
type server struct {
	store   *inmem.Store
	text    *indextest.Text
	vectors *indextest.Vector
	ahead   atomic.Int64
}

func newServer() *server {
	s := &server{text: indextest.NewText(), vectors: indextest.NewVector()}
	s.store = inmem.New(s.now)
	return s
}

func (s *server) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// connection is what one process has of the store; when the process is killed, it is cut off and its turns are over.
type connection struct {
	*inmem.Store
	life context.Context
}

var errKilled = trilith.Errorf(trilith.Unavailable, "the process was killed")

func (c connection) Close() error { return nil }

func (c connection) Commit(ctx context.Context, s trilith.Scope, b role.Batch) (role.Commit, error) {
	if c.life.Err() != nil {
		return role.Commit{}, errKilled
	}
	return c.Store.Commit(ctx, s, b)
}

func (c connection) Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error) {
	if c.life.Err() != nil {
		return nil, errKilled
	}
	return c.Store.Lease(ctx, sys, r)
}

func (c connection) ChangeJob(ctx context.Context, step trilith.JobChange) error {
	if c.life.Err() != nil && step.Step == trilith.StepExtend {
		return errKilled
	}
	return c.Store.ChangeJob(ctx, step)
}

func (c connection) TryTurn(ctx context.Context, sys trilith.System, name string) (context.Context, func(), bool, error) {
	if c.life.Err() != nil {
		return nil, nil, false, errKilled
	}
	turn, release, ok, err := c.Store.TryTurn(ctx, sys, name)
	if ok {
		context.AfterFunc(c.life, release)
	}
	return turn, release, ok, err
}

type sharedText struct{ *indextest.Text }

func (sharedText) Form() string { return "reference" }
func (sharedText) Close() error { return nil }

// open starts a process on the memory; kill ends it without a word.
func (s *server) open(t *testing.T, change ...func(*engine.Config)) (r rig.Rig, kill func()) {
	t.Helper()
	life, kill := context.WithCancel(context.Background())
	t.Cleanup(kill)
	c := connection{s.store, life}
	return rig.Open(t, engine.Config{Store: c, Log: c, Queue: c, Vectors: rig.LastingVectors{VectorIndex: s.vectors},
		Now: s.now},
		append([]func(*engine.Config){
			func(c *engine.Config) { c.Text = sharedText{s.text} }}, change...)...), kill
}

// replicas starts n processes.
func (s *server) replicas(t *testing.T, n int, change ...func(*engine.Config)) []rig.Rig {
	t.Helper()
	var out []rig.Rig
	for range n {
		r, _ := s.open(t, change...)
		out = append(out, r)
	}
	return out
}

// Every replica finds a write that another has acknowledged at once: by its words, and by its vectors if the writer
// waited for them.
func TestReplicasReadEachOthersWrites(t *testing.T) {
	t.Parallel()
	es := newServer().replicas(t, 3)
	rig.Together(len(es), func(n int) {
		for i := range 8 {
			word, other := fmt.Sprintf("token%dx%d", n, i), es[(n+1+i%2)%len(es)]
			m := es[n].One(t, rig.Ana, trilith.RememberRequest{Text: "Somebody said " + word + ".",
				Wait: trilith.WaitIndexed})
			for _, arm := range []trilith.Arm{trilith.ArmLexical, trilith.ArmDense} {
				if hits := other.MustRecall(
					t, rig.Ana, trilith.RecallRequest{Query: "said " + word, K: 3, Arms: []trilith.Arm{arm}}).Hits; len(
					hits) == 0 || hits[0].Memory.ID != m.ID {
					t.Errorf("%s: what replica %d wrote, %s, is not what another finds first: %q", arm, n, word,
						rig.TextsOf(hits))
				}
			}
		}
	})
}

// A request that all replicas get at once under one key is done once, and all give the same answer.
func TestRequestKeyAtAllReplicas(t *testing.T) {
	t.Parallel()
	es := newServer().replicas(t, 3)
	var ids [6]trilith.ID
	rig.Together(len(ids), func(i int) {
		ids[i] = es[i%len(es)].One(
			t, rig.Ana, trilith.RememberRequest{Text: "The slate came from Wales.", RequestKey: "once"}).ID
	})
	if all := es[0].All(t, rig.Ana); len(all) != 1 ||
		slices.ContainsFunc(ids[:], func(id trilith.ID) bool { return id != all[0].ID }) {
		t.Errorf("%d memories are stored, want one, and the answers %v to be about it", len(all), ids)
	}
}

// assimilations are statements about four people, with times of their own.
func assimilations() []trilith.AssimilateRequest {
	var out []trilith.AssimilateRequest
	for round, said := range []string{"I live in Oslo.", "I love jazz.", "I moved to Bergen.",
		"I no longer love jazz. My friend is Zora."} {
		for person, name := range []string{"Ana", "Ben", "Uta", "Eva"} {
			out = append(out, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "name", Value: name},
				Content:   said,
				Timestamp: time.Date(2025, time.Month(1+2*round), 1+person, 8, 0, 0, 0, time.UTC).Format(time.RFC3339)})
		}
	}
	return out
}

// graph is what there is of entities and of facts, without what is an accident of ids.
func graph(t *testing.T, r rig.Rig, s trilith.Scope) (names, facts []string) {
	t.Helper()
	page, err := r.Entities(t.Context(), s, trilith.EntitiesQuery{Limit: trilith.MaxPageSize})
	if err != nil {
		t.Fatal(err)
	}
	called := map[trilith.ID]string{}
	for _, v := range page.Items {
		called[v.ID] = v.Type + " " + v.Name
		names = append(names, called[v.ID])
	}
	for _, m := range r.All(t, s) {
		if f := m.Fact; f != nil {
			facts = append(facts, fmt.Sprintf("%s %s %s:%s (%s) %s", called[f.EntityID], f.Verb, f.Node.Type,
				f.Node.Name, called[f.Node.EntityRef], m.State))
		}
	}
	slices.Sort(facts)
	slices.Sort(names)
	return names, append(facts, knowledgeOf(t, r, s).Facts...)
}

// Statements about the same people that are assimilated through several replicas at once make the same entities, nodes
// and facts as one by one, and none of them twice.
func TestReplicasAssimilateAtOnce(t *testing.T) {
	t.Parallel()
	said := assimilations()
	serial := rig.InMemory(t)
	for _, r := range said {
		if _, err := serial.Assimilate(t.Context(), rig.Ana, r); err != nil {
			t.Fatal(err)
		}
	}
	wantNames, wantFacts := graph(t, serial, rig.Ana)
	es := newServer().replicas(t, 3)
	rig.Together(len(said), func(i int) {
		if res, err := es[i%len(es)].Assimilate(t.Context(), rig.Ana, said[i]); err != nil || res.Pending {
			t.Errorf("Assimilate(%q) = %+v, %v", said[i].Content, res, err)
		}
	})
	for _, e := range es {
		names, facts := graph(t, e, rig.Ana)
		if diff := cmp.Diff(wantNames, names); diff != "" {
			t.Errorf("entities (-one by one +at once):\n%s", diff)
		}
		if diff := cmp.Diff(wantFacts, facts); diff != "" {
			t.Errorf("facts (-one by one +at once):\n%s", diff)
		}
	}
}

// Replicas that work on the same jobs at once end in the facts of one engine that did them in order, however they share
// them.
func TestJobsSharedByReplicas(t *testing.T) {
	t.Parallel()
	alone, _ := newServer().open(t)
	testify(t, alone, rig.Ana, testimony())
	want := knowledgeOf(t, alone, rig.Ana)
	for range 3 {
		s := newServer()
		writer, _ := s.open(t, func(c *engine.Config) { c.Queue = resting{c.Queue} })
		for _, m := range testimony() {
			writer.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: []trilith.Message{m},
				Extract: trilith.ExtractRules})
		}
		es := s.replicas(t, 3, func(c *engine.Config) { c.Queue = oneByOne{c.Queue} })
		rig.Together(len(es), func(i int) {
			if err := es[i].Work(t.Context()); err != nil {
				t.Errorf("Work = %v", err)
			}
		})
		if diff := cmp.Diff(want, knowledgeOf(t, es[0], rig.Ana)); diff != "" {
			t.Errorf("jobs done by three replicas make other facts (-one engine +three):\n%s", diff)
		}
	}
}

// oneByOne is a queue that gives away one job at a time, so that those who ask take turns.
type oneByOne struct{ role.Queue }

func (q oneByOne) Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error) {
	r.Max = 1
	return q.Queue.Lease(ctx, sys, r)
}

// All replicas together embed each text once, whichever of them stored it.
func TestReplicasEmbedOnce(t *testing.T) {
	t.Parallel()
	f := rig.NewFussy(t, nil)
	es := newServer().replicas(t, 3, func(c *engine.Config) { c.Embedder = f })
	rig.Together(len(es), func(n int) {
		for i := range 10 {
			es[n].Note(t, rig.Acme, fmt.Sprintf("Note %d of replica %d.", i, n))
		}
		es[n].MustSettle(t)
	})
	if n := f.Embedded(); n != 30 {
		t.Errorf("%d documents were embedded, want each of 30 once", n)
	}
}

// hanging is an embedder that answers nothing to documents until its process is killed.
type hanging struct {
	role.Embedder
	begun chan struct{}
	once  sync.Once
}

func (h *hanging) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if use == role.ForQuery {
		return h.Embedder.Embed(ctx, use, texts)
	}
	h.once.Do(func() { close(h.begun) })
	<-ctx.Done()
	return nil, ctx.Err()
}

// When a replica is killed in its turn the others take over what it was at.
func TestKilledReplicaLosesItsTurn(t *testing.T) {
	t.Parallel()
	s := newServer()
	stuck := &hanging{Embedder: rig.Hash(t, 64), begun: make(chan struct{})}
	first, kill := s.open(t, func(c *engine.Config) { c.Embedder = stuck })
	first.Note(t, rig.Acme, "The slate came from Wales.")
	<-stuck.begun
	second, _ := s.open(t)
	kill()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := second.Settle(ctx); err != nil {
		t.Fatalf("Settle of the replica that is left = %v", err)
	}
	if hits := second.MustRecall(
		t, rig.Acme, trilith.RecallRequest{Query: "slate from Wales", Arms: []trilith.Arm{trilith.ArmDense}}).Hits; len(
		hits) != 1 {
		t.Errorf("found %q, want the note", rig.TextsOf(hits))
	}
}

// stalled is a model that does not answer before its process is killed.
type stalled struct {
	role.Model
	begun chan struct{}
}

func (m stalled) Generate(ctx context.Context, _ role.ModelRequest) (role.ModelAnswer, error) {
	close(m.begun)
	<-ctx.Done()
	return role.ModelAnswer{}, ctx.Err()
}

// The jobs of a replica that was killed are done by another when their leases have run out.
func TestKilledReplicaLosesItsJobs(t *testing.T) {
	t.Parallel()
	s := newServer()
	script := scripted.Script{Entries: []scripted.Entry{{Answer: `{"facts":[]}`}}}
	stuck := stalled{scripted.New(script), make(chan struct{})}
	first, kill := s.open(t, func(c *engine.Config) { c.Model = stuck })
	first.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "I live in Oslo.", Extract: trilith.ExtractLLM})
	<-stuck.begun
	second, _ := s.open(t, func(c *engine.Config) { c.Model = scripted.New(script) })
	kill()
	s.ahead.Add(int64(5 * time.Minute))
	for {
		if err := second.Work(t.Context()); err != nil {
			t.Fatalf("Work = %v", err)
		}
		jobs, err := second.Jobs(t.Context(), rig.Ana, trilith.JobListing{Kind: "distil"})
		if err != nil || len(jobs) != 1 {
			t.Fatalf("Jobs = %+v, %v, want one", jobs, err)
		}
		if jobs[0].State == trilith.JobDone {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("the job is not done")
		}
	}
}

// Replicas with a model read the turns of one person in order and one at a time, in any replica.
func TestReplicasReadInOrder(t *testing.T) {
	t.Parallel()
	s := newServer()
	script := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: `{"facts":[]}`}}})
	model := &crowded{Model: script, full: make(chan struct{}), under: map[string]int{}}
	close(model.full)
	writer, _ := s.open(t, func(c *engine.Config) {
		c.Model, c.Queue = scripted.New(scripted.Script{}),
			resting{c.Queue}
	})
	const each = 8
	users := []string{"ana", "ben"}
	for i := range each {
		for _, user := range users {
			writer.MustRemember(t, trilith.Scope{Tenant: "acme", User: user},
				trilith.RememberRequest{Text: fmt.Sprintf("I am %s, for the %d. time.", user, i),
					Extract: trilith.ExtractLLM})
		}
	}
	es := s.replicas(t, 3, func(c *engine.Config) { c.Model, c.Queue = model, oneByOne{c.Queue} })
	for ready := true; ready; {
		rig.Together(len(es), func(i int) {
			if err := es[i].Work(t.Context()); err != nil {
				t.Errorf("Work = %v", err)
			}
		})
		jobs, err := es[0].Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobReady})
		if err != nil {
			t.Fatal(err)
		}
		ready = len(jobs) > 0
	}
	wantInOrder(t, model, script.Requests(), each*len(users))
}

// A caller that waits for facts gets them even if another replica derives them.
func TestWaitsForFactsOfAnotherReplica(t *testing.T) {
	t.Parallel()
	s := newServer()
	e, _ := s.open(t, func(c *engine.Config) { c.Queue = resting{c.Queue} }) // it never works itself
	s.open(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "I live in Oslo.", Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
	if got := knowledgeOf(t, e, rig.Ana).Facts; len(got) != 1 {
		t.Errorf("after waiting the facts are %q, want one", got)
	}
}

// The others no longer find what one replica has erased, by words or by vectors.
func TestErasedAtAllReplicas(t *testing.T) {
	t.Parallel()
	s := newServer()
	es := s.replicas(t, 3)
	m := es[0].Note(t, rig.Acme, "The slate came from Wales.")
	es[0].MustSettle(t)
	for i, e := range es {
		if got := e.Found(t, rig.Acme, "slate from Wales"); len(got) != 1 {
			t.Errorf("before, replica %d finds %q", i, got)
		}
	}
	if _, err := es[1].Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	for i, e := range es {
		if res := e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "slate from Wales",
			Explain: true}); len(res.Hits) > 0 ||
			len(res.Dropped) > 0 {
			t.Errorf("replica %d finds %q and drops %v, want nothing", i, rig.TextsOf(res.Hits), res.Dropped)
		}
		e.MustSettle(t)
	}
	texts, err := s.text.Stamps(t.Context(), rig.Acme, nil)
	if err != nil || len(texts) > 0 {
		t.Errorf("the text index holds %v, %v", texts, err)
	}
	if vectors, err := s.vectors.Stamps(t.Context(), rig.Acme, es[2].Generation(), nil); err != nil || len(vectors) > 0 {
		t.Errorf("the vector index holds %v, %v", vectors, err)
	}
}

// While one replica rebuilds the indexes, the others go on finding by words.
func TestReindexBesideSearches(t *testing.T) {
	t.Parallel()
	es := newServer().replicas(t, 3)
	for i := range 40 {
		es[0].Note(t, rig.Acme, fmt.Sprintf("Note number %d about the garden.", i))
	}
	var over atomic.Bool
	rig.Together(len(es), func(n int) {
		if n == 0 {
			defer over.Store(true)
			if res, err := es[0].Reindex(t.Context(), nil); err != nil || res.Texts != 40 {
				t.Errorf("Reindex = %+v, %v", res, err)
			}
			return
		}
		for !over.Load() {
			if hits := es[n].MustRecall(
				t, rig.Acme, trilith.RecallRequest{Query: "garden", K: 50,
					Arms: []trilith.Arm{trilith.ArmLexical}}).Hits; len(
				hits) != 40 {
				t.Errorf("replica %d finds %d in the middle of it, want 40", n, len(hits))
			}
		}
	})
	es[1].MustSettle(t)
	if report, err := es[1].Doctor(t.Context()); err != nil || !report.OK {
		t.Errorf("Doctor = %+v, %v", report, err)
	}
}

// A tenant that chooses its languages through one replica is found in their forms by all.
func TestLanguagesAtAllReplicas(t *testing.T) {
	t.Parallel()
	s := newServer()
	es := s.replicas(t, 3, rig.WordsOnly)
	es[0].Say(t, rig.Acme, rig.SaidSpanish)
	es[1].WantFound(t, "without a choice", rig.Acme)
	es[2].MustUseLanguages(t, rig.Acme, "es")
	for _, e := range append(es, s.replicas(t, 1, rig.WordsOnly)...) {
		e.WantFound(t, "with Spanish", rig.Acme, rig.SaidSpanish)
	}
	es[1].MustUseLanguages(t, rig.Acme)
	es[0].WantFound(t, "with the choice taken back", rig.Acme)
}

// The others see within seconds how much of a budget one replica has used: together they pass a limit by seconds, not
// by days.
func TestBudgetOfAllReplicas(t *testing.T) {
	t.Parallel()
	s := newServer()
	es := s.replicas(t, 2, rig.WithBudget("search/requests=3"),
		func(c *engine.Config) { c.Embedder = rig.Paid{Embedder: c.Embedder} })
	ask := func(e rig.Rig, question string) error {
		_, err := e.Recall(t.Context(), rig.Acme, trilith.RecallRequest{Query: question,
			Arms: []trilith.Arm{trilith.ArmDense}})
		return err
	}
	if err := ask(es[1], "What was first?"); err != nil { // it knows the count of then
		t.Fatal(err)
	}
	for i := range 2 {
		if err := ask(es[0], fmt.Sprintf("Question %d?", i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range es {
		// writes down what is pending, as each does every few seconds
		if _, err := e.Usage(t.Context(), rig.Acme, trilith.UsageQuery{Days: 1}); err != nil {
			t.Fatal(err)
		}
	}
	s.ahead.Add(int64(10 * time.Second))
	var over *trilith.OverBudget
	if err := ask(es[1], "What was last?"); !errors.As(err, &over) {
		t.Errorf("with the budget used up by another replica the answer is %v, want over budget", err)
	}
}
