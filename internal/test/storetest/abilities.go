package storetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// abilityCase is one case for an ability that a store may have.
type abilityCase struct {
	name, why string
	has       func(b Backend) bool
	run       func(t *testing.T, f *fixture)
}

// ability makes a case from a function that takes the ability.
func ability[A any](name, why string, run func(t *testing.T, f *fixture, a A)) abilityCase {
	return abilityCase{name, why, func(b Backend) bool { _, ok := b.(A); return ok },
		func(t *testing.T, f *fixture) { run(t, f, f.Backend.(A)) }}
}

var abilityCases = slices.Concat([]abilityCase{
	ability("backup/whole", "a backup contains one state of the store and nothing erased, and reports its progress to the end", testBackupWhole),
	ability("backup/conflict", "an existing file is not changed", testBackupConflict),
	ability("check/sound", "examining a sound store finds nothing wrong and changes nothing", testExamineSound),
	ability("repair/sound", "in a sound store there is nothing to repair", testRepairSound),
	ability("pace/longer", "a store that charges for each read is examined no more often than it allows", testPace),
	ability("schema/constant", "the version of the schema stays when the store is opened again", testSchema),
	ability("readonly/writable", "a writable store gives no reason", testReadOnly),
	ability("purge/rest", "data that is not deleted stays unchanged", testPurge),
}, tallyCases, facetCases, blobCases)

// RunAbilities runs the cases of every ability of package trilith that the driver's store has besides its roles,
// except those of [RunCache] and [RunTurns].
func RunAbilities(t *testing.T, h Harness) {
	first := newFixture(t, h)
	ran := 0
	for _, c := range abilityCases {
		if !c.has(first.Backend) {
			continue
		}
		ran++
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, newFixture(t, h))
		})
	}
	if ran == 0 {
		t.Error("the store has no ability: leave out RunAbilities")
	}
}

func testBackupWhole(t *testing.T, f *fixture, b role.Backuper) {
	f.commit(t, puts(notes(1, 5)...), deletes(2))
	path := filepath.Join(t.TempDir(), "backup")
	told, whole := 0, 0
	if err := b.Backup(t.Context(), path, func(done, total int) { told, whole = done, total }); err != nil {
		t.Fatalf("Backup = %v, want nil", err)
	}
	if told == 0 || told != whole {
		t.Errorf("progress ended at %d of %d, want all", told, whole)
	}
	f.commit(t, puts(note(9, "after the backup")))
	if f.harness.OpenBackup == nil {
		t.Fatal("the harness cannot open a backup")
	}
	copied := f.harness.OpenBackup(t, path, f.clock.Now)
	ms, err := collect(copied.List(t.Context(), acme, role.Listing{}))
	if err != nil {
		t.Fatalf("List of the backup = %v, want nil", err)
	}
	wantEqual(t, "List of the backup", idsOf(ms), []trilith.ID{id(1), id(3), id(4)})
}

func testBackupConflict(t *testing.T, f *fixture, b role.Backuper) {
	path := filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "Backup over a file", b.Backup(t.Context(), path, nil), trilith.Conflict)
	if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
		t.Errorf("the file holds %q, %v; want what it held", got, err)
	}
}

func testExamineSound(t *testing.T, f *fixture, u role.Upkeep) {
	f.commit(t, puts(notes(1, 5)...), deletes(2))
	before, heads := f.list(t, acme, role.Listing{}), f.heads(t)
	for _, c := range u.Examine(t.Context(), 2, 768) {
		if !c.OK || c.Name == "" || c.Detail == "" {
			t.Errorf("Examine = %+v; want a name, what was found, and that it is well", c)
		}
	}
	wantEqual(t, "List after Examine", f.list(t, acme, role.Listing{}), before)
	wantEqual(t, "Head after Examine", f.heads(t), heads)
}

func testRepairSound(t *testing.T, f *fixture, u role.Upkeep) {
	f.commit(t, puts(assertedFully(1), assertion(2), note(3, "a note")))
	if n, err := u.Repair(t.Context()); n != 0 || err != nil {
		t.Errorf("Repair = %d, %v; want 0, nil", n, err)
	}
	wantEqual(t, "List after Repair", f.list(t, acme, role.Listing{}), idRange(1, 4))
}

func testSchema(t *testing.T, f *fixture, u role.Upkeep) {
	version, err := u.Schema(t.Context())
	if version < 1 || err != nil {
		t.Fatalf("Schema = %d, %v; want at least 1, nil", version, err)
	}
	if f.harness.Reopen == nil {
		return
	}
	f.reopen(t)
	if again, err := f.Backend.Schema(t.Context()); again != version || err != nil {
		t.Errorf("Schema after reopening = %d, %v; want %d, nil", again, err, version)
	}
}

func testPace(t *testing.T, _ *fixture, u role.Upkeep) {
	if pace := u.Pace(); pace < 0 {
		t.Errorf("Pace = %v, want none less than 0", pace)
	}
}

func testReadOnly(t *testing.T, f *fixture, u role.Upkeep) {
	if why := u.ReadOnly(); why != "" {
		t.Errorf("ReadOnly = %q, want nothing", why)
	}
	f.commit(t, puts(note(1, "it takes writes")))
}

func testPurge(t *testing.T, f *fixture, u role.Upkeep) {
	f.commit(t, puts(notes(1, 200)...))
	for n := 1; n < 150; n++ {
		f.commit(t, deletes(n))
	}
	want := f.get(t, idRange(1, 200)...)
	if err := u.Purge(t.Context()); err != nil {
		t.Fatalf("Purge = %v, want nil", err)
	}
	wantEqual(t, fmt.Sprintf("Get of %d memories after Purge", len(want)), f.get(t, idRange(1, 200)...), want)
}
