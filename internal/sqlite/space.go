package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-memory/cairn/internal/disk"
)

// upkeep is what an operator asks of a file: its space and schema, copies of it, whether it is damaged, and that
// nothing of what was deleted stays behind.
type upkeep struct {
	*file
	filled chan struct{} // closed when the filling in of sums has ended
}

// Space returns how many bytes the file takes with its log, and how many are free for this program where it lies. On
// systems that do not tell, the error is Unsupported and used is right all the same.
func (u *upkeep) Space() (used, free int64, err error) {
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(u.path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		used += info.Size()
	}
	free, err = disk.Free(filepath.Dir(u.path))
	return used, free, err
}

// Schema returns the number of the newest migration that the file has seen.
func (u *upkeep) Schema(ctx context.Context) (version int64, err error) {
	err = u.read(ctx, "sqlite.Schema", func() error {
		return u.queries.row(ctx, "SELECT max(version_id) FROM goose_db_version", nil, &version)
	})
	return version, err
}
