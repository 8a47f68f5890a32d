package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Read is a question that a program asks a store again and again.
type Read struct {
	Name string
	All  bool // it is about all tenants
	Ask  func(ctx context.Context, b Backend) error
}

// Fill stores some facts of two tenants, so that the planner of a database has something to go by.
func Fill(ctx context.Context, s role.Store) error {
	for _, tenant := range []string{"acme", "zenith"} {
		for from := 0; from < filled; from += role.MaxBatch {
			var b role.Batch
			for n := from; n < min(filled, from+role.MaxBatch); n++ {
				m := listed(n)
				m.Scope.Tenant = tenant
				b.Memories = append(b.Memories, m)
				key := role.Key{Space: role.KeyName, Value: fmt.Sprint("name ", n)}
				b.Claims = append(b.Claims, role.Claim{Key: key, Owner: m.ID})
			}
			if _, err := s.Commit(ctx, trilith.Scope{Tenant: tenant}, b); err != nil {
				return err
			}
		}
	}
	return nil
}

const filled = 1000 // facts of a tenant of [Fill]

// reader is the part of a store that the questions need.
type reader interface {
	Backend
	role.Tallier
	role.FactFinder
}

// Reads are the questions behind recall, listings, counting, lookup, jobs and the change log. A store that answers them
// by SQL has a plan for each, which a change of the SQL must not lose. They are asked of tenant acme, and need no data
// but those of [Fill].
func Reads() []Read {
	var q questions
	q.listings()
	q.byKey()
	q.counting()
	q.background()
	slices.SortStableFunc(q, func(a, b Read) int { return strings.Compare(a.Name, b.Name) })
	return q
}

// questions are those that were put together so far.
type questions []Read

// ofUser is the scope of a question about a person in a project.
var ofUser = trilith.Scope{Tenant: "acme", User: "ana", Project: "boat"}

// asOf is when the questions are asked.
var asOf = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (q *questions) ask(name string, f func(ctx context.Context, b reader) error) {
	*q = append(*q, Read{Name: name, Ask: func(ctx context.Context, b Backend) error { return f(ctx, b.(reader)) }})
}

func (q *questions) list(name string, sc trilith.Scope, l role.Listing) {
	q.ask("list "+name, func(ctx context.Context, b reader) error {
		for _, err := range b.List(ctx, sc, l) {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (q *questions) listings() {
	for _, l := range NamedListings() {
		q.list(l.Name, acme, l.Listing)
	}
	q.list("all", acme, role.Listing{})
	q.list("scope", ofUser, role.Listing{Order: role.OrderRecorded, Limit: 20})
	q.list("closed", ofUser, role.Listing{Order: role.OrderClosed, Limit: 20})
	q.list("facts of a type", ofUser, role.Listing{Limit: 20, Filter: trilith.AllOf(
		trilith.Where("kind", trilith.OpEq, trilith.KindFact), trilith.Where("fact_type", trilith.OpEq, "task"),
		trilith.Where("state", trilith.OpEq, trilith.StateActive))})
}

func (q *questions) byKey() {
	q.ask("get", func(ctx context.Context, b reader) error {
		_, err := b.Get(ctx, acme, []trilith.ID{id(1), id(2)})
		return err
	})
	q.ask("records", func(ctx context.Context, b reader) error {
		_, err := b.Records(ctx, acme, role.RecordListing{Kind: role.RecordEntity, After: id(1), Limit: 20})
		return err
	})
	q.ask("records by id", func(ctx context.Context, b reader) error {
		_, err := b.Records(ctx, acme, role.RecordListing{Kind: role.RecordEntity, IDs: []trilith.ID{id(1), id(2)}})
		return err
	})
	q.ask("find", func(ctx context.Context, b reader) error {
		_, err := b.Find(ctx, acme, []role.Key{{Space: role.KeyName, Value: "ana"}})
		return err
	})
	q.ask("claims", func(ctx context.Context, b reader) error {
		_, err := b.Claims(ctx, acme, role.ClaimListing{After: role.Key{Space: "a", Value: "b"}, Limit: 20})
		return err
	})
}

func (q *questions) counting() {
	q.ask("stats", func(ctx context.Context, b reader) error { return tally(ctx, b, ofUser, tallyStats) })
	q.ask("fact stats", func(ctx context.Context, b reader) error {
		return tally(ctx, b, ofUser, tallyFacts)
	})
	q.ask("comparable", func(ctx context.Context, b reader) error {
		_, err := b.Comparable(ctx, acme, trilith.Comparing{States: []trilith.State{trilith.StateActive}, At: asOf, Most: 50})
		return err
	})
	for of, sc := range map[string]trilith.Scope{"tenant": acme, "scope": ofUser} {
		q.ask("facets of a "+of, func(ctx context.Context, b reader) error {
			return tally(ctx, b, sc, trilith.Tally{By: []string{"session"}, Top: 10, Last: true, States: active})
		})
		q.ask("days of a "+of, func(ctx context.Context, b reader) error {
			return tally(ctx, b, sc, trilith.Tally{By: []string{"kind"}, Day: trilith.TimelineRecorded, States: active})
		})
	}
	q.ask("entity tallies", func(ctx context.Context, b reader) error {
		return tally(ctx, b, acme, tallyEntities)
	})
	q.ask("exposure", func(ctx context.Context, b reader) error {
		return tally(ctx, b, ofUser, tallyMoney)
	})
	q.ask("pending", func(ctx context.Context, b reader) error {
		_, _, _, err := b.Pending(ctx, ofUser, asOf,
			trilith.AutoVerifyRequest{MinTrust: trilith.TrustUserStated, MinEvidence: 2})
		return err
	})
	q.ask("unheard", func(ctx context.Context, b reader) error {
		_, _, err := b.Unheard(ctx, ofUser, asOf, asOf, 0, 20)
		return err
	})
}

// The tallies of the program, but for those that name a field.
var (
	active     = []trilith.State{trilith.StateActive}
	onlyFacts  = []trilith.Kind{trilith.KindFact}
	tallyStats = trilith.Tally{By: []string{"kind", "state"}, Last: true}
	tallyFacts = trilith.Tally{By: []string{"state", "fact_type", "verification_status"}, Kinds: onlyFacts,
		Unshared: true, At: asOf}
	tallyEntities = trilith.Tally{By: []string{"entity_id"}, Kinds: onlyFacts, Unshared: true, At: asOf,
		Last: true, States: []trilith.State{trilith.StateActive, trilith.StateSuperseded, trilith.StateExpired}}
	tallyMoney = trilith.Tally{By: []string{"project", "financial_type", "currency", "financial_amount", "polarity"},
		Kinds: onlyFacts, States: active, Unshared: true, Money: true, At: asOf}
)

func tally(ctx context.Context, b role.Tallier, s trilith.Scope, q trilith.Tally) error {
	_, err := b.Tally(ctx, s, q)
	return err
}

// background are questions about all tenants, but for the first.
func (q *questions) background() {
	sys := trilith.AsSystem("plans")
	q.ask("jobs", func(ctx context.Context, b reader) error {
		_, err := b.Jobs(ctx, acme, trilith.JobListing{State: trilith.JobDead, Limit: 20})
		return err
	})
	q.ask("lease", func(ctx context.Context, b reader) error {
		_, err := b.Lease(ctx, sys, trilith.LeaseRequest{Kinds: []string{"distil"}, Worker: "w", For: time.Minute})
		return err
	})
	q.ask("changes", func(ctx context.Context, b reader) error {
		_, _, err := b.Changes(ctx, sys, 0, "", 100)
		return err
	})
	q.ask("head", func(ctx context.Context, b reader) error { _, err := b.Head(ctx, sys, 0); return err })
	q.ask("tenants", func(ctx context.Context, b reader) error { _, err := b.Tenants(ctx, sys); return err })
	for i := range *q {
		(*q)[i].All = slices.Contains([]string{"lease", "changes", "head", "tenants"}, (*q)[i].Name)
	}
}
