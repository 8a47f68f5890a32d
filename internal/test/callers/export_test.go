package callers_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// TestOldExport imports what the program of commit c7deaa6 exported, asks it, and exports it again. The export is
// what people have who used that program, so no test may rewrite it; testdata/export/make.py says how it came to be.
// It must lose nothing: each line comes back as it was. What it has to answer is in answers.txtar.
func TestOldExport(t *testing.T) {
	t.Parallel()
	old := unpacked(t)
	path := filepath.Join("testdata", "export", "answers.txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = append(archive.Files, txtar.File{Name: "old.jsonl", Data: old})
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			d := openRig(t, store, settingsOf(t, archive), archive)
			d.takeOver(t, "file old.jsonl")
			var again bytes.Buffer
			all := trilith.Scope{Tenant: rest.LocalTenant}
			if _, err := transfer.Write(&again, d.memory.Export(t.Context(), all)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(items(t, old), items(t, again.Bytes())); diff != "" {
				t.Errorf("what was imported is exported otherwise (-old +again):\n%s", diff)
			}
			replay(t, path, store, archive)
		})
	}
}

func unpacked(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "export", "c7deaa6.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var updated = regexp.MustCompile(`"updated_at":"[^"]*"`)

// items are the lines of an export without its header, which says when it was made.
func items(t *testing.T, export []byte) []string {
	t.Helper()
	var out []string
	lines := bufio.NewScanner(bytes.NewReader(export))
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, `{"search":`) { // it goes on from the import
			line = updated.ReplaceAllString(line, "")
		}
		if n > 0 {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	if len(out) < 150 {
		t.Fatalf("an export of %d lines", len(out))
	}
	return out
}
