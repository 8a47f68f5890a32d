//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package owner

import (
	"os"

	"github.com/trilith-memory/trilith"
)

func acquire(*os.File) error {
	return trilith.Errorf(trilith.Unsupported, "owner: this operating system has no file locks that trilith can use")
}

func makePrivate(folder string) error { return os.MkdirAll(folder, 0o700) }
