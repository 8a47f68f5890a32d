package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// factsTable is a database with the table that the tests of the import use, and its URL with a password, which the
// server does not ask for.
func factsTable(t *testing.T) string {
	t.Helper()
	server := pgtest.Database(t, "vector")
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	body, err := os.ReadFile(filepath.Join(root, "internal", "transfer", "testdata", "facts", "numbers.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), string(body)); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), "hunter2")
	return u.String()
}

// TestImportFacts imports a table of facts, and never shows its password.
func TestImportFacts(t *testing.T) {
	t.Parallel()
	database := factsTable(t)
	s := newShell(t)
	s.env["TRILITH_EMBEDDER"] = "none"
	out, errs, code := s.run(t.Context(), "import", "--format", "conversation-facts", database)
	if code != exitIncomplete {
		t.Errorf("import exits with %d and %q, want %d for its bad line", code, errs, exitIncomplete)
	}
	for _, want := range []string{": 23 stored, 0 there already", `bad line:`,
		`id "41": superseded_by: there is no other row "4711"`} {
		if !strings.Contains(out, want) {
			t.Errorf("import prints no %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "hunter2") || strings.Contains(out, "postgres@") {
		t.Errorf("import shows who connects:\n%s", out)
	}
	if found := s.ok(t, "facts", "gutters"); !strings.Contains(found, "The gutters are copper.") {
		t.Errorf("an imported fact is not found:\n%s", found)
	}
	s.env["TRILITH_IMPORT_URL"] = database
	if again, _, _ := s.run(t.Context(), "import"); !strings.Contains(again, ": 0 stored, 23 there already") {
		t.Errorf("imported twice:\n%s", again)
	}
	if dry, _, _ := s.run(t.Context(), "--json", "import", "--dry-run", "--table", "public.conversation_facts"); !strings.Contains(
		dry, `"stored": 23`) || strings.Contains(dry, "hunter2") {
		t.Errorf("a dry run says\n%s", dry)
	}
	for _, c := range []struct {
		args  []string
		names string
	}{
		{[]string{"import", "--format", "mem0", database}, "conversation-facts"},
		{[]string{"import", "--format", "conversation-facts", "file.json"}, "postgres://"},
		{[]string{"import", "--table", "x", "file.json"}, "table"},
		{[]string{"import", "--embeddings", "builtin:", database}, "cannot be compared"},
		{[]string{"import", "--table", "app.facts", database}, "app.facts"},
		{[]string{"facts", "view"}, "PostgreSQL"},
	} {
		_, errs, code := s.run(t.Context(), c.args...)
		if code == 0 || !strings.Contains(errs, c.names) || strings.Contains(errs, "hunter2") {
			t.Errorf("trilith %s: exit %d: %s; want %q", strings.Join(c.args, " "), code, errs, c.names)
		}
	}
	delete(s.env, "TRILITH_IMPORT_URL")
	if _, errs, code := s.run(t.Context(), "import"); code == 0 || !strings.Contains(errs, "path") {
		t.Errorf("an import of nothing: exit %d: %s", code, errs)
	}
}
