package pdftext_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/lang/pdftext"
)

// file is a PDF file in the making: objects by their number, from 1. The first is the catalogue, the second the tree of
// pages, the third a font F of single bytes.
type file struct {
	objects []string
	trailer string
}

func newFile(pages ...string) *file {
	f := &file{objects: []string{"<</Type/Catalog/Pages 2 0 R>>", "",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}}
	var kids strings.Builder
	for _, program := range pages {
		contents := f.add(stream("", program))
		fmt.Fprintf(&kids, "%d 0 R ", f.add(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", contents)))
	}
	f.objects[1] = fmt.Sprintf(
		"<</Type/Pages/Count %d/Kids[%s]/Resources<</Font<</F 3 0 R/G 100 0 R>>/XObject<</X 101 0 R>>>>>>", len(pages),
		kids.String())
	return f
}

// add adds an object and returns its number.
func (f *file) add(body string) int {
	f.objects = append(f.objects, body)
	return len(f.objects)
}

// set makes an object of a number of its own.
func (f *file) set(number int, body string) *file {
	for len(f.objects) < number {
		f.objects = append(f.objects, "null")
	}
	f.objects[number-1] = body
	return f
}

func stream(dict, body string) string {
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(body), dict, body)
}

func packed(body string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(body)) // a buffer takes all
	_ = w.Close()
	return stream("/Filter/FlateDecode", b.String())
}

func (f *file) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(f.objects))
	for i, body := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, f.trailer, start)
	return b.Bytes()
}

func TestPages(t *testing.T) {
	t.Parallel()
	toUnicode := packed("begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <004F> <0002> <00660069> endbfchar " +
		"2 beginbfrange <0003> <0005> <0061> <0006> <0007> [<0064> <D83DDC1D>] endbfrange endcmap")
	for _, c := range []struct {
		why  string
		file *file
		want []string
	}{
		{"a line", newFile("BT /F 12 Tf 72 700 Td (Odile keeps bees.) Tj ET"), []string{"Odile keeps bees."}},
		{"pages are in order, one without text among them",
			newFile("BT /F 12 Tf (One) Tj ET", "", "BT /F 12 Tf (Two) Tj ET"), []string{"One", "", "Two"}},
		{"near lines follow each other, far ones begin a paragraph",
			newFile("BT /F 10 Tf 12 TL 72 700 Td (One) Tj T* (two) Tj 0 -30 Td (Three) Tj (four) ' ET"),
			[]string{"One\ntwo\n\nThree\nfour"}},
		{"gaps inside a line are spaces, kerning is none",
			newFile("BT /F 10 Tf [(H)20(ello)-300(bees)-15(,)-400(hi)] TJ ET"), []string{"Hello bees, hi"}},
		{"letters that are placed one by one are a word",
			newFile("BT /F 10 Tf 1 0 0 1 72 700 Tm (b) Tj 1 0 0 1 77 700 Tm (e) Tj 1 0 0 1 82 700 Tm (e) Tj 1 0 0 1 120 700 Tm (x) Tj ET"), []string{"bee x"}},
		{"cells of a row are apart", newFile("BT /F 10 Tf 72 700 Td (Hive) Tj 100 0 Td (31 kg) Tj ET"),
			[]string{"Hive 31 kg"}},
		{"a page that is turned", newFile("BT /F 10 Tf 0 1 -1 0 100 100 Tm (Up) Tj 0 1 -1 0 112 100 Tm (next) Tj ET"),
			[]string{"Up\nnext"}},
		{"scaled by the page, not by the font",
			newFile("q 12 0 0 12 0 0 cm BT /F 1 Tf 1 50 Td (One) Tj 0 -1.2 Td (two) Tj ET Q"), []string{"One\ntwo"}},
		{"escapes and hexadecimal strings", newFile(`BT /F 10 Tf (a\(b\)\\ \303\(\
\101) Tj <204A6f> Tj ET`), []string{"a(b)\\ Ã(A Jo"}},
		{"Windows characters", newFile("BT /F 10 Tf (caf\xe9 \x93B\xe4r\x94 \x96 5 \x80) Tj ET"),
			[]string{"café “Bär” – 5 €"}},
		{"an image inside the page",
			newFile("BT /F 10 Tf (before) Tj ET BI /W 2 /H 1 ID (\xff)(EI x EI\nBT /F 10 Tf 0 -12 Td (behind) Tj ET"),
			[]string{"before\nbehind"}},
		{"a form, with a font of its own", newFile("BT /F 10 Tf (outside) Tj ET /X Do").set(101, stream(
			"/Subtype/Form/Matrix[1 0 0 1 0 -12]/Resources<</Font<</F 102 0 R>>>>", "BT /F 10 Tf (inside) Tj ET")).
			set(102, "<</Type/Font/Subtype/TrueType/Encoding/MacRomanEncoding>>"), []string{"outside\ninside"}},
		{"a form that uses itself",
			newFile("BT /F 10 Tf (once) Tj ET /X Do").set(101, stream("/Subtype/Form", "/X Do")), []string{"once"}},
		{"a font of many characters", newFile("BT /G 10 Tf <000100020003000400050006 0007> Tj ET").
			set(100, "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[102 0 R]/ToUnicode 103 0 R>>").
			set(102, "<</Type/Font/Subtype/CIDFontType2/DW 500/W[1[600 700] 3 5 400]>>").set(103, toUnicode),
			[]string{"Ofiabcd🐝"}},
		{"a font that names its glyphs", newFile("BT /G 10 Tf (\x01\x02 ok '\x03) Tj ET").
			set(100, "<</Type/Font/Subtype/Type1/Encoding<</Differences[1/eacute 2/fi 3/germandbls]>>>>"),
			[]string{"éfi ok ’ß"}},
		{"ligatures are letters",
			newFile("BT /G 10 Tf (A) Tj ET").set(100, "<</Type/Font/Subtype/Type1/ToUnicode 103 0 R>>").
				set(103, stream("", "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <FB03> endbfchar")), []string{"ffi"}},
		{"packed streams in parts", newFile("").set(5, "<</Type/Page/Parent 2 0 R/Contents[110 0 R 111 0 R]>>").
			set(110, packed("BT /F 10 Tf (One) Tj ET")).set(111, packed("BT /F 10 Tf 0 -12 Td (two) Tj ET")),
			[]string{"One\ntwo"}},
		{"faults in the program", newFile("Q Q ] > BT /F 10 Tf (One) Tj [ (two) Tj /None Do 1 2 cm"), []string{"One"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			got, err := pdftext.Pages(c.file.bytes())
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("Pages: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	text := "BT /F 12 Tf (Odile keeps bees.) Tj ET"
	encrypted := newFile(text)
	encrypted.trailer = "/ID[(a)(a)]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/O(0123456789abcdef0123456789abcdef)/U(0123456789abcdef0123456789abcdef)/P -4>>"
	stronger := newFile(text)
	stronger.trailer = "/ID[(a)(a)]/Encrypt<</Filter/Standard/V 5/R 6/Length 256>>"
	ring := newFile(text)
	ring.objects[1] = "<</Type/Pages/Count 1/Kids[2 0 R 2 0 R]>>"
	endless := newFile(text)
	endless.trailer = "/Prev 9999999"
	body := string(newFile(text).bytes())
	start := strings.Index(body, "xref\n0")
	loop := strings.Replace(body, "/Root 1 0 R>>", fmt.Sprintf("/Root 1 0 R/Prev %d>>", start), 1)
	for _, c := range []struct {
		why  string
		data []byte
		want error
	}{
		{"not a PDF", []byte("Dear Pim,"), pdftext.ErrFormat},
		{"nothing", nil, pdftext.ErrFormat},
		{"cut off", newFile(text).bytes()[:200], pdftext.ErrFormat},
		{"a password", encrypted.bytes(), pdftext.ErrEncrypted},
		{"a cipher of today", stronger.bytes(), pdftext.ErrEncrypted},
		{"a scan", newFile("q 612 0 0 792 0 0 cm /X Do Q").set(
			101, stream("/Subtype/Image/Width 1/Height 1", "\x00")).bytes(), pdftext.ErrNoText},
		{"glyphs without characters", newFile("BT /G 12 Tf <00010002> Tj ET").
			set(100, "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[102 0 R]>>").set(
			102, "<</Type/Font>>").bytes(), pdftext.ErrGarbled},
		{"pages that are their own parents", ring.bytes(), pdftext.ErrFormat},
		{"a table behind the end", endless.bytes(), pdftext.ErrFormat},
		{"a table before itself", []byte(loop), pdftext.ErrFormat},
		{"a promise of a million million objects", []byte(strings.Replace(body, "xref\n0", "xref\n1000000000000", 1)),
			pdftext.ErrFormat},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			pages, err := pdftext.Pages(c.data)
			if !errors.Is(err, c.want) || pages != nil {
				t.Errorf("Pages = %q, %v, want the error %q", pages, err, c.want)
			}
		})
	}
}

// filled is a stream with as many filters, and that many bytes inside the innermost.
func filled(dict string, filters, size int) string {
	return filtered(dict, filters, filters, bytes.Repeat([]byte("q Q "), size/4))
}

// filtered is a stream of a body that has passed times filters, with the filters named.
func filtered(dict string, filters, times int, body []byte) string {
	for range times {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = w.Write(body)
		_ = w.Close()
		body = b.Bytes()
	}
	return stream(dict+"/Filter["+strings.Repeat("/FlateDecode ", filters)+"]", string(body))
}

// A small file is not much work, wherever in it a stream is that unpacks to far more, and a file that packs well is read.
func TestSwelling(t *testing.T) {
	t.Parallel()
	text := "BT /F 12 Tf (Odile keeps bees.) Tj ET"
	for filters := range 3 {
		bomb := func(dict string) string { return filled(dict, filters+1, 32<<20) }
		for where, data := range map[string][]byte{
			"program": newFile(text, text).set(4, bomb("")).bytes(),
			"form":    newFile("/X Do /X Do "+text).set(101, bomb("/Subtype/Form")).bytes(),
			"font": newFile("BT /G 12 Tf <0001> Tj ET").set(100, "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 102 0 R>>").
				set(102, bomb("")).bytes(),
			"list of programs": newFile(text).set(5, "<</Type/Page/Parent 2 0 R/Contents["+strings.Repeat("6 0 R ", 200)+"]>>").
				set(6, filled("", filters+1, 200<<10)).bytes(),
			"stream that packs nothing": newFile(text, text).set(4, filtered("", filters+2, filters+1,
				append([]byte{0x78, 0x9c}, bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, 6<<20)...))).bytes(),
			"table": []byte("%PDF-1.5\n9 0 obj\n" + bomb("/Type/XRef/Size 9/W[1 40 1]/Index[0 700000]/Root 1 0 R") +
				"\nendobj\nstartxref\n9\n%%EOF\n"),
		} {
			if _, err := pdftext.Pages(data); err == nil || !strings.Contains(err.Error(), "100 times") {
				t.Errorf("a %s of %d filters, in %d bytes: Pages = %v, want that it unpacks to far more", where, filters+1, len(data), err)
			}
		}
	}
	well := newFile(text, text).set(4, packed(strings.Repeat("q Q ", 100<<10)+text))
	for n := range 40 {
		well.set(110+n, filled("", 1, 1<<20)) // pictures, which are not read
	}
	if pages, err := pdftext.Pages(well.bytes()); err != nil || len(pages) != 2 || pages[0] != "Odile keeps bees." {
		t.Errorf("Pages of a file that packs well = %q, %v", pages, err)
	}
}

// A page that cannot be read costs no other.
func TestBrokenPageCostsNoOther(t *testing.T) {
	t.Parallel()
	f := newFile("BT /F 12 Tf (One) Tj ET", "", "BT /F 12 Tf (Three) Tj ET")
	f.set(6, stream("/Filter/Mystery", "x"))
	pages, err := pdftext.Pages(f.bytes())
	if diff := cmp.Diff([]string{"One", "", "Three"}, pages); diff != "" {
		t.Errorf("Pages (-want +got):\n%s", diff)
	}
	if broken, ok := errors.AsType[*pdftext.PageError](err); !ok || broken.Page != 2 {
		t.Errorf("Pages = %v, want an error about page 2", err)
	}
}

// Headers that readers forgive: text before them, versions to come, something behind the end.
func TestUntidyFiles(t *testing.T) {
	t.Parallel()
	data := string(newFile("BT /F 12 Tf (One) Tj ET").bytes())
	for _, untidy := range []string{
		strings.Replace(data, "%PDF-1.4\n", "%PDF-2.0\n", 1),
		strings.Replace(data, "%PDF-1.4\n", "%PDF-1.4 ", 1),
		"\r\n" + data, data + strings.Repeat("\x00", 500),
	} {
		if pages, err := pdftext.Pages([]byte(untidy)); err != nil || len(pages) != 1 || pages[0] != "One" {
			t.Errorf("Pages of a file that begins with %.12q and ends with %.12q = %q, %v, want One", untidy,
				untidy[len(untidy)-12:], pages, err)
		}
	}
}

func FuzzPages(f *testing.F) {
	f.Add(newFile("BT /F 12 Tf [(One) -300 (two)] TJ ET", "q 1 0 0 1 0 0 cm BI ID x EI Q").bytes())
	f.Add(newFile("BT /G 10 Tf <0001> Tj ET /X Do").set(
		100, "<</Subtype/Type0/DescendantFonts[102 0 R]/ToUnicode 103 0 R>>").
		set(101, stream("/Subtype/Form", "(x) Tj")).set(102, "<</W[1 5 3]>>").set(
		103, stream("", "<00> <05> <0041> endbfrange")).bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		pages, err := pdftext.Pages(data)
		if pages == nil && err == nil {
			t.Fatal("Pages returns neither pages nor an error")
		}
	})
}
