//go:build !linux && !darwin

package sqlite

import "github.com/cairn-memory/cairn"

func freeSpace(string) (int64, error) {
	return 0, cairn.Errorf(cairn.Unsupported, "store: how much space is free is not known on this system")
}
