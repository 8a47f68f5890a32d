// Package wordfile reads the text files in which packages keep their words and patterns, so that people can read and
// change them as lists with comments.
package wordfile

import (
	"iter"
	"strings"
)

var unwrapped = strings.NewReplacer("|\n  ", "|", ")\n  ", ")", "\n  ", " ")

// Set returns the words of a list, which spaces separate.
func Set(list string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		words[w] = true
	}
	return words
}

// Patterns compiles the rows of a file by name. A row is "regexp NAME: REGEXP"; "words NAME: A|B", which matches whole
// words in any case; or "part NAME: REGEXP", which stands for {NAME} in the rows below.
func Patterns[T any](file string, compile func(string) T) map[string]T {
	var parts []string
	out := map[string]T{}
	for key, value := range Rows(file) {
		kind, name, _ := strings.Cut(key, " ")
		value = strings.NewReplacer(parts...).Replace(value)
		switch kind {
		case "part":
			parts = append(parts, "{"+name+"}", value)
		case "words":
			out[name] = compile(`(?i)(?:^|[^\pL])(?:` + value + `)(?:[^\pL]|$)`)
		case "regexp":
			out[name] = compile(value)
		}
	}
	return out
}

// Rows yields the rows "KEY: VALUE" of a file, without comments (#), examples (+ and -) and empty lines. A line that is
// indented by two spaces continues the row above, without a space in between if that ends with | or ).
func Rows(file string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		// a checkout on Windows may end lines with \r\n
		for line := range strings.Lines(unwrapped.Replace(strings.ReplaceAll(file, "\r\n", "\n"))) {
			key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if ok && strings.IndexByte("#+-", key[0]) < 0 && !yield(key, value) {
				return
			}
		}
	}
}
