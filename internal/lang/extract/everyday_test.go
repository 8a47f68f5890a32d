package extract

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// rows returns the lines of a file of testdata, cut at tabs.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return out
}

// TestClasses: what belongs to others, is only felt, was so at some time, or is gone, is no fact of today. A line says which
// class, a sentence, and its facts, or after - what none of its facts may hold.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, "classes.tsv") {
		got, want := readings(said(row[1])), row[2]
		if no, ok := strings.CutPrefix(want, "- "); ok {
			got, want = slices.DeleteFunc(got, func(s string) bool {
				return strings.HasPrefix(s, "end ") || strings.HasSuffix(s, "$") || !strings.Contains(s, no)
			}), ""
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: Read(%q) = %q, want %q", row[0], row[1], got, row[2])
		}
	}
}

// TestCareless: statements typed carelessly lose at most a tenth of what they give well typed.
func TestCareless(t *testing.T) {
	t.Parallel()
	lower := strings.ToLower
	bare := func(s string) string { return strings.NewReplacer("'", "", "’", "").Replace(s) }
	open := func(s string) string { return strings.TrimRight(s, ".!") }
	joy := func(s string) string { return open(s) + " 😀" }
	ways := map[string]func(string) string{"well typed": strings.Clone, "lower case": lower, "no apostrophes": bare,
		"no period": open, "emoji": joy, "all": func(s string) string { return joy(bare(lower(s))) },
		"all, with a greeting": func(s string) string { return "hey " + open(bare(lower(s))) + " lol" }}
	all := rows(t, "statements.tsv")
	for name, typed := range ways {
		lost := 0
		for _, row := range all {
			if got := strings.Join(readings(said(typed(row[0]))), "; "); lower(bare(got)) != lower(bare(row[1])) {
				lost++
				t.Logf("%s: Read(%q) = %q, want %q", name, typed(row[0]), got, row[1])
			}
		}
		t.Logf("%s: %d of %d lost", name, lost, len(all))
		if name == "well typed" && lost > 0 || lost*10 > len(all) {
			t.Errorf("%s: %d of %d lost", name, lost, len(all))
		}
	}
}
