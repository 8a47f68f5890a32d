package vec

import (
	"syscall"
	"unsafe"
)

// advise asks the system for large pages for the part of b that fills some, or for none. A failure changes nothing but
// the time that a search takes. See /sys/kernel/mm/transparent_hugepage/enabled.
func advise(b []uint8, large bool) {
	const page = 2 << 20
	advice := uintptr(syscall.MADV_NOHUGEPAGE)
	if large {
		advice = syscall.MADV_HUGEPAGE
	}
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	from, to := (begin+page-1)&^(page-1), (begin+uintptr(len(b)))&^(page-1)
	if from < to {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, advice)
	}
}
