// Package transfer imports memories from files and exports them.
//
// Every format becomes a stream of [Item] values: a request to remember for the formats of others, or an exported item
// for trilith's own. A part that cannot be read is reported with its position and left out; reading continues. Items keep
// the ids in the file, so that reading a file again, or continuing after an interruption, stores nothing twice.
package transfer

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/survive"
)

// The formats.
const (
	Trilith      = "trilith"       // our own export: one trilith.ExportItem per line, the header first
	ChatGPT      = "chatgpt"       // conversations.json of a ChatGPT data export: trees of messages
	Claude       = "claude"        // conversations.json of a Claude data export
	ClaudeCode   = "claude-code"   // transcripts of Claude Code: one record per line
	Mem0         = "mem0"          // mem0's answer for all memories, as JSON or one per line
	MCPMemory    = "mcp-memory"    // the file of the MCP reference memory server: entities and relations, one per line
	MemoryChunks = "memory-chunks" // a SQLite file with a table memory_chunks
	Text         = "text"          // a plain text file: one document
	Markdown     = "markdown"      // a Markdown file: one document
	PDF          = "pdf"           // a PDF file: one document; pages without a text layer are kept for a model
	Captions     = "captions"      // captions of a recording, as WebVTT or SubRip: one document
	Media        = "media"         // a picture or a recording, kept for a model
)

// Extra is content of chat histories that is left out unless requested.
type Extra string

// The extras.
const (
	Tools      Extra = "tools"      // calls of tools and their results
	System     Extra = "system"     // system prompts, and messages that the product hides from the person
	Sidechains Extra = "sidechains" // words of agents to the agents that they started
)

// Extras lists the extras in a fixed order.
func Extras() []Extra { return []Extra{Tools, System, Sidechains} }

// LineError is a piece of a file that could not be imported. Reading continues after it.
type LineError struct {
	Path string
	Line int // from 1
	Err  error
}

// Error returns the position and the fault there.
func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, trilith.MessageOf(e.Err))
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// MarshalJSON writes {"path", "line", "error"}.
func (e LineError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path  string `json:"path"`
		Line  int    `json:"line"`
		Error string `json:"error"`
	}{e.Path, e.Line, trilith.MessageOf(e.Err)})
}

// input is one open file: its path, its name inside the requested folder, and its bytes.
type input struct {
	path string
	name string
	r    io.Reader
	with []Extra

	passed func(n int) // called for bytes that are not read through r; nil for a stream, which has no file
}

func (in input) wants(e Extra) bool { return slices.Contains(in.with, e) }

func (in input) bad(line int, err error) *LineError {
	return &LineError{Path: in.path, Line: line, Err: err}
}

// Item is one piece of a file. At most one of Request, Export, Fact and Media is set; an item without any of them
// only counts the parts left out.
type Item struct {
	Path    string        // the file
	Line    int           // where the piece begins, from 1; the row of a table
	Scope   trilith.Scope // the owner of the memory according to the file; never a tenant
	Folder  string        // the folder of the project that Scope names
	Request *trilith.RememberRequest
	Export  *trilith.ExportItem // never the header, which the reader consumes
	Fact    *trilith.ForeignFact
	Media   *trilith.NewMedia
	Omitted map[string]int // counts of the parts left out on purpose, by name
}

// Read reads one stream, for example the standard input. Name is used for it in errors and as the external id of a
// document; the format is one of [Formats]. The rules are those of [Reader.Items], except that a stream has no time: an
// item without a time gets the time when it is stored. [MemoryChunks] cannot be read from a stream.
func Read(name, format string, r io.Reader, with ...Extra) (iter.Seq2[Item, error], error) {
	d, err := decoderOf(format)
	if err != nil {
		return nil, err
	}
	if format == MemoryChunks {
		return nil, trilith.Errorf(trilith.Unsupported, "format: %s is read from a file, not from a stream", format)
	}
	return spared(d, input{path: name, name: name, r: r, with: with}), nil
}

// decoder reads one format. It yields a [*LineError] and continues, or any other error and ends.
type decoder func(in input) iter.Seq2[Item, error]

// formats are the formats of files, in the order of messages and help.
var formats = []struct {
	name   string
	decode decoder
}{
	{Trilith, readTrilith},
	{ChatGPT, readChatGPT},
	{Claude, readClaude},
	{ClaudeCode, readClaudeCode},
	{Mem0, readMem0},
	{MCPMemory, readMCPMemory},
	{MemoryChunks, readMemoryChunks},
	{Text, readDocument("text/plain")},
	{Markdown, readDocument("text/markdown")},
	{PDF, readPDF},
	{Captions, readCaptions},
	{Media, readMedia},
}

func decoderOf(format string) (decoder, error) {
	if d := decoderNamed(format); d != nil {
		return d, nil
	}
	return nil, trilith.Errorf(trilith.Invalid, "format: %.32q is not known; use one of %s", format,
		strings.Join(Formats(), ", "))
}

// decoderNamed returns the decoder of a format; nil if there is none.
func decoderNamed(format string) decoder {
	for _, f := range formats {
		if f.name == format {
			return f.decode
		}
	}
	return nil
}

// Formats lists the names of the formats in a fixed order.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// spared reads a file. A panic of the decoder ends the file and not the run: it is an error of the piece after the
// last.
func spared(d decoder, in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		line, reading := 1, true
		defer func() {
			if !reading { // whoever takes the items panics: that is not for us
				return
			}
			if cause := recover(); cause != nil {
				yield(Item{}, in.bad(line, trilith.Errorf(trilith.Invalid,
					"the rest of the file cannot be read because of a bug in this program: %w", survive.Of(cause))))
			}
		}()
		d(in)(func(item Item, err error) bool {
			line, reading = max(line, item.Line), false
			more := yield(item, err)
			reading = true
			return more
		})
	}
}
