package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
)

const summaryBytes = 4000 // length of a summary

// LookupSummary is Lookup in words. Without a query it is the lines of [Reader.Card], and after them the sentences of
// the facts that are not on it; with one it is the sentences of the facts that match, best first. Its length is
// bounded, and it says how many facts it leaves out.
func (rd *Reader) LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (
	trilith.SummaryResult, error) {
	res, known, err := rd.lookup(ctx, s, r)
	if err != nil {
		return trilith.SummaryResult{}, err
	}
	out := trilith.SummaryResult{Entity: res.Entity, FactCount: len(res.Facts), Debug: res.Debug, Coverage: res.Coverage}
	switch {
	case len(res.Facts) > 0 && r.Query == "":
		q, err := lookupQuestion(rd.truth, s, r)
		if err != nil {
			return out, err
		}
		p, err := holding(ctx, rd, s, q, res.Entity)
		if err != nil {
			return out, err
		}
		c := assemble.NewCard(p.person(s), rd.tokens)
		text := c.Text(trilith.CardTokens)
		out.Summary = summarize(text,
			slices.DeleteFunc(res.Facts, func(m trilith.Memory) bool { return c.Shows(m.ID) }))
	case len(res.Facts) > 0:
		out.Summary = summarize("", res.Facts)
	case known == 1:
		out.Summary = fmt.Sprintf("Nothing that is known about %s matches the question; 1 fact is known.",
			assemble.Inline(res.Entity.Name))
	case known > 0:
		out.Summary = fmt.Sprintf("Nothing that is known about %s matches the question; %d facts are known.",
			assemble.Inline(res.Entity.Name), known)
	default:
		out.Summary = fmt.Sprintf("Nothing is known about %s.", assemble.Inline(res.Entity.Name))
	}
	return out, nil
}

// summarize writes the sentences of facts behind a text.
func summarize(text string, list []trilith.Memory) string {
	left := 0
	var sentences []string
	length := len(text)
	for i := range list {
		sentence := sentence(&list[i])
		if length += len(sentence) + 1; length > summaryBytes {
			left++
			continue
		}
		sentences = append(sentences, sentence)
	}
	text += strings.Join(sentences, " ")
	if left > 0 {
		text += fmt.Sprintf("\n%d more are known; ask with a query.", left)
	}
	return strings.TrimRight(text, "\n")
}

// sentence is the sentence of a fact with its known times.
func sentence(m *trilith.Memory) string {
	note := "said "
	if _, since := assemble.Began(m); since {
		note = "since "
	}
	note += calendarDay(m.EventTime)
	if m.ValidUntil != nil {
		note += ", until " + calendarDay(*m.ValidUntil)
	}
	if due := m.Fact.ActionDeadline; due != nil && !strings.Contains(m.Text, due.Format(time.DateOnly)) {
		note += ", due " + calendarDay(*due)
	}
	return strings.TrimRight(assemble.Inline(m.Text), ". ") + " (" + note + ")."
}

func calendarDay(t time.Time) string { return t.Format("2 January 2006") }
