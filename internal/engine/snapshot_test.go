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
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A memory that is opened again goes on with the snapshot of its text index, and answers like one that rebuilds it.
// Erased words are in neither.
func TestTextIndexIsKept(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	reopen := func() (rig.Rig, *sqlite.Store) {
		file, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return rig.Open(t, engine.Config{Store: file, Log: file, Queue: file, Vectors: embedded.NewVector(file)},
			func(c *engine.Config) { c.Text = embedded.NewText(file) }), file
	}
	e, _ := reopen()
	const secret = "zanzibar" // its stem is itself
	gone := e.Say(t, rig.Ana, "The key is behind the "+secret+".")
	for batch := range 3 {
		var turns []trilith.Message
		for i := range 900 {
			turns = append(turns, trilith.Message{ExternalID: fmt.Sprint(batch, "-", i),
				Content: fmt.Sprintf("garden %d gate violin %d", i, i%17)})
		}
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: turns})
	}
	want := answers(t, e, rig.Ana, 30, rig.ByExternalID)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e, file := reopen()
	if got := rowsOf(t, file); !strings.Contains(got, secret) {
		t.Fatal("nothing was kept")
	}
	if diff := cmp.Diff(want, answers(t, e, rig.Ana, 30, rig.ByExternalID)); diff != "" {
		t.Errorf("opened again it answers otherwise (-before +after):\n%s", diff)
	}
	e.Say(t, rig.Ana, "A new violin.")
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	e.MustWork(t)
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
	if found := e.Found(t, rig.Ana, "new violin"); len(found) == 0 || found[0] != "A new violin." {
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
