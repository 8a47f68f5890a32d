//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package owner

import (
	"os"

	"github.com/cairn-memory/cairn"
)

// acquire: a socket that only its owner may use needs a folder that only they can enter, which file modes do not give here.
func acquire(*os.File) error {
	return cairn.Errorf(cairn.Unsupported, "owner: this system has no locks and sockets that we use")
}
