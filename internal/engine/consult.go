package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/talk/consult"
	"github.com/trilith-memory/trilith/internal/talk/inserts"
	"github.com/trilith-memory/trilith/internal/truth"
)

// WithVia is [recalls.WithVia].
func WithVia(ctx context.Context, via string) context.Context { return served.WithVia(ctx, via) }

// Consult is [consult.Consultant.Consult].
func (e *Engine) Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error) {
	return e.consult.Consult(ctx, s, r)
}

// Said is [inserts.Said].
func Said(text string) string { return inserts.Said(text) }

// WithoutBlock is [assemble.WithoutBlock].
func WithoutBlock(answer, block string) string { return assemble.WithoutBlock(answer, block) }

// keeper stores the exchanges of a [consult.Consultant].
type keeper struct{ e *Engine }

// Keep stores an exchange like [Engine.Remember].
func (k keeper) Keep(ctx context.Context, s trilith.Scope, r trilith.RememberRequest, hash string) (
	trilith.RememberResult, error) {
	w := write{e: k.e, scope: s, req: r, hash: hash}
	return w.rememberDeriving(ctx)
}

// Kept returns the exchange that was stored under a key.
func (k keeper) Kept(ctx context.Context, s trilith.Scope, key, hash string) (trilith.RememberResult, bool, error) {
	name := role.Key{Space: role.KeyRequest, Value: truth.RequestKey(s, key)}
	owners, err := k.e.truth.Find(ctx, s, []role.Key{name})
	if err != nil || owners[name] == "" {
		return trilith.RememberResult{}, false, err
	}
	r, err := k.e.replay(ctx, s, owners[name], hash)
	return r, err == nil, err
}

// ForgetRecalls deletes the rows of the recall log in the scope, and says how many. It needs the right admin.
func (e *Engine) ForgetRecalls(ctx context.Context, s trilith.Scope) (out trilith.ForgottenRecalls, err error) {
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	ids, err := e.log.Choose(ctx, s, func(row *trilith.ServedRecall) bool {
		return s.Covers(truth.WithTenant(row.Scope, s.Tenant))
	})
	if err != nil {
		return out, err
	}
	out.Deleted = len(ids)
	return out, e.log.Delete(ctx, s, ids)
}

var _ consult.Keeper = keeper{}

// RecallAgain repeats a logged question in its scope, and reports the differences between the answers. It is not
// logged. For a consultation it searches the facts that were shown.
func (e *Engine) RecallAgain(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.RecallAgain, error) {
	then, err := e.log.Get(ctx, s, id)
	if err != nil {
		return trilith.RecallAgain{}, err
	}
	in := truth.WithTenant(then.Scope, s.Tenant)
	in.Actor, in.Fixed = s.Actor, s.Fixed
	out := trilith.RecallAgain{Then: then, New: []trilith.ID{}, Gone: []trilith.ID{}}
	given := map[trilith.ID]bool{}
	switch then.What {
	case trilith.ServedContext:
		block, err := e.recall.Context(ctx, in, then.Request)
		if err != nil {
			return out, err
		}
		out.Now = trilith.RecallResult{Hits: block.Hits, Coverage: block.Coverage}
	case trilith.ServedConsult:
		if out.Now.Hits, err = e.consult.Shown(ctx, in, then.Request.Query); err != nil {
			return out, err
		}
	default:
		if out.Now, err = e.recall.Recall(ctx, in, then.Request.RecallRequest); err != nil {
			return out, err
		}
	}
	if out.Now.Hits == nil {
		out.Now.Hits = []trilith.Hit{}
	}
	for i := range out.Now.Hits {
		given[out.Now.Hits[i].Memory.ID] = true
	}
	for _, h := range then.Hits {
		if !given[h.ID] {
			out.Gone = append(out.Gone, h.ID)
		}
		given[h.ID] = false
	}
	for i := range out.Now.Hits {
		if id := out.Now.Hits[i].Memory.ID; given[id] {
			given[id] = false
			out.New = append(out.New, id)
		}
	}
	return out, nil
}

// Context makes the text that a prompt gets, and logs the memories that it shows.
func (e *Engine) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	id, start := e.log.ID(), e.truth.Now()
	out, err := e.recall.Context(ctx, s, r)
	if err != nil || id == "" {
		return out, err
	}
	out.RecallID = id
	e.log.Note(ctx, s, trilith.ServedRecall{ID: id, What: trilith.ServedContext, Request: r, Tokens: out.Tokens,
		Hits: served.HitsOf(out.Hits), Partial: out.Partial,
		MS: float64(e.truth.Now().Sub(start).Microseconds()) / 1000})
	return out, nil
}

// Recall searches the memories for a question. The result is logged.
func (e *Engine) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	id, start := e.log.ID(), e.truth.Now()
	out, err := e.recall.Recall(ctx, s, r)
	if err != nil || id == "" {
		return out, err
	}
	out.RecallID = id
	e.log.Note(ctx, s, trilith.ServedRecall{ID: id, What: trilith.ServedSearch,
		Request: trilith.ContextRequest{RecallRequest: r},
		Hits:    served.HitsOf(out.Hits), Abstained: out.Abstained, Partial: out.Partial,
		MS: float64(e.truth.Now().Sub(start).Microseconds()) / 1000})
	return out, nil
}
