package review_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/rig"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// BenchmarkQuestions_100000 asks what a reviewer asks every day, of 100,000 turns and 20,000 facts, on both stores.
func BenchmarkQuestions_100000(b *testing.B) {
	ask := func(b *testing.B, e rig.Rig) {
		for _, q := range questions {
			b.Run(q.name, func(b *testing.B) { measure(b, func() (int, error) { return q.ask(b, e) }) })
		}
	}
	b.Run("SQLite", func(b *testing.B) {
		e := rig.OnFile(b, rig.NewPath(b))
		reviewed(b, e, 100_000, 20_000)
		ask(b, e)
	})
	b.Run("PostgreSQL", func(b *testing.B) {
		url := pgtest.Database(b)
		store, err := postgres.Open(b.Context(), postgres.Options{URL: url})
		if err != nil {
			b.Fatal(err)
		}
		e := rig.Open(b, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)})
		reviewed(b, e, 100_000, 20_000)
		conn, err := pgx.Connect(b.Context(), url)
		if err == nil {
			defer conn.Close(b.Context())
			// as the server does by itself within minutes
			_, err = conn.Exec(b.Context(), "VACUUM ANALYZE trilith.memories")
		}
		if err != nil {
			b.Fatal(err)
		}
		ask(b, e)
	})
}

// measure reports the median beside the mean, and how much the answer holds.
func measure(b *testing.B, ask func() (int, error)) {
	var took []time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		var err error
		if n, err = ask(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(n), "items")
}

type question struct {
	name string
	ask  func(*testing.B, rig.Rig) (int, error)
}

var tagged = trilith.Where("tags", trilith.OpContains, "trial")

func askInbox(reasons ...trilith.ReviewReason) func(*testing.B, rig.Rig) (int, error) {
	return func(b *testing.B, e rig.Rig) (int, error) {
		p, err := e.Inbox(b.Context(), rig.Acme, trilith.InboxQuery{Reasons: reasons})
		return len(p.Items), err
	}
}

func askFacts(q trilith.FactQuery) func(*testing.B, rig.Rig) (int, error) {
	return func(b *testing.B, e rig.Rig) (int, error) {
		p, err := e.Facts(b.Context(), rig.Acme, q)
		return len(p.Items), err
	}
}

func askList(f trilith.Filter) func(*testing.B, rig.Rig) (int, error) {
	return func(b *testing.B, e rig.Rig) (int, error) {
		p, err := e.List(b.Context(), rig.Acme, trilith.ListRequest{Filter: f})
		return len(p.Items), err
	}
}

func countItems(p trilith.Page, err error) (int, error) { return len(p.Items), err }

func countGroups(p trilith.FactGroups, err error) (int, error) { return len(p.Items), err }

var questions = []question{
	{"Inbox", askInbox()},
	{"InboxConflict", askInbox(trilith.ReviewConflict)},
	{"InboxLowTrust", askInbox(trilith.ReviewLowTrust)},
	{"InboxCandidate", askInbox(trilith.ReviewCandidate)},
	{"Actionable", func(b *testing.B, e rig.Rig) (int, error) {
		return countItems(e.Actionable(b.Context(), rig.Acme, trilith.ActionableQuery{}))
	}},
	{"UnverifiedFinancial", func(b *testing.B, e rig.Rig) (int, error) {
		return countItems(e.UnverifiedFinancial(b.Context(), rig.Acme, trilith.UnverifiedQuery{}))
	}},
	{"Exposure", func(b *testing.B, e rig.Rig) (int, error) {
		x, err := e.Exposure(b.Context(), rig.Acme)
		return len(x.Sums), err
	}},
	{"Facts", askFacts(trilith.FactQuery{})},
	{"FactsRequiresAction", askFacts(trilith.FactQuery{RequiresAction: new(true)})},
	{"FactsFinancialOnly", askFacts(trilith.FactQuery{FinancialOnly: true})},
	{"FactsMinAmount", askFacts(trilith.FactQuery{MinAmount: 90_000})},
	{"FactsMinConfidence", askFacts(trilith.FactQuery{MinConfidence: 0.999})},
	{"FactsStatus", askFacts(trilith.FactQuery{Status: []trilith.VerificationStatus{trilith.Disputed}})},
	{"AutoVerify", func(b *testing.B, e rig.Rig) (int, error) {
		r, err := e.AutoVerify(b.Context(), rig.Acme, trilith.AutoVerifyRequest{DryRun: true})
		return len(r.Verified), err
	}},
	{"DecideByTag", func(b *testing.B, e rig.Rig) (int, error) {
		r, err := e.Decide(b.Context(), rig.Acme,
			trilith.BulkDecision{Filter: trilith.AllOf(tagged, trilith.Where("kind", trilith.OpEq, trilith.KindFact)),
				Decision: trilith.DecideVerify, DryRun: true})
		return len(r.Items), err
	}},
	{"ForgetByTag", func(b *testing.B, e rig.Rig) (int, error) {
		r, err := e.Forget(b.Context(), rig.Acme, trilith.ForgetRequest{Filter: tagged, DryRun: true})
		return len(r.IDs), err
	}},
	{"EraseByTag", func(b *testing.B, e rig.Rig) (int, error) {
		r, err := e.Erase(b.Context(), rig.Acme, trilith.EraseRequest{Filter: tagged, DryRun: true})
		return r.Memories, err
	}},
	{"ListTag", askList(tagged)},
	{"ListTagNone", askList(trilith.Where("tags", trilith.OpContains, "never"))},
	{"ListPriority", askList(trilith.Where("priority", trilith.OpEq, string(trilith.PriorityCritical)))},
	{"ListMetadata", askList(trilith.Where("metadata.ticket", trilith.OpEq, "T-77"))},
	{"ListMetadataNumber", askList(trilith.Where("metadata.n", trilith.OpEq, 77))},
	{"ListTitle", askList(trilith.Where("title", trilith.OpEq, "Title 7"))},
	{"Conflicts", func(b *testing.B, e rig.Rig) (int, error) {
		return countGroups(e.FactConflicts(b.Context(), rig.Acme, trilith.GroupsQuery{}))
	}},
	{"Duplicates", func(b *testing.B, e rig.Rig) (int, error) {
		return countGroups(e.DuplicateFacts(b.Context(), rig.Acme, trilith.DuplicatesQuery{}))
	}},
	{"Stale", func(b *testing.B, e rig.Rig) (int, error) {
		p, err := e.StaleFacts(b.Context(), rig.Acme, trilith.StaleQuery{})
		return len(p.Items), err
	}},
	{"FactStats", func(b *testing.B, e rig.Rig) (int, error) {
		s, err := e.FactStats(b.Context(), rig.Acme)
		return s.Total, err
	}},
	{"Stats", func(b *testing.B, e rig.Rig) (int, error) {
		s, err := e.Stats(b.Context(), rig.Acme)
		return s.Total, err
	}},
	// the last: what fits is verified by the first calls, so the median has nothing left to do
	{"AutoVerifyAgain", func(b *testing.B, e rig.Rig) (int, error) {
		r, err := e.AutoVerify(b.Context(), rig.Acme, trilith.AutoVerifyRequest{})
		return len(r.Verified), err
	}},
}

// reviewed fills the store with conversations and with facts whose evidence is their turns: most pending and said by a
// person; some in doubt, proposed, closed or of low trust; some about money; a few with an action.
func reviewed(b testing.TB, e rig.Rig, turns, facts int) {
	b.Helper()
	const people, perSession = 1000, 50
	r, words := rand.New(rand.NewPCG(5, 6)), synthetic.New(1)
	start := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, -200)
	var batch []trilith.Memory
	put := func(m trilith.Memory, all bool) {
		if batch = append(batch, m); len(batch) == role.MaxBatch || all {
			if _, err := e.Parts.Store.Commit(b.Context(), rig.Acme, role.Batch{Memories: batch}); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	var said []trilith.ID
	for i := range turns / perSession {
		at := start.Add(time.Duration(i) * 200 * 24 * time.Hour / time.Duration(turns/perSession))
		for n, t := range words.Conversation(at, perSession).Turns {
			m := trilith.Memory{ID: trilith.NewID(t.At), Kind: trilith.KindEpisode, Type: "message", Text: t.Text,
				Role: trilith.RoleUser, Seq: n,
				Scope: trilith.Scope{Tenant: "acme", User: fmt.Sprintf("p%d", i%people),
					Session: fmt.Sprintf("s%d", i)},
				EventTime: t.At, RecordedAt: t.At, State: trilith.StateActive, Trust: trilith.TrustUserStated}
			if t.Assistant {
				m.Role, m.Trust = trilith.RoleAssistant, trilith.TrustAssistantSaid
			}
			k := r.IntN(2000)
			switch {
			case k == 0:
				m.Tags = []string{"trial", "mail"}
			case k < 100:
				m.Tags = []string{fmt.Sprintf("tag%d", k%40)}
			case k < 400:
				m.Metadata = map[string]any{"channel": "mail", "ticket": fmt.Sprintf("T-%d", r.IntN(1000)),
					"n": r.IntN(1000)}
			case k < 404:
				m.State = trilith.StateQuarantined
			case k < 420:
				m.Kind, m.Entry = trilith.KindEntry,
					&trilith.Entry{Category: "notes", Title: fmt.Sprintf("Title %d", r.IntN(200)), Content: t.Text}
			}
			said = append(said, m.ID)
			put(m, false)
		}
	}
	for i := range facts {
		at := start.Add(time.Duration(i) * 200 * 24 * time.Hour / time.Duration(facts))
		entity := trilith.DeriveID("entity", fmt.Sprint(i%people))
		name := words.Thing()
		text := fmt.Sprintf("Person %d likes %s.", i%people, name)
		m := trilith.Memory{Kind: trilith.KindFact, Type: "fact", Text: text, SourceID: trilith.NewID(at),
			Scope: trilith.Scope{Tenant: "acme", User: fmt.Sprintf("p%d", i%people),
				Project: fmt.Sprintf("project%d", i%20)},
			EventTime: at, RecordedAt: at, State: trilith.StateActive, Trust: trilith.TrustUserStated}
		f := &trilith.Fact{EntityID: entity, Verb: []string{"likes", "lives_in", "works_at", "owns", "owes"}[r.IntN(5)],
			Node: trilith.Node{Type: "Thing", Name: fmt.Sprint(name, " ", i)}, Type: trilith.FactTypes()[r.IntN(15)],
			Polarity:  trilith.Affirmed,
			Certainty: trilith.Stated, Confidence: 0.5 + r.Float64()/2, AuthorRole: trilith.RoleUser,
			Priority:     trilith.PriorityNormal,
			Verification: trilith.Verification{Status: trilith.PendingApproval}}
		f.FactID = f.Node.ID()
		f.RelationshipKey = f.Key()
		m.ID = trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID)
		for range 1 + r.IntN(2) {
			f.Evidence = append(f.Evidence,
				trilith.Evidence{EpisodeID: said[r.IntN(len(said))], Quote: text, End: len(text), At: at,
					Confidence: f.Confidence, Certainty: trilith.Stated, Trust: m.Trust, Says: text, SourceID: m.SourceID,
					Rule: "likes"})
		}
		switch k := r.IntN(1000); {
		case k < 5:
			f.Verification = trilith.Verification{Status: trilith.Disputed, At: &at}
		case k < 15:
			f.Verification = trilith.Verification{Status: trilith.NeedsReview, At: &at}
		case k < 75:
			f.Verification = trilith.Verification{Status: trilith.Verified, By: "ana", At: &at}
		case k < 95:
			m.State = trilith.StateCandidate
		case k < 195:
			ended := at.Add(time.Hour)
			m.State, m.ValidUntil, m.SupersededAt = trilith.StateSuperseded, &ended, &ended
		case k < 245:
			m.Trust = trilith.TrustAssistantSaid
		}
		switch k := r.IntN(1000); {
		case k < 100:
			f.Financial = &trilith.Financial{Amount: fmt.Sprintf("%.2f", math.Pow(10, 1+4*r.Float64())), Currency: "EUR",
				Type: "invoice"}
		case k < 140:
			f.RequiresAction = true
		case k < 150:
			m.Tags = []string{"trial"}
		}
		if r.IntN(100) == 0 {
			f.Priority = trilith.PriorityCritical
		}
		m.Fact = f
		put(m, i == facts-1)
	}
	e.MustSettle(b) // nothing else shall be under way
}
