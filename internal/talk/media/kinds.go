package media

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/filetype"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// Kind is the row of the files in the table of what an export consists of. Files are yielded by id.
func (r *Room) Kind() kinds.Kind {
	return kinds.Row[trilith.MediaFile]{Prefix: "media.", Check: Check, Restore: r.Restore,
		In: func(it *trilith.ExportItem) **trilith.MediaFile { return &it.Media },
		Export: func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.MediaFile, error] {
			return func(yield func(trilith.MediaFile, error) bool) {
				for m, err := range r.records().In(ctx, s) {
					f := trilith.MediaFile{Media: m}
					if err == nil {
						f.Data, err = r.data(ctx, s, f.ID)
					}
					if !yield(f, err) || truth.Fatal(err) {
						return
					}
				}
			}
		}}.Kind()
}

func (r *Room) records() kinds.Records[trilith.Media] {
	return kinds.Records[trilith.Media]{Truth: r.truth, Kind: role.RecordMedia, Decode: decode, Facets: facetsOf}
}

// facetsOf returns the properties by which a filter chooses a file.
func facetsOf(m *trilith.Media) (in trilith.Scope, at, recorded time.Time) {
	if m.Time != nil {
		return m.Scope, *m.Time, m.At
	}
	return m.Scope, m.At, m.At
}

// Check refuses a file of an export that no export of ours could contain.
func Check(f *trilith.MediaFile) error {
	info, err := filetype.Look(f.Data)
	sum := sha256.Sum256(f.Data)
	switch {
	case err != nil:
		return trilith.Errorf(trilith.Invalid, "data: %w", err)
	case len(f.Data) > trilith.MaxMediaBytes:
		return trilith.Errorf(trilith.Invalid, "data: is larger than %d bytes", trilith.MaxMediaBytes)
	case f.SHA256 != hex.EncodeToString(sum[:]) || f.Type != info.Type || f.Bytes != len(f.Data):
		return trilith.Errorf(trilith.Invalid, "sha256, media_type, bytes: do not match the data")
	case !slices.Contains([]trilith.MediaState{trilith.MediaUnread, trilith.MediaRead, trilith.MediaFailed}, f.State):
		return trilith.Errorf(trilith.Invalid, "state: %.32q is not one of unread, read, failed", string(f.State))
	}
	return cmp.Or(truth.CheckName("name", f.Name), checkExtract(f.Extract))
}

// Restore takes files of an export. Those that are there already are left as they are, and those that were erased do
// not come back.
func (r *Room) Restore(ctx context.Context, s trilith.Scope, all []trilith.MediaFile) (stored int, err error) {
	for i := range all {
		m := all[i].Media
		m.Scope = truth.WithTenant(m.Scope.Bare(), s.Tenant)
		m.ID = idOf(m.Scope, m.SHA256)
		if !s.Covers(m.Scope) {
			continue
		}
		switch err := r.refuseErased(ctx, s, m.ID); {
		case trilith.KindOf(err) == trilith.Conflict:
			continue
		case err != nil:
			return stored, err
		}
		b, err := r.batch(&m, all[i].Data)
		if err == nil {
			_, err = r.truth.Commit(ctx, s, b)
		}
		switch {
		case trilith.KindOf(err) == trilith.Conflict: // it is there
		case err != nil:
			return stored, err
		default:
			stored++
		}
	}
	return stored, nil
}

// Chosen returns the files that an erasure removes: those of the ids, which the scope must cover, those that a filter
// would accept if they were memories, such as all of a user, and those in which any of the words of sources were read.
func (r *Room) Chosen(ctx context.Context, s trilith.Scope, ids []trilith.ID, f trilith.Filter, sources map[trilith.ID]bool) (
	[]trilith.Media, error) {
	var out []trilith.Media
	for _, id := range ids {
		m, _, err := r.read(ctx, s, id)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	fits, err := f.Compile()
	if err != nil || fits == nil && len(sources) == 0 {
		return out, err
	}
	for rec, err := range r.truth.Records(ctx, s, role.RecordMedia) {
		if err != nil {
			return nil, err
		}
		m, err := decode(s, rec)
		if err != nil {
			return nil, err
		}
		read := m.SourceID != "" && sources[m.SourceID] // permission to erase the words includes their file
		in, at, recorded := facetsOf(&m)
		chosen := read || fits != nil && s.Covers(in) && kinds.Fits(fits, in, at, recorded)
		if chosen && !slices.Contains(ids, m.ID) {
			out = append(out, m)
		}
	}
	return out, nil
}

// Remove adds to a batch that a file goes, with its bytes.
func Remove(b *role.Batch, id trilith.ID) {
	b.Delete = append(b.Delete, role.Ref{Kind: role.RecordMedia, ID: id},
		role.Ref{Kind: role.RecordMediaData, ID: id})
}

// Present returns which of the files are there.
func (r *Room) Present(ctx context.Context, s trilith.Scope, ids []trilith.ID) (out []trilith.ID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rs, err := r.truth.RecordsOf(ctx, s, role.RecordMedia, ids...)
	for _, rec := range rs {
		out = append(out, rec.ID)
	}
	return out, err
}
