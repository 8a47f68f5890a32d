package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A text index stores one snapshot: rows in its own space, and a head that lists them. The head is written last, so a
// snapshot replaces another at once, and other writers can write between its rows. It is derived and checked as a
// whole; one that is incomplete, damaged or of another format is ignored.
const (
	textSpace  = "text"
	textTenant = trilith.SystemTenant
	textRow    = 1 << 20 // bytes of a row: other writers wait for one of them
	textHead   = "head"  // id of the head
	textFormat = "trilith text 9"
)

var errForeignSnapshot = errors.New("embedded: the snapshot is not a text index of this program")

// head is the content of a snapshot's head.
type head struct {
	mark string
	size int      // total size of the rows
	sums []uint32 // checksums of the rows, in their order
}

// rowWriter cuts its input into rows.
type rowWriter struct {
	put  func(id string, row []byte) error
	row  []byte
	sums []uint32
}

// SaveSnapshot stores the content of the index, with a mark that identifies it, in place of the snapshot before. It may
// contain changes that arrive meanwhile; applying them again makes each memory complete for searches. It is written a
// row at a time. If the memory that the process may use (GOMEMLIMIT) has no room for a copy of the tables, changes of a
// tenant, and searches that wait for those, wait until its tables are written; if there is no room even for that, it
// returns Exhausted and does nothing. An index without blobs stores nothing. Calls of SaveSnapshot, LoadSnapshot,
// DiscardSnapshot and Reset must not overlap.
func (x *Text) SaveSnapshot(ctx context.Context, mark string) error {
	if err := x.ready(ctx); err != nil || x.blobs == nil {
		return err
	}
	copied, held := x.needs()
	spare, above := x.spare()
	if held > max(spare, above) {
		return trilith.Errorf(trilith.Exhausted,
			"GOMEMLIMIT: keeping the text index takes %d MB of memory, and %d MB are left; it is put off until there is room", held>>20, max(0, spare)>>20)
	}
	rows := &rowWriter{put: func(id string, row []byte) error { return x.put(ctx, id, row) }}
	w := packed.NewWriter(rows)
	x.snapshot(w, copied > spare)
	err := w.Flush()
	if err == nil {
		err = rows.flush()
	}
	if err == nil {
		err = x.finish(ctx, head{mark: mark, size: w.Len(), sums: rows.sums})
	}
	return trilith.WrapError(trilith.Unavailable, "embedded.Text.SaveSnapshot", err)
}

func (x *Text) put(ctx context.Context, id string, row []byte) error {
	return x.blobs.PutBlobs(ctx, textSpace, textTenant, func(yield func(string, []byte) bool) { yield(id, row) })
}

// finish writes the head of the written rows, and removes rows that it does not list.
func (x *Text) finish(ctx context.Context, h head) error {
	ids := h.rows()
	there, err := x.blobs.BlobIDs(ctx, textSpace, textTenant)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(there, id) {
			return trilith.Errorf(trilith.Conflict, "another process has replaced or discarded the snapshot of the index in the meantime")
		}
	}
	if err := x.put(ctx, textHead, x.appendHead(h)); err != nil {
		return err
	}
	for _, id := range there {
		if id == textHead || slices.Contains(ids, id) {
			continue
		}
		// one by one, as they were written
		if err := x.blobs.DeleteBlobs(ctx, textSpace, textTenant, []string{id}); err != nil {
			return err
		}
	}
	return nil
}

func (x *Text) appendHead(h head) []byte {
	b := packed.AppendUint(packed.AppendUint(packed.AppendText(nil, textFormat), textproc.Version), lexical.Layout)
	b = packed.AppendText(packed.AppendText(b, x.analyzer.String()), h.mark)
	b = packed.AppendUint(packed.AppendUint(b, uint64(h.size)), uint64(len(h.sums)))
	for _, sum := range h.sums {
		b = packed.AppendUint(b, uint64(sum))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// LoadSnapshot loads the snapshot and returns its mark. Without a usable one the index is empty and the mark is "".
func (x *Text) LoadSnapshot(ctx context.Context) (mark string, err error) {
	if err := x.ready(ctx); err != nil || x.blobs == nil {
		return "", err
	}
	h, data, err := x.readKept(ctx)
	if err != nil {
		return "", trilith.WrapError(trilith.Unavailable, "embedded.Text.LoadSnapshot", err)
	}
	tenants, err := restore(data)
	if err != nil {
		return "", nil // it will be rebuilt
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tenants = tenants
	return h.mark, nil
}

// readKept returns the stored snapshot and its head; nothing if it is incomplete.
func (x *Text) readKept(ctx context.Context) (h head, data string, err error) {
	usable := false
	err = x.blobs.BlobsOf(ctx, textSpace, textTenant, []string{textHead}, func(_ string, row []byte) error {
		h, usable = x.readHead(row)
		return nil
	})
	if err != nil || !usable {
		return head{}, "", err
	}
	var all strings.Builder
	all.Grow(h.size)
	ids, n := h.rows(), 0
	err = x.blobs.BlobsOf(ctx, textSpace, textTenant, ids, func(id string, row []byte) error {
		if n < len(ids) && id == ids[n] && crc32.ChecksumIEEE(row) == h.sums[n] {
			all.Write(row)
		}
		n++
		return nil
	})
	if err != nil || all.Len() != h.size {
		return head{}, "", err
	}
	return h, all.String(), nil
}

// readHead reads the output of appendHead; false if the data is invalid or made with other languages or rules.
func (x *Text) readHead(data []byte) (h head, ok bool) {
	end := len(data) - 4
	if end < 0 || crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return head{}, false
	}
	r := packed.Read(string(data[:end]))
	if r.Text() != textFormat || r.Uint() != textproc.Version || r.Uint() != lexical.Layout ||
		r.Text() != x.analyzer.String() {
		return head{}, false
	}
	h = head{mark: r.Text(), size: int(r.Uint())}
	h.sums = make([]uint32, r.Count(1))
	for i := range h.sums {
		h.sums[i] = uint32(r.Uint())
	}
	return h, !r.Failed() && len(h.sums) == (h.size+textRow-1)/textRow
}

// rows returns the ids of the rows in order, which is also the order of the ids.
func (h head) rows() []string {
	ids := make([]string, len(h.sums))
	for i, sum := range h.sums {
		ids[i] = rowID(i, sum, min(textRow, h.size-i*textRow))
	}
	return ids
}

func (w *rowWriter) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		if w.row == nil {
			w.row = make([]byte, 0, textRow)
		}
		some := min(len(b), textRow-len(w.row))
		w.row, b = append(w.row, b[:some]...), b[some:]
		if len(w.row) == textRow {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// flush writes the last row, which may be incomplete.
func (w *rowWriter) flush() error {
	if len(w.row) == 0 {
		return nil
	}
	sum := crc32.ChecksumIEEE(w.row)
	err := w.put(rowID(len(w.sums), sum, len(w.row)), w.row)
	w.sums, w.row = append(w.sums, sum), w.row[:0]
	return err
}

// rowID returns the id of a row. It is derived from the content, so that two processes that save at the same time
// overwrite rows only with equal ones.
func rowID(i int, sum uint32, size int) string { return fmt.Sprintf("%08d-%08x-%d", i, sum, size) }

// DiscardSnapshot deletes the stored snapshot, because it holds words that must be removed.
func (x *Text) DiscardSnapshot(ctx context.Context) error {
	if x.blobs == nil {
		return nil
	}
	return trilith.WrapError(trilith.Unavailable, "embedded.Text.DiscardSnapshot", x.blobs.DropBlobs(ctx, textSpace))
}
