package truth

import (
	"errors"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Sound drops the damaged rows of a listing. It calls note, unless that is nil, with each.
func Sound[T any](items iter.Seq2[T, error], note func(*trilith.Damaged)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range items {
			if d, ok := errors.AsType[*trilith.Damaged](err); ok {
				if note != nil {
					note(d)
				}
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Damages are the ids of damaged rows that were left out.
type Damages []trilith.ID

func (d *Damages) Note(some *trilith.Damaged) { *d = append(*d, some.IDs...) }

// Err returns nil if there are none.
func (d Damages) Err() error {
	if len(d) == 0 {
		return nil
	}
	return trilith.WrapError(trilith.Internal, "", &trilith.Damaged{What: "memory", IDs: d})
}

// Without returns the stamps of undamaged memories.
func (d Damages) Without(stamps []role.Stamp) []role.Stamp {
	return slices.DeleteFunc(stamps, func(st role.Stamp) bool { return slices.Contains(d, st.ID) })
}

// Fatal reports whether an error ends a listing. A damaged row does not.
func Fatal(err error) bool {
	_, damaged := errors.AsType[*trilith.Damaged](err)
	return err != nil && !damaged
}

// SoundOf drops the damaged rows from a read by id, and returns their ids.
func SoundOf[T any](vs []T, err error) ([]T, []trilith.ID, error) {
	if d, ok := errors.AsType[*trilith.Damaged](err); ok {
		return vs, d.IDs, nil
	}
	return vs, nil, err
}
