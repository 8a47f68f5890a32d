package firestore_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/firestore"
)

var update = flag.Bool("update", false, "write the files of indexes again")

// shipped are the sizes of vectors for which the files have indexes: of the built-in embedder, and of those that are
// used most.
var shipped = []int{256, 384, 768, 1024, 1536}

// TestIndexFiles holds what is deployed to the list in the code. That the list is whole the suites say: their double
// refuses a query that no index serves.
func TestIndexFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "deploy", "terraform", "firestore")
	commands := "#!/bin/sh\n# Made by go test ./internal/firestore -run TestIndexFiles -update. PROJECT and DATABASE say where.\nset -eu\n" +
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
			t.Errorf("%s differs from the list of indexes (%v): run go test ./internal/firestore -run TestIndexFiles -update", path, err)
		}
	}
}

// TestMissingIndex: without its index a search fails with what helps, and what needs no index goes on.
func TestMissingIndex(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	if err := d.RequireIndexes(firestore.IndexesJSON(3)); err != nil {
		t.Fatal(err)
	}
	s := open(t, srv.options(time.Now))
	g := cairn.Generation{Provider: "test", Model: "plane", Dims: 2, Recipe: 1}
	p := cairn.Point{Facets: cairn.FacetsOf(new(noted(1, "x"))), Vector: cairn.Vector{1, 0}, At: epoch}
	if err := s.Vectors().Apply(t.Context(), g, []cairn.Point{p}); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	_, err := s.Vectors().Search(t.Context(), acme, g, cairn.VectorProbe{Vector: cairn.Vector{1, 0}, K: 1})
	if err == nil || !strings.Contains(cairn.MessageOf(err), "doctor") {
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
