package pdftext

import (
	"bytes"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// state is the graphics state that q saves and Q restores.
type state struct {
	ctm                  matrix
	font                 *font
	size                 float64
	charSpace, wordSpace float64
	scale                float64 // horizontal
	leading, rise        float64
}

// interpreter executes the text operators of a page's content stream.
type interpreter struct {
	state
	saved    []state
	text     matrix
	line     matrix
	fonts    map[string]*font // by resource name
	out      layout
	resource int // number of resources entered, which distinguishes fonts of forms
}

func newInterpreter() *interpreter {
	return &interpreter{state: state{ctm: identity, scale: 1}, text: identity, line: identity,
		fonts: map[string]*font{}}
}

// run executes a content stream; forms in it run with their own resources.
func (in *interpreter) run(program []byte, resources pdf.Value, depth int) {
	in.resource++
	level := in.resource
	base := len(in.saved)
	l := &lexer{data: program}
	for in.out.size() < maxPageBytes {
		op, args, ok := l.next()
		if !ok {
			break
		}
		switch op {
		case "Tf":
			if len(args) >= 2 {
				in.font, in.size = in.fontOf(resources, args[len(args)-2].text, level), args[len(args)-1].number
			}
		case "Do":
			if len(args) > 0 && depth < maxForms {
				in.form(resources.Key("XObject").Key(args[len(args)-1].text), resources, depth)
			}
		case "Q":
			if len(in.saved) > base {
				in.state, in.saved = in.saved[len(in.saved)-1], in.saved[:len(in.saved)-1]
			}
		default:
			in.do(op, args)
		}
	}
	if len(in.saved) > base {
		in.state, in.saved = in.saved[base], in.saved[:base]
	}
}

func (in *interpreter) fontOf(resources pdf.Value, name string, level int) *font {
	key := string(rune(level)) + name
	if f, ok := in.fonts[key]; ok {
		return f
	}
	f := newFont(resources.Key("Font").Key(name))
	in.fonts[key] = f
	return f
}

// form executes a form XObject, a part of a page that is used by name.
func (in *interpreter) form(v, resources pdf.Value, depth int) {
	if v.Key("Subtype").Name() != "Form" {
		return
	}
	if own := v.Key("Resources"); !own.IsNull() {
		resources = own
	}
	before, text, line := in.state, in.text, in.line
	if m := v.Key("Matrix"); m.Len() == 6 {
		f := func(i int) float64 { return m.Index(i).Float64() }
		in.ctm = matrix{f(0), f(1), f(2), f(3), f(4), f(5)}.then(in.ctm)
	}
	in.run(streamBytes(v), resources, depth+1)
	in.state, in.text, in.line = before, text, line
}

// do executes the operators that need no resources. A missing operand counts as zero.
func (in *interpreter) do(op string, args []operand) {
	num := func(i, of int) float64 {
		if i += len(args) - of; i >= 0 && i < len(args) && !math.IsInf(args[i].number, 0) {
			return args[i].number
		}
		return 0
	}
	last := operand{}
	if len(args) > 0 {
		last = args[len(args)-1]
	}
	switch op {
	case "q":
		if len(in.saved) < 1<<16 {
			in.saved = append(in.saved, in.state)
		}
	case "cm":
		in.ctm = matrix{num(0, 6), num(1, 6), num(2, 6), num(3, 6), num(4, 6), num(5, 6)}.then(in.ctm)
	case "BT":
		in.text, in.line = identity, identity
	case "Tc":
		in.charSpace = num(0, 1)
	case "Tw":
		in.wordSpace = num(0, 1)
	case "Tz":
		in.scale = num(0, 1) / 100
	case "TL":
		in.leading = num(0, 1)
	case "Ts":
		in.rise = num(0, 1)
	case "Td":
		in.move(num(0, 2), num(1, 2))
	case "TD":
		in.leading = -num(1, 2)
		in.move(num(0, 2), num(1, 2))
	case "Tm":
		in.text = matrix{num(0, 6), num(1, 6), num(2, 6), num(3, 6), num(4, 6), num(5, 6)}
		in.line = in.text
	case "T*":
		in.move(0, -in.leading)
	case "Tj":
		in.show(last.text)
	case "'":
		in.move(0, -in.leading)
		in.show(last.text)
	case "\"":
		in.wordSpace, in.charSpace = num(0, 3), num(1, 3)
		in.move(0, -in.leading)
		in.show(last.text)
	case "TJ":
		for _, e := range last.list {
			if e.kind == 's' {
				in.show(e.text)
				continue
			}
			in.advance(-e.number / 1000 * in.size * in.scale)
		}
	}
}

func (in *interpreter) move(x, y float64) {
	in.line = matrix{1, 0, 0, 1, x, y}.then(in.line)
	in.text = in.line
}

// show writes a string of codes.
func (in *interpreter) show(codes string) {
	if in.font == nil {
		return
	}
	in.font.each(codes, func(g glyph) {
		at := matrix{1, 0, 0, 1, 0, in.rise}.then(in.text).then(in.ctm)
		width := g.width / 1000 * in.size
		in.out.add(g.text, at, in.size, width*in.scale)
		step := width + in.charSpace
		if g.space {
			step += in.wordSpace
		}
		in.advance(step * in.scale)
	})
}

// layout turns glyphs into text in the order in which they are drawn.
type layout struct {
	b        []byte
	begun    bool
	x, y     float64 // expected position of the next glyph of the same run
	cos, sin float64 // the direction of the line
	height   float64 // of the font, on the page
	ended    bool    // with white space
}

func (l *layout) size() int { return len(l.b) }

// Distances in font sizes. Glyphs that are further apart on a line belong to two words; across the line they belong to
// two lines, and beyond that to two paragraphs.
const (
	wordGap      = 0.18
	lineGap      = 0.5
	paragraphGap = 1.7
)

// readable replaces ligatures by their letters, so that words with them can be found.
var readable = strings.NewReplacer("\uFB00", "ff", "\uFB01", "fi", "\uFB02", "fl", "\uFB03", "ffi", "\uFB04", "ffl",
	"\uFB05", "st", "\uFB06", "st",
	"\u00A0", " ")

// add adds a glyph at the position m.
func (l *layout) add(text string, m matrix, size, width float64) {
	run := math.Hypot(m.a, m.b)
	if run == 0 || math.IsNaN(run) {
		return
	}
	height := math.Abs(size) * math.Hypot(m.c, m.d)
	cos, sin := m.a/run, m.b/run
	if size < 0 {
		cos, sin = -cos, -sin
	}
	text = strings.Map(visible, readable.Replace(text))
	if text == "" {
		return
	}
	space := strings.TrimSpace(text) == ""
	if l.begun && !space {
		dx, dy := m.e-l.x, m.f-l.y
		along, across := dx*cos+dy*sin, dy*cos-dx*sin
		em := max(min(height, l.height), 1e-6)
		turned := cos*l.cos+sin*l.sin < 0.9
		switch {
		case turned || math.Abs(across) > paragraphGap*max(height, l.height):
			l.end("\n\n")
		case math.Abs(across) > lineGap*em:
			l.end("\n")
		case along > wordGap*em || along < -em:
			if !l.ended {
				l.b = append(l.b, ' ')
			}
		}
	}
	if !space {
		l.b = append(l.b, text...)
		l.ended = false
	} else if l.begun && !l.ended {
		l.b = append(l.b, ' ')
		l.ended = true
	}
	if !space || l.begun {
		end := width * run
		l.begun, l.x, l.y, l.cos, l.sin, l.height = true, m.e+end*m.a/run, m.f+end*m.b/run, cos, sin, height
	}
}

// visible drops control characters, which stand for glyphs without a character.
func visible(r rune) rune {
	if r < ' ' || r >= 0x7F && r < 0xA0 {
		return -1
	}
	return r
}

// end ends a line, or a paragraph.
func (l *layout) end(lines string) {
	l.b = append(bytes.TrimRight(l.b, " "), lines...)
	l.ended = true
}

func (in *interpreter) advance(x float64) {
	in.text = matrix{1, 0, 0, 1, x, 0}.then(in.text)
}

// then returns the matrix that applies m and then n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func (l *layout) text() string { return string(bytes.TrimSpace(l.b)) }
