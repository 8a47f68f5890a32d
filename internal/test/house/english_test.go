package house_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dialects are turns of phrase that make a comment hard to read at first sight. Well-kept Go projects have none to two
// of them in 10,000 words of comments. The ceilings are counts in 10,000 words, and only fall.
var dialects = []struct {
	name    string
	pattern *regexp.Regexp
	ceiling float64
	instead string
}{
	{"free relatives as nouns", regexp.MustCompile(
		`\b[Ww]hat (?:is|was|has|it|they|one|a|the|lies|comes?|came|holds|follows|stands|belongs)\b|\b[Tt]hat which\b`), 0.5,
		`name the thing: "the turns", "the last value", and not "what is kept"`},
	{"old words", regexp.MustCompile(`(?i)\b(?:beside|nobody|alone|of which|anew)\b`), 0.8,
		`say "next to" or "apart from", "no one", "only", "whose" or "of them", "again"`},
	{"people without a noun", regexp.MustCompile(`\b[Ww]ho(?:ever)? (?:asks|wants|holds|calls|needs|has|reads)\b`), 0.1,
		`name the person: "the caller", "the reader", and not "who asks"`},
}

// TestEnglish: comments of production code are read once, by strangers. With -v it prints the counts.
func TestEnglish(t *testing.T) {
	t.Parallel()
	words, counts, places := 0, make([]int, len(dialects)), make([][]string, len(dialects))
	for _, b := range commentBlocks(t) {
		words += len(strings.Fields(b.text))
		for i, d := range dialects {
			for _, found := range d.pattern.FindAllString(b.text, -1) {
				counts[i]++
				places[i] = append(places[i], b.place+": "+found)
			}
		}
	}
	for i, d := range dialects {
		rate := float64(counts[i]) * 1e4 / float64(words)
		t.Logf("%6d in %d words, %5.2f of %5.2f in 10,000: %s", counts[i], words, rate, d.ceiling, d.name)
		if rate > d.ceiling {
			t.Errorf("%s: %.2f in 10,000 words of comments, at most %.2f are allowed; %s:\n\t%s", d.name, rate, d.ceiling,
				d.instead, strings.Join(places[i], "\n\t"))
		}
	}
}

// commentBlock is comments on adjacent lines, joined: a line break hides nothing.
type commentBlock struct{ place, text string }

// commentBlocks returns the comments of the module without tests and generated files.
func commentBlocks(t *testing.T) (all []commentBlock) {
	t.Helper()
	err := fs.WalkDir(house, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "dist"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(house, name)
		if err == nil && !generatedLine.Match(src) {
			all = append(all, blocksOf(name, src)...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func blocksOf(name string, src []byte) (blocks []commentBlock) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	last := -1 // line of the comment before
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return blocks
		case tok == token.SEMICOLON && text == "\n": // inserted at the end of a line
		case tok != token.COMMENT:
			last = -1
		case !strings.HasPrefix(text, "//go:"):
			at := file.Position(pos)
			text = strings.Join(strings.Fields(strings.Trim(text, "/*")), " ")
			if at.Line == last+1 {
				blocks[len(blocks)-1].text += " " + text
			} else {
				blocks = append(blocks, commentBlock{at.String(), text})
			}
			last = at.Line
		}
	}
}

func TestCommentBlocks(t *testing.T) {
	t.Parallel()
	got := blocksOf("x.go", []byte("package x\n\n// F returns what\n// is kept.\nfunc F() {} // alone\n\n// G\nvar g int\n"))
	want := []commentBlock{{"x.go:3:1", "F returns what is kept."}, {"x.go:5:13", "alone"}, {"x.go:7:1", "G"}}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
	if !dialects[0].pattern.MatchString(got[0].text) {
		t.Error("a line break hides a match")
	}
}
