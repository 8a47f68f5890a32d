package embedded

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
	"github.com/cairn-memory/cairn/internal/vec"
)

// What a vector index keeps of a partition: segments, each a range of slots with their memories and quantised vectors; a
// journal, which names what has changed since a segment was written; and a head, which lists the segments with their
// checksums. They lie in a space of their own for each generation.
//
// A segment takes the place of the one before together with a head that says so. So at any moment the segments, without what
// the journal names, and the rows of that are the partition. A head is replaced only by who has written or read it: of two
// processes that keep the same partition one sees that it does not know the other's slots, and reads it anew. It is derived and
// checked; a snapshot that is torn, spoiled or of another format is as good as none.
const (
	keptHead      = "head"
	keptJournal   = "new:" // begins the ids of the journal; by them the rows are read head first and segments last
	keptSegment   = "seg:"
	vectorFormat  = "cairn vectors 1"
	vectorRewrite = 8  // and so many slots may be written again for one of them …
	vectorShare   = 16 // … unless that part of the partition has changed
)

// keeping says how a partition is kept.
type keeping struct {
	segment int // slots of a segment
	least   int // changes from which keeping is worth it
}

// asUsual: a segment takes some milliseconds to write, during which who writes waits; so few changes are read in as many.
var asUsual = keeping{segment: 2048, least: 2000}

// errKeptElsewhere says that another process has kept the partition meanwhile.
var errKeptElsewhere = cairn.Errorf(cairn.Conflict, "another process has kept the vectors or thrown them away meanwhile")

// kept is what the blobs hold of a partition beside its rows. It is of the tenant's only writer.
type kept struct {
	segment  int          // slots of a segment
	head     []byte       // as it was last read or written; nil: there was none before the rows were read
	whole    bool         // segments, journal and rows are the partition
	sums     []uint32     // of the segments that the head lists, by place
	segments int          // that may be there, those of another snapshot included
	journal  []string     // ids of the journal, as far as the memory accounts for it
	touched  map[int]bool // segments with a slot that was changed since
	changes  int          // since
	erased   bool         // one of them took a point away that the snapshot may still hold
}

// touch notes that a slot has changed.
func (k *kept) touch(slot uint32) {
	k.mark(slot)
	k.changes++
}

// mark notes that the segment of a slot is to be written again.
func (k *kept) mark(slot uint32) {
	if k.touched == nil {
		k.touched = map[int]bool{}
	}
	k.touched[int(slot)/k.segment] = true
}

func segmentID(i int) string { return fmt.Sprintf("%s%08d", keptSegment, i) }

// headRow makes a head, unlike any other.
func headRow(dims, segment int, whole bool, sums []uint32) []byte {
	b := packed.AppendText(packed.AppendText(nil, vectorFormat), rand.Text())
	b = packed.AppendUint(packed.AppendUint(b, vec.RowFormat), uint64(dims))
	b = packed.AppendUint(b, uint64(segment))
	b = packed.AppendUint(appendBool(b, whole), uint64(len(sums)))
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// readHeadRow reads what headRow wrote; false for anything else.
func readHeadRow(data []byte, segment int) (dims int, whole bool, sums []uint32, ok bool) {
	end := len(data) - 4
	if end < 0 || crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return 0, false, nil, false
	}
	r := packed.Read(string(data[:end]))
	if r.Text() != vectorFormat || r.Text() == "" || r.Uint() != vec.RowFormat {
		return 0, false, nil, false
	}
	dims = int(r.Uint())
	if r.Uint() != uint64(segment) {
		return 0, false, nil, false
	}
	whole = boolFrom(r)
	for range r.Count(4) {
		sums = append(sums, binary.LittleEndian.Uint32([]byte(r.Bytes(4))))
	}
	if r.Failed() || r.Rest() != "" {
		return 0, false, nil, false
	}
	return dims, whole, sums, true
}

// appendKept writes a segment of the partition: the length of its table, the table, then of each memory in it whether its
// vector was cut, then their vectors.
func (pt *part) appendKept(b []byte, segment int) []byte {
	from := segment * pt.kept.segment
	to := min(from+pt.kept.segment, pt.slots.len())
	b = appendSection(b, pt.slots.appendRange(nil, from, to))
	for slot := uint32(from); slot < uint32(to); slot++ {
		if pt.slots.lives(slot) {
			b = appendBool(b, pt.cut[slot])
		}
	}
	for slot := from; slot < to; slot++ {
		if pt.slots.lives(uint32(slot)) {
			b = pt.set.AppendRowOf(b, slot)
		}
	}
	return b
}

// readTable reads the table of the next segment into the partition, without what is in skip, and returns what reads the
// vectors of the segment, which it copies into rows, into a set of their own, from slot 0 on; false if it is none.
func (pt *part) readTable(data []byte, rows *[]byte, dims int, skip map[cairn.ID]bool) (vectors func() *vec.Set, ok bool) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, false
	}
	from := pt.slots.len()
	r := packed.Read(string(data[size : size+int(n)]))
	stored, ok := pt.slots.readRange(r, skip)
	data = data[size+int(n):]
	length := vec.RowBytes(dims)
	if !ok || r.Rest() != "" || pt.slots.len()-from > pt.kept.segment || len(data) != len(stored)*(1+length) {
		return nil, false
	}
	*rows = append((*rows)[:0], data[len(stored):]...)
	at := make([]int, len(stored)) // the slot of a row in the segment, -1 for none
	for i, slot := range stored {
		at[i] = int(slot) - from
		switch {
		case !pt.slots.lives(slot):
			at[i] = -1
			pt.kept.mark(slot)
		case data[i] != 0:
			pt.cut[slot] = true
		}
	}
	return func() *vec.Set {
		set := vec.NewSet(dims)
		for i, slot := range at {
			if slot >= 0 && set.PutRow(slot, (*rows)[i*length:(i+1)*length]) != nil {
				return nil
			}
		}
		return set
	}, true
}

// readPart reads a partition: from its snapshot and the rows of what has changed since, or from the rows of all.
func (x *Vector) readPart(ctx context.Context, tenant, key string, dims int) (*part, error) {
	pt := newPart(tenant, dims, x.keep.segment)
	changed, err := x.readSnapshot(ctx, tenant, key, dims, pt)
	if err != nil {
		return nil, err
	}
	if !pt.kept.whole {
		err := x.readRows(ctx, tenant, key, pt)
		if errors.Is(err, errKeptElsewhere) {
			return x.readPart(ctx, tenant, key, dims)
		}
		return pt, err
	}
	take := pt.take(ctx, tenant, dims, &x.broken)
	for some := range slices.Chunk(slices.Sorted(maps.Keys(changed)), 1000) {
		if err := x.blobs.BlobsOf(ctx, spaceOf(key), tenant, names(some), take); err != nil {
			return nil, err
		}
	}
	pt.kept.erased = pt.kept.changes < len(changed)
	return pt, nil
}

// readRows fills an empty partition from the rows of all points. If they are so many that they are to be kept it puts a head
// first, for a snapshot that is yet to be written: from then on the journal names what anybody changes.
func (x *Vector) readRows(ctx context.Context, tenant, key string, pt *part) error {
	errMany := errors.New("many rows")
	rows := 0
	take := pt.take(ctx, tenant, pt.set.Dims(), &x.broken)
	err := x.blobs.Blobs(ctx, spaceOf(key), tenant, func(id string, data []byte) error {
		if rows++; rows > x.keep.least && pt.kept.head == nil {
			return errMany
		}
		return take(id, data)
	})
	if !errors.Is(err, errMany) {
		return err
	}
	if err := x.replace(ctx, tenant, key, pt, false, nil, nil); err != nil {
		return err
	}
	begun := kept{segment: pt.kept.segment, head: pt.kept.head, segments: pt.kept.segments, journal: pt.kept.journal}
	*pt = *newPart(tenant, pt.set.Dims(), x.keep.segment)
	pt.kept = begun
	return x.readRows(ctx, tenant, key, pt)
}

// readSnapshot fills an empty partition from its snapshot and returns which points it is without, because they have changed.
// If there is none that is whole the partition stays empty and says so.
func (x *Vector) readSnapshot(ctx context.Context, tenant, key string, dims int, pt *part) (changed map[cairn.ID]bool, err error) {
	k := &pt.kept
	changed = map[cairn.ID]bool{}
	usable := false
	var sets []*vec.Set // of the segments; nil where one holds anything else
	read := 0
	var reading sync.WaitGroup
	turns := make(chan *[]byte, runtime.GOMAXPROCS(0)) // to read vectors, with room for a segment of them
	for range cap(turns) {
		turns <- new([]byte)
	}
	err = x.blobs.Blobs(ctx, keptSpaceOf(key), tenant, func(id string, data []byte) error {
		switch {
		case id == keptHead:
			k.head = slices.Clone(data)
			var of int
			of, k.whole, k.sums, usable = readHeadRow(data, k.segment)
			if usable = usable && k.whole && of == dims; usable {
				sets = make([]*vec.Set, len(k.sums))
				pt.slots.reserve(len(k.sums) * k.segment)
			}
		case strings.HasPrefix(id, keptJournal):
			k.journal = append(k.journal, id)
			usable = usable && readJournal(data, changed)
		case strings.HasPrefix(id, keptSegment):
			k.segments++
			i := read
			if !usable || i == len(sets) {
				break
			}
			read++
			if usable = id == segmentID(i) && crc32.ChecksumIEEE(data) == k.sums[i]; !usable {
				break
			}
			rows := <-turns
			var vectors func() *vec.Set
			if vectors, usable = pt.readTable(data, rows, dims, changed); usable {
				reading.Go(func() {
					sets[i] = vectors()
					turns <- rows
				})
			}
		}
		return ctx.Err()
	})
	reading.Wait()
	if err != nil {
		return nil, err
	}
	if !usable || read != len(sets) || slices.Contains(sets, nil) {
		left := kept{segment: k.segment, head: k.head, segments: k.segments, journal: k.journal}
		*pt = *newPart(tenant, dims, x.keep.segment)
		pt.kept = left
		return nil, nil
	}
	for i, set := range sets {
		pt.set.Adopt(i*k.segment, set)
	}
	pt.slots.settle()
	return changed, nil
}

// Keep stores the quantised vectors and facets of the partitions in memory that have changed enough since they were kept, so
// that opening them again reads neither the vectors nor quantises them. Points may be applied and searched meanwhile. Of a
// partition that another process has kept it gives the memory back: it is read again when it is needed. Where many slots are
// free they are given back too.
func (x *Vector) Keep(ctx context.Context) error {
	x.keeping.Lock()
	defer x.keeping.Unlock()
	return cairn.WrapError(cairn.Unavailable, "embedded.Vector.Keep", x.keepAll(ctx))
}

func (x *Vector) keepAll(ctx context.Context) error {
	x.mu.Lock()
	tenants := slices.Sorted(maps.Keys(x.tenants))
	x.mu.Unlock()
	for _, name := range tenants {
		t := x.tenant(name)
		var keys []string
		if err := x.alone(ctx, t, func() error {
			for key, n := range t.behind {
				if n >= x.keep.least {
					keys = append(keys, key)
				}
			}
			for key := range t.byKey {
				keys = append(keys, key)
			}
			return nil
		}); err != nil {
			return err
		}
		for _, key := range keys {
			if err := x.keepWorthy(ctx, t, name, key); err != nil && !errors.Is(err, errKeptElsewhere) {
				return err
			}
		}
	}
	return nil
}

// keepWorthy keeps a partition if that is worth it.
func (x *Vector) keepWorthy(ctx context.Context, t *tenantVectors, tenant, key string) error {
	var pt *part
	worth := false
	err := x.alone(ctx, t, func() (err error) {
		if pt = t.byKey[key]; pt == nil {
			dims, _, err := x.keptHeadOf(ctx, tenant, key)
			if err != nil || dims == 0 {
				return err
			}
			if pt, err = x.load(ctx, t, tenant, key, dims); err != nil {
				return err
			}
		}
		if pt.sparse() {
			pt = pt.compacted(tenant)
			t.mu.Lock()
			t.byKey[key] = pt
			t.mu.Unlock()
		}
		if worth = x.blobs != nil && pt.worthKeeping(x.keep.least); worth && pt.kept.head == nil {
			// There was no journal, so another process may have written what is not known here.
			if pt, err = x.readPart(ctx, tenant, key, pt.set.Dims()); err != nil {
				return err
			}
			t.mu.Lock()
			t.byKey[key] = pt
			t.mu.Unlock()
			worth = pt.kept.head != nil
		}
		return nil
	})
	if err != nil || !worth {
		return err
	}
	return x.keepPart(ctx, t, tenant, key, pt)
}

// keptHeadOf returns what the head of a partition's snapshot says; zeros if there is none that can be read.
func (x *Vector) keptHeadOf(ctx context.Context, tenant, key string) (dims int, whole bool, err error) {
	err = x.blobs.BlobsOf(ctx, keptSpaceOf(key), tenant, []string{keptHead}, func(_ string, data []byte) error {
		dims, whole, _, _ = readHeadRow(data, x.keep.segment)
		return nil
	})
	return dims, whole, err
}

// worthKeeping weighs what keeping writes against what the next load would read one by one. What was taken away is not to
// stay long in what is kept.
func (pt *part) worthKeeping(least int) bool {
	n, slots := pt.kept.changes, len(pt.kept.touched)*pt.kept.segment
	if !pt.kept.whole {
		n = pt.slots.ids.held // all is read
	}
	if pt.kept.whole && pt.kept.erased {
		return true
	}
	return n >= least && (slots <= n*vectorRewrite || n >= pt.slots.ids.held/vectorShare)
}

// sparse reports whether most slots are free.
func (pt *part) sparse() bool { return len(pt.slots.free) > max(pt.slots.ids.held, pt.kept.segment) }

// compacted returns the partition without free slots. What was kept of it is another one's.
func (pt *part) compacted(tenant string) *part {
	to := newPart(tenant, pt.set.Dims(), pt.kept.segment)
	if pt.full != nil {
		to.full = map[int][]float32{}
	}
	to.slots.reserve(pt.slots.ids.held)
	var row []byte
	for slot := range members(pt.slots.live) {
		at, _ := to.slots.put(pt.slots.facets(slot), time.UnixMicro(pt.slots.ats[slot]))
		row = pt.set.AppendRowOf(row[:0], int(slot))
		if err := to.set.PutRow(int(at), row); err != nil {
			panic("embedded: a set refuses its own row: " + err.Error())
		}
		if pt.full != nil {
			to.full[int(at)] = pt.full[int(slot)]
		}
		if pt.cut[slot] {
			to.cut[at] = true
		}
	}
	to.kept = kept{segment: pt.kept.segment, head: pt.kept.head, segments: pt.kept.segments, journal: pt.kept.journal}
	return to
}

// keepPart stores what has changed of a partition. It lets others write between two segments.
func (x *Vector) keepPart(ctx context.Context, t *tenantVectors, tenant, key string, pt *part) error {
	k := &pt.kept
	var old kept
	current := func(f func() error) error {
		return x.alone(ctx, t, func() error {
			if t.byKey[key] != pt {
				return errKeptElsewhere
			}
			return f()
		})
	}
	err := current(func() error {
		old = *k
		k.journal, k.touched, k.changes, k.erased = nil, nil, 0, false
		if k.whole {
			return nil
		}
		// What is written from now on is noted in the journal, and until the end nobody uses what is there.
		old.touched = map[int]bool{}
		for i := range (pt.slots.len() + k.segment - 1) / k.segment {
			old.touched[i] = true
		}
		return x.replace(ctx, tenant, key, pt, false, nil, nil)
	})
	for _, segment := range slices.Sorted(maps.Keys(old.touched)) {
		if err != nil {
			break
		}
		err = current(func() error {
			data := pt.appendKept(nil, segment)
			sums := slices.Clone(k.sums)
			if segment == len(sums) {
				sums = append(sums, 0)
			}
			sums[segment] = crc32.ChecksumIEEE(data)
			return x.replace(ctx, tenant, key, pt, k.whole, sums, func(put blobPut) error {
				return put(keptSpaceOf(key), segmentID(segment), data)
			})
		})
	}
	if err == nil {
		err = current(func() error {
			return x.replace(ctx, tenant, key, pt, true, k.sums, func(put blobPut) error {
				var gone []string
				for i := len(k.sums); i < k.segments; i++ {
					gone = append(gone, segmentID(i))
				}
				for _, id := range slices.Concat(old.journal, gone) {
					if err := put(keptSpaceOf(key), id, nil); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err == nil {
		return nil
	}
	return errors.Join(err, x.alone(context.WithoutCancel(ctx), t, func() error {
		switch {
		case t.byKey[key] != pt:
		case errors.Is(err, errKeptElsewhere):
			x.forget(t, key)
		default:
			k.journal, k.changes, k.erased = append(old.journal, k.journal...), old.changes+k.changes, old.erased || k.erased
			for segment := range k.touched {
				old.touched[segment] = true
			}
			k.touched = old.touched
		}
		return nil
	}))
}

// replace puts another head in the place of the one that is known, and what else is to be put with it.
func (x *Vector) replace(ctx context.Context, tenant, key string, pt *part, whole bool, sums []uint32, with func(put blobPut) error) error {
	k := &pt.kept
	head := headRow(pt.set.Dims(), k.segment, whole, sums)
	err := x.blobs.ChangeBlobs(ctx, tenant, func(get blobGet, put blobPut) error {
		there, err := get(keptSpaceOf(key), keptHead)
		if err != nil {
			return err
		}
		if !bytes.Equal(there, k.head) {
			return errKeptElsewhere
		}
		if with != nil {
			if err := with(put); err != nil {
				return err
			}
		}
		return put(keptSpaceOf(key), keptHead, head)
	})
	if err == nil {
		k.head, k.whole, k.sums = head, whole, sums
		k.segments = max(k.segments, len(sums))
	}
	return err
}

// Discard makes sure that no snapshot holds what was deleted or replaced, of any tenant and generation, in memory or not.
func (x *Vector) Discard(ctx context.Context) error {
	if x.blobs == nil {
		return nil
	}
	x.keeping.Lock()
	defer x.keeping.Unlock()
	return cairn.WrapError(cairn.Unavailable, "embedded.Vector.Discard", x.discardAll(ctx))
}

func (x *Vector) discardAll(ctx context.Context) error {
	leave, err := x.enter(ctx)
	if err != nil {
		return err
	}
	keys, err := x.keys(ctx, keptSpace)
	leave()
	for _, key := range keys {
		tenants, err := x.blobs.BlobTenants(ctx, keptSpaceOf(key))
		if err != nil {
			return err
		}
		for _, tenant := range tenants {
			if err := x.discard(ctx, tenant, key); err != nil {
				return err
			}
		}
	}
	return err
}

// discard brings the snapshot of a partition up to date; one that is of no use it deletes.
func (x *Vector) discard(ctx context.Context, tenant, key string) error {
	t := x.tenant(tenant)
	var pt *part
	there, stale := false, false
	err := x.alone(ctx, t, func() error {
		ids, err := x.blobs.BlobIDs(ctx, keptSpaceOf(key), tenant)
		if err != nil {
			return err
		}
		journal := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.HasPrefix(id, keptJournal) })
		pt, there = t.byKey[key]
		if there && slices.ContainsFunc(journal, func(id string) bool { return !slices.Contains(pt.kept.journal, id) }) {
			x.forget(t, key) // another process has changed what this one does not know yet
			there = false
		}
		if there {
			stale = len(journal) > 0 || !pt.kept.whole
			return nil
		}
		dims, whole, err := x.keptHeadOf(ctx, tenant, key)
		if err != nil || whole && len(journal) == 0 {
			return err
		}
		if whole {
			if pt, err = x.load(ctx, t, tenant, key, dims); err != nil {
				return err
			}
			if pt.kept.whole {
				stale = true
				return nil
			}
			x.forget(t, key)
		}
		for _, id := range ids { // one by one, as they were written
			if err := x.blobs.DeleteBlobs(ctx, keptSpaceOf(key), tenant, []string{id}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !stale {
		return err
	}
	err = x.keepPart(ctx, t, tenant, key, pt)
	if !there {
		err = errors.Join(err, x.alone(ctx, t, func() error {
			x.forget(t, key)
			return nil
		}))
	}
	return err
}

// forget gives the memory of a partition back. The caller is the tenant's only writer.
func (x *Vector) forget(t *tenantVectors, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(key)
}

// alone runs f as the tenant's only writer.
func (x *Vector) alone(ctx context.Context, t *tenantVectors, f func() error) error {
	leave, err := x.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := t.lock(ctx); err != nil {
		return err
	}
	defer t.unlock()
	return f()
}
