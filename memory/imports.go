package memory

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
)

// ImportFiles takes files of other programs and returns when all of them are stored, or with DryRun, what would become
// of them. Importing twice changes nothing, so a broken import is simply repeated.
func (m *Memory) ImportFiles(ctx context.Context, s trilith.Scope, r trilith.FilesImport) (trilith.ImportRun, error) {
	if r.Files == nil {
		r.Files = func(func(trilith.ImportFile, error) bool) {}
	}
	return m.imports.Run(ctx, m.in(s), r)
}

// ImportRun says how an import of files stands.
func (m *Memory) ImportRun(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ImportRun, error) {
	return m.imports.Get(ctx, m.in(s), id)
}

// ImportRuns lists the last hundred imports of files, the latest first.
func (m *Memory) ImportRuns(ctx context.Context, s trilith.Scope) (trilith.ImportRuns, error) {
	return m.imports.List(ctx, m.in(s))
}

// UndoImport forgets what an import of files has stored; with dry it only counts that.
func (m *Memory) UndoImport(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (trilith.ImportRun, error) {
	return m.imports.Undo(ctx, m.in(s), id, dry)
}

// Events yields what happens in a scope from now on, or after the cursor of an event before, until ctx ends or the
// caller stops. The first error ends it.
func (m *Memory) Events(ctx context.Context, s trilith.Scope, after string) iter.Seq2[trilith.Event, error] {
	return m.engine.Events(ctx, m.in(s), after)
}
