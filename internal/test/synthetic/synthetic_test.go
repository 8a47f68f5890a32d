package synthetic_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/test/synthetic"
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
}

// The vocabulary grows, and is used, as that of half a million words of English chats and talks with assistants: which
// had 11,200 different words among the first 100,000 and 23,000 among 500,000; the ten commonest were .21 of them, the
// hundred .42, the thousand .70.
func TestVocabularyIsThatOfEnglish(t *testing.T) {
	t.Parallel()
	all := words(talk(1, 1200))[:500_000]
	often := map[string]int{}
	var grown []int
	for i, w := range all {
		if often[w]++; i+1 == 100_000 || i+1 == len(all) {
			grown = append(grown, len(often))
		}
	}
	ranked := slices.SortedFunc(maps.Values(often), func(a, b int) int { return cmp.Compare(b, a) })
	share := func(n int) (of float64) {
		for _, x := range ranked[:n] {
			of += float64(x)
		}
		return of / float64(len(all))
	}
	t.Logf("%d and %d different words; %.2f, %.2f, %.2f", grown[0], grown[1], share(10), share(100), share(1000))
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"different words among 100,000", float64(grown[0]), 11_200},
		{"different words among 500,000", float64(grown[1]), 23_000},
		{"the share of the ten commonest", share(10), .21},
		{"the share of the hundred commonest", share(100), .42},
		{"the share of the thousand commonest", share(1000), .70},
	} {
		if c.got < .75*c.want || c.got > 1.3*c.want {
			t.Errorf("%s: %.4g, want some %.4g", c.what, c.got, c.want)
		}
	}
}

// Some turns are nearly those of another conversation.
func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	begin := map[string]int{}
	turns := 0
	for _, c := range talk(1, 500) {
		for _, turn := range c.Turns {
			turns++
			begin[turn.Text[:strings.LastIndexByte(turn.Text, ' ')]]++
		}
	}
	again := 0
	for _, n := range begin {
		if n > 1 {
			again += n
		}
	}
	if share := float64(again) / float64(turns); share < .02 || share > .08 {
		t.Errorf("%.3f of the turns differ from another in their last word, want a twenty-fifth", share)
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
