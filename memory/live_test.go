package memory

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// files are what a program imports.
func files(all ...[2]string) func(func(trilith.ImportFile, error) bool) {
	return func(yield func(trilith.ImportFile, error) bool) {
		for _, f := range all {
			at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
			if !yield(trilith.ImportFile{Name: f[0], Modified: at, Content: strings.NewReader(f[1])}, nil) {
				return
			}
		}
	}
}

// TestLive: on every store, an import reports its progress, its memories are found and are in the prompt's context,
// and it can be undone.
func TestLive(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(*testing.T) string{
		"mem":      func(*testing.T) string { return "mem:" },
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "a.db") },
		"postgres": func(t *testing.T) string { return pgtest.Database(t, "vector") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := Open(t.Context(), Options{Store: store(t)})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			live(t, m)
		})
	}
}

func live(t *testing.T, m *Memory) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ana, ben := trilith.Scope{User: "ana"}, trilith.Scope{User: "ben"}
	var after string
	for e, err := range m.Events(ctx, ana, "") {
		if err != nil || e.Kind != trilith.EventOpen {
			t.Fatalf("the first event is %+v, %v", e, err)
		}
		after = e.Cursor
		break
	}
	if _, err := m.Remember(ctx, ben, trilith.RememberRequest{Text: "The slate is grey."}); err != nil {
		t.Fatal(err)
	}
	request := trilith.FilesImport{Files: files([2]string{"slate.md", "# Slate\n\nThe slate is green."}), DryRun: true}
	dry, err := m.ImportFiles(ctx, ana, request)
	if err != nil || dry.Stored != 1 || dry.State != trilith.ImportDry {
		t.Fatalf("a dry run = %+v, %v", dry, err)
	}
	request.DryRun = false
	done, err := m.ImportFiles(ctx, ana, request)
	if err != nil || done.Stored != 1 || done.State != trilith.ImportDone || done.ID != dry.ID {
		t.Fatalf("an import = %+v, %v", done, err)
	}
	var told []trilith.ID
	for e, err := range m.Events(ctx, ana, after) {
		if err != nil {
			t.Fatal(err)
		}
		if told = append(told, e.IDs...); len(told) > 0 {
			break
		}
	}
	block, err := m.Context(ctx, ana, trilith.ContextRequest{Parts: true,
		RecallRequest: trilith.RecallRequest{Query: "What colour is the slate?"}})
	if err != nil || !slices.ContainsFunc(block.Parts, func(p trilith.ContextPart) bool {
		return p.Why == trilith.PartHit && slices.Contains(told, p.ID) &&
			strings.Contains(block.Text[p.Start:p.End], "green")
	}) {
		t.Errorf("the parts are %+v of %q, %v; want one of %v", block.Parts, block.Text, err, told)
	}
	if strings.Contains(block.Text, "grey") || len(told) != 1 {
		t.Errorf("Ana hears of %v and shown %q", told, block.Text)
	}
	if _, err := m.ListJobs(ctx, trilith.Scope{}, trilith.JobQuery{Counts: true}); err != nil {
		t.Error(err)
	}
	if _, err := m.UndoImport(ctx, ben, done.ID, false); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("Ben undoes an import of Ana: %v", err)
	}
	gone, err := m.UndoImport(ctx, ana, done.ID, false)
	if err != nil || gone.Forgotten != 1 || gone.State != trilith.ImportUndone {
		t.Errorf("an undo = %+v, %v", gone, err)
	}
	runs, err := m.ImportRuns(ctx, trilith.Scope{})
	if err != nil || len(runs.Items) != 1 || runs.Items[0].State != trilith.ImportUndone {
		t.Errorf("imports = %+v, %v", runs, err)
	}
	if left, err := m.Recall(ctx, ana, trilith.RecallRequest{Query: "slate"}); err != nil || len(left.Hits) > 0 {
		t.Errorf("after the undo %+v is found, %v", left.Hits, err)
	}
}
