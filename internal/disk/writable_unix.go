//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import "syscall"

const mayWrite = 2 // W_OK

// Writable reports whether this program may write the file or into the folder at path. It opens nothing, so it ends no
// lock that the process holds.
func Writable(path string) bool { return syscall.Access(path, mayWrite) == nil }
