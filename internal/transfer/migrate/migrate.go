// Package migrate copies everything that one store holds into another one, of whatever driver each is.
//
// It knows only the roles, so it copies the data that they can read: memories with their versions, records, claims,
// jobs in their states, the audit with its chain, and embeddings that were paid for. Indexes are not: a process that
// opens the copy makes its own.
//
// The old store may be in use meanwhile. Memories are copied by id first; later changes are then read from the log of
// changes. Records, claims, jobs and the audit have no such log: both sides are listed, and the differences are
// copied. At the end both sides are read once more and compared. If the old store was not written to in between they
// are equal, and the migration is finished; else running it again copies the new changes.
//
// Its progress is recorded in the copy, in the same commits as the copied data, so that a migration that is cut off
// anywhere goes on there and never writes anything twice; see [trilith.Migration].
package migrate

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Truth is a store with all the roles that its driver plays for the truth. If it also plays [role.EmbeddingCache] paid
// embeddings are copied, and if it can Purge that runs after an erasure.
type Truth interface {
	role.Store
	role.Log
	role.Queue
}

// Endpoint is a store and its name for people: a URL without a secret. The name tells whether a migration is the one
// that was begun before.
type Endpoint struct {
	Name string
	Truth
}

// Options say how to run.
type Options struct {
	Progress func(Progress)   // told after each step; may be nil
	Now      func() time.Time // time.Now if nil

	batch, page int // see [run]; tests need smaller ones
}

// Progress describes the work under way.
type Progress struct {
	Stage  Stage
	Tenant string // empty where it is about all of them
	Done   int    // memories, changes or items of this stage and tenant so far
}

// Stage is a part of a migration.
type Stage string

// The stages, in their order.
const (
	StageCopy       Stage = "copying memories"
	StageCatchUp    Stage = "catching up"
	StageEmbeddings Stage = "copying embeddings"
	StageRest       Stage = "copying the rest"
	StageCompare    Stage = "comparing"
)

// Report describes the work done and the content of the stores.
type Report struct {
	From    string   `json:"from"`
	To      string   `json:"to,omitempty"`
	Resumed bool     `json:"resumed"` // it had been begun before
	Copied  int      `json:"copied"`  // memories that were put into the copy
	Tenants []Tenant `json:"tenants"` // by name, the system tenant first if it holds anything
	Equal   bool     `json:"equal"`
	Seconds float64  `json:"seconds"`
}

// Tenant is the content of a tenant on both sides.
type Tenant struct {
	Name  string   `json:"tenant"`
	From  Content  `json:"from"`
	To    *Content `json:"to,omitempty"` // nil where there is only one side
	Equal bool     `json:"equal"`
}

// Run makes the content of the copy equal to that of the old store, and says whether it is. The copy has to be empty,
// or to hold the copy from the same store that was begun before; else it answers Conflict and writes nothing. It
// answers Conflict too if another migration writes to the same store at the same time. After any error the next Run
// goes on from there.
//
// The old store is only read. A report that says that both are not equal means that the old store was written to
// meanwhile.
func Run(ctx context.Context, from, to Endpoint, o Options) (Report, error) {
	if from.Name == to.Name {
		return Report{}, trilith.Errorf(trilith.Invalid, "to: is the same store as from")
	}
	r := newRun(from, to, o)
	start := r.now()
	if err := r.begin(ctx); err != nil {
		return Report{}, err
	}
	for _, step := range []func(context.Context) error{r.copyAll, r.catchUp, r.syncAll} {
		if err := step(ctx); err != nil {
			return Report{}, err
		}
	}
	tenants, err := r.compare(ctx)
	if err != nil {
		return Report{}, err
	}
	out := Report{From: from.Name, To: to.Name, Resumed: r.resumed, Copied: r.copied, Tenants: tenants, Equal: true}
	for _, t := range tenants {
		out.Equal = out.Equal && t.Equal
	}
	if out.Equal {
		if err := r.finish(ctx, tenants); err != nil {
			return Report{}, err
		}
	}
	out.Seconds = r.now().Sub(start).Seconds()
	return out, nil
}

// Count reports the content of the old store, as Run would.
func Count(ctx context.Context, from Endpoint, o Options) (Report, error) {
	r := newRun(from, Endpoint{}, o)
	start := r.now()
	names, err := r.tenantsOf(ctx, from)
	if err != nil {
		return Report{}, err
	}
	out := Report{From: from.Name}
	for _, name := range names {
		c, err := r.contentOf(ctx, from, name)
		if err != nil {
			return Report{}, err
		}
		if c.items() > 0 {
			out.Tenants = append(out.Tenants, Tenant{Name: name, From: c})
		}
	}
	out.Seconds = r.now().Sub(start).Seconds()
	return out, nil
}

// compare reads both sides.
func (r *run) compare(ctx context.Context) ([]Tenant, error) {
	names, err := r.tenants(ctx)
	if err != nil {
		return nil, err
	}
	var out []Tenant
	for _, name := range names {
		var sides [2]Content
		g, gctx := errgroup.WithContext(ctx)
		for i, place := range []Endpoint{r.from, r.to} {
			g.Go(func() (err error) {
				sides[i], err = r.contentOf(gctx, place, name)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		if sides[0].items()+sides[1].items() > 0 {
			out = append(out, Tenant{Name: name, From: sides[0], To: &sides[1], Equal: sides[0] == sides[1]})
		}
	}
	return out, nil
}
