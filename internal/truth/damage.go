package truth

import (
	"errors"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Sound leaves the damaged rows out of a listing; note, if not nil, is called with each.
func Sound[T any](items iter.Seq2[T, error], note func(*cairn.Damaged)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range items {
			if d, ok := errors.AsType[*cairn.Damaged](err); ok {
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

// Damages are rows that were left out.
type Damages []cairn.ID

func (d *Damages) Note(some *cairn.Damaged) { *d = append(*d, some.IDs...) }

// Err is nil if there are none.
func (d Damages) Err() error {
	if len(d) == 0 {
		return nil
	}
	return cairn.WrapError(cairn.Internal, "", &cairn.Damaged{What: "memory", IDs: d})
}

// Without returns the stamps of others.
func (d Damages) Without(stamps []cairn.Stamp) []cairn.Stamp {
	return slices.DeleteFunc(stamps, func(st cairn.Stamp) bool { return slices.Contains(d, st.ID) })
}

// Fatal reports whether an error ends what can go on behind damaged rows.
func Fatal(err error) bool {
	_, damaged := errors.AsType[*cairn.Damaged](err)
	return err != nil && !damaged
}

// SoundOf leaves damaged rows out of what was read by id, and returns which they are.
func SoundOf[T any](vs []T, err error) ([]T, []cairn.ID, error) {
	if d, ok := errors.AsType[*cairn.Damaged](err); ok {
		return vs, d.IDs, nil
	}
	return vs, nil, err
}
