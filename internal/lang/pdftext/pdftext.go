// Package pdftext reads the text layer of PDF files, page by page.
//
// A PDF contains positions of glyphs, not words. The package executes the content stream of a page, maps codes to
// characters by the fonts, and derives spaces, lines and paragraphs from the distances between glyphs, in the order in
// which they are drawn. It does not read pictures: a scan without a text layer has no text.
//
// The structure of the file (objects, cross-references, streams) is read by github.com/ledongthuc/pdf. A broken file is
// an error, never a panic, and never an endless loop.
package pdftext

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Errors for files that cannot be read.
var (
	ErrFormat    = errors.New("is not a PDF file, or is damaged; save it as PDF again")
	ErrEncrypted = errors.New("is encrypted; save a copy without a password")
	ErrNoText    = errors.New("has no text layer, like a scan; run text recognition (OCR) on it first")
	ErrGarbled   = errors.New(
		"does not map its glyphs to characters; print it to a new PDF file, or run text recognition (OCR) on it")
)

// PageError is the error of one page.
type PageError struct {
	Page int // from 1
	Err  error
}

// Error names the page.
func (e *PageError) Error() string { return fmt.Sprintf("page %d: %v", e.Page, e.Err) }

// Unwrap returns the cause.
func (e *PageError) Unwrap() error { return e.Err }

// Pages returns the text of every page, empty for one without text. A page that cannot be read is empty, and the error
// joins a [*PageError] for each; with any other error there are no pages.
func Pages(data []byte) (pages []string, err error) {
	if data, err = tidy(data); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			pages, err = nil, unreadable(data, r)
		}
	}()
	file := &bounded{r: bytes.NewReader(data), left: int64(len(data))*readsPerByte + leastReads, swelling: map[int64]int64{}}
	r, err := pdf.NewReader(file, int64(len(data)))
	switch {
	case err != nil:
		return nil, unreadable(data, err)
	case !r.Trailer().Key("Encrypt").IsNull():
		return nil, ErrEncrypted
	}
	d := &document{}
	d.walk(r.Trailer().Key("Root").Key("Pages"), pdf.Value{}, 0)
	if len(d.pages) == 0 {
		return nil, ErrFormat
	}
	var broken []error
	seen, unknown := 0, 0
	for i, p := range d.pages {
		text, err := readPage(p)
		if err != nil {
			broken = append(broken, &PageError{Page: i + 1, Err: err})
		}
		seen += len([]rune(strings.TrimSpace(text)))
		unknown += strings.Count(text, "\uFFFD")
		pages = append(pages, text)
	}
	switch {
	case seen == 0 && len(broken) > 0:
		return nil, fmt.Errorf("%w (%w)", ErrFormat, broken[0])
	case seen == 0:
		return nil, ErrNoText
	case unknown > seen/4:
		return nil, ErrGarbled
	}
	return pages, errors.Join(broken...)
}

// unreadable returns the error for a file that could not be read. The Encrypt entry itself is never encrypted, so it
// can be searched for.
func unreadable(data []byte, cause any) error {
	if bytes.Contains(data, []byte("/Encrypt")) {
		return ErrEncrypted
	}
	return fmt.Errorf("%w (%v)", ErrFormat, cause)
}

// Limits: reading ends, whatever a file contains.
const (
	readsPerByte = 200     // a file's objects are read again at every use; bytes of swelling count twice
	leastReads   = 8 << 20 // bytes
	maxPages     = 20_000
	maxNesting   = 32
	maxForms     = 8
	maxFilters   = 8
	usualPacking = 10
	maxPageBytes = 4 << 20 // of text
	maxProgram   = 64 << 20
)

// bounded limits how much is read from a file, so that objects that refer to each other in a cycle end, and how much its
// streams unpack to, which costs as much.
type bounded struct {
	r        *bytes.Reader
	left     int64
	swelling map[int64]int64 // by the offset of a stream
}

// ReadAt panics when the limit is exceeded; [Pages] turns that into an error.
func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.r.ReadAt(p, off)
	if b.left -= int64(n) + 64 + 2*b.swells(off, n); b.left < 0 {
		panic("it unpacks to more than 100 times its size, or its objects refer to each other in a cycle")
	}
	return n, err
}

// swells returns how many bytes the filters make of a stream that begins at off, beyond the usual; 0 if none does there.
func (b *bounded) swells(off int64, read int) int64 {
	if n, ok := b.swelling[off]; ok {
		return n
	}
	packed := io.NewSectionReader(b.r, off, b.r.Size())
	var layers []*io.LimitedReader
	for r := io.Reader(packed); len(layers) < maxFilters; {
		z, err := zlib.NewReader(r)
		if err != nil {
			break
		}
		layer := &io.LimitedReader{R: z, N: b.left}
		layers, r = append(layers, layer), bufio.NewReader(layer)
	}
	var n int64
	for _, layer := range slices.Backward(layers) {
		_, _ = io.Copy(io.Discard, layer) // an outer one may go on where the inner has ended
		n += b.left - layer.N
	}
	used, _ := packed.Seek(0, io.SeekCurrent)
	n = max(0, n-usualPacking*max(int64(read), used-4096))
	if len(layers) > 0 { // 4096 bytes are read ahead
		b.swelling[off] = n
	}
	return n
}

// tidy corrects a file for strict readers: it removes any bytes before the header, writes a version that they accept,
// and puts the end mark last.
func tidy(data []byte) ([]byte, error) {
	start := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-"))
	end := bytes.LastIndex(data, []byte("%%EOF"))
	if start < 0 || end < start+10 {
		return nil, ErrFormat
	}
	data = bytes.Clone(data[start : end+len("%%EOF")])
	copy(data[5:9], "1.7\n")
	return data, countable(data)
}

// counts matches the numbers of items that a file declares and for which memory is allocated before they are read.
var counts = regexp.MustCompile(
	`/(?:Size|Index|Columns|W|N)\s*\[?[\s\d]{0,64}?(\d{7,})|(\d{7,})\s+\d+\s+\d{10} \d{5} [nf]`)

// countable returns an error for a file that declares more items than it can contain, because allocating memory for
// them could end the program.
func countable(data []byte) error {
	for _, m := range counts.FindAllSubmatch(data, -1) {
		if n, err := strconv.Atoi(string(append(m[1], m[2]...))); err != nil || n > max(len(data), 1<<20) {
			return fmt.Errorf("%w (it declares more objects than it can contain)", ErrFormat)
		}
	}
	return nil
}

// document collects the pages of a file with their inherited attributes.
type document struct {
	pages []page
}

type page struct {
	v         pdf.Value
	resources pdf.Value
}

func (d *document) walk(v, resources pdf.Value, depth int) {
	if own := v.Key("Resources"); !own.IsNull() {
		resources = own
	}
	kids := v.Key("Kids")
	if kids.Kind() != pdf.Array {
		if v.Kind() == pdf.Dict && len(d.pages) < maxPages {
			d.pages = append(d.pages, page{v, resources})
		}
		return
	}
	for i := 0; i < kids.Len() && depth < maxNesting && len(d.pages) < maxPages; i++ {
		d.walk(kids.Index(i), resources, depth+1)
	}
}

// readPage returns the text read before an error.
func readPage(p page) (text string, err error) {
	in := newInterpreter()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		text = in.out.text()
	}()
	contents := p.v.Key("Contents")
	var program []byte
	if contents.Kind() == pdf.Array {
		for i := range contents.Len() {
			program = append(append(program, streamBytes(contents.Index(i))...), '\n')
		}
	} else if !contents.IsNull() {
		program = streamBytes(contents)
	}
	in.run(program, p.resources, 0)
	return "", nil
}

func streamBytes(v pdf.Value) []byte {
	r := v.Reader()
	defer r.Close()
	data, _ := io.ReadAll(io.LimitReader(r, maxProgram)) // a truncated stream is read as far as possible
	return data
}
