// Package media keeps pictures, recordings and scanned pages as they came, and has a model read them. The reading is
// stored as the passages of a document that name the model and the file: they are the model's reading, and not a
// person's words.
//
// A file has an id that is made of its scope and of its bytes. It and its bytes are two records, written at once, so
// listing files reads no bytes.
package media

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/filetype"
	"github.com/trilith-memory/trilith/internal/lang/pdftext"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Room keeps the files of one store. Its methods are safe for concurrent use.
type Room struct {
	truth    *truth.Truth
	usage    *usage.Accounts
	remember truth.Remember
	most     int64 // bytes of a tenant; 0: any

	mu   sync.Mutex
	held map[string]held // by tenant
}

// Parts are the rooms that a Room works with.
type Parts struct {
	Truth    *truth.Truth
	Usage    *usage.Accounts
	Remember truth.Remember // stores readings
}

// Put keeps a file, and has it read as soon as there is a model that can. A file that is there already stays as it is.
func (r *Room) Put(ctx context.Context, s trilith.Scope, in trilith.NewMedia) (trilith.StoredMedia, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.StoredMedia{}, err
	}
	if err := cmp.Or(truth.CheckName("name", in.Name), checkExtract(in.Extract)); err != nil {
		return trilith.StoredMedia{}, err
	}
	m, err := look(&in)
	if err != nil {
		return trilith.StoredMedia{}, err
	}
	if in.Timestamp != "" {
		at, err := r.truth.ClockOf(s).Time("timestamp", in.Timestamp)
		if err != nil {
			return trilith.StoredMedia{}, err
		}
		m.Time = &at
	}
	m.Name, _ = gate.Mask(m.Name)
	m.Scope, m.Fixed, m.At = s.Bare(), s.Fixed, r.truth.Now()
	m.ID = idOf(m.Scope, m.SHA256)
	if err := r.refuseErased(ctx, s, m.ID); err != nil {
		return trilith.StoredMedia{}, err
	}
	old, _, err := r.read(ctx, s, m.ID)
	switch {
	case err == nil:
		return trilith.StoredMedia{Media: old}, nil
	case trilith.KindOf(err) != trilith.NotFound:
		return trilith.StoredMedia{}, err
	}
	if err := r.makeRoom(ctx, s, m.Bytes, in.DryRun); err != nil || in.DryRun {
		return trilith.StoredMedia{Media: m, New: err == nil}, err
	}
	b, err := r.batch(&m, in.Data)
	if err != nil {
		return trilith.StoredMedia{}, err
	}
	b.Audit = r.truth.Audit(s, "media.put", m.ID, map[string]string{"sha256": m.SHA256, "type": m.Type})
	if _, err := r.truth.Commit(ctx, s, b); err != nil && trilith.KindOf(err) != trilith.Conflict {
		return trilith.StoredMedia{}, err
	} else if err != nil { // somebody else has sent it in the meantime
		old, _, err := r.read(ctx, s, m.ID)
		return trilith.StoredMedia{Media: old}, err
	}
	return trilith.StoredMedia{Media: m, New: true}, nil
}

func checkExtract(x trilith.Extraction) error {
	if !slices.Contains([]trilith.Extraction{"", trilith.ExtractNone, trilith.ExtractRules, trilith.ExtractLLM,
		trilith.ExtractAuto}, x) {
		return trilith.Errorf(trilith.Invalid, "extract: must be none, rules, llm or auto")
	}
	return nil
}

// look checks a new file and describes it.
func look(m *trilith.NewMedia) (out trilith.Media, err error) {
	if len(m.Data) > trilith.MaxMediaBytes {
		return out, trilith.Errorf(trilith.Invalid, "file: is larger than the %d bytes that are kept; make it smaller",
			trilith.MaxMediaBytes)
	}
	info, err := filetype.Look(m.Data)
	if err != nil {
		return out, trilith.Errorf(trilith.Invalid, "file: %w", err)
	}
	if err := fits(m.Type, info.Type); err != nil {
		return out, err
	}
	sum := sha256.Sum256(m.Data)
	out = trilith.Media{Name: m.Name, Type: info.Type, SHA256: hex.EncodeToString(sum[:]), Bytes: len(m.Data),
		Width: info.Width, Height: info.Height, State: trilith.MediaUnread, Extract: m.Extract, Import: m.Import}
	if info.Type == filetype.PDF {
		out.Pages, err = unreadPages(m.Data)
	}
	return out, err
}

// alike are other names of media types.
var alike = map[string]string{"image/jpg": filetype.JPEG, "audio/mp3": filetype.MP3, "audio/x-wav": filetype.WAV,
	"audio/wave": filetype.WAV, "audio/vnd.wave": filetype.WAV, "audio/x-m4a": filetype.M4A,
	"audio/m4a": filetype.M4A, "video/mp4": filetype.M4A, "application/x-pdf": filetype.PDF}

// fits refuses bytes that are something else than their sender says.
func fits(said, is string) error {
	kind, _, err := mime.ParseMediaType(said)
	if known, ok := alike[kind]; ok {
		kind = known
	}
	if said == "" || err == nil && slices.Contains([]string{is, "application/octet-stream"}, kind) {
		return nil
	}
	return trilith.Errorf(trilith.Invalid, "content-type: the file is %s, and was sent as another type", is)
}

// unreadPages returns which pages of a PDF file have no text layer.
func unreadPages(data []byte) (pages []int, err error) {
	texts, err := pdftext.Pages(data)
	switch {
	case errors.Is(err, pdftext.ErrNoText):
		return nil, nil // none has: all are read
	case texts == nil:
		return nil, trilith.Errorf(trilith.Invalid, "file: %w", err)
	}
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			pages = append(pages, i+1)
		}
	}
	switch {
	case len(pages) == 0:
		return nil, trilith.Errorf(trilith.Invalid,
			"file: each of its pages has a text layer; import it as a document, which needs no model")
	case len(pages) > trilith.MaxMediaPages:
		return nil, trilith.Errorf(trilith.Invalid, "file: %d of its pages have no text layer, at most %d are read; part it",
			len(pages), trilith.MaxMediaPages)
	}
	return pages, nil
}

func idOf(s trilith.Scope, sum string) trilith.ID {
	return trilith.DeriveID("media", truth.ScopeText(s), sum) // the same wherever an export goes
}

// refuseErased answers Conflict for a file that was erased.
func (r *Room) refuseErased(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	gone, err := truth.ErasedIDs(ctx, r.truth, truth.TenantOf(s), id)
	if err == nil && len(gone) > 0 {
		err = trilith.Errorf(trilith.Conflict, "file: it was erased and stays so")
	}
	return err
}

// New returns the files of a store. most limits the bytes of a tenant's files; 0 means no limit.
func New(p Parts, most int64) *Room {
	return &Room{truth: p.Truth, usage: p.Usage, remember: p.Remember, most: most, held: map[string]held{}}
}

// batch stores a new file, with the job that reads it.
func (r *Room) batch(m *trilith.Media, data []byte) (b role.Batch, err error) {
	if err := cmp.Or(b.Replace(role.RecordMedia, m.ID, 0, m), b.Put(role.RecordMediaData, m.ID, data)); err != nil {
		return b, err
	}
	if m.State == trilith.MediaUnread {
		job, err := r.truth.Job(JobOf(trilith.MediaKindOf(m.Type)), ReadJob{Media: m.ID})
		if err != nil {
			return b, err
		}
		b.Jobs = []trilith.Job{job}
	}
	return b, nil
}

// Get returns a file with its bytes.
func (r *Room) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.MediaFile, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.MediaFile{}, err
	}
	m, _, err := r.read(ctx, s, id)
	if err != nil {
		return trilith.MediaFile{}, err
	}
	data, err := r.data(ctx, s, id)
	return trilith.MediaFile{Media: m, Data: data}, err
}

// read returns a file that the scope covers, and the version of its record.
func (r *Room) read(ctx context.Context, s trilith.Scope, id trilith.ID) (m trilith.Media, version int64, err error) {
	if err := id.Validate(); err != nil {
		return m, 0, err
	}
	rs, err := r.truth.RecordsOf(ctx, s, role.RecordMedia, id)
	if err != nil {
		return m, 0, err
	}
	if len(rs) == 1 {
		if m, err = decode(s, rs[0]); err != nil || s.Covers(m.Scope) {
			return m, rs[0].Version, err
		}
	}
	return trilith.Media{}, 0, trilith.Errorf(trilith.NotFound, "media %s does not exist", id)
}

func (r *Room) data(ctx context.Context, s trilith.Scope, id trilith.ID) ([]byte, error) {
	data, version, err := truth.ReadRecord[[]byte](ctx, r.truth, s, role.RecordMediaData, id)
	if err == nil && version == 0 {
		err = trilith.Errorf(trilith.NotFound, "media %s does not exist", id)
	}
	return data, err
}

// List returns files that the scope covers, by ascending id.
func (r *Room) List(ctx context.Context, s trilith.Scope, q trilith.MediaQuery) (trilith.MediaPage, error) {
	out := trilith.MediaPage{Items: []trilith.Media{}}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	limit, err := truth.CheckLimit(q.Limit, 50, 1000)
	if err != nil {
		return out, err
	}
	if q.Cursor != "" {
		if err := trilith.ID(q.Cursor).Validate(); err != nil {
			return out, trilith.Errorf(trilith.Invalid, "cursor: is not one of a page of media")
		}
	}
	for rec, err := range r.truth.RecordsAfter(ctx, s, role.RecordMedia, trilith.ID(q.Cursor)) {
		if err != nil {
			return out, err
		}
		m, err := decode(s, rec)
		if err != nil {
			return out, err
		}
		if !s.Covers(m.Scope) || q.Unread && m.State == trilith.MediaRead {
			continue
		}
		if len(out.Items) == limit {
			out.NextCursor = string(out.Items[limit-1].ID)
			break
		}
		out.Items = append(out.Items, m)
	}
	return out, nil
}

func decode(s trilith.Scope, r role.Record) (trilith.Media, error) {
	m, err := truth.Decode[trilith.Media](r)
	m.Scope = truth.WithTenant(m.Scope, s.Tenant)
	return m, err
}
