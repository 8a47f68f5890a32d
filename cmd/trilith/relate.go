package main

import (
	"context"
	"fmt"

	"github.com/trilith-memory/trilith"
)

type relateCmd struct {
	ID   string `arg:"" help:"Id of the first fact."`
	Type string `arg:"" help:"How it bears on the second: depends_on, blocks, causes, part_of, settles or replaces." enum:"depends_on,blocks,causes,part_of,settles,replaces"`
	To   string `arg:"" help:"Id of the second fact."`
	Note string `help:"Why."`
	scopeFlags
}

func (c *relateCmd) Run(ctx context.Context, a *app) error {
	r := trilith.RelateRequest{Type: trilith.RelationType(c.Type), To: trilith.IDOf(c.To), Note: c.Note, RequestKey: a.key}
	return answer(ctx, a, func(m *opened) (trilith.Relation, error) {
		return m.Relate(ctx, c.in(a.scope()), trilith.IDOf(c.ID), r)
	}, func(rel trilith.Relation) { a.out.linef("%s %s %s %s", rel.ID, rel.From, rel.Type, rel.To) })
}

type relationsCmd struct {
	ID     string `arg:"" help:"Id of the fact."`
	Hops   int    `help:"How many relations away a fact may lie: 1 to 3." default:"1"`
	AsOf   string `help:"The relations as they were at this time." placeholder:"TIME"`
	Remove string `help:"Take back the relation of this id." placeholder:"ID"`
	scopeFlags
}

func (c *relationsCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		s := c.in(a.scope())
		if c.Remove != "" {
			if _, err := m.Unrelate(ctx, s, trilith.IDOf(c.ID), trilith.IDOf(c.Remove)); err != nil {
				return err
			}
			return a.out.result(map[string]string{"id": c.Remove}, func() { a.out.linef("%s removed", c.Remove) })
		}
		list, err := m.Relations(ctx, s, trilith.IDOf(c.ID), trilith.RelationQuery{Hops: c.Hops, AsOf: c.AsOf})
		return a.told(list, err, func() { printRelations(a.out, &list) })
	})
}

// printRelations prints one line a relation.
func printRelations(p *printer, list *trilith.RelationList) {
	names := map[trilith.ID]string{list.Fact.ID: list.Fact.Text}
	for i := range list.Facts {
		names[list.Facts[i].ID] = list.Facts[i].Text
	}
	rows := make([][]string, len(list.Relations))
	for i := range list.Relations {
		rel := &list.Relations[i]
		rows[i] = []string{string(rel.ID), p.line(names[rel.From], 40), string(rel.Type), p.line(names[rel.To], 40),
			standing(&rel.Memory), p.line(quote(rel.Memory.Fact), 40)}
	}
	if len(rows) == 0 {
		p.linef("no relations")
		return
	}
	p.table([]string{"ID", "FACT", "RELATION", "FACT", "STATE", "EVIDENCE"}, rows)
	if list.Truncated {
		p.linef("%s", fmt.Sprintf("Only the first %d are shown.", trilith.MaxRelations))
	}
}
