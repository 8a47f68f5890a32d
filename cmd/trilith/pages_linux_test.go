package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestReleaseProgram: pages of the program's file leave the process, which goes on. Tests run in one process, where
// others bring pages back, so one of several tries has to show it.
func TestReleaseProgram(t *testing.T) {
	least, before := 1<<62, residentPages(t)
	for range 20 {
		if err := releaseProgram(); err != nil {
			t.Fatal(err)
		}
		least = min(least, residentPages(t))
	}
	if least > before*3/4 {
		t.Errorf("%d kB of files are resident, and %d kB after they were released", before, least)
	}
}

// residentPages returns how much of the process are pages of files, in kB.
func residentPages(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "RssFile:")
	kB, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kB
}

func TestOnlyUnwritablePagesAreReleased(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]mapping{
		"00400000-01a00000 r-xp 00000000 fe:00 7   /usr/bin/trilith":  {0x400000, 0x1a00000},
		"01a00000-03c00000 r--p 01600000 fe:00 7   /usr/bin/trilith":  {0x1a00000, 0x3c00000},
		"03c00000-03d00000 rw-p 03800000 fe:00 7   /usr/bin/trilith":  {},
		"7f0000000000-7f0000001000 r--s 00000000 fe:00 8 /x/m.db":     {},
		"c000000000-c000400000 rw-p 00000000 00:00 0":                 {},
		"00400000-01a00000 r-xp 00000000 fe:00 7   /usr/bin/trilith2": {},
	} {
		if got := mappingOf(line, "/usr/bin/trilith"); got != want {
			t.Errorf("mappingOf(%q) = %x, want %x", line, got, want)
		}
	}
}
