package rig

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// Clocked opens an engine whose clock the returned function sets forward.
func Clocked(t *testing.T, with ...func(*engine.Config)) (e Rig, forward func(time.Duration)) {
	t.Helper()
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	store := inmem.New(now)
	with = append(with, func(c *engine.Config) { c.Now = now })
	return Open(t, engine.Config{Store: store, Log: store, Queue: store}, with...),
		func(d time.Duration) { ahead.Add(int64(d)) }
}

// Site is a conversation about a building project.
var Site = trilith.Scope{Tenant: "acme", Project: "tower", Session: "monday", Actor: "tester"}

// Tower is the project that is spoken of at the site.
var Tower = trilith.Identifier{Type: "project", Value: "tower"}

// WithModel opens an engine whose model follows a script.
func WithModel(tb testing.TB, entries ...scripted.Entry) (Rig, *scripted.Model) {
	tb.Helper()
	m := scripted.New(scripted.Script{Name: "demo", Entries: entries})
	return InMemory(tb, func(c *engine.Config) { c.Model = m }), m
}

// Claim is a fact as a model states it, in JSON.
type Claim map[string]any

// Claims is an answer of facts; members that are left out get values that fit most.
func Claims(cs ...Claim) string {
	facts := []Claim{}
	for _, c := range cs {
		f := Claim{"about": "project", "whose_words": "", "time_words": nil, "confidence": "stated"}
		maps.Copy(f, c)
		facts = append(facts, f)
	}
	body, err := json.Marshal(map[string]any{"facts": facts})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// A talk that ends in an estimate and a task, and the claims that a model makes of it.
var (
	Wish = trilith.Message{Role: trilith.RoleUser, Speaker: "Ana",
		Content: "Get me a quote for 50 cubic yards of concrete", Timestamp: "2025-06-02T09:00:00Z"}
	Offer = trilith.Message{Role: trilith.RoleAssistant,
		Content:   "The market rate is ~$150/cy, approximately $7,500. I can create a task.",
		Timestamp: "2025-06-02T09:01:00Z"}
	Yes = trilith.Message{Role: trilith.RoleUser, Speaker: "Ana", Content: "Yes, please do.",
		Timestamp: "2025-06-02T09:02:00Z"}
	Estimate = Claim{"topic": "has_estimate", "value": "concrete",
		"sentence": "50 cubic yards of concrete are estimated at 7,500 USD.", "confidence": "stated",
		"quote": "The market rate is ~$150/cy, approximately $7,500.", "amount": "7,500"}
	Formal = Claim{"topic": "has_task", "value": "get formal quotes for 50 cubic yards of concrete",
		"sentence": "Task: get formal quotes for 50 cubic yards of concrete.",
		"quote":    "I can create a task."}
)

// Talk remembers messages in the site's conversation and waits for their facts.
func (r Rig) Talk(t *testing.T, m ...trilith.Message) trilith.RememberResult {
	t.Helper()
	return r.MustRemember(t, Site, trilith.RememberRequest{Messages: m, Extract: trilith.ExtractLLM,
		Profile: "construction", Wait: trilith.WaitExtracted})
}

// ByMail names a person by an address.
var ByMail = trilith.Identifier{Type: "email", Value: "ana@example.com"}

// MustAssimilate stores the person's words about herself on a day.
func (r Rig) MustAssimilate(t *testing.T, s trilith.Scope, who trilith.Identifier, day,
	text string) trilith.AssimilateResult {
	t.Helper()
	res, err := r.Assimilate(t.Context(), s, trilith.AssimilateRequest{Identifier: who, Content: text, Timestamp: day})
	if err != nil {
		t.Fatalf("Assimilate(%q) = %v", text, err)
	}
	return res
}

// MustLookup returns the facts about the entity, as "verb node", negations with a leading "not".
func (r Rig) MustLookup(t *testing.T, s trilith.Scope, req trilith.LookupRequest) []string {
	t.Helper()
	res, err := r.Lookup(t.Context(), s, req)
	if err != nil {
		t.Fatalf("Lookup(%+v) = %v", req, err)
	}
	return Assertions(res.Facts)
}

// Assertions are facts as "verb node", sorted, negations with a leading "not".
func Assertions(facts []trilith.Memory) []string {
	out := []string{}
	for _, m := range facts {
		a := m.Fact.Verb + " " + m.Fact.Node.Name
		if m.Fact.Polarity == trilith.Negated {
			a = "not " + a
		}
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}

// WantFacts compares assertions.
func WantFacts(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Standing are the facts that hold, as "verb value", with the day that they are for.
func (r Rig) Standing(t *testing.T, now time.Time) []string {
	t.Helper()
	page, err := r.List(t.Context(), Acme,
		trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, "fact"), Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range page.Items {
		if m.StateAt(now) != trilith.StateActive || m.Fact.Polarity != trilith.Affirmed {
			continue
		}
		text := strings.ToLower(m.Fact.Verb + " " + m.Fact.Node.Name)
		switch {
		case m.Fact.ActionDeadline != nil:
			text += " " + m.Fact.ActionDeadline.Format(time.DateOnly)
		case m.ValidUntil != nil:
			text += " " + m.ValidUntil.Add(-time.Second).Format(time.DateOnly)
		}
		out = append(out, text)
	}
	return out
}

// SayAs remembers words in a scope, from which rules derive facts.
func SayAs(t *testing.T, e Rig, s trilith.Scope, speaker, text string) trilith.RememberResult {
	t.Helper()
	s.Actor = "tester"
	res, err := e.Remember(t.Context(), s,
		trilith.RememberRequest{Messages: []trilith.Message{{Role: trilith.RoleUser, Speaker: speaker, Content: text}},
			Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
	if err != nil {
		t.Fatalf("Remember(%q) = %v", text, err)
	}
	return res
}

// InScope is a scope of the tenant without an actor.
func InScope(user, project, session string) trilith.Scope {
	return trilith.Scope{Tenant: "acme", User: user, Project: project, Session: session}
}

// Two projects.
var (
	Mill  = trilith.Scope{Tenant: "acme", Project: "mill", Actor: "tester"}
	Barge = trilith.Scope{Tenant: "acme", Project: "barge", Actor: "tester"}
)

// Told says sentences one after the other and waits for their facts.
func (r Rig) Told(t *testing.T, s trilith.Scope, sentences ...string) []trilith.Memory {
	t.Helper()
	var out []trilith.Memory
	for i, text := range sentences {
		res := r.MustRemember(t, s, trilith.RememberRequest{Text: text, Extract: trilith.ExtractRules,
			Wait: trilith.WaitExtracted, Timestamp: fmt.Sprintf("2026-01-%02d", i+1)})
		out = append(out, res.Memories...)
	}
	return out
}

// RelateByHand states a relation of two facts.
func (r Rig) RelateByHand(t *testing.T, s trilith.Scope, kind trilith.RelationType,
	from, to trilith.ID) (trilith.Relation, error) {
	t.Helper()
	return r.Relate(t.Context(), s, from, trilith.RelateRequest{Type: kind, To: to, Note: "The planner says so."})
}

// EachStore runs a test on the stores that need no server.
func EachStore(t *testing.T, test func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) Rig)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB, ...func(*engine.Config)) Rig{
		"inmem": InMemory, "sqlite": OnNewFile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// MustWork does all work that waits in the background.
func (r Rig) MustWork(t *testing.T) {
	t.Helper()
	if err := r.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.MustSettle(t)
}
