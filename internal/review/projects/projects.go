// Package projects answers what somebody who runs a project asks of its facts: its money, how it develops, and what
// happened in a time. Everything is computed from facts with their quotes; a model may phrase a report, never compute.
package projects

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Projects reads the facts of projects. Its methods are safe for concurrent use.
type Projects struct {
	truth     *truth.Truth
	usage     *usage.Accounts
	quotes    *facts.Facts // hides quotes that a scope may not see
	relations *relations.Relations
}

// Parts are the rooms that Projects works with.
type Parts struct {
	Truth     *truth.Truth
	Usage     *usage.Accounts
	Facts     *facts.Facts
	Relations *relations.Relations
}

// New returns the projects of a store.
func New(p Parts) *Projects { return &Projects{p.Truth, p.Usage, p.Facts, p.Relations} }

// facts are the facts of the project itself that a filter accepts, in whatever state, in order of id: what people say
// of themselves in it is theirs, and a share is counted where it belongs. More than most is an error, for a sum of a
// part is false.
func (ps *Projects) facts(ctx context.Context, s trilith.Scope, filter trilith.Filter, most int) ([]trilith.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	if s.Project == "" {
		return nil, trilith.Errorf(trilith.Invalid, "project: name the project")
	}
	var out []trilith.Memory
	filter = trilith.AllOf(truth.AnyFact, filter)
	for m, err := range ps.truth.List(ctx, s, role.Listing{Filter: filter}) {
		switch {
		case err != nil:
			return nil, err
		case m.SharedFrom != "" || m.Fact.Owner != trilith.ProjectOwner(s.Project):
			continue
		case len(out) == most:
			return nil, trilith.Errorf(trilith.Exhausted, "project: has more than %d facts of this kind", most)
		}
		out = append(out, m)
	}
	return out, nil
}
