package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
)

// converse consults a model, or looks at a session.
func (p *player) converse(ctx context.Context, st step) error {
	s := scope(st)
	if st.command == "session" {
		got, err := p.memory.GetSession(ctx, s, st.words[0], trilith.SessionTurnsQuery{Limit: trilith.MaxSessions})
		p.last.memories = got.Items
		if got.Summary != nil {
			p.last.text = got.Summary.Text
		}
		return err
	}
	r := trilith.ConsultRequest{Prompt: st.words[0], SessionOnly: st.options["only"] == "true"}
	if b := st.options["budget"]; b != "" {
		var err error
		if r.Budget, err = strconv.Atoi(b); err != nil {
			return mistake("budget=%s is not a number", b)
		}
	}
	res, err := p.memory.Consult(ctx, s, r)
	if err != nil {
		return err
	}
	if res.MemoryMissing != "" || !res.Stored {
		return fmt.Errorf("memory is missing (%s), or the exchange is not stored (%s)", res.MemoryMissing, res.NotStored)
	}
	p.last.text = res.Answer
	ids := slices.Concat(res.Used.Facts, res.Used.Past)
	if res.Used.Summary != "" {
		ids = append(ids, res.Used.Summary)
	}
	p.last.memories, err = p.byIDs(ctx, s, append(ids, res.Used.Turns...))
	return err
}

// byIDs reads memories of a tenant, in the order of their ids.
func (p *player) byIDs(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	s = trilith.Scope{Tenant: s.Tenant, Actor: s.Actor}
	page, err := p.memory.List(ctx, s, trilith.ListRequest{Limit: trilith.MaxPageSize,
		Filter: trilith.Where("id", trilith.OpIn, ids)})
	slices.SortFunc(page.Items, func(a, b trilith.Memory) int {
		return slices.Index(ids, a.ID) - slices.Index(ids,
			b.ID)
	})
	return page.Items, err
}
