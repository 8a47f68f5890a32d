package storetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

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
	ability("check/sound", "checking an undamaged store returns no error and changes nothing", testCheckSound),
	ability("sums/sound", "the rows of an undamaged store match their checksums, and none is dropped",
		testSumsSound),
	ability("pages/advice", "a server without checksums is reported with the fix", testPageChecksums),
	ability("space/used", "the size of the store is reported; if the system does not report free space, the error is Unsupported", testSpace),
	ability("indexes/there", "if all indexes exist, none is reported missing, and the check changes nothing", testIndexes),
	ability("pace/longer", "a store that charges for each read is examined no more often than it allows", testPace),
	ability("schema/constant", "the schema has a version, and opening the store again does not change it", testSchema),
	ability("readonly/writable", "a writable store gives no reason", testReadOnly),
	ability("advice/both", "a missing extension is reported with the command to run; if none is missing, both are empty", testAdvice),
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

func testCheckSound(t *testing.T, f *fixture, c role.Checker) {
	f.commit(t, puts(notes(1, 5)...), deletes(2))
	before := f.list(t, acme, role.Listing{})
	if err := c.Check(t.Context()); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	wantEqual(t, "List after Check", f.list(t, acme, role.Listing{}), before)
}

func testSumsSound(t *testing.T, f *fixture, c role.RowChecksums) {
	f.commit(t, puts(assertedFully(1), assertion(2), note(3, "a note")))
	sums, err := c.Sums(t.Context())
	if err != nil || sums.Rows < 3 || len(sums.Damaged) > 0 || len(sums.Named) > 0 || sums.Derived > 0 ||
		sums.Copies > 0 {
		t.Errorf("Sums = %+v, %v; want at least three rows and no damage", sums, err)
	}
	if n, err := c.DropDamaged(t.Context()); n != 0 || err != nil {
		t.Errorf("DropDamaged = %d, %v; want 0, nil", n, err)
	}
	wantEqual(t, "List after DropDamaged", f.list(t, acme, role.Listing{}), idRange(1, 4))
}

func testPageChecksums(t *testing.T, _ *fixture, c role.PageChecksums) {
	on, fix, err := c.Checksums(t.Context())
	if err != nil || on != (fix == "") {
		t.Errorf("Checksums = %t, %q, %v; want advice if and only if there are none", on, fix, err)
	}
}

func testSpace(t *testing.T, f *fixture, c role.SpaceReporter) {
	f.commit(t, puts(notes(1, 5)...))
	used, free, err := c.Space()
	if used <= 0 {
		t.Errorf("Space = %d bytes used, want some", used)
	}
	if err != nil {
		wantKind(t, "Space", err, trilith.Unsupported)
	} else if free < 0 {
		t.Errorf("Space = %d bytes free, want none less than 0", free)
	}
}

func testSchema(t *testing.T, f *fixture, c role.SchemaReporter) {
	version, err := c.Schema(t.Context())
	if version < 1 || err != nil {
		t.Fatalf("Schema = %d, %v; want at least 1, nil", version, err)
	}
	if f.harness.Reopen == nil {
		return
	}
	f.reopen(t)
	if again, err := f.Backend.(role.SchemaReporter).Schema(t.Context()); again != version || err != nil {
		t.Errorf("Schema after reopening = %d, %v; want %d, nil", again, err, version)
	}
}

func testIndexes(t *testing.T, f *fixture, x role.IndexRequirer) {
	f.commit(t, puts(notes(1, 5)...))
	before := f.heads(t)
	if missing, err := x.MissingIndexes(t.Context(), 2, 768); err != nil || len(missing) > 0 {
		t.Errorf("MissingIndexes = %q, %v; want none", missing, err)
	}
	wantEqual(t, "Head after looking for indexes", f.heads(t), before)
}

func testPace(t *testing.T, f *fixture, p role.Paced) {
	pace := p.Pace()
	if pace <= 0 {
		t.Errorf("Pace = %v, want some time", pace)
	}
	for usual, want := range map[time.Duration]time.Duration{0: pace, 2 * pace: 2 * pace} {
		if got := role.PaceOf(f.Backend, usual); got != want {
			t.Errorf("PaceOf(%v) = %v, want %v", usual, got, want)
		}
	}
}

func testReadOnly(t *testing.T, f *fixture, c role.ReadOnlyReporter) {
	if why := c.ReadOnly(); why != "" {
		t.Errorf("ReadOnly = %q, want nothing", why)
	}
	f.commit(t, puts(note(1, "it takes writes")))
}

func testAdvice(t *testing.T, _ *fixture, c role.Adviser) {
	if lack, run := c.Advice(); (lack == "") != (run == "") {
		t.Errorf("Advice = %q, %q; want both or none", lack, run)
	}
}

func testPurge(t *testing.T, f *fixture, c role.Purger) {
	f.commit(t, puts(notes(1, 200)...))
	for n := 1; n < 150; n++ {
		f.commit(t, deletes(n))
	}
	want := f.get(t, idRange(1, 200)...)
	if err := c.Purge(t.Context()); err != nil {
		t.Fatalf("Purge = %v, want nil", err)
	}
	wantEqual(t, fmt.Sprintf("Get of %d memories after Purge", len(want)), f.get(t, idRange(1, 200)...), want)
}
