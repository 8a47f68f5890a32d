package embedded

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// A snapshot is worth writing if it writes at most vectorRewrite slots for each change, or if at least one in
// vectorShare of the partition has changed.
const (
	vectorRewrite = 8
	vectorShare   = 16
)

// keeping says how snapshots of a partition are written.
type keeping struct {
	segment int // slots of a segment
	least   int // the fewest changes for which a snapshot is written
}

// asUsual: a segment takes some milliseconds to write, while other writers wait, and reading that few changes takes
// about as long.
var asUsual = keeping{segment: 2048, least: 2000}

// errReplacedElsewhere says that another process has stored the partition meanwhile.
var errReplacedElsewhere = trilith.Errorf(
	trilith.Conflict, "another process has replaced or discarded the snapshot of the vectors in the meantime")

// kept describes the state of a partition's snapshot in the blobs. Only the tenant's writer uses it.
type kept struct {
	segment  int          // slots of a segment
	head     []byte       // as last read or written; nil: there was none before the rows were read
	whole    bool         // segments, journal and rows are the whole partition
	sums     []uint32     // of the segments that the head lists, in order
	segments int          // that may exist, those of another snapshot included
	journal  []string     // ids of the journal, as far as memory contains their changes
	touched  map[int]bool // segments with a slot that changed since
	changes  int          // since the snapshot
	erased   bool         // a change removed a point that the snapshot may still hold
}

// touch records that a slot has changed.
func (k *kept) touch(slot uint32) {
	k.mark(slot)
	k.changes++
}

// mark records that the segment of a slot must be written again.
func (k *kept) mark(slot uint32) {
	if k.touched == nil {
		k.touched = map[int]bool{}
	}
	k.touched[int(slot)/k.segment] = true
}

// SaveSnapshot stores the quantised vectors and facets of the partitions in memory that have changed enough since the
// last snapshot, so that opening them reads no original vectors and quantises nothing. Points may be applied and
// searched meanwhile. If another process has stored a partition, its memory is freed, and it is read again when it is
// needed. Many free slots are removed as well.
func (x *Vector) SaveSnapshot(ctx context.Context) error {
	x.keeping.Lock()
	defer x.keeping.Unlock()
	return trilith.WrapError(trilith.Unavailable, "embedded.Vector.SaveSnapshot", x.keepAll(ctx))
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
			if err := x.keepWorthy(ctx, t, name, key); err != nil && !errors.Is(err, errReplacedElsewhere) {
				return err
			}
		}
	}
	return nil
}

// keepWorthy stores a partition if that is worth the cost.
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
			// There was no journal, so another process may have written changes that are unknown here.
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

// keptHeadOf returns the head of a partition's snapshot; zeros if there is none, or an unreadable one.
func (x *Vector) keptHeadOf(ctx context.Context, tenant, key string) (dims int, whole bool, err error) {
	err = x.blobs.BlobsOf(ctx, keptSpaceOf(key), tenant, []string{keptHead}, func(_ string, data []byte) error {
		dims, whole, _, _ = readHeadRow(data, x.keep.segment)
		return nil
	})
	return dims, whole, err
}

// worthKeeping compares the cost of writing with the number of points that the next load would read one by one. Deleted
// points must not stay in a snapshot for long.
func (pt *part) worthKeeping(least int) bool {
	n, slots := pt.kept.changes, len(pt.kept.touched)*pt.kept.segment
	if !pt.kept.whole {
		n = pt.slots.ids.held // a load reads all of them
	}
	if pt.kept.whole && pt.kept.erased {
		return true
	}
	return n >= least && (slots <= n*vectorRewrite || n >= pt.slots.ids.held/vectorShare)
}

// sparse reports whether most slots are free.
func (pt *part) sparse() bool { return len(pt.slots.free) > max(pt.slots.ids.held, pt.kept.segment) }

// compacted returns the partition without free slots. Its stored snapshot does not fit it any more.
func (pt *part) compacted(tenant string) *part {
	to := newPart(tenant, pt.set.Dims(), pt.kept.segment)
	if pt.full != nil {
		to.full = map[int][]float32{}
	}
	to.slots.reserve(pt.slots.ids.held)
	var row []byte
	for slot := range members(pt.slots.live) {
		at := to.slots.append(pt.slots, slot)
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

// keepPart stores the changes of a partition. Other writers can write between two segments.
func (x *Vector) keepPart(ctx context.Context, t *tenantVectors, tenant, key string, pt *part) error {
	k := &pt.kept
	var old kept
	var data []byte // of a segment
	current := func(f func() error) error {
		return x.alone(ctx, t, func() error {
			if t.byKey[key] != pt {
				return errReplacedElsewhere
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
		// The journal names later writes, and nothing uses the stored rows until the end.
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
			t.mu.Lock()
			pt.set.Renew(pt.segmentRange(segment)) // no trace of erased points may stay
			t.mu.Unlock()
			data = pt.appendKept(data[:0], segment)
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
		case errors.Is(err, errReplacedElsewhere):
			x.forget(t, key)
		default:
			k.journal, k.changes, k.erased = append(old.journal, k.journal...), old.changes+k.changes,
				old.erased || k.erased
			for segment := range k.touched {
				old.touched[segment] = true
			}
			k.touched = old.touched
		}
		return nil
	}))
}

// replace replaces the head that is known, together with other rows.
func (x *Vector) replace(ctx context.Context, tenant, key string, pt *part, whole bool, sums []uint32,
	with func(put blobPut) error) error {
	k := &pt.kept
	head := headRow(pt.set.Dims(), k.segment, whole, sums)
	err := x.blobs.ChangeBlobs(ctx, tenant, func(get blobGet, put blobPut) error {
		there, err := get(keptSpaceOf(key), keptHead)
		if err != nil {
			return err
		}
		if !bytes.Equal(there, k.head) {
			return errReplacedElsewhere
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

// DiscardSnapshot makes sure that no snapshot of any tenant and generation, in memory or not, holds deleted or replaced
// content.
func (x *Vector) DiscardSnapshot(ctx context.Context) error {
	if x.blobs == nil {
		return nil
	}
	x.keeping.Lock()
	defer x.keeping.Unlock()
	return trilith.WrapError(trilith.Unavailable, "embedded.Vector.DiscardSnapshot", x.discardAll(ctx))
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

// discard brings the snapshot of a partition up to date, and deletes a useless one.
func (x *Vector) discard(ctx context.Context, tenant, key string) error {
	t := x.tenant(tenant)
	var pt *part
	there, stale := false, false
	err := x.alone(ctx, t, func() error {
		ids, err := x.blobs.BlobIDs(ctx, keptSpaceOf(key), tenant)
		if err != nil {
			return err
		}
		journal := slices.DeleteFunc(
			slices.Clone(ids), func(id string) bool { return !strings.HasPrefix(id, keptJournal) })
		pt, there = t.byKey[key]
		if there && slices.ContainsFunc(
			journal, func(id string) bool { return !slices.Contains(pt.kept.journal, id) }) {
			x.forget(t, key) // another process has changed something that is unknown here
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

// forget frees the memory of a partition. The caller is the tenant's only writer.
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
