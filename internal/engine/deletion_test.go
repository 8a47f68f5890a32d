package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestDeletedBytes looks where no story can: into the file of the store, the files beside it, and a backup. No word of
// an erased text is left, although it was shared, edited and used as evidence; the words of a twin, written in the
// same way, are there.
func TestDeletedBytes(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	e := rig.OnFile(t, path)
	who := trilith.Identifier{Type: "name", Value: "Ana"}
	for _, word := range []string{"Quillworth", "Bramblewick"} { // the second is the twin
		note := e.Note(t, rig.Ana, "A note about "+word+" in the green folder.")
		if _, err := e.Update(t.Context(), rig.Ana, note.ID,
			trilith.UpdateRequest{Text: new("The note about " + word + " is edited.")}); err != nil {
			t.Fatal(err)
		}
		entry := e.One(t, rig.Ana, trilith.RememberRequest{
			Entry: &trilith.Entry{Title: word, Content: "An entry.", Structured: map[string]any{"who": word}}})
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{
			Document: &trilith.Document{Name: word + ".md", Content: "# " + word + "\n\nA passage."}})
		e.One(t, rig.Ana, trilith.RememberRequest{Text: "I spoke to " + word + ".", Speaker: word, Tags: []string{word},
			ExternalID: "id-" + word,
			Metadata:   map[string]any{"about": word}})
		for _, m := range []trilith.Memory{note, entry} {
			e.MustShare(t, rig.Ana, m.ID, trilith.Scope{User: "ben"})
		}
		if res, err := e.Assimilate(
			t.Context(), rig.Ana, trilith.AssimilateRequest{Identifier: who, Content: "I live in " + word + ".",
				Timestamp: "2025-01-10"}); err != nil || len(res.Facts) != 1 {
			t.Fatalf("Assimilate = %+v, %v, want a fact", res, err)
		}
	}
	e.MustSettle(t)
	before := bytesOf(t, path)
	all := e.All(t, rig.Ana)
	var ids []trilith.ID
	for _, m := range all {
		if line := []byte(m.Text + m.Speaker); bytes.Contains(line, []byte("Quillworth")) || m.Entry != nil &&
			m.Entry.Title == "Quillworth" {
			ids = append(ids, m.ID)
		}
	}
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: ids}); err != nil {
		t.Fatal(err)
	}
	if err := e.Work(t.Context()); err != nil { // the purge
		t.Fatal(err)
	}
	e.MustSettle(t)
	copied := filepath.Join(t.TempDir(), "backup.db")
	if err := e.Parts.Store.(*sqlite.Store).Backup(t.Context(), copied, nil); err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{"the store": bytesOf(t, path), "a backup": bytesOf(t, copied)} {
		for word, want := range map[string]bool{"Quillworth": false, "Bramblewick": true} {
			if at := bytes.Index(data, []byte(word)); (at >= 0) != want {
				t.Errorf("%s holds %s: %t, want %t: %q", what, word, at >= 0, want,
					data[max(0, at-60):max(0, min(len(data), at+60))])
			}
		}
	}
	if !bytes.Contains(before, []byte("Quillworth")) {
		t.Error("the file never held what was erased: this test proves nothing")
	}
}

// bytesOf reads a file and everything beside it that has its name.
func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no file at %s: %v", path, err)
	}
	var out []byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data...)
	}
	return out
}
