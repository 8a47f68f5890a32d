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

// TestExamples reads the examples of the tables: after + exactly these facts, after - none of their verb.
func TestExamples(t *testing.T) {
	t.Parallel()
	for project, languages := range loaded().languages {
		for _, l := range languages {
			for _, s := range l.slots {
				for _, e := range s.examples {
					turn := Turn{Role: trilith.RoleUser, Text: e.text, At: spoken, Project: project == 1}
					got, want := readings(turn), slices.Sorted(slices.Values(e.wants))
					if e.wants == nil {
						got = slices.DeleteFunc(got, func(s2 string) bool { return !strings.Contains(s2, s.verb) })
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s:%d: %q gives %q, want %q", e.file, e.line, e.text, strings.Join(got, "; "),
							strings.Join(want, "; "))
					}
				}
			}
		}
	}
}
