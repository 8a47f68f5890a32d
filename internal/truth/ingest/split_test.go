package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/saidtest"
)

// Form feeds end pages: no passage is on two pages, blank pages have none, and every byte is in one passage.
func TestSplitPages(t *testing.T) {
	t.Parallel()
	content := "One.\n\nMore of one.\n\f\f \nThree.\fFour.\f"
	var got []Passage
	end := 0
	for _, p := range Split(trilith.Document{Name: "a.txt", Content: content}) {
		if p.Start != end {
			t.Errorf("passage %q begins at %d, want %d", p.Text, p.Start, end)
		}
		end = p.End
		p.Start, p.End = 0, 0
		got = append(got, p)
	}
	want := []Passage{{Text: "One.\n\nMore of one.", Page: 1}, {Text: "Three.", Page: 3}, {Text: "Four.", Page: 4}}
	if diff := cmp.Diff(want, got); diff != "" || end != len(content) {
		t.Errorf("Split(%q) ends at %d (-want +got):\n%s", content, end, diff)
	}
	if got := Split(trilith.Document{Name: "a.md", Content: "One.\fTwo."}); len(got) != 1 || got[0].Page != 0 {
		t.Errorf("Split of markdown with a form feed = %+v, want one passage without a page", got)
	}
	if got := Split(trilith.Document{Name: "a.txt", Content: "\f\f"}); len(got) != 1 {
		t.Errorf("Split of blank pages = %+v, want one passage", got)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	long := func(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" goes on. ", n)) }
	code := "```go\nfunc f() {\n\n# not a heading\n}\n" + strings.Repeat("// more code\n", 120) + "```"
	table := "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 150)
	type piece struct{ Heading, Text string }
	for _, c := range []struct {
		why, name, content string
		want               []piece
	}{
		{"a short text is one passage", "a.txt", "One.\n\nTwo.\n", []piece{{"", "One.\n\nTwo."}}},
		{"plain text is not read as markdown", "a.txt", "# One\n\nTwo.", []piece{{"", "# One\n\nTwo."}}},
		{"paragraphs join up to the limit", "a.txt", long("A", 70) + "\n\n" + long("B", 70),
			[]piece{{"", long("A", 70)}, {"", long("B", 70)}}},
		{"sections have their path", "a.md", "# Guide\n\n" + long("A", 30) + "\n\n## Install\n\n" + long("B", 30) +
			"\n\n# End\n\n" + long("C", 30),
			[]piece{{"Guide", "# Guide\n\n" + long("A", 30)}, {"Guide > Install", "## Install\n\n" + long("B", 30)},
				{"End", "# End\n\n" + long("C", 30)}}},
		{"underlined headings", "a.md", "Guide\n=====\n\n" + long("A", 30) + "\n\nInstall\n---\n" + long("B", 30),
			[]piece{{"Guide", "Guide\n=====\n\n" + long("A", 30)},
				{"Guide > Install", "Install\n---\n" + long("B", 30)}}},
		{"a heading of headings stands with the first text", "a.md", "# Guide\n\n## Install\n\n" + long("A", 30),
			[]piece{{"Guide > Install", "# Guide\n\n## Install\n\n" + long("A", 30)}}},
		{"short sections join under what they share", "a.md", "# Guide\n\n## A\n\nOne.\n\n## B\n\nTwo.",
			[]piece{{"Guide", "# Guide\n\n## A\n\nOne.\n\n## B\n\nTwo."}}},
		{"a short section does not swallow a higher one", "a.md", "## A\n\nOne.\n\n# B\n\nTwo.",
			[]piece{{"A", "## A\n\nOne."}, {"B", "# B\n\nTwo."}}},
		{"front matter stays alone", "a.md", "---\ntitle: x\n---\n\nText.",
			[]piece{{"", "---\ntitle: x\n---"}, {"", "Text."}}},
		{"a rule is not front matter", "a.md", "---\n\nText.", []piece{{"", "---\n\nText."}}},
		{"code stays whole, with the words before it", "a.md", "Look:\n\n" + code + "\n\n" + long("A", 30),
			[]piece{{"", "Look:\n\n" + code}, {"", long("A", 30)}}},
		{"a table stays whole", "a.md", long("A", 30) + "\n\n" + table + "\n" + long("B", 30),
			[]piece{{"", long("A", 30)}, {"", strings.TrimSpace(table)}, {"", long("B", 30)}}},
		{"lists part between items", "a.md", "- " + long("A", 60) + "\n- " + long("B", 60) + "\n  " + long("C", 20),
			[]piece{{"", "- " + long("A", 60)}, {"", "- " + long("B", 60) + "\n  " + long("C", 20)}}},
		{"a heading's closing marks are not its title", "a.md", "## A # B ##\n\nOne.",
			[]piece{{"A # B", "## A # B ##\n\nOne."}}},
		{"the media type wins over the name", "", "# A\n\nOne.", []piece{{"A", "# A\n\nOne."}}},
		{"nothing is one passage, for the gate to refuse", "a.md", " \n", []piece{{"", " \n"}}},
	} {
		d := trilith.Document{Name: c.name, Content: c.content}
		if c.name == "" {
			d.MediaType = Markdown
		}
		var got []piece
		for _, p := range Split(d) {
			got = append(got, piece{p.Heading, p.Text})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Split: %s, but the passages differ (-want +got):\n%s", c.why, diff)
		}
	}
}

func TestSplitEndsAtSentences(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("This is a sentence of some words, and it ends here. ", 100),
		strings.Repeat("Ist das so? Ja, das ist so! ", 100),
		strings.Repeat("我们搬到了卑尔根。", 400),
	} {
		ps := Split(trilith.Document{Name: "a.txt", Content: text})
		for i, p := range ps {
			end, _ := utf8.DecodeLastRuneInString(p.Text)
			if len(p.Text) > maxPassage+minPassage || !strings.ContainsRune(".?!。", end) {
				t.Errorf("Split(%.30q…): passage %d of %d has %d bytes and ends with %q, want a sentence's end", text,
					i, len(ps), len(p.Text), end)
			}
		}
	}
}

// checkSplit is what holds for any document.
func checkSplit(tb interface {
	Helper()
	Fatalf(string, ...any)
}, d trilith.Document) {
	tb.Helper()
	at := 0
	for i, p := range Split(d) {
		if p.Start != at || p.End < p.Start {
			tb.Fatalf("Split(%q): passage %d is [%d:%d], the one before ended at %d", d.Content, i, p.Start, p.End, at)
		}
		at = p.End
		span := d.Content[p.Start:p.End]
		if !strings.Contains(span, p.Text) || strings.TrimSpace(span) != strings.TrimSpace(p.Text) {
			tb.Fatalf("Split(%q): passage %d is %q, its span is %q", d.Content, i, p.Text, span)
		}
		if len(p.Text) > trilith.MaxTextBytes || strings.TrimSpace(p.Text) == "" && strings.TrimSpace(d.Content) != "" {
			tb.Fatalf("Split(%.80q…): passage %d has %d bytes, %.20q", d.Content, i, len(p.Text), p.Text)
		}
		if utf8.ValidString(d.Content) && !utf8.ValidString(p.Text) || !utf8.ValidString(p.Heading) ||
			len(p.Heading) > trilith.MaxNameBytes {
			tb.Fatalf("Split(%q): passage %d has the text %q and the heading %q, which are cut inside a character",
				d.Content, i, p.Text, p.Heading)
		}
	}
	if at != len(d.Content) {
		tb.Fatalf("Split(%q): the passages end at %d of %d", d.Content, at, len(d.Content))
	}
}

func TestSplitLosesNothing(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"# A\n", "## B #\n", "###### F\n", "Title\n===\n", "Sub\n---\n", "```\n", "~~~ go\n", "- item\n", "  more\n",
		"1. one\n", "| a | b |\n", "|---|:-:|\n",
		"\n", "\n\n", "   \n", "\r\n", "---\n", "+++\n", "A sentence. ", "Ein längerer Satz, der weitergeht! ", "我们。",
		"word ", strings.Repeat("x", 700), strings.Repeat("A word. ", 200), "\u00e4", "\xff", "    code\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		checkSplit(t, trilith.Document{Name: rapid.SampledFrom([]string{"a.md", "a.txt"}).Draw(t, "name"),
			Content: content})
	})
}

func TestSplitLargeBlocks(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"```\n" + strings.Repeat("code without end\n", 40_000),
		"```\n" + strings.Repeat("é", 300_000),
		strings.Repeat("x", 600_000),
		"# " + strings.Repeat("a long title ", 3000),
		strings.Repeat("#", 300_000), strings.Repeat("|", 300_000) + "\n|-|\n",
	} {
		checkSplit(t, trilith.Document{Name: "a.md", Content: content})
	}
}

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		for _, media := range []string{Plain, Markdown} {
			for _, content := range []string{text, text + "\f" + text, "---\n" + text + "\n---\n" + text + "\n# " + text} {
				checkSplit(t, trilith.Document{Name: "a", MediaType: media, Content: Normalise(content)})
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("# A\n\ntext\n\n## B\n```\ncode\n```\n| a |\n|---|\n| b |\n", true)
	f.Add("---\na: b\n...\nTitle\n---\n- x\n\n1) y\n\n\n", true)
	f.Add("One.\n\nTwo。Three! "+strings.Repeat("é", 900), false)
	f.Add("one\n"+strings.Repeat("\f", 2500)+"two", true) // a piece of nothing but white space
	f.Fuzz(func(t *testing.T, content string, markdown bool) {
		d := trilith.Document{Name: "a", MediaType: Plain, Content: content}
		if markdown {
			d.MediaType = Markdown
		}
		checkSplit(t, d)
	})
}

func BenchmarkSplit_1MB(b *testing.B) {
	section := "## Section\n\n" + strings.Repeat("This is a sentence of some words, and it ends here. ", 30) +
		"\n\n- one\n- two\n\n```\ncode\n```\n\n"
	d := trilith.Document{Name: "a.md", Content: strings.Repeat(section, (1<<20)/len(section))}
	b.SetBytes(int64(len(d.Content)))
	b.ReportAllocs()
	for b.Loop() {
		Split(d)
	}
}
