package vec

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// The system knows which memory is wanted in large pages, as long as it is in use.
func TestAdvise(t *testing.T) {
	t.Parallel()
	enabled, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || bytes.Contains(enabled, []byte("[never]")) {
		return // there are none to give
	}
	b := new(Pages).bytes(1000)
	piece := unsafe.Slice(unsafe.SliceData(b), pieceBytes)
	middle := uintptr(unsafe.Pointer(&piece[pieceBytes/2]))
	for _, want := range []string{"hg", "nh"} {
		if got := flagsOf(t, middle); !strings.Contains(got, " "+want) {
			t.Errorf("flags of the memory are %q, want %s", got, want)
		}
		advise(piece, false)
	}
	advise(piece[:100], true) // no page is whole
	if got := flagsOf(t, middle); strings.Contains(got, " hg") {
		t.Errorf("flags of the memory are %q, want nh", got)
	}
}

// flagsOf returns what the system knows of the memory at an address; see proc_pid_smaps(5).
func flagsOf(t *testing.T, address uintptr) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return flags
		}
	}
	t.Fatalf("no memory at %x", address)
	return ""
}
