package main

import (
	"context"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

type sessionCmd struct {
	List    sessionListCmd    `cmd:"" help:"List sessions, the one with the latest turn first."`
	Show    sessionShowCmd    `cmd:"" help:"Show the turns of a session in order, and its newest summary."`
	Context sessionContextCmd `cmd:"" help:"Print what a prompt needs of a session: summary, past and window."`
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
