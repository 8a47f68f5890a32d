package pdftext

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// glyph is one code of a font.
type glyph struct {
	text  string
	width float64 // in thousandths of the size
	space bool    // the code is a space, which word spacing widens
}

// font maps codes to characters.
type font struct {
	wide     bool // codes of more than one byte
	utf16    bool // codes are UTF-16
	unicode  *codeMap
	table    [256]string // for fonts with codes of one byte
	widths   map[int]float64
	fallback float64 // width of codes that are not in widths
}

// widthless is the width of a glyph without a given width: that of many small letters.
const widthless = 500

func newFont(v pdf.Value) *font {
	f := &font{widths: map[int]float64{}, fallback: widthless}
	if m := v.Key("ToUnicode"); m.Kind() == pdf.Stream {
		f.unicode = readCodeMap(streamBytes(m))
	}
	if v.Key("Subtype").Name() == "Type0" {
		f.composite(v)
		return f
	}
	first, widths := int(v.Key("FirstChar").Int64()), v.Key("Widths")
	for i := range min(widths.Len(), 256) {
		f.widths[first+i] = widths.Index(i).Float64()
	}
	if w := v.Key("FontDescriptor").Key("MissingWidth").Float64(); w > 0 {
		f.fallback = w
	}
	if m := v.Key("FontMatrix"); v.Key("Subtype").Name() == "Type3" && m.Len() == 6 {
		for code := range f.widths {
			f.widths[code] *= m.Index(0).Float64() * 1000
		}
	}
	f.simple(v)
	return f
}

// composite reads the codes and widths of a composite font.
func (f *font) composite(v pdf.Value) {
	f.wide = true
	encoding := v.Key("Encoding").Name()
	f.utf16 = strings.Contains(encoding, "UCS2") || strings.Contains(encoding, "UTF16")
	below := v.Key("DescendantFonts").Index(0)
	f.fallback = 1000
	if w := below.Key("DW"); !w.IsNull() {
		f.fallback = w.Float64()
	}
	// code [w w w], or first last w
	for w, i := below.Key("W"), 0; i+1 < w.Len(); {
		first := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for k := range list.Len() {
				f.widths[first+k] = list.Index(k).Float64()
			}
			i += 2
			continue
		}
		last := min(int(w.Index(i+1).Int64()), first+1<<16)
		for code := first; code <= last && i+2 < w.Len(); code++ {
			f.widths[code] = w.Index(i + 2).Float64()
		}
		i += 3
	}
}

// standard lists the letters for which the standard encoding differs from Windows-1252.
var standard = map[byte]string{0x27: "’", 0x60: "‘", 0xA4: "⁄", 0xA6: "ƒ", 0xAA: "“", 0xAC: "‹", 0xAD: "›", 0xAE: "fi",
	0xAF: "fl", 0xB1: "–",
	0xB7: "•", 0xB9: "„", 0xBA: "”", 0xBC: "…", 0xC1: "`", 0xD0: "—", 0xE1: "Æ", 0xE8: "Ł", 0xE9: "Ø", 0xEA: "Œ",
	0xF1: "æ", 0xF5: "ı", 0xF8: "ł",
	0xF9: "ø", 0xFA: "œ", 0xFB: "ß"}

// simple fills the table of a font with codes of one byte: its base encoding, then the differences from that.
func (f *font) simple(v pdf.Value) {
	encoding := v.Key("Encoding")
	base := encoding.Name()
	if encoding.Kind() == pdf.Dict {
		base = encoding.Key("BaseEncoding").Name()
	}
	page := charmap.Windows1252
	if base == "MacRomanEncoding" {
		page = charmap.Macintosh
	}
	for code := range 256 {
		f.table[code] = string(page.DecodeByte(byte(code)))
		if s, ok := standard[byte(code)]; ok && base == "" {
			f.table[code] = s
		}
	}
	if encoding.Kind() != pdf.Dict {
		return
	}
	font := pdf.Font{V: v}
	named := font.Encoder() // it knows glyph names, and leaves codes without a name unchanged
	for code := range 256 {
		if s := named.Decode(string([]byte{byte(code)})); s != string(rune(code)) && s != "" {
			f.table[code] = s
		}
	}
}

// each calls do for every glyph of a string.
func (f *font) each(codes string, do func(glyph)) {
	for len(codes) > 0 {
		n := 1
		if f.wide {
			n = f.unicode.length(codes)
		}
		raw := codes[:n]
		codes = codes[n:]
		code := 0
		for i := range n {
			code = code<<8 | int(raw[i])
		}
		g := glyph{width: f.fallback, space: raw == " "}
		if w, ok := f.widths[code]; ok {
			g.width = w
		}
		switch text, ok := f.unicode.text(raw); {
		case ok:
			g.text = text
		case f.utf16:
			g.text = fromUTF16(raw)
		case f.wide:
			g.text = "\uFFFD"
		default:
			g.text = f.table[raw[0]]
		}
		do(g)
	}
}

// codeMap is a ToUnicode map.
type codeMap struct {
	lengths map[int]bool // of the codes
	texts   map[string]string
	ranges  []codeRange
}

type codeRange struct {
	low, high string // of equal length
	to        string // UTF-16 of low
}

func readCodeMap(data []byte) *codeMap {
	m := &codeMap{lengths: map[int]bool{}, texts: map[string]string{}}
	l := &lexer{data: data}
	for {
		op, args, ok := l.next()
		if !ok {
			return m
		}
		strs := args[:0:0]
		for _, a := range args {
			if a.kind == 's' || a.kind == '[' {
				strs = append(strs, a)
			}
		}
		switch op {
		case "endcodespacerange":
			for i := 0; i+1 < len(strs); i += 2 {
				if n := len(strs[i].text); n > 0 && n <= 4 {
					m.lengths[n] = true
				}
			}
		case "endbfchar":
			for i := 0; i+1 < len(strs); i += 2 {
				m.texts[strs[i].text] = fromUTF16(strs[i+1].text)
			}
		case "endbfrange":
			for i := 0; i+2 < len(strs); i += 3 {
				m.addRange(strs[i].text, strs[i+1].text, strs[i+2])
			}
		}
	}
}

func (m *codeMap) addRange(low, high string, to operand) {
	if len(low) == 0 || len(low) > 4 || len(low) != len(high) {
		return
	}
	if to.kind == 's' {
		m.ranges = append(m.ranges, codeRange{low, high, to.text})
		return
	}
	first := number(low)
	for i, e := range to.list {
		var code [8]byte
		binary.BigEndian.PutUint64(code[:], first+uint64(i))
		m.texts[string(code[8-len(low):])] = fromUTF16(e.text)
	}
}

// length returns the length of the code at the beginning of a string.
func (m *codeMap) length(codes string) int {
	if m != nil && len(m.lengths) > 0 && !m.lengths[2] {
		for n := 1; n <= 4; n++ {
			if m.lengths[n] {
				return min(n, len(codes))
			}
		}
	}
	return min(2, len(codes))
}

func (m *codeMap) text(raw string) (string, bool) {
	if m == nil {
		return "", false
	}
	if s, ok := m.texts[raw]; ok {
		return s, true
	}
	for _, r := range m.ranges {
		if len(r.low) == len(raw) && r.low <= raw && raw <= r.high {
			return fromUTF16(raise(r.to, number(raw)-number(r.low))), true
		}
	}
	return "", false
}

// raise adds to the last unit of a UTF-16 string.
func raise(s string, by uint64) string {
	if len(s) < 2 {
		return s
	}
	b := []byte(s)
	last := b[len(b)-2:]
	binary.BigEndian.PutUint16(last, binary.BigEndian.Uint16(last)+uint16(by))
	return string(b)
}

func number(s string) uint64 {
	n := uint64(0)
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return n
}

func fromUTF16(s string) string {
	if len(s) == 1 { // some files write one byte instead of two
		return string(rune(s[0]))
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}
