package consult

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/assemble"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/truth"
)

const (
	// memoryTime is how long memory may take before the model is asked without it.
	memoryTime = 2 * time.Second
	// maxTurns is how many turns of a session are read for its window; the budget decides how many are shown.
	maxTurns = 40
)

// remembered is what memory gave for a prompt.
type remembered struct {
	block   assemble.ConsultBlock
	facts   []cairn.FactHit
	took    time.Duration
	missing string // why something is
	partial bool
}

// remembered reads what the model is shown. It never fails: what could not be read is left out, and missing says why.
func (c *Consultant) remembered(ctx context.Context, s cairn.Scope, r *cairn.ConsultRequest) (out remembered) {
	start := c.truth.Clock()
	ctx, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	var all assemble.Consultation
	var reasons [3]string
	var g errgroup.Group // a part that fails ends none of the others
	part := func(i int, what string, read func() error) {
		g.Go(func() error {
			if err := read(); err != nil {
				c.truth.Logger.WarnContext(ctx, "consult: memory is missing", "part", what, "error", err)
				reasons[i] = what + ": " + cairn.MessageOf(err)
			}
			return nil
		})
	}
	part(0, "facts", func() error {
		page, err := c.facts(ctx, s, r)
		all.Facts, out.partial = page.Items, page.Partial
		if err == nil && page.Partial {
			reasons[0] = "facts: a part of the search failed: " + cairn.ArmNames(page.FailedArms)
		}
		return err
	})
	part(1, "action items", func() (err error) {
		all.Actions, err = recall.KnownTodo(ctx, c.recall, s)
		return err
	})
	part(2, "turns of the session", func() (err error) {
		all.Turns, err = c.window(ctx, s)
		return err
	})
	_ = g.Wait()
	budget := cmp.Or(r.Budget, cairn.ConsultBudget)
	if most := c.truth.Model.Info().Context / 2; most > 0 { // the other half is for the prompt and the answer
		budget = min(budget, most)
	}
	out.block = assemble.Consult(all, budget, c.c.Tokens)
	out.facts = all.Facts
	out.missing = strings.Join(slices.DeleteFunc(reasons[:], func(s string) bool { return s == "" }), "; ")
	out.took = c.truth.Clock().Sub(start)
	return out
}

// facts returns the facts that matter most for the prompt: of the scope from whatever session, those of the present
// session first, else of the session alone.
func (c *Consultant) facts(ctx context.Context, s cairn.Scope, r *cairn.ConsultRequest) (cairn.FactPage, error) {
	q := cairn.FactQuery{Query: queryOf(r.Prompt), MinConfidence: cairn.ConsultConfidence, ValidOnly: true,
		Limit: cairn.ConsultFacts}
	session := s.Session
	s.Session = ""
	if r.SessionOnly {
		q.Filter = cairn.Where("session", cairn.OpEq, session)
	}
	page, err := c.review.Facts(ctx, s, q)
	slices.SortStableFunc(page.Items, func(a, b cairn.FactHit) int {
		return cmp.Compare(elsewhere(&a.Memory, session), elsewhere(&b.Memory, session))
	})
	return page, err
}

// elsewhere is 0 for a memory of the session, else 1.
func elsewhere(m *cairn.Memory, session string) int {
	if m.Scope.Session == session {
		return 0
	}
	return 1
}

// queryOf is the part of a prompt that is searched for: its beginning and its end, which is where a long prompt says
// what it wants.
func queryOf(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	const half = cairn.MaxQueryBytes/2 - 8
	if len(prompt) <= cairn.MaxQueryBytes {
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

// window returns the last turns of the session, in order.
func (c *Consultant) window(ctx context.Context, s cairn.Scope) ([]cairn.Memory, error) {
	rs, err := c.truth.Store.Records(ctx, truth.TenantOf(s),
		cairn.RecordListing{Kind: cairn.RecordSession, IDs: []cairn.ID{truth.SessionID(s)}})
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	counted, err := truth.Decode[struct {
		Next int `json:"next"`
	}](rs[0])
	if err != nil {
		return nil, err
	}
	filter := cairn.AllOf(cairn.Where("session", cairn.OpEq, s.Session),
		cairn.Where("kind", cairn.OpEq, cairn.KindEpisode),
		cairn.Where("state", cairn.OpEq, cairn.StateActive),
		cairn.Where("seq", cairn.OpGte, float64(counted.Next-maxTurns)))
	var out []cairn.Memory
	for m, err := range truth.Sound(
		c.truth.Store.List(ctx, s, cairn.Listing{Filter: filter, Order: cairn.OrderSeq}), func(*cairn.Damaged) {}) {
		if err != nil {
			return nil, err
		}
		// a session of the same name in another scope is another one
		if m.Scope == s.Bare() && m.SharedFrom == "" && (m.Role == cairn.RoleUser || m.Role == cairn.RoleAssistant) {
			out = append(out, m)
		}
	}
	return out, nil
}

// row is what the recall log keeps of a consultation.
func (m *remembered) row(id cairn.ID, r *cairn.ConsultRequest) cairn.ServedRecall {
	row := cairn.ServedRecall{ID: id, What: cairn.ServedConsult, Tokens: m.block.Tokens, MS: milliseconds(m.took),
		Partial: m.missing != "", Abstained: len(m.facts) == 0,
		Request: cairn.ContextRequest{
			RecallRequest: cairn.RecallRequest{Query: queryOf(r.Prompt), K: cairn.ConsultFacts}}}
	for i := range m.facts {
		h := &m.facts[i]
		if slices.Contains(m.block.Facts, h.Memory.ID) {
			row.Hits = append(row.Hits, cairn.ServedHit{ID: h.Memory.ID, Version: h.Memory.Version, Score: h.Score})
		}
	}
	for _, id := range m.block.Actions {
		row.Hits = append(row.Hits, cairn.ServedHit{ID: id})
	}
	return row
}

// Shown returns what a consultation about a question would show now: facts and things to do.
func (c *Consultant) Shown(ctx context.Context, s cairn.Scope, query string) (
	facts []cairn.FactHit, todo []cairn.Memory, err error) {
	page, err := c.facts(ctx, s, &cairn.ConsultRequest{Prompt: query})
	if err != nil {
		return nil, nil, err
	}
	actions, err := c.recall.Todo(ctx, s)
	for i := range actions {
		todo = append(todo, actions[i].Memory)
	}
	return page.Items, todo, err
}
