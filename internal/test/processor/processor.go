//go:build unix

// Package processor measures the processor time of benchmarks: wall time says little on a machine that does something
// else too.
package processor

import (
	"syscall"
	"testing"
	"time"
)

// Time returns the processor time that this process has used so far.
func Time(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
