package distil_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

// A range has an end, whichever part of its words the model copies; something that began and continues has none.
func TestRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, quote, time, want string }{
		{"I worked at Nordlicht from 2015 to 2019.", "I worked at Nordlicht", "from 2015", "2015-01-01 2020-01-01"},
		{"I worked at Nordlicht from 2015 to 2019.", "I worked at Nordlicht from 2015 to 2019", "2015 to 2019",
			"2015-01-01 2020-01-01"},
		{"Between 2015 and 2019 I worked at Nordlicht.", "I worked at Nordlicht", "2015", "2015-01-01 2020-01-01"},
		{"Von 2015 bis 2019 war ich bei Nordlicht.", "war ich bei Nordlicht", "2015", "2015-01-01 2020-01-01"},
		{"I have worked at Nordlicht since 2019.", "I have worked at Nordlicht", "since 2019", "2019-01-01 -"},
		{"I started at Nordlicht in 2019.", "I started at Nordlicht", "in 2019", "2019-01-01 -"},
		{"I was at Nordlicht until March 2020.", "I was at Nordlicht", "until March 2020", "- 2020-04-01"},
		{"I started at Nordlicht in 2015 and left in 2019.", "I started at Nordlicht in 2015", "in 2015", "2015-01-01 -"},
	} {
		r := distil.Request{Profile: profileOf(t, "personal"), Subject: "Ana",
			Turns: []distil.Turn{{Role: trilith.RoleUser, Speaker: "Ana", Text: c.text, At: tuesday(10)}}}
		claim := item{}.with(item{"topic": "works_at", "value": "Nordlicht", "quote": c.quote,
			"sentence": "Ana: Nordlicht.", "time_words": c.time})
		if c.quote == "war ich bei Nordlicht" {
			claim["text"] = "Ana: Nordlicht."
		}
		res, _ := read(t, r, scripted.Entry{Answer: answer(claim)})
		if len(res.Found) != 1 {
			t.Errorf("%q: refused %v", c.text, res.Refused)
			continue
		}
		day := func(at *time.Time) string {
			if at == nil {
				return "-"
			}
			return at.Format(time.DateOnly)
		}
		if got := day(res.Found[0].From) + " " + day(res.Found[0].Until); got != c.want {
			t.Errorf("%q: holds %s, want %s", c.text, got, c.want)
		}
	}
}
