package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// entityArg names an entity on the command line.
type entityArg struct {
	Entity string `arg:"" help:"Person or thing that the text is about, as TYPE:VALUE: email:ana@example.com, name:Ana, user_id:ana." placeholder:"TYPE:VALUE"`
}

type assimilateCmd struct {
	entityArg
	Text       []string `arg:"" optional:"" help:"Text; - reads it from standard input."`
	Role       string   `help:"Role of the speaker: user, assistant, system or tool." enum:",user,assistant,system,tool" default:""`
	Speaker    string   `help:"Name of the person who said it; the entity if left out."`
	At         string   `help:"When it was said: 2025-06-30 or 2025-06-30T15:04:05Z; now if left out." placeholder:"TIME"`
	ExternalID string   `help:"Your own id; storing it again changes nothing." name:"id"`
	Extract    string   `help:"How to derive facts: by rules, by rules and a model (llm), the same if there is a model (auto), or none." enum:"none,rules,llm,auto" default:"auto"`
	Profile    string   `help:"Extraction profile; see trilith call list-profiles." placeholder:"NAME"`
	scopeFlags
}

func (c *assimilateCmd) Run(ctx context.Context, a *app) error {
	who, err := c.identifier()
	if err != nil {
		return err
	}
	text, err := a.text(c.Text)
	if err != nil {
		return err
	}
	r := trilith.AssimilateRequest{Identifier: who, Content: text, Role: trilith.Role(c.Role), Speaker: c.Speaker,
		Timestamp: c.At, ExternalID: c.ExternalID,
		Extract: trilith.Extraction(c.Extract), Profile: c.Profile, RequestKey: a.key}
	return answer(ctx, a, func(m *opened) (trilith.AssimilateResult, error) {
		return m.Assimilate(ctx, c.in(a.scope()), r)
	}, a.out.assimilated)
}

// assimilated prints the result of an assimilation, and any pending work.
func (p *printer) assimilated(res trilith.AssimilateResult) {
	p.entity(&res.Entity)
	switch {
	case len(res.Facts) > 0:
		p.facts(res.Facts)
	case !res.Pending:
		p.linef("no new facts")
	}
	if res.Pending {
		p.linef("The words are stored. Their facts are not all derived and indexed yet: job %s will finish them, see trilith call get-job.", res.JobID)
	}
	if res.ModelError != "" {
		p.linef("%s", p.bad(res.ModelError))
	}
}

type lookupCmd struct {
	entityArg
	Query    string          `help:"Question that the facts should help to answer; all facts if left out."`
	K        int             `short:"k" help:"Facts at most that match the query." default:"10"`
	Hops     int             `help:"Steps to walk from the facts that match: 0 to 2."`
	AsOf     string          `help:"The facts as they were at this time." placeholder:"TIME"`
	KnownAt  string          `help:"The facts as they were known at this time." placeholder:"TIME"`
	MinScore float64         `help:"Leave out facts that match worse than this score."`
	States   []trilith.State `help:"States of the facts: active if left out." name:"state"`
	Card     bool            `help:"Say who somebody is, in at most 200 tokens, instead of listing facts."`
	Debug    bool            `help:"Explain how the facts were found."`
	scopeFlags
}

func (c *lookupCmd) Run(ctx context.Context, a *app) error {
	who, err := c.identifier()
	if err != nil {
		return err
	}
	if c.K == 0 {
		return trilith.Errorf(trilith.Invalid, "k: is 0, must be 1 to %d", trilith.MaxK)
	}
	r := trilith.LookupRequest{Identifier: who, Query: c.Query, TopK: c.K, MinScore: c.MinScore, ExpandHops: c.Hops,
		Debug: c.Debug, AsOf: c.AsOf, KnownAt: c.KnownAt, IncludeStates: c.States}
	return a.with(ctx, func(m *opened) error {
		if c.Card {
			return c.card(ctx, a, m, trilith.CardRequest{Identifier: who, AsOf: c.AsOf, KnownAt: c.KnownAt})
		}
		res, err := m.Lookup(ctx, c.in(a.scope()), r)
		return a.answered(res, res.Coverage, err, func() {
			a.out.entity(&res.Entity)
			switch {
			case len(res.Facts) > 0:
				a.out.facts(res.Facts)
			case c.Query == "":
				a.out.linef("No fact is known.")
			default:
				a.out.linef("Nothing known is good enough.")
			}
			a.out.lookupNote(res.Debug)
		})
	})
}

func (e entityArg) identifier() (trilith.Identifier, error) {
	kind, value, ok := strings.Cut(e.Entity, ":")
	if !ok || kind == "" || value == "" {
		return trilith.Identifier{},
			trilith.Errorf(trilith.Invalid, "entity: %.80q is not TYPE:VALUE, for example email:ana@example.com", e.Entity)
	}
	return trilith.Identifier{Type: kind, Value: value}, nil
}

func (c *lookupCmd) card(ctx context.Context, a *app, m *opened, r trilith.CardRequest) error {
	res, err := m.Card(ctx, c.in(a.scope()), r)
	return a.answered(res, trilith.Coverage{}, err, func() {
		if res.Text == "" {
			a.out.linef("Nothing is known about %s that belongs into a card.", plain(res.Entity.Name))
		}
		for line := range strings.Lines(res.Text) {
			a.out.linef("%s", plain(strings.TrimRight(line, "\n")))
		}
	})
}

// lookupNote prints how the facts of a lookup were found; nothing without a note.
func (p *printer) lookupNote(n *trilith.LookupNote) {
	if n == nil {
		return
	}
	p.linef("\nquery: %s", plain(n.Query))
	for _, h := range n.Hits {
		verdict := p.good("verified")
		if !h.Verified {
			verdict = p.bad("dropped: " + h.Reason)
		}
		p.linef("%5.3f %s %s %s", h.Score, verdict, h.Verb, p.line(h.FactID, 60))
	}
	p.linef("%d verified, %d orphans", n.VerifiedCount, n.OrphanCount)
	p.timings(n.TimingsMS)
}

// facts prints one line a fact.
func (p *printer) facts(ms []trilith.Memory) {
	p.table([]string{"ID", "VERB", "FACT", "CONFIDENCE", "STATE", "EVIDENCE"}, rows(ms, func(m *trilith.Memory) []string {
		f := m.Fact
		return []string{string(m.ID), verb(f), p.line(f.Node.ID(), 40), percent(f.Confidence), standing(m),
			p.line(quote(f), p.width-124)}
	}))
}

func verb(f *trilith.Fact) string {
	if f.Polarity == trilith.Negated {
		return "not " + f.Verb
	}
	return f.Verb
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

// standing returns the state of a memory, or for a planned one its beginning.
func standing(m *trilith.Memory) string {
	if m.Planned {
		return "planned " + m.EventTime.Format(time.DateOnly)
	}
	return string(m.State)
}

// quote returns the newest quote, and the number of quotes.
func quote(f *trilith.Fact) string {
	n, s := 0, ""
	for _, e := range f.Evidence {
		if e.Successor == "" {
			n, s = n+1, e.Quote
		}
	}
	if n > 1 {
		s = fmt.Sprintf("(%d×) %s", n, s)
	}
	return s
}
