package main

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
)

// selectFlags choose memories.
type selectFlags struct {
	IDs     []trilith.ID `arg:"" optional:"" name:"id" help:"Ids of memories."`
	Sources []trilith.ID `help:"Everything that a request brought, instead of ids; may be repeated." name:"source" placeholder:"ID"`
	Filter  string       `help:"Conditions as JSON instead of ids; see docs/filters.md." placeholder:"JSON"`
	DryRun  bool         `help:"Only print what would happen."`
	scopeFlags
}

type forgetCmd struct{ selectFlags }

func (c *forgetCmd) Run(ctx context.Context, a *app) error {
	filter, err := parseFilter(c.Filter)
	if err != nil {
		return err
	}
	return answer(ctx, a, func(m *opened) (trilith.ForgetResult, error) {
		return m.Forget(ctx, c.in(a.scope()),
			trilith.ForgetRequest{IDs: c.IDs, Sources: c.Sources, Filter: filter, DryRun: c.DryRun,
				RequestKey: a.key})
	}, func(res trilith.ForgetResult) {
		verb := "forgotten"
		if res.DryRun {
			verb = "would be forgotten"
		}
		a.out.linef("%d %s", len(res.IDs), verb)
	})
}

type eraseCmd struct {
	Entities []string     `help:"Erase an entity instead, with its facts, names and history: its id, or TYPE:VALUE; may be repeated." name:"entity" placeholder:"ENTITY" sep:"none"`
	Words    bool         `help:"With --entity: also the words that its facts rest on, whoever else they are about."`
	Media    []trilith.ID `help:"Erase a picture, a recording or scanned pages, and the text read from it; may be repeated." placeholder:"ID" sep:"none"`
	Reason   string       `help:"Why; kept in the receipt."`
	Yes      bool         `help:"Really do it; without it nothing is erased."`
	selectFlags
}

func (c *eraseCmd) Run(ctx context.Context, a *app) error {
	filter, err := parseFilter(c.Filter)
	if err != nil {
		return err
	}
	return answer(ctx, a, func(m *opened) (out trilith.EraseReceipt, err error) {
		r := trilith.EraseRequest{IDs: c.IDs, Sources: c.Sources, Media: c.Media, Filter: filter,
			Words: c.Words, Reason: c.Reason, DryRun: c.DryRun || !c.Yes}
		for _, arg := range c.Entities {
			id, err := findEntity(ctx, a, m, arg)
			if err != nil {
				return out, err
			}
			r.Entities = append(r.Entities, id)
		}
		receipt, err := m.Erase(ctx, c.in(a.scope()), r)
		if err == nil { // the purge of the file
			err = m.Work(ctx)
		}
		return receipt, err
	}, func(receipt trilith.EraseReceipt) {
		verb := "erased"
		if receipt.DryRun {
			verb = "would be erased"
		}
		if receipt.Entities > 0 {
			a.out.linef("%d entities, %d facts %s", receipt.Entities, receipt.Facts, verb)
		}
		a.out.linef("%d memories, %d sources, %d vectors, %d texts %s", receipt.Memories, receipt.Sources,
			receipt.Vectors, receipt.Texts, verb)
		if receipt.Media > 0 {
			a.out.linef("%d files %s", receipt.Media, verb)
		}
		if receipt.Shares > 0 {
			a.out.linef("%d shares of them too", receipt.Shares)
		}
		a.out.masked(receipt.Masking)
		if receipt.DryRun {
			a.out.linef("%s", a.out.dim("this cannot be undone; add --yes to do it"))
		} else {
			a.out.linef("receipt %s", receipt.ID)
		}
	})
}

// masked says which secrets were masked; nothing without one.
func (p *printer) masked(m trilith.Masking) {
	if m.Masked > 0 {
		p.linef("%d secrets were masked before storing: %s", m.Masked, strings.Join(m.MaskedIn, ", "))
	}
}
