package projects

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// point is a statement of a fact at a time. The kind of the series decides whether Amount, Day or neither is set.
type point struct {
	At        time.Time
	Amount    *big.Rat
	Day       time.Time
	FactID    trilith.ID
	EpisodeID trilith.ID
	Quote     string
}

// series is one fact over time.
type series struct {
	Kind         string // as in [trilith.TrendSeries]
	Of           string
	Name         string
	Counterparty string
	Currency     string
	Points       []point // of mentions: one for each
}

// beyond is how many MADs a change may be away from the median of its like before it stands out.
const beyond = 2

// floors are the least distances from the median that stand out, in the unit of each kind. Prices are rounded and
// indexed by some percent, a day that falls on a weekend moves by up to three, and one more mention is chance.
var floors = map[string]*big.Rat{trilith.TrendAmount: big.NewRat(5, 1), trilith.TrendDate: big.NewRat(3, 1),
	trilith.TrendMentions: big.NewRat(2, 1)}

// moved is a series with its change as a number.
type moved struct {
	trilith.TrendSeries
	change *big.Rat
	months int // mentions in the month of the last point
}

// trendsOf finds the movements of series of facts, and the series that move unlike the others. It uses plain statistics
// that are part of the answer: the median of the changes of like series, and the median of the distances from it (MAD).
// Numbers are computed exactly and rounded when they are written. Points need no order.
func trendsOf(all []series) trilith.ProjectTrends {
	out := trilith.ProjectTrends{Series: []trilith.TrendSeries{}, Likes: []trilith.TrendLikes{},
		Findings: []trilith.TrendFinding{}}
	var moves []moved
	for _, s := range all {
		if m, ok := move(s); ok {
			moves = append(moves, m)
		}
	}
	slices.SortFunc(moves, func(a, b moved) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Counterparty, b.Counterparty), cmp.Compare(a.Currency, b.Currency))
	})
	for len(moves) > 0 {
		n := 1
		for n < len(moves) && moves[n].Kind == moves[0].Kind && moves[n].Of == moves[0].Of {
			n++
		}
		contrast(moves[:n], &out)
		moves = moves[n:]
	}
	return out
}

// move computes how a series moved; false if it has no point.
func move(s series) (moved, bool) {
	if len(s.Points) == 0 {
		return moved{}, false
	}
	points := slices.Clone(s.Points)
	slices.SortStableFunc(points, func(a, b point) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.FactID, b.FactID))
	})
	m := moved{TrendSeries: trilith.TrendSeries{Kind: s.Kind, Of: s.Of, Name: s.Name, Counterparty: s.Counterparty,
		Currency: s.Currency}, change: new(big.Rat)}
	for i, p := range points {
		at := trilith.TrendPoint{At: p.At, FactID: p.FactID, EpisodeID: p.EpisodeID, Quote: p.Quote}
		step := 0
		switch s.Kind {
		case trilith.TrendAmount:
			places, _ := p.Amount.FloatPrec()
			at.Value = p.Amount.FloatString(places)
			if i > 0 {
				step = p.Amount.Cmp(points[i-1].Amount)
			}
		case trilith.TrendDate:
			at.Value = p.Day.Format(time.DateOnly)
			if i > 0 {
				step = p.Day.Compare(points[i-1].Day)
			}
		case trilith.TrendMentions:
			m.mention(at)
			continue
		}
		m.Points = append(m.Points, at)
		m.Rises += max(step, 0)
		m.Falls += max(-step, 0)
	}
	first, last := points[0], points[len(points)-1]
	switch s.Kind {
	case trilith.TrendAmount:
		if first.Amount.Sign() != 0 {
			m.change.Sub(last.Amount, first.Amount).Quo(m.change, new(big.Rat).Abs(first.Amount))
			m.change.Mul(m.change, big.NewRat(100, 1))
		}
		m.Change = m.change.FloatString(1)
	case trilith.TrendDate:
		m.change.SetInt64(int64(last.Day.Sub(first.Day).Hours() / 24))
		m.Change = m.change.FloatString(0)
	case trilith.TrendMentions:
		m.change.SetInt64(int64(len(points)))
		m.Change = m.change.FloatString(0)
	}
	return m, true
}

// mention counts a mention in its month. The point of a month is at its first mention.
func (m *moved) mention(p trilith.TrendPoint) {
	month := func(t time.Time) string { return t.Format("2006-01") }
	n := len(m.Points)
	if n == 0 || month(m.Points[n-1].At) != month(p.At) {
		m.Points, m.months = append(m.Points, p), 0
		n++
	}
	m.months++
	m.Points[n-1].Value = strconv.Itoa(m.months)
}

// units are how changes are said, by kind.
var units = map[string]string{trilith.TrendAmount: " %", trilith.TrendDate: " days", trilith.TrendMentions: " mentions"}

// contrast adds like series and those among them that stand out.
func contrast(like []moved, out *trilith.ProjectTrends) {
	kind, of := like[0].Kind, like[0].Of
	about := trilith.TrendLikes{Kind: kind, Of: of, Series: len(like)}
	changes := make([]*big.Rat, len(like))
	for i, m := range like {
		out.Series = append(out.Series, m.TrendSeries)
		changes[i] = m.change
	}
	if len(like) < trilith.MinLikeFacts {
		out.Likes = append(out.Likes, about)
		return
	}
	median := medianOf(changes)
	mad := madOf(changes, median)
	bound := new(big.Rat).Mul(mad, big.NewRat(beyond, 1))
	if floors[kind].Cmp(bound) > 0 {
		bound = floors[kind]
	}
	about.Median, about.MAD, about.Floor = median.FloatString(1), mad.FloatString(1), floors[kind].FloatString(0)
	out.Likes = append(out.Likes, about)
	for _, m := range like {
		apart := new(big.Rat).Sub(m.change, median)
		what := found(kind, apart.Sign())
		isOwnWay := m.change.Sign() == apart.Sign() // what rose less than its like did not fall
		if what == "" || !isOwnWay || apart.Abs(apart).Cmp(bound) <= 0 {
			continue
		}
		f := trilith.TrendFinding{Kind: what, Of: of, Name: m.Name, Currency: m.Currency, Change: m.Change,
			Median: about.Median, MAD: about.MAD, Series: len(like)}
		for _, p := range m.Points {
			f.FactIDs = append(f.FactIDs, p.FactID)
		}
		f.Says = fmt.Sprintf("%s of %s: %s%s, where the median of %d is %s and the MAD is %s.", of, m.Name, m.Change,
			units[kind], len(like), about.Median, about.MAD)
		out.Findings = append(out.Findings, f)
	}
}

// found is the kind of the finding for a change above (1) or below (-1) its like; "" if such a change is harmless.
func found(kind string, sign int) string {
	switch {
	case kind == trilith.TrendAmount && sign > 0:
		return trilith.TrendEscalation
	case kind == trilith.TrendAmount && sign < 0:
		return trilith.TrendDrop
	case kind == trilith.TrendDate && sign > 0:
		return trilith.TrendSlippage
	case kind == trilith.TrendMentions && sign > 0:
		return trilith.TrendRecurring
	}
	return ""
}

// medianOf is the middle of numbers, or the mean of the two in the middle. There has to be one at least.
func medianOf(numbers []*big.Rat) *big.Rat {
	sorted := slices.SortedFunc(slices.Values(numbers), (*big.Rat).Cmp)
	n := len(sorted)
	mean := new(big.Rat).Add(sorted[(n-1)/2], sorted[n/2])
	return mean.Quo(mean, big.NewRat(2, 1))
}

// madOf is the median of the distances of numbers from their median.
func madOf(numbers []*big.Rat, median *big.Rat) *big.Rat {
	distances := make([]*big.Rat, len(numbers))
	for i, x := range numbers {
		distances[i] = new(big.Rat).Sub(x, median)
		distances[i].Abs(distances[i])
	}
	return medianOf(distances)
}

// lastDay is the last day that words such as "on 22 June 2026" or "am 4. Juli" mean when they are said at a time; false if
// they mean none.
func lastDay(words string, at time.Time) (time.Time, bool) {
	for _, e := range dates.Find(words, at, dates.Both) {
		if e.Kind != dates.Recurring && e.To.Before(dates.Forever()) {
			return trilith.CalendarDay(e.To.Add(-time.Nanosecond)), true
		}
	}
	return time.Time{}, false
}

var decimalForm = regexp.MustCompile(`^-?[0-9]{1,40}(?:\.[0-9]{1,20})?$`)

// decimalOf is the number that a decimal says; nil if it is none.
func decimalOf(text string) *big.Rat {
	if !decimalForm.MatchString(text) {
		return nil
	}
	r, _ := new(big.Rat).SetString(text)
	return r
}
