package ending_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/ending"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

func on(day, text string) ending.Statement {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return ending.Statement{Text: text, Day: at}
}

// Every question begins with the same bytes; statements are one line each, and end where they end.
func TestQuestion(t *testing.T) {
	t.Parallel()
	m := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "adds"}}})
	for _, text := range []string{"I live in \"Old\nTown\".", "Ik woon in Gent."} {
		if _, err := ending.Ask(t.Context(), m, on("2025-01-10", text), on("2025-06-10", "I moved.")); err != nil {
			t.Fatal(err)
		}
	}
	a, b := m.Requests()[0], m.Requests()[1]
	last := len(a.Messages) - 1
	if diff := cmp.Diff(a.Messages[:last], b.Messages[:last]); diff != "" || a.System != b.System || last != 16 {
		t.Errorf("questions begin differently (-first +second):\n%s", diff)
	}
	want := "Earlier (2025-01-10): \"I live in 'Old Town'.\"\nLater (2025-06-10): \"I moved.\""
	if got := a.Messages[last].Text; got != want {
		t.Errorf("the question is\n%s\nwant\n%s", got, want)
	}
	size := len(a.System)
	for _, msg := range a.Messages[:last] {
		size += len(msg.Text)
		if strings.Contains(msg.Text, "2025") {
			t.Errorf("an example is of a day of the question: %s", msg.Text)
		}
	}
	if size > 2600 {
		t.Errorf("the constant part has %d bytes, at most 2600 are allowed", size)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	sure, word := ending.Policy{Ask: true, Threshold: .9}, ending.Policy{Ask: true, WordOnly: true}
	for _, c := range []struct {
		says     scripted.Entry
		relation ending.Relation
		p        float64
		by       []ending.Policy // that believe that it ends
	}{
		{scripted.Entry{Answer: "replaces"}, ending.Replaces, 0, []ending.Policy{word}},
		{scripted.Entry{Answer: "replaces", Likely: []float64{.95, .03, .02}}, ending.Replaces, .95, []ending.Policy{sure}},
		{scripted.Entry{Answer: "replaces", Likely: []float64{.6, .3, .1}}, ending.Replaces, .6, nil},
		{scripted.Entry{Answer: "replaces", Likely: []float64{.3, .6, .1}}, ending.Adds, .6, nil},
		{scripted.Entry{Answer: "Unrelated."}, ending.Unrelated, 0, nil},
		{scripted.Entry{Answer: "Who knows?"}, "", 0, nil},
		{scripted.Entry{}, "", 0, nil},
	} {
		m := scripted.New(scripted.Script{Entries: []scripted.Entry{c.says}})
		v, err := ending.Ask(t.Context(), m, on("2025-01-10", "I row."), on("2025-06-10", "I swim."))
		if err != nil || v.Relation != c.relation || v.Probability != c.p || v.Usage == (trilith.Usage{}) {
			t.Errorf("Ask when the model says %+v = %+v, %v", c.says, v, err)
		}
		for _, p := range []ending.Policy{{}, sure, word} {
			want := len(c.by) > 0 && p == c.by[0]
			if p.Believes(v) != want || p.Asks() != (p != ending.Policy{}) {
				t.Errorf("%+v believes %+v: %t", p, v, !want)
			}
		}
	}
}
