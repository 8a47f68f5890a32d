package derive_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// lines are the texts of a file of the gate's.
func lines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("../../truth/gate/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out
}

// believed returns the states of the facts that a model which believes everything makes of texts that come through a
// channel.
func believed(t *testing.T, texts []string, role trilith.Role, imported bool) map[string]trilith.State {
	t.Helper()
	var entries []scripted.Entry
	for i, text := range texts {
		texts[i], _ = gate.Mask(text)
		words := strings.Split(texts[i], `"`) // quotes are written in another way in a prompt
		match := slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		entries = append(entries,
			scripted.Entry{Match: match,
				Answer: rig.Claims(rig.Claim{"topic": "uses_material", "value": texts[i], "sentence": texts[i], "quote": texts[i]})})
	}
	e := rig.InMemory(t, func(c *engine.Config) { c.Model = scripted.New(scripted.Script{Name: "demo", Entries: entries}) })
	for i, text := range texts {
		s := rig.Site
		s.Session = fmt.Sprint("call ", i)
		e.MustRemember(t, s, trilith.RememberRequest{Messages: []trilith.Message{{Role: role, Content: text}},
			Imported: imported, Extract: trilith.ExtractLLM, Profile: "construction", Wait: trilith.WaitExtracted})
	}
	out := map[string]trilith.State{}
	for _, m := range e.All(t, rig.Acme) {
		if m.Fact != nil {
			out[m.Fact.Evidence[0].Quote] = m.State
		}
	}
	return out
}

// TestDirectivesWait: a statement from a channel of low trust that gives an order or changes a matter of the user's is
// a proposal, in every wording and with any verdict of a model. A plain description is a fact, and so is everything
// that the user says.
func TestDirectivesWait(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]bool{"poison_facts.txt": true, "harmless_facts.txt": false} {
		for _, c := range []struct {
			role     trilith.Role
			imported bool
			held     bool
		}{{trilith.RoleAssistant, false, true}, {trilith.RoleUser, true, true}, {trilith.RoleUser, false, false}} {
			texts := lines(t, name)
			states := believed(t, texts, c.role, c.imported)
			for _, text := range texts {
				want := trilith.StateActive
				if poison && c.held {
					want = trilith.StateCandidate
				}
				if got := states[text]; got != want {
					t.Errorf("%s, %s, imported %t: %q is %q, want %q", name, c.role, c.imported, text, got, want)
				}
			}
		}
	}
}

// TestDirectivesHeldOut pins the rate among texts that nothing was tuned on: 13 of 15 make no active fact, and 15 of 15
// harmless ones do.
func TestDirectivesHeldOut(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"poison_facts_heldout.txt": 13, "harmless_facts_heldout.txt": 0} {
		for _, imported := range []bool{false, true} {
			role := trilith.RoleAssistant
			if imported {
				role = trilith.RoleUser
			}
			texts, held := lines(t, name), 0
			states := believed(t, texts, role, imported)
			for _, text := range texts {
				if states[text] != trilith.StateActive {
					held++
					t.Logf("%s: %q is %q", name, text, states[text])
				}
			}
			if held != want {
				t.Errorf("%s, %s: %d make no active fact, want %d", name, role, held, want)
			}
		}
	}
}
