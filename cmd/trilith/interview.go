package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/talk/interview"
)

type interviewCmd struct {
	Domain  string `help:"File of a domain schema, or the id of an available one. Without it the schemas are listed." placeholder:"FILE|ID" path:""`
	Session string `help:"Name of the interview: going on with one that was left. A new one if left out."`
	Gaps    bool   `help:"Only show what is known and what is missing."`
	Project string `help:"Project." group:"Scope"`
	User    string `help:"Person who is asked." group:"Scope"`
}

// Run asks on the terminal, or takes one answer a line from standard input.
func (c *interviewCmd) Run(ctx context.Context, a *app) error {
	s := a.scope()
	s.Project, s.User, s.Session = c.Project, c.User, c.Session
	s.Domain = c.Domain
	if isSchemaFile(c.Domain) {
		d, err := interview.Open(c.Domain)
		if err != nil {
			return err
		}
		s.Domain, a.domainFile = d.ID, c.Domain
	}
	return a.with(ctx, func(m *opened) error {
		switch {
		case c.Domain == "":
			return c.list(ctx, a, m)
		case c.Gaps:
			g, err := m.DomainGaps(ctx, s)
			return a.told(g, err, func() { a.out.gaps(&g) })
		}
		return c.lead(ctx, a, m, s)
	})
}

// isSchemaFile tells a file from the id of a schema.
func isSchemaFile(name string) bool {
	return strings.ContainsAny(name, `./\`) // no id has one of them
}

func (c *interviewCmd) list(ctx context.Context, a *app, m *opened) error {
	all, err := m.Domains(ctx, a.scope())
	return a.told(all, err, func() { a.out.answer(all, []string{"id", "language", "title", "description"}) })
}

// lead asks until nothing is left, the person stops, or the input ends.
func (c *interviewCmd) lead(ctx context.Context, a *app, m *opened, s trilith.Scope) error {
	in, err := m.StartInterview(ctx, s)
	if err != nil {
		return err
	}
	answers := a.lines(ctx)
	for {
		if err := a.out.asked(&in); err != nil || in.State != trilith.InterviewOpen {
			return errors.Join(err, c.left(a, &in))
		}
		text, err := c.next(ctx, a, m, s, in.ID, answers)
		if errors.Is(err, io.EOF) {
			return c.left(a, &in)
		}
		if err != nil {
			return err
		}
		if in, err = m.AnswerInterview(ctx, s, in.ID, trilith.InterviewAnswer{Text: text}); err != nil {
			return err
		}
	}
}

// next returns the next line with an answer; /gaps shows the missing fields, /quit ends.
func (c *interviewCmd) next(ctx context.Context, a *app, m *opened, s trilith.Scope, id string,
	answers <-chan line) (string, error) {
	for {
		if isTerminal(a.stdin) {
			fmt.Fprint(a.out.w, a.out.bold("> "))
		}
		var l line
		select {
		case l = <-answers:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		text := strings.TrimSpace(l.text)
		switch {
		case text == "/quit":
			return "", io.EOF
		case text == "/gaps":
			g, err := m.InterviewGaps(ctx, s, id)
			if err != nil {
				return "", err
			}
			if err := a.out.result(g, func() { a.out.gaps(&g) }); err != nil {
				return "", err
			}
		case text != "":
			if !isTerminal(a.stdin) && !a.out.json {
				a.out.linef("> %s", plain(text))
			}
			return text, nil
		}
		if l.err != nil {
			return "", l.err
		}
	}
}

// left says how to go on with an interview that is not over.
func (c *interviewCmd) left(a *app, in *trilith.Interview) error {
	if a.out.json || in.State == trilith.InterviewDone {
		return nil
	}
	a.out.linef("%s", a.out.dim(fmt.Sprintf("To go on: trilith interview --domain %s --session %s", c.Domain, in.ID)))
	return nil
}

// line is an input line, or the error of reading it.
type line struct {
	text string
	err  error
}

// lines reads standard input line by line, so that waiting for somebody can be interrupted.
func (a *app) lines(ctx context.Context) <-chan line {
	out := make(chan line)
	go func() {
		r := bufio.NewReader(a.stdin)
		for {
			text, err := r.ReadString('\n')
			select {
			case out <- line{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// asked prints the result of an answer, and the next question; for machines one line of JSON.
func (p *printer) asked(in *trilith.Interview) error {
	if p.json {
		return encodeJSON(p.w, "", in)
	}
	for _, m := range in.Entries {
		if len(m.Entry.Structured) == 0 {
			p.linef("%s", p.good("  noted: "+p.line(m.Entry.Content, p.width-10)))
		}
		for id, v := range m.Entry.Structured {
			p.linef("%s", p.good(fmt.Sprintf("  noted: %s (%s) = %s", p.line(m.Entry.Title, 60), id,
				p.line(interview.Text(v), p.width-40))))
		}
	}
	for _, s := range []string{in.Acknowledgement, in.Question} {
		if s != "" {
			p.linef("%s", plain(s))
		}
	}
	return nil
}

// gaps prints the known and the missing fields of a domain.
func (p *printer) gaps(g *trilith.DomainGaps) {
	p.linef("%s  %s", p.bold(g.Domain), plain(g.Title))
	rows := [][]string{}
	for _, k := range g.Known {
		rows = append(rows, []string{k.Field, p.line(k.Label, 30), p.line(k.Value, p.width-60)})
	}
	if len(rows) > 0 {
		p.table([]string{"KNOWN", "LABEL", "VALUE"}, rows)
	}
	rows = rows[:0]
	for _, i := range g.Items {
		need := ""
		switch {
		case i.Skipped:
			need = "skipped"
		case i.Required:
			need = "required"
		}
		rows = append(rows, []string{i.Field, need, p.line(i.Question, p.width-50)})
	}
	if len(rows) > 0 {
		p.table([]string{"GAP", "", "QUESTION"}, rows)
	}
	p.linef("%d known, %d missing", len(g.Known), g.Missing)
}
