package extraction

import (
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	turns := map[string]*Turn{
		"move": {Speaker: "Mira", Session: "s", Facts: []Label{{Whose: "speaker", Value: []string{"leeds"}},
			{Whose: "Jo|sister", Value: []string{"marathon"}}}, Not: []Label{{Why: "asked", Value: []string{"tokyo"}}}},
		"quit": {Speaker: "Лёша", Facts: []Label{{Whose: "speaker", Value: []string{"кур", "брос|quit"}}},
			Not: []Label{{Why: "over", Value: []string{"кур"}}, {Whose: "speaker", Why: "hers", Value: []string{"bici"}}}},
		"soba": {Speaker: "美咲", Facts: []Label{{Whose: "speaker", Value: []string{"そば"}}}},
	}
	for _, c := range []struct {
		why  string
		fact Fact
		want Verdict
	}{
		{"her own", Fact{Whose: []string{"Mira"}, Value: "Leeds", Turns: []string{"move"}}, True},
		{"the user of the session is she", Fact{Whose: []string{"s"}, Value: "Leeds", Turns: []string{"move"}}, True},
		{"of one of two names", Fact{Whose: []string{"the sister"}, Text: "She runs marathons.", Turns: []string{"move"}}, True},
		{"another's", Fact{Whose: []string{"Mira"}, Value: "marathons", Turns: []string{"move"}}, False},
		{"both are in one sentence", Fact{Whose: []string{"Jo"}, Text: "Jo runs marathons in Leeds", Turns: []string{"move"}}, True},
		{"only asked", Fact{Whose: []string{"Mira"}, Value: "Tokyo", Turns: []string{"move"}}, False},
		{"no label", Fact{Whose: []string{"Mira"}, Value: "a kettle", Turns: []string{"move"}}, Thin},
		{"within a word", Fact{Whose: []string{"Mira"}, Value: "Kleeds", Turns: []string{"move"}}, Thin},
		{"over, and it says so", Fact{Whose: []string{"Леша"}, Text: "Лёша бросил курить", Turns: []string{"quit"}}, True},
		{"over, and it is marked so", Fact{Whose: []string{"Лёша"}, Value: "курить", Over: true, Turns: []string{"quit"}}, True},
		{"over, and it does not say so", Fact{Whose: []string{"Лёша"}, Value: "курить", Turns: []string{"quit"}}, False},
		{"false of the speaker alone", Fact{Whose: []string{"Вера"}, Value: "bici", Turns: []string{"quit"}}, Thin},
		{"without spaces", Fact{Whose: []string{"美咲"}, Text: "美咲はそばアレルギーです", Turns: []string{"soba"}}, True},
		{"of two turns", Fact{Whose: []string{"Mira"}, Value: "Leeds", Turns: []string{"soba", "move"}}, True},
	} {
		c.fact.judge(turns)
		if c.fact.Verdict != c.want {
			t.Errorf("%s: judge(%+v) = %s, want %s", c.why, c.fact, c.fact.Verdict, c.want)
		}
	}
}

// TestMake: a label counts once, however many facts have it, and one that is optional does not.
func TestMake(t *testing.T) {
	t.Parallel()
	set := Set{Turns: []Turn{{ID: "1", Facts: []Label{{Value: []string{"a"}}, {Value: []string{"b"}},
		{Value: []string{"c"}, Optional: true}}}}}
	one, other := &set.Turns[0].Facts[0], &set.Turns[0].Facts[2]
	run := Run{Extract: trilith.ExtractAuto, Read: []string{"1"}, Facts: []Fact{
		{Model: true, State: trilith.StateActive, Verdict: True, found: []*Label{one, other}},
		{Rules: true, State: trilith.StateActive, Verdict: True, found: []*Label{one}},
		{Model: true, State: trilith.StateCandidate, Verdict: False}, {Model: true, State: trilith.StateCandidate, Verdict: Thin}}}
	got := Make("m", set, run)
	want := []Row{{"model", 1, 1, 1, 1, 2, 33.3, 50}, {"model, active", 1, 0, 0, 1, 2, 100, 50}, {"both", 2, 1, 1, 1, 2, 50, 50},
		{"both, active", 2, 0, 0, 1, 2, 100, 50}}
	if got.Labels != 2 || !slices.Equal(got.Rows, want) {
		t.Errorf("Make = %d labels, %+v, want %+v", got.Labels, got.Rows, want)
	}
	var table strings.Builder
	if err := got.Table(&table); err != nil || !strings.Contains(table.String(), "model, active") {
		t.Errorf("Table = %v: %s", err, table.String())
	}
}
