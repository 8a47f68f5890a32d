package embedded

import (
	"context"
	"errors"
	"hash/crc32"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/vec"
)

// readPart reads a partition: from its snapshot and the rows of later changes, or from all rows.
func (x *Vector) readPart(ctx context.Context, tenant, key string, dims int) (*part, error) {
	pt := newPart(tenant, dims, x.keep.segment)
	changed, err := x.readSnapshot(ctx, tenant, key, dims, pt)
	if err != nil {
		return nil, err
	}
	if !pt.kept.whole {
		err := x.readRows(ctx, tenant, key, pt)
		if errors.Is(err, errReplacedElsewhere) {
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

// readRows fills an empty partition from the rows of all points. If there are enough for a snapshot it first writes a
// head for a snapshot that does not exist yet: from then on the journal names every change.
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
	// the blobs are read-only
	if err := x.replace(ctx, tenant, key, pt, false, nil, nil); trilith.KindOf(err) == trilith.Unsupported && err != nil {
		*pt = *newPart(tenant, pt.set.Dims(), x.keep.segment)
		return x.blobs.Blobs(ctx, spaceOf(key), tenant, pt.take(ctx, tenant, pt.set.Dims(), &x.broken))
	} else if err != nil {
		return err
	}
	begun := kept{segment: pt.kept.segment, head: pt.kept.head, segments: pt.kept.segments, journal: pt.kept.journal}
	*pt = *newPart(tenant, pt.set.Dims(), x.keep.segment)
	pt.kept = begun
	return x.readRows(ctx, tenant, key, pt)
}

// readSnapshot fills an empty partition from its snapshot and returns the points that are missing because they changed.
// Without a complete snapshot the partition stays empty and the result says so.
func (x *Vector) readSnapshot(ctx context.Context, tenant, key string, dims int, pt *part) (
	changed map[trilith.ID]bool, err error) {
	k := &pt.kept
	changed = map[trilith.ID]bool{}
	usable := false
	var sets []*vec.Set // of the segments; nil for an unreadable one
	var pages *vec.Pages
	read := 0
	var reading sync.WaitGroup
	turns := make(chan *[]byte, runtime.GOMAXPROCS(0)) // limits the readers of vectors, each with room for a segment
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
				pages = vec.PagesFor(len(k.sums) * k.segment)
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
			if vectors, usable = pt.readTable(data, rows, dims, changed, pages); usable {
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
		pt.set.Append(i*k.segment, set)
	}
	pt.slots.settle()
	return changed, nil
}
