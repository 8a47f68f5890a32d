package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestStaleFacts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.At(time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)))
	over := rig.Day(20)
	ids := e.PutFacts(t, trilith.Memory{Text: "never heard of again", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "said again", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "said again long ago", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "confirmed", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "over", ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "replaced", State: trilith.StateSuperseded, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Ben's", Scope: trilith.Scope{User: "ben"}, Fact: &trilith.Fact{}})
	said := func(at string) trilith.ID {
		return e.One(t, rig.Acme, trilith.RememberRequest{Text: "It was said on " + at, Timestamp: at}).ID
	}
	rests(t, e, ids[1], said("2025-01-02"), said("2025-02-20"))
	rests(t, e, ids[2], said("2025-01-03"), said("2025-01-10"), trilith.DeriveID("erased"))
	e.MustDecide(t, ids[3], trilith.DecideVerify)
	for _, c := range []struct {
		scope       trilith.Scope
		days, limit int
		want        []string
	}{
		{rig.Acme, 0, 0, []string{"never heard of again 2025-01-01", "Ben's 2025-01-07", "said again long ago 2025-01-10"}},
		{rig.Acme, 0, 2, []string{"never heard of again 2025-01-01", "Ben's 2025-01-07"}},
		{rig.Acme, 51, 0, []string{"never heard of again 2025-01-01", "Ben's 2025-01-07"}},
		{rig.Acme, 5, 0, []string{"never heard of again 2025-01-01", "Ben's 2025-01-07", "said again long ago 2025-01-10",
			"said again 2025-02-20"}},
		{rig.Acme, 60, 0, []string{}},
		{rig.Ben, 0, 0, []string{"Ben's 2025-01-07"}},
	} {
		page, err := e.StaleFacts(t.Context(), c.scope, trilith.StaleQuery{Days: c.days, Limit: c.limit})
		got := []string{}
		for _, it := range page.Items {
			got = append(got, it.Memory.Text+" "+it.LastSeen.Format(time.DateOnly))
		}
		if diff := gocmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("StaleFacts(%d days, %d) = %v (-want +got):\n%s", c.days, c.limit, err, diff)
		}
	}
	_, err := e.StaleFacts(t.Context(), rig.Acme, trilith.StaleQuery{Days: -1})
	rig.WantError(t, "StaleFacts(-1)", err, trilith.Invalid, "days")
	_, err = e.StaleFacts(t.Context(), rig.Acme, trilith.StaleQuery{Limit: 1001})
	rig.WantError(t, "StaleFacts(limit 1001)", err, trilith.Invalid, "limit")
}

func TestAutoVerify(t *testing.T) {
	t.Parallel()
	type voice struct {
		role  trilith.Role
		at    string
		text  string // with what makes it another one
		again bool   // in the source of the one before
	}
	user := func(at, text string) voice { return voice{trilith.RoleUser, at, text, false} }
	bot := func(at, text string) voice { return voice{trilith.RoleAssistant, at, text, false} }
	for _, c := range []struct {
		why    string
		voices []voice
		policy trilith.AutoVerifyRequest
		want   bool
	}{
		{"two people's words are enough", []voice{user("2025-01-01", "one"), user("2025-01-02", "two")},
			trilith.AutoVerifyRequest{}, true},
		{"one voice is not", []voice{user("2025-01-01", "one")}, trilith.AutoVerifyRequest{}, false},
		{"unless the policy says so", []voice{user("2025-01-01", "one")},
			trilith.AutoVerifyRequest{MinEvidence: 1}, true},
		{"three are asked for", []voice{user("2025-01-01", "one"), user("2025-01-02", "two")},
			trilith.AutoVerifyRequest{MinEvidence: 3}, false},
		{"quotes of one source are one voice",
			[]voice{user("2025-01-01", "one"), {trilith.RoleUser, "2025-01-01", "two", true}},
			trilith.AutoVerifyRequest{}, false},
		{"the same words again are one voice", []voice{user("2025-01-01", "one"), user("2025-01-02", "one")},
			trilith.AutoVerifyRequest{}, false},
		{"what an assistant says does not count",
			[]voice{bot("2025-01-01", "one"), bot("2025-01-02", "two"), user("2025-01-03", "three")},
			trilith.AutoVerifyRequest{}, false},
		{"unless the policy names its tier", []voice{bot("2025-01-01", "one"), user("2025-01-03", "three")},
			trilith.AutoVerifyRequest{MinTrust: trilith.TrustAssistantSaid}, true},
		{"its echo of what was known never does",
			[]voice{user("2025-01-01", "one"), bot("2025-01-02", "two"), bot("2025-01-03", "three")},
			trilith.AutoVerifyRequest{MinTrust: trilith.TrustToolOutput}, false},
		{"its echo of itself neither", []voice{bot("2025-01-02", "two"), bot("2025-01-03", "three")},
			trilith.AutoVerifyRequest{MinTrust: trilith.TrustAssistantSaid}, false},
		{"a doubtful one is left", []voice{user("2025-01-01", "one"), user("2025-01-02", "two")},
			trilith.AutoVerifyRequest{MinConfidence: 0.9}, false},
		{"another type is left", []voice{user("2025-01-01", "one"), user("2025-01-02", "two")},
			trilith.AutoVerifyRequest{Types: []trilith.FactType{trilith.FactRisk}}, false},
		{"a fitting type is not", []voice{user("2025-01-01", "one"), user("2025-01-02", "two")},
			trilith.AutoVerifyRequest{MinConfidence: 0.8, Types: []trilith.FactType{trilith.FactTask}}, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			var episodes []trilith.ID
			for i, v := range c.voices {
				turns := []trilith.Message{
					{Role: v.role, Content: "They said it in words of their own, " + v.text, Timestamp: v.at}}
				if i+1 < len(c.voices) && c.voices[i+1].again {
					turns = append(turns, trilith.Message{Role: v.role, Content: "They said it in words of their own, " +
						c.voices[i+1].text, Timestamp: v.at})
				}
				if v.again {
					continue
				}
				episodes = append(episodes,
					rig.IDsOf(e.MustRemember(t, rig.Acme, trilith.RememberRequest{Messages: turns}).Memories)...)
			}
			id := e.PutFacts(t, trilith.Memory{
				Text: "pending", Fact: status(
					trilith.PendingApproval, trilith.Fact{Type: trilith.FactTask, Confidence: 0.8})})[0]
			rests(t, e, id, episodes...)
			dry := c.policy
			dry.DryRun = true
			for _, policy := range []trilith.AutoVerifyRequest{dry, c.policy} {
				res, err := e.AutoVerify(t.Context(), rig.Acme, policy)
				if err != nil || len(res.Verified) == 1 != c.want || res.Pending != 1 || res.Left != 0 ||
					res.DryRun != policy.DryRun {
					t.Fatalf("AutoVerify(%+v) = %+v, %v; want it verified: %v", policy, res, err, c.want)
				}
				for _, kind := range policy.Types {
					if !strings.Contains(res.Policy, string(kind)) {
						t.Errorf("the policy %q does not name the type %s", res.Policy, kind)
					}
				}
				m, err := e.Get(t.Context(), rig.Acme, id)
				v := m.Fact.Verification
				if verified := c.want && !policy.DryRun; err != nil || (v.Status == trilith.Verified) != verified ||
					verified && (v.By != "auto" || v.Note != res.Policy || v.At == nil ||
						!strings.Contains(v.Note, "independent")) {
					t.Errorf("after AutoVerify(%+v) the fact is %+v, %v", policy, v, err)
				}
				if m.Trust == trilith.TrustUserConfirmed {
					t.Error("a policy has made of the fact what only a person can: confirmed")
				}
			}
			if log := e.Audited(t, rig.Acme, "fact.verify"); len(log) == 1 != c.want {
				t.Errorf("the audit has %d entries", len(log))
			}
		})
	}
}

// A policy touches what is pending and active, and nothing else; what was taken back speaks for nothing.
func TestAutoVerifyLeavesAlone(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	over := rig.Day(20)
	one, two := e.Say(t, rig.Acme, "One voice says it.").ID, e.Say(t, rig.Acme, "Another voice does too.").ID
	ids := e.PutFacts(t, trilith.Memory{Text: "candidate", State: trilith.StateCandidate,
		Fact: status(trilith.PendingApproval, trilith.Fact{})},
		trilith.Memory{Text: "doubted", Fact: status(trilith.NeedsReview, trilith.Fact{})},
		trilith.Memory{Text: "disputed", Fact: status(trilith.Disputed, trilith.Fact{})},
		trilith.Memory{Text: "over", ValidUntil: &over, Fact: status(trilith.PendingApproval, trilith.Fact{})},
		trilith.Memory{Text: "rests on what was forgotten", Fact: status(trilith.PendingApproval, trilith.Fact{})})
	for _, id := range ids[:4] {
		rests(t, e, id, one, two)
	}
	forgotten := e.Say(t, rig.Acme, "A third voice said it by mistake.").ID
	rests(t, e, ids[4], one, forgotten)
	if _, err := e.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{IDs: []trilith.ID{forgotten}}); err != nil {
		t.Fatal(err)
	}
	if res, err := e.AutoVerify(t.Context(), rig.Acme, trilith.AutoVerifyRequest{}); err != nil || len(res.Verified) != 0 ||
		res.Pending != 1 {
		t.Errorf("AutoVerify = %+v, %v; want nothing verified of one that is pending", res, err)
	}
	for names, r := range map[string]trilith.AutoVerifyRequest{"min_trust": {MinTrust: "hearsay"},
		"min_confidence": {MinConfidence: 2}, "min_evidence": {MinEvidence: -1}} {
		_, err := e.AutoVerify(t.Context(), rig.Acme, r)
		rig.WantError(t, "AutoVerify with a wrong "+names, err, trilith.Invalid, names)
	}
}

// More than one call can do is left to the next.
func TestAutoVerifyMany(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Likenesses["without vectors"])
	one, two := e.Say(t, rig.Acme, "One voice says it.").ID, e.Say(t, rig.Acme, "Another voice does too.").ID
	for _, n := range []int{role.MaxBatch, 5} {
		facts := make([]trilith.Memory, n)
		for i := range facts {
			facts[i] = trilith.Memory{Text: fmt.Sprint("pending ", n, i),
				Fact: status(trilith.PendingApproval,
					trilith.Fact{Evidence: []trilith.Evidence{{EpisodeID: one}, {EpisodeID: two}}})}
		}
		e.PutFacts(t, facts...)
	}
	for _, want := range [][3]int{{1000, 1005, 5}, {5, 5, 0}, {0, 0, 0}} {
		res, err := e.AutoVerify(t.Context(), rig.Acme, trilith.AutoVerifyRequest{})
		if got := [3]int{len(res.Verified), res.Pending, res.Left}; err != nil || got != want {
			t.Errorf("AutoVerify verified, found pending and left %v, %v; want %v", got, err, want)
		}
	}
}

// A fact that a policy verified stays so after a replay, and never counts as verified by a person.
func TestAutoVerifiedStaysSo(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	bill := func(at, text string) trilith.Memory {
		t.Helper()
		told, err := e.Assimilate(
			t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "project", Value: "roof"},
				Role: trilith.RoleAssistant, Content: text, Timestamp: at})
		if err != nil || len(told.Facts) != 1 {
			t.Fatalf("Assimilate(%q) = %+v, %v; want one fact", text, told, err)
		}
		return told.Facts[0]
	}
	bill("2025-01-11", "We got an invoice of 6,400 EUR.")
	if res, err := e.AutoVerify(
		t.Context(), rig.Acme, trilith.AutoVerifyRequest{MinTrust: trilith.TrustAssistantSaid, MinEvidence: 1}); err != nil ||
		len(res.Verified) != 1 {
		t.Fatalf("AutoVerify = %+v, %v; want the invoice", res, err)
	}
	m := bill("2025-01-12", "As noted, we got an invoice of 6,400 EUR.")
	if v := m.Fact.Verification; v.Status != trilith.Verified || v.By != trilith.ByPolicy ||
		m.Trust != trilith.TrustAssistantSaid || len(m.Fact.Evidence) != 2 {
		t.Errorf("told anew the fact has trust %s and is %+v", m.Trust, v)
	}
}
