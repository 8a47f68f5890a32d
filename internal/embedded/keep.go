package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/lexical"
	"github.com/cairn-memory/cairn/internal/packed"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// What a text index keeps: one snapshot, cut into rows of a space of its own, and a head that says which rows it is and what
// they add up to. The head is written when all rows are there, so a snapshot takes the place of another at once, and writes
// of others come between its rows. It is derived and checked as a whole; one that is torn, spoiled or of another format is
// as good as none.
const (
	textSpace  = "text"
	textTenant = cairn.SystemTenant
	textRow    = 1 << 20 // bytes of a row: who writes meanwhile waits for one of them
	textHead   = "head"  // id of the head
	textFormat = "cairn text 7"
)

var errKept = errors.New("embedded: what was kept is not a text index of this program")

// head is what the head of a snapshot says.
type head struct {
	mark string
	size int    // of all rows together
	sum  uint32 // their checksum
}

// rows are the ids of the rows, in their order. They are named by what they hold, so that two processes that keep at the same
// time write into each other's only what stands there already.
func (h head) rows() []string {
	ids := make([]string, (h.size+textRow-1)/textRow)
	for i := range ids {
		ids[i] = fmt.Sprintf("%08x-%d-%08d", h.sum, h.size, i)
	}
	return ids
}

func (x *Text) appendHead(h head) []byte {
	b := packed.AppendUint(packed.AppendUint(packed.AppendText(nil, textFormat), textproc.Version), lexical.Layout)
	b = packed.AppendText(packed.AppendText(b, x.analyzer.String()), h.mark)
	b = packed.AppendUint(packed.AppendUint(b, uint64(h.size)), uint64(h.sum))
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// readHead reads what appendHead wrote; false for anything else, and for the terms of other languages or rules.
func (x *Text) readHead(data []byte) (h head, ok bool) {
	end := len(data) - 4
	if end < 0 || crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return head{}, false
	}
	r := packed.Read(string(data[:end]))
	if r.Text() != textFormat || r.Uint() != textproc.Version || r.Uint() != lexical.Layout || r.Text() != x.analyzer.String() {
		return head{}, false
	}
	h = head{mark: r.Text(), size: int(r.Uint()), sum: uint32(r.Uint())}
	return h, !r.Failed()
}

// Keep stores what the index holds, together with a mark that says what that is; it replaces what was kept before. Changes
// that come meanwhile may be in it, of every memory wholly or not at all as far as a search can tell once they are applied
// again. An index without blobs keeps nothing, and where the memory that the process may use (GOMEMLIMIT) has no room for the
// copies that keeping makes, it is Exhausted and nothing is copied. Calls of Keep, Kept, Discard and Reset may not overlap.
func (x *Text) Keep(ctx context.Context, mark string) error {
	if err := x.ready(ctx); err != nil || x.blobs == nil {
		return err
	}
	size := x.size()
	if need, spare := snapshotCopies*size, x.spare(); need > spare {
		return cairn.Errorf(cairn.Exhausted, "GOMEMLIMIT: keeping the text index takes %d MB of memory, and %d MB are left; it is put off until there is room", need>>20, max(0, spare)>>20)
	}
	data := x.snapshot(int(size))
	return cairn.WrapError(cairn.Unavailable, "embedded.Text.Keep", x.write(ctx, head{mark: mark, size: len(data), sum: crc32.ChecksumIEEE(data)}, data))
}

func (x *Text) write(ctx context.Context, h head, data []byte) error {
	put := func(id string, row []byte) error {
		return x.blobs.PutBlobs(ctx, textSpace, textTenant, func(yield func(string, []byte) bool) { yield(id, row) })
	}
	ids := h.rows()
	i := 0
	for row := range slices.Chunk(data, textRow) {
		if err := put(ids[i], row); err != nil {
			return err
		}
		i++
	}
	there, err := x.blobs.BlobIDs(ctx, textSpace, textTenant)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(there, id) {
			return cairn.Errorf(cairn.Conflict, "another process has kept the index or thrown it away meanwhile")
		}
	}
	if err := put(textHead, x.appendHead(h)); err != nil {
		return err
	}
	for _, id := range there {
		if id == textHead || slices.Contains(ids, id) {
			continue
		}
		if err := x.blobs.DeleteBlobs(ctx, textSpace, textTenant, []string{id}); err != nil { // one by one, as they were written
			return err
		}
	}
	return nil
}

// Kept takes up what was kept and returns its mark. Nothing usable gives an empty index and no mark.
func (x *Text) Kept(ctx context.Context) (mark string, err error) {
	if err := x.ready(ctx); err != nil || x.blobs == nil {
		return "", err
	}
	h, data, err := x.readKept(ctx)
	if err != nil {
		return "", cairn.WrapError(cairn.Unavailable, "embedded.Text.Kept", err)
	}
	tenants, err := restore(data)
	if err != nil {
		return "", nil // it will be made anew
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tenants = tenants
	return h.mark, nil
}

// readKept returns what was kept and its head; nothing if it is not whole.
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
	sum := uint32(0)
	err = x.blobs.BlobsOf(ctx, textSpace, textTenant, h.rows(), func(_ string, row []byte) error {
		sum = crc32.Update(sum, crc32.IEEETable, row)
		all.Write(row)
		return nil
	})
	if err != nil || all.Len() != h.size || sum != h.sum {
		return head{}, "", err
	}
	return h, all.String(), nil
}

// Discard throws away what was kept: it holds words that must go.
func (x *Text) Discard(ctx context.Context) error {
	if x.blobs == nil {
		return nil
	}
	return cairn.WrapError(cairn.Unavailable, "embedded.Text.Discard", x.blobs.DropBlobs(ctx, textSpace))
}
