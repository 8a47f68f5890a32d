// Package reconcile decides which facts about an entity hold, from all statements about it: whether a statement adds
// evidence to an equal one, replaces an older value, ends one, comes too late to matter, or contradicts another so
// that only a person can decide. It is pure: it gets the facts of one entity and one owner, and returns those that
// change.
//
// Facts are a function of the statements and their times, not of the order of arrival. Every piece of evidence keeps
// its own statement, so the facts of a verb can be replayed from the beginning, in order of time. That happens when a
// statement arrives late, and when one is withdrawn or restored.
//
// A statement whose time has not come is planned: it closes nothing, and sets the end of the fact that it will
// replace. So facts are also a function of the clock, and have to be replayed when such a time comes.
//
// Two things never happen. Nothing is deleted: a fact that no longer holds is closed and stays in the history. And
// evidence from before a person's decision never brings a value back: only a statement after the rejection can.
package reconcile

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

// Assertion is a newly found fact. Memory contains the fact with its only piece of evidence, its id, scope and trust.
// EventTime is when it begins to hold, and ValidUntil its stated end, if any.
type Assertion struct {
	Memory  trilith.Memory
	Ends    bool // it states that the value, or any value of a single-valued verb, no longer holds
	Untimed bool // no time was given: it is the time of storing
	// if not nil, the memory has only the evidence, and the amended facts are found among the known ones
	Amendment *Amendment
}

// Facts are one owner's facts about one entity, while assertions are applied.
type Facts struct {
	now   time.Time
	taken map[trilith.ID]bool           // ids of other owners' facts
	known map[trilith.ID]trilith.Memory // in their original state
	byID  map[trilith.ID]*trilith.Memory
	order []trilith.ID
}

// New starts from the stored facts.
func New(known []trilith.Memory, now time.Time) *Facts {
	f := &Facts{now: now, known: map[trilith.ID]trilith.Memory{}, byID: map[trilith.ID]*trilith.Memory{}}
	for _, m := range known {
		f.known[m.ID] = m
		f.put(clone(m))
	}
	return f
}

// Avoid excludes the ids of other owners' facts for new facts.
func (f *Facts) Avoid(others []trilith.Memory) {
	f.taken = map[trilith.ID]bool{}
	for _, m := range others {
		f.taken[m.ID] = true
	}
}

// Changed returns the new and changed facts, in the order in which they changed.
func (f *Facts) Changed() []trilith.Memory {
	f.breakCycles()
	var out []trilith.Memory
	for _, id := range f.order {
		m := f.byID[id]
		if m == nil {
			continue
		}
		if old, ok := f.known[id]; !ok || !reflect.DeepEqual(clone(old), m) {
			out = append(out, *m)
		}
	}
	return out
}

// Gone returns the facts without evidence: all of it belongs to other facts now, or was removed.
func (f *Facts) Gone() []trilith.ID {
	var out []trilith.ID
	for _, id := range f.order {
		if _, ok := f.known[id]; ok && f.byID[id] == nil {
			out = append(out, id)
		}
	}
	return out
}

// Apply applies an assertion: as evidence of a known fact, or as a new fact that may close others. An assertion that is
// known already changes nothing, unless it was withdrawn.
func (f *Facts) Apply(a Assertion) {
	if a.Amendment != nil {
		for _, one := range f.resolve(a) {
			f.Apply(one)
		}
		return
	}
	heard := clone(a.Memory)
	e := &heard.Fact.Evidence[0]
	e.At, e.Confidence, e.Certainty = heard.EventTime, heard.Fact.Confidence, heard.Fact.Certainty
	if heard.ValidUntil != nil {
		until := trilith.Local(*heard.ValidUntil) // in the precision of stores: a replay must give an equal value
		e.Until = &until
	}
	e.Trust, e.Ends, e.Says, e.SourceID, e.Rule = heard.Trust, a.Ends, heard.Text, heard.SourceID, heard.Fact.Rule
	for _, m := range f.all() {
		if m.Fact.Verb != heard.Fact.Verb || !alike(m.Fact, heard.Fact) && (!a.Ends || heard.Fact.Node.Name != "") {
			continue
		}
		if at := slices.IndexFunc(m.Fact.Evidence, func(have trilith.Evidence) bool { return same(have, *e) }); at >= 0 {
			if m.Fact.Evidence[at].Withdrawn {
				mark(m, at, false)
				f.replay(m.Fact, nil)
			}
			return
		}
	}
	e.Proposed = e.Proposed || f.saidAgain(&a, heard)
	f.replay(heard.Fact, heard)
}

// byLedger is the actor of decisions from the ledger: rejections or corrections from after the backup that a memory was
// restored from. The ledger does not say which of the two, so newer statements count.
const byLedger = "ledger"

// saidAgain reports whether a person has to decide about a statement: it repeats a rejected fact, or, without a time of
// its own, a fact that was forgotten, was replaced by a person, or has ended, in the same words. People do move back;
// but words that are sent again restore nothing.
func (f *Facts) saidAgain(a *Assertion, heard *trilith.Memory) bool {
	if a.Ends {
		return false
	}
	again := false
	for _, m := range f.all() {
		if !sameValue(m.Fact, heard.Fact) || m.Fact.Polarity != heard.Fact.Polarity {
			continue
		}
		switch {
		case open(m) && m.State == trilith.StateActive:
			return false // the fact holds
		case dropped(m) && m.Fact.Verification.Status == trilith.Rejected && m.Fact.Verification.By != byLedger:
			again = true
		case a.Untimed && (m.State == trilith.StateRetracted || replaced(m) || m.State != trilith.StateCandidate &&
			quotes(m, heard)):
			again = true
		}
	}
	return again
}

// replaced reports whether a person stated that another fact replaces this one.
func replaced(m *trilith.Memory) bool {
	return slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
		return e.Successor != "" && e.Trust == trilith.TrustUserConfirmed && !e.Withdrawn
	})
}

// quotes reports whether a fact rests on the words of another's evidence.
func quotes(m, heard *trilith.Memory) bool {
	said := plain(heard.Fact.Evidence[0].Quote)
	return slices.ContainsFunc(
		m.Fact.Evidence, func(e trilith.Evidence) bool { return !e.Ends && plain(e.Quote) == said })
}

// Withdraw withdraws the evidence from episodes that said accepts: it stays with the facts and does not count. The
// remaining evidence decides the result: a fact without other evidence no longer holds, a fact that it had replaced
// holds again, and one that it had ended continues. Facts that a person rejected or forgot stay so.
func (f *Facts) Withdraw(said func(episode trilith.ID) bool) { f.markAll(said, true) }

// Return undoes the withdrawal of evidence from episodes that said accepts.
func (f *Facts) Return(said func(episode trilith.ID) bool) { f.markAll(said, false) }

func (f *Facts) markAll(said func(episode trilith.ID) bool, withdrawn bool) {
	f.revise(func(m *trilith.Memory) bool {
		if dropped(m) {
			return false
		}
		hit := false
		for i, e := range m.Fact.Evidence {
			rests := e.RestsOn(said)
			if !withdrawn { // all of its episodes have to be there
				rests = !e.RestsOn(func(id trilith.ID) bool { return !said(id) })
			}
			if e.Withdrawn != withdrawn && rests {
				mark(m, i, withdrawn)
				hit = true
			}
		}
		return hit
	})
}

// mark sets whether a piece of evidence counts. A fact without support is replayed when a piece of evidence supports it
// again.
func mark(m *trilith.Memory, evidence int, withdrawn bool) {
	m.Fact.Evidence[evidence].Withdrawn = withdrawn
	if !withdrawn && m.State == trilith.StateRetracted {
		m.State, m.SupersededAt = trilith.StateExpired, nil
	}
}

// RemoveEvidence deletes evidence. The result is as after [Facts.Withdraw]; a fact without any evidence is deleted.
func (f *Facts) RemoveEvidence(gone func(*trilith.Evidence) bool) {
	f.Prune(func(_ *trilith.Memory, e *trilith.Evidence) bool { return gone(e) })
}

// Prune is [Facts.RemoveEvidence] for evidence that depends on its fact.
func (f *Facts) Prune(gone func(*trilith.Memory, *trilith.Evidence) bool) {
	f.revise(func(m *trilith.Memory) bool {
		was := *clone(*m) // as it is looked at
		m.Fact.Evidence = slices.DeleteFunc(m.Fact.Evidence, func(e trilith.Evidence) bool { return gone(&was, &e) })
		return len(m.Fact.Evidence) < len(was.Fact.Evidence)
	})
}

// revise changes facts, and replays those that depend on them.
func (f *Facts) revise(change func(*trilith.Memory) bool) {
	var concerned []*trilith.Memory
	for _, m := range f.all() {
		if change(m) {
			concerned = append(concerned, m)
		}
	}
	for _, m := range concerned {
		f.replay(m.Fact, nil)
	}
	for _, m := range concerned {
		if m == f.byID[m.ID] && len(m.Fact.Evidence) == 0 {
			f.byID[m.ID] = nil
		}
	}
}

// Replay replays the facts that are related to the given ones, after a person has decided about them: when one is
// rejected, a fact that it had replaced holds again. Unknown ids are skipped.
func (f *Facts) Replay(ids ...trilith.ID) {
	for _, id := range ids {
		if m := f.byID[id]; m != nil {
			f.replay(m.Fact, nil)
		}
	}
}

// ReplaySums replays the sums on papers, after sentences about the papers were imported.
func (f *Facts) ReplaySums() {
	for _, m := range f.all() {
		if papers[m.Fact.Verb] {
			f.replay(m.Fact, nil)
		}
	}
}

// Due reports whether a fact has to be replayed because of the clock: a planned time has come, or it was replayed by a
// clock that was ahead. A fact that ends by itself is not due; see [trilith.Memory.StateAt].
func Due(m *trilith.Memory, now time.Time) bool {
	if !open(m) {
		return m.State != trilith.StateRetracted && m.ValidUntil != nil && trilith.Ahead(*m.ValidUntil, now)
	}
	if trilith.Ahead(m.EventTime, now) {
		return m.Fact.Certainty != trilith.Planned
	}
	return m.Fact.Certainty == trilith.Planned && m.EventTime.After(m.RecordedAt) ||
		m.ValidUntil != nil && !trilith.Ahead(*m.ValidUntil, now) &&
			!slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
				return e.Until != nil && e.Until.Equal(*m.ValidUntil)
			})
}

// Remove removes facts from the replay, and replays related ones. The caller deletes the facts.
func (f *Facts) Remove(ids ...trilith.ID) {
	for _, id := range ids {
		if m := f.byID[id]; m != nil {
			delete(f.byID, id)
			delete(f.known, id)
			f.replay(m.Fact, nil)
		}
	}
}

// replay recomputes the facts related to x from all their evidence, and from a new statement, if any.
func (f *Facts) replay(x *trilith.Fact, heard *trilith.Memory) {
	var group []*trilith.Memory
	for _, m := range f.all() {
		if related(m.Fact, x) && (!m.Fact.Foreign() || m.State != trilith.StateQuarantined) {
			group = append(group, m)
		}
	}
	t := newReplay(f.now, f.taken, group, heard)
	replaced := f.replacedBy(group)
	replayed := map[trilith.ID]*trilith.Memory{}
	for _, m := range t.run() {
		m.Version = 1
		old, known := f.known[m.ID]
		if known {
			m.Version = old.Version
		}
		for _, old := range replaced[m.ID] {
			if !slices.Contains(m.Supersedes, old) {
				m.Supersedes = append(m.Supersedes, old)
			}
		}
		replayed[m.ID] = m
		for i := 0; i < len(m.Supersedes) && !known; i++ { // versions grow with time
			if was, stored := f.known[m.Supersedes[i]]; stored {
				m.Version = max(m.Version, was.Version+2) // its end raises that of the former
			} else if was := replayed[m.Supersedes[i]]; was != nil {
				m.Version = max(m.Version, was.Version+1)
			}
		}
	}
	for _, m := range group {
		if !dropped(m) {
			f.keep(m, t.periods, replayed)
		}
		if replayed[m.ID] == nil && f.byID[m.ID] == m {
			f.byID[m.ID] = nil
		}
	}
	for _, p := range t.periods {
		f.put(p.m)
	}
	f.bequeath(replayed)
}

// related reports whether two facts are replayed together: facts of one node, values that cannot both hold, and
// opinions of one thing.
func related(a, b *trilith.Fact) bool {
	if verbOf(a) == verbOf(b) {
		return alike(a, b) || rivals(a, b)
	}
	return isTaste(a) && isTaste(b) && alike(a, b)
}

// replacedBy returns the facts outside a replay that were replaced by a person's statement, by the fact that replaces
// them: facts of the replay keep those that they replace.
func (f *Facts) replacedBy(group []*trilith.Memory) map[trilith.ID][]trilith.ID {
	out := map[trilith.ID][]trilith.ID{}
	for _, old := range f.all() {
		if old.SupersededBy != "" && !slices.Contains(group, old) {
			out[old.SupersededBy] = append(out[old.SupersededBy], old.ID)
		}
	}
	return out
}

// dropped reports whether a person has decided against a fact: it was rejected, or forgotten by itself and not with its
// evidence.
func dropped(m *trilith.Memory) bool { return m.State == trilith.StateRetracted && founded(m.Fact) }

// founded reports whether a fact has evidence that counts and does not state its end.
func founded(x *trilith.Fact) bool {
	return slices.ContainsFunc(
		x.Evidence, func(e trilith.Evidence) bool { return !e.Withdrawn && (!e.Ends || x.Polarity == trilith.Negated) })
}

// keep stores evidence of m that no replayed fact contains, because it no longer counts: with the replayed fact, or
// else in m itself, which no longer holds.
func (f *Facts) keep(m *trilith.Memory, periods []*period, replayed map[trilith.ID]*trilith.Memory) {
	rest := slices.DeleteFunc(slices.Clone(m.Fact.Evidence), func(e trilith.Evidence) bool {
		return slices.ContainsFunc(periods, func(p *period) bool {
			return slices.ContainsFunc(p.m.Fact.Evidence, func(have trilith.Evidence) bool { return same(have, e) })
		})
	})
	if len(rest) == 0 {
		return
	}
	for _, p := range slices.Backward(periods) {
		if sameValue(p.m.Fact, m.Fact) && p.m.Fact.Polarity == m.Fact.Polarity {
			p.m.Fact.Evidence = append(p.m.Fact.Evidence, rest...)
			return
		}
	}
	left := clone(*m)
	left.Fact.Evidence, left.SupersededBy, left.Supersedes = rest, "", nil
	if left.State != trilith.StateRetracted {
		now := f.now
		left.State, left.SupersededAt = trilith.StateRetracted, &now
	}
	for n := 0; replayed[left.ID] != nil || left.ID != m.ID && f.byID[left.ID] != nil; n++ {
		left.ID, left.Version = periodID(m.Fact, n), 1
	}
	replayed[left.ID] = left
	f.put(left)
}

// same reports whether two pieces of evidence are the same words.
func same(a, b trilith.Evidence) bool {
	return a.EpisodeID == b.EpisodeID && a.Start == b.Start && a.End == b.End
}

func clone(m trilith.Memory) *trilith.Memory {
	fact := *m.Fact
	fact.Evidence = slices.Clone(fact.Evidence)
	m.Fact = &fact
	m.Supersedes = slices.Clone(m.Supersedes)
	return &m
}

// periodID returns the id of the n-th former period of a fact, from 0.
func periodID(x *trilith.Fact, n int) trilith.ID {
	return trilith.DeriveID("period", string(x.MemoryID()), strconv.Itoa(n))
}

func (f *Facts) put(m *trilith.Memory) {
	if !slices.Contains(f.order, m.ID) {
		f.order = append(f.order, m.ID)
	}
	f.byID[m.ID] = m
}

// bequeath updates the links of facts in other replays to the replayed ones: which of these they replace.
func (f *Facts) bequeath(replayed map[trilith.ID]*trilith.Memory) {
	heirs := map[trilith.ID][]trilith.ID{}
	for _, id := range slices.Sorted(maps.Keys(replayed)) {
		heirs[replayed[id].SupersededBy] = append(heirs[replayed[id].SupersededBy], id)
	}
	for _, by := range f.all() {
		if replayed[by.ID] != nil {
			continue
		}
		by.Supersedes = slices.DeleteFunc(
			by.Supersedes, func(id trilith.ID) bool { return replayed[id] != nil && replayed[id].SupersededBy != by.ID })
		for _, id := range heirs[by.ID] {
			if !slices.Contains(by.Supersedes, id) {
				by.Supersedes = append(by.Supersedes, id)
			}
		}
		if len(by.Supersedes) == 0 {
			by.Supersedes = nil // in the form of stores
		}
	}
}

// all yields the facts in order.
func (f *Facts) all() []*trilith.Memory {
	var out []*trilith.Memory
	for _, id := range f.order {
		if m := f.byID[id]; m != nil {
			out = append(out, m)
		}
	}
	return out
}
