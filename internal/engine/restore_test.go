package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestErasedStaysErased: an export from before the erasure is the oldest way of bringing something back.
func TestErasedStaysErased(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.One(t, rig.Ana, trilith.RememberRequest{Text: "This was erased on request.", Timestamp: "2025-01-01"})
	old := rig.ParseExport(t, e.Exported(t, rig.Acme))
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	tombstones := rig.ParseExport(t, e.Exported(t, rig.Acme))
	gone := func(e rig.Rig, how string) {
		t.Helper()
		if left := e.All(t, rig.Acme); len(left) != 0 {
			t.Errorf("%s brings back %+v", how, gistOf(left))
		}
		for _, at := range []string{"2025-01-01", "2026-01-01", ""} {
			if res := e.MustRemember(t, rig.Ana,
				trilith.RememberRequest{Text: "This was erased on request.", Timestamp: at}); len(res.Memories) != 0 {
				t.Errorf("%s, then remembering it (at %q) brings it back", how, at)
			}
		}
	}
	e.MustRestore(t, rig.Acme, old)
	gone(e, "restoring an old export")

	copied := rig.InMemory(t)
	copied.MustRestore(t, rig.Acme, tombstones)
	copied.MustRestore(t, rig.Acme, old)
	gone(copied, "restoring the tombstones, then an old export,")

	late := rig.InMemory(t)
	late.MustRestore(t, rig.Acme, old)
	if len(late.All(t, rig.Acme)) != 1 {
		t.Fatal("the old export was not restored")
	}
	late.MustRestore(t, rig.Acme, tombstones)
	gone(late, "restoring an old export, then the tombstones,")

	edited := old[len(old)-1]
	other := *edited.Memory
	other.ID = trilith.DeriveID("another id")
	fresh := rig.InMemory(t)
	fresh.MustRestore(t, rig.Acme, tombstones)
	fresh.MustRestore(t, rig.Acme, []trilith.ExportItem{{Memory: &other}})
	gone(fresh, "an export with another id")
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	e := rig.Furnished(t, rig.InMemory(t))
	before := e.Exported(t, rig.Acme)
	good := e.Note(t, trilith.Scope{Tenant: "globex", User: "x"}, "A good memory.")
	good.ID = trilith.DeriveID("good")
	memory := func(change func(*trilith.Memory)) trilith.ExportItem {
		m := good
		change(&m)
		return trilith.ExportItem{Memory: &m}
	}
	for _, c := range []struct {
		why   string
		item  trilith.ExportItem
		kind  trilith.ErrorKind
		names string
	}{
		{"a line of nothing is a broken file", trilith.ExportItem{}, trilith.Invalid, "item 1"},
		{"a file of a later program", trilith.ExportItem{Header: &trilith.ExportHeader{Format: 2}},
			trilith.Unsupported, "item 1"},
		{"a source without an id", trilith.ExportItem{Source: &trilith.Source{}}, trilith.Invalid, "item 1: source.id"},
		{"an id that is none", memory(func(m *trilith.Memory) { m.ID = "x" }), trilith.Invalid, "item 1: memory.id"},
		{"a kind that nobody knows", memory(func(m *trilith.Memory) { m.Kind = "dream" }), trilith.Invalid,
			"item 1: memory.kind"},
		{"a state that nobody knows", memory(func(m *trilith.Memory) { m.State = "lost" }), trilith.Invalid,
			"item 1: memory.state"},
		{"a text over the limit", memory(func(m *trilith.Memory) { m.Text = strings.Repeat("x", trilith.MaxTextBytes+1) }),
			trilith.Invalid, "item 1: memory.text"},
		{"a version before the first", memory(func(m *trilith.Memory) { m.Version = 0 }), trilith.Invalid,
			"item 1: memory.version"},
		{"a number before the first", memory(func(m *trilith.Memory) { m.Seq = -1 }), trilith.Invalid,
			"item 1: memory.seq"},
		{"no time", memory(func(m *trilith.Memory) { m.EventTime = time.Time{} }), trilith.Invalid,
			"item 1: memory.event_time"},
		{"a scope over the limit", memory(func(m *trilith.Memory) { m.Scope.User = strings.Repeat("u", 256) }),
			trilith.Invalid, "item 1: memory.user"},
	} {
		stored, skipped, err := e.Restore(t.Context(), rig.Acme, []trilith.ExportItem{memory(func(*trilith.Memory) {}),
			c.item})
		rig.WantError(t, c.why+": Restore", err, c.kind, c.names)
		if stored != 0 || skipped != 0 {
			t.Errorf("%s: Restore = %d, %d beside the error", c.why, stored, skipped)
		}
	}
	_, _, err := e.Restore(t.Context(), rig.Acme, make([]trilith.ExportItem, role.MaxBatch+1))
	rig.WantError(t, "Restore(too many)", err, trilith.Exhausted, fmt.Sprint(role.MaxBatch))
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a refused import stored something (-before +after):\n%s", diff)
	}
}

// TestRestoreGoesIntoTheCallersTenant: a file cannot write into another tenant than the credential's.
func TestRestoreGoesIntoTheCallersTenant(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.Note(t, rig.Ana, "A note of one tenant.")
	m.ID, m.SourceID = trilith.DeriveID("moved"), ""
	e.MustRestore(t, trilith.Scope{Tenant: "globex"}, []trilith.ExportItem{{Memory: &m}})
	if got := e.All(t, trilith.Scope{Tenant: "globex", User: "ana"}); len(got) != 1 || len(e.All(t, rig.Acme)) != 1 {
		t.Errorf("globex holds %+v and acme %d memories, want one each", gistOf(got), len(e.All(t, rig.Acme)))
	}
}

// TestRestoreOfAnErasedSource: an old export must not bring back the source of an erased memory with its plain hash.
func TestRestoreOfAnErasedSource(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Note(t, rig.Ana, "This stays and is long enough.")
	m := e.Note(t, rig.Ana, "This will be erased and is long enough.")
	old := e.Exported(t, rig.Acme)
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	want := e.Exported(t, rig.Acme)
	stored, skipped := e.MustRestore(t, rig.Acme, rig.ParseExport(t, old))
	if diff := cmp.Diff(want, e.Exported(t, rig.Acme)); diff != "" || stored != 0 {
		t.Errorf("restoring an export from before the erasure stored %d and skipped %d; the store changed (-before +after):\n%s", stored, skipped, diff)
	}
}

// TestRestoreIsWhole: a malformed item refuses the whole call, also when tombstones come before it.
func TestRestoreIsWhole(t *testing.T) {
	t.Parallel()
	from, to := rig.InMemory(t), rig.InMemory(t)
	m := from.Note(t, rig.Ana, "Known to both of the engines.")
	to.MustRestore(t, rig.Acme, from.Items(t, rig.Acme))
	if _, err := from.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	before := to.Exported(t, rig.Acme)
	items := append(from.Items(t, rig.Acme), trilith.ExportItem{})
	_, _, err := to.Restore(t.Context(), rig.Acme, items)
	rig.WantError(t, "Restore(…, an empty item)", err, trilith.Invalid, "item 2")
	if diff := cmp.Diff(before, to.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("the call was refused and yet erased (-before +after):\n%s", diff)
	}
	bad := items[1]
	bad.Erased.Salt = "not hex"
	_, _, err = to.Restore(t.Context(), rig.Acme, []trilith.ExportItem{bad})
	rig.WantError(t, "Restore(tombstones with a broken salt)", err, trilith.Invalid, "item 0")
}

// TestRestoreChecksMemories: a line that no export of ours contains is refused before it makes something else fail.
func TestRestoreChecksMemories(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	good := e.Note(t, rig.Ana, "A good memory.")
	good.ID, good.SourceID = trilith.DeriveID("restored"), ""
	before := e.Exported(t, rig.Acme)
	for why, change := range map[string]func(*trilith.Memory){
		"an entry without its parts makes the next update panic": func(m *trilith.Memory) { m.Kind = trilith.KindEntry },
		"a NUL is what other stores cannot hold":                 func(m *trilith.Memory) { m.Text = "a\x00b" },
		"broken text changes on its way":                         func(m *trilith.Memory) { m.Text = "a\xff" },
		"an unknown role is in no arm":                           func(m *trilith.Memory) { m.Role = "robot" },
		"an unknown trust is what the gate never gave":           func(m *trilith.Memory) { m.Trust = "absolute" },
		"an id that is none is never found":                      func(m *trilith.Memory) { m.SupersededBy = "nobody" },
	} {
		m := good
		change(&m)
		_, _, err := e.Restore(t.Context(), rig.Acme, []trilith.ExportItem{{Memory: &m}})
		rig.WantError(t, why+": Restore", err, trilith.Invalid, "item 0")
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a refused memory is stored (-before +after):\n%s", diff)
	}
}

// TestRestoreMeetsAnExternalID: a memory whose external id belongs to another one here must not fail the import as if
// the store were busy: every import of one tenant's export into another that had the same chat would.
func TestRestoreMeetsAnExternalID(t *testing.T) {
	t.Parallel()
	from, to := rig.InMemory(t), rig.InMemory(t)
	req := trilith.RememberRequest{Text: "The first line of the chat.", ExternalID: "chat/1"}
	globex := trilith.Scope{Tenant: "globex", User: "ana"}
	from.MustRemember(t, rig.Ana, req)
	to.MustRemember(t, globex, req)
	stored, skipped, err := to.Restore(t.Context(), globex, rig.ParseExport(t, from.Exported(t, rig.Acme)))
	if trilith.Is(err, trilith.Unavailable) {
		t.Errorf("Restore = %d, %d, %v; want the duplicate skipped, or a Conflict that names the item",
			stored, skipped, err)
	}
}

// TestRestoreIntoItself: a text that is stored again under a request key after an erasure stays, and survives its own
// export.
func TestRestoreIntoItself(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	req := trilith.RememberRequest{Text: "Yes.", RequestKey: "k"}
	first := e.One(t, rig.Ana, req)
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{first.ID}}); err != nil {
		t.Fatal(err)
	}
	again := e.MustRemember(t, rig.Ana, req)
	if len(again.Memories) != 1 {
		return // staying erased is an answer too
	}
	before := e.Exported(t, rig.Acme)
	e.MustRestore(t, rig.Acme, rig.ParseExport(t, before))
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("restoring an export into the engine that it comes from erases a living memory (-before +after):\n%s",
			diff)
	}
}

// TestRestoreOfSharedKeys: a file in which two sources claim one request key is wrong or half a duplicate; it is not a
// store that is busy.
func TestRestoreOfSharedKeys(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	src := trilith.Source{ID: trilith.DeriveID("one"), Kind: "note", Scope: trilith.Scope{User: "ana"},
		RecordedAt: time.Unix(0, 0).UTC(), RequestKey: "k"}
	other := src
	other.ID = trilith.DeriveID("two")
	stored, skipped, err := e.Restore(t.Context(), rig.Acme, []trilith.ExportItem{{Source: &src}, {Source: &other}})
	if trilith.Is(err, trilith.Unavailable) {
		t.Errorf("Restore(two sources, one request key) = %d, %d, %v; want one skipped, or the item named",
			stored, skipped, err)
	}
}
