package transfer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/saidtest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// changed is when the files of the tests were changed last.
var changed = time.Date(2025, 7, 1, 8, 0, 0, 0, time.UTC)

// samples is a copy of testdata, with files that tests make in it, all changed at the same time.
func samples(t testing.TB) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "testdata")
	if err := os.CopyFS(root, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	makeChunks(t, filepath.Join(root, "chunks.db"))
	if err := os.WriteFile(filepath.Join(root, "orchard.pdf"),
		makePDF("Apples ripen in September.", "", "Store them cold. Turn them weekly."), 0o644); err != nil {
		t.Fatal(err)
	}
	var receipt bytes.Buffer
	if err := png.Encode(&receipt, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"receipt.png": receipt.Bytes(),
		"meeting.vtt": []byte("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Pim>The bees swarmed.\n")} {
		if err := os.WriteFile(filepath.Join(root, name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, changed, changed)
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// makePDF makes a PDF file with a line of text on each page.
func makePDF(pages ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/Resources<</Font<</F 3 0 R>>>>>>", len(pages), kids.String()))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for i, text := range pages {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 5+2*i))
		program := "BT /F 12 Tf 72 700 Td (" + text + ") Tj ET"
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(program), program))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// render writes items and errors one per line, so that a golden reads like the file it came from. Paths are written as
// if the copy of testdata that lies at root were testdata.
func render(t testing.TB, root string, items iter.Seq2[transfer.Item, error]) string {
	t.Helper()
	var b strings.Builder
	for item, err := range items {
		if err != nil {
			fmt.Fprintf(&b, "error %s\n", filepath.ToSlash(err.Error()))
			continue
		}
		fmt.Fprintf(&b, "%s:%d", filepath.ToSlash(item.Path), item.Line)
		for _, part := range []any{item.Scope, item.Request, item.Export, item.Omitted} {
			if body, err := json.Marshal(part); err != nil {
				t.Fatalf("json.Marshal(%+v) = %v", part, err)
			} else if s := string(body); s != "null" {
				b.WriteString(" " + s)
			}
		}
		b.WriteByte('\n')
	}
	if root == "" {
		return b.String()
	}
	return strings.ReplaceAll(b.String(), filepath.ToSlash(root), "testdata")
}

func TestReadGolden(t *testing.T) {
	t.Parallel()
	root := samples(t)
	all := transfer.Extras()
	for _, c := range []struct {
		golden, path, format string
		with                 []transfer.Extra
	}{
		{"export.golden", "export.jsonl", "", nil},
		{"notes.golden", "notes", "", nil},
		{"notes-markdown.golden", "notes", transfer.Markdown, nil},
		{"as-text.golden", "notes/garden.md", transfer.Text, nil},
		{"chatgpt.golden", "chatgpt.json", "", nil},
		{"chatgpt-all.golden", "chatgpt.json", "", all},
		{"claude.golden", "claude.json", "", nil},
		{"claude-all.golden", "claude.json", "", all},
		{"claude-code.golden", "claude-code", "", nil},
		{"claude-code-all.golden", "claude-code", "", all},
		{"mem0.golden", "mem0.json", "", nil},
		{"mem0-lines.golden", "mem0.jsonl", "", nil},
		{"mcp-memory.golden", "mcp-memory.jsonl", "", nil},
		{"mcp-graph.golden", "mcp-graph.json", "", nil},
		{"chunks.golden", "chunks.db", "", nil},
		{"pdf.golden", "orchard.pdf", "", nil},
	} {
		t.Run(c.golden, func(t *testing.T) {
			t.Parallel()
			r, err := transfer.Open(filepath.Join(root, c.path), c.format, c.with...)
			if err != nil {
				t.Fatalf("Open(%q, %q) = %v", c.path, c.format, err)
			}
			got := render(t, root, r.Items())
			if r.Position() != r.Size() {
				t.Errorf("after all items Position() = %d, want Size() = %d", r.Position(), r.Size())
			}
			file := filepath.Join("testdata", c.golden)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("Open(%q, %q).Items() differs from %s (-want +got); -update rewrites it:\n%s", c.path,
					c.format, file, diff)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, format string
		want         trilith.ErrorKind
	}{
		{"testdata/nowhere", "", trilith.NotFound},
		{"testdata/notes/table.csv", "", trilith.Invalid},
		{"testdata/notes", transfer.Trilith, trilith.Invalid}, // none of that format below
		{"testdata/notes", "csv", trilith.Invalid},
	} {
		_, err := transfer.Open(c.path, c.format)
		if err == nil || trilith.KindOf(err) != c.want {
			t.Errorf("Open(%q, %q) = %v, want kind %v", c.path, c.format, err, c.want)
		}
	}
	if _, err := transfer.Read("-", "", strings.NewReader("")); trilith.KindOf(err) != trilith.Invalid || err == nil {
		t.Errorf("Read without a format = %v, want Invalid", err)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, head, want string }{
		{"a.MD", "", transfer.Markdown},
		{"a.txt", `{"trilith_export":`, transfer.Text},
		{"a.json", `[{"qa": [{"question": "wh`, ""},
		{"a.json", `[{"name": "x", "qa": []}]`, ""},
		{"a.json", `[[]]`, ""},
		{"a.jsonl", `{"id": "1", "group": "g", "session": "s", "text": "cut o`, ""},
		{"queries.jsonl", `{"id": "1", "group": "g", "category": "c", "text": "w"}`, ""},
		{"facts.jsonl", `{"group": "g", "session": "s", "text": "w", "source": ["1"]}`, ""},
		{"-", "\xef\xbb\xbf" + `{"trilith_export":{"format":1}}`, transfer.Trilith},
		{"a.jsonl", "", ""},
		{"a.jsonl", "\x00\xff", ""},
		{"a.json", `[{"title": "T", "create_time": 1.5, "update_time": 2, "mapping": {"r": {"id": "cut o`,
			transfer.ChatGPT},
		{"a.json", `{"title": "one conversation", "mapping": {}}`, transfer.ChatGPT},
		{"a.json", `[{"uuid": "u", "name": "n", "summary": "cut o`, transfer.Claude},
		{"a.json", `[{"uuid": "u", "name": "a project", "description": "d"}]`, ""},
		{"s.jsonl", `{"type":"summary","summary":"s","leafUuid":"l"}` + "\n", transfer.ClaudeCode},
		{"s.jsonl", `{"parentUuid":null,"isSidechain":false,"cwd":"/a","sessionId":"s","version":"1","type":"user","message":{"role":"user","content":"cut o`, transfer.ClaudeCode},
		{"a.jsonl", `{"type":"summary","text":"somebody else's"}`, ""},
		{"memory.json", `{"type":"entity","name":"Pim","entityType":"person","observations":[]}`, transfer.MCPMemory},
		{"memory.json", `{"type":"relation","from":"Pim","to":"Oakvale","relationType":"lives_in"}`,
			transfer.MCPMemory},
		{"a.json", `{"entities":[],"relations":[]}`, transfer.MCPMemory},
		{"a.json", `{"results":[{"id":"1","memory":"cut o`, transfer.Mem0},
		{"a.json", `[{"id":"1","memory":"m","user_id":"u"}]`, transfer.Mem0},
		{"a.json", `{"results":[{"id":"1","score":1}]}`, ""},
		{"a.db", "SQLite format 3\x00", transfer.MemoryChunks},
		{"report", "%PDF-1.7\n", transfer.PDF},
		{"broken.pdf", "Dear Pim,", transfer.PDF},
	} {
		got, ok := transfer.Detect(c.path, []byte(c.head))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Detect(%q, %q) = %q, %v, want %q", c.path, c.head, got, ok, c.want)
		}
	}
}

// TestGuide: the guide tells of every format and of everything that can be asked for.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "importing.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range transfer.Formats() {
		if !strings.Contains(string(guide), "`"+format+"`") {
			t.Errorf("docs/importing.md does not tell of the format %s", format)
		}
	}
	for _, extra := range transfer.Extras() {
		if !strings.Contains(string(guide), "`--with "+string(extra)+"`") {
			t.Errorf("docs/importing.md does not tell of --with %s", extra)
		}
	}
}

func TestLongSessionBecomesSeveralRequests(t *testing.T) {
	t.Parallel()
	var talk strings.Builder
	n := trilith.MaxItems + 1
	for i := range n {
		fmt.Fprintf(&talk, `{"type":"user","sessionId":"s","uuid":"%d","message":{"role":"user","content":"t"}}`+"\n", i)
	}
	items, err := transfer.Read("-", transfer.ClaudeCode, strings.NewReader(talk.String()))
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for item, err := range items {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, len(item.Request.Messages))
	}
	if diff := cmp.Diff([]int{trilith.MaxItems, 1}, got); diff != "" {
		t.Errorf("Read of a session of %d turns: messages per request (-want +got):\n%s", n, diff)
	}
}

func TestDocumentTooLong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size int
		ok   bool
	}{{trilith.MaxDocumentBytes, true}, {trilith.MaxDocumentBytes + 1, false}} {
		items, _ := transfer.Read("big.txt", transfer.Text, strings.NewReader(strings.Repeat("x", c.size)))
		for _, err := range items {
			if (err == nil) != c.ok {
				t.Errorf("Read of a document of %d bytes yields %v, want ok=%v", c.size, err, c.ok)
			}
		}
	}
}

// streamed are the formats that can be read from a stream.
func streamed() []string {
	return slices.DeleteFunc(transfer.Formats(), func(f string) bool { return f == transfer.MemoryChunks })
}

// An error of a reader is not a bad line: the rest is unknown, so reading ends with the error.
func TestReaderFailureEndsReading(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for _, format := range streamed() {
		items, err := transfer.Read("-", format, iotest.ErrReader(broken))
		if err != nil {
			t.Fatal(err)
		}
		var last error
		n := 0
		for _, err := range items {
			n, last = n+1, err
		}
		if _, bad := errors.AsType[*transfer.LineError](last); n != 1 || bad || !errors.Is(last, broken) {
			t.Errorf("Read(%s) of a failing reader yields %d pairs, the last with %v; want one with the reader's error",
				format, n, last)
		}
	}
}

func TestWriteReadsBack(t *testing.T) {
	t.Parallel()
	r, err := transfer.Open("testdata/export.jsonl", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1, Version: "0.2.0"}}}
	for item, err := range r.Items() {
		if err == nil {
			want = append(want, *item.Export)
		}
	}
	var b bytes.Buffer
	n, err := transfer.Write(&b, func(yield func(trilith.ExportItem, error) bool) {
		for _, item := range want {
			if !yield(item, nil) {
				return
			}
		}
	})
	if n != len(want) || err != nil {
		t.Fatalf("Write = %d, %v, want %d", n, err, len(want))
	}
	items, _ := transfer.Read("copy", transfer.Trilith, &b)
	got := want[:1:1]
	for item, err := range items {
		if err != nil {
			t.Fatalf("reading back yields %v", err)
		}
		got = append(got, *item.Export)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Write, then Read (-want +got):\n%s", diff)
	}
}

func TestWriteEndsAtTheFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("store is gone")
	n, err := transfer.Write(io.Discard, func(yield func(trilith.ExportItem, error) bool) {
		_ = yield(trilith.ExportItem{Header: &trilith.ExportHeader{Format: 1}}, nil) && yield(trilith.ExportItem{}, broken)
	})
	if n != 1 || !errors.Is(err, broken) {
		t.Errorf("Write = %d, %v, want 1 and the error of the items", n, err)
	}
}

func TestExportNeedsItsHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{`{"memory":{"id":"x"}}`, "not the header"},
		{"null\n", "not the header"},
		{`{"trilith_export":{"format":2}}` + "\n" + `{"memory":{"id":"x"}}`, "format 2"},
	} {
		items, _ := transfer.Read("-", transfer.Trilith, strings.NewReader(c.file))
		if got := render(t, "", items); strings.Count(got, "\n") != 1 || !strings.Contains(got, c.want) {
			t.Errorf("Read(%q) yields %q, want one error with %q", c.file, got, c.want)
		}
	}
}

// A header that says how many numbers were given is an item: an import goes on after them.
func TestExportHeaderWithNumbers(t *testing.T) {
	t.Parallel()
	file := `{"trilith_export":{"format":1,"legacy_ids":7}}` + "\n" + `{"trilith_export":{"format":1}}` + "\n" +
		`{"trilith_export":{"format":1,"legacy_ids":9}}`
	items, _ := transfer.Read("-", transfer.Trilith, strings.NewReader(file))
	var got []int64
	for item, err := range items {
		if err != nil {
			t.Fatalf("Read yields %v", err)
		}
		got = append(got, item.Export.Header.LegacyIDs)
	}
	if diff := cmp.Diff([]int64{7, 9}, got); diff != "" {
		t.Errorf("Read of three headers (-want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	seeds := []string{"testdata/export.jsonl", "testdata/notes/garden.md",
		"testdata/claude-code/-home-odile-garden/3c1d.jsonl"}
	for _, pattern := range []string{"testdata/*.json", "testdata/m*.jsonl"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			f.Fatalf("no seeds %s: %v", pattern, err)
		}
		seeds = append(seeds, found...)
	}
	f.Add(makePDF("One.", "Two."))
	for _, path := range seeds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{"", "[", "[}", "[]", "{", "[{\"sample_id\":1}]", "null", "\xff\n\n{}",
		"{}{}", "[{}] x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(checkRead)
}

// FuzzSaid puts texts into files of each format: whole ones, and files that are cut.
func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		said, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		checkRead(t, []byte(text))
		checkRead(t, []byte("WEBVTT\n\n00:01.000 --> 00:02.000\n"+text))
		files := []string{
			`{"trilith_export":{"format":1}}` + "\n" + `{"memory":{"text":%s}}`,
			`[{"title":%s,"mapping":{"a":{"id":"a","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":[%s]}}}},"current_node":"a"}]`,
			`[{"uuid":"a","name":%s,"chat_messages":[{"uuid":"b","sender":"human","text":%s,"content":[{"type":"text","text":%s}]}]}]`,
			`{"type":"user","sessionId":"a","uuid":"b","message":{"role":"user","content":%s}}`,
			`{"results":[{"id":"a","memory":%s,"created_at":%s}]}`,
			`{"type":"entity","name":%s,"entityType":"person","observations":[%s]}`,
		}
		file := strings.ReplaceAll(files[len(text)%len(files)], "%s", string(said))
		checkRead(t, []byte(file))
		checkRead(t, []byte(file[:len(file)-len(text)/len(files)%len(file)]))
	})
}

// checkRead checks what must hold for every file in every format.
func checkRead(t *testing.T, data []byte) {
	transfer.Detect("-", data)
	for _, format := range streamed() {
		items, err := transfer.Read("-", format, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for item, err := range items {
			line := item.Line
			if err != nil {
				bad, ok := errors.AsType[*transfer.LineError](err)
				if !ok {
					t.Fatalf("Read(%s, %q) yields %v, want only bad lines: the reader did not fail",
						format, data, err)
				}
				line = bad.Line
			} else if item.Request != nil && item.Export != nil || item.Request == nil && item.Export == nil &&
				item.Media == nil && len(item.Omitted) == 0 {
				t.Fatalf("Read(%s, %q) yields %+v, want one of Request and Export, or what was left out",
					format, data, item)
			}
			if line < 1 || line > lines {
				t.Fatalf("Read(%s, %q) names line %d of %d", format, data, line, lines)
			}
			if item.Request != nil && len(item.Request.Messages) > trilith.MaxItems {
				t.Fatalf("Read(%s) yields a request of %d messages", format, len(item.Request.Messages))
			}
		}
	}
}

func BenchmarkReadClaudeCode_10000(b *testing.B) {
	var file bytes.Buffer
	for i := range 10000 {
		fmt.Fprintf(&file, `{"type":"user","uuid":"%d","sessionId":"%d","timestamp":"2025-04-02T09:15:00Z","message":{"role":"user","content":"The mast is down and nobody is hurt, only the dog is cross."}}`+"\n", i, i/20)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		items, _ := transfer.Read("-", transfer.ClaudeCode, bytes.NewReader(file.Bytes()))
		for _, err := range items {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
