package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trilith-memory/trilith/internal/disk"
)

// upkeep implements the tasks of an operator for a file: its size and schema, copies, checks for damage, and the
// removal of deleted data.
type upkeep struct{ *file }

// Space returns how many bytes the file takes with its log, and how many are free for this program on its disk. If the
// system does not report that, the error is Unsupported and used is still valid.
func (u *upkeep) Space() (used, free int64, err error) {
	if _, ok := inMemory(u.path); ok {
		return u.memorySpace()
	}
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

// Schema returns the number of the newest migration that was applied.
func (u *upkeep) Schema(ctx context.Context) (version int64, err error) {
	err = u.read(ctx, "sqlite.Schema", func() error {
		return u.queries.row(ctx, appliedQuery, nil, &version)
	})
	return version, err
}
