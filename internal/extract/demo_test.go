package extract_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/demo"
	"github.com/trilith-memory/trilith/internal/extract"
)

// TestDemo shows what the rules find in a conversation that was not written for them.
func TestDemo(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, s := range demo.Sessions() {
		turns := make([]extract.Turn, len(s.Messages))
		for i, m := range s.Messages {
			at, err := trilith.ParseTime(m.Timestamp)
			if err != nil {
				t.Fatal(err)
			}
			turns[i] = extract.Turn{Role: m.Role, Speaker: m.Speaker, Text: m.Content, At: at}
		}
		fmt.Fprintf(&b, "%s\n", s.ID)
		for _, f := range extract.Find(turns) {
			fmt.Fprintf(&b, "%4d %-16s %s %s", f.Turn, f.Rule, f.Verb, f.Node.ID())
			if f.Ends {
				b.WriteString(" (ends)")
			}
			if f.From != nil && f.Until != nil {
				fmt.Fprintf(&b, " [%s, %s)", f.From.Format(time.DateOnly), f.Until.Format(time.DateOnly))
			}
			fmt.Fprintf(&b, "\n     %s\n     > %s\n", f.Summary, turns[f.Turn].Text[f.Start:f.End])
		}
	}
	compareGolden(t, "demo.golden", b.String())
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	want, err := os.ReadFile(path)
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s rewritten (-was +is):\n%s", path, cmp.Diff(string(want), got))
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s differs (-want +got), rewrite it with -update:\n%s", path, diff)
	}
}
