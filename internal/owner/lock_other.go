//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package owner

import (
	"os"

	"github.com/cairn-memory/cairn"
)

func acquire(*os.File) error {
	return cairn.Errorf(cairn.Unsupported, "owner: this operating system has no file locks that cairn can use")
}

func makePrivate(folder string) error { return os.MkdirAll(folder, 0o700) }
