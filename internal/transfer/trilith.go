package transfer

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"reflect"
	"time"

	"github.com/trilith-memory/trilith"
)

// exportFormat is the only format of [trilith.ExportHeader].
const exportFormat = 1

// readTrilith reads trilith's own export. Unknown members are an error, so that nothing is lost silently. Without a header
// of a known format it reads nothing, since the meaning of the lines is unknown. A header becomes an item only if it
// contains more, such as legacy ids or languages.
func readTrilith(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		headed := false
		for l, err := range lines(in, MaxLineBytes) {
			var e trilith.ExportItem
			if err == nil {
				if err = decodeExport(l.text, &e); err != nil {
					err = in.bad(l.n, err)
				}
			}
			tells := err == nil && e.Header != nil && (e.Header.LegacyIDs != 0 || len(e.Header.Languages) > 0)
			switch {
			case !headed && err == nil && e.Header != nil && e.Header.Format == exportFormat:
				headed = true
				if tells && !yield(Item{Path: in.path, Line: l.n, Export: &e}, nil) {
					return
				}
			case !headed && err == nil && e.Header != nil:
				yield(Item{}, in.bad(l.n,
					trilith.Errorf(trilith.Unsupported, "is an export of format %d; this version reads format %d",
						e.Header.Format, exportFormat)))
				return
			case !headed:
				if err == nil || isLineError(err) {
					err = in.bad(l.n, trilith.Errorf(trilith.Invalid, "is not the header that an export begins with"))
				}
				yield(Item{}, err)
				return
			case err != nil:
				if !yield(Item{}, err) {
					return
				}
			case e.Header != nil && !tells: // exports put one after another
			default:
				if !yield(Item{Path: in.path, Line: l.n, Export: &e}, nil) {
					return
				}
			}
		}
	}
}

func decodeExport(data []byte, e *trilith.ExportItem) error {
	if err := trilith.CheckScopes(data, reflect.TypeOf(e)); err != nil {
		return err
	}
	if err := decode(trilith.RenameHeader(data), e, true); err != nil {
		return err
	}
	return e.Check()
}

// Timeless leaves out of an export when it was made and when things were stored: a memory is recorded at its event
// time, and header and sources have the zero time. So equal histories give equal files, whenever they were imported.
func Timeless(items iter.Seq2[trilith.ExportItem, error]) iter.Seq2[trilith.ExportItem, error] {
	return func(yield func(trilith.ExportItem, error) bool) {
		for item, err := range items {
			switch {
			case item.Header != nil:
				item.Header.At = time.Time{}
			case item.Source != nil:
				item.Source.RecordedAt = time.Time{}
			case item.Memory != nil:
				item.Memory.RecordedAt = item.Memory.EventTime
			case item.Object != nil:
				item.Object.CreatedAt, item.Object.UpdatedAt = time.Time{}, time.Time{}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Sound leaves damaged rows out of items and tells note of them; without it [Write] ends at the first.
func Sound(items iter.Seq2[trilith.ExportItem, error], note func(*trilith.Damaged)) iter.Seq2[trilith.ExportItem, error] {
	return func(yield func(trilith.ExportItem, error) bool) {
		for item, err := range items {
			if d, ok := errors.AsType[*trilith.Damaged](err); ok {
				note(d)
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Write writes items as trilith's own export, one per line in order, and returns how many. The caller's first item is the
// header. It ends at the first error, of items or of w.
func Write(w io.Writer, items iter.Seq2[trilith.ExportItem, error]) (n int, err error) {
	for item, err := range items {
		if err != nil {
			return n, err
		}
		data, err := json.Marshal(item)
		if err != nil {
			return n, trilith.WrapError(trilith.Internal, "transfer.Write", err)
		}
		if len(data) > MaxLineBytes {
			return n, trilith.Errorf(trilith.Exhausted, "export: item %d is %d bytes long, at most %d can be read back", n,
				len(data), MaxLineBytes)
		}
		if _, err := w.Write(append(data, '\n')); err != nil {
			return n, trilith.WrapError(trilith.Internal, "transfer.Write", err)
		}
		n++
	}
	return n, nil
}
