package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

var acme = trilith.Scope{Tenant: "acme", Actor: "tester"}

// memory is an engine whose clock stands still, so that equal stores give equal exports.
func memory(t testing.TB) *engine.Engine {
	t.Helper()
	store := inmem.New(time.Now)
	e, err := engine.Open(t.Context(),
		engine.Config{Store: store, Log: store, Queue: store, Text: embedded.NewText(nil), Graph: walk.OverStore(store),
			Policy: gate.Policy{Store: map[trilith.Role]bool{trilith.RoleUser: true, trilith.RoleAssistant: true,
				trilith.RoleSystem: true, trilith.RoleTool: true}},
			Now:     func() time.Time { return changed.AddDate(1, 0, 0) },
			Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func exported(t testing.TB, e *engine.Engine) string {
	t.Helper()
	var b strings.Builder
	if _, err := transfer.Write(&b, e.Export(t.Context(), acme)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// imported imports a file or folder with everything in it that is usually left out.
func imported(ctx context.Context, t testing.TB, target transfer.Target, path string, workers int) (
	transfer.Report, error) {
	t.Helper()
	r, err := transfer.Open(path, "", transfer.Extras()...)
	if err != nil {
		t.Fatal(err)
	}
	return transfer.Run(ctx, target, r.Items(), transfer.Options{Scope: acme, Workers: workers})
}

// sources are a file or folder of every format.
func sources(t testing.TB, root string) map[string]string {
	t.Helper()
	export := filepath.Join(root, "own.jsonl")
	e := memory(t)
	if _, err := imported(t.Context(), t, e, filepath.Join(root, "claude.json"), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Assimilate(
		t.Context(), acme, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "name", Value: "Odile"},
			Content: "I live in Oakvale.", ExternalID: "said"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(export, []byte(exported(t, e)), 0o644); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		transfer.Trilith: "own.jsonl", transfer.ChatGPT: "chatgpt.json", transfer.Claude: "claude.json",
		transfer.ClaudeCode: "claude-code",
		transfer.Mem0:       "mem0.json", transfer.MCPMemory: "mcp-memory.jsonl", transfer.MemoryChunks: "chunks.db",
		transfer.Text:     "notes/trips",
		transfer.Markdown: "notes/garden.md", transfer.PDF: "orchard.pdf",
		transfer.Captions: "meeting.vtt", transfer.Media: "receipt.png",
		"all of them": ".",
	}
	for _, format := range transfer.Formats() {
		if all[format] == "" {
			t.Errorf("no sample of the format %s", format)
		}
	}
	for format, path := range all {
		all[format] = filepath.Join(root, path)
	}
	all["an archive"] = zipped(t, filepath.Join(root, "claude-code"))
	return all
}

// dying is a target that ends at a request, before or after it is stored: what a program that is killed leaves behind.
type dying struct {
	*engine.Engine
	after bool
	left  atomic.Int64
}

var errKilled = trilith.Errorf(trilith.Unavailable, "killed")

func (d *dying) do(f func() error) error {
	switch n := d.left.Add(-1); {
	case n < 0, n == 0 && !d.after:
		return errKilled
	case n == 0:
		return errors.Join(errKilled, f())
	}
	return f()
}

func (d *dying) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (
	res trilith.RememberResult, err error) {
	err = d.do(func() error { res, err = d.Engine.Remember(ctx, s, r); return err })
	return res, err
}

func (d *dying) Restore(ctx context.Context, s trilith.Scope, items []trilith.ExportItem) (stored, skipped int, err error) {
	err = d.do(func() error { stored, skipped, err = d.Engine.Restore(ctx, s, items); return err })
	return stored, skipped, err
}

// Importing twice is importing once, to the byte, and the second time stores nothing.
func TestImportTwice(t *testing.T) {
	t.Parallel()
	for format, path := range sources(t, samples(t)) {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			e := memory(t)
			first, err := imported(t.Context(), t, e, path, 0)
			if err != nil || first.Stored == 0 {
				t.Fatalf("first import = %+v, %v, want something stored", first, err)
			}
			once := exported(t, e)
			second, err := imported(t.Context(), t, e, path, 0)
			if err != nil || second.Stored != 0 || second.Duplicates != first.Stored+first.Duplicates {
				t.Errorf("second import stored %d and found %d there already, %v, want 0 and %d", second.Stored,
					second.Duplicates, err, first.Stored+first.Duplicates)
			}
			if diff := cmp.Diff(once, exported(t, e)); diff != "" {
				t.Errorf("the export after the second import differs (-once +twice):\n%s", diff)
			}
		})
	}
}

// An import that is killed anywhere and started again leaves what one that ran through does.
func TestImportGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	for format, path := range sources(t, samples(t)) {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			whole := memory(t)
			if _, err := imported(t.Context(), t, whole, path, 0); err != nil {
				t.Fatal(err)
			}
			want := exported(t, whole)
			for at, ended := 1, false; !ended; at += 1 + at/3 {
				for _, after := range []bool{false, true} {
					for _, workers := range []int{1, 4} {
						if format == "all of them" && after != (workers == 4) {
							continue // it takes long
						}
						d := &dying{Engine: memory(t), after: after}
						d.left.Store(int64(at))
						_, err := imported(t.Context(), t, d, path, workers)
						if ended = err == nil; err != nil && !errors.Is(err, errKilled) {
							t.Fatal(err)
						}
						if _, err := imported(t.Context(), t, d.Engine, path, workers); err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(want, exported(t, d.Engine)); diff != "" {
							t.Fatalf("killed at request %d (stored: %v, %d workers) and started again, the export differs (-whole +resumed):\n%s", at, after, workers, diff)
						}
					}
				}
			}
		})
	}
}

// A dry run counts what a run would store, and stores nothing.
func TestDryRunStoresNothing(t *testing.T) {
	t.Parallel()
	for format, path := range sources(t, samples(t)) {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			e := memory(t)
			empty := exported(t, e)
			r, err := transfer.Open(path, "", transfer.Extras()...)
			if err != nil {
				t.Fatal(err)
			}
			dry, err := transfer.Run(t.Context(), e, r.Items(), transfer.Options{Scope: acme, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(empty, exported(t, e)); diff != "" {
				t.Errorf("the dry run stored something:\n%s", diff)
			}
			wet, err := imported(t.Context(), t, e, path, 0)
			if err != nil {
				t.Fatal(err)
			}
			if format == "all of them" { // files of several formats hold some things twice
				dry.Stored, dry.Duplicates = wet.Stored, wet.Duplicates
			}
			dry.Seconds, wet.Seconds, dry.Sources, wet.Sources = 0, 0, 0, 0
			if diff := cmp.Diff(dry, wet); diff != "" {
				t.Errorf("a run differs from what the dry run said (-dry +run):\n%s", diff)
			}
		})
	}
}

// One message that cannot be stored costs no other, and is named.
func TestWrongMessageCostsNoOther(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, `{"type":"user","sessionId":"s","uuid":"m%d","timestamp":"2025-01-01T00:00:00Z",`+
			`"message":{"role":"user","content":"Turn %d."}}`+"\n", i, i)
	}
	items, err := transfer.Read("talk.jsonl", transfer.ClaudeCode, strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	spoiled := func(yield func(transfer.Item, error) bool) {
		for item, err := range items {
			item.Request.Messages[13].Speaker = strings.Repeat("x", trilith.MaxNameBytes+1)
			if !yield(item, err) {
				return
			}
		}
	}
	e := memory(t)
	report, err := transfer.Run(t.Context(), e, spoiled, transfer.Options{Scope: acme})
	if err != nil || report.Stored != 19 || report.BadLineCount != 1 ||
		!strings.Contains(report.BadLines[0].Error(), `"m13": speaker`) {
		t.Errorf("Run = %+v, %v, want 19 stored and m13 named", report, err)
	}
}

// A document of more passages than one write holds is stored in parts; the passages of a PDF keep their pages.
func TestLongDocumentIsParted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "book.txt")
	var book strings.Builder
	const pages = 1500
	for i := range pages {
		fmt.Fprintf(&book, "%sThis is page %d.", strings.Repeat("\f", min(i, 1)), i+1)
		book.WriteString(strings.Repeat(" It goes on.", 20))
	}
	if err := os.WriteFile(path, []byte(book.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	e := memory(t)
	report, err := imported(t.Context(), t, e, path, 0)
	if err != nil || report.Stored != pages || report.BadLineCount != 0 {
		t.Fatalf("import = %+v, %v, want %d passages", report, err, pages)
	}
	found := 0
	for item, err := range e.Export(t.Context(), acme) {
		if err != nil {
			t.Fatal(err)
		}
		if m := item.Memory; m != nil {
			found++
			if want := fmt.Sprintf("This is page %v.", m.Metadata["page"]); !strings.HasPrefix(m.Text, want) {
				t.Fatalf("passage %.40q, want it to begin with %q", m.Text, want)
			}
		}
	}
	if found != pages {
		t.Errorf("%d passages are stored, want %d", found, pages)
	}
	once := exported(t, e)
	if again, err := imported(t.Context(), t, e, path, 0); err != nil || again.Stored != 0 || exported(t, e) != once {
		t.Errorf("the second import stored %d, %v, the export is the same: %v", again.Stored, err,
			exported(t, e) == once)
	}
}

// Imported turns yield facts if the import asks for them.
func TestImportExtracts(t *testing.T) {
	t.Parallel()
	items, err := transfer.Read("talk.jsonl", transfer.ClaudeCode,
		strings.NewReader(`{"type":"user","sessionId":"s","uuid":"m","timestamp":"2025-01-01T00:00:00Z","message":{"role":"user","content":"I live in Oakvale."}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := memory(t)
	scope := acme
	scope.User = "odile"
	if _, err := transfer.Run(
		t.Context(), e, items, transfer.Options{Scope: scope, Extract: trilith.ExtractRules}); err != nil {
		t.Fatal(err)
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := exported(t, e); !strings.Contains(got, `"kind":"fact"`) {
		t.Errorf("no fact follows from the import:\n%s", got)
	}
}
