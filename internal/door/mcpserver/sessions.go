package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

type sessionsInput struct {
	Action    string `json:"action,omitempty" doc:"list sessions; get the turns of one; context: what a prompt needs of it; summarize it now; prune: show what matters least, nothing is forgotten" enum:"list,get,context,summarize,prune" default:"list"`
	ID        string `json:"id,omitempty" doc:"name of the session; needed but for list"`
	Query     string `json:"query,omitempty" doc:"context: what the past is searched for"`
	Limit     int    `json:"limit,omitempty" doc:"list, get: how many at most" maximum:"20" default:"10"`
	Cursor    string `json:"cursor,omitempty" doc:"list, get: next_cursor of the page before"`
	Max       int    `json:"max_memories,omitempty" doc:"prune: how many would stay" minimum:"1"`
	MaxTokens int    `json:"max_tokens,omitempty" doc:"of the answer" maximum:"20000" default:"2000"`
}

type sessionsOutput struct {
	outcome
	Sessions   []sessionItem `json:"sessions,omitempty"`
	Summary    *result       `json:"summary,omitempty"` // the newest of the session
	Turns      []result      `json:"turns,omitempty"`   // in order
	Text       string        `json:"text,omitempty"`    // summary and past for a prompt
	Pruned     []prunedItem  `json:"pruned,omitempty"`  // candidates to forget, least important first
	LeftOut    int           `json:"left_out,omitempty"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

func (o sessionsOutput) block() string { return o.Text }

func (b *builder) addSessions() {
	add(b, tool{name: "memory_session", title: "Conversations",
		description: "Look at earlier conversations: which there are, what was said in order, and their summaries.",
		writes:      true, readers: true, repeatable: true}, b.session)
}

// conversations has the tool for sessions.
type conversations struct{ *engine.Engine }

func (e *edge) session(ctx context.Context, who caller, in sessionsInput) (sessionsOutput, error) {
	var err error
	if who.scope, err = e.narrow(ctx, who, narrowing{Session: in.ID}); err != nil {
		return sessionsOutput{}, err
	}
	budget, err := between("max_tokens", in.MaxTokens, 100, defaultTokens, maxTokens)
	limit, tooMany := between("limit", in.Limit, 1, trilith.DefaultK, maxResults)
	if err = cmp.Or(err, tooMany); err != nil {
		return sessionsOutput{}, err
	}
	c := conversations{e.Engine}
	page := trilith.SessionQuery{Limit: limit, Cursor: in.Cursor}
	if in.Action == "" || in.Action == "list" {
		return c.listSessions(ctx, who.scope, page, budget)
	}
	call, ok := map[string]func() (sessionsOutput, error){
		"get":     func() (sessionsOutput, error) { return c.getSession(ctx, who.scope, page, budget) },
		"context": func() (sessionsOutput, error) { return c.sessionContext(ctx, who.scope, in.Query, budget) },
		"summarize": func() (sessionsOutput, error) {
			if err := who.mayWrite(); err != nil {
				return sessionsOutput{}, err
			}
			return c.summarize(ctx, who.scope, budget)
		},
		"prune": func() (sessionsOutput, error) { return c.previewPrune(ctx, who.scope, in.Max, budget) },
	}[in.Action]
	switch {
	case !ok:
		return sessionsOutput{}, trilith.Errorf(
			trilith.Invalid, "action: %.32q is not one of list, get, context, summarize, prune", in.Action)
	case who.scope.Session == "":
		return sessionsOutput{}, trilith.Errorf(trilith.Invalid, "id: is missing; %s needs the name of a session", in.Action)
	}
	return call()
}

// sessionItem is a session as models see it.
type sessionItem struct {
	ID        string `json:"id"`
	User      string `json:"user,omitempty"`
	Project   string `json:"project,omitempty"`
	Turns     int    `json:"turns"`
	Tokens    int    `json:"tokens"`
	FirstTurn string `json:"first_turn"`
	LastTurn  string `json:"last_turn"`
}

func (c conversations) listSessions(ctx context.Context, s trilith.Scope, q trilith.SessionQuery, budget int) (
	sessionsOutput, error) {
	page, err := c.ListSessions(ctx, s, q)
	if err != nil {
		return sessionsOutput{}, err
	}
	items := make([]sessionItem, len(page.Items))
	for i := range page.Items {
		items[i] = sessionItemOf(&page.Items[i])
	}
	kept, left := fit(items, budget, func(it sessionItem, _ int) sessionItem { return it })
	return sessionsOutput{outcome: outcome{success, summary("session", len(kept), left, "There are no sessions.")},
		Sessions: kept, LeftOut: left, NextCursor: page.NextCursor}, nil
}

func (c conversations) getSession(ctx context.Context, s trilith.Scope, q trilith.SessionQuery, budget int) (
	sessionsOutput, error) {
	found, err := c.GetSession(ctx, s, s.Session, trilith.SessionTurnsQuery{Limit: q.Limit, Cursor: q.Cursor})
	if err != nil {
		return sessionsOutput{}, err
	}
	var out sessionsOutput
	out.Sessions, out.NextCursor = []sessionItem{sessionItemOf(&found.Session)}, found.NextCursor
	out.Summary, budget = summaryOf(found.Summary, budget)
	out.Turns, out.LeftOut = turnsOf(found.Items, budget, false)
	out.outcome = outcome{success, summary("turn", len(out.Turns), out.LeftOut, "No turns are left of it.")}
	return out, nil
}

func sessionItemOf(s *trilith.Session) sessionItem {
	return sessionItem{ID: s.ID, User: s.Scope.User, Project: s.Scope.Project, Turns: s.Turns, Tokens: s.Tokens,
		FirstTurn: s.FirstTurn.Format(time.RFC3339), LastTurn: s.LastTurn.Format(time.RFC3339)}
}

func (c conversations) sessionContext(ctx context.Context, s trilith.Scope, query string, budget int) (
	sessionsOutput, error) {
	found, err := c.SessionContext(ctx, s, s.Session, trilith.SessionContextRequest{Query: query, Budget: budget})
	if err != nil {
		return sessionsOutput{}, err
	}
	var out sessionsOutput
	out.Text = found.Text
	out.Turns, out.LeftOut = turnsOf(found.Window, max(budget-cost(out.Text), 0), true)
	out.outcome = outcome{success, summary("turn", len(out.Turns), out.LeftOut, "No turns are left of it.")}
	if found.Failed != "" {
		out.Message += " The past could not be searched: " + strings.TrimSuffix(found.Failed, ".") + "."
	}
	return out, nil
}

// turnsOf returns memories as models see them, in order. Those that do not fit are left out at one end.
func turnsOf(ms []trilith.Memory, budget int, newest bool) (turns []result, left int) {
	for i := range ms {
		turns = append(turns, resultOf(&ms[i]))
	}
	if newest {
		slices.Reverse(turns)
	}
	turns, left = fit(turns, budget, shorten)
	if newest {
		slices.Reverse(turns)
	}
	return turns, left
}

func (c conversations) summarize(ctx context.Context, s trilith.Scope, budget int) (sessionsOutput, error) {
	made, err := c.Summarize(ctx, s, trilith.SummarizeRequest{Session: s.Session})
	if err != nil {
		return sessionsOutput{}, err
	}
	var out sessionsOutput
	out.outcome = outcome{success, "There is nothing to summarize."}
	if len(made.Summaries) > 0 {
		out.Summary, _ = summaryOf(&made.Summaries[0], 2*budget)
		out.Message = "Summarized. " + notOrders
	}
	return out, nil
}

// summaryOf returns a summary as models see it, and the rest of the budget.
func summaryOf(m *trilith.Memory, budget int) (*result, int) {
	if m == nil {
		return nil, budget
	}
	r := resultOf(m)
	if cost(r) > budget/2 {
		r = shorten(r, budget/2)
	}
	return &r, budget - cost(r)
}

// prunedItem is a candidate to forget.
type prunedItem struct {
	ID         trilith.ID `json:"id"`
	Importance float64    `json:"importance"`
	Content    string     `json:"content"`
}

func (c conversations) previewPrune(ctx context.Context, s trilith.Scope, most, budget int) (sessionsOutput, error) {
	found, err := c.Prune(ctx, s, trilith.PruneRequest{Max: most, DryRun: true})
	if err != nil {
		return sessionsOutput{}, err
	}
	items := make([]prunedItem, len(found.Pruned))
	for i, p := range found.Pruned {
		items[i] = prunedItem{p.ID, hundredths(p.Importance), p.Text}
	}
	kept, left := fit(items, budget, func(it prunedItem, _ int) prunedItem {
		it.Content = clip(it.Content, minCut)
		return it
	})
	return sessionsOutput{Pruned: kept, LeftOut: left,
		outcome: outcome{preview, summary("memory", len(kept), left, "Nothing would go.") +
			" Nothing is forgotten: a person prunes with trilith call prune."}}, nil
}
