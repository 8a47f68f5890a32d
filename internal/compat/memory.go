package compat

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
)

// Bounds of dialects.
const (
	// RulesWait is how long an answer waits for facts by rules and for vectors. Tutorials search right after they add.
	RulesWait = time.Second
	// MaxListed is how far pages with numbers reach: to give one, all before it are read.
	MaxListed = 10_000
)

// Memories returns the filter for what a dialect calls a memory: notes, facts, and people's turns. An assistant's turns
// are included only if assistants are requested, for example by name.
func Memories(assistants bool) cairn.Filter {
	roles := []any{cairn.RoleUser}
	if assistants {
		roles = append(roles, cairn.RoleAssistant)
	}
	return cairn.Filter{Or: []cairn.Filter{
		cairn.Where("kind", cairn.OpIn, []any{cairn.KindNote, cairn.KindFact}),
		cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindEpisode), cairn.Where("role", cairn.OpIn, roles)),
	}}
}

// Listed returns the active memories that a filter accepts, newest first, up to [MaxListed]. A fact whose evidence is a
// turn of the list is left out: the turn says it already.
func (c *Call) Listed(ctx context.Context, s cairn.Scope, f cairn.Filter) ([]cairn.Memory, error) {
	out, err := c.All(ctx, s, f, true)
	if err != nil {
		return nil, err
	}
	return SaidOnce(out, func(m *cairn.Memory) *cairn.Memory { return m }), nil
}

// SaidOnce leaves out the facts that rest on a turn of the same list.
func SaidOnce[T any](list []T, of func(*T) *cairn.Memory) []T {
	turns := map[cairn.ID]bool{}
	for i := range list {
		if m := of(&list[i]); m.Fact == nil {
			turns[m.ID] = true
		}
	}
	return slices.DeleteFunc(list, func(v T) bool {
		m := of(&v)
		return m.Fact != nil && slices.ContainsFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool {
			return turns[ev.EpisodeID]
		})
	})
}

// Nearest returns the k memories of a filter that are nearest to a question, the best first, weak ones at the end.
func (c *Call) Nearest(ctx context.Context, s cairn.Scope, query string, k int, f cairn.Filter) ([]cairn.Hit, error) {
	found, err := c.Recall(ctx, s, cairn.RecallRequest{Query: query, K: min(2*k, cairn.MaxK), Filter: f, Explain: true})
	if err != nil {
		return nil, err
	}
	hits := SaidOnce(found.Hits, func(h *cairn.Hit) *cairn.Memory { return &h.Memory })
	return hits[:min(k, len(hits))], nil
}

// All returns the active memories that a filter accepts, in order of time, up to [MaxListed].
func (c *Call) All(ctx context.Context, s cairn.Scope, f cairn.Filter, newest bool) ([]cairn.Memory, error) {
	var out []cairn.Memory
	r := cairn.ListRequest{Filter: f, Newest: newest, Limit: cairn.MaxPageSize}
	for {
		page, err := c.List(ctx, s, r)
		if err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if r.Cursor = page.NextCursor; r.Cursor == "" || len(out) >= MaxListed {
			return out, nil
		}
	}
}

// Page cuts page number n, from 1, out of a list.
func Page[T any](all []T, n, size int) []T {
	from := min(max(n-1, 0)*size, len(all))
	return all[from:min(from+size, len(all))]
}

// Current returns the memory that is under an id now: itself, or what replaced it. NotFound: it was forgotten or
// erased, its time is over, or there was none.
func (c *Call) Current(ctx context.Context, s cairn.Scope, id string) (cairn.Memory, error) {
	gone := cairn.Errorf(cairn.NotFound, "memory %.64q does not exist", id)
	if cairn.ID(id).Validate() != nil {
		return cairn.Memory{}, gone
	}
	m, err := c.Get(ctx, s, cairn.ID(id))
	if err != nil {
		return m, err
	}
	if m.SupersededBy != "" && m.StateAt(c.Now()) != cairn.StateActive {
		h, err := c.History(ctx, s, m.ID)
		if err != nil {
			return m, err
		}
		m = h.Versions[0]
	}
	if m.StateAt(c.Now()) != cairn.StateActive {
		return m, gone
	}
	return m, nil
}

// Delete forgets memories, or erases them where deleting means that.
func (c *Call) Delete(ctx context.Context, s cairn.Scope, ids []cairn.ID, f cairn.Filter) (deleted int, err error) {
	if !c.Erases {
		res, err := c.Forget(ctx, s, cairn.ForgetRequest{IDs: ids, Filter: f})
		return len(res.IDs), err
	}
	if !c.Access.Allows(cairn.AccessAdmin) {
		return 0, cairn.Errorf(cairn.Forbidden, "this server erases deleted memories, which needs the right %s; the key holds %s",
			cairn.AccessAdmin, c.Access)
	}
	receipt, err := c.Engine.Erase(ctx, s, cairn.EraseRequest{IDs: ids, Filter: f})
	return receipt.Memories + receipt.Facts, err
}

// AwaitRules waits for the facts that rules find in memories, for [RulesWait] at most and never for a model, and
// reports whether facts are still to be derived.
func (c *Call) AwaitRules(ctx context.Context, s cairn.Scope, ids []cairn.ID) (pending bool, err error) {
	return c.AwaitFacts(ctx, s, ids, RulesWait)
}

// Keep stores a request and waits for vectors as long as an answer may wait.
func (c *Call) Keep(ctx context.Context, s cairn.Scope, r cairn.RememberRequest) (cairn.RememberResult, error) {
	r.Wait = cairn.WaitIndexed
	return c.Waiting(RulesWait, RulesWait).Remember(ctx, s, r)
}

// Edit is a change of a memory. Nil fields stay unchanged.
type Edit struct {
	Text       *string
	Metadata   *map[string]any
	ValidUntil *string
}

// Rewrite changes a memory. New words of a turn, which is verbatim, or of a fact make a new memory that replaces it and
// has its scope, tags, data and time; all else is changed in place.
func (c *Call) Rewrite(ctx context.Context, s cairn.Scope, old cairn.Memory, by Edit) (cairn.Memory, error) {
	if by.Text == nil || *by.Text == old.Text || old.Kind == cairn.KindNote {
		if by.Text != nil && *by.Text == old.Text {
			by.Text = nil
		}
		if by == (Edit{}) {
			return old, nil
		}
		return c.Update(ctx, s, old.ID, cairn.UpdateRequest{Text: by.Text, Metadata: by.Metadata,
			ValidUntil: by.ValidUntil})
	}
	r := cairn.RememberRequest{Role: old.Role, Speaker: old.Speaker, Metadata: old.Metadata, Tags: old.Tags,
		Timestamp: Time{old.EventTime}.String(), Supersedes: []cairn.ID{old.ID}, Text: *by.Text}
	if old.Fact != nil {
		r.Role, r.Speaker, r.Text, r.Note, r.Supersedes = "", "", "", &cairn.Note{Content: *by.Text}, nil
	}
	if old.ValidUntil != nil {
		r.ValidUntil = Time{*old.ValidUntil}.String()
	}
	if by.Metadata != nil {
		r.Metadata = *by.Metadata
	}
	if by.ValidUntil != nil {
		r.ValidUntil = *by.ValidUntil
	}
	in := c.Within(old.Scope)
	res, err := c.Keep(ctx, in, r)
	if err != nil {
		return old, err
	}
	if len(res.Memories) == 0 {
		return old, cairn.Errorf(cairn.Invalid, "text: is not stored: %s %s", res.Rejected[0].Reason,
			res.Rejected[0].Detail)
	}
	// Facts derived from the old words were a mistake too.
	if _, err := c.Forget(ctx, s, cairn.ForgetRequest{IDs: []cairn.ID{old.ID}}); err != nil {
		return old, err
	}
	_, err = c.AwaitRules(ctx, in, []cairn.ID{res.Memories[0].ID})
	return res.Memories[0], err
}
