package compose

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/trilith-memory/trilith"
)

// Ledger is the file PATH.erased next to a store. It lists erasures and judgements, as ids and salted hashes, one
// line each. It is not part of a backup, so that a restored backup can be brought up to date with later erasures and
// judgements.
type Ledger string

// LedgerLine holds Erased or Judged.
type LedgerLine struct {
	Tenant string          `json:"tenant"`
	Erased *trilith.Erased `json:"erased,omitempty"`
	Judged *trilith.Judged `json:"judged,omitempty"`
}

// Append writes one line and waits until it is on the disk. It first ends a line that a crash cut off, so that the two
// do not become one.
func (l Ledger) Append(tenant string, item trilith.ExportItem) error {
	line, err := json.Marshal(LedgerLine{tenant, item.Erased, item.Judged})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path(), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	ended, err := endsLine(f)
	if err == nil {
		if !ended {
			line = append([]byte{'\n'}, line...)
		}
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// endsLine reports whether a file is empty or ends with a line feed.
func endsLine(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return true, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return last[0] == '\n', err
}

// Lines reads the ledger without judgements that were undone; one that does not exist is empty.
func (l Ledger) Lines() ([]LedgerLine, error) {
	f, err := os.Open(l.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := readLedger(f)
	if err != nil {
		return nil, trilith.Errorf(trilith.Internal, "%s: %w", l.path(), err)
	}
	undone := map[trilith.ID]bool{}
	for _, line := range lines {
		if line.Judged != nil && line.Judged.Undone {
			undone[line.Judged.ID] = true
		}
	}
	return slices.DeleteFunc(lines, func(line LedgerLine) bool { return line.Judged != nil && undone[line.Judged.ID] }), nil
}

func (l Ledger) path() string { return string(l) + ".erased" }

// readLedger reads the lines of a ledger. A line that a crash cut off is skipped: its erasure was not acknowledged. A
// line that is whole and not readable is an error, because an erasure may be lost with it.
func readLedger(r io.Reader) ([]LedgerLine, error) {
	var out []LedgerLine
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out, nil // the rest has no end
		}
		if err != nil {
			return nil, err
		}
		var v LedgerLine
		switch err := json.Unmarshal(line, &v); {
		case err == nil:
			out = append(out, v)
		case !torn(line):
			return nil, fmt.Errorf("line %d is not readable: %w", n, err)
		}
	}
}

// torn reports whether a line is the beginning of JSON and not its whole.
func torn(line []byte) bool {
	line = bytes.TrimSpace(line)
	d := json.NewDecoder(bytes.NewReader(line))
	for !json.Valid(line) {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
	return false
}
