package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-memory/cairn/internal/disk"
)

// Space returns how many bytes the file takes with its log, and how many are free for this program where it lies. On
// systems that do not tell, the error is Unsupported and used is right all the same.
func (s *Store) Space() (used, free int64, err error) {
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(s.path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		used += info.Size()
	}
	free, err = disk.Free(filepath.Dir(s.path))
	return used, free, err
}

// Schema returns the number of the newest migration that the file has seen.
func (s *Store) Schema(ctx context.Context) (version int64, err error) {
	err = s.read(ctx, "sqlite.Schema", func() error {
		return s.queries.row(ctx, "SELECT max(version_id) FROM goose_db_version", nil, &version)
	})
	return version, err
}
