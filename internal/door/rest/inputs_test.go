package rest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEmbeddedInputsAreExported: the framework reads no parameter of an unexported struct that an input embeds, and
// says nothing; a scope would be left out unseen.
func TestEmbeddedInputsAreExported(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	fset := token.NewFileSet()
	embedded := 0
	for _, path := range files {
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				name, plain := field.Type.(*ast.Ident)
				if len(field.Names) > 0 || !plain || name.Name == "group" { // a group has operations and is no input
					continue
				}
				embedded++
				if !name.IsExported() {
					t.Errorf("%s: embeds %s, which is not exported", fset.Position(field.Pos()), name.Name)
				}
			}
			return true
		})
	}
	if embedded == 0 {
		t.Error("no embedded struct was seen")
	}
}
