package transfer_test

import (
	"database/sql"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// makeSQLite makes a SQLite file by running statements.
func makeSQLite(t testing.TB, path string, run func(exec func(query string, args ...any))) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	run(func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// makeChunks makes a table of chunks as vector memories keep it, with some rows that are wrong.
func makeChunks(t testing.TB, path string) {
	t.Helper()
	vector := make([]byte, 0, 8)
	for _, x := range []float32{0.5, -0.5} {
		vector = binary.LittleEndian.AppendUint32(vector, math.Float32bits(x))
	}
	makeSQLite(t, path, func(exec func(string, ...any)) {
		exec(`CREATE TABLE memory_chunks (id TEXT PRIMARY KEY, session_id TEXT, content TEXT, embedding BLOB, metadata TEXT, chunk_type TEXT,
			timestamp REAL, importance INTEGER, user_id TEXT)`)
		const row = `INSERT INTO memory_chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
		exec(row, "k1", "s1", "The mill turns again.", vector, `{"topic": "mill", "a.b": 1}`, "fact",
			1741600000.5, 3, "odile")
		exec(row, "k2", "s1", "Where is the key?", vector, `{"role": "user"}`, "message", 1741600001, nil, nil)
		exec(row, "k3", "s1", "Under the stone.", nil, nil, "assistant", 1741600002, nil, nil)
		exec(row, "k4", "s1", "Its metadata are broken.", vector, `{"topic": `, nil, 1741600003, nil, nil)
		exec(row, "k5", "s1", nil, vector, nil, "fact", 1741600004, nil, nil)
		exec(row, nil, nil, "Neither id nor time.", nil, nil, "fact", nil, nil, nil)
	})
}

// Files of other programs have other columns; a table that is no table of chunks is not read as one.
func TestChunkTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name, table, row string
		want             []string // contents; nil: not recognised
	}{
		{"content alone", `CREATE TABLE memory_chunks (content)`, `INSERT INTO memory_chunks VALUES ('One.'), ('Two.')`,
			[]string{"One.", "Two."}},
		{"a reflection of somebody, which is no turn", `CREATE TABLE memory_chunks (content, chunk_type, role)`,
			`INSERT INTO memory_chunks VALUES ('One.', 'reflection', 'assistant')`, []string{"One."}},
		{"other names", `CREATE TABLE memory_chunks (Text TEXT, Created_At DATETIME)`,
			`INSERT INTO memory_chunks VALUES ('One.', '2025-01-02 03:04:05')`, []string{"One."}},
		{"computed", `CREATE TABLE memory_chunks (content, size AS (length(content)))`,
			`INSERT INTO memory_chunks VALUES ('One.')`, []string{"One."}},
		{"without rowid", `CREATE TABLE memory_chunks (id TEXT PRIMARY KEY, content) WITHOUT ROWID`,
			`INSERT INTO memory_chunks VALUES ('b', 'Two.'), ('a', 'One.')`, []string{"One.", "Two."}},
		{"no content", `CREATE TABLE memory_chunks (id, embedding)`,
			`INSERT INTO memory_chunks VALUES (1, x'00')`, []string{}},
		{"another table", `CREATE TABLE notes (content)`, `INSERT INTO notes VALUES ('One.')`, nil},
	} {
		path := filepath.Join(dir, c.name+".db")
		makeSQLite(t, path, func(exec func(string, ...any)) {
			exec(c.table)
			exec(c.row)
		})
		r, err := transfer.Open(path, "")
		if (err != nil) != (c.want == nil) {
			t.Errorf("%s: Open = %v, want it recognised: %v", c.name, err, c.want != nil)
		}
		if err != nil {
			continue
		}
		var got []string
		bad := 0
		for item, err := range r.Items() {
			if err != nil {
				bad++
				continue
			}
			got = append(got, item.Request.Note.Content)
		}
		if !slices.Equal(got, c.want) || (bad > 0) != (len(c.want) == 0) {
			t.Errorf("%s: %q and %d bad rows, want %q", c.name, got, bad, c.want)
		}
	}
	if _, err := transfer.Read("-", transfer.MemoryChunks, nil); trilith.KindOf(err) != trilith.Unsupported {
		t.Errorf("Read(%s) of a stream = %v, want Unsupported", transfer.MemoryChunks, err)
	}
}

// Reading changes neither the file nor its folder, for files of every journal mode.
func TestChunksAreReadOnly(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"DELETE", "WAL"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "memory.db")
		makeSQLite(t, path, func(exec func(string, ...any)) {
			exec(`PRAGMA journal_mode = ` + mode)
			exec(`CREATE TABLE memory_chunks (content)`)
			exec(`INSERT INTO memory_chunks VALUES ('One.')`)
		})
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o444); err != nil {
			t.Fatal(err)
		}
		r, err := transfer.Open(path, "")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range r.Items() {
			if err != nil {
				t.Errorf("%s: %v", mode, err)
			}
			n++
		}
		after, err := os.ReadFile(path)
		if err != nil || n != 1 || string(after) != string(before) {
			t.Errorf("%s: read %d items, %v, the file is the same: %v", mode, n, err, string(after) == string(before))
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s: the folder holds %v after reading, %v, want the file alone", mode, left, err)
		}
	}
}

// Data that is still in the log of the file counts too.
func TestChunksOfAWriterAtWork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range []string{`PRAGMA journal_mode = WAL`, `CREATE TABLE memory_chunks (content)`,
		`INSERT INTO memory_chunks VALUES ('In the log.')`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	r, err := transfer.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range r.Items() {
		if err != nil || item.Request.Note.Content != "In the log." {
			t.Errorf("Items() yields %+v, %v", item, err)
		}
	}
}
