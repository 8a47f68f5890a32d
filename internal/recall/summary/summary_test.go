package summary

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func words1(s string) int { return len(strings.Fields(s)) }

// An extract quotes, in order, what carries the most, and keeps to its budget.
func TestExtract(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 2, 1, 10, 0, 0, 0, time.UTC)
	texts := []Text{{Who: "ana", At: at, Text: "Hello there! How are you?"},
		{Who: "ana", At: at, Text: "We decided to hire Marta Olsen on 3 March 2025. That is good."},
		{Who: "ben", At: at.AddDate(0, 0, 1), Text: "Die Rechnung von Kvam Marine über 48.500 Euro ist im April fällig."}}
	want := "2025-02-01\n- ana: We decided to hire Marta Olsen on 3 March 2025.\n" +
		"2025-02-02\n- ben: Die Rechnung von Kvam Marine über 48.500 Euro ist im April fällig.\n"
	if got := Lines(texts, Extract(texts, 30, words1)); got != want {
		t.Errorf("Extract =\n%s\nwant\n%s", got, want)
	}
}

// For any texts, every quote is in its text, apart from white space, and the lines keep to the budget.
func TestExtractQuotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var texts []Text
		for _, s := range rapid.SliceOfN(rapid.String(), 0, 8).Draw(t, "texts") {
			texts = append(texts, Text{Who: "a", Text: s})
		}
		budget := rapid.IntRange(0, 40).Draw(t, "budget")
		quotes := Extract(texts, budget, words1)
		for _, q := range quotes {
			if !strings.Contains(strings.Join(strings.Fields(texts[q.Text].Text), " "), q.Said) {
				t.Errorf("%q is no quote of %q", q.Said, texts[q.Text].Text)
			}
		}
		if n := words1(Lines(texts, quotes)); n > budget {
			t.Errorf("the lines have %d words, want at most %d", n, budget)
		}
	})
}

func TestUnfounded(t *testing.T) {
	t.Parallel()
	texts := []Text{{Who: "Ana", At: time.Date(2025, 3, 2, 0, 0, 0, 0, time.UTC),
		Text: "Marta Olsen's invoice is 48,500 NOK, due 3 April."}}
	for _, c := range []struct {
		text string
		want []string
	}{{"Ana said that Marta Olsen owes 48500 NOK by 3 April.", nil},
		{"On 2 March 2025 it was said.", nil},
		{"The invoice of Marta Nilsen is 48,600 NOK.", []string{"nilsen", "48600"}},
		{"", nil}} {
		if got := Unfounded(c.text, texts); !slices.Equal(got, c.want) {
			t.Errorf("Unfounded(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// Texts about one thing are one topic, which is named by its words; no two have one name.
func TestTopics(t *testing.T) {
	t.Parallel()
	got := Topics([]string{"The boat needs new sails and paint.", "A recipe for stew with cabbage.",
		"New sails for the boat have come.", "More cabbage in the stew recipe.", "The sails of the boat are white."})
	if len(got) != 2 || !slices.Equal(got[0].Members, []int{0, 2, 4}) || !slices.Equal(got[1].Members, []int{1, 3}) ||
		!strings.Contains(got[0].Name, "sails") || got[0].Name == got[1].Name {
		t.Errorf("Topics = %+v, want boat and stew", got)
	}
}

// What is read of an extract is its texts: without days, labels and marks, so that no role is one of its words.
func TestReadBack(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)
	texts := []Text{{Who: "user", At: at, Text: "The keel needs tar: two coats."}, {Who: "assistant", At: at, Text: "Order the tar."},
		{At: at.AddDate(0, 0, 1), Text: "The mast came."}, {Who: "Ana", At: at.AddDate(0, 0, 1), Text: "The sail is torn."}}
	lines := Lines(texts, []Quote{{0, texts[0].Text}, {1, texts[1].Text}, {2, texts[2].Text}, {3, texts[3].Text}})
	got := Read(lines)
	if !slices.Equal(got, texts) {
		t.Errorf("Read = %+v, want %+v", got, texts)
	}
	if got := Read("One.\nTwo.\n"); len(got) != 2 || got[1].Text != "Two." || got[1].Who != "" {
		t.Errorf("Read of what a model wrote = %+v", got)
	}
	if got := Read("2025-02-01"); len(got) != 1 {
		t.Errorf("Read of a day alone = %+v, want a text", got)
	}
}
