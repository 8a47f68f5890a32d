// Package kinds describes the kinds of data in an export, so that export, import and erasure walk one table. Package
// engine has the table; the rooms say how their own kind is read, checked, chosen and restored.
package kinds

import (
	"context"
	"iter"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Kind is a row of the table: a kind of items of an export.
type Kind struct {
	// Has reports whether an item is of the kind.
	Has func(*trilith.ExportItem) bool
	// Check returns an error for an item of the kind that no export contains.
	Check func(*trilith.ExportItem) error
	// Export yields the items in a scope in their order, and errors between them; nil if the kind is in no export.
	Export func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error]
	// Restore imports those of the items that are of the kind, and returns how many it has stored; the others were there
	// or must not come back. It is nil for kinds that are imported together with others.
	Restore func(ctx context.Context, s trilith.Scope, items []trilith.ExportItem) (stored int, err error)
	// Erase deletes what goes with erased memories, and counts it in the receipt; a dry run only counts. It is nil for
	// kinds that are erased together with memories.
	Erase func(ctx context.Context, s trilith.Scope, e Erasure, receipt *trilith.EraseReceipt) error
}

// Erasure says which records go together with erased memories.
type Erasure struct {
	IDs    []trilith.ID   // of the memories; records that show them go
	Filter trilith.Filter // a record that it would accept if it were a memory goes too
	Dry    bool
}

// Row describes a kind by the type of its values.
type Row[T any] struct {
	In      func(*trilith.ExportItem) **T // the member of an item
	Prefix  string                        // of the errors of Check
	Check   func(*T) error
	Export  func(ctx context.Context, s trilith.Scope) iter.Seq2[T, error]
	Restore func(ctx context.Context, s trilith.Scope, all []T) (stored int, err error)
	// Chosen, Delete and Count are for kinds of which an erasure takes what its filter chooses.
	Chosen func(ctx context.Context, s trilith.Scope, f trilith.Filter) ([]T, error)
	Delete func(ctx context.Context, s trilith.Scope, all []T) error
	Count  func(*trilith.EraseReceipt) *int
}

// Kind returns the row as one of the table.
func (r Row[T]) Kind() Kind {
	k := Kind{
		Has: func(it *trilith.ExportItem) bool { return *r.In(it) != nil },
		Check: func(it *trilith.ExportItem) error {
			err := r.Check(*r.In(it))
			if err != nil && r.Prefix != "" {
				return trilith.Errorf(trilith.Invalid, "%s%s", r.Prefix, trilith.MessageOf(err))
			}
			return err
		},
	}
	if r.Export != nil {
		k.Export = func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error] {
			return func(yield func(trilith.ExportItem, error) bool) {
				for v, err := range r.Export(ctx, s) {
					var it trilith.ExportItem
					*r.In(&it) = &v
					if !yield(it, err) {
						return
					}
				}
			}
		}
	}
	if r.Restore != nil {
		k.Restore = func(ctx context.Context, s trilith.Scope, items []trilith.ExportItem) (int, error) {
			all := Of(items, r.In)
			if len(all) == 0 {
				return 0, nil
			}
			return r.Restore(ctx, s, all)
		}
	}
	if r.Chosen != nil {
		k.Erase = func(ctx context.Context, s trilith.Scope, e Erasure, receipt *trilith.EraseReceipt) error {
			all, err := r.Chosen(ctx, s, e.Filter)
			*r.Count(receipt) = len(all)
			if err != nil || e.Dry {
				return err
			}
			return r.Delete(ctx, s, all)
		}
	}
	return k
}

// Of returns the values of one kind among the items, in order.
func Of[T any](items []trilith.ExportItem, in func(*trilith.ExportItem) **T) []T {
	var out []T
	for i := range items {
		if v := *in(&items[i]); v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// Records are the records of a kind, as values that belong to scopes.
type Records[T any] struct {
	Truth *truth.Truth
	Kind  role.RecordKind
	// Decode reads a record of a tenant.
	Decode func(s trilith.Scope, r role.Record) (T, error)
	// Facets returns the scope of a value, with its tenant, when it happened and when it was recorded: a filter chooses
	// it by these. No filter chooses a value of the zero scope.
	Facets func(v *T) (in trilith.Scope, at, recorded time.Time)
}

// All yields the records of the tenant by ascending id. It goes on after a damaged one if the caller does.
func (k Records[T]) All(ctx context.Context, s trilith.Scope) iter.Seq2[T, error] {
	k.Facets = nil
	return k.In(ctx, s)
}

// Chosen returns the values that the scope covers and that a filter would accept if they were memories, such as all of
// a user. A filter without conditions chooses nothing.
func (k Records[T]) Chosen(ctx context.Context, s trilith.Scope, f trilith.Filter) ([]T, error) {
	fits, err := f.Compile()
	if err != nil || fits == nil {
		return nil, err
	}
	var out []T
	for v, err := range k.In(ctx, s) {
		if err != nil {
			return nil, err
		}
		if in, at, recorded := k.Facets(&v); Fits(fits, in, at, recorded) {
			out = append(out, v)
		}
	}
	return out, nil
}

// In yields those that the scope covers.
func (k Records[T]) In(ctx context.Context, s trilith.Scope) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for r, err := range k.Truth.Records(ctx, s, k.Kind) {
			var v T
			if err == nil {
				v, err = k.Decode(s, r)
			}
			if err == nil && k.Facets != nil {
				if in, _, _ := k.Facets(&v); !s.Covers(in) {
					continue
				}
			}
			if !yield(v, err) || truth.Fatal(err) {
				return
			}
		}
	}
}

// Fits reports whether a filter would accept a value of a scope if it were a memory.
func Fits(fits trilith.Matcher, in trilith.Scope, at, recorded time.Time) bool {
	facets := role.FacetsOf(&trilith.Memory{Scope: in, EventTime: at, RecordedAt: recorded, State: trilith.StateActive})
	return fits(&facets)
}
