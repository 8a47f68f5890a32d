// Package reconcile decides what a new assertion does to the facts that are known: whether it is the same and only adds
// evidence, replaces an older value, ends one, comes too late to matter, or contradicts what cannot be decided. It is pure:
// it gets the facts of one entity and returns those that change.
//
// Two things are never done. Nothing is deleted: what no longer holds is closed and stays in the history. And evidence that
// was judged never brings a value back: only what was said after a correction can ("I moved back").
package reconcile

import (
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
)

// Assertion is a fact as it was just found. Memory carries the fact with its one piece of evidence, its id, scope, trust,
// and as EventTime the moment from which it holds.
type Assertion struct {
	Memory cairn.Memory
	Single bool // the verb holds one value at a time
	Ends   bool // it says that the value, or whatever value a single verb has, holds no longer
}

// Facts are the facts of one entity while assertions are applied to them.
type Facts struct {
	now     time.Time
	wording func(m cairn.Memory) cairn.ID // the id under which a former period of a fact is kept

	byID    map[cairn.ID]*cairn.Memory
	order   []cairn.ID
	changed map[cairn.ID]bool
}

// New begins with what the truth holds. wording names a former period of a memory by the memory as it was then.
func New(known []cairn.Memory, now time.Time, wording func(cairn.Memory) cairn.ID) *Facts {
	f := &Facts{now: now, wording: wording, byID: map[cairn.ID]*cairn.Memory{}, changed: map[cairn.ID]bool{}}
	for _, m := range known {
		f.add(m)
	}
	return f
}

func (f *Facts) add(m cairn.Memory) {
	fact := *m.Fact
	fact.Evidence = slices.Clone(fact.Evidence)
	m.Fact = &fact
	m.Supersedes = slices.Clone(m.Supersedes)
	f.byID[m.ID] = &m
	f.order = append(f.order, m.ID)
}

// Changed returns the facts that are new or not what they were, in the order in which they came up.
func (f *Facts) Changed() []cairn.Memory {
	var out []cairn.Memory
	for _, id := range f.order {
		if f.changed[id] {
			out = append(out, *f.byID[id])
		}
	}
	return out
}

// Apply takes in an assertion.
func (f *Facts) Apply(a Assertion) {
	switch old := f.byID[a.Memory.ID]; {
	case a.Ends && !f.heard(a):
		f.end(a)
	case a.Ends:
	case old == nil:
		f.create(a)
	case f.judged(old, &a.Memory):
	case old.Fact.Polarity != a.Memory.Fact.Polarity:
		f.turn(a, old)
	case open(old):
		f.support(old, a.Memory.Fact.Evidence[0], a.Memory.Fact.Confidence)
	default:
		f.reopen(a, old)
	}
}

// open reports whether a fact stands as a present one.
func open(m *cairn.Memory) bool {
	return m.State == cairn.StateActive || m.State == cairn.StateCandidate
}

// judged reports whether the evidence has been taken into account: it is the fact's own, or it is no younger than the end
// that the fact has come to, which for a forgotten or rejected one is the moment when a person did so.
func (f *Facts) judged(old, m *cairn.Memory) bool {
	if holds(old, m.Fact.Evidence[0]) {
		return true
	}
	if open(old) {
		return false
	}
	end := old.ValidUntil
	if old.State == cairn.StateRetracted {
		end = old.SupersededAt
	}
	return end == nil || !m.EventTime.After(*end)
}

// heard reports whether the evidence of an ending has been taken into account by a fact of the verb.
func (f *Facts) heard(a Assertion) bool {
	for _, m := range f.byID {
		if m.Fact.Verb == a.Memory.Fact.Verb && holds(m, a.Memory.Fact.Evidence[0]) {
			return true
		}
	}
	return false
}

// holds reports whether the evidence is one of the fact's own.
func holds(m *cairn.Memory, e cairn.Evidence) bool {
	return slices.ContainsFunc(m.Fact.Evidence, func(have cairn.Evidence) bool {
		return have.EpisodeID == e.EpisodeID && have.Start == e.Start && have.End == e.End
	})
}

// create stores an assertion that is new, and settles it with the other values of a single verb.
func (f *Facts) create(a Assertion) {
	f.add(a.Memory)
	f.changed[a.Memory.ID] = true
	f.settle(f.byID[a.Memory.ID], a.Single)
}

// settle lets a single verb have one value: the one that was said last. An older statement that comes late is closed where
// the younger one begins. What somebody less trusted says never closes what somebody more trusted said; both are then for
// a person to review, as are two values for the same moment.
func (f *Facts) settle(m *cairn.Memory, single bool) {
	if !single || m.Fact.Polarity == cairn.Negated || !open(m) {
		return
	}
	for _, id := range f.order {
		other := f.byID[id]
		if id == m.ID || !open(other) || other.Fact.Verb != m.Fact.Verb || other.Fact.Polarity == cairn.Negated {
			continue
		}
		switch {
		case rank(m.Trust) < rank(other.Trust) || m.EventTime.Equal(other.EventTime):
			f.review(m)
			f.review(other)
		case m.EventTime.After(other.EventTime):
			f.close(other, m.EventTime, m)
		default:
			f.close(m, other.EventTime, other)
			f.insert(m)
		}
	}
}

// insert gives a statement that came late its place among the values that are over: the one that held then ends where it
// begins, and it ends where that one did.
func (f *Facts) insert(m *cairn.Memory) {
	for _, id := range f.order {
		p := f.byID[id]
		if id == m.ID || open(p) || p.Fact.Verb != m.Fact.Verb || p.Fact.Polarity == cairn.Negated || p.ValidUntil == nil ||
			!p.EventTime.Before(m.EventTime) || !p.ValidUntil.After(m.EventTime) {
			continue
		}
		if p.ValidUntil.Before(*m.ValidUntil) {
			m.ValidUntil = p.ValidUntil
		}
		from := m.EventTime
		p.ValidUntil = &from
		f.changed[id] = true
	}
}

// rank orders trust; higher is more.
func rank(t cairn.Trust) int {
	return -slices.Index([]cairn.Trust{cairn.TrustUserConfirmed, cairn.TrustUserStated, cairn.TrustImported,
		cairn.TrustAssistantSaid, cairn.TrustToolOutput}, t)
}

func (f *Facts) review(m *cairn.Memory) {
	if m.Fact.Verification.Status != cairn.Verified {
		m.Fact.Verification.Status = cairn.NeedsReview
		f.changed[m.ID] = true
	}
}

// close ends a fact; heir, if there is one, takes its place.
func (f *Facts) close(m *cairn.Memory, at time.Time, heir *cairn.Memory) {
	at = later(at, m.EventTime)
	m.ValidUntil = &at
	f.changed[m.ID] = true
	if heir == nil {
		m.State = cairn.StateExpired
		return
	}
	now := f.now
	m.State, m.SupersededBy, m.SupersededAt = cairn.StateSuperseded, heir.ID, &now
	if !slices.Contains(heir.Supersedes, m.ID) {
		heir.Supersedes = append(heir.Supersedes, m.ID)
		f.changed[heir.ID] = true
	}
}

// end takes in that something holds no longer. If nothing was known of it, that is what is remembered: a negated fact.
func (f *Facts) end(a Assertion) {
	ended := false
	for _, id := range f.order {
		m := f.byID[id]
		if open(m) && m.Fact.Polarity == cairn.Affirmed && m.Fact.Verb == a.Memory.Fact.Verb && (id == a.Memory.ID || a.Single && a.Memory.Fact.Node.Name == "") {
			m.Fact.Evidence = append(m.Fact.Evidence, a.Memory.Fact.Evidence[0])
			f.close(m, a.Memory.EventTime, nil)
			ended = true
		}
	}
	if !ended && a.Memory.Fact.Node.Name != "" && f.byID[a.Memory.ID] == nil {
		f.create(Assertion{Memory: a.Memory})
	}
}

// turn replaces a fact by its opposite: the former period is kept under an id of its own.
func (f *Facts) turn(a Assertion, old *cairn.Memory) {
	if open(old) && !a.Memory.EventTime.After(old.EventTime) {
		f.review(old)
		return
	}
	if open(old) {
		at := a.Memory.EventTime
		old.ValidUntil = &at
	}
	f.reopen(a, old)
}

// reopen begins a new period of a fact and keeps the one before.
func (f *Facts) reopen(a Assertion, old *cairn.Memory) {
	past := *old
	past.ID = f.wording(past)
	past.Version = 1
	if open(&past) || past.State == cairn.StateExpired {
		past.State = cairn.StateSuperseded
	}
	now := f.now
	past.SupersededBy, past.SupersededAt = old.ID, &now
	f.add(past)
	f.changed[past.ID] = true

	version, earlier := old.Version, past.ID
	*old = a.Memory
	old.Version = version
	old.Supersedes = []cairn.ID{earlier}
	f.changed[old.ID] = true
	f.settle(old, a.Single)
}

// support adds evidence to a fact. Independent statements make each other more likely; nothing becomes certain by repetition.
func (f *Facts) support(m *cairn.Memory, e cairn.Evidence, confidence float64) {
	m.Fact.Evidence = append(m.Fact.Evidence, e)
	m.Fact.Confidence = min(1-(1-m.Fact.Confidence)*(1-confidence), max(most, m.Fact.Confidence))
	f.changed[m.ID] = true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
