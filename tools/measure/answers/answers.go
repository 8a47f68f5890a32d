// Package answers measures the answers of a model that has a memory: it asks the questions of labelled sets with a
// context block, with plain hits of as many tokens, with only the evidence and with nothing, and compares the short
// answers with the labelled ones. The difference to plain hits is the gain of the block, and the score with only the
// evidence is its limit.
package answers

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// Texts lists the texts of a question, in the order of the report.
func Texts() []string { return []string{Block, Plain, Evidence, Nothing} }

// The texts that a question is asked with.
const (
	Block    = "block"    // a context block
	Plain    = "plain"    // hits in the order of search, a line each, with at most as many tokens as the block
	Evidence = "evidence" // the turns that answer the question, in the order of time
	Nothing  = "nothing"
)

const (
	// Budget is the number of tokens of a block.
	Budget = 500
	// maxOutput is the number of tokens of an answer.
	maxOutput = 32
	// maxLabel is how many words a labelled answer may have. Longer ones say what a good answer is like.
	maxLabel = 20
	plainK   = 100
	// maxFailed is how many questions one after another may fail, as on a busy machine.
	maxFailed = 3
)

// Stored is a set that is stored in a memory.
type Stored struct {
	Set    quality.Set
	Memory quality.Contexter
	quality.Options
}

// Options say how to ask.
type Options struct {
	Questions int // how many are asked, as many of each set as possible; 0: all
	Model     role.Model
	Count     func(string) int      // counts tokens
	Progress  func(done, total int) // told after each question; may be nil
}

// Given is an answer.
type Given struct {
	Text   string `json:"text,omitempty"` // that the question was asked with
	Answer string `json:"answer"`
	Score
}

// Asked is a question with the answers to it.
type Asked struct {
	Dataset  string           `json:"dataset"`
	ID       string           `json:"id"`
	Category string           `json:"category"`
	Question string           `json:"question"`
	Answer   string           `json:"answer"` // the labelled one
	Given    map[string]Given `json:"given"`  // by the text of the question
}

// question is one to ask.
type question struct {
	of *Stored
	quality.Query
}

// Ask asks the questions that have evidence and a short labelled answer. It ends early without an error if ctx does:
// the questions that were asked by then are a random sample too.
func Ask(ctx context.Context, sets []Stored, o Options) (Report, error) {
	sample := sampled(sets, o.Questions)
	var all []Asked
	failed, inRow := 0, 0
	for i, q := range sample {
		a, err := q.ask(ctx, o)
		if ctx.Err() != nil {
			break
		}
		switch {
		case err == nil:
			all, inRow = append(all, a), 0
		case inRow == maxFailed:
			return Report{}, trilith.WrapError(trilith.KindOf(err), "answers: question "+q.ID, err)
		default:
			failed++
			inRow++
		}
		if o.Progress != nil {
			o.Progress(i+1, len(sample))
		}
	}
	r := report(o.Model.Info().String(), all)
	r.Failed = failed
	return r, nil
}

// sampled returns n questions in random order, the same each time, as evenly from the sets as they have them.
func sampled(sets []Stored, n int) []question {
	var of [][]question
	total := 0
	for i := range sets {
		s := &sets[i]
		var qs []question
		for _, q := range s.Set.Queries {
			if q.Category != quality.Apart && !q.Abstention && len(q.Evidence) > 0 && len(words(q.Answer)) > 0 &&
				len(strings.Fields(q.Answer)) <= maxLabel {
				qs = append(qs, question{s, q})
			}
		}
		rng := rand.New(rand.NewPCG(1, uint64(len(qs))))
		rng.Shuffle(len(qs), func(a, b int) { qs[a], qs[b] = qs[b], qs[a] })
		of = append(of, qs)
		total += len(qs)
	}
	if n == 0 || n > total {
		n = total
	}
	var out []question
	for i := 0; len(out) < n; i++ {
		for _, qs := range of {
			if i < len(qs) && len(out) < n {
				out = append(out, qs[i])
			}
		}
	}
	return out
}

// ask asks a question with each of the texts.
func (q question) ask(ctx context.Context, o Options) (Asked, error) {
	out := Asked{Dataset: q.of.Set.Name, ID: q.ID, Category: q.Category, Question: q.Text, Answer: q.Answer,
		Given: map[string]Given{}}
	texts, err := q.texts(ctx, o.Count)
	if err != nil {
		return Asked{}, err
	}
	for _, with := range Texts() {
		a, err := o.Model.Generate(ctx, q.request(texts[with]))
		if err != nil {
			return Asked{}, err
		}
		line, _, _ := strings.Cut(strings.TrimSpace(a.Text), "\n")
		out.Given[with] = Given{Text: texts[with], Answer: line, Score: Grade(line, q.Answer)}
	}
	return out, nil
}

// texts returns the texts of the question by their names.
func (q question) texts(ctx context.Context, count func(string) int) (map[string]string, error) {
	scope, r := quality.Request(q.Query, q.of.Options)
	r.K = plainK
	found, err := q.of.Memory.Recall(ctx, scope, r)
	if err != nil {
		return nil, err
	}
	r.K = 0
	block, err := q.of.Memory.Context(ctx, scope, trilith.ContextRequest{RecallRequest: r, Budget: Budget})
	if err != nil {
		return nil, err
	}
	return map[string]string{Block: block.Text, Plain: plain(found.Hits, count(block.Text), count),
		Evidence: q.evidence(), Nothing: ""}, nil
}

// plain are hits in the order of search, with as many tokens as the budget has: the last one is cut at a word.
func plain(hits []trilith.Hit, budget int, count func(string) int) string {
	text := quality.PlainList(hits, budget, count)
	if n := strings.Count(text, "\n"); n < len(hits) {
		budget -= count(text)
		last := strings.Fields(quality.PlainList(hits[n:n+1], math.MaxInt, count))
		fits := sort.Search(len(last), func(i int) bool { return count(strings.Join(last[:i+1], " ")) > budget })
		text += strings.Join(last[:fits], " ")
	}
	return text
}

// evidence are the turns that answer the question, in the order of the set.
func (q question) evidence() string {
	var out strings.Builder
	for _, d := range q.of.Set.Docs {
		if slices.Contains(q.Query.Evidence, d.ID) {
			at, _ := time.Parse("2006-01-02T15:04", d.Time[:min(len(d.Time), 16)]) // none if it is none
			out.WriteString(quality.PlainLine(at, cmp.Or(d.Speaker, string(d.Role)), quality.Captioned(d.Text, d.Caption)))
		}
	}
	return out.String()
}

// system stands first in each request and is always the same, so that a server reads it once.
const system = `You answer questions about people from notes of what they said. Each note has the day on which it was said; ` +
	`"yesterday" or "last week" in a note counts from that day. Answer with the fewest words possible: a name, a thing, ` +
	`a number or a date such as "7 May 2023". No sentence, no explanation. If the notes do not say it, give your best guess.`

// request asks the model with a text.
func (q question) request(text string) role.ModelRequest {
	prompt := "Question: " + q.Text + "\nShort answer:"
	if text != "" {
		prompt = "Notes:\n" + strings.TrimSpace(text) + "\n\n" + prompt
	}
	return role.ModelRequest{System: system, MaxOutput: maxOutput,
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: prompt}}}
}
