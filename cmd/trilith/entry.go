package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trilith-memory/trilith"
)

type entryCmd struct {
	Add     entryAddCmd     `cmd:"" help:"Store a knowledge entry."`
	Show    entryShowCmd    `cmd:"" help:"Show one entry."`
	Similar entrySimilarCmd `cmd:"" help:"Find the entries of a domain that are like a text."`
}

type entryAddCmd struct {
	Content    []string `arg:"" optional:"" help:"Text of the entry; - reads it from standard input."`
	Title      string   `help:"Title."`
	Category   string   `help:"Category inside the domain."`
	Structured string   `help:"Structured data as a JSON object; its values are searchable." placeholder:"JSON"`
	Confidence float64  `help:"How sure it is: 0 to 1; not stated if left out."`
	Tag        []string `help:"Label; may be repeated."`
	ExternalID string   `help:"Your own id; storing it again changes nothing." name:"id"`
	Replace    bool     `help:"Put it in place of what the id has."`
	Until      string   `help:"When it ends to hold: a date or RFC 3339; never if left out." placeholder:"TIME"`
	scopeFlags
}

func (c *entryAddCmd) Run(ctx context.Context, a *app) error {
	content, err := a.text(c.Content)
	if err != nil {
		return err
	}
	r := trilith.EntryRequest{
		Entry:      trilith.Entry{Category: c.Category, Title: c.Title, Content: content, Confidence: c.Confidence},
		RequestKey: a.key,
		ExternalID: c.ExternalID, Tags: c.Tag, ValidUntil: c.Until, Wait: trilith.WaitIndexed}
	if c.Structured != "" {
		if err := trilith.CheckJSON([]byte(c.Structured)); err != nil {
			return trilith.Errorf(trilith.Invalid, "structured: %w", err)
		}
		if err := json.Unmarshal([]byte(c.Structured), &r.Structured); err != nil {
			return trilith.Errorf(trilith.Invalid, `structured: is not a JSON object such as '{"years": 100}'`)
		}
	}
	return a.with(ctx, func(m *opened) error {
		mem, err := c.store(ctx, m, c.in(a.scope()), r)
		return a.told(mem, err, func() {
			a.out.memories([]trilith.Memory{mem})
			a.out.masked(mem.Masking)
			if mem.Pending {
				a.out.linef("stored; %s", m.follows(ctx, a.scope(), mem.JobID))
			}
		})
	})
}

// store adds the entry, or puts it in place of another.
func (c *entryAddCmd) store(ctx context.Context, m *opened, s trilith.Scope, r trilith.EntryRequest) (
	trilith.Memory, error) {
	if !c.Replace {
		return m.AddEntry(ctx, s, r)
	}
	if c.ExternalID == "" {
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "replace: needs --id, whose entry is replaced")
	}
	return m.PutEntry(ctx, s, c.ExternalID, trilith.PutRequest{Entry: r.Entry, Tags: r.Tags, ValidUntil: r.ValidUntil,
		Wait: r.Wait})
}

type entryShowCmd struct {
	ID         string `arg:"" optional:"" help:"Id of the entry."`
	ExternalID string `help:"Your own id instead, as the entry has it in this very scope." name:"id"`
	scopeFlags
}

func (c *entryShowCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		mem, err := c.find(ctx, m, c.in(a.scope()))
		return a.told(mem, err, func() { a.out.memory(&mem) })
	})
}

func (c *entryShowCmd) find(ctx context.Context, m *opened, s trilith.Scope) (trilith.Memory, error) {
	switch {
	case (c.ID == "") == (c.ExternalID == ""):
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "entry show: give either the id of the entry or --id")
	case c.ID == "":
		return m.EntryByKey(ctx, s, c.ExternalID)
	}
	return m.Entry(ctx, s, trilith.IDOf(c.ID))
}

type entrySimilarCmd struct {
	Text           []string `arg:"" help:"Text to compare with; - reads it from standard input."`
	Limit          int      `help:"How many at most: 1 to 50." default:"5"`
	MinScore       *float64 `help:"Leave out entries below; 0.7 if left out and the embedder's scores carry a threshold, else 0.14."`
	ExcludeSession string   `help:"Leave out the entries of this session."`
	scopeFlags
}

func (c *entrySimilarCmd) Run(ctx context.Context, a *app) error {
	text, err := a.text(c.Text)
	if err != nil {
		return err
	}
	if c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	}
	r := trilith.SimilarRequest{Text: text, Limit: c.Limit, MinScore: c.MinScore, ExcludeSession: c.ExcludeSession}
	return a.with(ctx, func(m *opened) error {
		res, err := m.SimilarEntries(ctx, c.in(a.scope()), r)
		return a.answered(res, res.Coverage, err, func() { a.out.similar(res) })
	})
}

// similar prints entries with their scores, and how many there are to choose from.
func (p *printer) similar(res trilith.SimilarEntries) {
	if len(res.Items) == 0 {
		p.linef("Nothing known is good enough.")
	} else {
		p.table([]string{"SCORE", "ID", "CATEGORY", "ENTRY"}, rows(res.Items, func(h *trilith.EntryHit) []string {
			v := h.Memory.Entry
			return []string{fmt.Sprintf("%.3f", h.Score), string(h.Memory.ID), p.line(v.Category, 24),
				p.line(strings.TrimSpace(v.Title+" "+v.Content), p.width-76)}
		}))
	}
	p.linef("%s", p.dim(fmt.Sprintf("of %d entries in the domain", res.Total)))
}
