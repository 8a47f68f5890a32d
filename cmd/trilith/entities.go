package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

type entitiesCmd struct {
	List    entitiesListCmd    `cmd:"" default:"withargs" help:"List the people and things that facts are about."`
	Show    entitiesShowCmd    `cmd:"" help:"Show an entity and what lies around it."`
	Update  entitiesUpdateCmd  `cmd:"" help:"Change what an entity is called and known by."`
	Merge   entitiesMergeCmd   `cmd:"" help:"Merge two entities into one."`
	Split   entitiesSplitCmd   `cmd:"" help:"Take a part of an entity out of it, or undo a merge."`
	History entitiesHistoryCmd `cmd:"" help:"Show the changes of an entity, newest first."`
}

type entitiesListCmd struct {
	Limit  int    `help:"How many at most." default:"50"`
	Cursor string `help:"Go on after the page that printed this cursor."`
}

func (c *entitiesListCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	}
	return answer(ctx, a, func(m *opened) (trilith.EntityPage, error) {
		return m.Entities(ctx, a.scope(), trilith.EntitiesQuery{Limit: c.Limit, Cursor: c.Cursor})
	}, func(page trilith.EntityPage) {
		a.out.table([]string{"ID", "TYPE", "NAME", "KNOWN AS"}, rows(page.Items, func(v *trilith.Entity) []string {
			return []string{string(v.ID), v.Type, a.out.line(v.Name, 40),
				a.out.line(identifiers(v.Identifiers), a.out.width-92)}
		}))
		a.out.more(page.NextCursor)
	})
}

// knownEntity is an entity on the command line: its id, or an identifier of it.
type knownEntity struct {
	Entity string `arg:"" help:"The entity: its id, or TYPE:VALUE such as email:ana@example.com." placeholder:"ENTITY"`
}

func (k knownEntity) find(ctx context.Context, a *app, m *opened) (trilith.ID, error) {
	return findEntity(ctx, a, m, k.Entity)
}

func findEntity(ctx context.Context, a *app, m *opened, arg string) (trilith.ID, error) {
	if id := trilith.IDOf(arg); id.Validate() == nil {
		return id, nil
	}
	who, err := entityArg{arg}.identifier()
	if err != nil {
		return "", err
	}
	res, err := m.Lookup(ctx, a.scope(), trilith.LookupRequest{Identifier: who})
	return res.Entity.ID, err
}

type entitiesShowCmd struct {
	knownEntity
	Hops int `help:"Steps to walk from its facts: 0 to 2."`
	scopeFlags
}

func (c *entitiesShowCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		id, err := c.find(ctx, a, m)
		if err != nil {
			return err
		}
		v, err := m.Entity(ctx, a.scope(), id)
		if err != nil {
			return err
		}
		n, err := m.Neighborhood(ctx, c.in(a.scope()), id, trilith.NeighborhoodQuery{Hops: c.Hops})
		if err != nil {
			return err
		}
		n.Entity = v // the requested entity, even if it was merged into another
		return a.out.result(n, func() {
			a.out.entityParts(&v)
			if len(n.Facts) > 0 {
				a.out.linef("")
				a.out.facts(n.Facts)
			}
			for i := range n.Entities {
				if i == 0 {
					a.out.linef("\naround it")
				}
				a.out.entity(&n.Entities[i])
			}
		})
	})
}

type entitiesUpdateCmd struct {
	knownEntity
	Name      *string           `help:"Name."`
	Type      *string           `help:"Type: person, project, organisation, thing or a word of your own."`
	Add       []string          `help:"Another identifier; may be repeated." placeholder:"TYPE:VALUE" sep:"none"`
	Remove    []string          `help:"An identifier that leads here no longer; may be repeated." placeholder:"TYPE:VALUE" sep:"none"`
	Alias     []string          `help:"Another name that it goes by; may be repeated." sep:"none"`
	DropAlias []string          `help:"A name that it does not go by; may be repeated." sep:"none"`
	Set       map[string]string `help:"An attribute, its value as JSON or text; may be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
	Unset     []string          `help:"An attribute that goes; may be repeated." placeholder:"NAME" sep:"none"`
	IfVersion int64             `help:"Refuse unless the entity has this version." placeholder:"N"`
}

func (c *entitiesUpdateCmd) Run(ctx context.Context, a *app) error {
	u := trilith.EntityUpdate{Name: c.Name, Type: c.Type, AddAliases: c.Alias, RemoveAliases: c.DropAlias,
		RemoveAttributes: c.Unset, Version: c.IfVersion}
	var err error
	if u.AddIdentifiers, err = parseIdentifiers(c.Add); err != nil {
		return err
	}
	if u.RemoveIdentifiers, err = parseIdentifiers(c.Remove); err != nil {
		return err
	}
	for name, text := range c.Set {
		var value any = text
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			value = text
		} else if err := trilith.CheckJSON([]byte(text)); err != nil {
			return trilith.Errorf(trilith.Invalid, "set %s: %w", name, err)
		}
		if u.SetAttributes == nil {
			u.SetAttributes = map[string]any{}
		}
		u.SetAttributes[name] = value
	}
	return answer(ctx, a, func(m *opened) (out trilith.Entity, err error) {
		id, err := c.find(ctx, a, m)
		if err != nil {
			return out, err
		}
		return m.UpdateEntity(ctx, a.scope(), id, u)
	}, func(v trilith.Entity) {
		a.out.entityParts(&v)
		a.out.masked(v.Masking)
	})
}

type entitiesMergeCmd struct {
	Into string `arg:"" help:"The entity that stays: its id, or TYPE:VALUE." placeholder:"INTO"`
	From string `arg:"" help:"The entity that becomes a part of it: its id, or TYPE:VALUE." placeholder:"FROM"`
}

func (c *entitiesMergeCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (out trilith.Entity, err error) {
		into, err := findEntity(ctx, a, m, c.Into)
		if err != nil {
			return out, err
		}
		from, err := findEntity(ctx, a, m, c.From)
		if err != nil {
			return out, err
		}
		v, err := m.MergeEntities(ctx, a.scope(), into, trilith.MergeRequest{From: from})
		if err == nil {
			err = a.settle(ctx, m, a.waits.vectors)
		}
		return v, err
	}, func(v trilith.Entity) { a.out.entityParts(&v) })
}

type entitiesSplitCmd struct {
	knownEntity
	Merged     string       `help:"Undo the merge of this entity, the last one that was merged in." placeholder:"ID" xor:"how"`
	Identifier []string     `help:"An identifier of the new entity; may be repeated." placeholder:"TYPE:VALUE" sep:"none" xor:"how"`
	Alias      []string     `help:"An alias that goes along; may be repeated." sep:"none"`
	Fact       []trilith.ID `help:"Id of a fact that is the new entity's; may be repeated." placeholder:"ID"`
	Name       string       `help:"Name of the new entity."`
}

func (c *entitiesSplitCmd) Run(ctx context.Context, a *app) error {
	r := trilith.SplitRequest{Merged: trilith.IDOf(c.Merged), Aliases: c.Alias, Name: c.Name, Facts: c.Fact}
	var err error
	if r.Identifiers, err = parseIdentifiers(c.Identifier); err != nil {
		return err
	}
	return answer(ctx, a, func(m *opened) (out trilith.SplitResult, err error) {
		id, err := c.find(ctx, a, m)
		if err != nil {
			return out, err
		}
		res, err := m.SplitEntity(ctx, a.scope(), id, r)
		if err == nil {
			err = a.settle(ctx, m, a.waits.vectors)
		}
		return res, err
	}, func(res trilith.SplitResult) {
		a.out.entityParts(&res.Kept)
		a.out.linef("")
		a.out.entityParts(&res.Out)
	})
}

type entitiesHistoryCmd struct {
	knownEntity
	Limit  int    `help:"How many at most." default:"50"`
	Cursor string `help:"Go on after the page that printed this cursor."`
}

func (c *entitiesHistoryCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	}
	return answer(ctx, a, func(m *opened) (out trilith.EntityHistory, err error) {
		id, err := c.find(ctx, a, m)
		if err != nil {
			return out, err
		}
		return m.EntityHistory(ctx, a.scope(), id, trilith.EntityHistoryQuery{Limit: c.Limit, Cursor: c.Cursor})
	}, func(h trilith.EntityHistory) {
		a.out.table([]string{"AT", "BY", "WHAT", "DETAIL"}, rows(h.Items, func(ch *trilith.EntityChange) []string {
			what := string(ch.Other)
			if added := partsLine(ch.Added); added != "" {
				what += " +" + added
			}
			if removed := partsLine(ch.Removed); removed != "" {
				what += " -" + removed
			}
			return []string{ch.At.Format(time.RFC3339), ch.By, string(ch.Action),
				a.out.line(strings.TrimSpace(what), a.out.width-50)}
		}))
		a.out.more(h.NextCursor)
	})
}

// partsLine lists what an entity got or lost, names first.
func partsLine(p trilith.EntityParts) string {
	var out []string
	for _, s := range append([]string{p.Name, p.Type}, p.Aliases...) {
		if s != "" {
			out = append(out, s)
		}
	}
	if len(p.Identifiers) > 0 {
		out = append(out, identifiers(p.Identifiers))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		out = append(out, attribute(name, p.Attributes[name]))
	}
	return strings.Join(out, ", ")
}

func attribute(name string, value any) string {
	if body, err := json.Marshal(value); err == nil {
		return name + "=" + string(body)
	}
	return name
}

func parseIdentifiers(args []string) ([]trilith.Identifier, error) {
	var out []trilith.Identifier
	for _, arg := range args {
		id, err := entityArg{arg}.identifier()
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// identifiers lists how an entity is named from outside, in the form that commands take.
func identifiers(ids []trilith.Identifier) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Type + ":" + id.Value
	}
	return strings.Join(out, ", ")
}

// entity prints who an answer is about.
func (p *printer) entity(v *trilith.Entity) {
	p.linef("%s  %s  %s", p.bold(p.line(v.Name, p.width)), v.Type, p.dim(string(v.ID)))
}

// entityParts prints everything about an entity but its facts.
func (p *printer) entityParts(v *trilith.Entity) {
	p.entity(v)
	p.row("known as", plain(identifiers(v.Identifiers)))
	p.row("aliases", plain(strings.Join(v.Aliases, ", ")))
	for _, name := range slices.Sorted(maps.Keys(v.Attributes)) {
		p.row("attribute", plain(attribute(name, v.Attributes[name])))
	}
	for _, id := range v.Merged {
		p.row("merged in", string(id))
	}
	p.row("merged into", string(v.MergedInto))
	p.row("version", fmt.Sprint(v.Version))
}
