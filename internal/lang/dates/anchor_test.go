package dates_test

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// TestAnchor: without a reference it is still known which expressions need none.
func TestAnchor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		lang dates.Lang
		want dates.Anchor
	}{
		{"on 5 March 2023", dates.English, dates.OnCalendar},
		{"2023-03-05", dates.English, dates.OnCalendar},
		{"am 05.03.2023", dates.German, dates.OnCalendar},
		{"in 2019", dates.English, dates.OnCalendar},
		{"from 3 to 7 June 2024", dates.English, dates.OnCalendar},
		{"since May 2024", dates.English, dates.OnCalendar},
		{"at Christmas 2020", dates.English, dates.OnCalendar},
		{"on March 5th", dates.English, dates.EveryYear},
		{"on 5 March at 5 pm", dates.English, dates.EveryYear},
		{"im Mai", dates.German, dates.EveryYear},
		{"from May to July", dates.English, dates.EveryYear},
		{"until May", dates.English, dates.EveryYear},
		{"in summer", dates.English, dates.EveryYear},
		{"yesterday", dates.English, dates.FromReference},
		{"last March", dates.English, dates.FromReference},
		{"letzte Woche", dates.German, dates.FromReference},
		{"on Friday", dates.English, dates.FromReference},
		{"Friday at 5 pm", dates.English, dates.FromReference},
		{"three weeks ago", dates.English, dates.FromReference},
		{"on the 15th", dates.English, dates.FromReference},
		{"for six weeks", dates.English, dates.FromReference},
		{"at 5 pm", dates.English, dates.TimeOfDay},
		{"from 9 to 11 am", dates.English, dates.TimeOfDay},
		{"2-4 pm on 5 March 2023", dates.English, dates.OnCalendar},
	} {
		found := dates.Find("It was "+c.text+".", reference, c.lang)
		if c.lang == dates.German {
			found = dates.Find("Das war "+c.text+".", reference, c.lang)
		}
		if len(found) != 1 || found[0].Anchor != c.want {
			t.Errorf("Find(%q): %+v, want one with the anchor %d", c.text, found, c.want)
		}
	}
}
