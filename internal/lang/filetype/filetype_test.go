package filetype_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/filetype"
)

func pngOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 7, 5))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 7, 5)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func part(name string, body ...byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body)))
	out = append(out, body...)
	if len(body)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

func riff(form string, parts ...[]byte) []byte {
	return part("RIFF", append([]byte(form), bytes.Join(parts, nil)...)...)
}

func box(name string, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), append([]byte(name), body...)...)
}

func webpOf(width, height int) []byte {
	bits := uint32(width-1) | uint32(height-1)<<14
	return riff("WEBP", part("VP8L", binary.LittleEndian.AppendUint32([]byte{0x2f}, bits)...))
}

// frame is a frame of 128 kbit/s at 44,100 Hz.
func frame() []byte { return append([]byte{0xff, 0xfb, 0x90, 0x00}, make([]byte, 413)...) }

func files(t testing.TB) map[string][]byte {
	return map[string][]byte{
		filetype.PNG: pngOf(t), filetype.JPEG: jpegOf(t), filetype.WebP: webpOf(7, 5),
		filetype.PDF: []byte("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer <<>>\n%%EOF\n"),
		filetype.WAV: riff("WAVE", part("fmt ", make([]byte, 16)...), part("data", 1, 2, 3)),
		filetype.M4A: append(box("ftyp", []byte("M4A \x00\x00\x00\x00")...),
			append(box("moov", 1, 2, 3), box("mdat", 4, 5, 6)...)...),
		filetype.MP3: bytes.Join([][]byte{[]byte("ID3\x04\x00\x00\x00\x00\x00\x02xx"), frame(), frame(), frame()}, nil),
	}
}

// A file is what its bytes say, and is whole.
func TestLook(t *testing.T) {
	t.Parallel()
	all := files(t)
	for _, want := range filetype.Types() {
		i, err := filetype.Look(all[want])
		if err != nil || i.Type != want {
			t.Errorf("Look(%s) = %+v, %v", want, i, err)
		}
		if strings.HasPrefix(want, "image/") && (i.Width != 7 || i.Height != 5) {
			t.Errorf("Look(%s) = %d by %d, want 7 by 5", want, i.Width, i.Height)
		}
	}
	if i, err := filetype.Look(bytes.Repeat(frame(), 3)); err != nil || i.Type != filetype.MP3 {
		t.Errorf("Look of MP3 without a tag = %+v, %v", i, err)
	}
	canvas := riff("WEBP", part("VP8X", 0, 0, 0, 0, 99, 0, 0, 49, 0, 0))
	if i, err := filetype.Look(canvas); err != nil || i.Width != 100 || i.Height != 50 {
		t.Errorf("Look of a canvas = %+v, %v; want 100 by 50", i, err)
	}
	lossy := riff("WEBP", part("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 30, 0, 20, 0))
	if i, err := filetype.Look(lossy); err != nil || i.Width != 30 || i.Height != 20 {
		t.Errorf("Look of a lossy picture = %+v, %v; want 30 by 20", i, err)
	}
}

// A file that is cut off, none at all, or another one is refused.
func TestLookRefuses(t *testing.T) {
	t.Parallel()
	for kind, data := range files(t) {
		for _, keep := range []int{len(data) / 2, len(data) * 2 / 3} {
			if i, err := filetype.Look(data[:keep]); !errors.Is(err, filetype.ErrBroken) {
				t.Errorf("Look(%s cut to %d of %d) = %+v, %v; want ErrBroken", kind, keep, len(data), i, err)
			}
		}
	}
	if _, err := filetype.Look(nil); !errors.Is(err, filetype.ErrEmpty) {
		t.Errorf("Look of nothing = %v", err)
	}
	for name, data := range map[string]string{
		"svg": `<svg xmlns="http://www.w3.org/2000/svg"><image href="http://example.com/x.png"/></svg>`,
		"xml": `<?xml version="1.0"?><svg/>`, "gif": "GIF89a\x01\x00\x01\x00", "html": "<!doctype html>",
		"program": "\x7fELF\x02\x01", "zip": "PK\x03\x04", "text": "just words", "zeros": strings.Repeat("\x00", 4096),
		"video": "\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00", "one frame by chance": "\xff\xfe\x00\x00",
	} {
		if i, err := filetype.Look([]byte(data)); !errors.Is(err, filetype.ErrUnknown) {
			t.Errorf("Look(%s) = %+v, %v; want ErrUnknown", name, i, err)
		}
	}
}

// A picture that would unpack to gigabytes is refused by what it declares; nothing of it is unpacked.
func TestBombs(t *testing.T) {
	t.Parallel()
	bomb := pngOf(t)
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	sum := crc(bomb[12:29])
	binary.BigEndian.PutUint32(bomb[29:], sum)
	photo := jpegOf(t)
	at := bytes.Index(photo, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(photo[at+5:], 65_000)
	binary.BigEndian.PutUint16(photo[at+7:], 65_000)
	canvas := riff("WEBP", part("VP8X", 0, 0, 0, 0, 255, 255, 255, 255, 255, 255))
	for name, data := range map[string][]byte{"png": bomb, "jpeg": photo, "webp": canvas, "webp of many": webpOf(16_000, 16_000)} {
		if i, err := filetype.Look(data); err == nil || !strings.Contains(err.Error(), "pixels") {
			t.Errorf("Look(%s bomb) = %+v, %v; want it refused for its pixels", name, i, err)
		}
	}
}

func crc(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

func FuzzLook(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		i, err := filetype.Look(data)
		if err == nil && (i.Type == "" || i.Width*i.Height > filetype.MaxPixels) {
			t.Errorf("Look takes %+v", i)
		}
	})
}
