// Package transfer carries memories in and out of files.
//
// Every format becomes the same thing, a stream of [Item] values: a request to remember for what others wrote, or an
// exported item for what we wrote ourselves. What a file says badly is reported with its place and left out; the rest is
// read on. Items keep the ids that the file gives them, so that reading a file again, or going on after a break, stores
// nothing twice.
package transfer

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// The formats.
const (
	Cairn    = "cairn"    // our own export: one cairn.ExportItem per line, the header first
	LoCoMo   = "locomo"   // the JSON file of the LoCoMo benchmark: long conversations of two people
	EvalSet  = "evalset"  // docs.jsonl of a labelled retrieval set: one turn per line
	Text     = "text"     // a plain text file: one document
	Markdown = "markdown" // a Markdown file: one document
)

// Item is one piece of a file. Exactly one of Request and Export is set.
type Item struct {
	Path    string      // the file
	Line    int         // where the piece begins, from 1
	Scope   cairn.Scope // what the file itself says about whose memory it is; never a tenant
	Request *cairn.RememberRequest
	Export  *cairn.ExportItem // never the header, which the reader consumes
}

// LineError is a piece of a file that could not be taken. Reading goes on after it.
type LineError struct {
	Path string
	Line int // from 1
	Err  error
}

// Error returns the place and what is wrong there.
func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, cairn.MessageOf(e.Err))
}

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// MarshalJSON writes {"path", "line", "error"}.
func (e LineError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path  string `json:"path"`
		Line  int    `json:"line"`
		Error string `json:"error"`
	}{e.Path, e.Line, cairn.MessageOf(e.Err)})
}

// input is one open file: where it lies, what it is called inside the folder that was asked for, and its bytes.
type input struct {
	path string
	name string
	r    io.Reader
}

func (in input) bad(line int, err error) *LineError {
	return &LineError{Path: in.path, Line: line, Err: err}
}

// decoder reads one format. It yields a [*LineError] and goes on, or any other error and ends.
type decoder func(in input) iter.Seq2[Item, error]

var decoders = map[string]decoder{
	Cairn:    readCairn,
	LoCoMo:   readLoCoMo,
	EvalSet:  readEvalSet,
	Text:     readDocument("text/plain"),
	Markdown: readDocument("text/markdown"),
}

// Formats lists the names of the formats in a fixed order.
func Formats() []string { return []string{Cairn, LoCoMo, EvalSet, Text, Markdown} }

func decoderOf(format string) (decoder, error) {
	d, ok := decoders[format]
	if !ok {
		return nil, cairn.Errorf(cairn.Invalid, "format: %.32q is not known; use one of %s", format, strings.Join(Formats(), ", "))
	}
	return d, nil
}

// Read reads one stream, for example the standard input. Name stands for it in errors and in the external id of a
// document; the format is one of [Formats]. The rules are those of [Reader.Items].
func Read(name, format string, r io.Reader) (iter.Seq2[Item, error], error) {
	d, err := decoderOf(format)
	if err != nil {
		return nil, err
	}
	return d(input{path: name, name: name, r: r}), nil
}

// caption puts what a picture shows behind what was said with it, without a word of its own that a search could find.
func caption(text, picture string) string {
	parts := []string{text}
	if picture != "" {
		parts = append(parts, "["+picture+"]")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
