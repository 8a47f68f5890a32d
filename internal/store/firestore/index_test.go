package firestore_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/firestore"
)

var update = flag.Bool("update", false, "write the files of indexes again")

// shipped are the sizes of vectors for which the files have indexes: of the built-in embedder, and of those that are
// used most.
var shipped = []int{256, 384, 768, 1024, 1536}

// TestIndexFiles compares the deployed files with the list in the code. The suites prove that the list is complete:
// their double refuses a query without an index.
func TestIndexFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "..", "deploy", "terraform", "firestore")
	commands := "#!/bin/sh\n# Made by go test ./internal/store/firestore -run TestIndexFiles -update. PROJECT and DATABASE say where.\nset -eu\n" +
		strings.Join(firestore.Commands(`"$PROJECT"`, `"$DATABASE"`, shipped...), "\n") + "\n"
	commands = strings.ReplaceAll(commands, `'"$DATABASE"'`, `"$DATABASE"`)
	for name, want := range map[string][]byte{
		"indexes.tf":             firestore.Terraform(shipped...),
		"firestore.indexes.json": firestore.IndexesJSON(shipped...),
		"indexes.sh":             []byte(commands),
	} {
		path := filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the list of indexes (%v): run go test ./internal/store/firestore -run TestIndexFiles -update", path, err)
		}
	}
}

// TestTerraform checks the deployed files with terraform: their format, and, with the provider of Google in the folder
// that TRILITH_TEST_TERRAFORM_MIRROR names, their content. Nothing is fetched.
func TestTerraform(t *testing.T) {
	t.Parallel()
	const variable = "TRILITH_TEST_TERRAFORM_MIRROR"
	program, err := exec.LookPath("terraform")
	if err != nil {
		if strings.Contains(os.Getenv("TRILITH_REQUIRE"), "terraform") {
			t.Fatal("TRILITH_REQUIRE names terraform, and it is not installed")
		}
		t.Skip("NOT HERE: terraform. Nobody has looked at whether it takes deploy/terraform/firestore.")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "indexes.tf")
	if err := os.WriteFile(file, firestore.Terraform(shipped...), 0o644); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "settings.tfrc")
	mirror := os.Getenv(variable)
	if err := os.WriteFile(settings, []byte(fmt.Sprintf(
		"disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", cmp.Or(mirror, dir))), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, append([]string{"-chdir=" + dir}, args...)...)
		c.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+settings, "TF_IN_AUTOMATION=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("fmt", "-check", "-diff")
	if mirror == "" {
		t.Skipf("NOT HERE: Google's provider, whose folder %s names. terraform fmt has looked at the files, terraform validate has not.",
			variable)
	}
	run("init", "-backend=false", "-input=false")
	run("validate")
}

// TestMissingIndex: without its index a search fails with what helps, and what needs no index goes on.
func TestMissingIndex(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	if err := d.RequireIndexes(firestore.IndexesJSON(3)); err != nil {
		t.Fatal(err)
	}
	s := open(t, srv.options(time.Now))
	g := trilith.Generation{Provider: "test", Model: "plane", Dims: 2, Recipe: 1}
	p := role.Point{Facets: role.FacetsOf(new(noted(1, "x"))), Vector: trilith.Vector{1, 0}, At: epoch}
	if err := s.Vectors().Apply(t.Context(), g, []role.Point{p}); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	_, err := s.Vectors().Search(t.Context(), acme, g, role.VectorProbe{Vector: trilith.Vector{1, 0}, K: 1})
	if err == nil || !strings.Contains(trilith.MessageOf(err), "doctor") {
		t.Errorf("Search without an index = %v, want a message that names doctor", err)
	}
	missing, err := s.MissingIndexes(t.Context(), g.Dims)
	if err != nil || len(missing) != 1 || !strings.Contains(missing[0], `"dimension":"2"`) {
		t.Errorf("MissingIndexes = %q, %v; want the command for vectors of two dimensions", missing, err)
	}
	if _, err := s.Commit(t.Context(), acme, logged(2)); err != nil {
		t.Errorf("Commit = %v", err)
	}
}
