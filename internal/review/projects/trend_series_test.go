package projects

import (
	"math/big"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func amounts(name string, values ...int64) series {
	s := series{Kind: trilith.TrendAmount, Of: "estimate", Name: name, Currency: "EUR"}
	for i, v := range values {
		s.Points = append(s.Points, point{At: start.AddDate(0, i, 0), Amount: big.NewRat(v, 1),
			FactID: trilith.ID(name + strconv.Itoa(i))})
	}
	return s
}

func dated(name string, moves ...int) series {
	s := series{Kind: trilith.TrendDate, Of: "deadline", Name: name}
	for i, d := range moves {
		s.Points = append(s.Points, point{At: start.AddDate(0, i, 0),
			Day: start.AddDate(0, 0, d).Truncate(24 * time.Hour)})
	}
	return s
}

func foundIn(t trilith.ProjectTrends) []string {
	out := []string{}
	for _, f := range t.Findings {
		out = append(out, f.Kind+" "+f.Name+" "+f.Change)
	}
	return out
}

func TestWhatStandsOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		series []series
		want   []string
	}{
		{"an amount that rises more than its like", []series{amounts("roof", 100, 110, 140), amounts("a", 100, 102),
			amounts("b", 100, 101), amounts("c", 100, 103), amounts("d", 100)}, []string{"escalation roof 40.0"}},
		{"four like series judge nobody", []series{amounts("roof", 100, 200), amounts("a", 100), amounts("b", 100),
			amounts("c", 100)}, []string{}},
		{"what rises less than its like does not fall", []series{amounts("a", 100, 150), amounts("b", 100, 151),
			amounts("c", 100, 152), amounts("d", 100, 150), amounts("e", 100, 110)}, []string{}},
		{"a deadline that moves", []series{dated("roof", 0, 14, 30), dated("a", 0), dated("b", 5), dated("c", 7, 7),
			dated("d", 9, 10)}, []string{"slippage roof 30"}},
		{"hardly anything moves, and nothing much", []series{amounts("a", 100, 103), amounts("b", 100),
			amounts("c", 100), amounts("d", 100), amounts("e", 100)}, []string{}},
		{"hardly anything moves, and one does", []series{amounts("a", 100, 106), amounts("b", 100),
			amounts("c", 100), amounts("d", 100), amounts("e", 100)}, []string{"escalation a 6.0"}},
		{"a day after the weekend", []series{dated("a", 0, 3), dated("b", 0), dated("c", 5), dated("d", 7),
			dated("e", 9)}, []string{}},
		{"a drop", []series{amounts("a", 100, 40), amounts("b", 100), amounts("c", 100, 101),
			amounts("d", 100, 99), amounts("e", 100)}, []string{"drop a -60.0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := trendsOf(c.series)
			if diff := gocmp.Diff(c.want, foundIn(got)); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%+v", diff, got.Likes)
			}
		})
	}
}

// Mentions are counted by month.
func TestMentions(t *testing.T) {
	t.Parallel()
	s := series{Kind: trilith.TrendMentions, Of: "risk", Name: "flood"}
	for _, day := range []int{0, 3, 40, 41, 42} {
		s.Points = append(s.Points, point{At: start.AddDate(0, 0, day)})
	}
	got := trendsOf([]series{s}).Series[0]
	if len(got.Points) != 2 || got.Points[0].Value != "2" || got.Points[1].Value != "3" || got.Change != "5" {
		t.Errorf("series = %+v, want 2 and 3 mentions, 5 in all", got)
	}
}

func TestMedianAndMAD(t *testing.T) {
	t.Parallel()
	var numbers []*big.Rat
	for _, n := range []int64{7, 1, 3, 100} {
		numbers = append(numbers, big.NewRat(n, 1))
	}
	median := medianOf(numbers)
	if mad := madOf(numbers, median); median.RatString() != "5" || mad.RatString() != "3" {
		t.Errorf("median and MAD = %s, %s, want 5 and 3", median.RatString(), mad.RatString())
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{"on 22 June 2026": "2026-06-22", "am 4. Juli 2026": "2026-07-04",
		"2026-03-01": "2026-03-01"} {
		if got, ok := lastDay(words, start); !ok || got.Format(time.DateOnly) != want {
			t.Errorf("Day(%q) = %v, %v, want %s", words, got, ok, want)
		}
	}
	if got, ok := lastDay("soon", start); ok {
		t.Errorf("Day(soon) = %v, want none", got)
	}
}
