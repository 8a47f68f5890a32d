package transfer

import (
	"context"
	"io"
	"iter"
	"path"

	"github.com/trilith-memory/trilith"
)

// readMedia reads a picture or a recording as it is.
func readMedia(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		data, err := io.ReadAll(io.LimitReader(in.r, trilith.MaxMediaBytes+1))
		if err != nil {
			yield(Item{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
			return
		}
		yield(in.media(data))
	}
}

// media is a file that is kept as it is. One that is too large is a fault of the file.
func (in input) media(data []byte) (Item, error) {
	if len(data) > trilith.MaxMediaBytes {
		return Item{}, in.bad(1, trilith.Errorf(trilith.Invalid,
			"is longer than the %d bytes of a picture, a recording or scanned pages", trilith.MaxMediaBytes))
	}
	return Item{Path: in.path, Line: 1, Media: &trilith.NewMedia{Name: path.Base(in.name), Data: data}}, nil
}

// putMedia stores a file.
func (r *runner) putMedia(ctx context.Context, item Item) error {
	m := *item.Media
	m.DryRun, m.Extract = r.o.DryRun, r.o.Extract
	stored, err := r.target.PutMedia(ctx, item.Scope, m)
	if kind := trilith.KindOf(err); kind == trilith.Conflict { // it was erased
		r.add(func() { count(&r.report.Rejected, trilith.ReasonErased, 1) })
		return nil
	}
	if err != nil {
		return r.refused(item, err)
	}
	r.add(func() {
		if stored.New {
			r.report.Stored++
		} else {
			r.report.Duplicates++
		}
	})
	return nil
}
