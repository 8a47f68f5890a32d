package embedded

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/bm25"
	"github.com/cairn-memory/cairn/internal/packed"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// What a text index keeps: one snapshot, in rows of a space of its own. It is derived and checked as a whole; one that is
// torn, spoiled or of another format is as good as none.
const (
	textSpace  = "text"
	textTenant = cairn.SystemTenant
	textRow    = 1 << 20 // bytes of a row
	textFormat = "cairn text 2"
)

var errKept = errors.New("embedded: what was kept is not a text index of this program")

// Keep stores what the index holds now, together with a mark that says what that is; it replaces what was kept before. An
// index without blobs keeps nothing.
func (x *Text) Keep(ctx context.Context, mark string) error {
	if err := x.ready(ctx); err != nil || x.blobs == nil {
		return err
	}
	data := x.snapshot(mark)
	if err := x.blobs.DropBlobs(ctx, textSpace); err != nil {
		return cairn.WrapError(cairn.Unavailable, "embedded.Text.Keep", err)
	}
	err := x.blobs.PutBlobs(ctx, textSpace, textTenant, func(yield func(string, []byte) bool) {
		n := 0
		for row := range slices.Chunk(data, textRow) {
			if !yield(fmt.Sprintf("%08d", n), row) {
				return
			}
			n++
		}
	})
	return cairn.WrapError(cairn.Unavailable, "embedded.Text.Keep", err)
}

// Kept takes up what was kept and returns its mark. Nothing usable gives an empty index and no mark.
func (x *Text) Kept(ctx context.Context) (mark string, err error) {
	if err := x.ready(ctx); err != nil || x.blobs == nil {
		return "", err
	}
	rows := map[string][]byte{}
	if err := x.blobs.Blobs(ctx, textSpace, textTenant, func(id string, data []byte) error {
		rows[id] = slices.Clone(data)
		return nil
	}); err != nil {
		return "", cairn.WrapError(cairn.Unavailable, "embedded.Text.Kept", err)
	}
	size := 0
	for _, row := range rows {
		size += len(row)
	}
	data := make([]byte, 0, size)
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		data = append(data, rows[id]...)
		delete(rows, id)
	}
	mark, tenants, err := x.restore(data)
	if err != nil {
		return "", nil // it will be made anew
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tenants = tenants
	return mark, nil
}

// Discard throws away what was kept: it holds words that must go.
func (x *Text) Discard(ctx context.Context) error {
	if x.blobs == nil {
		return nil
	}
	return cairn.WrapError(cairn.Unavailable, "embedded.Text.Discard", x.blobs.DropBlobs(ctx, textSpace))
}

// snapshot writes the whole index. Tenants are written one after the other, each while nobody changes it.
func (x *Text) snapshot(mark string) []byte {
	x.mu.RLock()
	tenants := maps.Clone(x.tenants)
	x.mu.RUnlock()
	b := packed.AppendUint(packed.AppendText(nil, textFormat), textproc.Version)
	b = packed.AppendText(b, x.analyzer.String())
	b = packed.AppendText(b, mark)
	b = packed.AppendUint(b, uint64(len(tenants)))
	for _, tenant := range slices.Sorted(maps.Keys(tenants)) {
		part := tenants[tenant]
		part.mu.RLock()
		b = part.slots.appendTo(packed.AppendText(b, tenant))
		b = packed.AppendUint(b, uint64(part.languages))
		b = part.words.AppendSnapshot(b)
		b = part.identifiers.AppendSnapshot(b)
		part.mu.RUnlock()
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func (x *Text) restore(data []byte) (mark string, tenants map[string]*textPart, err error) {
	if len(data) < 4 || crc32.ChecksumIEEE(data[:len(data)-4]) != binary.LittleEndian.Uint32(data[len(data)-4:]) {
		return "", nil, errKept
	}
	r := packed.Read(string(data[:len(data)-4]))
	if r.Text() != textFormat || r.Uint() != textproc.Version || r.Text() != x.analyzer.String() { // other terms than ours
		return "", nil, errKept
	}
	mark = r.Text()
	n := r.Count(1)
	tenants = make(map[string]*textPart, n)
	for range n {
		tenant := r.Text()
		part := &textPart{slots: restoreSlots(r, tenant)}
		part.languages = textproc.Set(r.Uint())
		if part.words, err = bm25.Restore(bm25.K1, bm25.B, r); err != nil {
			return "", nil, err
		}
		if part.identifiers, err = bm25.Restore(0, 0, r); err != nil {
			return "", nil, err
		}
		tenants[tenant] = part
	}
	if r.Failed() {
		return "", nil, errKept
	}
	return mark, tenants, nil
}

// appendTo writes the table. Slots keep their numbers, because the indexes beside it know memories by them.
func (t *slots) appendTo(b []byte) []byte {
	b = packed.AppendUint(b, uint64(len(t.facets)))
	b = packed.AppendUint(b, uint64(len(t.byID)))
	for slot := range t.facets {
		f := &t.facets[slot]
		if f.ID == "" {
			continue
		}
		b = packed.AppendUint(b, uint64(slot))
		s := &f.Scope
		for _, text := range [...]string{string(f.ID), string(f.Kind), s.Project, s.Domain, s.User, s.Agent, s.Session, s.Channel, string(f.Role),
			f.Speaker, f.Type, string(f.SourceID), string(f.State), string(f.Trust), string(f.SupersededBy), f.Category, f.Title, f.ExternalID} {
			b = packed.AppendText(b, text)
		}
		b = packed.AppendUint(b, uint64(f.Version))
		b = packed.AppendUint(b, uint64(f.Seq))
		b = packed.AppendInt(b, f.EventTime.UnixMicro())
		b = packed.AppendInt(b, f.RecordedAt.UnixMicro())
		b = packed.AppendInt(b, t.at[slot].UnixMicro())
		var rest []byte
		if rare := (rareFacets{f.ValidUntil, f.SupersededAt, f.Tags, f.Metadata, f.Fact}); !rare.none() {
			rest, _ = json.Marshal(rare) // it came from a store, which keeps it as JSON
		}
		b = packed.AppendText(b, string(rest))
	}
	return b
}

// rareFacets are those that few memories have.
type rareFacets struct {
	ValidUntil   *time.Time     `json:"until,omitzero"`
	SupersededAt *time.Time     `json:"superseded,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	Metadata     map[string]any `json:"metadata,omitzero"`
	Fact         *cairn.Fact    `json:"fact,omitzero"`
}

func (r *rareFacets) none() bool {
	return r.ValidUntil == nil && r.SupersededAt == nil && len(r.Tags) == 0 && len(r.Metadata) == 0 && r.Fact == nil
}

func restoreSlots(r *packed.Reader, tenant string) *slots {
	t := newSlots()
	n, live := r.Uint(), r.Count(20)
	if n > uint64(len(r.Rest())+live) { // many more free slots than anything needs: spoiled
		r.Fail()
	}
	if r.Failed() {
		return t
	}
	t.byID = make(map[cairn.ID]uint32, live)
	t.facets, t.at, t.live = make([]cairn.Facets, n), make([]time.Time, n), make([]uint64, (n+63)/64)
	for i := range t.columns {
		t.columns[i].codes = make([]uint32, n)
	}
	for range live {
		slot := r.Uint()
		if slot >= n {
			r.Fail()
			return t
		}
		f := &t.facets[slot]
		s := &f.Scope
		s.Tenant = tenant
		f.ID, f.Kind = cairn.ID(r.Text()), cairn.Kind(r.Text())
		for _, to := range [...]*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel} {
			*to = r.Text()
		}
		f.Role, f.Speaker, f.Type, f.SourceID = cairn.Role(r.Text()), r.Text(), r.Text(), cairn.ID(r.Text())
		f.State, f.Trust, f.SupersededBy = cairn.State(r.Text()), cairn.Trust(r.Text()), cairn.ID(r.Text())
		f.Category, f.Title, f.ExternalID = r.Text(), r.Text(), r.Text()
		f.Version, f.Seq = int64(r.Uint()), int(r.Uint())
		f.EventTime, f.RecordedAt, t.at[slot] = timeFrom(r), timeFrom(r), timeFrom(r)
		if rest := r.Text(); rest != "" {
			var rare rareFacets
			if json.Unmarshal([]byte(rest), &rare) != nil {
				r.Fail()
			}
			f.ValidUntil, f.SupersededAt, f.Tags, f.Metadata, f.Fact = rare.ValidUntil, rare.SupersededAt, rare.Tags, rare.Metadata, rare.Fact
		}
		if r.Failed() {
			return t
		}
		t.byID[f.ID] = uint32(slot)
		t.live[slot/64] |= 1 << (slot % 64)
		for i, v := range columnValues(f) {
			t.columns[i].set(uint32(slot), v)
		}
	}
	for slot := range t.facets {
		if t.facets[slot].ID == "" {
			t.free = append(t.free, uint32(slot))
		}
	}
	return t
}

func timeFrom(r *packed.Reader) time.Time { return time.UnixMicro(r.Int()).UTC() }
