package later

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

func TestStates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"We moved to Leeds.": true, "Wow!": false, "Did you see that band?": false,
		"Really? We moved to Leeds.": true, "我们上个月搬到了上海。": true, "真的？": false, "": false} {
		if got := States(text); got != want {
			t.Errorf("States(%q) = %t, want %t", text, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	var got []string
	text := "We met Dr. Hall. 你好。Then we left"
	for from, to := range Sentences(text) {
		got = append(got, text[from:to])
	}
	if want := []string{"We met Dr. Hall.", " 你好。", "Then we left"}; !slices.Equal(got, want) {
		t.Errorf("Sentences = %q, want %q", got, want)
	}
}

// TestBest: the turn on the same matter is found among others, and none where none is near; the order of candidates does
// not matter.
func TestBest(t *testing.T) {
	t.Parallel()
	question, earlier := Read("Where do I live?"), Read("My flat is in Rennes, close to the railway station.")
	candidates := func(near float64) []Candidate {
		all := []Candidate{{Turn: Read("The printer has eaten the sheet again."), Question: .05, Earlier: .1},
			{Turn: Read("The boxes are unpacked in the new flat in Nantes, the railway station is a walk away."), Question: .3, Earlier: near},
			{Turn: Read("Lunch was far too salty for everybody."), Question: .02, Earlier: .08},
			{Turn: Read("My glove got lost on the tram."), Question: .03, Earlier: .12}}
		return all
	}
	all := candidates(.7)
	if got := Best(Of(false), question, earlier, .4, all); got != 1 {
		t.Errorf("Best = %d, want the new flat", got)
	}
	slices.Reverse(all)
	if got := Best(Of(false), question, earlier, .4, all); got != 2 {
		t.Errorf("Best of the reverse = %d, want the new flat", got)
	}
	if got := Best(Of(false), question, earlier, .4, candidates(.7)[:1]); got != -1 {
		t.Errorf("Best of an unrelated turn = %d, want none", got)
	}
	if got := Best(Of(false), question, earlier, .4, nil); got != -1 {
		t.Errorf("Best of none = %d", got)
	}
}

// What is kept of words changes no answer, and is bounded.
func TestKeptWords(t *testing.T) {
	read := func() string {
		a, b := Read("My flat is in Rennes, 4 rooms close to the station."), Read("Flat hunting in Nantes: 3 rooms.")
		got := ""
		for _, turn := range []*Turn{a, b} {
			for _, w := range turn.words {
				got += fmt.Sprintf("%s %t %.4f %.4v\n", w.form, w.number, w.common, w.vector[:min(2, len(w.vector))])
			}
			got += fmt.Sprintln(len(turn.forms), slices.Sorted(maps.Keys(turn.numbers)))
		}
		return got
	}
	want := read()
	for i := range 3 * maxKept / 2 {
		if Read(fmt.Sprintf("word%d and %d", i, i)); i%500 == 0 && read() != want {
			t.Fatalf("after %d texts the words are\n%s, want\n%s", i, read(), want)
		}
	}
	if n := len(keptWords.of); n > maxKept {
		t.Errorf("%d words are kept", n)
	}
}
