package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// summed is played by stores that keep checksums of their rows.
type summed interface {
	Sums(ctx context.Context) (cairn.Sums, error)
	// DropDamaged removes damaged rows of what is derived and returns how many.
	DropDamaged(ctx context.Context) (int, error)
}

// checkSums says what the checksums of the rows tell.
func (e *Engine) checkSums(ctx context.Context, add addCheck) {
	c, ok := e.cfg.Store.(summed)
	if !ok {
		return
	}
	const restore = "cairn restore BACKUP, or save the other rows with cairn export --skip-damaged FILE"
	sums, err := c.Sums(ctx)
	if err != nil {
		add("checksums", false, restore, "%v", err)
		return
	}
	detail := fmt.Sprintf("%d rows agree with theirs, %d lack one yet", sums.Rows, sums.Lacking)
	for _, what := range slices.Sorted(maps.Keys(sums.Damaged)) {
		detail += fmt.Sprintf(", %d of %s are damaged", sums.Damaged[what], what)
	}
	if sums.Copies > 0 {
		detail += fmt.Sprintf(", %d times what is looked up is not what the row says", sums.Copies)
	}
	if sums.Derived > 0 {
		detail += fmt.Sprintf(", %d of what is made anew from the truth are damaged", sums.Derived)
	}
	if len(sums.Named) > 0 {
		detail += ": " + strings.Join(sums.Named, ", ")
	}
	fix := restore
	if len(sums.Damaged) == 0 && sums.Copies == 0 {
		fix = "cairn doctor --repair"
	}
	add("checksums", len(sums.Damaged) == 0 && sums.Copies == 0 && sums.Derived == 0, fix, "%s", detail)
}

// sound leaves the damaged rows out of a listing; note, if not nil, is told of them.
func sound[T any](items iter.Seq2[T, error], note func(*cairn.Damaged)) iter.Seq2[T, error] {
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

// damages are rows that were left out.
type damages []cairn.ID

func (d *damages) note(some *cairn.Damaged) { *d = append(*d, some.IDs...) }

// err is nil if there are none.
func (d damages) err() error {
	if len(d) == 0 {
		return nil
	}
	return cairn.WrapError(cairn.Internal, "", &cairn.Damaged{What: "memory", IDs: d})
}

// without returns the stamps of others.
func (d damages) without(stamps []cairn.Stamp) []cairn.Stamp {
	return slices.DeleteFunc(stamps, func(st cairn.Stamp) bool { return slices.Contains(d, st.ID) })
}

// fatal reports whether an error ends what can go on behind damaged rows.
func fatal(err error) bool {
	_, damaged := errors.AsType[*cairn.Damaged](err)
	return err != nil && !damaged
}

// soundOf leaves damaged rows out of what was read by id, and returns which they are.
func soundOf[T any](vs []T, err error) ([]T, []cairn.ID, error) {
	if d, ok := errors.AsType[*cairn.Damaged](err); ok {
		return vs, d.IDs, nil
	}
	return vs, nil, err
}
