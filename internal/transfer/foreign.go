package transfer

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// importFacts sends foreign facts. A wrong one fails its batch, so the facts are then sent one by one.
func (r *runner) importFacts(ctx context.Context, batch []Item) error {
	if r.o.DryRun {
		r.add(func() { r.report.Stored += len(batch) })
		return nil
	}
	facts := make([]trilith.ForeignFact, len(batch))
	for i, item := range batch {
		facts[i] = within(r.o.Scope, *item.Fact)
	}
	res, err := r.target.ImportFacts(ctx, r.o.Scope, facts)
	if trilith.OfItem(err) && len(batch) > 1 {
		for i := range batch {
			if err := r.importFacts(ctx, batch[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return r.refused(batch[0], err)
	}
	r.add(func() {
		r.report.Stored += res.Stored
		r.report.Updated += res.Updated
		r.report.Duplicates += res.Unchanged
		r.report.Vectors += res.Vectors
		for reason, n := range res.Refused {
			count(&r.report.Rejected, reason, n)
		}
		if res.Renamed > 0 {
			count(&r.report.Omitted, "numbers that another fact has", res.Renamed)
		}
	})
	return nil
}

// within replaces the scope values of a fact, and of everything that it refers to, by the values set in to, so that
// they stay in one scope.
func within(to trilith.Scope, f trilith.ForeignFact) trilith.ForeignFact {
	f.Ref.Scope = merge(to, f.Ref.Scope)
	if f.Successor != nil {
		successor := *f.Successor
		successor.Scope = merge(to, successor.Scope)
		f.Successor = &successor
	}
	former := make([]trilith.ForeignRef, len(f.Former))
	for i, ref := range f.Former {
		ref.Scope = merge(to, ref.Scope)
		former[i] = ref
	}
	f.Former = former
	return f
}
