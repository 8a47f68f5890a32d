package transfer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/transfer"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// render writes items and errors one per line, so that a golden reads like the file it came from.
func render(t testing.TB, items iter.Seq2[transfer.Item, error]) string {
	t.Helper()
	var b strings.Builder
	for item, err := range items {
		if err != nil {
			fmt.Fprintf(&b, "error %s\n", filepath.ToSlash(err.Error()))
			continue
		}
		var what any = item.Export
		if item.Request != nil {
			what = item.Request
		}
		scope, _ := json.Marshal(item.Scope)
		body, err := json.Marshal(what)
		if err != nil {
			t.Fatalf("json.Marshal(%+v) = %v", what, err)
		}
		fmt.Fprintf(&b, "%s:%d %s %s\n", filepath.ToSlash(item.Path), item.Line, scope, body)
	}
	return b.String()
}

func TestReadGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ golden, path, format string }{
		{"export.golden", "testdata/export.jsonl", ""},
		{"invented_samples.golden", "testdata/invented_samples.json", ""},
		{"evalset.golden", "testdata/set", ""},
		{"notes.golden", "testdata/notes", ""},
		{"notes-markdown.golden", "testdata/notes", transfer.Markdown},
		{"as-text.golden", "testdata/notes/garden.md", transfer.Text},
	} {
		t.Run(c.golden, func(t *testing.T) {
			t.Parallel()
			r, err := transfer.Open(c.path, c.format)
			if err != nil {
				t.Fatalf("Open(%q, %q) = %v", c.path, c.format, err)
			}
			got := render(t, r.Items())
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
				t.Errorf("Open(%q, %q).Items() differs from %s (-want +got); -update rewrites it:\n%s", c.path, c.format, file, diff)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, format string
		want         cairn.ErrorKind
	}{
		{"testdata/nowhere", "", cairn.NotFound},
		{"testdata/notes/table.csv", "", cairn.Invalid},
		{"testdata/notes", transfer.Cairn, cairn.Invalid}, // none of that format below
		{"testdata/notes", "csv", cairn.Invalid},
	} {
		_, err := transfer.Open(c.path, c.format)
		if err == nil || cairn.KindOf(err) != c.want {
			t.Errorf("Open(%q, %q) = %v, want kind %v", c.path, c.format, err, c.want)
		}
	}
	if _, err := transfer.Read("-", "", strings.NewReader("")); cairn.KindOf(err) != cairn.Invalid || err == nil {
		t.Errorf("Read without a format = %v, want Invalid", err)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, head, want string }{
		{"a.MD", "", transfer.Markdown},
		{"a.txt", `{"cairn_export":`, transfer.Text},
		{"a.json", `[{"qa": [{"question": "wh`, transfer.LoCoMo},
		{"a.json", `[{"name": "x", "qa": []}]`, ""},
		{"a.json", `[[]]`, ""},
		{"a.jsonl", `{"id": "1", "group": "g", "session": "s", "text": "cut o`, transfer.EvalSet},
		{"queries.jsonl", `{"id": "1", "group": "g", "category": "c", "text": "w"}`, ""},
		{"facts.jsonl", `{"group": "g", "session": "s", "text": "w", "source": ["1"]}`, ""},
		{"-", "\xef\xbb\xbf" + `{"cairn_export":{"format":1}}`, transfer.Cairn},
		{"a.jsonl", "", ""},
		{"a.jsonl", "\x00\xff", ""},
	} {
		got, ok := transfer.Detect(c.path, []byte(c.head))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Detect(%q, %q) = %q, %v, want %q", c.path, c.head, got, ok, c.want)
		}
	}
}

func TestLongSessionBecomesSeveralRequests(t *testing.T) {
	t.Parallel()
	var set, turns strings.Builder
	n := cairn.MaxItems + 1
	for i := range n {
		fmt.Fprintf(&set, "{\"id\":\"%d\",\"group\":\"g\",\"session\":\"s\",\"text\":\"t\"}\n", i)
		fmt.Fprintf(&turns, `{"dia_id":"%d","text":"t"},`, i)
	}
	locomo := `[{"sample_id":"g","conversation":{"session_1":[` + strings.TrimSuffix(turns.String(), ",") + `]}}]`
	for format, file := range map[string]string{transfer.EvalSet: set.String(), transfer.LoCoMo: locomo} {
		items, err := transfer.Read("-", format, strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for item, err := range items {
			if err != nil {
				t.Fatalf("Read(%s) yields %v", format, err)
			}
			got = append(got, len(item.Request.Messages))
		}
		if diff := cmp.Diff([]int{cairn.MaxItems, 1}, got); diff != "" {
			t.Errorf("Read(%s) of a session of %d turns: messages per request (-want +got):\n%s", format, n, diff)
		}
	}
}

func TestDocumentTooLong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size int
		ok   bool
	}{{cairn.MaxDocumentBytes, true}, {cairn.MaxDocumentBytes + 1, false}} {
		items, _ := transfer.Read("big.txt", transfer.Text, strings.NewReader(strings.Repeat("x", c.size)))
		for _, err := range items {
			if (err == nil) != c.ok {
				t.Errorf("Read of a document of %d bytes yields %v, want ok=%v", c.size, err, c.ok)
			}
		}
	}
}

// A reader that fails is no bad line: what follows is unknown, so reading ends with the error.
func TestReaderFailureEndsReading(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for _, format := range transfer.Formats() {
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
			t.Errorf("Read(%s) of a failing reader yields %d pairs, the last with %v; want one with the reader's error", format, n, last)
		}
	}
}

func TestWriteReadsBack(t *testing.T) {
	t.Parallel()
	r, err := transfer.Open("testdata/export.jsonl", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []cairn.ExportItem{{Header: &cairn.ExportHeader{Format: 1, Version: "0.2.0"}}}
	for item, err := range r.Items() {
		if err == nil {
			want = append(want, *item.Export)
		}
	}
	var b bytes.Buffer
	n, err := transfer.Write(&b, func(yield func(cairn.ExportItem, error) bool) {
		for _, item := range want {
			if !yield(item, nil) {
				return
			}
		}
	})
	if n != len(want) || err != nil {
		t.Fatalf("Write = %d, %v, want %d", n, err, len(want))
	}
	items, _ := transfer.Read("copy", transfer.Cairn, &b)
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
	n, err := transfer.Write(io.Discard, func(yield func(cairn.ExportItem, error) bool) {
		_ = yield(cairn.ExportItem{Header: &cairn.ExportHeader{Format: 1}}, nil) && yield(cairn.ExportItem{}, broken)
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
		{`{"cairn_export":{"format":2}}` + "\n" + `{"memory":{"id":"x"}}`, "format 2"},
	} {
		items, _ := transfer.Read("-", transfer.Cairn, strings.NewReader(c.file))
		if got := render(t, items); strings.Count(got, "\n") != 1 || !strings.Contains(got, c.want) {
			t.Errorf("Read(%q) yields %q, want one error with %q", c.file, got, c.want)
		}
	}
}

// A header that says how many numbers were given is an item: whoever imports it goes on after them.
func TestExportHeaderWithNumbers(t *testing.T) {
	t.Parallel()
	file := `{"cairn_export":{"format":1,"legacy_ids":7}}` + "\n" + `{"cairn_export":{"format":1}}` + "\n" + `{"cairn_export":{"format":1,"legacy_ids":9}}`
	items, _ := transfer.Read("-", transfer.Cairn, strings.NewReader(file))
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
	seeds := []string{"testdata/export.jsonl", "testdata/invented_samples.json", "testdata/set/docs.jsonl", "testdata/notes/garden.md"}
	for _, path := range seeds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{"", "[", "[}", "[]", "{", "[{\"sample_id\":1}]", "null", "\xff\n\n{}", "{}{}", "[{}] x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		transfer.Detect("-", data)
		for _, format := range transfer.Formats() {
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
						t.Fatalf("Read(%s, %q) yields %v, want only bad lines: the reader did not fail", format, data, err)
					}
					line = bad.Line
				} else if (item.Request == nil) == (item.Export == nil) {
					t.Fatalf("Read(%s, %q) yields %+v, want exactly one of Request and Export", format, data, item)
				}
				if line < 1 || line > lines {
					t.Fatalf("Read(%s, %q) names line %d of %d", format, data, line, lines)
				}
				if item.Request != nil && len(item.Request.Messages) > cairn.MaxItems {
					t.Fatalf("Read(%s) yields a request of %d messages", format, len(item.Request.Messages))
				}
			}
		}
	})
}

func BenchmarkReadEvalSet_10000(b *testing.B) {
	var file bytes.Buffer
	for i := range 10000 {
		fmt.Fprintf(&file, `{"id":"g/%d","group":"g","session":"g/%d","time":"2025-04-02T09:15","speaker":"Odile","role":"user","text":"The mast is down and nobody is hurt, only the dog is cross."}`+"\n", i, i/20)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		items, _ := transfer.Read("-", transfer.EvalSet, bytes.NewReader(file.Bytes()))
		for _, err := range items {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
