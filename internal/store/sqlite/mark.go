package sqlite

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"strings"

	"github.com/trilith-memory/trilith"
)

// readMark returns the number that the mark tells, and as acknowledged too if the file is still in that state: a file
// that was replaced has lost nothing. It must be called before the store is opened.
func readMark(path string) (last, acknowledged int64) {
	data, _ := os.ReadFile(lockOf(path)) // none: no mark
	if _, err := fmt.Sscan(string(data), &last); err == nil && strings.HasPrefix(string(data), markAt(path, last)) {
		return last, last
	}
	return last, 0
}

// compare finds out whether the file lacks changes that were written.
func (f *file) compare(ctx context.Context, last, acknowledged int64) {
	var end int64
	switch {
	case last == 0 || f.readers.QueryRowContext(ctx, headQuery).Scan(&end) != nil || end >= last:
	case acknowledged == 0:
		f.warn("store: the file is an earlier one than was written last, such as a backup", "was_at_change", last, "is_at", end)
		f.acknowledge(end) // this is said once
	default:
		f.lost = trilith.Errorf(trilith.Conflict, "store: %d changes are missing: they were acknowledged up to change %d, and "+
			"the file ends at %d, so its log (-wal) was deleted or cut; restore a backup, or go on without them: this is "+
			"said until something is written", last-end, last, end)
		f.mark = last
		f.warn("store: acknowledged changes are missing", "acknowledged_up_to", last, "file_ends_at", end)
	}
}

// acknowledge sets the mark after a commit. An error does not matter: a mark that is behind is true.
func (f *file) acknowledge(change int64) {
	f.mark = change
	if f.present != nil {
		_, _ = f.present.WriteAt([]byte(markAt(f.path, change)), 0)
	}
}

// The mark is the number of the newest change that was acknowledged, outside the store and its log: in the file of the
// locks, written after the commit and before the answer. It is not synced, so it outlives the process and not always the
// machine; then it is behind the store, and it is never ahead.

// markAt is a mark, with the state in which the store's file is then. That changes whenever the file is written or
// replaced, and a commit changes only the log. Another process may read a mark while it is written, hence the checksum.
func markAt(path string, change int64) string {
	info, err := os.Stat(path)
	if err != nil {
		return "none"
	}
	line := fmt.Sprintf("%d %d %d", change, info.Size(), info.ModTime().UnixNano())
	return fmt.Sprintf("%s %08x\n", line, crc32.ChecksumIEEE([]byte(line)))
}
