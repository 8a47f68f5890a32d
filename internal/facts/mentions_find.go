package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/mention"
	"github.com/cairn-memory/cairn/internal/truth"
)

// spoken holds what was found in some changes of a tenant.
type spoken struct {
	w      *mentioning
	scope  cairn.Scope
	stated map[cairn.ID]bool        // facts that are new or were stated again
	found  map[cairn.ID][]Mentioned // by fact
	read   map[cairn.ID]mention.Turn
}

func newSpoken(w *mentioning, s cairn.Scope) *spoken {
	return &spoken{w: w, scope: s, stated: map[cairn.ID]bool{}, found: map[cairn.ID][]Mentioned{},
		read: map[cairn.ID]mention.Turn{}}
}

// person identifies words and facts that belong together: those of a user, else of a project, else of a session, else
// those stored about an entity.
type person struct{ user, project, session, entity string }

func personOf(s cairn.Scope, entity cairn.ID) person {
	switch {
	case s.User != "":
		return person{user: s.User}
	case s.Project != "":
		return person{project: s.Project}
	case s.Session != "":
		return person{session: s.Session}
	}
	return person{entity: string(entity)}
}

// persons returns everybody whose facts a turn may mention. Facts of a project have no user, but users mention them.
func persons(s cairn.Scope, entity cairn.ID) []person {
	out := []person{personOf(s, entity)}
	for _, p := range []person{{project: s.Project}, {session: s.Session}} {
		if p != (person{}) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// subjects returns the entities that turns without a narrower scope than their tenant were stored about, by the turns'
// sources.
func (f *spoken) subjects(ctx context.Context, turns []cairn.Memory) (map[cairn.ID]cairn.ID, error) {
	var ids []cairn.ID
	for i := range turns {
		if s := &turns[i].Scope; s.User+s.Project+s.Session == "" {
			ids = append(ids, turns[i].SourceID)
		}
	}
	slices.Sort(ids)
	out := map[cairn.ID]cairn.ID{}
	if len(ids) == 0 {
		return out, nil
	}
	rs, err := f.w.store.Records(ctx, f.scope, cairn.RecordListing{Kind: cairn.RecordSource, IDs: slices.Compact(ids)})
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		src, err := truth.Decode[cairn.Source](r)
		if err != nil {
			return nil, err
		}
		if src.Extraction != nil {
			out[src.ID] = src.Extraction.Entity
		}
	}
	return out, nil
}

// byTurns finds the facts that new turns mention.
func (f *spoken) byTurns(ctx context.Context, turns []cairn.Memory) error {
	about, err := f.subjects(ctx, turns)
	if err != nil {
		return err
	}
	of := map[person][]cairn.Memory{}
	values := map[string][]string{}
	for _, m := range turns {
		for _, p := range persons(m.Scope, about[m.SourceID]) {
			of[p] = append(of[p], m)
			for field, value := range map[string]string{"user": p.user, "project": p.project, "session": p.session,
				"entity_id": p.entity} {
				if value != "" && !slices.Contains(values[field], value) {
					values[field] = append(values[field], value)
				}
			}
		}
	}
	active := cairn.AllOf(truth.AnyFact, cairn.Where("state", cairn.OpEq, cairn.StateActive), truth.Unshared)
	for _, field := range []string{"user", "project", "session", "entity_id"} {
		for some := range slices.Chunk(values[field], RestStep) {
			facts := map[person][]cairn.Memory{}
			filter := cairn.AllOf(active, cairn.Where(field, cairn.OpIn, some))
			for m, err := range truth.Sound(f.w.store.List(ctx, f.scope, cairn.Listing{Filter: filter}), nil) {
				if err != nil {
					return err
				}
				p := personOf(m.Scope, m.Fact.EntityID)
				facts[p] = append(facts[p], m)
			}
			for p, known := range facts {
				if err := f.compare(ctx, known, of[p]); err != nil {
					return err
				}
			}
		}
		active = cairn.AllOf(active, cairn.Where(field, cairn.OpEq, nil)) // otherwise the fact belongs to somebody
	}
	return nil
}

// ofFacts finds earlier turns that mention facts which were derived later.
func (f *spoken) ofFacts(ctx context.Context, facts []cairn.Memory) error {
	of := map[person][]cairn.Memory{}
	for _, m := range facts {
		f.stated[m.ID] = true
		p := personOf(m.Scope, m.Fact.EntityID)
		of[p] = append(of[p], m)
	}
	by, err := Said(ctx, f.w.store, f.scope, facts)
	if err != nil {
		return err
	}
	for p, known := range of {
		since := f.w.now()
		for _, m := range known {
			if last := by.last(&m); last.RecordedAt.Before(since) {
				since = last.RecordedAt
			}
		}
		var turns []cairn.Memory
		where := f.scope
		where.User, where.Project, where.Session = p.user, p.project, p.session
		filter := cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindEpisode),
			cairn.Where("recorded_at", cairn.OpGte, since))
		for m, err := range truth.Sound(
			f.w.store.List(ctx, where, cairn.Listing{Filter: filter, Order: cairn.OrderRecorded, Limit: mentionBack}),
			nil) {
			if err != nil {
				return err
			}
			if speaks(&m) {
				turns = append(turns, m)
			}
		}
		if p.entity != "" {
			about, err := f.subjects(ctx, turns)
			if err != nil {
				return err
			}
			turns = slices.DeleteFunc(
				turns, func(m cairn.Memory) bool { return personOf(m.Scope, about[m.SourceID]) != p })
		}
		if err := f.compare(ctx, known, turns); err != nil {
			return err
		}
	}
	return nil
}

// compare records which of the turns mention which of the facts again.
func (f *spoken) compare(ctx context.Context, facts, turns []cairn.Memory) error {
	if len(facts) == 0 || len(turns) == 0 {
		return nil
	}
	names, err := EntityNames(ctx, f.w.store, f.scope, facts) // they do not count as words of the facts
	if err != nil {
		return err
	}
	keys := make([][]mention.Key, len(facts))
	holding := map[string][]int{} // positions of facts, by the letters of their words
	for i := range facts {
		m := &facts[i]
		keys[i] = f.w.keys.keysOf(m, names[m.Fact.EntityID])
		for _, k := range keys[i] {
			holding[k.Letters] = append(holding[k.Letters], i)
		}
	}
	type pair struct{ fact, turn int }
	pairs := map[pair]bool{}
	touched := map[int]bool{}
	for j := range turns {
		f.reading(&turns[j]).Letters(func(letters string) {
			for _, i := range holding[letters] {
				if sameSpeaker(&facts[i], &turns[j]) {
					pairs[pair{i, j}], touched[i] = true, true
				}
			}
		})
	}
	var some []cairn.Memory
	for i := range touched {
		some = append(some, facts[i])
	}
	by, err := Said(ctx, f.w.store, f.scope, some)
	if err != nil {
		return err
	}
	for p := range pairs {
		m, turn := &facts[p.fact], &turns[p.turn]
		if !by.before(m, turn) {
			continue
		}
		if at, ok := f.reading(turn).Of(keys[p.fact]); ok {
			f.found[m.ID] = append(f.found[m.ID], Mentioned{turn.ID, turn.EventTime, at.Start, at.End, at.Asks})
		}
	}
	return nil
}

func (f *spoken) reading(m *cairn.Memory) mention.Turn {
	t, ok := f.read[m.ID]
	if !ok {
		t = mention.Read(m.Text)
		f.read[m.ID] = t
	}
	return t
}

// sameSpeaker reports whether a turn may come from the person who stated a fact.
func sameSpeaker(fact, turn *cairn.Memory) bool {
	return fact.Speaker == "" || turn.Speaker == "" ||
		strings.EqualFold(strings.TrimSpace(fact.Speaker), strings.TrimSpace(turn.Speaker))
}

// saidBy maps ids to the turns that facts rest on.
type saidBy map[cairn.ID]*cairn.Memory

func Said(ctx context.Context, store cairn.Store, s cairn.Scope, facts []cairn.Memory) (saidBy, error) {
	var ids []cairn.ID
	for i := range facts {
		for _, ev := range facts[i].Fact.Evidence {
			ids = append(ids, ev.EpisodeID)
		}
	}
	slices.Sort(ids)
	out := saidBy{}
	for chunk := range slices.Chunk(slices.Compact(ids), MentionStep) {
		ms, _, err := truth.SoundOf(store.Get(ctx, s, chunk))
		if err != nil {
			return nil, err
		}
		for i := range ms {
			out[ms[i].ID] = &ms[i]
		}
	}
	return out, nil
}

// last returns the latest turn that a fact rests on, or the fact itself if none is known.
func (e saidBy) last(m *cairn.Memory) *cairn.Memory {
	last := m
	for _, ev := range m.Fact.Evidence {
		if turn := e[ev.EpisodeID]; turn != nil && !ev.Withdrawn && (last == m || turnsOrder(turn, last) > 0) {
			last = turn
		}
	}
	return last
}

// before reports whether a turn came after everything that a fact rests on.
func (e saidBy) before(m, turn *cairn.Memory) bool {
	return turnsOrder(turn, e.last(m)) > 0 && !RestsOnAny(m, map[cairn.ID]bool{turn.ID: true})
}

// turnsOrder compares turns by time; turns of the same time by their position in the session, or by when they were
// stored.
func turnsOrder(a, b *cairn.Memory) int {
	if c := a.EventTime.Compare(b.EventTime); c != 0 {
		return c
	}
	if a.Scope == b.Scope && a.Scope.Session != "" {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return a.RecordedAt.Compare(b.RecordedAt)
}

// commit adds what was found to the stored mentions.
func (f *spoken) commit(ctx context.Context, gone []cairn.ID) error {
	ids := slices.Concat(gone, slices.Collect(maps.Keys(f.found)), slices.Collect(maps.Keys(f.stated)))
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(slices.Compact(ids), MentionStep) {
		rs, err := f.w.store.Records(ctx, f.scope, cairn.RecordListing{Kind: cairn.RecordMentions, IDs: chunk})
		if err != nil {
			return err
		}
		held := map[cairn.ID]cairn.Record{}
		for _, r := range rs {
			held[r.ID] = r
		}
		var b cairn.Batch
		for _, id := range chunk {
			if err := f.put(&b, id, held[id], slices.Contains(gone, id)); err != nil {
				return err
			}
		}
		if len(b.Records)+len(b.Delete) > 0 {
			if _, err := f.w.store.Commit(ctx, f.scope, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// put adds the mentions of a fact to a batch if they changed.
func (f *spoken) put(b *cairn.Batch, id cairn.ID, held cairn.Record, gone bool) error {
	var was Mentions
	if held.ID != "" {
		if err := json.Unmarshal(held.Body, &was); err != nil {
			was = Mentions{} // it can be derived again
		}
	}
	noted := was.Turns
	if gone {
		noted = nil
	}
	is := f.of(id, noted)
	if slices.Equal(is, was.Turns) || len(is) == 0 && held.ID == "" {
		return nil
	}
	b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordMentions, ID: id, Version: held.Version})
	if len(is) == 0 {
		b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordMentions, ID: id})
		return nil
	}
	body, err := json.Marshal(Mentions{is})
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordMentions, ID: id, Version: 1, Body: body})
	return err
}
