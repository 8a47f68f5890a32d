package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

type sessionCmd struct {
	List      sessionListCmd      `cmd:"" help:"List sessions, the one with the latest turn first."`
	Show      sessionShowCmd      `cmd:"" help:"Show the turns of a session in order, and its newest summary."`
	Context   sessionContextCmd   `cmd:"" help:"Print what a prompt needs of a session: summary, past and window."`
	Summarize sessionSummarizeCmd `cmd:"" help:"Make the summary of a session, a period or an entity, or of summaries by topic."`
	Items     sessionItemsCmd     `cmd:"" help:"Print the transcript of a session, one JSON object a line."`
	Prune     sessionPruneCmd     `cmd:"" help:"Forget the turns and notes that matter least."`
}

type sessionListCmd struct {
	scopeFlags
	Limit  int    `help:"Sessions at most." default:"50" placeholder:"N"`
	Cursor string `help:"Go on after this page." placeholder:"CURSOR"`
}

func (c *sessionListCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.SessionPage, error) {
		return m.ListSessions(ctx, c.in(a.scope()), trilith.SessionQuery{Limit: c.Limit, Cursor: c.Cursor})
	}, a.out.sessions)
}

func (p *printer) sessions(page trilith.SessionPage) {
	if len(page.Items) == 0 {
		p.linef("There are no sessions.")
		return
	}
	p.table([]string{"SESSION", "USER", "TURNS", "TOKENS", "LAST TURN"}, rows(page.Items, func(s *trilith.Session) []string {
		return []string{s.ID, s.Scope.User, strconv.Itoa(s.Turns), strconv.Itoa(s.Tokens),
			s.LastTurn.Format(time.DateTime)}
	}))
	p.more(page.NextCursor)
}

type sessionShowCmd struct {
	scopeFlags
	ID     string `arg:"" help:"Name of the session."`
	Limit  int    `help:"Turns at most." default:"50" placeholder:"N"`
	Cursor string `help:"Go on after this page." placeholder:"CURSOR"`
}

func (c *sessionShowCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.SessionTurns, error) {
		return m.GetSession(ctx, c.in(a.scope()), c.ID, trilith.SessionTurnsQuery{Limit: c.Limit, Cursor: c.Cursor})
	}, func(s trilith.SessionTurns) {
		a.out.linef("turns: %d, tokens: %d, from %s to %s", s.Turns, s.Tokens, s.FirstTurn.Format(time.DateTime),
			s.LastTurn.Format(time.DateTime))
		printTurns(a.out, s.Items)
		if s.Summary != nil {
			a.out.linef("Summary:\n%s", s.Summary.Text)
		}
		a.out.more(s.NextCursor)
	})
}

type sessionContextCmd struct {
	scopeFlags
	ID     string `arg:"" help:"Name of the session."`
	Query  string `help:"Question for the search of the past; the latest turn of the user if left out."`
	Budget int    `help:"Tokens of the newest turns." placeholder:"N"`
	Limit  int    `help:"Memories of before the window." placeholder:"N"`
}

func (c *sessionContextCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.SessionContext, error) {
		return m.SessionContext(ctx, c.in(a.scope()), c.ID,
			trilith.SessionContextRequest{Query: c.Query, Budget: c.Budget, Limit: c.Limit})
	}, func(out trilith.SessionContext) {
		a.out.linef("%s", out.Text)
		printTurns(a.out, out.Window)
	})
}

func printTurns(p *printer, ms []trilith.Memory) {
	for i := range ms {
		m := &ms[i]
		who := m.Speaker
		if who == "" {
			who = string(m.Role)
		}
		p.linef("%s  %s: %s", m.EventTime.Format(time.DateTime), who, m.Text)
	}
}

type sessionSummarizeCmd struct {
	scopeFlags
	ID     string `arg:"" optional:"" help:"Name of the session."`
	Period string `help:"A day, month or year instead: 2025-06-30, 2025-06 or 2025." placeholder:"PERIOD"`
	Entity string `help:"An entity instead: its id." placeholder:"ID"`
	Topics bool   `help:"The summaries of the scope instead, by topic."`
	Tokens int    `help:"Tokens of a summary at most." placeholder:"N"`
	By     string `help:"rules: an extract; llm: by the model; auto: by the model if there is one." enum:"auto,rules,llm" default:"auto"`
}

func (c *sessionSummarizeCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		res, err := m.Summarize(ctx, c.in(a.scope()), trilith.SummarizeRequest{Session: c.ID, Period: c.Period,
			Entity: trilith.IDOf(c.Entity),
			Topics: c.Topics, Tokens: c.Tokens, By: trilith.Extraction(c.By)})
		return a.told(res, err, func() {
			for i := range res.Summaries {
				m := &res.Summaries[i]
				a.out.linef("%s %s, sources: %d\n%s\n", m.Summary.Of, m.Summary.Subject, len(m.Summary.Sources),
					strings.TrimRight(m.Text, "\n"))
			}
		})
	})
}

type sessionItemsCmd struct {
	scopeFlags
	ID     string `arg:"" help:"Name of the session."`
	Limit  int    `help:"Items at most." default:"1000" placeholder:"N"`
	Cursor string `help:"Go on after this page." placeholder:"CURSOR"`
	Latest bool   `help:"The last items instead of the first."`
}

func (c *sessionItemsCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.SessionItems, error) {
		return m.SessionItems(ctx, c.in(a.scope()), c.ID,
			trilith.ItemsQuery{Limit: c.Limit, Cursor: c.Cursor, Latest: c.Latest})
	}, func(page trilith.SessionItems) {
		for _, it := range page.Items {
			a.out.linef("%s", it.Item)
		}
		if page.NextCursor != "" {
			a.out.linef("More with --cursor %s", page.NextCursor)
		}
	})
}

type sessionPruneCmd struct {
	scopeFlags
	ID     string `arg:"" optional:"" help:"Name of the session; the whole scope if left out."`
	Max    int    `help:"Turns and notes that may stay." placeholder:"N"`
	DryRun bool   `help:"Show what would go and forget nothing."`
}

func (c *sessionPruneCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (out trilith.PruneResult, err error) {
		scope := c.in(a.scope())
		if c.ID != "" {
			scope.Session = c.ID
		}
		return m.Prune(ctx, scope, trilith.PruneRequest{Max: c.Max, DryRun: c.DryRun})
	}, func(res trilith.PruneResult) {
		for _, x := range res.Pruned {
			a.out.linef("%s  %.3f  %s", x.ID, x.Importance, x.Text)
		}
		done := "Forgotten"
		if res.DryRun {
			done = "Would be forgotten"
		}
		a.out.linef("%s: %d of %d; %d stay because facts rest on them alone.", done, len(res.Pruned), res.Total,
			res.Protected)
	})
}
