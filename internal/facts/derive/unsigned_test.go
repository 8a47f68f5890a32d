package derive_test

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A document has an author only if the request names one: without, nobody's "I" is the user's.
func TestDocumentsHaveAuthorsOrNone(t *testing.T) {
	t.Parallel()
	narrated := "## Bob\n\nI live in Rotterdam."
	for _, c := range []struct {
		name, content, speaker string
		role                   trilith.Role
		project                string
		want                   []string
	}{
		{"a chat under headings", narrated, "", "", "", nil},
		{"an assistant's part", "#### who are you?\n\nMy name is Sonnet and I work at Initech.", "", "", "", nil},
		{"a caption", "So yes,\nI live in Zwolle now.", "", "", "", nil},
		{"a copied chat", "Bob, [02.11.2025 21:47]\nI live in Rotterdam now.", "", "", "", nil},
		{"an ending", "I no longer live in Oslo. I quit my job.", "", "", "", nil},
		{"narration in a project", "The tests are red. I must read the release.yml.", "", "", "shop", nil},
		{"in German", "Ich wohne in Bonn und arbeite bei Initech.", "", "", "", nil},
		{"matters of a project", "# Plan\n\nTODO: renew the certificate by 2030-12-01.\nThe budget is 5,000 EUR.\nI live in Rotterdam.",
			"", "", "shop",
			[]string{"Budget: 5000 EUR.", "Task: renew the certificate (due 2030-12-01)."}},
		{"the user's", narrated, "", trilith.RoleUser, "", []string{"ana lives in Rotterdam."}},
		{"Bob's", narrated, "Bob", "", "", []string{"Bob lives in Rotterdam."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			s := trilith.Scope{Tenant: "acme", User: "ana", Project: c.project, Actor: "tester"}
			e.MustRemember(t, s,
				trilith.RememberRequest{Text: "I live in Oslo.", Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
			e.MustRemember(t, s, trilith.RememberRequest{Document: &trilith.Document{Name: "a.md", Content: c.content},
				Role: c.role, Speaker: c.speaker, Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
			page, err := e.List(t.Context(), s, trilith.ListRequest{Limit: 100,
				Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range page.Items {
				switch m.Text {
				case "ana lives in Oslo.":
					if len(c.want) == 0 && m.State != trilith.StateActive {
						t.Errorf("%q is %s by what a document says", m.Text, m.State)
					}
				default:
					got = append(got, m.Text)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("facts %q, want %q", got, c.want)
			}
		})
	}
}
