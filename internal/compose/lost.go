package compose

import (
	"os"
	"path/filepath"

	"github.com/trilith-memory/trilith"
)

// refuseLost returns an error for a lost store: a new memory in its place would look as if nothing had ever been known.
func (s *Settings) refuseLost(path string) error {
	beside := Lost(path)
	if beside == "" || s.Refill && beside == Ledger(path).path() {
		return nil
	}
	state := "is missing"
	if _, err := os.Stat(path); err == nil {
		state = "is empty"
	}
	return trilith.Errorf(trilith.Conflict, "store: %s %s, and %s is still beside it, so a memory was lost; "+
		"bring a backup back with `trilith restore BACKUP`, or move %s away to begin a new memory",
		path, state, beside, beside)
}

// Lost returns the file that shows that the store at path was lost: its ledger, or a log with its latest writes, whose
// store is missing or empty; "" if there is none.
func Lost(path string) (beside string) {
	real := path
	if to, err := filepath.EvalSymlinks(path); err == nil {
		real = to
	}
	for _, name := range []string{Ledger(path).path(), real + "-wal"} {
		// the file is looked at last, because another process may be making it
		if _, err := os.Lstat(name); err == nil && IsNone(path) {
			return name
		}
	}
	return ""
}

// IsNone reports whether there is no file at path, or an empty one.
func IsNone(path string) bool {
	info, err := os.Stat(path)
	return os.IsNotExist(err) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}
