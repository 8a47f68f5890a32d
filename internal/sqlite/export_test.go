package sqlite

// Commits returns how many transactions the writer has committed.
func (s *Store) Commits() int64 { return s.commits.Load() }
