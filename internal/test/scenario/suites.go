package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// made is a story that is made of a table.
type made struct{ name, text string }

// Suites plays the stories that are made of tables, each on a fresh memory: every way of deleting every kind of memory,
// and every way of correcting a statement, with everything that must not undo it.
func Suites(t *testing.T, open func(t *testing.T) Memory, limits ...Limit) {
	t.Helper()
	playAll(t, parsed(t, everyMade()), open, limits)
}

// SuitesSample is [Suites]. With -short it plays so many of the stories that every row and every column of each table is
// in one of them. It is for memories that differ in a driver or a door from one with all suites.
func SuitesSample(t *testing.T, open func(t *testing.T) Memory, limits ...Limit) {
	t.Helper()
	stories := everyMade()
	if testing.Short() {
		stories = sampled()
	}
	playAll(t, parsed(t, stories), open, limits)
}

func everyMade() []made { return slices.Concat(deletions(), corrections(), turns()) }

func parsed(t *testing.T, stories []made) (out []*story) {
	t.Helper()
	for _, m := range stories {
		s, err := parse(m.name, []byte(m.text))
		if err != nil {
			t.Fatal(err)
		}
		s.text = m.text
		out = append(out, s)
	}
	return out
}

// sampled are the stories of every row and every column of the tables, and of every kind of change of mind.
func sampled() []made {
	var names []string
	for i, d := range doomedKinds {
		names = append(names, "deletion/"+d.kind+"/"+ways[(i+1)%len(ways)])
	}
	for i, cell := range cells { // there are more of them than rows
		names = append(names, "correction/"+correctionRows[i%len(correctionRows)].name+"/"+cell.name)
	}
	kinds := map[string]bool{}
	for _, r := range turnRows {
		kind, _, _ := strings.Cut(r.name, "/")
		if !kinds[kind] {
			names = append(names, "turn/"+r.name)
		}
		kinds[kind] = true
	}
	return slices.DeleteFunc(everyMade(), func(m made) bool { return !slices.Contains(names, m.name) })
}

// covering leaves out stories whose every part is in another one. In each round the story with the most new parts stays.
func covering(stories []*story) (chosen []*story) {
	seen := map[string]bool{}
	fresh := func(s *story) int {
		parts := s.parts()
		maps.DeleteFunc(parts, func(part string, _ bool) bool { return seen[part] })
		return len(parts)
	}
	for len(stories) > 0 {
		best := slices.MaxFunc(stories, func(a, b *story) int { return fresh(a) - fresh(b) })
		if fresh(best) == 0 {
			break
		}
		chosen = append(chosen, best)
		maps.Copy(seen, best.parts())
	}
	return chosen
}

// parts are the commands and the expectations of a story.
func (s *story) parts() map[string]bool {
	parts := map[string]bool{}
	for _, st := range s.steps {
		part := st.command
		if part == "expect" {
			part += " " + st.words[0]
		}
		parts[part] = true
	}
	return parts
}

// made is the text of a story that lies in no file, for a message.
func (s *story) made() string {
	if s.text == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nthe story:\n")
	for i, line := range strings.Split(s.text, "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, line)
	}
	return b.String()
}
