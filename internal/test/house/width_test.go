package house_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
)

const maxColumns = 126 // of a line; a tab is four

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
