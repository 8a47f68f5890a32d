package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// releaseProgram removes the pages of the program's own file from this process. They stay in the cache of the system,
// from which they come back when they are used. Only mappings without a changed page are released: text and constants.
func releaseProgram() error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer f.Close()
	var m mapping
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch name, value, _ := strings.Cut(lines.Text(), ":"); {
		case strings.Contains(name, " "): // the first line about a mapping
			m = mappingOf(lines.Text(), path)
		case name == "Anonymous" && strings.TrimSpace(value) == "0 kB":
			if err := m.release(); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// A mapping is a range of addresses. That of something else than the unwritable parts of the program is empty.
type mapping struct{ start, end uintptr }

// mappingOf reads the first of the lines about a mapping.
func mappingOf(line, program string) (m mapping) {
	fields := strings.Fields(line)
	if len(fields) < 6 || strings.Contains(fields[1], "w") || strings.Join(fields[5:], " ") != program {
		return mapping{}
	}
	if _, err := fmt.Sscanf(fields[0], "%x-%x", &m.start, &m.end); err != nil {
		return mapping{}
	}
	return m
}

func (m mapping) release() error {
	if m.start == m.end {
		return nil
	}
	if _, _, code := syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, syscall.MADV_DONTNEED); code != 0 {
		return fmt.Errorf("madvise: %w", code)
	}
	return nil
}
