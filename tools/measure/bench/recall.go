package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// restriction is a scope and a filter that questions come with, and questions with answers among the memories that
// it lets through.
type restriction struct {
	name, label string
	scope       trilith.Scope
	filter      trilith.Filter
	questions   []string
}

func (r *restriction) question(i int) string { return r.questions[i%len(r.questions)] }

// partMeter adds up the times of the parts of a recall, as the engine tells while it recalls: its steps by their
// names, and within the step "search" the searches of each arm, which may run at once. Only one recall may be under
// way.
type partMeter struct {
	engine.Meter

	mu      sync.Mutex
	current map[string]time.Duration
	recalls []map[string]time.Duration
}

// measure asks the memory that was built.
func (b *bench) measure(ctx context.Context) error {
	parts := &partMeter{Meter: b.o.meter}
	m, err := b.open(ctx, builtFile, parts)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := m.Warm(ctx, b.scope(b.o.tenant)); err != nil { // as a service does when it starts
		return err
	}
	rs, err := b.restrictions(ctx, m)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.recalls(ctx, m, rs, parts) },
		func() error { return b.throughput(ctx, m, rs[0]) },
		func() error { return b.lookups(ctx, m) },
		func() error { return b.vectors(ctx, m, rs) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// restrictions returns the restrictions for measuring every kind of search. The first restricts nothing.
func (b *bench) restrictions(ctx context.Context, m *compose.Opened) ([]*restriction, error) {
	all, small := b.scope(b.o.tenant), b.scope(b.sample.smallest())
	out := []*restriction{
		{name: "unfiltered", label: "the whole large tenant", scope: all},
		{name: "small_tenant", label: "a small tenant beside it", scope: small},
		{name: "user", label: "one user", scope: middling(all)},
		{name: "channel_10_percent", label: "filter: a channel, 10 %", scope: all,
			filter: trilith.Where("channel", trilith.OpEq, tenthChannel)},
		{name: "channel_1_percent", label: "filter: a channel, 1 %", scope: all,
			filter: trilith.Where("channel", trilith.OpEq, hundredthChannel)},
		{name: "tag_10_percent", label: "filter: a tag, 10 %", scope: all,
			filter: trilith.Where("tags", trilith.OpContains, tenthTag)},
		{name: "time_10_percent", label: "filter: the last 10 % of the time", scope: all,
			filter: trilith.Where("event_time", trilith.OpGte, lastTenth)},
	}
	if err := b.askOf(out); err != nil {
		return nil, err
	}
	// a small sample has no such memories
	out = slices.DeleteFunc(out, func(r *restriction) bool { return len(r.questions) == 0 })
	hub := b.sample.people[0]
	known, err := m.Lookup(ctx, all, trilith.LookupRequest{Identifier: hub.identifier()})
	if err != nil {
		return nil, err
	}
	entity := &restriction{name: "entity", label: fmt.Sprintf("filter: facts of an entity, %d", len(known.Facts)),
		scope: all, filter: trilith.Where("entity_id", trilith.OpEq, known.Entity.ID)}
	for _, thing := range hub.likes {
		entity.questions = append(entity.questions, hub.question(thing))
	}
	return append(out, entity), nil
}

// middling narrows a scope to a user of a middling size.
func middling(s trilith.Scope) trilith.Scope {
	s.User = "user-5"
	return s
}

// askOf gives restrictions questions about their conversations: some hundred each, from all over the sample.
func (b *bench) askOf(rs []*restriction) error {
	match := make([]trilith.Matcher, len(rs))
	for i, r := range rs {
		var err error
		if match[i], err = r.filter.Compile(); err != nil {
			return err
		}
	}
	s := synthetic.New(13)
	met := make([]int, len(rs))
	return b.sample.conversations(func(scope trilith.Scope, r trilith.RememberRequest) error {
		at, err := trilith.ParseTime(r.Messages[0].Timestamp)
		x := trilith.Facets{Scope: scope, Tags: r.Tags, EventTime: at}
		for i, to := range rs {
			if !to.scope.Covers(scope) || match[i] != nil && !match[i](&x) {
				continue
			}
			met[i]++
			question := func() string { return s.Question(r.Messages[s.IntN(len(r.Messages))].Content) }
			if len(to.questions) < callsMost { // a sample of all: each stays as likely as any other
				to.questions = append(to.questions, question())
			} else if place := s.IntN(met[i]); place < callsMost {
				to.questions[place] = question()
			}
		}
		return err
	})
}

// recalls measures recalls with each restriction, and the parts of one without.
func (b *bench) recalls(ctx context.Context, m *compose.Opened, rs []*restriction, parts *partMeter) error {
	t := b.table("recall", "Recall in the process, ten hits, each question for the first time",
		append(slices.Clone(latency), "cpu_ms")...)
	measured := func(name, label string, r *restriction) error {
		calls, busy := 0, busyOf(os.Getpid())
		took, err := b.calls("recall: "+label, func(i int) error {
			calls++
			_, err := m.Recall(ctx, r.scope, trilith.RecallRequest{Query: r.question(i), Filter: r.filter})
			parts.next()
			return err
		})
		if err == nil {
			t.row(name, label, append(took, (busyOf(os.Getpid())-busy)/float64(calls))...)
		}
		return err
	}
	for _, r := range rs {
		if err := measured(r.name, r.label, r); err != nil {
			return err
		}
		if r == rs[0] {
			parts.report(b.table("parts", "Parts of a recall of the whole large tenant", latency...),
				b.times(callsBefore))
			if err := measured(r.name+"_again", r.label+", the same questions again", r); err != nil {
				return err
			}
		}
	}
	return nil
}

// next says that a recall is over.
func (p *partMeter) next() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recalls = append(p.recalls, p.current)
	p.current = nil
}

// report writes the parts into a table, the greatest first, without those of the first recalls.
func (p *partMeter) report(t *table, warmup int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := map[string][]time.Duration{}
	for _, r := range p.recalls[warmup:] {
		for part, d := range r {
			took[part] = append(took[part], d)
		}
	}
	names := slices.SortedFunc(maps.Keys(took), func(a, b string) int {
		return cmp.Or(cmp.Compare(quantile(took[b], .5), quantile(took[a], .5)), cmp.Compare(a, b))
	})
	for _, name := range names {
		t.row(name, strings.ReplaceAll(name, "_", " "), ms(quantile(took[name], .5)), ms(quantile(took[name], .95)),
			ms(quantile(took[name], .99)))
	}
}

// throughput lets several ask at once.
func (b *bench) throughput(ctx context.Context, m *compose.Opened, r *restriction) error {
	t := b.table("throughput", "Recalls of several callers at once", append([]string{"per_s"}, latency...)...)
	const least, most = 20, 4000
	n := least
	for _, callers := range []int{0, 1, 2, 4} { // none: how many calls two seconds are
		took, perSecond, err := together(max(callers, 1), n, func(caller, i int) error {
			_, err := m.Recall(ctx, r.scope,
				trilith.RecallRequest{Query: r.question(caller*callsMost/4 + i), Filter: r.filter})
			return err
		})
		if err != nil {
			return err
		}
		if callers == 0 {
			n = min(max(int(2*perSecond), least), b.times(most))
			continue
		}
		t.row(fmt.Sprintf("callers_%d", callers), callersLabel(callers), append([]float64{perSecond}, took...)...)
	}
	return nil
}

// lookups looks people up.
func (b *bench) lookups(ctx context.Context, m *compose.Opened) error {
	t := b.table("lookup", fmt.Sprintf("Facts of an entity, %d facts in all", b.sample.facts()), latency...)
	hub, at := b.sample.people[0], func(i int) person { return b.sample.people[i*7919%len(b.sample.people)] }
	lookup := func(p person, query string) error {
		_, err := m.Lookup(ctx, b.scope(b.o.tenant), trilith.LookupRequest{Identifier: p.identifier(), Query: query})
		return err
	}
	for _, c := range []struct {
		name, label string
		call        func(i int) error
	}{
		{"query", "lookup with a query",
			func(i int) error { return lookup(at(i), at(i).question(at(i).likes[i%len(at(i).likes)])) }},
		{"query_hub", fmt.Sprintf("lookup with a query, %d facts", len(hub.likes)),
			func(i int) error { return lookup(hub, hub.question(hub.likes[i%len(hub.likes)])) }},
		{"all", "lookup of all facts", func(i int) error { return lookup(at(i), "") }},
		{"all_hub", fmt.Sprintf("lookup of all %d facts", len(hub.likes)), func(int) error { return lookup(hub, "") }},
		{"recall_common", "recall with a word of all facts", func(i int) error {
			_, err := m.Recall(ctx, b.scope(b.o.tenant),
				trilith.RecallRequest{Query: "Who loves " + at(i).likes[0] + "?"})
			return err
		}},
	} {
		took, err := b.calls(c.label, c.call)
		if err != nil {
			return err
		}
		t.row(c.name, c.label, took...)
	}
	return nil
}

func (p person) identifier() trilith.Identifier {
	return trilith.Identifier{Type: "user_id", Value: p.user}
}

func (p *partMeter) Step(step string, took time.Duration) { p.add(step, took) }

func (p *partMeter) Searched(arm trilith.Arm, took time.Duration, _ bool) {
	p.add("search_"+string(arm), took)
}

func (p *partMeter) add(part string, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		p.current = map[string]time.Duration{}
	}
	p.current[part] += took
}

func (p person) question(thing string) string { return "Does she love " + thing + "?" }
