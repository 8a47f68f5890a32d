package wordvec

import (
	_ "embed" // for the table
	"encoding/binary"
	"fmt"
	"math"
	"sync"
)

//go:embed table.bin
var file string // stays where the program's file is mapped, and is read where it is looked at

// shipped is the table inside the program.
var shipped = sync.OnceValue(func() *table {
	t, err := open(file)
	if err != nil {
		panic(err) // a test opens it
	}
	return t
})

// magic begins the file of a table and names its format:
//
//	magic, 8 bytes
//	dimensions, words and stems, each 4 bytes; numbers are little-endian throughout
//	the vectors of the words in order, one signed byte a dimension
//	the scales of the vectors, a float32 a word: the value of a byte of 1
//	the lexicon of the words
//	the shares of the stems, a float32 each
//	the lexicon of the stems
//
// A lexicon is the length of its strings together and the number of its slots, 4 bytes each, where each string ends,
// 4 bytes each, the strings, and the slots, 2 bytes each.
const magic = "wordvec1"

// table reads a file in place.
type table struct {
	words   lexicon
	vectors string
	scales  string
	stems   lexicon
	shares  string
}

// lexicon numbers distinct strings from 0.
type lexicon struct {
	ends  string
	text  string
	slots string // of a hash table with linear probing: the number of a string plus 1, or 0
}

// reader takes a file apart.
type reader struct {
	rest  string
	short bool // more was asked for than there is
}

// open returns the table in a file, or an error if its parts do not fit together.
func open(file string) (*table, error) {
	r := reader{rest: file}
	if m := r.take(len(magic)); m != magic {
		return nil, fmt.Errorf("wordvec: table: begins with %q, want %q", m, magic)
	}
	dims, words, stems := r.number(), r.number(), r.number()
	if dims != Dims {
		return nil, fmt.Errorf("wordvec: table: has %d dimensions, want %d", dims, Dims)
	}
	t := &table{}
	t.vectors = r.take(words * Dims)
	t.scales = r.take(words * 4)
	t.words = r.lexicon(words)
	t.shares = r.take(stems * 4)
	t.stems = r.lexicon(stems)
	if r.short || r.rest != "" {
		return nil, fmt.Errorf("wordvec: table: its parts have other lengths than its header says")
	}
	return t, nil
}

func (r *reader) lexicon(n int) lexicon {
	text, slots := r.number(), r.number()
	return lexicon{ends: r.take(n * 4), text: r.take(text), slots: r.take(slots * 2)}
}

func (r *reader) number() int {
	part := r.take(4)
	if len(part) < 4 {
		return 0
	}
	return uint32At(part, 0)
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.rest) {
		r.short, n = true, len(r.rest)
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

// find returns the number of a string, or -1.
func (l *lexicon) find(s string) int {
	mask := uint32(len(l.slots)/2 - 1)
	for h := hash(s) & mask; ; h = (h + 1) & mask {
		n := int(l.slots[2*h]) | int(l.slots[2*h+1])<<8
		if n == 0 {
			return -1
		}
		if l.at(n-1) == s {
			return n - 1
		}
	}
}

// at returns the string with number i.
func (l *lexicon) at(i int) string {
	start := 0
	if i > 0 {
		start = uint32At(l.ends, i-1)
	}
	return l.text[start:uint32At(l.ends, i)]
}

// addRow adds the vector of a word, times a weight.
func (t *table) addRow(sum *Sum, row int, weight float32) {
	weight *= float32At(t.scales, row)
	vector := t.vectors[row*Dims:][:Dims]
	for i := range sum {
		sum[i] += weight * float32(int8(vector[i]))
	}
}

func float32At(s string, i int) float32 { return math.Float32frombits(uint32(uint32At(s, i))) }

func uint32At(s string, i int) int {
	return int(s[4*i]) | int(s[4*i+1])<<8 | int(s[4*i+2])<<16 | int(s[4*i+3])<<24
}

// Entry is a word or a stem of a table to be written.
type Entry struct {
	Text   string
	Vector [Dims]int8 // of a word
	Scale  float32    // of a word
	Share  float32    // of a stem
}

// Encode returns the file of a table. There are at most 65,535 words, all distinct, and as many stems.
func Encode(words, stems []Entry) []byte {
	b := []byte(magic)
	for _, n := range []int{Dims, len(words), len(stems)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	for _, w := range words {
		for _, x := range w.Vector {
			b = append(b, byte(x))
		}
	}
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(w.Scale))
	}
	b = appendLexicon(b, words)
	for _, s := range stems {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s.Share))
	}
	return appendLexicon(b, stems)
}

func appendLexicon(b []byte, entries []Entry) []byte {
	slots := 1
	for slots < 2*len(entries)+1 {
		slots *= 2
	}
	taken := make([]uint16, slots)
	var ends, text []byte
	for i, e := range entries {
		h := int(hash(e.Text)) & (slots - 1)
		for taken[h] != 0 {
			h = (h + 1) & (slots - 1)
		}
		taken[h] = uint16(i + 1)
		text = append(text, e.Text...)
		ends = binary.LittleEndian.AppendUint32(ends, uint32(len(text)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, uint32(slots))
	b = append(append(b, ends...), text...)
	for _, n := range taken {
		b = binary.LittleEndian.AppendUint16(b, n)
	}
	return b
}

// hash is 32-bit FNV-1a (Fowler, Noll, Vo) with the high bits mixed into the low ones, which choose the slot.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>15
}
