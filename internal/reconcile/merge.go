package reconcile

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-memory/cairn"
)

// Rules are what merging and splitting must know beside the facts. Now and Wording are those of [New].
type Rules struct {
	Now     time.Time
	Wording func(cairn.Memory) cairn.ID
	Single  func(verb string) bool                      // whether a verb holds one value at a time
	Episode func(id cairn.ID) (m cairn.Memory, ok bool) // the episode of a piece of evidence
}

// said is when the words of a piece of evidence were said; the beginning of the fact if they are gone.
func (r Rules) said(m *cairn.Memory, e cairn.Evidence) time.Time {
	if episode, ok := r.Episode(e.EpisodeID); ok {
		return episode.EventTime
	}
	return m.EventTime
}

// last is when a fact was said last.
func (r Rules) last(m *cairn.Memory) time.Time {
	t := m.EventTime
	for _, e := range m.Fact.Evidence {
		t = later(t, r.said(m, e))
	}
	return t
}

// Merge makes the facts of one entity facts of another, as if all had been said of that one from the start. Their evidence
// keeps of whom it was said.
func Merge(into, from cairn.ID, ofInto, ofFrom []cairn.Memory, r Rules) Parted {
	f := New(ofInto, r.Now, r.Wording)
	both := map[string]bool{}
	for _, m := range moved(ofFrom, into, func(e *cairn.Evidence) { e.EntityID = cmp.Or(e.EntityID, from) }) {
		both[m.Fact.Verb] = slices.ContainsFunc(ofInto, func(o cairn.Memory) bool { return o.Fact.Verb == m.Fact.Verb })
		if old := f.byID[m.ID]; old != nil {
			f.join(old, m, r)
			continue
		}
		f.add(m)
		f.changed[m.ID] = true
	}
	for _, verb := range slices.Sorted(maps.Keys(both)) {
		if both[verb] && r.Single(verb) {
			f.line(verb, r)
		}
	}
	return parted(slices.Concat(ofInto, ofFrom), f.Changed(), f.order, nil)
}

// Parted is what a merge or a split does to facts.
type Parted struct {
	Put  []cairn.Memory // new or changed
	Gone []cairn.ID     // ids that nothing stands under any more
}

// parted makes the answer from what there was, what changed of the facts under the ids of stay, and what else is put.
func parted(was, changed []cairn.Memory, stay []cairn.ID, put []cairn.Memory) Parted {
	p := Parted{Put: append(changed, put...)}
	there := map[cairn.ID]bool{}
	for _, id := range stay {
		there[id] = true
	}
	for i := range put {
		there[put[i].ID] = true
	}
	for i := range was {
		if !there[was[i].ID] {
			p.Gone = append(p.Gone, was[i].ID)
		}
	}
	return p
}

// isMain reports whether a memory is its assertion's own, and not a former period of it.
func isMain(m *cairn.Memory) bool {
	return m.ID == cairn.FactMemoryID(m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)
}

// moved returns facts of one entity as facts of another; mark changes their evidence. Versions go on, so that no former
// period gets an id that one had before.
func moved(ms []cairn.Memory, to cairn.ID, mark func(*cairn.Evidence)) []cairn.Memory {
	named := map[cairn.ID]cairn.ID{}
	for i := range ms {
		if f := ms[i].Fact; isMain(&ms[i]) {
			named[ms[i].ID] = cairn.FactMemoryID(to, f.Verb, f.FactID)
		}
	}
	name := func(id cairn.ID) cairn.ID { return cmp.Or(named[id], id) }
	out := slices.Clone(ms)
	for i := range out {
		m := &out[i]
		fact := *m.Fact
		fact.EntityID = to
		fact.RelationshipKey = fact.Key()
		fact.Evidence = slices.Clone(fact.Evidence)
		for k := range fact.Evidence {
			mark(&fact.Evidence[k])
		}
		m.Fact = &fact
		m.ID, m.SupersededBy = name(m.ID), name(m.SupersededBy)
		m.Supersedes = slices.Clone(m.Supersedes)
		for k, id := range m.Supersedes {
			m.Supersedes[k] = name(id)
		}
		m.Version++
	}
	return out
}

// join takes in a fact that is known already. Where both stand they become one; else the one that something was said or
// decided about last stays, and the other is a former period unless it adds nothing but evidence to it.
func (f *Facts) join(old *cairn.Memory, m cairn.Memory, r Rules) {
	first, last := *old, m
	if a, b := f.settled(old, r), f.settled(&m, r); a.After(b) || a.Equal(b) && open(&m) {
		first, last = m, *old
	}
	same := first.Fact.Polarity == last.Fact.Polarity
	switch {
	case same && open(&first) && open(&last):
		if first.RecordedAt.After(last.RecordedAt) {
			first, last = last, first
		}
		f.replace(old, unite(first, last))
		return
	case same && !open(&last) && (open(&first) || touch(&first, &last)): // said before the end that it came to
		if first.EventTime.Before(last.EventTime) {
			last.EventTime = first.EventTime
		}
		f.replace(old, unite(last, first))
		return
	}
	if end := first.ValidUntil; same && open(&last) && end != nil && last.EventTime.Before(*end) {
		last.EventTime = f.after(&last, *end, r)
	}
	if open(&first) {
		end := later(first.EventTime, last.EventTime)
		first.ValidUntil = &end
	}
	f.replace(old, last)
	f.former(old, first)
}

// settled is when it was said or decided that a fact stands where it does. What a person rejected is settled for good.
func (f *Facts) settled(m *cairn.Memory, r Rules) time.Time {
	switch {
	case open(m):
		return r.last(m)
	case m.State == cairn.StateRetracted && m.Fact.Verification.Status == cairn.Rejected:
		return time.Unix(math.MaxInt32, 0).AddDate(1000, 0, 0)
	case m.State == cairn.StateRetracted && m.SupersededAt != nil:
		return *m.SupersededAt
	case m.ValidUntil != nil:
		return *m.ValidUntil
	}
	return m.EventTime
}

// touch reports whether two periods that are over have no time between them.
func touch(first, last *cairn.Memory) bool {
	return first.ValidUntil != nil && !last.EventTime.After(*first.ValidUntil)
}

// after is when a fact was first said after a time.
func (f *Facts) after(m *cairn.Memory, t time.Time, r Rules) time.Time {
	first := r.last(m)
	for _, e := range m.Fact.Evidence {
		if at := r.said(m, e); at.After(t) && at.Before(first) {
			first = at
		}
	}
	return first
}

// replace puts m in the place of old, under its id and version.
func (f *Facts) replace(old *cairn.Memory, m cairn.Memory) {
	m.ID, m.Version = old.ID, old.Version
	*old = m
	f.changed[old.ID] = true
}

// former keeps a period of a fact that is over under an id of its own.
func (f *Facts) former(m *cairn.Memory, past cairn.Memory) {
	for n := 0; n == 0 || f.byID[past.ID] != nil; n++ {
		past.ID = cairn.DeriveID("period", string(m.ID), past.EventTime.Format(time.RFC3339Nano), strconv.Itoa(n))
	}
	past.Version = 1
	if open(&past) || past.State == cairn.StateExpired {
		past.State = cairn.StateSuperseded
	}
	now := f.now
	past.SupersededBy, past.SupersededAt = m.ID, &now
	f.add(past)
	f.changed[past.ID] = true
	m.Supersedes = append(slices.Clone(m.Supersedes), past.ID)
	f.changed[m.ID] = true
}

// most is as sure as repetition makes a fact.
const most = 0.99

// unite adds what another memory of the same assertion rests on. The same words count once.
func unite(m, other cairn.Memory) cairn.Memory {
	fact := *m.Fact
	fact.Evidence = slices.Clone(fact.Evidence)
	for _, e := range other.Fact.Evidence {
		if !holds(&m, e) {
			fact.Evidence = append(fact.Evidence, e)
		}
	}
	a, b := fact.Confidence, other.Fact.Confidence
	if fact.Confidence = max(a, b); len(fact.Evidence) == len(m.Fact.Evidence)+len(other.Fact.Evidence) {
		fact.Confidence = min(1-(1-a)*(1-b), max(most, a, b))
	}
	if decides(other.Fact.Verification, fact.Verification) {
		fact.Verification = other.Fact.Verification
	}
	if rank(other.Trust) > rank(m.Trust) {
		m.Trust = other.Trust
	}
	if m.State == cairn.StateCandidate && other.State == cairn.StateActive {
		m.State = cairn.StateActive
	}
	m.Fact = &fact
	for _, id := range other.Supersedes {
		if !slices.Contains(m.Supersedes, id) {
			m.Supersedes = append(slices.Clone(m.Supersedes), id)
		}
	}
	m.Tags, m.Metadata = bothTags(m.Tags, other.Tags), bothMetadata(m.Metadata, other.Metadata)
	return m
}

// decides reports whether a verification goes before another: the newer decision of a person, else what needs no approval.
func decides(v, other cairn.Verification) bool {
	switch {
	case v.At != nil && other.At != nil:
		return v.At.After(*other.At)
	case v.At != nil || other.At != nil:
		return v.At != nil
	}
	return v.Status == cairn.Verified && other.Status == cairn.PendingApproval
}

func bothTags(a, b []string) []string {
	for _, tag := range b {
		if !slices.Contains(a, tag) {
			a = append(slices.Clone(a), tag)
		}
	}
	return a
}

func bothMetadata(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}

// statement is one piece of evidence and the time from which it was said to hold.
type statement struct {
	fact     *cairn.Memory
	from     time.Time
	evidence cairn.Evidence
}

// run is a time during which one value was said and no other.
type run struct {
	main       *cairn.Memory // the value's own fact
	from       time.Time
	until      *time.Time // as far as known
	statements []statement
	heir       *run // whose beginning ends it
}

// line gives a single verb one value at each time: that which was said last, until another was said. Where trust differs,
// or two were said at once, nothing can be told from times; that is settled as ever.
func (f *Facts) line(verb string, r Rules) {
	var facts []*cairn.Memory
	var said []statement
	for _, id := range f.order {
		m := f.byID[id]
		over := !open(m) && (m.ValidUntil == nil || !m.ValidUntil.After(m.EventTime))
		if m.Fact.Verb == verb && m.Fact.Polarity == cairn.Affirmed && m.State != cairn.StateRetracted && !over {
			facts = append(facts, m)
			said = append(said, statements(m, r)...)
		}
	}
	slices.SortStableFunc(said, func(a, b statement) int { return a.from.Compare(b.from) })
	for i, s := range said {
		if rank(s.fact.Trust) != rank(said[0].fact.Trust) || i > 0 && f.main(s.fact) != f.main(said[i-1].fact) && s.from.Equal(said[i-1].from) {
			for _, m := range facts {
				f.settle(m, true)
			}
			return
		}
	}
	f.rebuild(facts, f.runs(said))
}

// statements are those that a fact rests on. It holds from its beginning, which may lie before the first of them.
func statements(m *cairn.Memory, r Rules) []statement {
	var out []statement
	for _, e := range m.Fact.Evidence {
		out = append(out, statement{m, r.said(m, e), e})
	}
	slices.SortStableFunc(out, func(a, b statement) int { return a.from.Compare(b.from) })
	if m.EventTime.Before(out[0].from) {
		out[0].from = m.EventTime
	}
	return out
}

// runs joins what follows on itself without an end in between, and ends each run where another value begins.
func (f *Facts) runs(said []statement) []*run {
	var out []*run
	for _, s := range said {
		main := f.main(s.fact)
		var last *run
		if len(out) > 0 && out[len(out)-1].main == main {
			last = out[len(out)-1]
		}
		if last == nil || last.until != nil && s.from.After(*last.until) {
			last = &run{main: main, from: s.from}
			out = append(out, last)
		}
		last.statements = append(last.statements, s)
		if end := s.fact.ValidUntil; end != nil && !s.from.After(*end) && (last.until == nil || last.until.Before(*end)) {
			last.until = end
		}
	}
	for i := range len(out) - 1 {
		if next := out[i+1]; next.main != out[i].main && (out[i].until == nil || out[i].until.After(next.from)) {
			out[i].until, out[i].heir = &next.from, next
		}
	}
	return out
}

// rebuild gives each run a fact: the last one of a value its own, the others former periods, those that there are first.
func (f *Facts) rebuild(facts []*cairn.Memory, runs []*run) {
	left := map[*cairn.Memory]cairn.Memory{} // as they were
	for _, m := range facts {
		left[m] = *m
	}
	was := maps.Clone(left)
	last := map[*cairn.Memory]*run{}
	for _, r := range runs {
		if slices.Contains(facts, r.main) { // else it says something else now
			last[r.main] = r
		}
	}
	for m, r := range last {
		delete(left, m)
		f.during(m, r, was)
	}
	for _, r := range runs {
		if last[r.main] == r {
			continue
		}
		at := slices.IndexFunc(r.statements, func(s statement) bool { _, free := left[s.fact]; return free })
		if at < 0 {
			f.former(r.main, f.part(was[r.statements[0].fact], r, was))
			continue
		}
		m := r.statements[at].fact
		delete(left, m)
		f.during(m, r, was)
	}
	for m := range left { // all that they rest on is in other periods
		f.remove(m)
	}
	for _, m := range facts { // in an order that repeats
		if r := last[m]; r != nil && r.heir != nil && open(m) {
			f.close(m, *r.until, r.heir.main)
		}
	}
}

// during makes a fact one that holds during a run.
func (f *Facts) during(m *cairn.Memory, r *run, was map[*cairn.Memory]cairn.Memory) {
	part := f.part(*m, r, was)
	if part.EventTime.Equal(m.EventTime) && len(part.Fact.Evidence) == len(m.Fact.Evidence) && equalTimes(part.ValidUntil, m.ValidUntil) {
		return
	}
	f.replace(m, part)
}

// part is what a fact is if it rests on the statements of a run.
func (f *Facts) part(m cairn.Memory, r *run, was map[*cairn.Memory]cairn.Memory) cairn.Memory {
	fact := *m.Fact
	fact.Evidence = nil
	some := map[*cairn.Memory]int{}
	for _, s := range r.statements {
		fact.Evidence = append(fact.Evidence, s.evidence)
		some[s.fact]++
	}
	doubt, best := 1.0, 0.0
	for from, n := range some {
		c := share(was[from].Fact.Confidence, n, len(was[from].Fact.Evidence))
		doubt, best = doubt*(1-c), max(best, c)
	}
	if fact.Confidence = best; len(some) > 1 {
		fact.Confidence = min(1-doubt, max(most, best))
	}
	m.EventTime, m.ValidUntil, m.Fact = r.from, r.until, &fact
	return m
}

func equalTimes(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// remove forgets a former period that another has taken in.
func (f *Facts) remove(m *cairn.Memory) {
	delete(f.byID, m.ID)
	f.order = slices.DeleteFunc(f.order, func(id cairn.ID) bool { return id == m.ID })
	for _, o := range f.byID {
		if slices.Contains(o.Supersedes, m.ID) {
			o.Supersedes = slices.DeleteFunc(o.Supersedes, func(id cairn.ID) bool { return id == m.ID })
			f.changed[o.ID] = true
		}
	}
}

// spokenIn gives a fact the circumstances of an episode.
func spokenIn(m *cairn.Memory, episode cairn.Memory) {
	m.SourceID, m.Scope, m.Role, m.Speaker, m.RecordedAt = episode.SourceID, episode.Scope, episode.Role, episode.Speaker, episode.RecordedAt
}

// main returns the fact that a former period is one of.
func (f *Facts) main(m *cairn.Memory) *cairn.Memory {
	return cmp.Or(f.byID[cairn.FactMemoryID(m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)], m)
}

// share is the confidence that some of n statements of equal weight give, if all give c together.
func share(c float64, some, n int) float64 {
	if some == n || n == 0 {
		return c
	}
	const digits = 1e6
	return math.Round(digits*(1-math.Pow(1-c, float64(some)/float64(n)))) / digits
}
