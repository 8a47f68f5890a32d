// Package media keeps pictures, recordings and scanned pages as they came, and has a model read them. What it reads is
// stored as the passages of a document that say which model has read which file: the model's reading, and nobody's
// words.
//
// A file has an id that is made of its scope and of its bytes. It and its bytes are two records, written at once, so
// listing files reads no bytes.
package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"mime"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/mediafile"
	"github.com/cairn-memory/cairn/internal/pdftext"
	"github.com/cairn-memory/cairn/internal/truth"
	"github.com/cairn-memory/cairn/internal/usage"
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

// New returns the files of a store. What is read in them is stored with remember. A tenant has files of most bytes at
// most; 0: of any.
func New(t *truth.Truth, u *usage.Accounts, remember truth.Remember, most int64) *Room {
	return &Room{truth: t, usage: u, remember: remember, most: most, held: map[string]held{}}
}

func idOf(s cairn.Scope, sum string) cairn.ID {
	return cairn.DeriveID("media", truth.ScopeText(s), sum) // the same wherever an export goes
}

// look checks what is sent and describes it.
func look(m *cairn.NewMedia) (out cairn.Media, err error) {
	if len(m.Data) > cairn.MaxMediaBytes {
		return out, cairn.Errorf(cairn.Invalid, "file: is larger than the %d bytes that are kept; make it smaller",
			cairn.MaxMediaBytes)
	}
	info, err := mediafile.Look(m.Data)
	if err != nil {
		return out, cairn.Errorf(cairn.Invalid, "file: %w", err)
	}
	if err := fits(m.Type, info.Type); err != nil {
		return out, err
	}
	sum := sha256.Sum256(m.Data)
	out = cairn.Media{Name: m.Name, Type: info.Type, SHA256: hex.EncodeToString(sum[:]), Bytes: len(m.Data),
		Width: info.Width, Height: info.Height, State: cairn.MediaUnread, Extract: m.Extract, Import: m.Import}
	if info.Type == mediafile.PDF {
		out.Pages, err = unreadPages(m.Data)
	}
	return out, err
}

// alike are other names of media types.
var alike = map[string]string{"image/jpg": mediafile.JPEG, "audio/mp3": mediafile.MP3, "audio/x-wav": mediafile.WAV,
	"audio/wave": mediafile.WAV, "audio/vnd.wave": mediafile.WAV, "audio/x-m4a": mediafile.M4A,
	"audio/m4a": mediafile.M4A, "video/mp4": mediafile.M4A, "application/x-pdf": mediafile.PDF}

// fits refuses bytes that are something else than their sender says.
func fits(said, is string) error {
	kind, _, err := mime.ParseMediaType(said)
	if known, ok := alike[kind]; ok {
		kind = known
	}
	if said == "" || err == nil && slices.Contains([]string{is, "application/octet-stream"}, kind) {
		return nil
	}
	return cairn.Errorf(cairn.Invalid, "content-type: the file is %s, and was sent as another type", is)
}

// unreadPages returns which pages of a PDF file have no text layer.
func unreadPages(data []byte) (pages []int, err error) {
	texts, err := pdftext.Pages(data)
	switch {
	case errors.Is(err, pdftext.ErrNoText):
		return nil, nil // none has: all are read
	case texts == nil:
		return nil, cairn.Errorf(cairn.Invalid, "file: %w", err)
	}
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			pages = append(pages, i+1)
		}
	}
	switch {
	case len(pages) == 0:
		return nil, cairn.Errorf(cairn.Invalid,
			"file: each of its pages has a text layer; import it as a document, which needs no model")
	case len(pages) > cairn.MaxMediaPages:
		return nil, cairn.Errorf(cairn.Invalid, "file: %d of its pages have no text layer, at most %d are read; part it",
			len(pages), cairn.MaxMediaPages)
	}
	return pages, nil
}

// Put keeps a file, and has it read as soon as there is a model that can. A file that is there already stays as it is.
func (r *Room) Put(ctx context.Context, s cairn.Scope, in cairn.NewMedia) (cairn.StoredMedia, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.StoredMedia{}, err
	}
	if err := truth.FirstError(truth.CheckName("name", in.Name), checkExtract(in.Extract)); err != nil {
		return cairn.StoredMedia{}, err
	}
	m, err := look(&in)
	if err != nil {
		return cairn.StoredMedia{}, err
	}
	if in.Timestamp != "" {
		at, err := cairn.ParseTime(in.Timestamp)
		if err != nil {
			return cairn.StoredMedia{}, cairn.Errorf(cairn.Invalid, "timestamp: %s", cairn.MessageOf(err))
		}
		m.Time = &at
	}
	m.Name, _ = gate.Mask(m.Name)
	m.Scope, m.Fixed, m.At = s.Bare(), s.Fixed, r.truth.Now()
	m.ID = idOf(m.Scope, m.SHA256)
	if err := r.refuseErased(ctx, s, m.ID); err != nil {
		return cairn.StoredMedia{}, err
	}
	old, _, err := r.read(ctx, s, m.ID)
	switch {
	case err == nil:
		return cairn.StoredMedia{Media: old}, nil
	case cairn.KindOf(err) != cairn.NotFound:
		return cairn.StoredMedia{}, err
	}
	if err := r.makeRoom(ctx, s, m.Bytes, in.DryRun); err != nil || in.DryRun {
		return cairn.StoredMedia{Media: m, New: err == nil}, err
	}
	b, err := r.batch(&m, in.Data)
	if err != nil {
		return cairn.StoredMedia{}, err
	}
	b.Audit = r.truth.Audit(s, "media.put", m.ID, map[string]string{"sha256": m.SHA256, "type": m.Type})
	if _, err := r.truth.Commit(ctx, s, b); err != nil && cairn.KindOf(err) != cairn.Conflict {
		return cairn.StoredMedia{}, err
	} else if err != nil { // somebody else has sent it in the meantime
		old, _, err := r.read(ctx, s, m.ID)
		return cairn.StoredMedia{Media: old}, err
	}
	return cairn.StoredMedia{Media: m, New: true}, nil
}

func checkExtract(x cairn.Extraction) error {
	if !slices.Contains([]cairn.Extraction{"", cairn.ExtractNone, cairn.ExtractRules, cairn.ExtractLLM,
		cairn.ExtractAuto}, x) {
		return cairn.Errorf(cairn.Invalid, "extract: must be none, rules, llm or auto")
	}
	return nil
}

// refuseErased answers Conflict for a file that was erased.
func (r *Room) refuseErased(ctx context.Context, s cairn.Scope, id cairn.ID) error {
	gone, err := truth.ErasedIDs(ctx, r.truth, truth.TenantOf(s), id)
	if err == nil && len(gone) > 0 {
		err = cairn.Errorf(cairn.Conflict, "file: it was erased and stays so")
	}
	return err
}

// batch stores a new file, with the job that reads it.
func (r *Room) batch(m *cairn.Media, data []byte) (b cairn.Batch, err error) {
	head, err := json.Marshal(m)
	if err != nil {
		return b, cairn.WrapError(cairn.Internal, "media.Put", err)
	}
	body, err := json.Marshal(data)
	if err != nil {
		return b, cairn.WrapError(cairn.Internal, "media.Put", err)
	}
	b.Expect = []cairn.Expect{{Kind: cairn.RecordMedia, ID: m.ID}}
	b.Records = []cairn.Record{{Kind: cairn.RecordMedia, ID: m.ID, Version: 1, Body: head},
		{Kind: cairn.RecordMediaData, ID: m.ID, Version: 1, Body: body}}
	if m.State == cairn.MediaUnread {
		job, err := r.truth.Job(JobOf(cairn.MediaKindOf(m.Type)), ReadJob{Media: m.ID})
		if err != nil {
			return b, err
		}
		b.Jobs = []cairn.Job{job}
	}
	return b, nil
}

// read returns a file that the scope covers, and the version of its record.
func (r *Room) read(ctx context.Context, s cairn.Scope, id cairn.ID) (m cairn.Media, version int64, err error) {
	if err := id.Validate(); err != nil {
		return m, 0, err
	}
	rs, err := r.truth.Store.Records(ctx, truth.TenantOf(s), cairn.RecordListing{Kind: cairn.RecordMedia,
		IDs: []cairn.ID{id}})
	if err != nil {
		return m, 0, err
	}
	if len(rs) == 1 {
		if m, err = decode(s, rs[0]); err != nil || s.Covers(m.Scope) {
			return m, rs[0].Version, err
		}
	}
	return cairn.Media{}, 0, cairn.Errorf(cairn.NotFound, "media %s does not exist", id)
}

func decode(s cairn.Scope, r cairn.Record) (cairn.Media, error) {
	m, err := truth.Decode[cairn.Media](r)
	m.Scope = truth.WithTenant(m.Scope, s.Tenant)
	return m, err
}

// Get returns a file with its bytes.
func (r *Room) Get(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.MediaFile, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.MediaFile{}, err
	}
	m, _, err := r.read(ctx, s, id)
	if err != nil {
		return cairn.MediaFile{}, err
	}
	data, err := r.data(ctx, s, id)
	return cairn.MediaFile{Media: m, Data: data}, err
}

func (r *Room) data(ctx context.Context, s cairn.Scope, id cairn.ID) ([]byte, error) {
	rs, err := r.truth.Store.Records(ctx, truth.TenantOf(s), cairn.RecordListing{Kind: cairn.RecordMediaData,
		IDs: []cairn.ID{id}})
	if err != nil {
		return nil, err
	}
	if len(rs) == 0 {
		return nil, cairn.Errorf(cairn.NotFound, "media %s does not exist", id)
	}
	return truth.Decode[[]byte](rs[0])
}

// List returns files that the scope covers, by ascending id.
func (r *Room) List(ctx context.Context, s cairn.Scope, q cairn.MediaQuery) (cairn.MediaPage, error) {
	out := cairn.MediaPage{Items: []cairn.Media{}}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	limit, err := truth.CheckLimit(q.Limit, 50, 1000)
	if err != nil {
		return out, err
	}
	if q.Cursor != "" {
		if err := cairn.ID(q.Cursor).Validate(); err != nil {
			return out, cairn.Errorf(cairn.Invalid, "cursor: is not one of a page of media")
		}
	}
	for rec, err := range r.truth.RecordsAfter(ctx, truth.TenantOf(s), cairn.RecordMedia, cairn.ID(q.Cursor)) {
		if err != nil {
			return out, err
		}
		m, err := decode(s, rec)
		if err != nil {
			return out, err
		}
		if !s.Covers(m.Scope) || q.Unread && m.State == cairn.MediaRead {
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
