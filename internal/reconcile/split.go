package reconcile

import (
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Split gives those of an entity's facts that chosen names to another one: each with its former periods. What they had
// closed stands again.
func Split(current []cairn.Memory, chosen []cairn.ID, to cairn.ID, r Rules) Parted {
	key := func(m *cairn.Memory) string { return m.Fact.Verb + ":" + m.Fact.FactID }
	theirs := map[string]bool{}
	for i := range current {
		if slices.Contains(chosen, current[i].ID) {
			theirs[key(&current[i])] = true
		}
	}
	out := map[cairn.ID]bool{}
	var stay, leave []cairn.Memory
	for _, m := range current {
		if theirs[key(&m)] {
			leave, out[m.ID] = append(leave, m), true
		} else {
			stay = append(stay, m)
		}
	}
	kept := apart(stay, func(id cairn.ID) bool { return out[id] }, r)
	gone := apart(leave, func(id cairn.ID) bool { return id != "" && !out[id] }, r)
	moved := moved(gone.all(), to, func(e *cairn.Evidence) { e.EntityID = "" })
	return parted(current, kept.Changed(), kept.order, moved)
}

// apart returns facts without those that foreign names: what is left of a single verb is settled anew.
func apart(ms []cairn.Memory, foreign func(cairn.ID) bool, r Rules) *Facts {
	f := New(ms, r.Now, r.Wording)
	verbs := map[string]bool{}
	for _, id := range f.order {
		m := f.byID[id]
		if slices.ContainsFunc(m.Supersedes, foreign) {
			m.Supersedes = slices.DeleteFunc(m.Supersedes, foreign)
			f.changed[id] = true
		}
		if !foreign(m.SupersededBy) {
			continue
		}
		f.changed[id], verbs[m.Fact.Verb] = true, true
		if m.SupersededBy = ""; m.State != cairn.StateSuperseded {
			continue // forgotten after it was replaced
		}
		m.State, m.ValidUntil, m.SupersededAt = cairn.StateActive, nil, nil
		if m.Fact.Verification.Status == cairn.PendingApproval {
			m.State = cairn.StateCandidate
		}
	}
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		if r.Single(verb) {
			f.line(verb, r)
		}
	}
	return f
}

// all returns every fact as it is now.
func (f *Facts) all() []cairn.Memory {
	out := make([]cairn.Memory, len(f.order))
	for i, id := range f.order {
		out[i] = *f.byID[id]
	}
	return out
}

// Meet notes in the record of a merge what the facts of some verbs were before something of the merged entity met them.
// A verb is noted once.
func Meet(mg *cairn.EntityMerge, verbs []string, facts []cairn.Memory) {
	fresh := slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return slices.Contains(mg.Verbs, verb) })
	mg.Verbs = slices.Compact(slices.Sorted(slices.Values(slices.Concat(mg.Verbs, fresh))))
	for _, m := range facts {
		if slices.Contains(fresh, m.Fact.Verb) {
			mg.Facts = append(mg.Facts, m)
		}
	}
}

// Unmerge takes out of an entity's facts those that a merge has brought. Where the two have met, facts are what they were
// before, as far as what they rest on was not erased or split off since; what was said since is applied to the side of which
// it was said, which is the survivor unless theirs holds the entity that its evidence names; and what a person decided since
// about a fact counts for both sides that assert it. All other facts are the survivor's.
func Unmerge(current []cairn.Memory, mg cairn.EntityMerge, theirs map[cairn.ID]bool, r Rules) Parted {
	u := unmerge{merge: mg, theirs: theirs, rules: r, there: map[words]bool{}, known: map[words]bool{}, verbs: map[string]bool{},
		kept: New(nil, r.Now, r.Wording), out: New(nil, r.Now, r.Wording)}
	for _, verb := range mg.Verbs {
		u.verbs[verb] = true
	}
	versions := map[cairn.ID]int64{}
	for _, m := range current {
		versions[m.ID] = m.Version
		for _, e := range m.Fact.Evidence {
			u.there[said(&m, e)] = true
			u.verbs[m.Fact.Verb] = u.verbs[m.Fact.Verb] || theirs[e.EntityID]
		}
	}
	for _, m := range mg.Facts {
		main := m.ID
		if isMain(&m) {
			main = cairn.FactMemoryID(mg.Into, m.Fact.Verb, m.Fact.FactID)
		}
		m.Version = max(m.Version, versions[main]) + 1
		u.restore(m)
	}
	var since []Assertion
	for _, m := range current {
		if u.verbs[m.Fact.Verb] {
			since = append(since, u.since(m)...)
		} else {
			u.kept.add(m)
		}
	}
	slices.SortStableFunc(since, func(a, b Assertion) int { return a.Memory.EventTime.Compare(b.Memory.EventTime) })
	for _, a := range since {
		u.side(a.Memory.Fact.EntityID).Apply(a)
	}
	for _, m := range current {
		u.carry(m)
	}
	return parted(current, u.kept.Changed(), u.kept.order, u.out.all())
}

type unmerge struct {
	merge  cairn.EntityMerge
	theirs map[cairn.ID]bool
	rules  Rules
	there  map[words]bool  // what the facts rest on now
	known  map[words]bool  // what had been said before the two met
	verbs  map[string]bool // in which they did
	kept   *Facts
	out    *Facts
}

// words are a fact's piece of evidence.
type words struct {
	verb, fact string
	episode    cairn.ID
	start, end int
}

func said(m *cairn.Memory, e cairn.Evidence) words {
	return words{m.Fact.Verb, m.Fact.FactID, e.EpisodeID, e.Start, e.End}
}

func (u *unmerge) side(entity cairn.ID) *Facts {
	if entity == u.merge.From {
		return u.out
	}
	return u.kept
}

// restore puts a fact back as it was, if what it rested on is still there.
func (u *unmerge) restore(m cairn.Memory) {
	n := len(m.Fact.Evidence)
	fact := *m.Fact
	fact.Evidence = slices.DeleteFunc(slices.Clone(fact.Evidence), func(e cairn.Evidence) bool {
		u.known[said(&m, e)] = true
		return !u.there[said(&m, e)]
	})
	if len(fact.Evidence) == 0 {
		return
	}
	fact.Confidence = share(fact.Confidence, len(fact.Evidence), n)
	m.Fact = &fact
	side := u.side(m.Fact.EntityID)
	side.add(m)
	side.changed[m.ID] = true
}

// since makes assertions of what was said since the two met, each of the entity of which it was said.
func (u *unmerge) since(m cairn.Memory) []Assertion {
	var out []Assertion
	fresh := !slices.ContainsFunc(m.Fact.Evidence, func(e cairn.Evidence) bool { return u.known[said(&m, e)] })
	for i, e := range m.Fact.Evidence {
		if u.known[said(&m, e)] {
			continue
		}
		to := u.merge.Into
		if u.theirs[e.EntityID] {
			to = u.merge.From
		}
		at := u.rules.said(&m, e)
		a := Assertion{Memory: moved([]cairn.Memory{m}, to, u.mark)[0], Single: u.rules.Single(m.Fact.Verb),
			Ends: m.State == cairn.StateExpired && m.ValidUntil != nil && m.ValidUntil.Equal(at)}
		if !fresh || i > 0 {
			a.Memory.EventTime = at
			if episode, ok := u.rules.Episode(e.EpisodeID); ok {
				spokenIn(&a.Memory, episode)
			}
		}
		u.mark(&e)
		a.Memory = asserted(a.Memory, e, share(m.Fact.Confidence, 1, len(m.Fact.Evidence)))
		if a.Ends {
			a.Memory.Fact.Polarity = cairn.Negated
		}
		out = append(out, a)
	}
	return out
}

func (u *unmerge) mark(e *cairn.Evidence) {
	if e.EntityID == u.merge.From {
		e.EntityID = ""
	}
}

// asserted is a fact as one piece of evidence states it.
func asserted(m cairn.Memory, e cairn.Evidence, confidence float64) cairn.Memory {
	m.ID = cairn.FactMemoryID(m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)
	m.Version, m.Supersedes, m.SupersededBy, m.SupersededAt, m.ValidUntil = 1, nil, "", nil, nil
	m.Fact.Evidence, m.Fact.Confidence = []cairn.Evidence{e}, confidence
	if m.State != cairn.StateCandidate {
		m.State = cairn.StateActive
	}
	if m.Fact.Verification.At != nil {
		m.Fact.Verification = cairn.Verification{Status: cairn.Verified}
	}
	return m
}

// carry repeats what a person has made since of a fact that was put back: decisions on both sides, tags and metadata on one.
func (u *unmerge) carry(m cairn.Memory) {
	if !u.verbs[m.Fact.Verb] || !isMain(&m) {
		return
	}
	kept := u.kept.byID[m.ID]
	out := u.out.byID[cairn.FactMemoryID(u.merge.From, m.Fact.Verb, m.Fact.FactID)]
	decided := m.Fact.Verification.At != nil && m.Fact.Verification.At.After(u.merge.At)
	forgotten := m.State == cairn.StateRetracted && m.SupersededAt != nil && m.SupersededAt.After(u.merge.At)
	for _, old := range []*cairn.Memory{kept, out} {
		if old == nil || !decided && !forgotten {
			continue
		}
		if decided {
			old.Fact.Verification, old.Trust = m.Fact.Verification, m.Trust
		}
		switch {
		case m.State == cairn.StateRetracted:
			old.State, old.SupersededAt = cairn.StateRetracted, m.SupersededAt
		case old.State == cairn.StateCandidate:
			old.State = m.State
		}
		u.side(old.Fact.EntityID).changed[old.ID] = true
	}
	switch {
	case kept != nil && out != nil:
		m.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool {
			return slices.Contains(out.Tags, tag) && !slices.Contains(kept.Tags, tag)
		})
		m.Metadata = maps.Clone(m.Metadata)
		maps.DeleteFunc(m.Metadata, func(name string, _ any) bool {
			_, theirs := out.Metadata[name]
			_, ours := kept.Metadata[name]
			return theirs && !ours
		})
		kept.Tags, kept.Metadata = m.Tags, m.Metadata
	case kept != nil:
		kept.Tags, kept.Metadata = m.Tags, m.Metadata
	case out != nil:
		out.Tags, out.Metadata = m.Tags, m.Metadata
	}
}
