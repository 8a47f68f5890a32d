package derive_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// floor is what a person says of themselves; rules find both facts without a model.
const floor = "I am allergic to walnuts. I live in Turku."

var (
	floorOwner = trilith.Scope{Tenant: "acme", User: "ana", Actor: "tester"}
	floorWho   = trilith.Identifier{Type: "user_id", Value: "ana"}
)

// floorDoors are the ways in which a text is stored together with its facts. Each returns what the answer says about
// the model, and the job that is left.
var floorDoors = map[string]func(context.Context, rig.Rig, trilith.Extraction) (string, trilith.ID, error){
	"remember": func(ctx context.Context, r rig.Rig, mode trilith.Extraction) (string, trilith.ID, error) {
		res, err := r.Remember(ctx, floorOwner,
			trilith.RememberRequest{Text: floor, Extract: mode, Wait: trilith.WaitExtracted})
		return res.ModelError, res.JobID, err
	},
	"assimilate": func(ctx context.Context, r rig.Rig, mode trilith.Extraction) (string, trilith.ID, error) {
		res, err := r.Assimilate(ctx, floorOwner,
			trilith.AssimilateRequest{Identifier: floorWho, Content: floor, Extract: mode, Wait: trilith.WaitExtracted})
		return res.ModelError, res.JobID, err
	},
}

// modelFailure is how a model fails, and what is said about it.
type modelFailure struct {
	name   string
	script []scripted.Entry
	says   string // empty: it is done
	state  trilith.JobState
}

// Whatever a model answers, and if it does not answer at all, the facts that rules find are there. The answer to the
// write, the job and the doctor say what is missing.
func TestModelNeverTakesFactsAway(t *testing.T) {
	t.Parallel()
	nonsense := scripted.Entry{Answer: "Sure! Happy to help."}
	for _, c := range []modelFailure{
		{"prose", []scripted.Entry{nonsense, nonsense, nonsense, nonsense}, "cannot be used", trilith.JobDead},
		{"nothing", []scripted.Entry{{}, {}, {}, {}}, "cannot be used", trilith.JobDead},
		{"no facts", []scripted.Entry{{Answer: rig.Claims()}}, "", trilith.JobDone},
		{"a refusal", []scripted.Entry{{Stop: role.StopRefusal}}, "refused", trilith.JobDead},
		{"no service", []scripted.Entry{{Fails: true, Kind: trilith.Unavailable}}, "unavailable", trilith.JobReady},
		{"a bad key", []scripted.Entry{{Fails: true, Kind: trilith.Unauthenticated}}, "unauthenticated",
			trilith.JobReady},
		{"an unknown model", []scripted.Entry{{Fails: true, Kind: trilith.Unsupported}}, "unsupported",
			trilith.JobDead},
	} {
		for door := range floorDoors {
			for _, mode := range []trilith.Extraction{trilith.ExtractAuto, trilith.ExtractLLM} {
				t.Run(c.name+" "+door+" "+string(mode), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { c.check(t, door, mode) })
				})
			}
		}
	}
}

// check stores a text and looks at what is there and what is said.
func (c *modelFailure) check(t *testing.T, door string, mode trilith.Extraction) {
	e, _ := rig.WithModel(t, c.script...)
	said, id, err := floorDoors[door](t.Context(), e, mode)
	if err != nil {
		t.Fatal(err)
	}
	rig.WantFacts(t, "after the model", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: floorWho}),
		"allergic_to walnuts", "lives_in Turku")
	jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "distil"})
	if err != nil || len(jobs) != 1 || jobs[0].State != c.state {
		t.Fatalf("jobs %+v, %v; want one that is %s", jobs, err, c.state)
	}
	if c.says == "" {
		if said != "" || id != "" {
			t.Errorf("the answer says %q of job %q, want nothing", said, id)
		}
		return
	}
	for what, text := range map[string]string{"the answer": said, "the job": jobs[0].Error} {
		if !strings.Contains(text, "rules") || !strings.Contains(text, c.says) || strings.Contains(text, "Happy") {
			t.Errorf("%s says %q, want that only rules have read it, %q, and no word of the model", what, text, c.says)
		}
	}
	if id != jobs[0].ID {
		t.Errorf("the answer names job %q, want %q", id, jobs[0].ID)
	}
	report, err := e.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range report.Checks {
		if check.Name == "jobs" && c.state == trilith.JobDead && !strings.Contains(check.Detail, "model") {
			t.Errorf("the doctor says %q, want that a model gave up", check.Detail)
		}
	}
}

// A later attempt adds what the model finds, and doubles nothing: the same statement in other words is evidence of the
// fact that rules found.
func TestModelAddsToRules(t *testing.T) {
	t.Parallel()
	said := func(topic, object, quote string) rig.Claim {
		return rig.Claim{"about": "speaker", "topic": topic, "value": object,
			"sentence": "The user " + strings.ReplaceAll(topic, "_", " ") + " " + object + ".", "quote": quote}
	}
	for _, c := range []struct {
		name, text string
		answer     []rig.Claim
		want       []string
	}{
		{"the same", floor, []rig.Claim{said("lives_in", "Turku", "I live in Turku.")},
			[]string{"allergic_to walnuts", "lives_in Turku"}},
		{"other words", floor, []rig.Claim{said("health", "walnut", "allergic to walnuts"),
			said("home", "Turku", "live in Turku")},
			[]string{"allergic_to walnuts", "lives_in Turku"}},
		{"another type", "I love rowing.", []rig.Claim{said("taste", "rowing", "I love rowing.")},
			[]string{"likes rowing"}},
		{"the whole turn", floor, []rig.Claim{said("home", "Turku", floor)},
			[]string{"allergic_to walnuts", "lives_in Turku"}},
		{"something else", floor, []rig.Claim{said("avoids", "walnuts", "allergic to walnuts")},
			[]string{"allergic_to walnuts", "avoids walnuts", "lives_in Turku"}},
	} {
		e, _ := rig.WithModel(t, scripted.Entry{Stop: role.StopRefusal}, scripted.Entry{Answer: rig.Claims(c.answer...)})
		res := e.MustRemember(t, floorOwner,
			trilith.RememberRequest{Text: c.text, Extract: trilith.ExtractAuto, Wait: trilith.WaitExtracted})
		if _, err := e.RetryJob(t.Context(), rig.Acme, res.JobID); err != nil {
			t.Fatal(err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for key, m := range factsAbout(t, e, floorWho) {
			if m.State == trilith.StateActive || m.State == trilith.StateCandidate {
				got = append(got, key)
			}
			if strings.HasPrefix(key, "lives_in") && c.name == "other words" && len(m.Fact.Evidence) != 2 {
				t.Errorf("%s: %s has %d pieces of evidence, want that of the model too", c.name, key,
					len(m.Fact.Evidence))
			}
		}
		slices.Sort(got)
		rig.WantFacts(t, c.name, got, c.want...)
	}
}
