package textproc

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPhrases(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		`Who said "the lighthouse keeper" and when?`:    {"the lighthouse keeper"},
		`„Die Blechtrommel“ oder »Der Butt« von Grass?`: {"Die Blechtrommel", "Der Butt"},
		`« Le Petit Prince », 「銀河鉄道」 and “Emma”`:        {"Le Petit Prince", "銀河鉄道", "Emma"},
		`"one" "two" "three" "four" "five"`:             {"one", "two", "three", "four"},
		`a 6" pipe and a 4" one`:                        nil,
		`an "unclosed mark`:                             nil,
		`"" and "..." say nothing`:                      nil,
		`it's Ana's 'quiet' one`:                        nil,
	} {
		if diff := cmp.Diff(want, Phrases(question)); diff != "" {
			t.Errorf("Phrases(%q) (-want +got):\n%s", question, diff)
		}
	}
}

func TestHasPhrase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, phrase string
		want         bool
	}{
		{"We met The  Lighthouse-Keeper, again.", "the lighthouse keeper", true},
		{"the keeper of the lighthouse", "the lighthouse keeper", false},
		{"lighthouses keep", "lighthouse", false},
		{"a lighthouse", "lighthouse", true},
		{"alight house, light house", "light house", true},
		{"Ein Café in Malmö", "cafe in malmo", true},
		{"línea\nsegunda", "linea segunda", true},
		{"我喜欢银河铁道之夜", "银河铁道", true},
		{"銀河の鉄道", "銀河鉄道", false},
		{"so it goes", "...", false},
		{"", "a", false},
	} {
		if got := HasPhrase(c.text, c.phrase); got != c.want {
			t.Errorf("HasPhrase(%q, %q) = %v", c.text, c.phrase, got)
		}
	}
}

func FuzzHasPhrase(f *testing.F) {
	f.Add("We met the lighthouse keeper.", 2, 4)
	f.Add("銀河鉄道の夜 and Ёлка", 1, 9)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		if from < 0 || to < from || to > len(text) || !utf8.ValidString(text) {
			return
		}
		HasPhrase(text, text[from:to])
		Phrases(text)
		if whole := wordsOf(text); whole != "" && !HasPhrase("before "+text+" after", text) {
			t.Errorf("%q is not in a text that holds it", text)
		}
	})
}
