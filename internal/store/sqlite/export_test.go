package sqlite

import (
	"context"
	"fmt"
)

// Commits returns how many transactions the writer has committed.
func (s *Store) Commits() int64 { return s.committer.commits.Load() }

// SetFree has the store believe that so many bytes are free on its disk. When it returns, the commit before has been
// looked after.
func (s *Store) SetFree(ctx context.Context, bytes int64) error {
	return s.write(ctx, "free", 1, func(*tx) error {
		s.committer.free = func(string) (int64, error) { return bytes, nil }
		return nil
	})
}

// SetLargeLog sets the size from which a log is brought into the file.
func (s *Store) SetLargeLog(ctx context.Context, bytes int64) error {
	return s.write(ctx, "large", 1, func(*tx) error {
		s.committer.large = bytes
		return nil
	})
}

// LimitPages bounds the size of the file, as a full disk does; it is never less than the file has.
func (s *Store) LimitPages(ctx context.Context, pages int) error {
	return s.write(ctx, "limit", 1, func(t *tx) error {
		var now int
		return t.row(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Scan(&now)
	})
}
