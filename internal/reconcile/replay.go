package reconcile

import (
	"cmp"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
)

// statement is one piece of evidence with the fact that it is evidence of. Without evidence it is a fact that a person
// decided against, which takes its place in time like what was said.
type statement struct {
	of *cairn.Memory
	cairn.Evidence
	known bool // it was taken in before
}

// period is a fact during a replay.
type period struct {
	m         *cairn.Memory
	by        *period     // what replaced it
	successor cairn.ID    // what a person said holds instead of it; the id of a fact that may be part of another replay
	learned   *time.Time  // when we knew that it was over, as far as that was known before
	was       cairn.State // before it was closed
}

// replay makes facts from statements in the order of time.
type replay struct {
	now     time.Time
	said    []statement
	drops   []*period         // what a person decided against
	periods []*period         // in the order of their beginnings
	taken   map[cairn.ID]bool // ids that facts of other owners have
	// by verb and node key: what a fact was named by first; its id follows from that and must not change
	names map[string]*cairn.Fact
}

// newReplay collects what was said of facts.
func newReplay(now time.Time, taken map[cairn.ID]bool, group []*cairn.Memory, heard *cairn.Memory) *replay {
	t := &replay{now: now, taken: taken, names: map[string]*cairn.Fact{}}
	for _, m := range group {
		if x := m.Fact; m.ID == x.MemoryID() {
			t.names[factKey(x)] = x
		}
		if dropped(m) {
			p := &period{m: clone(*m)}
			p.m.SupersededBy, p.m.Supersedes = "", nil
			t.drops = append(t.drops, p)
			continue
		}
		for _, e := range m.Fact.Evidence {
			if e.At.IsZero() { // stored before evidence had times of its own
				e.At, e.Confidence, e.Certainty, e.Trust = m.EventTime, m.Fact.Confidence, m.Fact.Certainty, m.Trust
			}
			if !e.Withdrawn {
				t.said = append(t.said, statement{m, e, true})
			}
		}
	}
	if heard != nil {
		t.said = append(t.said, statement{of: heard, Evidence: heard.Fact.Evidence[0]})
	}
	slices.SortStableFunc(t.said, func(a, b statement) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.EpisodeID, b.EpisodeID), cmp.Compare(a.Start, b.Start))
	})
	return t
}

// run returns the facts, each with its id: the latest period of a fact has the fact's own, those before have numbers.
func (t *replay) run() []*cairn.Memory {
	for _, s := range t.said {
		t.take(s)
	}
	for _, p := range t.periods {
		if p.was != "" && t.ahead(*p.m.ValidUntil) { // its end is planned, and closes nothing before its time
			p.m.State, p.m.SupersededAt, p.by, p.successor = p.was, nil, nil, ""
		}
		if t.ahead(p.m.EventTime) {
			p.m.Fact.Certainty = cairn.Planned
		}
		if t.returns(p) {
			dispute(p.m)
		}
	}
	t.periods = append(t.periods, t.drops...)
	slices.SortStableFunc(t.periods, func(a, b *period) int { return a.m.EventTime.Compare(b.m.EventTime) })
	latest, former := map[string]*period{}, map[string]int{}
	for _, p := range t.periods {
		key := factKey(p.m.Fact)
		if t.names[key] == nil {
			t.names[key] = p.m.Fact
			p.m.Fact.Guest = p.m.Fact.Guest || t.taken[p.m.Fact.MemoryID()]
		}
		name(p.m, t.names[key])
		only := p.m.State == cairn.StateCandidate // it takes no id from a fact
		last := latest[key]
		switch {
		case last == nil:
		case t.ahead(p.m.EventTime): // nor does what has not begun from what has
			continue
		case open(last.m) && !(open(p.m) && !(only && last.m.State == cairn.StateActive)):
			continue
		}
		latest[key] = p
	}
	out := make([]*cairn.Memory, len(t.periods))
	for i, p := range t.periods {
		x := p.m.Fact
		p.m.ID = x.MemoryID()
		if key := factKey(x); latest[key] != p {
			p.m.ID = periodID(x, former[key])
			former[key]++
			if p.by == nil && !open(p.m) {
				p.by = latest[key]
			}
		}
		out[i] = p.m
	}
	for _, p := range t.periods {
		if at := slices.IndexFunc(t.periods, func(q *period) bool { return q.m.ID == p.successor }); at >= 0 &&
			p.successor != "" {
			p.by = t.periods[at]
		}
		if p.by == nil && p.successor != "" {
			p.m.SupersededBy, p.m.State = p.successor, cairn.StateSuperseded
		}
		if p.by != nil {
			p.m.SupersededBy = p.by.m.ID
			p.by.m.Supersedes = append(p.by.m.Supersedes, p.m.ID)
			if p.m.State == cairn.StateExpired {
				p.m.State = cairn.StateSuperseded
			}
		}
		if open(p.m) && over(p.m, t.now) {
			p.m.State = cairn.StateExpired
			t.learn(p)
		}
	}
	return out
}

// take takes in the next statement.
func (t *replay) take(s statement) {
	if s.Ends {
		t.end(s)
		return
	}
	if d := t.judged(s); d != nil && !s.Proposed {
		d.m.Fact.Evidence = append(d.m.Fact.Evidence, s.Evidence)
		return
	}
	var current *period
	var opposite []*period
	for _, p := range t.periods {
		x, of := p.m.Fact, s.of.Fact
		switch {
		case !alike(x, of) || !open(p.m) || over(p.m, s.At):
		case x.Verb == of.Verb && x.Polarity == of.Polarity:
			current = p
		case opposed(x, of):
			opposite = append(opposite, p)
		}
	}
	switch {
	case current == nil || t.before(current, s):
		current = t.begin(s)
	case postponed(current, s):
		old := current
		current = t.begin(s)
		t.close(old, s.At, current)
	case support(current, s):
		t.settle(current)
	}
	if current.m.State == cairn.StateCandidate {
		return
	}
	for _, p := range opposite {
		if p.m.EventTime.Equal(s.At) || rank[s.Trust] < rank[p.m.Trust] || s.Other && selfSaid(p.m.Fact) {
			dispute(p.m)
			dispute(current.m)
			continue
		}
		t.close(p, s.At, current)
	}
}

// returns reports whether a candidate says in a person's words what was over or decided against: a person has to say
// which of the two holds.
func (t *replay) returns(p *period) bool {
	if p.m.State != cairn.StateCandidate || rank[p.m.Trust] < rank[cairn.TrustUserStated] {
		return false
	}
	same := func(o *period) bool {
		return o != p && sameValue(o.m.Fact, p.m.Fact) && o.m.Fact.Polarity == p.m.Fact.Polarity && !open(o.m)
	}
	return slices.ContainsFunc(t.drops, same) || slices.ContainsFunc(t.periods, same)
}

// ahead reports whether a time has not come yet.
func (t *replay) ahead(at time.Time) bool { return cairn.Ahead(at, t.now) }

// before reports whether a period has begun and a statement about it has not come yet: until then it counts by itself.
func (t *replay) before(p *period, s statement) bool {
	return t.ahead(s.At) && !t.ahead(p.m.EventTime)
}

// judged returns the fact that a person decided against, if the statement is new to us and no younger than the
// decision.
func (t *replay) judged(s statement) *period {
	for _, d := range t.drops {
		if at := d.m.SupersededAt; !s.known && sameValue(d.m.Fact, s.of.Fact) &&
			d.m.Fact.Polarity == s.of.Fact.Polarity && (at == nil || !s.At.After(*at)) {
			return d
		}
	}
	return nil
}

// begin opens a period of a fact.
func (t *replay) begin(s statement) *period {
	m := clone(*s.of)
	p := &period{m: m}
	if m.State == cairn.StateSuperseded || m.State == cairn.StateExpired {
		p.learned = m.SupersededAt
	}
	// somebody who doubts a candidate leaves it one
	if m.State != cairn.StateCandidate || !m.Fact.Verification.Decided() {
		m.State = stateOf(&s.Evidence)
	}
	m.EventTime, m.ValidUntil, m.SupersededBy, m.SupersededAt, m.Supersedes = s.At, s.Until, "", nil, nil
	m.Trust = s.Trust
	x := m.Fact
	if s.Ends {
		x.Polarity = cairn.Negated
	}
	if s.Says != "" {
		m.Text, m.SourceID, x.Rule = s.Says, s.SourceID, s.Rule
	}
	x.Evidence, x.Confidence, x.Certainty = []cairn.Evidence{s.Evidence}, s.Confidence, s.Certainty
	switch v := &x.Verification; {
	case v.By == "": // trust decides what is active; verified means that somebody looked
		v.Status = cairn.PendingApproval
	case v.Decided() && v.Status == cairn.Verified:
		m.Trust, m.State = cairn.TrustUserConfirmed, cairn.StateActive
	}
	t.periods = append(t.periods, p)
	t.settle(p)
	return p
}

// stateOf says where a fact begins that nobody has decided about: what is only proposed is no more than a candidate.
func stateOf(e *cairn.Evidence) cairn.State {
	if e.Proposed {
		return cairn.StateCandidate
	}
	return cairn.StateActive
}

// settle lets a single-valued verb have one value: the one that was said last. A planned value sets the end of the one
// that holds until then, and neither closes nor disputes it before. A less trusted statement never closes a more
// trusted one, nor does a statement of others close what somebody said of themselves. Both are then for a person to
// review, as are two values for the same time. A value that was over when it was said closes none, and neither does a
// candidate.
func (t *replay) settle(p *period) {
	m := p.m
	if m.State == cairn.StateCandidate || m.Fact.Polarity == cairn.Negated || over(m, m.EventTime) {
		return
	}
	for _, other := range t.periods {
		o := other.m
		if alike(o.Fact, m.Fact) || !rivals(o.Fact, m.Fact) || !open(o) || o.Fact.Polarity == cairn.Negated ||
			over(o, m.EventTime) {
			continue
		}
		if rank[m.Trust] < rank[o.Trust] || m.EventTime.Equal(o.EventTime) || !selfSaid(m.Fact) && selfSaid(o.Fact) {
			if t.ahead(m.EventTime) && !t.ahead(o.EventTime) {
				continue // until then they do not meet
			}
			dispute(m)
			dispute(o)
			continue
		}
		t.close(other, m.EventTime, p)
	}
}

// over reports whether a fact has an end that has come by the time.
func over(m *cairn.Memory, at time.Time) bool { return m.ValidUntil != nil && !m.ValidUntil.After(at) }

// open reports whether a fact holds at present.
func open(m *cairn.Memory) bool {
	return m.State == cairn.StateActive || m.State == cairn.StateCandidate
}

// rank orders trust; higher is more. A person's statement and a person's confirmation weigh the same: lives change
// after they were confirmed.
var rank = map[cairn.Trust]int{cairn.TrustToolOutput: 0, cairn.TrustAssistantSaid: 1, cairn.TrustImported: 2,
	cairn.TrustUserStated: 3, cairn.TrustUserConfirmed: 3}

// dispute marks a fact that contradicts another, unless a person has decided about it.
func dispute(m *cairn.Memory) {
	if !m.Fact.Verification.Decided() {
		m.Fact.Verification = cairn.Verification{Status: cairn.Disputed}
	}
}

// close ends a period, not later than it has an end of its own; successor, if there is one, takes its place.
func (t *replay) close(p *period, at time.Time, successor *period) {
	if p.m.ValidUntil == nil || p.m.ValidUntil.After(at) {
		p.m.ValidUntil = &at
	}
	if open(p.m) {
		p.was = p.m.State
	}
	p.m.State, p.by = cairn.StateExpired, successor
	t.learn(p)
}

// learn notes when we knew that a period was over: when we first did.
func (t *replay) learn(p *period) {
	now := t.now
	p.m.SupersededAt = cmp.Or(p.learned, &now)
}

// end takes in that something holds no longer. If nothing was known of it, that is what is remembered: a negated fact.
// An ending of what is over says nothing new, and is kept with it.
func (t *replay) end(s statement) {
	x := s.of.Fact
	if s.Other && t.contest(s) {
		return
	}
	ended := false
	settled := t.settled(x)
	var last *period // of the same node
	for _, p := range t.periods {
		if sameValue(p.m.Fact, x) {
			last = p
		}
		if open(p.m) && p.m.Fact.Polarity == cairn.Affirmed &&
			(sameValue(p.m.Fact, x) || p == settled || p.m.Fact.Verb == x.Verb && x.SingleValued && x.Node.Name == "") {
			if !ended || !sameValue(p.m.Fact, x) { // of what holds and what is planned of one node, one keeps it
				p.m.Fact.Evidence = append(p.m.Fact.Evidence, s.Evidence)
			}
			t.close(p, s.At, nil)
			p.successor, ended = s.Successor, true
		}
	}
	switch {
	case ended || x.Node.Name == "":
	case last == nil && s.Successor != "": // what it ended is not said any more
	case last == nil:
		t.begin(s)
	case last.m.Fact.Polarity == cairn.Negated && t.before(last, s):
		t.begin(s)
	case last.m.Fact.Polarity == cairn.Negated:
		support(last, s)
	default:
		last.m.Fact.Evidence = append(last.m.Fact.Evidence, s.Evidence)
	}
}

// settled returns the sum whose paper an ending names without its amount. Of several that may be meant none is: they
// are for a person to look at.
func (t *replay) settled(x *cairn.Fact) *period {
	var meant []*period
	for _, p := range t.periods {
		if x.Financial == nil && open(p.m) && p.m.Fact.Polarity == cairn.Affirmed && samePaper(p.m.Fact, x) {
			meant = append(meant, p)
		}
	}
	if len(meant) == 1 {
		return meant[0]
	}
	for _, p := range meant {
		dispute(p.m)
	}
	return nil
}

// contest takes in that somebody else says the end of what a person said of themselves: that is a contradiction, and
// ends nothing. It reports whether there is such a thing.
func (t *replay) contest(s statement) bool {
	x := s.of.Fact
	var said []*period
	for _, p := range t.periods {
		if open(p.m) && p.m.Fact.Polarity == cairn.Affirmed && selfSaid(p.m.Fact) &&
			(sameValue(p.m.Fact, x) || p.m.Fact.Verb == x.Verb && x.SingleValued && x.Node.Name == "") {
			dispute(p.m)
			said = append(said, p)
		}
	}
	switch {
	case len(said) == 0:
		return false
	case x.Node.Name == "": // of no value in particular: the contradiction is kept with it
		said[0].m.Fact.Evidence = append(said[0].m.Fact.Evidence, s.Evidence)
	default:
		dispute(t.begin(s).m)
	}
	return true
}

// selfSaid reports whether somebody said a fact of themselves.
func selfSaid(x *cairn.Fact) bool {
	return slices.ContainsFunc(x.Evidence, func(e cairn.Evidence) bool {
		return !e.Other && !e.Withdrawn && (!e.Ends || x.Polarity == cairn.Negated)
	})
}

// mostSure is the confidence that repetition alone can reach: independent statements make each other more likely, and
// nothing certain.
const mostSure = 0.99

// support adds evidence to a fact. A plain statement makes a candidate a fact, and one of somebody more trusted, such
// as a person who says what the assistant had proposed, raises it to that trust. It reports whether a candidate became
// a fact.
func support(p *period, s statement) (accepted bool) {
	m, x := p.m, p.m.Fact
	x.Evidence = append(x.Evidence, s.Evidence)
	x.Confidence = min(1-(1-x.Confidence)*(1-s.Confidence), max(mostSure, x.Confidence))
	if s.Proposed || rank[s.Trust] < rank[m.Trust] {
		return false
	}
	if accepted = m.State == cairn.StateCandidate &&
		(!x.Verification.Decided() || rank[s.Trust] > rank[m.Trust]); accepted {
		m.State = cairn.StateActive
	}
	if rank[s.Trust] == rank[m.Trust] {
		return accepted
	}
	m.Trust, m.Role, m.Speaker, x.AuthorRole, x.Certainty = s.Trust, s.of.Role, s.of.Speaker,
		s.of.Fact.AuthorRole, s.Certainty
	return accepted
}
