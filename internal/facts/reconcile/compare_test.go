package reconcile_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
)

// stated is a fact of somebody that holds from a day of January on; a text that begins with "not " denies.
func stated(from int, text string, until ...int) trilith.Memory {
	at := func(day int) time.Time { return time.Date(2025, 1, day, 0, 0, 0, 0, time.UTC) }
	m := trilith.Memory{ID: trilith.DeriveID(text), Text: "Somebody says: " + text, EventTime: at(from),
		State: trilith.StateActive, Fact: &trilith.Fact{Verb: "says", Polarity: trilith.Affirmed}}
	if name, denies := cutNot(text); denies {
		m.Fact.Polarity, m.Fact.Node = trilith.Negated, trilith.Node{Type: "Thing", Name: name}
	} else {
		m.Fact.Node = trilith.Node{Type: "Thing", Name: text}
	}
	m.Fact.FactID = m.Fact.Node.ID()
	for _, day := range until {
		end := at(day)
		m.ValidUntil = &end
	}
	return m
}

// breath is a fact that one turn states.
func breath(from int, text, turn string) trilith.Memory {
	m := stated(from, text)
	m.Fact.Evidence = []trilith.Evidence{{EpisodeID: trilith.DeriveID(turn)}}
	return m
}

func taste(verb, text string) trilith.Memory {
	m := stated(1, text)
	m.Fact.Verb = verb
	return m
}

func cutNot(text string) (string, bool) {
	if len(text) > 4 && text[:4] == "not " {
		return text[4:], true
	}
	return text, false
}

func named(facts []trilith.Memory) []string {
	var out []string
	for _, m := range facts {
		out = append(out, m.Text[len("Somebody says: "):])
	}
	return out
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why    string
		single bool
		facts  []trilith.Memory
		want   [][]string
	}{
		{"a verb of one value has two", true, []trilith.Memory{stated(2, "Oslo"), stated(1, "Rome")},
			[][]string{{"Rome", "Oslo"}}},
		{"a verb of many values may have two", false, []trilith.Memory{stated(1, "jazz"), stated(2, "opera")}, nil},
		{"two spellings of a value are one value", true, []trilith.Memory{stated(1, "Tromsø"), stated(2, "TROMSO")}, nil},
		{"two values said in one breath", true, []trilith.Memory{breath(1, "nurse", "a"), breath(1, "teacher", "a")}, nil},
		{"two values of one day", true, []trilith.Memory{breath(1, "nurse", "a"), breath(1, "teacher", "b")},
			[][]string{{"nurse", "teacher"}}},
		{"a value and more of its words", true, []trilith.Memory{stated(1, "engineer"), stated(1, "software engineer")}, nil},
		{"a place and more of its words", true, []trilith.Memory{stated(1, "Bergen"), stated(1, "Bergen, Norway")}, nil},
		{"a name in another name", true, []trilith.Memory{stated(1, "York"), stated(1, "New York")}, [][]string{{"New York", "York"}}},
		{"a liking and a dislike", false, []trilith.Memory{taste("likes", "jazz"), taste("dislikes", "Jazz"), taste("likes", "opera")},
			[][]string{{"Jazz", "jazz"}}},
		{"a value and its denial", false, []trilith.Memory{stated(1, "jazz"), stated(2, "not Jazz"), stated(3, "opera")},
			[][]string{{"jazz", "not Jazz"}}},
		{"the denial of another value is none", true, []trilith.Memory{stated(1, "Oslo"), stated(2, "not Rome")}, nil},
		{"one after the other is no conflict", true, []trilith.Memory{stated(1, "Oslo", 5), stated(5, "Rome")}, nil},
		{"for a while both is one", true, []trilith.Memory{stated(1, "Oslo", 6), stated(5, "Rome"), stated(6, "Bonn", 7)},
			[][]string{{"Oslo", "Rome", "Bonn"}}},
		{"a fact alone contradicts nothing", true, []trilith.Memory{stated(1, "Oslo")}, nil},
	} {
		var got [][]string
		for i := range c.facts {
			c.facts[i].Fact.SingleValued = c.single
		}
		for _, g := range reconcile.Conflicts(c.facts) {
			got = append(got, named(g))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: Conflicts (-want +got):\n%s", c.why, diff)
		}
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	other := stated(1, "a car")
	other.Fact.Verb, other.Text = "owns", "An automobile is owned."
	again := stated(4, "the car")
	again.Fact.Verb, again.Text = "drives", "Somebody  SAYS: a cár"
	facts := []trilith.Memory{stated(3, "A  Car"), stated(2, "a car"), stated(1, "not a car"), other, again}
	got := reconcile.Duplicates(facts, nil, 0.9)
	if len(got) != 1 || got[0].Score != 1 {
		t.Fatalf("Duplicates by text = %+v, want one group of score 1", got)
	}
	if diff := cmp.Diff([]string{"a car", "A  Car", " a cár"}, named(got[0].Facts)); diff != "" {
		t.Errorf("Duplicates by text (-want +got):\n%s", diff)
	}

	angle := func(degrees float64) trilith.Vector {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return trilith.Vector{float32(cos), float32(sin)}
	}
	// Each is near its neighbour; only what is near the first of a group belongs to it. One has no vector.
	facts = []trilith.Memory{stated(1, "0°"), stated(2, "10°"), stated(3, "20°"), stated(4, "30°"), stated(5, "not 0°"),
		stated(6, "none")}
	vectors := []trilith.Vector{angle(0), angle(10), angle(20), angle(30), angle(0), nil}
	groups := reconcile.Duplicates(facts, vectors, math.Cos(15*math.Pi/180))
	var names [][]string
	for _, g := range groups {
		names = append(names, named(g.Facts))
		if want := math.Cos(10 * math.Pi / 180); math.Abs(g.Score-want) > 1e-6 {
			t.Errorf("the group of %s has score %v, want %v", named(g.Facts)[0], g.Score, want)
		}
	}
	if diff := cmp.Diff([][]string{{"0°", "10°"}, {"20°", "30°"}}, names); diff != "" {
		t.Errorf("Duplicates by vector (-want +got):\n%s", diff)
	}
}
