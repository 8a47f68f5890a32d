package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

// A memory that is opened again goes on with the snapshot of its text index, and answers like one that rebuilds it.
// Erased words are in neither.
func TestTextIndexIsKept(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	reopen := func() (rig, *sqlite.Store) {
		file, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return open(t, engine.Config{Store: file, Log: file, Queue: file, Vectors: embedded.NewVector(file)},
			func(c *engine.Config) { c.Text = embedded.NewText(file) }), file
	}
	e, _ := reopen()
	const secret = "zanzibar" // its stem is itself
	gone := e.say(t, ana, "The key is behind the "+secret+".")
	for batch := range 3 {
		var turns []trilith.Message
		for i := range 900 {
			turns = append(turns, trilith.Message{ExternalID: fmt.Sprint(batch, "-", i),
				Content: fmt.Sprintf("garden %d gate violin %d", i, i%17)})
		}
		e.remember(t, ana, trilith.RememberRequest{Messages: turns})
	}
	want := e.answers(t, ana, 30, byExternalID)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e, file := reopen()
	if got := rowsOf(t, file); !strings.Contains(got, secret) {
		t.Fatal("nothing was kept")
	}
	if diff := cmp.Diff(want, e.answers(t, ana, 30, byExternalID)); diff != "" {
		t.Errorf("opened again it answers otherwise (-before +after):\n%s", diff)
	}
	e.say(t, ana, "A new violin.")
	if _, err := e.Erase(t.Context(), ana, trilith.EraseRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	e.work(t)
	if got := rowsOf(t, file); strings.Contains(got, secret) {
		t.Error("an erased word is left in what was kept")
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e, file = reopen()
	if got := rowsOf(t, file); got == "" || strings.Contains(got, secret) {
		t.Errorf("after the erasure %d bytes are kept, with the erased word: %v; want it kept anew, without", len(got),
			strings.Contains(got, secret))
	}
	if found := e.found(t, ana, "new violin"); len(found) == 0 || found[0] != "A new violin." {
		t.Errorf("what was said last is found as %q", found)
	}
}

// rowsOf are the bytes that are kept of the text index.
func rowsOf(t *testing.T, file *sqlite.Store) string {
	t.Helper()
	var all strings.Builder
	if err := file.Blobs(t.Context(), "text", trilith.SystemTenant, func(_ string, data []byte) error {
		all.Write(data)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all.String()
}
