package consult

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
)

const (
	// memoryTime is how long memory may take before the model answers without it.
	memoryTime = 2 * time.Second
	// mostHidden is how many additional hits of the past are requested, because some may be turns of the window, which
	// are in the block already.
	mostHidden = 10
)

// remembered is the memory's contribution to a prompt.
type remembered struct {
	block   assemble.ConsultBlock
	facts   []trilith.FactHit
	past    []trilith.Hit
	took    time.Duration
	missing string // why something is
}

// remembered reads the memories for the model. It never fails: unreadable parts are left out, and missing says why.
func (c *Consultant) remembered(ctx context.Context, s trilith.Scope, r *trilith.ConsultRequest) (out remembered) {
	start := c.truth.Clock()
	ctx, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	var all assemble.Consultation
	var reasons [4]string
	budget := cmp.Or(r.Budget, trilith.ConsultBudget)
	if most := c.truth.Model.Info().Context / 2; most > 0 { // the other half is for the prompt and the answer
		budget = min(budget, most)
	}
	var g errgroup.Group // a part that fails ends none of the others
	part := func(i int, what string, read func() error) {
		g.Go(func() error {
			if err := read(); err != nil {
				c.truth.Logger.WarnContext(ctx, "consult: a part of memory is missing", "part", what, "error", err)
				reasons[i] = what + ": " + trilith.MessageOf(err)
			}
			return nil
		})
	}
	part(0, "facts", func() error {
		page, err := c.facts(ctx, s, r)
		all.Facts = page.Items
		if err == nil && page.Partial {
			reasons[0] = "facts: a part of the search failed: " + trilith.ArmNames(page.FailedArms)
		}
		return err
	})
	part(1, "action items", func() (err error) {
		all.Actions, err = recall.KnownTodo(ctx, c.recall, s.OfEveryone())
		return err
	})
	part(2, "turns of the session", func() (err error) {
		all.Turns, all.Summary, err = c.sessions.Window(ctx, s, budget)
		return err
	})
	part(3, "past", func() (err error) {
		all.Past, all.MostPast, err = c.sessions.Past(ctx, s, queryOf(r.Prompt), mostHidden, r.SessionOnly)
		return err
	})
	_ = g.Wait()
	out.block = assemble.Consult(all, budget, c.c.Tokens)
	out.facts, out.past = all.Facts, all.Past
	out.missing = strings.Join(slices.DeleteFunc(reasons[:], func(s string) bool { return s == "" }), "; ")
	out.took = c.truth.Clock().Sub(start)
	return out
}

// row returns the row for the recall log.
func (m *remembered) row(id trilith.ID, r *trilith.ConsultRequest) trilith.ServedRecall {
	row := trilith.ServedRecall{ID: id, What: trilith.ServedConsult, Tokens: m.block.Tokens, MS: milliseconds(m.took),
		Partial: m.missing != "", Abstained: len(m.facts) == 0,
		Request: trilith.ContextRequest{
			RecallRequest: trilith.RecallRequest{Query: queryOf(r.Prompt), K: trilith.ConsultFacts}}}
	for i := range m.facts {
		h := &m.facts[i]
		if slices.Contains(m.block.Facts, h.Memory.ID) {
			row.Hits = append(row.Hits, trilith.ServedHit{ID: h.Memory.ID, Version: h.Memory.Version, Score: h.Score})
		}
	}
	for i := range m.past {
		h := &m.past[i]
		if slices.Contains(m.block.Past, h.Memory.ID) {
			row.Hits = append(row.Hits, trilith.ServedHit{ID: h.Memory.ID, Version: h.Memory.Version, Score: h.Score})
		}
	}
	for _, id := range m.block.Actions {
		row.Hits = append(row.Hits, trilith.ServedHit{ID: id})
	}
	return row
}

// Shown returns the hits that a consultation about a question would show now: facts, the past and things to do.
func (c *Consultant) Shown(ctx context.Context, s trilith.Scope, query string) ([]trilith.Hit, error) {
	page, err := c.facts(ctx, s, &trilith.ConsultRequest{Prompt: query})
	if err != nil {
		return nil, err
	}
	var out []trilith.Hit
	for _, h := range page.Items {
		out = append(out, trilith.Hit{Memory: h.Memory, Score: h.Score})
	}
	past, most, err := c.sessions.Past(ctx, s, query, 0, false)
	if err != nil {
		return nil, err
	}
	out = append(out, past[:min(most, len(past))]...)
	actions, err := c.recall.Todo(ctx, s.OfEveryone())
	for i := range actions {
		out = append(out, trilith.Hit{Memory: actions[i].Memory})
	}
	return out, err
}

// facts returns the facts that matter most for the prompt: those of the scope, or everyone's facts about its project,
// from any session, with those of the present session first; or only those of the session.
func (c *Consultant) facts(ctx context.Context, s trilith.Scope, r *trilith.ConsultRequest) (trilith.FactPage, error) {
	q := trilith.FactQuery{Query: queryOf(r.Prompt), MinConfidence: trilith.ConsultConfidence, ValidOnly: true,
		Limit: trilith.ConsultFacts, StrongOnly: true}
	session := s.Session
	s.Session = ""
	if r.InProject {
		s = s.OfEveryone()
	}
	q.Filter = recall.Ours(s)
	if r.SessionOnly {
		q.Filter = trilith.AllOf(q.Filter, trilith.Where("session", trilith.OpEq, session))
	}
	page, err := c.review.Facts(ctx, s, q)
	slices.SortStableFunc(page.Items, func(a, b trilith.FactHit) int {
		return cmp.Compare(elsewhere(&a.Memory, session), elsewhere(&b.Memory, session))
	})
	return page, err
}

// queryOf returns the part of a prompt to search for: its beginning and its end, where a long prompt states the
// question.
func queryOf(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	const half = trilith.MaxQueryBytes/2 - 8
	if len(prompt) <= trilith.MaxQueryBytes {
		return prompt
	}
	head, tail := prompt[:half], prompt[len(prompt)-half:]
	for len(head) > 0 && !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + "\n" + tail
}

// elsewhere is 0 for a memory of the session, else 1.
func elsewhere(m *trilith.Memory, session string) int {
	if m.Scope.Session == session {
		return 0
	}
	return 1
}
