package quality

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/trilith-memory/trilith"
)

// Contexter makes the text that a prompt gets: the engine, or a client of one.
type Contexter interface {
	Recaller
	Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error)
}

// Budgets are the sizes of blocks that are looked at.
func Budgets() []int { return []int{300, 600, 1200, 2400} }

// plainHits is how many hits the plain list may take from.
const plainHits = 100

// evidenceLength is how many letters and digits of a turn must be in a text for the turn to count as present. A turn
// that was cut behind them still counts; [InBudget.Whole] tells how often one was.
const evidenceLength = 80

// Evidence is the share of a question's evidence in the text that a prompt gets.
type Evidence struct {
	Dataset   string     `json:"dataset"`
	Questions int        `json:"questions"`
	Rows      []InBudget `json:"budgets"`
}

// InBudget is the share of the evidence in the blocks of one budget, averaged over the questions, in percent, next to
// that of a plain list: "[date] speaker: text" a line, in the order of search, until the first hit that does not fit.
type InBudget struct {
	Budget int     `json:"budget"`
	Block  float64 `json:"block"`  // of the evidence, the beginning at least
	Whole  float64 `json:"whole"`  // of the evidence, from its beginning to its end
	Plain  float64 `json:"plain"`  // in the plain list
	Tokens float64 `json:"tokens"` // of a block, on average
	Most   int     `json:"most"`   // tokens of the largest block; never over the budget
}

// MeasureContext asks every question that has evidence for a block of each budget. Tokens are counted by count.
// Questions of the category [Apart] are not asked.
func MeasureContext(ctx context.Context, c Contexter, set Set, count func(string) int, o Options) (Evidence, error) {
	out := Evidence{Dataset: set.Name}
	docs := make(map[string]Doc, len(set.Docs))
	roles := make(map[string]trilith.Role, len(set.Docs))
	for _, d := range set.Docs {
		docs[d.ID], roles[d.ID] = d, d.Role
	}
	for _, budget := range Budgets() {
		out.Rows = append(out.Rows, InBudget{Budget: budget})
	}
	for i, q := range set.Queries {
		var evidence []string
		for _, id := range EvidenceOf(q, o.Role, roles) {
			if text := bare(docs[id].Text); text != "" {
				evidence = append(evidence, text)
			}
		}
		if len(evidence) > 0 && q.Category != Apart {
			out.Questions++
			if err := out.ask(ctx, c, q, evidence, count, o); err != nil {
				return Evidence{}, trilith.WrapError(trilith.Internal, fmt.Sprintf("quality: question %s", q.ID), err)
			}
		}
		if o.Progress != nil {
			o.Progress(i+1, len(set.Queries))
		}
	}
	for i := range out.Rows {
		r, n := &out.Rows[i], float64(max(out.Questions, 1))
		r.Block, r.Whole, r.Plain, r.Tokens = round(100*r.Block/n, 2), round(100*r.Whole/n, 2), round(100*r.Plain/n, 2),
			round(r.Tokens/n, 1)
	}
	return out, nil
}

// ask adds the evidence of a question that its blocks and plain lists hold.
func (e *Evidence) ask(ctx context.Context, c Contexter, q Query, evidence []string, count func(string) int,
	o Options) error {
	scope, r := Request(q, o)
	r.K = plainHits
	found, err := c.Recall(ctx, scope, r)
	if err != nil {
		return err
	}
	r.K = 0
	for i := range e.Rows {
		row := &e.Rows[i]
		block, err := c.Context(ctx, scope, trilith.ContextRequest{RecallRequest: r, Budget: row.Budget})
		if err != nil {
			return err
		}
		text, plain, tokens := bare(block.Text), bare(PlainList(found.Hits, row.Budget, count)), count(block.Text)
		row.Block += share(text, evidence, evidenceLength)
		row.Whole += share(text, evidence, len(text))
		row.Plain += share(plain, evidence, evidenceLength)
		row.Tokens += float64(tokens)
		row.Most = max(row.Most, tokens)
	}
	return nil
}

// share is the share of the evidence whose first letters and digits are in a text.
func share(text string, evidence []string, first int) float64 {
	n := 0
	for _, e := range evidence {
		n += count(strings.Contains(text, e[:min(len(e), first)]))
	}
	return float64(n) / float64(len(evidence))
}

// bare reduces a text to its letters and digits in lower case, which no layout changes.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// PlainList is the text that a prompt would get without a block: a line for each hit, up to the first that does not fit
// into the budget.
func PlainList(hits []trilith.Hit, budget int, count func(string) int) string {
	var out strings.Builder
	for i := range hits {
		m := &hits[i].Memory
		line := PlainLine(m.EventTime, cmp.Or(m.Speaker, string(m.Role)), m.Text)
		if budget -= count(line); budget < 0 {
			break
		}
		out.WriteString(line)
	}
	return out.String()
}

// PlainLine is "[date] speaker: text" and the end of the line, without the parts that are not known.
func PlainLine(at time.Time, speaker, text string) string {
	line := strings.Join(strings.Fields(text), " ") + "\n"
	if speaker != "" {
		line = speaker + ": " + line
	}
	if !at.IsZero() {
		line = "[" + at.Format(time.DateOnly) + "] " + line
	}
	return line
}

// Table writes it for people.
func (e *Evidence) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s: percent of the evidence in the block, of %d questions\n\n", e.Dataset, e.Questions)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "budget\tblock\twhole\tplain hits\ttokens\tmost\t")
	for _, r := range e.Rows {
		fmt.Fprintf(t, "%d\t%.1f\t%.1f\t%.1f\t%.0f\t%d\t\n", r.Budget, r.Block, r.Whole, r.Plain, r.Tokens, r.Most)
	}
	return t.Flush()
}
