package sqlite

import (
	"syscall"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

func init() { mendUnlock() }

// mendUnlock makes SQLite take a lock for released if the system has no locks (ENOLCK). SQLite would hold it for ever,
// so no connection of this process could write any more after the locks have returned.
func mendUnlock() {
	var system func(tls *libc.TLS, fd, cmd int32, args uintptr) int32
	system = replaceCall("fcntl\x00", func(tls *libc.TLS, fd, cmd int32, args uintptr) int32 {
		result := system(tls, fd, cmd, args)
		if result == -1 && cmd == lib.F_SETLK && *at[int32](libc.X__errno_location(tls)) == int32(syscall.ENOLCK) &&
			at[lib.Tflock](*at[uintptr](args)).Fl_type == lib.F_UNLCK {
			return 0
		}
		return result
	})
}

// replaceCall replaces a system call of SQLite's, named with a final zero, and returns the former one.
func replaceCall[F any](name string, call F) (former F) {
	tls := libc.NewTLS()
	defer tls.Close()
	calls = append(calls, call)
	vfs, its := lib.Xsqlite3_vfs_find(tls, 0), uintptr(unsafe.Pointer(unsafe.StringData(name)))
	methods := at[lib.Tsqlite3_vfs](vfs)
	was := asFunc[func(*libc.TLS, uintptr, uintptr) uintptr](methods.FxGetSystemCall)(tls, vfs, its)
	set := asFunc[func(tls *libc.TLS, vfs, name, call uintptr) int32](methods.FxSetSystemCall)
	set(tls, vfs, its, *(*uintptr)(unsafe.Pointer(&call)))
	return asFunc[F](was)
}

// calls are functions that only SQLite points to.
var calls []any

func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func asFunc[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }
