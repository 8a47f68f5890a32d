package synthetic_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-memory/cairn/internal/synthetic"
)

var day = time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)

func talk(seed uint64, conversations int) []synthetic.Conversation {
	s := synthetic.New(seed)
	out := make([]synthetic.Conversation, conversations)
	for i := range out {
		out[i] = s.Conversation(day, 20)
	}
	return out
}

func words(cs []synthetic.Conversation) []string {
	var out []string
	for _, c := range cs {
		for _, t := range c.Turns {
			out = append(out, strings.FieldsFunc(
				strings.ToLower(t.Text), func(r rune) bool { return r == ' ' || r == '.' })...)
		}
	}
	return out
}

func TestEqualSeedsGiveEqualTexts(t *testing.T) {
	t.Parallel()
	same := func(a, b []synthetic.Conversation) bool {
		return slices.EqualFunc(
			a, b, func(a, b synthetic.Conversation) bool {
				return a.Topic == b.Topic &&
					slices.Equal(a.Turns, b.Turns)
			})
	}
	if !same(talk(1, 5), talk(1, 5)) {
		t.Error("two sources of one seed differ")
	}
	if same(talk(1, 5), talk(2, 5)) {
		t.Error("sources of two seeds say the same")
	}
	a, b := synthetic.New(3), synthetic.New(3)
	text := a.Conversation(day, 1).Turns[0].Text
	b.Conversation(day, 1)
	if qa, qb := a.Question(text), b.Question(text); qa != qb || a.Thing() != b.Thing() {
		t.Errorf("questions or things of one seed differ: %q, %q", qa, qb)
	}
}

// A few words make up most of the text, and new ones keep coming: what an index of real text meets.
func TestWordsAreSkewed(t *testing.T) {
	t.Parallel()
	all := words(talk(1, 500))
	often := map[string]int{}
	for _, w := range all {
		often[w]++
	}
	ranked := slices.SortedFunc(maps.Values(often), func(a, b int) int { return cmp.Compare(b, a) })
	top := 0
	for _, n := range ranked[:100] {
		top += n
	}
	if share := float64(top) / float64(len(all)); share < .4 || share > .7 {
		t.Errorf("the hundred commonest words are %.2f of the text, want about half", share)
	}
	if ranked[0] < 10*ranked[100] || ranked[100] < 3*ranked[1000] {
		t.Errorf("words of rank 1, 101 and 1001 come %d, %d and %d times, want a steep fall", ranked[0],
			ranked[100], ranked[1000])
	}
	half := map[string]bool{}
	for _, w := range all[:len(all)/2] {
		half[w] = true
	}
	if grown := float64(len(often)) / float64(len(half)); grown < 1.2 {
		t.Errorf("the second half of the text has only %.2f times the words of the first", grown)
	}
}

// Conversations about one topic share words, and those of one conversation its names, so that vectors have neighbours.
func TestConversationsHoldTogether(t *testing.T) {
	t.Parallel()
	shared := func(a, b synthetic.Turn) int {
		in := words([]synthetic.Conversation{{Turns: []synthetic.Turn{a}}})
		n := 0
		for _, w := range words([]synthetic.Conversation{{Turns: []synthetic.Turn{b}}}) {
			if len(w) > 3 && slices.Contains(in, w) {
				n++
			}
		}
		return n
	}
	within, across := 0, 0
	cs := talk(1, 100)
	for i := range cs[1:] {
		within += shared(cs[i].Turns[1], cs[i].Turns[3])
		across += shared(cs[i].Turns[1], cs[i+1].Turns[3])
	}
	if within < 2*across {
		t.Errorf("turns of one conversation share %d words, those of two %d, want more than twice as many",
			within, across)
	}
}

func TestTurns(t *testing.T) {
	t.Parallel()
	var length [2]int
	for _, c := range talk(1, 50) {
		for i, turn := range c.Turns {
			if turn.Assistant != (i%2 == 1) || !turn.At.Equal(day.Add(time.Duration(i)*time.Minute)) {
				t.Fatalf("turn %d is %+v, want people and assistant by turns, a minute apart", i, turn)
			}
			length[i%2] += len(strings.Fields(turn.Text))
		}
	}
	if person := length[0] / 500; person < 10 || person > 25 || length[1] < length[0]*3/2 {
		t.Errorf("people say %d words at once and the assistant %d, want some fifteen and twice as many", person,
			length[1]/500)
	}
}

// A question is put in words of the text that it asks for, and not in those that every text holds.
func TestQuestion(t *testing.T) {
	t.Parallel()
	s := synthetic.New(1)
	got := s.Question("The compost and the tulip were really good in Bakeli. The tulip.")
	for _, w := range []string{"compost", "tulip", "Bakeli"} {
		if strings.Count(got, w) != 1 {
			t.Errorf("%q holds %s %d times, want once", got, w, strings.Count(got, w))
		}
	}
	if strings.Contains(got, "good") {
		t.Errorf("%q holds a common word", got)
	}
	if got := s.Question("And so it was."); got != "And so it was." {
		t.Errorf("a text of common words alone is asked for as %q", got)
	}
}

func BenchmarkConversation(b *testing.B) {
	s := synthetic.New(1)
	b.ReportAllocs()
	for b.Loop() {
		s.Conversation(day, 50)
	}
}
