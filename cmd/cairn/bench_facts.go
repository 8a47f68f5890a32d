package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-memory/cairn"
)

// Sizes of the entities that are looked up: most have few facts, some have many, one has very many.
const (
	mostFacts = 200
	hubFacts  = 500
)

// person is an entity of the benchmark and something that it likes.
type person struct{ user, likes string }

// lookup fills a memory with people and what they say they love, a fact in every second memory, and looks people up.
func (b *bench) lookup(ctx context.Context, n int) error {
	m, err := b.open(ctx, "lookup.db")
	if err != nil {
		return err
	}
	defer m.Close()
	s := newSynthetic(11)
	var people []person
	facts := 0
	start := time.Now()
	for facts < n/2 {
		size := hubFacts
		if facts > 0 {
			share := s.r.Float64()
			size = 1 + int(share*share*share*(mostFacts-1))
		}
		p := person{user: fmt.Sprintf("person-%d", len(people))}
		r := cairn.RememberRequest{Extract: cairn.ExtractRules}
		for range size {
			p.likes = s.thing()
			r.Messages = append(r.Messages, cairn.Message{Content: "I love " + p.likes + "."})
		}
		scope := b.a.scope()
		scope.User = p.user
		if _, err := m.Remember(ctx, scope, r); err != nil {
			return err
		}
		facts += size
		people = append(people, p)
	}
	if err := m.Work(ctx); err != nil {
		return err
	}
	b.add("turns with a fact each, stored and derived", float64(facts)/time.Since(start).Seconds(), "1/s")
	if err := m.Settle(ctx); err != nil {
		return err
	}
	name := func(what string) string { return fmt.Sprintf("%s, %d facts among %d memories", what, facts, 2*facts) }
	asked := func(p person, query string) func() error {
		return func() error {
			_, err := m.Lookup(ctx, b.a.scope(), cairn.LookupRequest{Identifier: cairn.Identifier{Type: "user_id", Value: p.user}, Query: query})
			return err
		}
	}
	for _, c := range []struct {
		name string
		call func() error
	}{
		{name("lookup with a query"), func() error {
			p := people[s.r.IntN(len(people))]
			return asked(p, "Does she love "+p.likes+"?")()
		}},
		{name(fmt.Sprintf("lookup with a query, entity with %d facts", hubFacts)), asked(people[0], "Does she love "+people[0].likes+"?")},
		{name(fmt.Sprintf("lookup of all facts, entity with %d", hubFacts)), asked(people[0], "")},
		{name("recall with a word that every memory holds"), func() error {
			_, err := m.Recall(ctx, b.a.scope(), cairn.RecallRequest{Query: "Who loves " + people[s.r.IntN(len(people))].likes + "?"})
			return err
		}},
	} {
		if err := b.calls(c.name, c.call); err != nil {
			return err
		}
	}
	return nil
}

// calls measures one call, one after another.
func (b *bench) calls(name string, call func() error) error {
	var took []time.Duration
	for i := range 300 {
		start := time.Now()
		if err := call(); err != nil {
			return err
		}
		if i >= 20 { // the first ones warm up
			took = append(took, time.Since(start))
		}
	}
	for _, p := range []float64{.5, .95, .99} {
		b.add(fmt.Sprintf("%s, p%d", name, int(p*100)), ms(quantile(took, p)), "ms")
	}
	return nil
}
