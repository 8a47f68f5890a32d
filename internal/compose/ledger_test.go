package compose

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// A crash in the middle of a line must not cost the erasures that are recorded after it.
func TestLedgerAfterCrash(t *testing.T) {
	t.Parallel()
	l := Ledger(filepath.Join(t.TempDir(), "trilith.db"))
	erasure := func(name string) trilith.ExportItem {
		return trilith.ExportItem{
			Erased: &trilith.Erased{Receipt: trilith.EraseReceipt{ID: trilith.DeriveID(name)}, Salt: "0f",
				IDs: []trilith.ID{trilith.DeriveID(name, "memory")}}}
	}
	if err := l.Append("acme", erasure("first")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) {
		if err := os.WriteFile(l.path(), append(bytes.Clone(whole), whole[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := l.Append("acme", erasure("last")); err != nil {
			t.Fatal(err)
		}
		lines, err := l.Lines()
		if err != nil {
			t.Fatalf("with a line torn after %d bytes: %v", cut, err)
		}
		if len(lines) < 2 || lines[0].Erased.Receipt.ID != trilith.DeriveID("first") ||
			lines[len(lines)-1].Erased.Receipt.ID != trilith.DeriveID("last") {
			t.Fatalf("with a line torn after %d bytes the ledger holds %d lines, want the first and the last one",
				cut, len(lines))
		}
	}
	if err := os.WriteFile(l.path(), []byte("{\"tenant\": 7}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Lines(); err == nil {
		t.Error("a line that is whole and wrong is passed over; want an error, because an erasure may be lost")
	}
}

func FuzzLedger(f *testing.F) {
	for _, seed := range []string{"", "\n", "{}\n", "{\"tenant\":\"a\",\"erased\":{\"salt\":\"0f\",\"ids\":[\"x\"]}}\n",
		"{\"ten", "{\"ten\n{}\n", "[]\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		lines, err := readLedger(strings.NewReader(file))
		if n := strings.Count(file, "\n"); err == nil && len(lines) > n {
			t.Errorf("readLedger(%q) gives %d lines of %d", file, len(lines), n)
		}
	})
}
