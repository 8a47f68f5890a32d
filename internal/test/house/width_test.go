package house_test

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 126 // of a line; a tab is four
	maxLines   = 80  // of a function
)

// longFunctions are longer than maxLines, each for a reason.
var longFunctions = map[string]string{}

// TestLinesAreShort: lines fit beside another file and into a review. Strings are not cut to make them fit: a pattern,
// a query, a message or the tag of a field reads worse in pieces.
func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		src, err := fs.ReadFile(house, f.path)
		if err != nil {
			t.Fatal(err)
		}
		strung := stringsByLine(src)
		for i, line := range strings.Split(string(src), "\n") {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns > maxColumns && columns-strung[i+1] > maxColumns-20 {
				t.Errorf("%s:%d: has %d columns, want at most %d", f.path, i+1, columns, maxColumns)
			}
		}
	}
}

// stringsByLine returns how many columns of each line, counted from 1, lie in strings.
func stringsByLine(src []byte) map[int]int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	columns := make(map[int]int)
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return columns
		case token.STRING:
			for i, part := range strings.Split(text, "\n") {
				columns[file.Line(pos)+i] += utf8.RuneCountInString(part)
			}
		}
	}
}

// TestFunctionsAreShort: a function is read at one sitting.
func TestFunctionsAreShort(t *testing.T) {
	t.Parallel()
	found := make(map[string]bool)
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.path + " " + fn.Name.Name
			n := f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1
			if n <= maxLines {
				continue
			}
			if found[name] = true; longFunctions[name] == "" {
				t.Errorf("%s has %d lines, want at most %d, or a reason", name, n, maxLines)
			}
		}
	}
	for name := range longFunctions {
		if !found[name] {
			t.Errorf("longFunctions names %s, which is not too long", name)
		}
	}
}
