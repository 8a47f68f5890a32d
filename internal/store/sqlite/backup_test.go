package sqlite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

// Not in the suite, as all of this file: a backup is a file, and other products bring their own.

func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "trilith.db"), nil)
	text := strings.Repeat("a long turn ", 200)
	for n := range 10 {
		var b role.Batch
		for i := range 100 {
			b.Memories = append(b.Memories, note(n*100+i, text))
		}
		commit(t, s, b)
	}
	backup := filepath.Join(dir, "backups", "trilith.bak")
	var pages []int
	written := 0
	err := s.Backup(t.Context(), backup, func(done, total int) {
		if done > total {
			t.Errorf("Backup reported %d of %d pages", done, total)
		}
		pages = append(pages, done)
		written++
		commit(t, s, puts(note(5000+2*written, text), note(5001+2*written, text)))
	})
	if err != nil {
		t.Fatalf("Backup = %v, want nil", err)
	}
	if len(pages) == 0 {
		t.Error("Backup reported no progress")
	}
	wantKind(t, "Backup over a file", s.Backup(t.Context(), backup, nil), trilith.Conflict)
	wantKind(t, "Restore over a store", sqlite.Restore(t.Context(), backup, filepath.Join(dir, "trilith.db")),
		trilith.Conflict)

	restored := filepath.Join(dir, "restored.db")
	if err := sqlite.Restore(t.Context(), backup, restored); err != nil {
		t.Fatalf("Restore = %v, want nil", err)
	}
	r := open(t, restored, nil)
	want := all(t, s)[:1000] // what was there when the backup began
	if diff := cmp.Diff(want, all(t, r)); diff != "" {
		t.Errorf("restored memories differ (-want +got):\n%s", diff)
	}
	head, err := r.Head(t.Context(), root, 0)
	if err != nil {
		t.Fatalf("Head = %v, want nil", err)
	}
	c, err := r.Commit(t.Context(), acme, puts(note(9000, "x")))
	if err != nil || c.Cursor <= head {
		t.Errorf("Commit after Restore = %q, %v; want a cursor after %q", c.Cursor, err, head)
	}
	left, err := filepath.Glob(filepath.Join(dir, "backups", "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, "backups", ".*"))
	if err != nil || len(left) != 1 || len(hidden) != 0 {
		t.Errorf("beside the backup lie %v %v", left, hidden)
	}
}

func TestBackupCanceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "trilith.db"), nil)
	for n := range 3 {
		var b role.Batch
		for i := range 1000 {
			b.Memories = append(b.Memories, note(n*1000+i, strings.Repeat("x", 4000)))
		}
		commit(t, s, b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Backup(ctx, filepath.Join(dir, "b", "bak"), func(int, int) { cancel() })
	if err != context.Canceled {
		t.Errorf("Backup canceled on its way = %v, want %v", err, context.Canceled)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "b")); len(left) != 0 {
		t.Errorf("a canceled backup left %v", left)
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "trilith.db"), nil)
	for n := range 300 {
		commit(t, s, puts(note(n, strings.Repeat("text ", 100))))
	}
	sound := filepath.Join(dir, "sound")
	if err := s.Backup(t.Context(), sound, nil); err != nil {
		t.Fatalf("Backup = %v, want nil", err)
	}
	b, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := bytes.Clone(b)
	for i := len(b) / 2; i < len(b)/2+8192; i++ {
		damaged[i] ^= 0xff
	}
	for _, c := range []struct {
		name, from string
		kind       trilith.ErrorKind
	}{
		{"no file", filepath.Join(dir, "absent"), trilith.NotFound},
		{"a directory", dir, trilith.Invalid},
		{"a file of another sort", write("diary", bytes.Repeat([]byte("diary\n"), 1000)), trilith.Invalid},
		{"damaged pages", write("damaged", damaged), trilith.Internal},
		{"half of it", write("half", b[:len(b)/2]), trilith.Internal},
	} {
		to := filepath.Join(dir, "to")
		wantKind(t, "Restore of "+c.name, sqlite.Restore(t.Context(), c.from, to), c.kind)
		if _, err := os.Stat(to); err == nil {
			t.Errorf("Restore of %s left a store", c.name)
		}
	}
	if err := sqlite.Restore(t.Context(), sound, filepath.Join(dir, "to")); err != nil {
		t.Errorf("Restore of a sound backup = %v, want nil", err)
	}
}

func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	s := open(t, path, nil)
	commit(t, s, role.Batch{Memories: []trilith.Memory{note(1, "x")},
		Audit: []trilith.AuditEntry{{At: at, Action: "a"}, {At: at, Action: "b"}}})
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check of a sound store = %v, want nil", err)
	}
	alter(t, path, "DELETE FROM audit WHERE seq = 1")
	wantKind(t, "Check of a store whose audit log lost an entry", s.Check(t.Context()), trilith.Internal)
}

func TestPurge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	s := open(t, path, nil)
	const secret = "the-secret-of-acme"
	holds := func() bool {
		for _, suffix := range []string{"", "-wal"} {
			if b, err := os.ReadFile(path + suffix); err == nil && bytes.Contains(b, []byte(secret)) {
				return true
			}
		}
		return false
	}
	body := func(text string, n int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf("%q", text+strings.Repeat("x", n*37%700)))
	}
	var del role.Batch
	for round := range 40 { // rows of many sizes at places all over the tree, so that its pages are split and merged
		b := role.Batch{}
		for n := range 50 {
			memory, record := note(round*100+n, "kept"),
				role.Record{Kind: "r", ID: trilith.DeriveID("r", fmt.Sprint(round, n)), Body: body("kept", n)}
			if n%3 > 0 {
				memory.Text, record.Body = secret, body(secret, n)
				del.Delete = append(del.Delete, role.Ref{ID: memory.ID}, role.Ref{Kind: "r", ID: record.ID})
			}
			b.Memories, b.Records = append(b.Memories, memory), append(b.Records, record)
		}
		commit(t, s, b)
	}
	commit(t, s, del)
	if !holds() {
		t.Fatal("the log holds nothing of what was deleted: the test proves nothing")
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatalf("Purge = %v, want nil", err)
	}
	if holds() {
		t.Error("after Purge the file or its log still holds a deleted text")
	}
	if got := len(all(t, s)); got != 40*17 {
		t.Errorf("Purge left %d memories, want %d", got, 40*17)
	}
	commit(t, s, puts(note(1, "goes on")))
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check after Purge = %v, want nil", err)
	}
}
