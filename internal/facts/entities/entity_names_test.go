package entities_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A name means the entity that has it as an identifier, else as a name, else as an alias, else by an unmistakable slip.
// Ambiguous ones stay apart, and a person is asked.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why       string
		known     []string // names of those who are known
		alias     string   // of the first of them
		said      string
		means     int // which of them; -1: somebody new
		questions []string
	}{
		{"the same name", []string{"Ana Berg"}, "", "Ana Berg", 0, nil},
		{"case, spacing and accents are no difference", []string{"José García"}, "", "jose  GARCIA", 0, nil},
		{"umlauts are written in two ways", []string{"Jürgen Müller"}, "", "Juergen Mueller", 0, nil},
		{"a title is no part of a name", []string{"Ana Berg"}, "", "Dr. Ana Berg", 0, nil},
		{"an alias", []string{"Ana Berg", "Ben Holm"}, "Annie", "annie", 0, nil},
		{"a name goes before an alias", []string{"Ana Berg", "Annie"}, "Annie", "Annie", 1, nil},
		{"a slip in a long and rare name", []string{"Maria Kowalczyk"}, "", "Maria Kowalzcyk", 0, nil},
		{"nobody like that", []string{"Ana Berg"}, "", "Ben Holm", -1, nil},
		{"a short name is not a slip", []string{"Ann"}, "", "Anna", -1, nil},
		{"a part of a name", []string{"Ana Berg"}, "", "Ana", -1, []string{"Ana: 2"}},
		{"a part of two names", []string{"Ana Berg", "Ana Holm"}, "", "Ana", -1, []string{"Ana: 3"}},
		{"more than what is known", []string{"Ana"}, "", "Ana Berg", -1, []string{"Ana Berg: 2"}},
		{"another family", []string{"Jens Petersen"}, "", "Jens Peterson", -1, []string{"Jens Peterson: 2"}},
		{"a slip that could be another's name", []string{"Maria Kowalczyk", "M. Kowalzcyk"}, "", "Maria Kowalzcyk", -1,
			[]string{"Maria Kowalzcyk: 3"}},
		{"a title says that another is meant", []string{"Frau Müller"}, "", "Herr Müller", -1, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			var ids []trilith.ID
			for i, name := range c.known { // by address, so that nothing is asked about them
				id := e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "email", Value: fmt.Sprintf("%d@example.com", i)},
					"2025-01-01", "Hello.").Entity.ID
				update(t, e, id, trilith.EntityUpdate{Name: &name})
				ids = append(ids, id)
			}
			if c.alias != "" {
				update(t, e, ids[0], trilith.EntityUpdate{AddAliases: []string{c.alias}})
			}
			for range 2 { // asking again makes nobody else, and asks nothing twice
				got := e.MustAssimilate(t, rig.Acme, named(c.said), "2025-02-01", "I live in Oslo.").Entity.ID
				if at := slices.Index(ids, got); at != c.means {
					t.Errorf("%q among %q means %d, want %d", c.said, c.known, at, c.means)
				}
			}
			want := c.questions
			if want == nil {
				want = []string{}
			}
			if diff := cmp.Diff(want, questions(t, e)); diff != "" {
				t.Errorf("%q among %q asks (-want +got):\n%s", c.said, c.known, diff)
			}
		})
	}
}

// A handle is nobody's name: what somebody calls "Ana" is not the account ana.
func TestHandlesAreNoNames(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "I live in Oslo.", Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
	account := whois(t, e, trilith.Identifier{Type: "user_id", Value: "ana"}).ID
	e.MustRemember(t, rig.Ben, trilith.RememberRequest{Text: "My sister is Ana.", Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
	if got := whois(t, e, named("Ana")).ID; got == account || len(questions(t, e)) != 0 {
		t.Errorf("somebody's sister is the account ana, or a question: %q", questions(t, e))
	}
}

// A merge answers the question that a name raised; so does erasing whom it could mean.
func TestQuestionsEnd(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	berg := e.MustAssimilate(t, rig.Acme, named("Ana Berg"), "2025-01-01", "I live in Oslo.").Entity.ID
	short := e.MustAssimilate(t, rig.Acme, named("Ana"), "2025-01-02", "I love sailing.").Entity.ID
	if diff := cmp.Diff([]string{"Ana: 2"}, questions(t, e)); diff != "" {
		t.Fatalf("questions (-want +got):\n%s", diff)
	}
	inbox, err := e.Inbox(t.Context(), rig.Acme, trilith.InboxQuery{})
	if err != nil || len(inbox.Items) != 1 || inbox.Items[0].Reason != trilith.ReviewAmbiguous ||
		!slices.Equal(inbox.Items[0].Entities, []trilith.ID{short, berg}) {
		t.Errorf("Inbox = %+v, %v; want the question, who was made first", inbox.Items, err)
	}
	merge(t, e, berg, short)
	if got := questions(t, e); len(got) != 0 {
		t.Errorf("after the merge it is asked still: %q", got)
	}
	if got := e.MustAssimilate(t, rig.Acme, named("Ana"), "2025-01-03", "I love jazz.").Entity.ID; got != berg {
		t.Errorf("after the merge Ana is somebody else")
	}
	other := e.MustAssimilate(t, rig.Acme, named("Ana Holm"), "2025-01-04", "I live in Lund.").Entity.ID
	if got := questions(t, e); !slices.Equal(got, []string{"Ana Holm: 2"}) {
		t.Fatalf("a new Ana asks %q, want whether she is the one with that alias", got)
	}
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{other}}); err != nil {
		t.Fatal(err)
	}
	if got := questions(t, e); len(got) != 0 {
		t.Errorf("the question about somebody who was erased is left: %q", got)
	}
}

// Several writers use a new name at the same time: one entity, one question.
func TestNewNameAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		e.MustAssimilate(t, rig.Acme, named("Ana Berg"), "2025-01-01", "Hello.")
		rig.Together(8, func(i int) {
			if _, err := e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{
					Identifier: named([]string{"Ana", "ANA", "Cleo Dahl", "Ben"}[i%4]),
					Content:    "Hello."}); err != nil {
				t.Errorf("Assimilate = %v", err)
			}
		})
		page, err := e.Entities(t.Context(), rig.Acme, trilith.EntitiesQuery{})
		if err != nil || len(page.Items) != 4 {
			t.Errorf("8 callers made %d entities of 4 names, %v", len(page.Items), err)
		}
		if got := questions(t, e); len(got) != 1 {
			t.Errorf("questions = %q, want one, whether Ana is Ana Berg", got)
		}
	})
}

// BenchmarkResolve_10000 is what a name costs among 10,000 people, each a given name of 100 and a family name of 2,000.
func BenchmarkResolve_10000(b *testing.B) {
	syllables := []string{"ka", "lo", "mi", "ner", "sta", "berg", "holm", "vik", "dal", "sen"}
	word := func(n int) string {
		out := ""
		for range 4 {
			out += syllables[n%len(syllables)]
			n /= len(syllables)
		}
		return out
	}
	for name, e := range map[string]rig.Rig{"inmem": rig.InMemory(b), "sqlite": rig.OnFile(b, rig.NewPath(b))} {
		var items []trilith.ExportItem
		for i := range 10_000 {
			v := trilith.Entity{ID: trilith.DeriveID("entity", fmt.Sprint(i)), Type: "person", Name: word(i%100) + " " +
				word(i/5), Version: 1,
				Identifiers: []trilith.Identifier{{Type: "user_id", Value: fmt.Sprint(i)}}}
			if items = append(items, trilith.ExportItem{Entity: &v}); len(items) == role.MaxBatch {
				if _, _, err := e.Restore(b.Context(), rig.Acme, items); err != nil {
					b.Fatal(err)
				}
				items = nil
			}
		}
		for what, said := range map[string]string{"known": word(17) + " " + word(5017/5),
			"unknown": "Somebody Unheardof", "part": word(17)} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, err := e.Lookup(b.Context(), rig.Acme, trilith.LookupRequest{Identifier: named(said)})
					if (err == nil) != (what == "known") {
						b.Fatalf("Lookup(%s) = %v", said, err)
					}
				}
			})
		}
	}
}
