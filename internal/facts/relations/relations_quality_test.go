package relations_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// labelled is a sentence with the one relation that it states, or none.
type labelled struct {
	kind     trilith.RelationType // empty: none
	from, to string               // parts of the names of the two facts, in small letters
	text     string
}

func readLabelled(t *testing.T, path string) (out []labelled) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			t.Fatalf("%s: %q has %d columns, want 5", path, line, len(f))
		}
		l := labelled{trilith.RelationType(f[1]), f[2], f[3], f[4]}
		if f[1] == "none" {
			l.kind = ""
		}
		out = append(out, l)
	}
	return out
}

// relations returns the relations of a project as labels.
func relations(t *testing.T, r rig.Rig, s trilith.Scope) (out []labelled) {
	t.Helper()
	page, err := r.Facts(t.Context(), s, trilith.FactQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	name, seen := map[trilith.ID]string{}, map[trilith.ID]bool{}
	for i := range page.Items {
		m := &page.Items[i].Memory
		name[m.ID] = strings.ToLower(m.Fact.Node.Name + " " + m.Text)
	}
	for id := range name {
		list, err := r.Relations(t.Context(), s, id, trilith.RelationQuery{})
		if trilith.Is(err, trilith.Invalid) {
			continue // a relation has none
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range list.Relations {
			if !seen[rel.ID] && rel.Memory.State == trilith.StateActive {
				seen[rel.ID] = true
				out = append(out, labelled{kind: rel.Type, from: name[rel.From], to: name[rel.To]})
			}
		}
	}
	return out
}

// says reports whether a relation is what a label says. What blocks something is what that waits for.
func (l *labelled) says(got *labelled) bool {
	is := func(kind trilith.RelationType, from, to string) bool {
		return got.kind == kind && strings.Contains(got.from, from) && strings.Contains(got.to, to)
	}
	switch {
	case l.kind == "":
		return false
	case is(l.kind, l.from, l.to):
		return true
	case l.kind == trilith.Blocks:
		return is(trilith.DependsOn, l.to, l.from)
	case l.kind == trilith.DependsOn:
		return is(trilith.Blocks, l.to, l.from)
	}
	return false
}

// TestRelationsQuality measures the rules on sentences, each alone in a project of which nothing is known. They were
// written by people who had not seen the rules. Rules are to be right before they are to find much: what they miss a model
// or a person relates.
func TestRelationsQuality(t *testing.T) {
	t.Parallel()
	var all quality
	for _, path := range []string{"testdata/relations.tsv", "testdata/relations_second.tsv", "testdata/relations_third.tsv",
		"testdata/relations_fourth.tsv", "testdata/relations_fifth.tsv", "testdata/relations_sixth.tsv",
		"testdata/relations_seventh.tsv", "testdata/relations_eighth.tsv"} {
		q := relationsQuality(t, path)
		t.Logf("%s: %+v", path, q)
		all.stated, all.right, all.wrong = all.stated+q.stated, all.right+q.right, all.wrong+q.wrong
	}
	precision, recall := float64(all.right)/float64(all.right+all.wrong), float64(all.right)/float64(all.stated)
	if precision < 0.95 || recall < 0.4 {
		t.Errorf("precision %.3f, recall %.3f; want 0.95 and 0.4", precision, recall)
	}
}

// quality counts the relations that sentences state, and those that were found, rightly and wrongly.
type quality struct{ stated, right, wrong int }

func relationsQuality(t *testing.T, path string) quality {
	e := rig.InMemory(t)
	labels := readLabelled(t, path)
	var q quality
	for i, l := range labels {
		s := trilith.Scope{Tenant: "acme", Project: fmt.Sprint("p", i), Actor: "tester"}
		e.MustRemember(t, s, trilith.RememberRequest{Text: l.text, Extract: trilith.ExtractRules,
			Wait: trilith.WaitExtracted})
		hit := false
		for _, got := range relations(t, e, s) {
			if l.says(&got) {
				hit = true
				continue
			}
			q.wrong++
			t.Logf("wrong: %q: %s %q > %q", l.text, got.kind, got.from, got.to)
		}
		if l.kind != "" {
			q.stated++
		}
		if hit {
			q.right++
		} else if l.kind != "" {
			t.Logf("missed: %s %q", l.kind, l.text)
		}
	}
	return q
}
