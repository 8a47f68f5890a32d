//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package disk

import "os"

// Writable reports whether this program may write the file or into the folder at path, as far as its mode says.
func Writable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || info.Mode().Perm()&0o200 != 0)
}
