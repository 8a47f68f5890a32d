package reconcile

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// Parted is the effect of a merge or a split on facts.
type Parted struct {
	Put  []trilith.Memory // new or changed
	Gone []trilith.ID     // deleted ids
}

// Merge moves the facts of one entity to another, as if all had been said of that one from the start. Their evidence
// still names the entity that it was said of. A person's decision about a fact of either counts for the merged fact.
// Each owner's facts are merged separately. home is the own owner of the entity that keeps its facts.
func Merge(into, from trilith.ID, home trilith.Owner, ofInto, ofFrom []trilith.Memory, now time.Time) Parted {
	theirs, ours := byOwner(ofFrom), byOwner(ofInto)
	return forEach(func(owner trilith.Owner) Parted {
		return merge(into, from, owner != home, ours[owner], theirs[owner], others(ofInto, owner), now)
	}, ofFrom)
}

// Split moves the chosen facts of an entity to another: each with its former periods. Facts that they had closed are
// active again. home is the own owner of the other entity.
func Split(current []trilith.Memory, chosen []trilith.ID, to trilith.ID, home trilith.Owner, now time.Time) Parted {
	of := byOwner(current)
	return forEach(func(owner trilith.Owner) Parted { return split(of[owner], chosen, to, owner != home, now) }, current)
}

func split(current []trilith.Memory, chosen []trilith.ID, to trilith.ID, guest bool, now time.Time) Parted {
	var leaves []trilith.Memory
	for _, m := range current {
		if slices.ContainsFunc(current, func(c trilith.Memory) bool {
			return slices.Contains(chosen, c.ID) && c.Fact.Verb == m.Fact.Verb && alike(c.Fact, m.Fact)
		}) {
			leaves = append(leaves, m)
		}
	}
	kept, out := New(current, now), New(nil, now)
	p := Parted{}
	for _, m := range leaves {
		kept.Remove(m.ID)
		p.Gone = append(p.Gone, m.ID)
	}
	for _, m := range moved(leaves, to, guest, func(e *trilith.Evidence) { e.EntityID = "" }) {
		out.put(clone(m))
	}
	for _, m := range out.all() {
		out.replay(m.Fact, nil)
	}
	p.Put = append(kept.Changed(), out.Changed()...)
	p.Gone = append(p.Gone, kept.Gone()...)
	renew(p.Put, current, current)
	return p
}

// Unmerge removes from an entity's facts those that a merge has added. For verbs in which the merged entity had facts,
// both sides get their facts back, except for evidence that was erased or split off since. A later statement goes to
// the side that it was made about: the survivor, unless the other side has the entity in its evidence. A person's later
// decision about a fact counts for both sides that assert it. home is the own owner of the merged entity.
func Unmerge(current []trilith.Memory, mg trilith.EntityMerge, home trilith.Owner, theirs map[trilith.ID]bool,
	now time.Time) Parted {
	of, met := byOwner(current), byOwner(mg.Facts)
	return forEach(func(owner trilith.Owner) Parted {
		part := mg
		part.Facts = met[owner]
		return unmergeOne(of[owner], part, owner != home, theirs, now)
	}, current, mg.Facts)
}

type unmerge struct {
	merge  trilith.EntityMerge
	guest  bool // whether the facts' owner is a guest of the merged entity
	theirs map[trilith.ID]bool
	there  map[words]trilith.Evidence // the current evidence of the facts
	known  map[words]bool             // the evidence from before the merge
	verbs  map[string]bool            // verbs that both had then, named as by [Matter]
	kept   *Facts
	out    *Facts
}

// words identifies a piece of evidence of a value.
type words struct {
	verb, node string
	episode    trilith.ID
	start, end int
	successor  trilith.ID
}

func unmergeOne(current []trilith.Memory, mg trilith.EntityMerge, guest bool, theirs map[trilith.ID]bool,
	now time.Time) Parted {
	u := unmerge{merge: mg, guest: guest, theirs: theirs, there: map[words]trilith.Evidence{}, known: map[words]bool{},
		verbs: map[string]bool{},
		kept:  New(current, now), out: New(nil, now)}
	for _, m := range mg.Facts {
		u.verbs[Matter(m.Fact)[0]] = true
	}
	for i := range current {
		for _, e := range current[i].Fact.Evidence {
			u.there[wordsOf(&current[i], e)] = e
		}
		if m := u.kept.byID[current[i].ID]; u.verbs[Matter(m.Fact)[0]] {
			u.kept.byID[m.ID] = nil
		}
	}
	var changed []*trilith.Memory
	for _, m := range mg.Facts {
		if m, is := u.restore(m); is {
			changed = append(changed, m)
		}
	}
	for _, m := range changed {
		u.sides()[m.Fact.EntityID].replay(m.Fact, nil)
	}
	u.kept.revise(func(m *trilith.Memory) bool {
		before := len(m.Fact.Evidence)
		if !u.verbs[Matter(m.Fact)[0]] {
			m.Fact.Evidence = slices.DeleteFunc(
				m.Fact.Evidence, func(e trilith.Evidence) bool { return theirs[e.EntityID] })
		}
		return len(m.Fact.Evidence) < before
	})
	for i := range current {
		u.since(&current[i])
	}
	for i := range current {
		u.carry(&current[i])
	}
	p := Parted{Put: append(u.kept.Changed(), u.out.Changed()...), Gone: u.kept.Gone()}
	renew(p.Put, current, slices.Concat(current, mg.Facts))
	return p
}

// restore restores a fact with its current evidence, and reports whether that has changed.
func (u *unmerge) restore(was trilith.Memory) (m *trilith.Memory, changed bool) {
	m = clone(was)
	m.Fact.Evidence = slices.DeleteFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
		u.known[wordsOf(m, e)] = true
		_, there := u.there[wordsOf(m, e)]
		return !there && e.EpisodeID != ""
	})
	changed = len(m.Fact.Evidence) < len(was.Fact.Evidence)
	if len(m.Fact.Evidence) == 0 {
		return m, true
	}
	for i := range m.Fact.Evidence {
		if e, there := u.there[wordsOf(m, m.Fact.Evidence[i])]; there && e.Withdrawn != m.Fact.Evidence[i].Withdrawn {
			mark(m, i, e.Withdrawn)
			changed = true
		}
	}
	side := u.sides()[m.Fact.EntityID]
	if old, ok := side.known[m.ID]; ok {
		m.Version = old.Version
	}
	side.put(m)
	return m, changed
}

// since moves statements from after the merge to the side that they were made about.
func (u *unmerge) since(m *trilith.Memory) {
	met := u.verbs[Matter(m.Fact)[0]]
	ours, others := clone(*m), moved([]trilith.Memory{*m}, u.merge.From, u.guest, func(e *trilith.Evidence) {})[0]
	split := func(e trilith.Evidence, theirs bool) bool {
		return met && u.known[wordsOf(m, e)] || u.theirs[e.EntityID] != theirs
	}
	ours.Fact.Evidence = slices.DeleteFunc(ours.Fact.Evidence, func(e trilith.Evidence) bool { return split(e, false) })
	others.Fact.Evidence = slices.DeleteFunc(
		others.Fact.Evidence, func(e trilith.Evidence) bool { return split(e, true) })
	for i := range others.Fact.Evidence {
		if e := &others.Fact.Evidence[i]; e.EntityID == u.merge.From {
			e.EntityID = ""
		}
	}
	if met { // otherwise it is still there
		u.kept.hear(ours)
	}
	u.out.hear(&others)
}

func wordsOf(m *trilith.Memory, e trilith.Evidence) words {
	return words{m.Fact.Verb, nodeKey(m.Fact.Node), e.EpisodeID, e.Start, e.End, e.Successor}
}

// hear adds the evidence of a fact of another replay, as if it was stated now.
func (f *Facts) hear(m *trilith.Memory) {
	withdrawn := map[trilith.ID]bool{}
	if dropped(m) && len(m.Fact.Evidence) > 0 {
		for n := 0; f.byID[m.ID] != nil; n++ {
			m.ID = periodID(m.Fact, n)
		}
		f.put(clone(*m))
		f.replay(m.Fact, nil)
		return
	}
	for _, e := range m.Fact.Evidence {
		a := clone(*m)
		a.ID = a.Fact.MemoryID()
		a.State, a.EventTime, a.ValidUntil, a.Trust = trilith.StateActive, e.At, e.Until, cmp.Or(e.Trust, a.Trust)
		if e.At.IsZero() {
			a.EventTime = m.EventTime
		}
		a.Supersedes, a.SupersededBy, a.SupersededAt, a.Version = nil, "", nil, 1
		a.Text, a.SourceID, a.Fact.Rule = cmp.Or(e.Says, a.Text), cmp.Or(e.SourceID, a.SourceID),
			cmp.Or(e.Rule, a.Fact.Rule)
		a.Fact.Confidence, a.Fact.Certainty = cmp.Or(e.Confidence, a.Fact.Confidence),
			cmp.Or(e.Certainty, a.Fact.Certainty)
		if e.Ends {
			a.Fact.Polarity = trilith.Negated
		}
		if !a.Fact.Verification.Decided() {
			a.Fact.Verification = trilith.Verification{}
		}
		withdrawn[e.EpisodeID] = withdrawn[e.EpisodeID] || e.Withdrawn
		e.Withdrawn = false
		a.Fact.Evidence = []trilith.Evidence{e}
		f.Apply(Assertion{Memory: *a, Ends: e.Ends})
	}
	f.Withdraw(func(id trilith.ID) bool { return withdrawn[id] })
}

// carry repeats a person's changes since the merge in a restored fact: decisions on both sides that assert it, tags
// and metadata on one.
func (u *unmerge) carry(m *trilith.Memory) {
	if !u.verbs[Matter(m.Fact)[0]] {
		return
	}
	decided := m.Fact.Verification.Decided() && m.Fact.Verification.At != nil &&
		m.Fact.Verification.At.After(u.merge.At)
	forgotten := dropped(m) && m.SupersededAt != nil && m.SupersededAt.After(u.merge.At)
	for _, side := range u.sides() {
		for _, o := range side.all() {
			if !(decided || forgotten) || !open(o) || !asserts(o, m) {
				continue
			}
			if decided {
				o.Fact.Verification = m.Fact.Verification
			}
			if forgotten {
				o.State, o.SupersededAt = trilith.StateRetracted, m.SupersededAt
			}
			side.replay(o.Fact, nil)
		}
	}
	if own(m) {
		label(m, u.kept.like(m), u.out.like(m))
	}
}

// sides returns the entity that keeps its facts, and the one that gets its own back.
func (u *unmerge) sides() map[trilith.ID]*Facts {
	return map[trilith.ID]*Facts{u.merge.Into: u.kept, u.merge.From: u.out}
}

func merge(into, from trilith.ID, guest bool, ofInto, ofFrom, beside []trilith.Memory, now time.Time) Parted {
	f := New(ofInto, now)
	f.Avoid(beside)
	mark := func(e *trilith.Evidence) { e.EntityID = cmp.Or(e.EntityID, from) }
	came := moved(ofFrom, into, guest, mark)
	if slices.ContainsFunc(came, func(m trilith.Memory) bool { return f.taken[m.ID] }) {
		came = moved(ofFrom, into, true, mark)
	}
	for i := range came {
		m := clone(came[i])
		f.decide(m)
		for n := 0; f.byID[m.ID] != nil; n++ { // it gets its name in the replay that follows
			m.ID = periodID(m.Fact, n)
		}
		f.put(m)
	}
	for i := range came {
		f.replay(came[i].Fact, nil)
	}
	p := Parted{Put: f.Changed(), Gone: f.Gone()}
	for i := range ofFrom {
		p.Gone = append(p.Gone, ofFrom[i].ID)
	}
	renew(p.Put, ofInto, slices.Concat(ofInto, ofFrom))
	return p
}

// moved returns facts of one entity as facts of another, where their owner may be a guest; mark changes their evidence.
func moved(ms []trilith.Memory, to trilith.ID, guest bool, mark func(*trilith.Evidence)) []trilith.Memory {
	names := map[trilith.ID]trilith.ID{}
	for i := range ms {
		there := *ms[i].Fact
		there.EntityID, there.Guest = to, guest
		names[ms[i].Fact.MemoryID()] = there.MemoryID()
	}
	out := make([]trilith.Memory, len(ms))
	for i := range ms {
		m := clone(ms[i])
		m.ID = cmp.Or(names[m.ID], m.ID)
		m.Fact.EntityID, m.Fact.Guest = to, guest
		m.Fact.RelationshipKey = m.Fact.Key()
		for k := range m.Fact.Evidence {
			e := &m.Fact.Evidence[k]
			e.Successor = cmp.Or(names[e.Successor], e.Successor)
			mark(e)
		}
		out[i] = *m
	}
	return out
}

// decide combines the decisions of a moved fact and of known facts of the same node: the newer decision counts, and
// statements from before a rejection are rejected.
func (f *Facts) decide(m *trilith.Memory) {
	for _, o := range f.all() {
		if !asserts(o, m) {
			continue
		}
		switch {
		case dropped(o) && !dropped(m):
			moveEvidence(o, m)
		case dropped(m) && !dropped(o):
			moveEvidence(m, o)
		case newer(o.Fact.Verification, m.Fact.Verification):
			m.Fact.Verification = o.Fact.Verification
		case newer(m.Fact.Verification, o.Fact.Verification):
			o.Fact.Verification = m.Fact.Verification
		}
	}
}

// moveEvidence moves the evidence of m from before a person's decision against a fact to that fact.
func moveEvidence(against, m *trilith.Memory) {
	at := against.SupersededAt
	m.Fact.Evidence = slices.DeleteFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
		before := !e.Ends && (at == nil || !e.At.After(*at))
		if before {
			against.Fact.Evidence = append(against.Fact.Evidence, e)
		}
		return before
	})
}

// newer reports whether a person's decision takes precedence over another.
func newer(v, other trilith.Verification) bool {
	return v.Decided() && v.At != nil && (!other.Decided() || other.At != nil && v.At.After(*other.At))
}

// renew gives new facts a version above all existing ones: an index that has not seen the deletion of an id yet must
// not take the new fact with this id for an older version.
func renew(put, known, all []trilith.Memory) {
	ids, top := map[trilith.ID]bool{}, int64(0)
	for i := range known {
		ids[known[i].ID] = true
	}
	for i := range all {
		top = max(top, all[i].Version)
	}
	for i := range put {
		if !ids[put[i].ID] {
			put[i].Version = top + 1
		}
	}
}

// label gives tags and metadata of a fact of both sides to the first; those that only the other had stay there.
func label(m, kept, out *trilith.Memory) {
	switch {
	case kept != nil && out != nil:
		kept.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool {
			return slices.Contains(out.Tags, tag) && !slices.Contains(kept.Tags, tag)
		})
		had := kept.Metadata
		kept.Metadata = maps.Clone(m.Metadata)
		maps.DeleteFunc(kept.Metadata, func(name string, _ any) bool {
			_, theirs := out.Metadata[name]
			_, ours := had[name]
			return theirs && !ours
		})
	case kept != nil:
		kept.Tags, kept.Metadata = m.Tags, m.Metadata
	case out != nil:
		out.Tags, out.Metadata = m.Tags, m.Metadata
	}
}

// like returns the fact that asserts the same as another memory; nil if there is none.
func (f *Facts) like(m *trilith.Memory) *trilith.Memory {
	for _, o := range f.all() {
		if own(o) && asserts(o, m) {
			return o
		}
	}
	return nil
}

// own reports whether a memory is the assertion's current fact, and not a former period.
func own(m *trilith.Memory) bool {
	return m.ID == m.Fact.MemoryID()
}

// asserts reports whether two memories assert the same.
func asserts(a, b *trilith.Memory) bool {
	return a.Fact.Verb == b.Fact.Verb && a.Fact.Polarity == b.Fact.Polarity && alike(a.Fact, b.Fact)
}

// Met returns the facts of two entities for the verbs of the second: the data for undoing their merge.
func Met(ofInto, ofFrom []trilith.Memory) []trilith.Memory {
	return slices.Concat(ofFrom, slices.DeleteFunc(slices.Clone(ofInto), func(m trilith.Memory) bool {
		return !slices.ContainsFunc(
			ofFrom, func(o trilith.Memory) bool {
				return Matter(o.Fact)[0] == Matter(m.Fact)[0] && o.Fact.Owner == m.Fact.Owner
			})
	}))
}
