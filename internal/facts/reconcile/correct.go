package reconcile

import (
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// End records that by a person's statement a fact has ended at a time, and not before it was last stated. A denied fact,
// and one that has not begun, cannot end. It reports whether the fact could.
func (f *Facts) End(id trilith.ID, at time.Time) bool {
	old := f.byID[id]
	if !f.CanEnd(old) {
		return false
	}
	from := slices.IndexFunc(old.Fact.Evidence, func(e trilith.Evidence) bool { return !e.Withdrawn && !e.Ends })
	if from < 0 {
		return false
	}
	f.endBy(old, stated(&old.Fact.Evidence[from], at, ""))
	return true
}

// Prefer has a fact, which a person has verified, replace those that contradict it and are in doubt.
func (f *Facts) Prefer(id trilith.ID) {
	f.Replay(id)
	by := f.byID[id]
	if by == nil || by.State != trilith.StateActive {
		return
	}
	for _, m := range f.all() {
		if m.Fact.Verification.Status == trilith.Disputed && f.CanEnd(m) && Contradict(m, by) {
			f.Replace(m.ID, id, time.Time{})
		}
	}
}

// Correct applies a person's statement that corrects a fact, and has it replace that fact. A fact that cannot end was
// never true, and retract marks it. It reports whether the fact held, and the person stated another one.
func (f *Facts) Correct(id trilith.ID, a Assertion, at time.Time, retract func(*trilith.Memory)) bool {
	said := a.Memory.Fact.Evidence[0].EpisodeID
	if old := f.byID[id]; old == nil || !open(old) {
		return false
	}
	f.Apply(a)
	by := f.Stating(said, a.Memory.Fact.Verb)
	if by == nil || by.ID == id {
		return false
	}
	by.Fact.Verification, by.Trust = a.Memory.Fact.Verification, trilith.TrustUserConfirmed
	if by.State == trilith.StateCandidate {
		by.State = trilith.StateActive
	}
	successor := by.ID
	if old := f.byID[id]; old != nil && open(old) && !f.CanEnd(old) {
		retract(old)
		f.replay(old.Fact, nil)
	} else if old != nil {
		f.Replace(id, successor, at)
	}
	return true
}

// Stating returns the fact of a verb that the words of an episode state, nil if there is none: of several the last.
func (f *Facts) Stating(episode trilith.ID, verb string) (by *trilith.Memory) {
	for _, m := range f.all() {
		if m.Fact.Verb == verb && slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
			return e.EpisodeID == episode && !e.Ends
		}) {
			by = m
		}
	}
	return by
}

// CanEnd reports whether a fact holds and a person's statement can end it; another one has to be rejected.
func (f *Facts) CanEnd(m *trilith.Memory) bool {
	return m != nil && open(m) && m.Fact.Polarity == trilith.Affirmed && !trilith.Ahead(m.EventTime, f.now)
}

// Replace records that by a person's statement one fact replaces another: from the given time, or from the beginning of
// the successor, and not before the other was last stated. The other ends as if the evidence of the successor had
// stated its end: when that is withdrawn, it holds again.
func (f *Facts) Replace(id, successor trilith.ID, at time.Time) {
	old, by := f.byID[id], f.byID[successor]
	if old == nil || by == nil {
		return
	}
	if at.IsZero() {
		at = by.EventTime
	}
	from := slices.IndexFunc(by.Fact.Evidence, func(e trilith.Evidence) bool { return !e.Withdrawn && !e.Ends })
	if from < 0 {
		return
	}
	f.replaceBy(old, stated(&by.Fact.Evidence[from], at, successor))
}

// Supersede has one fact replace another by evidence that names the successor: the words of its owner, in which somebody
// other than a person has read that. It reports whether both held, and the words may overrule the other's source.
func (f *Facts) Supersede(id trilith.ID, e trilith.Evidence) bool {
	old, by := f.byID[id], f.byID[e.Successor]
	if old == by || !f.CanEnd(old) || by == nil || by.State != trilith.StateActive || rank[e.Trust] < rank[old.Trust] {
		return false
	}
	f.replaceBy(old, e)
	return true
}

func (f *Facts) replaceBy(old *trilith.Memory, e trilith.Evidence) {
	id := old.ID
	f.endBy(old, e)
	if by := f.byID[e.Successor]; by != nil && !slices.Contains(by.Supersedes, id) {
		by.Supersedes = append(by.Supersedes, id)
	}
}

// stated returns a person's statement, found in an episode, that a fact has ended; it quotes nothing.
func stated(in *trilith.Evidence, at time.Time, successor trilith.ID) trilith.Evidence {
	return trilith.Evidence{EpisodeID: in.EpisodeID, SourceID: in.SourceID, At: at, Trust: trilith.TrustUserConfirmed,
		Confidence: 1, Certainty: trilith.Stated, Ends: true, Successor: successor}
}

// endBy adds to a fact the evidence of its end.
func (f *Facts) endBy(old *trilith.Memory, e trilith.Evidence) {
	old.Fact.Evidence = slices.DeleteFunc(old.Fact.Evidence, func(have trilith.Evidence) bool { // another time was planned
		return have.Ends && have.Successor == e.Successor && trilith.Ahead(have.At, f.now)
	})
	for _, have := range old.Fact.Evidence {
		if !have.Withdrawn && !e.At.After(have.At) {
			e.At = have.At.Add(time.Microsecond)
		}
	}
	old.Fact.Evidence = append(old.Fact.Evidence, e)
	f.replay(old.Fact, nil)
}
