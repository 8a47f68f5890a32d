package sqlite

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// laterVersion makes a process of this test a later version of the program, with one more migration.
const laterVersion = "TRILITH_TEST_LATER_VERSION"

func TestMain(m *testing.M) {
	if os.Getenv(laterVersion) != "" {
		files, err := fs.Glob(migrationFiles, "migrations/*.sql")
		if err != nil {
			panic(err)
		}
		next := fstest.MapFS{"migrations/09999_next.sql": {Data: []byte(
			"-- +goose Up\nALTER TABLE records ADD COLUMN next TEXT;\n")}}
		for _, file := range files {
			data, err := migrationFiles.ReadFile(file)
			if err != nil {
				panic(err)
			}
			next[path.Join("migrations", path.Base(file))] = &fstest.MapFile{Data: data}
		}
		migrations = next
	}
	os.Exit(m.Run())
}

// TestNeighbour is the other process of TestTwoVersions: it opens the file, says what became of that, and for each line
// that it is sent does a write and says what became of it.
func TestNeighbour(t *testing.T) {
	at := os.Getenv(laterVersion)
	if at == "" {
		return
	}
	say := func(what string, err error) {
		if err == nil {
			fmt.Println(what + ": well")
			return
		}
		fmt.Printf("%s: %s %s\n", what, trilith.KindOf(err), trilith.MessageOf(err))
	}
	s, err := Open(t.Context(), Options{Path: at})
	say("opened", err)
	if err != nil {
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		say("wrote", writeRecord(t, s, in.Text()))
	}
	say("closed", s.Close())
}

func writeRecord(t *testing.T, s *Store, name string) error {
	t.Helper()
	_, err := s.Commit(t.Context(), trilith.Scope{Tenant: "acme"},
		role.Batch{Records: []role.Record{{Kind: role.RecordSource, ID: trilith.ID(name), Body: []byte(`{}`)}}})
	return err
}

// neighbour is a process of a later version.
type neighbour struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startLater(t *testing.T, path string) *neighbour {
	t.Helper()
	n := &neighbour{cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNeighbour$")}
	n.cmd.Env = append(os.Environ(), laterVersion+"="+path)
	var err error
	if n.in, err = n.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := n.cmd.StdoutPipe()
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	n.out = bufio.NewScanner(out)
	return n
}

// says is what the process says next about what it did.
func (n *neighbour) says(t *testing.T, what string) string {
	t.Helper()
	if n.out.Scan() {
		if said, ok := strings.CutPrefix(n.out.Text(), what+": "); ok {
			return said
		}
	}
	t.Fatalf("the later version says %q, want what became of: %s", n.out.Text(), what)
	return ""
}

func (n *neighbour) end(t *testing.T) {
	t.Helper()
	_ = n.in.Close()
	for n.out.Scan() {
	}
	if err := n.cmd.Wait(); err != nil {
		t.Errorf("the later version ends with %v", err)
	}
}

// TestTwoVersions: a version that knows a later schema does not change the file under a running one, and says so; when
// it is alone it does. An earlier version opens no later file, and one that has the file open stops writing when its
// schema has changed, which only a system without locks lets happen.
func TestTwoVersions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	earlier := openAt(t, path)
	if err := writeRecord(t, earlier, "first"); err != nil {
		t.Fatal(err)
	}
	later := startLater(t, path)
	if said := later.says(t, "opened"); !strings.Contains(said, ErrInUse.Error()) || !strings.Contains(said, path) ||
		!strings.Contains(said, "unavailable") {
		t.Errorf("a later version beside a running one: Open = %s, want that the file is in use", said)
	}
	later.end(t)
	if err := writeRecord(t, earlier, "second"); err != nil {
		t.Errorf("a write after a later version was refused = %v, want nil", err)
	}
	_ = earlier.present.Close() // as if the system had no locks
	later = startLater(t, path)
	if said := later.says(t, "opened"); said != "well" {
		t.Fatalf("a later version that sees no other: Open = %s, want nil", said)
	}
	for range 2 {
		err := writeRecord(t, earlier, "of the earlier version")
		if trilith.KindOf(err) != trilith.Unsupported || !strings.Contains(trilith.MessageOf(err), movedSchema) {
			t.Errorf("a write into a file of a later schema = %v, want that its schema has changed", err)
		}
	}
	if earlier.ReadOnly() != movedSchema {
		t.Errorf("ReadOnly = %q, want the reason", earlier.ReadOnly())
	}
	if err := earlier.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
	fmt.Fprintln(later.in, "of the later version")
	if said := later.says(t, "wrote"); said != "well" {
		t.Errorf("a write of the later version: %s, want nil", said)
	}
	if _, err := Open(t.Context(), Options{Path: path}); trilith.KindOf(err) != trilith.Unsupported {
		t.Errorf("Open of a file of a later version = %v, want Unsupported", err)
	}
	other := startLater(t, path)
	if said := other.says(t, "opened"); said != "well" {
		t.Errorf("two processes of the later version: Open = %s, want nil", said)
	}
	later.end(t)
	other.end(t)
	if diff := cmp.Diff([]string{"first", "of the later version", "second"}, recordIDs(t, path)); diff != "" {
		t.Errorf("records of the file (-want +got):\n%s", diff)
	}
}

// recordIDs returns the ids of the records, without a store.
func recordIDs(t *testing.T, path string) (ids []string) {
	t.Helper()
	db, err := openDB(path, readerSettings, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT id FROM records ORDER BY id")
	if err := scanAll(rows, err, func(row scanner) error {
		var id string
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestLaterVersionsTogether: of several processes that want to change the schema at once one does, and all open.
func TestLaterVersionsTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	var all []*neighbour
	for range 4 {
		all = append(all, startLater(t, path))
	}
	for _, n := range all {
		if said := n.says(t, "opened"); said != "well" {
			t.Errorf("Open = %s, want nil", said)
		}
	}
	for _, n := range all {
		n.end(t)
	}
}
