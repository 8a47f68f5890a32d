package mcpserver

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"github.com/trilith-memory/trilith"
)

// narrowing is the part of a scope that a call of any tool can name. A connection can be fixed to the other values, and a
// filter can test them. Schemas show it only to connections with the set scope: a model that sees the arguments invents
// values for them, and does not find under one value what it stored under another.
type narrowing struct {
	Project string `json:"project,omitempty" doc:"Leave out unless you were told one; narrows to one project"`
	User    string `json:"user,omitempty" doc:"Leave out unless you were told one; narrows to one person"`
	Agent   string `json:"agent,omitempty" doc:"Leave out unless you were told one; narrows to one agent"`
	Session string `json:"session,omitempty" doc:"Leave out unless you were told one; narrows to one conversation"`
}

// narrowNames are the values of a scope that a call can name.
var narrowNames = []string{"project", "user", "agent", "session"}

// narrow returns the caller's scope with the values that a call names.
func (e *edge) narrow(ctx context.Context, who caller, p narrowing) (trilith.Scope, error) {
	out := who.scope
	named := trilith.Scope{Project: p.Project, User: p.User, Agent: p.Agent, Session: p.Session}
	for _, f := range named.Fields() {
		if f.Value == "" {
			continue
		}
		have := out.Part(f.Name)
		switch {
		case *have == "":
			value, err := e.named(ctx, who, f.Name, f.Value)
			if err != nil {
				return trilith.Scope{}, err
			}
			*have = value
		case fold(*have) != fold(f.Value):
			return trilith.Scope{}, trilith.Errorf(
				trilith.Forbidden, "%s: this connection is fixed to another one; leave %s out", f.Name, f.Name)
		}
	}
	return out, nil
}

// filter reads the conditions of a call.
func (e *edge) filter(ctx context.Context, who caller, only *selecting) (trilith.Filter, error) {
	f, err := only.filter()
	if err != nil {
		return f, err
	}
	return e.sameNames(ctx, who, f)
}

// sameNames converts the scope values in a filter as [edge.named] does.
func (e *edge) sameNames(ctx context.Context, who caller, f trilith.Filter) (trilith.Filter, error) {
	list := func(fs []trilith.Filter) error {
		for i := range fs {
			var err error
			if fs[i], err = e.sameNames(ctx, who, fs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := list(f.And); err != nil {
		return f, err
	}
	if err := list(f.Or); err != nil {
		return f, err
	}
	if f.Not != nil {
		inner, err := e.sameNames(ctx, who, *f.Not)
		f.Not = &inner
		return f, err
	}
	if value, ok := f.Value.(string); ok && (f.Op == trilith.OpEq || f.Op == trilith.OpNe) &&
		slices.Contains(narrowNames, f.Field) {
		same, err := e.named(ctx, who, f.Field, value)
		f.Value = same
		return f, err
	}
	return f, nil
}

// named returns the value of a scope that a call means. Values are stored folded, so that "Ana" and "ana" are one
// person. If somebody else has stored memories under the unfolded value, that one is used.
func (e *edge) named(ctx context.Context, who caller, name, value string) (string, error) {
	folded := fold(value)
	if value == folded || folded == "" {
		return value, nil
	}
	scope := who.scope
	have := scope.Part(name)
	if *have != "" { // nothing else is visible
		if fold(*have) == folded {
			return *have, nil
		}
		return value, nil
	}
	*have = value
	page, err := e.Engine.List(ctx, scope, trilith.ListRequest{Limit: 1, States: trilith.States(), Archived: true})
	if err != nil {
		return "", err
	}
	if len(page.Items) > 0 {
		return value, nil
	}
	return folded, nil
}

// fold removes differences that models make by accident: case, and spaces.
func fold(s string) string {
	return cases.Fold().String(strings.Join(strings.Fields(s), " "))
}
