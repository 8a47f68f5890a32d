package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// statement is one piece of evidence with its fact. Without evidence it is a fact that a person decided against, which
// has its position in time like a statement.
type statement struct {
	of *trilith.Memory
	trilith.Evidence
	At    time.Time // from when on it counts; see [replay.date]
	known bool      // it was applied before
}

// period is a fact during a replay.
type period struct {
	m         *trilith.Memory
	by        *period       // the period that replaced it
	successor trilith.ID    // the fact that replaces it by a person's statement; it may belong to another replay
	learned   *time.Time    // when its end became known, if that is stored
	was       trilith.State // its state before it was closed
}

// replay computes facts from statements in order of time.
type replay struct {
	now     time.Time
	said    []statement
	drops   []*period           // facts that a person decided against
	periods []*period           // in the order of their beginnings
	taken   map[trilith.ID]bool // ids of other owners' facts
	// by verb and node key: the first name of a fact, which determines its id and must not change
	names map[string]*trilith.Fact
}

// newReplay collects the statements of facts.
func newReplay(now time.Time, taken map[trilith.ID]bool, group []*trilith.Memory, heard *trilith.Memory) *replay {
	t := &replay{now: now, taken: taken, names: map[string]*trilith.Fact{}}
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
			if e.At.IsZero() { // stored by a version in which evidence had no times
				e.At, e.Confidence, e.Certainty, e.Trust = m.EventTime, m.Fact.Confidence, m.Fact.Certainty, m.Trust
			}
			if !e.Withdrawn {
				t.said = append(t.said, statement{of: m, Evidence: e, At: e.At, known: true})
			}
		}
	}
	if heard != nil {
		e := heard.Fact.Evidence[0]
		t.said = append(t.said, statement{of: heard, Evidence: e, At: e.At})
	}
	t.date()
	slices.SortStableFunc(t.said, func(a, b statement) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.EpisodeID, b.EpisodeID), cmp.Compare(a.Start, b.Start))
	})
	return t
}

// date sets the time from which a statement counts. A statement that dates itself back counts from that date, unless
// it contradicts a statement made in between: "I live in Kassel", and later "since last week I've been living in
// Fulda". The last one is right about the present, so it counts from the day it was said. A statement about a time
// that is over keeps its time.
func (t *replay) date() {
	dated := make([]time.Time, len(t.said))
	for i, s := range t.said {
		dated[i] = s.At
		if s.SaidAt == nil || s.Until != nil && !s.Until.After(*s.SaidAt) {
			continue
		}
		if slices.ContainsFunc(t.said, func(o statement) bool {
			return !o.At.Before(s.At) && saidBefore(o, s) && o.contradicts(s)
		}) {
			dated[i] = *s.SaidAt
		}
	}
	for i, at := range dated {
		t.said[i].At = at
	}
}

func saidBefore(a, b statement) bool { return a.told().Before(b.told()) }

// told returns when a statement was made.
func (s statement) told() time.Time {
	if s.SaidAt != nil {
		return *s.SaidAt
	}
	return s.Evidence.At
}

// contradicts reports whether two statements cannot both hold at one time.
func (s statement) contradicts(o statement) bool {
	a, b := s.of.Fact, o.of.Fact
	rival := verbOf(a) == verbOf(b) && rivals(a, b)
	switch {
	case s.Ends || o.Ends:
		return s.Ends != o.Ends && (sameValue(a, b) || rival && (a.Node.Name == "" || b.Node.Name == ""))
	case alike(a, b):
		return opposed(a, b)
	}
	return rival && a.Polarity == b.Polarity
}

// run returns the facts with their ids: the latest period of a fact has the fact's id, earlier ones are numbered.
func (t *replay) run() []*trilith.Memory {
	for _, s := range t.said {
		t.take(s)
	}
	for _, p := range t.periods {
		if p.was != "" && t.ahead(*p.m.ValidUntil) { // a planned end does not close it yet
			p.m.State, p.m.SupersededAt, p.by, p.successor = p.was, nil, nil, ""
		}
		if t.ahead(p.m.EventTime) {
			p.m.Fact.Certainty = trilith.Planned
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
		only := p.m.State == trilith.StateCandidate // a candidate takes no id from a fact
		last := latest[key]
		switch {
		case last == nil:
		case t.ahead(p.m.EventTime): // a fact that has not begun takes none from one that has
			continue
		case open(last.m) && !(open(p.m) && !(only && last.m.State == trilith.StateActive)):
			continue
		}
		latest[key] = p
	}
	out := make([]*trilith.Memory, len(t.periods))
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
			p.m.SupersededBy, p.m.State = p.successor, trilith.StateSuperseded
		}
		if p.by != nil {
			p.m.SupersededBy = p.by.m.ID
			p.by.m.Supersedes = append(p.by.m.Supersedes, p.m.ID)
			if p.m.State == trilith.StateExpired {
				p.m.State = trilith.StateSuperseded
			}
		}
		if open(p.m) && over(p.m, t.now) {
			p.m.State = trilith.StateExpired
			t.learn(p)
		}
	}
	return out
}

// rank orders trust; higher is more. A person's statement and a person's confirmation have the same rank, because lives
// change after a confirmation.
var rank = map[trilith.Trust]int{trilith.TrustToolOutput: 0, trilith.TrustAssistantSaid: 1, trilith.TrustImported: 2,
	trilith.TrustUserStated: 3, trilith.TrustUserConfirmed: 3}

// take applies the next statement.
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
		case !open(p.m) || over(p.m, s.At) || !alike(x, of): // the costly question last
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
	if current.m.State == trilith.StateCandidate {
		return
	}
	for _, p := range opposite {
		if p.m.EventTime.Equal(s.At) || rank[s.Trust] < rank[p.m.Trust] || s.Other && selfSaid(p.m.Fact) ||
			foreign(current.m, p.m) {
			dispute(p.m)
			dispute(current.m)
			continue
		}
		t.close(p, s.At, current)
	}
}

// end applies the statement that something no longer holds. If nothing is known of it, it becomes a negated fact. The
// end of something that has ended says nothing new, and is stored with it.
func (t *replay) end(s statement) {
	x := s.of.Fact
	if s.Other && t.contest(s) {
		return
	}
	ended := false
	settled := t.settled(x)
	var last *period // latest period of the node
	for _, p := range t.periods {
		if sameValue(p.m.Fact, x) {
			last = p
		}
		if open(p.m) && p.m.Fact.Polarity == trilith.Affirmed &&
			(sameValue(p.m.Fact, x) || p == settled || p.m.Fact.Verb == x.Verb && x.SingleValued && x.Node.Name == "") {
			if !ended || !sameValue(p.m.Fact, x) { // of a current and a planned fact of one node, one gets it
				p.m.Fact.Evidence = append(p.m.Fact.Evidence, s.Evidence)
			}
			t.close(p, s.At, nil)
			p.successor, ended = s.Successor, true
		}
	}
	switch {
	case ended || x.Node.Name == "":
	case last == nil && s.Successor != "": // the value that it ended is no longer stated
	case last == nil:
		t.begin(s)
	case last.m.Fact.Polarity == trilith.Negated && t.before(last, s):
		t.begin(s)
	case last.m.Fact.Polarity == trilith.Negated:
		support(last, s)
	default:
		last.m.Fact.Evidence = append(last.m.Fact.Evidence, s.Evidence)
	}
}

// contest applies another person's statement that something which somebody said of themselves has ended: that is a
// contradiction, and ends nothing. It reports whether there is such a fact.
func (t *replay) contest(s statement) bool {
	x := s.of.Fact
	var said []*period
	for _, p := range t.periods {
		if open(p.m) && p.m.Fact.Polarity == trilith.Affirmed && selfSaid(p.m.Fact) &&
			(sameValue(p.m.Fact, x) || p.m.Fact.Verb == x.Verb && x.SingleValued && x.Node.Name == "") {
			dispute(p.m)
			said = append(said, p)
		}
	}
	switch {
	case len(said) == 0:
		return false
	case x.Node.Name == "": // of no particular value: the contradiction is stored with the fact
		said[0].m.Fact.Evidence = append(said[0].m.Fact.Evidence, s.Evidence)
	default:
		dispute(t.begin(s).m)
	}
	return true
}

// begin begins a period of a fact.
func (t *replay) begin(s statement) *period {
	m := clone(*s.of)
	p := &period{m: m}
	if m.State == trilith.StateSuperseded || m.State == trilith.StateExpired {
		p.learned = m.SupersededAt
	}
	// a doubt about a candidate leaves it a candidate
	if m.State != trilith.StateCandidate || !m.Fact.Verification.Decided() {
		m.State = stateOf(&s.Evidence)
	}
	m.EventTime, m.ValidUntil, m.SupersededBy, m.SupersededAt, m.Supersedes = s.At, s.Until, "", nil, nil
	m.Trust = s.Trust
	x := m.Fact
	if s.Ends {
		x.Polarity = trilith.Negated
	}
	if s.Says != "" {
		m.Text, m.SourceID, x.Rule = s.Says, s.SourceID, s.Rule
	}
	x.Evidence, x.Confidence, x.Certainty = []trilith.Evidence{s.Evidence}, s.Confidence, s.Certainty
	switch v := &x.Verification; {
	case v.By == "": // trust decides about the state; verified means that a person has checked it
		v.Status = trilith.PendingApproval
	case v.Decided() && v.Status == trilith.Verified:
		m.Trust, m.State = trilith.TrustUserConfirmed, trilith.StateActive
	}
	t.periods = append(t.periods, p)
	t.settle(p)
	return p
}

// stateOf returns the initial state of a fact without a decision: a mere proposal is a candidate.
func stateOf(e *trilith.Evidence) trilith.State {
	if e.Proposed {
		return trilith.StateCandidate
	}
	return trilith.StateActive
}

// settle gives a single-valued verb one value: the latest. A planned value sets the end of the one that holds until
// then, and neither closes nor disputes it before. A less trusted statement never closes a more trusted one, and a
// statement of others never closes a person's own about themselves. A person then reviews both, and also two values
// for the same time. A value that had ended when it was stated closes none, and neither does a candidate.
func (t *replay) settle(p *period) {
	m := p.m
	if m.State == trilith.StateCandidate || m.Fact.Polarity == trilith.Negated || over(m, m.EventTime) {
		return
	}
	for _, other := range t.periods {
		o := other.m
		if !open(o) || o.Fact.Polarity == trilith.Negated || over(o, m.EventTime) || !rivals(o.Fact, m.Fact) ||
			alike(o.Fact, m.Fact) {
			continue
		}
		if rank[m.Trust] < rank[o.Trust] || m.EventTime.Equal(o.EventTime) || !selfSaid(m.Fact) && selfSaid(o.Fact) ||
			foreign(m, o) {
			if t.ahead(m.EventTime) && !t.ahead(o.EventTime) {
				continue // they do not overlap until then
			}
			if !compatible(m.Fact, o.Fact) {
				dispute(m)
				dispute(o)
			}
			continue
		}
		t.close(other, m.EventTime, p)
	}
}

// over reports whether a fact has ended by a time.
func over(m *trilith.Memory, at time.Time) bool {
	return m.ValidUntil != nil && !m.ValidUntil.After(at)
}

// selfSaid reports whether somebody stated a fact of themselves.
func selfSaid(x *trilith.Fact) bool {
	return slices.ContainsFunc(x.Evidence, func(e trilith.Evidence) bool {
		return !e.Other && !e.Withdrawn && (!e.Ends || x.Polarity == trilith.Negated)
	})
}

// foreign reports whether a system has told a fact, and others have said the other one: a person decides which holds.
func foreign(m, other *trilith.Memory) bool {
	by := m.Fact.Evidence[0].Rule
	return strings.HasPrefix(by, trilith.ToldRule) && by != trilith.ToldRule &&
		slices.ContainsFunc(other.Fact.Evidence, func(e trilith.Evidence) bool { return e.Rule != by && !e.Withdrawn })
}

// dispute marks a fact that contradicts another, unless a person has decided about it.
func dispute(m *trilith.Memory) {
	if !m.Fact.Verification.Decided() {
		m.Fact.Verification = trilith.Verification{Status: trilith.Disputed}
	}
}

// close ends a period, but not after its own end; successor, if given, replaces it.
func (t *replay) close(p *period, at time.Time, successor *period) {
	if p.m.ValidUntil == nil || p.m.ValidUntil.After(at) {
		p.m.ValidUntil = &at
	}
	if open(p.m) {
		p.was = p.m.State
	}
	p.m.State, p.by = trilith.StateExpired, successor
	t.learn(p)
}

// learn records when the end of a period became known first.
func (t *replay) learn(p *period) {
	now := t.now
	p.m.SupersededAt = cmp.Or(p.learned, &now)
}

// settled returns the sum on the document that an ending names without an amount. If several could be meant, it
// returns none: the ending is stored as it was said, and a ledger, which knows the payments, finds the document.
func (t *replay) settled(x *trilith.Fact) *period {
	var meant []*period
	for _, p := range t.periods {
		if x.Financial == nil && open(p.m) && p.m.Fact.Polarity == trilith.Affirmed && samePaper(p.m.Fact, x) {
			meant = append(meant, p)
		}
	}
	if len(meant) != 1 {
		return nil
	}
	return meant[0]
}

// before reports whether a period has begun and a statement about it has not: until then the period counts.
func (t *replay) before(p *period, s statement) bool {
	return t.ahead(s.At) && !t.ahead(p.m.EventTime)
}

// ahead reports whether a time is in the future.
func (t *replay) ahead(at time.Time) bool { return trilith.Ahead(at, t.now) }

// mostSure is the highest confidence that repetition can give: independent statements make each other more likely,
// but nothing certain.
const mostSure = 0.99

// support adds evidence to a fact. A plain statement makes a candidate a fact, and a more trusted one, such as a
// person's repetition of an assistant's proposal, raises it to that trust. It reports whether a candidate became a
// fact.
func support(p *period, s statement) (accepted bool) {
	m, x := p.m, p.m.Fact
	x.Evidence = append(x.Evidence, s.Evidence)
	x.Confidence = min(1-(1-x.Confidence)*(1-s.Confidence), max(mostSure, x.Confidence))
	if s.Proposed || rank[s.Trust] < rank[m.Trust] {
		return false
	}
	if accepted = m.State == trilith.StateCandidate &&
		(!x.Verification.Decided() || rank[s.Trust] > rank[m.Trust]); accepted {
		m.State = trilith.StateActive
	}
	if rank[s.Trust] == rank[m.Trust] {
		return accepted
	}
	m.Trust, m.Role, m.Speaker, x.AuthorRole, x.Certainty = s.Trust, s.of.Role, s.of.Speaker,
		s.of.Fact.AuthorRole, s.Certainty
	return accepted
}

// judged returns the fact that a person decided against, if the statement is new and not newer than the decision.
func (t *replay) judged(s statement) *period {
	for _, d := range t.drops {
		if at := d.m.SupersededAt; !s.known && sameValue(d.m.Fact, s.of.Fact) &&
			d.m.Fact.Polarity == s.of.Fact.Polarity && (at == nil || !s.At.After(*at)) {
			return d
		}
	}
	return nil
}

// returns reports whether a candidate repeats, in a person's words, a fact that had ended or was decided against: a
// person has to say which of the two holds.
func (t *replay) returns(p *period) bool {
	if p.m.State != trilith.StateCandidate || rank[p.m.Trust] < rank[trilith.TrustUserStated] {
		return false
	}
	same := func(o *period) bool {
		return o != p && sameValue(o.m.Fact, p.m.Fact) && o.m.Fact.Polarity == p.m.Fact.Polarity && !open(o.m)
	}
	return slices.ContainsFunc(t.drops, same) || slices.ContainsFunc(t.periods, same)
}

// open reports whether a fact holds now.
func open(m *trilith.Memory) bool {
	return m.State == trilith.StateActive || m.State == trilith.StateCandidate
}
