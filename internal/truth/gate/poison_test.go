package gate

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// sentences reads a file of one sentence a line.
func sentences(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		out = append(out, text)
	}
	return out
}

// TestPoison: orders from channels that others can write to are kept out of search, in every disguise and at every
// place of a text. Texts of users are stored as they are.
func TestPoison(t *testing.T) {
	t.Parallel()
	for _, order := range sentences(t, "poison.txt") {
		for _, text := range []string{order, "The garden is green.\n\n" + order + "\n\nThe sky is blue."} {
			for _, trust := range []trilith.Trust{trilith.TrustAssistantSaid, trilith.TrustToolOutput,
				trilith.TrustImported} {
				if v := DefaultPolicy().Check(trilith.RoleAssistant, trust, text); !v.Quarantine || v.Reason != "" {
					t.Errorf("Check(%s, %q) = %+v, want it quarantined", trust, text, v)
				}
			}
			if v := DefaultPolicy().Check(trilith.RoleUser, trilith.TrustUserStated, text); v.Quarantine ||
				v.Reason != "" || v.Text != text {
				t.Errorf("Check(a user, %q) = %+v, want it stored as it is", text, v)
			}
		}
	}
}

// TestHarmless: talk about instructions, recommendations and addresses is no order.
func TestHarmless(t *testing.T) {
	t.Parallel()
	harmless := sentences(t, "harmless.txt")
	if len(harmless) < 60 {
		t.Errorf("%d harmless sentences, want 60 or more", len(harmless))
	}
	for _, text := range append(harmless, strings.Join(harmless, "\n")) {
		for _, trust := range []trilith.Trust{trilith.TrustUserStated, trilith.TrustAssistantSaid, trilith.TrustImported} {
			if v := DefaultPolicy().Check(trilith.RoleUser, trust, text); v.Quarantine || v.Reason != "" {
				t.Errorf("Check(%s, %.200q) = %+v, want it stored and found", trust, text, v)
			}
		}
	}
}

// roles are the channels with what each may do: only what the user says is never held back.
var roles = []struct {
	role  trilith.Role
	trust trilith.Trust
	held  bool
}{{trilith.RoleUser, trilith.TrustUserStated, false}, {trilith.RoleAssistant, trilith.TrustAssistantSaid, true},
	{trilith.RoleUser, trilith.TrustImported, true}, {trilith.RoleTool, trilith.TrustToolOutput, true}}

// TestRoles: forty orders and forty harmless texts in every role.
func TestRoles(t *testing.T) {
	t.Parallel()
	policy := Policy{Store: map[trilith.Role]bool{trilith.RoleUser: true, trilith.RoleAssistant: true,
		trilith.RoleTool: true}}
	for name, poison := range map[string]bool{"poison_roles.txt": true, "harmless_roles.txt": false} {
		texts := sentences(t, name)
		if len(texts) != 40 {
			t.Errorf("%s holds %d texts, want 40", name, len(texts))
		}
		for _, text := range texts {
			for _, r := range roles {
				if v := policy.Check(r.role, r.trust, text); v.Quarantine != (r.held && poison) || v.Text != text {
					t.Errorf("Check(%s, %s, %q) = %+v, want Quarantine %t", r.role, r.trust, text, v, r.held && poison)
				}
			}
		}
	}
}

// TestHeldOut pins the rate among texts that nothing was tuned on: 11 of 20 orders are held back, and none of 20
// harmless texts. Those of addressed_poison.txt were looked at once. Of the first 20 of told_poison.txt 1 was held back
// before its classes were added, of the 15 that were written then 6, of the next 24 7, and of the last 20 3. What the
// pattern of words misses is still held as imported, and becomes no fact where [Directs] sees an order.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"heldout_poison.txt": 11, "heldout_harmless.txt": 0,
		"addressed_poison.txt": 20, "addressed_harmless.txt": 1, "told_poison.txt": 62, "told_harmless.txt": 0} {
		held := 0
		for _, text := range sentences(t, name) {
			if what := Instruction(text); what != "" {
				held++
				t.Logf("%s: %q: %s", name, text, what)
			}
		}
		if held != want {
			t.Errorf("%s: %d held back, want %d", name, held, want)
		}
	}
}

// TestDirects: texts that order or change something are distinguished from descriptions, in anybody's words.
func TestDirects(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"poison_facts.txt": true, "harmless_facts.txt": false} {
		for _, text := range sentences(t, name) {
			if got := Directs(text, false); got != want {
				t.Errorf("%s: Directs(%q) = %t (%b), want %t", name, text, got, traits(unmarked(fold(text))), want)
			}
		}
	}
}
