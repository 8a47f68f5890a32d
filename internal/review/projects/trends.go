package projects

import (
	"context"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// Trends says how amounts, dates and risks of a project have moved.
func (ps *Projects) Trends(ctx context.Context, s trilith.Scope, q trilith.TrendQuery) (trilith.ProjectTrends, error) {
	asOf, err := ps.timeOf(s, "as_of", q.AsOf, ps.truth.Now())
	if err != nil {
		return trilith.ProjectTrends{}, err
	}
	ms, err := ps.facts(ctx, s, trilith.Filter{Or: []trilith.Filter{trilith.Where("financial_amount", trilith.OpNe, nil),
		trilith.Where("fact_type", trilith.OpIn, []string{string(trilith.FactTask), string(trilith.FactMilestone),
			string(trilith.FactSchedule), string(trilith.FactRisk)}),
		trilith.Where("verb", trilith.OpEq, "has_deadline")}}, trilith.MaxTrendFacts)
	if err != nil {
		return trilith.ProjectTrends{}, err
	}
	var collected collector
	for i := range ms {
		if isSaid(&ms[i]) && !ms[i].EventTime.After(asOf) {
			collected.add(&ms[i], asOf)
		}
	}
	out := trendsOf(collected.series)
	out.Project, out.AsOf = s.Project, asOf
	return out, nil
}

// isSaid reports whether somebody said a fact and meant it, whether or not it holds still.
func isSaid(m *trilith.Memory) bool {
	switch m.State {
	case trilith.StateActive, trilith.StateSuperseded, trilith.StateExpired:
	default:
		return false
	}
	return m.Fact.Polarity != trilith.Negated && m.Fact.Certainty != trilith.Hedged &&
		m.Fact.Verification.Status != trilith.Rejected && saying(m.Fact) != nil
}

// collector makes series of facts.
type collector struct {
	series []series
	at     map[trendKey]int
}

type trendKey struct{ kind, of, name, counterparty, currency string }

// add adds a fact to its series.
func (c *collector) add(m *trilith.Memory, asOf time.Time) {
	f, said := m.Fact, saying(m.Fact)
	p := point{At: m.EventTime, FactID: m.ID, EpisodeID: said.EpisodeID, Quote: said.Quote}
	detail := func(key string) string { s, _ := f.Content[key].(string); return s }
	noun := strings.TrimPrefix(f.Verb, "has_")
	if f.Foreign() {
		noun = string(f.Type)
	}
	switch {
	case f.Financial != nil:
		of := f.Financial.Type
		if p.Amount = decimalOf(f.Financial.Amount); p.Amount == nil || !compared[of] {
			return
		}
		name := detail("item")
		if name == "" {
			name = f.Financial.Category
		}
		c.put(series{Kind: trilith.TrendAmount, Of: of, Name: name, Counterparty: detail("counterparty"),
			Currency: f.Financial.Currency}, p)
	case f.Type == trilith.FactRisk:
		for _, ev := range f.Evidence {
			if !ev.Ends && !ev.Withdrawn && !ev.At.After(asOf) {
				c.put(series{Kind: trilith.TrendMentions, Of: noun, Name: m.Called()},
					point{At: ev.At, FactID: m.ID, EpisodeID: ev.EpisodeID, Quote: ev.Quote})
			}
		}
	default:
		day, ok := dayOf(f, m.EventTime)
		if !ok {
			return
		}
		p.Day = day
		c.put(series{Kind: trilith.TrendDate, Of: noun, Name: m.Called()}, p)
	}
}

// compared are the kinds of money that one paper has one amount of at a time: several invoices are no series.
var compared = map[string]bool{"estimate": true, "quote": true, "budget": true}

// dayOf is the day that a fact sets.
func dayOf(f *trilith.Fact, at time.Time) (time.Time, bool) {
	if f.ActionDeadline != nil {
		return trilith.CalendarDay(*f.ActionDeadline), true
	}
	for _, key := range []string{"due", "when"} {
		if words, _ := f.Content[key].(string); words != "" {
			return lastDay(words, at)
		}
	}
	return time.Time{}, false
}

func (c *collector) put(s series, p point) {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	key := trendKey{s.Kind, s.Of, fold(s.Name), fold(s.Counterparty), s.Currency}
	i, ok := c.at[key]
	if !ok {
		if c.at == nil {
			c.at = map[trendKey]int{}
		}
		i, c.at[key] = len(c.series), len(c.series)
		c.series = append(c.series, s)
	}
	c.series[i].Points = append(c.series[i].Points, p)
}
