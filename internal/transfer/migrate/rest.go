package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// kinds are those of the records that are copied. How far an index is says nothing about the indexes of the copy, how
// far another migration is nothing about this one, and where facts were spoken of again the copy finds out by itself.
var kinds = slices.DeleteFunc(role.RecordKinds(), func(k role.RecordKind) bool {
	return k == role.RecordPosition || k == role.RecordMigration
})

// syncAll makes the parts equal that have no log of changes. Claims come after memories and records, because deleting
// one of those to put it again deletes its claims.
func (r *run) syncAll(ctx context.Context) error {
	names, err := r.tenants(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		t, err := r.tenant(ctx, name)
		if err != nil {
			return err
		}
		for _, step := range []func(context.Context) error{t.copyEmbeddings, t.syncRecords, t.syncClaims, t.syncJobs,
			t.syncAudit} {
			if err := step(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// gathered is the batch of the next commit to a tenant.
type gathered struct {
	*tenant
	batch role.Batch
	items int // of the commit
	bytes int
	seen  int // of the stage, with those that are equal
}

func (t *tenant) syncRecords(ctx context.Context) error {
	g := &gathered{tenant: t}
	for _, kind := range kinds {
		err := compare(ctx, g, t.records(ctx, t.from, t.scope, kind), t.records(ctx, t.to, t.scope, kind), byID,
			func(p pair[role.Record]) error {
				if p.there == nil {
					if err := t.noteErased(ctx); err != nil {
						return err
					}
				}
				if same, err := p.same(); err != nil || same {
					return err
				}
				if p.here != nil {
					g.batch.Delete = append(g.batch.Delete, role.Ref{Kind: kind, ID: p.here.ID})
					g.add(0)
				}
				if p.there != nil {
					g.batch.Records = append(g.batch.Records, *p.there)
					g.add(len(p.there.Body))
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tenant) syncClaims(ctx context.Context) error {
	g := &gathered{tenant: t}
	return compare(ctx, g, t.claims(ctx, t.from, t.scope), t.claims(ctx, t.to, t.scope), byKey,
		func(p pair[role.Claim]) error {
			switch {
			case p.there == nil:
				g.batch.Release = append(g.batch.Release, p.here.Key)
			case p.here == nil || *p.here != *p.there:
				g.batch.Claims = append(g.batch.Claims,
					role.Claim{Key: p.there.Key, Owner: p.there.Owner, Move: true})
			default:
				return nil
			}
			g.add(0)
			return nil
		})
}

func (t *tenant) syncJobs(ctx context.Context) error {
	g := &gathered{tenant: t}
	return compare(ctx, g, t.jobs(ctx, t.from, t.scope), t.jobs(ctx, t.to, t.scope), newestFirst,
		func(p pair[trilith.Job]) error {
			if same, err := p.same(); err != nil || same {
				return err
			}
			if p.here != nil {
				g.batch.DropJobs = append(g.batch.DropJobs, p.here.ID)
			}
			size := 0
			if p.there != nil {
				g.batch.Jobs = append(g.batch.Jobs, *p.there)
				size = len(p.there.Payload)
			}
			g.add(size)
			return nil
		})
}

// same reports whether both stores have the pair, and as the same JSON.
func (p pair[T]) same() (bool, error) {
	if p.there == nil || p.here == nil {
		return false, nil
	}
	there, err := canonical(*p.there)
	if err != nil {
		return false, err
	}
	here, err := canonical(*p.here)
	return bytes.Equal(there, here), err
}

// canonical is v as JSON with the keys of all objects in order and no space between, however a store keeps them.
func canonical[T any](v T) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// syncAudit appends the entries that the copy lacks. Entries that the store numbers and chains in the same order
// get the same numbers and hashes; if those that are there have others, nothing that could be appended would make
// it equal.
func (t *tenant) syncAudit(ctx context.Context) error {
	g := &gathered{tenant: t}
	return compare(ctx, g, t.entries(ctx, t.from, t.scope), t.entries(ctx, t.to, t.scope), bySeq,
		func(p pair[trilith.AuditEntry]) error {
			switch {
			case p.there == nil:
				return trilith.Errorf(trilith.Conflict,
					"to: the audit of %s has entries that the old store does not have; start again with an empty store",
					t.scope.Tenant)
			case p.here == nil:
				g.batch.Audit = append(g.batch.Audit, *p.there)
				g.add(0)
			case p.here.Hash != p.there.Hash:
				return trilith.Errorf(trilith.Conflict,
					"to: entry %d of the audit of %s is not the old store's; see whether the old store's chain is whole with `trilith doctor`, and start again with an empty store",
					p.here.Seq, t.scope.Tenant)
			}
			return nil
		})
}

// compare calls do with each pair of both stores, which adds to the batch what makes the copy equal, and commits the
// batches.
func compare[T any](ctx context.Context, g *gathered, there, here iter.Seq2[T, error], order func(a, b T) int,
	do func(p pair[T]) error) error {
	for p, err := range pairs(there, here, order) {
		if err != nil {
			return err
		}
		g.count()
		if err := do(p); err != nil {
			return err
		}
		if g.full() {
			if err := g.flush(ctx); err != nil {
				return err
			}
		}
	}
	return g.flush(ctx)
}

func (g *gathered) count() {
	if g.seen++; g.seen%g.page == 0 {
		g.report(Progress{StageRest, g.scope.Tenant, g.seen})
	}
}

func (g *gathered) full() bool { return g.items >= g.page || g.bytes >= copyBytes }

func (g *gathered) flush(ctx context.Context) error {
	if g.items == 0 {
		return nil
	}
	b := g.batch
	g.batch, g.items, g.bytes = role.Batch{}, 0, 0
	if len(b.Delete) > 0 { // first, so that a record that is put again is new and keeps its version
		if err := g.commit(ctx, role.Batch{Delete: b.Delete}); err != nil {
			return err
		}
		b.Delete = nil
	}
	return g.commit(ctx, b)
}

func (g *gathered) add(size int) { g.items, g.bytes = g.items+1, g.bytes+size }
