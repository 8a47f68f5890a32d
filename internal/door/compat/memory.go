package compat

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// Bounds of dialects.
const (
	// RulesWait is how long an answer waits for facts by rules and for vectors. Tutorials search right after they add.
	RulesWait = time.Second
	// maxListed is how far pages with numbers reach: to give one, all before it are read.
	maxListed = 10_000
	mostEnded = 50 // ended facts that are read in addition, so that they displace no active memory
)

// Listed returns the active memories that a filter accepts, newest first, up to [maxListed]. A fact whose evidence is a
// turn of the list is left out: the turn says it already.
func (c *Call) Listed(ctx context.Context, s trilith.Scope, f trilith.Filter) ([]trilith.Memory, error) {
	out, err := c.All(ctx, s, f, true)
	if err != nil {
		return nil, err
	}
	return saidOnce(out, func(m *trilith.Memory) *trilith.Memory { return m }, nil), nil
}

// All returns the active memories that a filter accepts, in order of time, up to [maxListed].
func (c *Call) All(ctx context.Context, s trilith.Scope, f trilith.Filter, newest bool) ([]trilith.Memory, error) {
	var out []trilith.Memory
	r := trilith.ListRequest{Filter: f, Newest: newest, Limit: trilith.MaxPageSize}
	for {
		page, err := c.List(ctx, s, r)
		if err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if r.Cursor = page.NextCursor; r.Cursor == "" || len(out) >= maxListed {
			return out, nil
		}
	}
}

// Nearest returns the K memories that a request finds, the best first, weak ones at the end, with the parts of their
// scores, and the scale of these. An active fact comes before the facts that it has replaced and before the turns that
// those rest on: there it stays, although its own turns are listed too. Metadata count the others that say the same,
// under duplicates, unless that is a key of the caller's.
func (c *Call) Nearest(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) ([]trilith.Hit, trilith.Scale, error) {
	found, scale, err := c.WithEnded(ctx, s, r)
	if err != nil {
		return nil, "", err
	}
	hits, moved := c.holding(found)
	hits = saidOnce(hits[:min(2*r.K, len(hits))], func(h *trilith.Hit) *trilith.Memory { return &h.Memory }, moved)
	for i := range hits {
		if h := &hits[i]; h.Duplicates > 0 {
			own := h.Memory.Metadata
			h.Memory.Metadata = map[string]any{"duplicates": h.Duplicates}
			maps.Copy(h.Memory.Metadata, own)
		}
	}
	return hits[:min(r.K, len(hits))], scale, nil
}

// WithEnded returns the results of a request together with facts that have ended, best first: more than twice its K, if
// there are that many, so that ended facts displace no active memory.
func (c *Call) WithEnded(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (
	[]trilith.Hit, trilith.Scale, error) {
	r.K, r.Filter, r.Explain = min(2*r.K+mostEnded, trilith.MaxK), EndedToo(r.Filter), true
	r.States = []trilith.State{trilith.StateActive, trilith.StateSuperseded, trilith.StateExpired}
	found, err := c.Recall(ctx, s, r)
	return found.Hits, found.Scale, c.Partly(found.Coverage, err)
}

// EndedToo narrows a filter to active memories, and to facts that are superseded or expired.
func EndedToo(f trilith.Filter) trilith.Filter {
	in := func(states ...any) trilith.Filter { return trilith.Where("state", trilith.OpIn, states) }
	return trilith.AllOf(f, trilith.Filter{Or: []trilith.Filter{in(trilith.StateActive),
		trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindFact),
			in(trilith.StateSuperseded, trilith.StateExpired))}})
}

// Partly has the header say that a part of a search failed, and returns the errors that remain.
func (c *Call) Partly(found trilith.Coverage, err error) error {
	found, err = engine.Partly(found, err)
	engine.SayPartly(c.Header, found)
	return err
}

// holding leaves ended memories out. A fact that replaced one of them moves to where that stood, or to the first turn
// on which that rests. Turns keep their order: the words of a person are not judged.
func (c *Call) holding(hits []trilith.Hit) (out []trilith.Hit, moved map[trilith.ID]bool) {
	at, place := map[trilith.ID]int{}, map[trilith.ID]int{}
	for i := range hits {
		at[hits[i].Memory.ID], place[hits[i].Memory.ID] = i, 2*i
	}
	moved = map[trilith.ID]bool{}
	for i := range hits {
		m := &hits[i].Memory
		now := m
		for range hits { // what replaced it may have been replaced
			if j, ok := at[now.SupersededBy]; ok && c.Ended(now) {
				now = &hits[j].Memory
			}
		}
		if m.Fact == nil || !c.Ended(m) || c.Ended(now) {
			continue
		}
		to := place[m.ID]
		for _, ev := range m.Fact.Evidence {
			if turn, ok := at[ev.EpisodeID]; ok {
				to = min(to, 2*turn)
			}
		}
		if to < place[now.ID] {
			moved[now.ID], place[now.ID] = true, to-1
		}
	}
	out = slices.Clone(hits)
	slices.SortStableFunc(out, func(a, b trilith.Hit) int { return place[a.Memory.ID] - place[b.Memory.ID] })
	return slices.DeleteFunc(out, func(h trilith.Hit) bool { return c.Ended(&h.Memory) }), moved
}

// Ended reports whether a memory holds no longer.
func (c *Call) Ended(m *trilith.Memory) bool { return m.StateAt(c.Now()) != trilith.StateActive }

// saidOnce leaves out the facts that rest on a turn of the same list, but for some.
func saidOnce[T any](list []T, of func(*T) *trilith.Memory, but map[trilith.ID]bool) []T {
	turns := map[trilith.ID]bool{}
	for i := range list {
		if m := of(&list[i]); m.Fact == nil {
			turns[m.ID] = true
		}
	}
	return slices.DeleteFunc(list, func(v T) bool {
		m := of(&v)
		return m.Fact != nil && !but[m.ID] && slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool {
			return turns[ev.EpisodeID]
		})
	})
}

// Page cuts page number n, from 1, out of a list.
func Page[T any](all []T, n, size int) []T {
	from := min(max(n-1, 0)*size, len(all))
	return all[from:min(from+size, len(all))]
}

// Current returns the memory that is under an id now: itself, or what replaced it. NotFound: it was forgotten or
// erased, its time is over, or there was none.
func (c *Call) Current(ctx context.Context, s trilith.Scope, id string) (trilith.Memory, error) {
	gone := trilith.Errorf(trilith.NotFound, "memory %.64q does not exist", id)
	if trilith.IDOf(id).Validate() != nil {
		return trilith.Memory{}, gone
	}
	m, err := c.Get(ctx, s, trilith.IDOf(id))
	if err != nil {
		return m, err
	}
	if m.SupersededBy != "" && m.StateAt(c.Now()) != trilith.StateActive {
		h, err := c.History(ctx, s, m.ID)
		if err != nil {
			return m, err
		}
		m = h.Versions[0]
	}
	if m.StateAt(c.Now()) != trilith.StateActive {
		return m, gone
	}
	return m, nil
}

// Delete forgets memories, or erases them where deleting means that.
func (c *Call) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID, f trilith.Filter) (deleted int, err error) {
	if !c.Erases {
		res, err := c.Forget(ctx, s, trilith.ForgetRequest{IDs: ids, Filter: f})
		return len(res.IDs), err
	}
	if !c.Access.Allows(trilith.AccessAdmin) {
		return 0, trilith.Errorf(trilith.Forbidden, "this server erases deleted memories, which needs the right %s; the key holds %s",
			trilith.AccessAdmin, c.Access)
	}
	receipt, err := c.Engine.Erase(ctx, s, trilith.EraseRequest{IDs: ids, Filter: f})
	return receipt.Memories + receipt.Facts, err
}

// Edit is a change of a memory. Nil fields stay unchanged.
type Edit struct {
	Text       *string
	Metadata   *map[string]any
	ValidUntil *string
}

// Rewrite changes a memory. New words of a turn, which is verbatim, or of a fact make a new memory that replaces it and
// has its scope, tags, data and time; all else is changed in place.
func (c *Call) Rewrite(ctx context.Context, s trilith.Scope, old trilith.Memory, by Edit) (trilith.Memory, error) {
	if by.Text == nil || *by.Text == old.Text || old.Kind == trilith.KindNote {
		if by.Text != nil && *by.Text == old.Text {
			by.Text = nil
		}
		if by == (Edit{}) {
			return old, nil
		}
		return c.Update(ctx, s, old.ID, trilith.UpdateRequest{Text: by.Text, Metadata: by.Metadata,
			ValidUntil: by.ValidUntil})
	}
	r := trilith.RememberRequest{Role: old.Role, Speaker: old.Speaker, Metadata: old.Metadata, Tags: old.Tags,
		Timestamp: Time{old.EventTime}.String(), Supersedes: []trilith.ID{old.ID}, Text: *by.Text}
	if old.Fact != nil {
		r.Role, r.Speaker, r.Text, r.Note, r.Supersedes = "", "", "", &trilith.Note{Content: *by.Text}, nil
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
		return old, trilith.Errorf(trilith.Invalid, "text: is not stored: %s %s", res.Rejected[0].Reason,
			res.Rejected[0].Detail)
	}
	// Facts derived from the old words were a mistake too.
	if _, err := c.Forget(ctx, s, trilith.ForgetRequest{IDs: []trilith.ID{old.ID}}); err != nil {
		return old, err
	}
	_, err = c.AwaitRules(ctx, in, []trilith.ID{res.Memories[0].ID})
	return res.Memories[0], err
}

// Keep stores a request and waits for vectors as long as an answer may wait.
func (c *Call) Keep(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	r.Wait = trilith.WaitIndexed
	res, err := c.Waiting(RulesWait, RulesWait).Remember(ctx, s, r)
	c.Omitted.Add(res.Omitted)
	return res, err
}

// Memories returns the filter for the memories of a dialect: notes, facts, and people's turns. An assistant's turns are
// included only if assistants are requested, for example by name.
func Memories(assistants bool) trilith.Filter {
	roles := []any{trilith.RoleUser}
	if assistants {
		roles = append(roles, trilith.RoleAssistant)
	}
	return trilith.Filter{Or: []trilith.Filter{
		trilith.AllOf(trilith.Where("kind", trilith.OpIn, []any{trilith.KindNote, trilith.KindFact}),
			trilith.Where("role", trilith.OpNe, trilith.RoleSystem)),
		trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindEpisode), trilith.Where("role", trilith.OpIn, roles)),
	}}
}

// AwaitRules waits for the facts that rules find in memories, for [RulesWait] at most and never for a model, and
// reports whether facts are still to be derived.
func (c *Call) AwaitRules(ctx context.Context, s trilith.Scope, ids []trilith.ID) (pending bool, err error) {
	return c.AwaitFacts(ctx, s, ids, RulesWait)
}
