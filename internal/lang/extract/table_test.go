package extract

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// spoken is when the examples are said, a Wednesday.
var spoken = time.Date(2026, 3, 11, 10, 0, 0, 0, time.UTC)

// shown writes a fact as the examples of the tables do: "lives_in=Graz", "Anna/lives_in=Riga", "lives_in=Oslo $".
func shown(f Found) string {
	s := f.Verb + "=" + f.Node.Name
	if f.Subject == PersonSubject {
		s = f.Name + "/" + s
	}
	for _, key := range []string{"due", "when"} {
		if at, ok := f.Content[key].(string); ok {
			s += " @" + at
		}
	}
	switch {
	case f.Ends:
		s += " $"
	case f.Polarity == trilith.Negated:
		s += " !"
	}
	return s
}

func shownAmendment(a Amendment) string {
	if a.Instead != "" {
		return "instead " + a.Value + " -> " + a.Instead
	}
	return strings.TrimSpace("end " + strings.Join(a.Verbs, " ") + " " + a.Value)
}

// Find returns the facts of the turns.
func Find(turns []Turn) []Found {
	found, _ := Read(turns)
	return found
}

// readings returns what a turn says, in order of the alphabet.
func readings(turns ...Turn) []string {
	found, amendments := Read(turns)
	var out []string
	for _, f := range found {
		out = append(out, shown(f))
	}
	for _, a := range amendments {
		out = append(out, shownAmendment(a))
	}
	slices.Sort(out)
	return out
}

// An example of a table: the facts that a sentence gives, or, if there are none, a verb that it does not give.
type example struct {
	text, verb, file string
	wants            []string // "lives_in=Graz"
	line             int
	project          bool
}

// examples are those of all tables.
func examples(tb testing.TB) (all []example) {
	tb.Helper()
	for _, name := range []string{"en.txt", "de.txt", "project.en.txt", "project.de.txt"} {
		data, err := files.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		e := example{file: name, project: strings.HasPrefix(name, "project.")}
		for n, line := range strings.Split(string(data), "\n") {
			head, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			e.line = n + 1
			switch head {
			case "verb":
				e.verb = strings.TrimSuffix(strings.Fields(rest)[0], ":")
			case "+", "-":
				text, wants, stated := strings.Cut(rest, " => ")
				if stated != (head == "+") {
					tb.Errorf("%s:%d: an example after + names facts, one after - names none", name, e.line)
				}
				e.text, e.wants = text, nil
				if stated {
					e.wants = strings.Split(wants, "; ")
					slices.Sort(e.wants)
				}
				all = append(all, e)
			}
		}
	}
	return all
}

// TestExamples reads the examples of the tables: after + exactly these facts, after - none of their verb.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t) {
		got := readings(Turn{Role: trilith.RoleUser, Text: e.text, At: spoken, Project: e.project})
		if e.wants == nil {
			got = slices.DeleteFunc(got, func(s string) bool { return !strings.Contains(s, e.verb) })
		}
		if !slices.Equal(got, e.wants) {
			t.Errorf("%s:%d: %q gives %q, want %q", e.file, e.line, e.text, strings.Join(got, "; "),
				strings.Join(e.wants, "; "))
		}
	}
}
