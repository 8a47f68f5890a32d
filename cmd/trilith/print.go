package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// printer writes results: for people with tables, and colour where there is a terminal, or for machines as JSON.
type printer struct {
	w        io.Writer
	json     bool
	terminal bool
	width    int
}

func newPrinter(w io.Writer, asJSON bool) *printer {
	p := &printer{w: w, json: asJSON, width: 160}
	if isTerminal(w) {
		f := w.(*os.File)
		p.terminal = true
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 40 {
			p.width = cols
		}
	}
	return p
}

// isTerminal reports whether a person sits at the other end of a stream.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// told prints an answer, or passes on its error.
func (a *app) told(v any, err error, human func()) error {
	if err != nil {
		return err
	}
	return a.out.result(v, human)
}

// result prints v as JSON, or lets human print it.
func (p *printer) result(v any, human func()) error {
	if !p.json {
		human()
		return nil
	}
	return encodeJSON(p.w, "  ", v)
}

// encodeJSON writes a value without escaping < and >.
func encodeJSON(w io.Writer, indent string, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

func (p *printer) linef(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// The styles, nothing where there is no terminal.
func (p *printer) bold(s string) string { return p.style("1", s) }

func (p *printer) dim(s string) string { return p.style("2", s) }

func (p *printer) good(s string) string { return p.style("32", s) }

func (p *printer) bad(s string) string { return p.style("31", s) }

func (p *printer) style(code, s string) string {
	if !p.terminal {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// memories prints one line a memory.
func (p *printer) memories(ms []trilith.Memory) {
	p.table([]string{"ID", "DATE", "KIND", "STATE", "TEXT"}, rows(ms, func(m *trilith.Memory) []string {
		return []string{string(m.ID), m.EventTime.Format(time.DateOnly), string(m.Kind), string(m.State),
			p.text(m, p.width-76)}
	}))
}

// page prints a page of memories.
func (p *printer) page(page trilith.Page) {
	p.memories(page.Items)
	p.more(page.NextCursor)
}

// table prints rows under a heading, columns aligned.
func (p *printer) table(heading []string, rows [][]string) {
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(heading, "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	_ = w.Flush()
}

// rows are the rows of a table, one for each item.
func rows[T any](items []T, row func(*T) []string) [][]string {
	out := make([][]string, len(items))
	for i := range items {
		out[i] = row(&items[i])
	}
	return out
}

// text is a memory's text on one line, cut to a width, with its speaker; a fact has none.
func (p *printer) text(m *trilith.Memory, width int) string {
	if m.Speaker != "" && m.Kind != trilith.KindFact {
		return p.line(m.Speaker+": "+m.Text, width)
	}
	return p.line(m.Text, width)
}

// line is stored text on one line, cut to a width, without characters that could play tricks on a terminal.
func (p *printer) line(s string, width int) string {
	s = strings.Join(strings.Fields(gate.Clean(s)), " ")
	if r := []rune(s); len(r) > max(width, 24) {
		return string(r[:max(width, 24)-1]) + "…"
	}
	return s
}

// bar shows progress on standard error, only where a person looks at it.
type bar struct{ b *progressbar.ProgressBar }

func (a *app) bar(what string, total int64, more ...progressbar.Option) bar {
	f, ok := a.stderr.(*os.File)
	if a.JSON || !ok || !term.IsTerminal(int(f.Fd())) {
		return bar{}
	}
	options := []progressbar.Option{progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(f),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish()}
	return bar{progressbar.NewOptions64(total, append(options, more...)...)}
}

func (b bar) set(done, total int64) {
	if b.b == nil {
		return
	}
	if b.b.GetMax64() != total {
		b.b.ChangeMax64(total)
	}
	_ = b.b.Set64(done)
}

func (b bar) finish() {
	if b.b != nil {
		_ = b.b.Finish()
	}
}

// plain is stored text without characters that could play tricks on a terminal.
func plain(s string) string { return gate.Clean(s) }
