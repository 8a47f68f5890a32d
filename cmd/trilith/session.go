package main

import (
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

type sessionCmd struct {
	List    shortcutCmd `cmd:"" help:"List sessions, the one with the latest turn first."`
	Show    shortcutCmd `cmd:"" help:"Show the turns of a session in order, and its newest summary."`
	Context shortcutCmd `cmd:"" help:"Print what a prompt needs of a session: summary, past and window."`
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

func (p *printer) session(s trilith.SessionTurns) {
	p.linef("turns: %d, tokens: %d, from %s to %s", s.Turns, s.Tokens, s.FirstTurn.Format(time.DateTime),
		s.LastTurn.Format(time.DateTime))
	p.turns(s.Items)
	if s.Summary != nil {
		p.linef("Summary:\n%s", s.Summary.Text)
	}
	p.more(s.NextCursor)
}

func (p *printer) sessionContext(c trilith.SessionContext) {
	p.linef("%s", c.Text)
	p.turns(c.Window)
}

func (p *printer) turns(ms []trilith.Memory) {
	for i := range ms {
		m := &ms[i]
		who := m.Speaker
		if who == "" {
			who = string(m.Role)
		}
		p.linef("%s  %s: %s", m.EventTime.Format(time.DateTime), who, m.Text)
	}
}
