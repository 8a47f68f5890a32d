package mentions

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/mention"
	"github.com/trilith-memory/trilith/internal/survive"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	earlierTurns    = 500 // earlier turns that are searched for a fact that was derived after them
	filterValues    = 200 // of one listing, because the size of a filter is limited
	mentionsPerFact = 6   // the latest ones; some may be forgotten, and some hidden from a reader
)

// search compares turns with facts in some changes of a tenant, and holds what it found.
type search struct {
	truth    *truth.Truth
	entities *entities.Entities
	keys     *keyCache
	scope    trilith.Scope

	stated map[trilith.ID]bool         // facts that are new or were stated again
	found  map[trilith.ID][]Mention    // by fact
	parsed map[trilith.ID]mention.Turn // by turn
}

func newSearch(fl *follower, s trilith.Scope) *search {
	return &search{truth: fl.truth, entities: fl.entities, keys: &fl.keys, scope: s, stated: map[trilith.ID]bool{},
		found: map[trilith.ID][]Mention{}, parsed: map[trilith.ID]mention.Turn{}}
}

// group identifies turns and facts that are compared: those of a user, else of a project, else of a session, else those
// stored about an entity.
type group struct{ user, project, session, entity string }

// groupOf returns the group of a fact about an entity, or of a turn that was stored about it.
func groupOf(s trilith.Scope, entity trilith.ID) group {
	switch {
	case s.User != "":
		return group{user: s.User}
	case s.Project != "":
		return group{project: s.Project}
	case s.Session != "":
		return group{session: s.Session}
	}
	return group{entity: string(entity)}
}

// groupsOf returns the groups of all facts that a turn may mention. Facts of a project have no user, but users mention
// them.
func groupsOf(s trilith.Scope, entity trilith.ID) []group {
	out := []group{groupOf(s, entity)}
	for _, g := range []group{{project: s.Project}, {session: s.Session}} {
		if g != (group{}) && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// entitiesOfTurns returns the entities that turns without a narrower scope than their tenant were stored about, by the
// ids of their sources.
func (f *search) entitiesOfTurns(ctx context.Context, turns []trilith.Memory) (map[trilith.ID]trilith.ID, error) {
	var ids []trilith.ID
	for i := range turns {
		if s := &turns[i].Scope; s.User+s.Project+s.Session == "" {
			ids = append(ids, turns[i].SourceID)
		}
	}
	slices.Sort(ids)
	out := map[trilith.ID]trilith.ID{}
	if len(ids) == 0 {
		return out, nil
	}
	rs, err := f.truth.Store.Records(
		ctx, f.scope, trilith.RecordListing{Kind: trilith.RecordSource, IDs: slices.Compact(ids)})
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		src, err := truth.Decode[trilith.Source](r)
		if err != nil {
			return nil, err
		}
		if src.Extraction != nil {
			out[src.ID] = src.Extraction.Entity
		}
	}
	return out, nil
}

// forTurns finds the facts that new turns mention.
func (f *search) forTurns(ctx context.Context, turns []trilith.Memory) error {
	about, err := f.entitiesOfTurns(ctx, turns)
	if err != nil {
		return err
	}
	of := map[group][]trilith.Memory{}
	values := map[string][]string{}
	for _, m := range turns {
		for _, p := range groupsOf(m.Scope, about[m.SourceID]) {
			of[p] = append(of[p], m)
			for field, value := range map[string]string{"user": p.user, "project": p.project, "session": p.session,
				"entity_id": p.entity} {
				if value != "" && !slices.Contains(values[field], value) {
					values[field] = append(values[field], value)
				}
			}
		}
	}
	active := trilith.AllOf(truth.AnyFact, trilith.Where("state", trilith.OpEq, trilith.StateActive), truth.Unshared)
	for _, field := range []string{"user", "project", "session", "entity_id"} {
		for some := range slices.Chunk(values[field], filterValues) {
			facts := map[group][]trilith.Memory{}
			filter := trilith.AllOf(active, trilith.Where(field, trilith.OpIn, some))
			for m, err := range truth.Sound(f.truth.Store.List(ctx, f.scope, trilith.Listing{Filter: filter}), nil) {
				if err != nil {
					return err
				}
				p := groupOf(m.Scope, m.Fact.EntityID)
				facts[p] = append(facts[p], m)
			}
			for p, known := range facts {
				if err := f.compare(ctx, known, of[p]); err != nil {
					return err
				}
			}
		}
		active = trilith.AllOf(active, trilith.Where(field, trilith.OpEq, nil)) // otherwise the fact belongs to somebody
	}
	return nil
}

// forFacts finds earlier turns that mention facts which were derived later.
func (f *search) forFacts(ctx context.Context, facts []trilith.Memory) error {
	of := map[group][]trilith.Memory{}
	for _, m := range facts {
		f.stated[m.ID] = true
		p := groupOf(m.Scope, m.Fact.EntityID)
		of[p] = append(of[p], m)
	}
	by, err := f.evidenceOf(ctx, facts)
	if err != nil {
		return err
	}
	for p, known := range of {
		since := f.truth.Now()
		for _, m := range known {
			if last := by.last(&m); last.RecordedAt.Before(since) {
				since = last.RecordedAt
			}
		}
		var turns []trilith.Memory
		where := f.scope
		where.User, where.Project, where.Session = p.user, p.project, p.session
		filter := trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindEpisode),
			trilith.Where("recorded_at", trilith.OpGte, since))
		for m, err := range truth.Sound(
			f.truth.Store.List(
				ctx, where, trilith.Listing{Filter: filter, Order: trilith.OrderRecorded, Limit: earlierTurns}), nil) {
			if err != nil {
				return err
			}
			if isUserTurn(&m) {
				turns = append(turns, m)
			}
		}
		if p.entity != "" {
			about, err := f.entitiesOfTurns(ctx, turns)
			if err != nil {
				return err
			}
			turns = slices.DeleteFunc(
				turns, func(m trilith.Memory) bool { return groupOf(m.Scope, about[m.SourceID]) != p })
		}
		if err := f.compare(ctx, known, turns); err != nil {
			return err
		}
	}
	return nil
}

// compare records which of the turns mention which of the facts again.
func (f *search) compare(ctx context.Context, facts, turns []trilith.Memory) error {
	if len(facts) == 0 || len(turns) == 0 {
		return nil
	}
	names, err := f.entities.SubjectNames(ctx, f.scope, facts) // they do not count as words of the facts
	if err != nil {
		return err
	}
	keys := make([][]mention.Key, len(facts))
	holding := map[string][]int{} // positions of facts, by the letters of their words
	for i := range facts {
		m := &facts[i]
		f.spare(m, func() { keys[i] = f.keys.keysOf(m, names[m.Fact.EntityID]) })
		for _, k := range keys[i] {
			holding[k.Letters] = append(holding[k.Letters], i)
		}
	}
	type pair struct{ fact, turn int }
	pairs := map[pair]bool{}
	touched := map[int]bool{}
	for j := range turns {
		f.parse(&turns[j]).Letters(func(letters string) {
			for _, i := range holding[letters] {
				if sameSpeaker(&facts[i], &turns[j]) {
					pairs[pair{i, j}], touched[i] = true, true
				}
			}
		})
	}
	var some []trilith.Memory
	for i := range touched {
		some = append(some, facts[i])
	}
	by, err := f.evidenceOf(ctx, some)
	if err != nil {
		return err
	}
	for p := range pairs {
		m, turn := &facts[p.fact], &turns[p.turn]
		if !by.before(m, turn) {
			continue
		}
		f.spare(turn, func() {
			if at, ok := f.parse(turn).Of(keys[p.fact]); ok {
				f.found[m.ID] = append(f.found[m.ID], Mention{turn.ID, turn.EventTime, at.Start, at.End, at.Asks})
			}
		})
	}
	return nil
}

// parse returns the words of a turn.
func (f *search) parse(m *trilith.Memory) mention.Turn {
	t, ok := f.parsed[m.ID]
	if !ok {
		f.spare(m, func() { t = mention.Read(m.Text) })
		f.parsed[m.ID] = t
	}
	return t
}

// spare has the words of a memory read. If that panics, they mention nothing.
func (f *search) spare(m *trilith.Memory, read func()) {
	if err := survive.Do(func() error { read(); return nil }); err != nil {
		f.truth.Logger.Error("mentions: a memory cannot be read, so it mentions nothing", "memory", m.ID, "panic", err)
	}
}

// sameSpeaker reports whether a turn may come from the person who stated a fact.
func sameSpeaker(fact, turn *trilith.Memory) bool {
	return fact.Speaker == "" || turn.Speaker == "" ||
		strings.EqualFold(strings.TrimSpace(fact.Speaker), strings.TrimSpace(turn.Speaker))
}

// evidence maps ids to the turns that facts rest on.
type evidence map[trilith.ID]*trilith.Memory

func (f *search) evidenceOf(ctx context.Context, facts []trilith.Memory) (evidence, error) {
	return truth.CitedEpisodes(ctx, f.truth.Store, f.scope, facts)
}

// last returns the latest turn that a fact rests on, or the fact itself if none is known.
func (e evidence) last(m *trilith.Memory) *trilith.Memory {
	last := m
	for _, ev := range m.Fact.Evidence {
		if turn := e[ev.EpisodeID]; turn != nil && !ev.Withdrawn && (last == m || compareTurns(turn, last) > 0) {
			last = turn
		}
	}
	return last
}

// before reports whether a turn came after everything that a fact rests on.
func (e evidence) before(m, turn *trilith.Memory) bool {
	return compareTurns(turn, e.last(m)) > 0 && !cites(m, turn)
}

// cites reports whether a fact rests on a turn.
func cites(m, turn *trilith.Memory) bool {
	return slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool { return ev.EpisodeID == turn.ID })
}

// compareTurns compares turns by time; turns of the same time by their position in the session, or by when they were
// stored.
func compareTurns(a, b *trilith.Memory) int {
	if c := a.EventTime.Compare(b.EventTime); c != 0 {
		return c
	}
	if a.Scope == b.Scope && a.Scope.Session != "" {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return a.RecordedAt.Compare(b.RecordedAt)
}

// commit adds what was found to the stored mentions.
func (f *search) commit(ctx context.Context, gone []trilith.ID) error {
	ids := slices.Concat(gone, slices.Collect(maps.Keys(f.found)), slices.Collect(maps.Keys(f.stated)))
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(slices.Compact(ids), truth.ReadStep) {
		rs, err := f.truth.Store.Records(ctx, f.scope, trilith.RecordListing{Kind: trilith.RecordMentions, IDs: chunk})
		if err != nil {
			return err
		}
		held := map[trilith.ID]trilith.Record{}
		for _, r := range rs {
			held[r.ID] = r
		}
		var b trilith.Batch
		for _, id := range chunk {
			if err := f.put(&b, id, held[id], slices.Contains(gone, id)); err != nil {
				return err
			}
		}
		if len(b.Records)+len(b.Delete) > 0 {
			if _, err := f.truth.Store.Commit(ctx, f.scope, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// put adds the mentions of a fact to a batch if they changed.
func (f *search) put(b *trilith.Batch, id trilith.ID, held trilith.Record, gone bool) error {
	var was record
	if held.ID != "" {
		if err := json.Unmarshal(held.Body, &was); err != nil {
			was = record{} // it can be derived again
		}
	}
	recorded := was.Mentions
	if gone {
		recorded = nil
	}
	is := f.merged(id, recorded)
	if slices.Equal(is, was.Mentions) || len(is) == 0 && held.ID == "" {
		return nil
	}
	b.Expect = append(b.Expect, trilith.Expect{Kind: trilith.RecordMentions, ID: id, Version: held.Version})
	if len(is) == 0 {
		b.Delete = append(b.Delete, trilith.Ref{Kind: trilith.RecordMentions, ID: id})
		return nil
	}
	body, err := json.Marshal(record{is})
	b.Records = append(b.Records, trilith.Record{Kind: trilith.RecordMentions, ID: id, Version: 1, Body: body})
	return err
}

// merged returns the mentions of a fact from its record and from what was just found, the latest first. For a fact that
// was stated again, only those just found count.
func (f *search) merged(id trilith.ID, recorded []Mention) []Mention {
	all := slices.Clone(f.found[id])
	if !f.stated[id] {
		all = append(all, recorded...)
	}
	slices.SortFunc(all, func(a, b Mention) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.EpisodeID, a.EpisodeID))
	})
	all = slices.CompactFunc(all, func(a, b Mention) bool { return a.EpisodeID == b.EpisodeID })
	return all[:min(len(all), mentionsPerFact)]
}
