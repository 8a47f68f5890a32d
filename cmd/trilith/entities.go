package main

import (
	"context"
	"github.com/trilith-memory/trilith"
)

// findEntity returns the id of an entity that is named by its id or an identifier.
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

// entity prints who an answer is about.
func (p *printer) entity(v *trilith.Entity) {
	p.linef("%s  %s  %s", p.bold(p.line(v.Name, p.width)), v.Type, p.dim(string(v.ID)))
}
