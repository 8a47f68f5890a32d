package lexical

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// asking is a Wednesday.
var asking = time.Date(2024, time.June, 19, 15, 4, 0, 0, time.UTC)

// matchOn returns how well a day fits the times that a question names.
func matchOn(t *testing.T, question, day string, now time.Time) float64 {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	in := textproc.Analyzer{}.Language(question)
	return match(datesIn(question, wordsOf(question), in, known().reading(question, in), now), DayOf(at))
}

// TestSteps: the nearer the time of a turn is to the named time, the better it fits. The steps are those of the
// recipe.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question string
		days     map[string]float64
	}{
		{"What happened on 5 March 2023?",
			map[string]float64{"2023-02-28": 0, "2023-03-02": .4, "2023-03-03": .4, "2023-03-04": 1, "2023-03-05": 1,
				"2023-03-06": 1, "2023-03-07": .7, "2023-03-13": .7, "2023-03-14": .4, "2023-04-05": .4,
				"2023-04-06": 0,
				"2022-03-05": 0, "2024-03-05": 0}},
		{"What happened on 5 March?",
			map[string]float64{"2023-03-05": 1, "2024-03-06": 1, "1999-03-04": 1, "2023-03-01": 0}},
		{"What happened on New Year's Eve?",
			map[string]float64{"2022-12-31": 1, "2023-01-01": 1, "2023-01-05": .7, "2022-12-20": 0}},
		{"What happened in March 2023?",
			map[string]float64{"2023-02-28": 0, "2023-03-01": 1, "2023-03-31": 1, "2023-04-01": .4, "2023-05-01": .4,
				"2023-05-02": 0, "2022-03-05": 0}},
		{"What happened in December?",
			map[string]float64{"2022-12-01": 1, "2023-01-15": .4, "2023-11-30": 0, "2023-12-31": 1}},
		{"What happened in March?", map[string]float64{"2020-03-31": 1, "2021-02-26": 0, "2021-04-02": .4}},
		{"What happened in 2022?",
			map[string]float64{"2021-12-31": 0, "2022-01-01": .5, "2022-12-31": .5, "2023-01-01": 0}},
		{"What happened in the summer of 2022?",
			map[string]float64{"2022-05-31": 0, "2022-06-01": 1, "2022-08-31": 1, "2022-09-10": .4, "2022-12-01": 0}},
		{"What has happened since March 2023?", map[string]float64{"2023-03-10": 1, "2023-02-10": 0}},
		{"What had happened by March 2023?", map[string]float64{"2023-03-10": 1, "2023-05-10": 0}},
		{"What happened from 3 to 7 June 2023?",
			map[string]float64{"2023-06-02": 1, "2023-06-05": 1, "2023-06-08": 1, "2023-06-09": .7, "2023-07-20": 0}},
	} {
		for day, want := range c.days {
			if got := matchOn(t, c.question, day, time.Time{}); got != want {
				t.Errorf("%q and %s: %v, want %v", c.question, day, got, want)
			}
		}
	}
}

// TestDates: dates are understood as people write them.
func TestDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question  string
		day       string
		want      float64
		otherwise string // a day that does not fit
	}{
		{"Who called on March 5th, 2023?", "2023-03-05", 1, "2023-05-03"},
		{"Who called on the 5th of March 2023?", "2023-03-05", 1, "2022-03-05"},
		{"Who called on 2023-03-05?", "2023-03-05", 1, "2023-05-03"},
		{"Who called on 3/5/2023?", "2023-03-05", 1, "2023-05-03"},
		{"Wer hat am 05.03.2023 angerufen?", "2023-03-05", 1, "2023-05-03"},
		{"Wer hat am 5. März 2023 angerufen?", "2023-03-05", 1, "2023-05-03"},
		{"Wer war im Mai da?", "2021-05-09", 1, "2021-03-09"},
		{"Was war im Jahr 2022?", "2022-05-09", .5, "2021-05-09"},
		{"Whom did Ana meet on her January trip?", "2021-01-09", 1, "2021-06-09"},
		{"Who came on the 12 July 2023 outing?", "2023-07-12", 1, "2023-07-01"},
		{"Was ist mit der Oktober Reise?", "2022-10-11", 1, "2022-07-11"},
		{"Where were we in May?", "2021-05-09", 1, "2021-03-09"},
		{"Wat gebeurde er op 2023-03-05?", "2023-03-05", 1, "2023-05-03"},
	} {
		if got := matchOn(t, c.question, c.day, time.Time{}); got != c.want {
			t.Errorf("%q and %s: %v, want %v", c.question, c.day, got, c.want)
		}
		if got := matchOn(t, c.question, c.otherwise, time.Time{}); got != 0 {
			t.Errorf("%q and %s: %v, want 0", c.question, c.otherwise, got)
		}
	}
	for _, question := range []string{"May I call Ana?", "Where did they march?", "Who called at 5 pm?",
		"How many eggs?", "Who runs every Tuesday?",
		"Who stayed for six weeks?", "Which flat is number 2019b?", "", "What did Ana say yesterday?",
		"Was war letzte Woche?"} {
		in := textproc.Analyzer{}.Language(question)
		if got := datesIn(question, wordsOf(question), in, known().reading(question, in), time.Time{}); len(got) != 0 {
			t.Errorf("%q, asked no one knows when: %+v, want no time", question, got)
		}
	}
}

// TestRelativeDates: a date that depends on the time of asking is resolved by that time.
func TestRelativeDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question  string
		day       string
		want      float64
		otherwise string
	}{
		{"What did Ana say yesterday?", "2024-06-18", 1, "2024-06-10"},
		{"What did Ana say last week?", "2024-06-12", 1, "2024-05-01"},
		{"What did we do last March?", "2024-03-20", 1, "2023-03-20"},
		{"What did we do three weeks ago?", "2024-05-29", 1, "2024-04-01"},
		{"Where were we last year?", "2023-02-01", .5, "2024-02-01"},
		{"Was hat Ana letzte Woche gesagt?", "2024-06-12", 1, "2024-05-01"},
		{"Was war vorgestern?", "2024-06-17", 1, "2024-06-01"},
		{"What did we do on the Monday before July 24, 2023?", "2023-07-24", 1, "2024-06-17"},
		{"What has Ana said since 5 March 2023?", "2023-03-05", 1, "2023-01-05"},
		{"What had Ana said by 5 March 2023?", "2023-03-05", 1, "2024-03-05"},
	} {
		if got := matchOn(t, c.question, c.day, asking); got != c.want {
			t.Errorf("%q and %s: %v, want %v", c.question, c.day, got, c.want)
		}
		if got := matchOn(t, c.question, c.otherwise, asking); got != 0 {
			t.Errorf("%q and %s: %v, want 0", c.question, c.otherwise, got)
		}
	}
}
