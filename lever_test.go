package cairn_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
)

func TestParseLevers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want cairn.Levers
		why  string
	}{
		{"all", cairn.AllLevers, "the default by its name"},
		{"none", 0, "plain BM25"},
		{"nearby, names", cairn.LeverNearby | cairn.LeverNames, "those that are named, no other"},
		{"-dates", cairn.AllLevers &^ cairn.LeverDates, "who begins by taking away begins with all"},
		{"none,words", cairn.LeverWords, "one by one"},
		{"nearby,-nearby", 0, "the last word counts"},
	} {
		got, err := cairn.ParseLevers(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseLevers(%q) = %v, %v, want %v: %s", c.text, got, err, c.want, c.why)
		}
		if again, err := cairn.ParseLevers(got.String()); err != nil || again != got {
			t.Errorf("ParseLevers(%q) = %v, %v, want what was written: %v", got.String(), again, err, got)
		}
	}
	for _, bad := range []string{"", "everything", "-all", "nearby,,names"} {
		if got, err := cairn.ParseLevers(bad); cairn.KindOf(err) != cairn.Invalid {
			t.Errorf("ParseLevers(%q) = %v, %v, want Invalid", bad, got, err)
		}
	}
}
