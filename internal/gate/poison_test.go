package gate

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-memory/cairn"
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

// TestPoison: orders from channels that others can write to are kept out of search, in whatever disguise and wherever in a
// text they stand. What users say themselves is kept as it is.
func TestPoison(t *testing.T) {
	t.Parallel()
	for _, order := range sentences(t, "poison.txt") {
		for _, text := range []string{order, "The garden is green.\n\n" + order + "\n\nThe sky is blue."} {
			for _, trust := range []cairn.Trust{cairn.TrustAssistantSaid, cairn.TrustToolOutput, cairn.TrustImported} {
				if v := DefaultPolicy().Check(cairn.RoleAssistant, trust, text); !v.Quarantine || v.Reason != "" {
					t.Errorf("Check(%s, %q) = %+v, want it quarantined", trust, text, v)
				}
			}
			if v := DefaultPolicy().Check(cairn.RoleUser, cairn.TrustUserStated, text); v.Quarantine || v.Reason != "" || v.Text != text {
				t.Errorf("Check(a user, %q) = %+v, want it stored as it is", text, v)
			}
		}
	}
}

// TestHarmless: who talks about instructions, recommendations and addresses gives no orders.
func TestHarmless(t *testing.T) {
	t.Parallel()
	harmless := sentences(t, "harmless.txt")
	if len(harmless) < 60 {
		t.Errorf("%d harmless sentences, want 60 or more", len(harmless))
	}
	for _, text := range append(harmless, strings.Join(harmless, "\n")) {
		for _, trust := range []cairn.Trust{cairn.TrustUserStated, cairn.TrustAssistantSaid, cairn.TrustImported} {
			if v := DefaultPolicy().Check(cairn.RoleUser, trust, text); v.Quarantine || v.Reason != "" {
				t.Errorf("Check(%s, %.200q) = %+v, want it stored and found", trust, text, v)
			}
		}
	}
}
