package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/assemble"
)

// formatKinds are the formats that are made for one kind of memory and look for no other.
var formatKinds = map[cairn.ContextFormat]cairn.Kind{cairn.FormatFacts: cairn.KindFact, cairn.FormatKnowledge: cairn.KindEntry}

// Context recalls and packs the hits into a block of text for a prompt.
func (e *Engine) Context(ctx context.Context, s cairn.Scope, r cairn.ContextRequest) (cairn.ContextBlock, error) {
	if r.Budget < 0 || r.Budget > cairn.MaxBudget {
		return cairn.ContextBlock{}, cairn.Errorf(cairn.Invalid, "budget: is %d, must be 1 to %d tokens", r.Budget, cairn.MaxBudget)
	}
	if r.Budget == 0 {
		r.Budget = cairn.DefaultBudget
	}
	if r.Format == "" {
		r.Format = cairn.FormatBriefing
	}
	if !slices.Contains(cairn.ContextFormats(), r.Format) {
		return cairn.ContextBlock{}, cairn.Errorf(cairn.Invalid, "format: %.32q is not known; use %s", string(r.Format), strings.Join(texts(cairn.ContextFormats()), ", "))
	}
	if kind, ok := formatKinds[r.Format]; ok {
		r.Filter = cairn.AllOf(cairn.Where("kind", cairn.OpEq, kind), r.Filter)
	}
	res, err := e.Recall(ctx, s, r.RecallRequest)
	if err != nil {
		return cairn.ContextBlock{}, err
	}
	o := assemble.Options{Format: r.Format, Budget: r.Budget, Query: r.Query}
	if r.Format == cairn.FormatKnowledge {
		if o.Total, err = e.countEntries(ctx, s); err != nil {
			return cairn.ContextBlock{}, err
		}
	}
	block, err := assemble.Build(res.Hits, o)
	block.Coverage = res.Coverage
	return block, err
}
