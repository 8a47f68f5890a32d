// Package filetype looks at files of pictures, speech and pages: the type that their bytes show, whatever their name,
// and whether they are whole. It reads headers and the lengths of parts. No pixel, sample or page is decoded, so a
// small file that unpacks to a large one costs nothing, and nothing that a file names is followed.
package filetype

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
)

// The types, as media types.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	WebP = "image/webp"
	PDF  = "application/pdf"
	MP3  = "audio/mpeg"
	WAV  = "audio/wav"
	M4A  = "audio/mp4"
)

// Types lists the types in a fixed order.
func Types() []string { return []string{PNG, JPEG, WebP, PDF, MP3, WAV, M4A} }

// Bounds of a picture. Models read none that is larger, and programs that unpack one need memory for each pixel.
const (
	MaxSide   = 20_000
	MaxPixels = 50_000_000
)

// HeadBytes is how much of a file [Type] wants to see.
const HeadBytes = 1024

// Info is a file's description of itself.
type Info struct {
	Type          string
	Width, Height int // of a picture
}

// Errors of files that are not taken.
var (
	ErrEmpty   = errors.New("is empty")
	ErrUnknown = errors.New("is none of png, jpeg, webp, pdf, mp3, wav and m4a")
	ErrBroken  = errors.New("is cut off or broken; send the whole file")
)

// Look returns a whole file's description of itself, or an error that says why it is refused.
func Look(data []byte) (Info, error) {
	i := Info{Type: Type(data)}
	switch i.Type {
	case "":
		if len(data) == 0 {
			return i, ErrEmpty
		}
		return i, ErrUnknown
	case PNG:
		c, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || !wholePNG(data) {
			return i, ErrBroken
		}
		i.Width, i.Height = c.Width, c.Height
	case JPEG:
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil || !bytes.Contains(data[len(data)/2:], []byte("\xff\xd9")) {
			return i, ErrBroken
		}
		i.Width, i.Height = c.Width, c.Height
	case WebP:
		var ok bool
		if i.Width, i.Height, ok = webP(data); !ok {
			return i, ErrBroken
		}
	case PDF:
		if !bytes.Contains(data[max(0, len(data)-HeadBytes):], []byte("%%EOF")) {
			return i, ErrBroken
		}
	case MP3:
		if !wholeMP3(data) {
			return i, ErrBroken
		}
	case WAV:
		if !wholeWAV(data) {
			return i, ErrBroken
		}
	case M4A:
		if !wholeMP4(data) {
			return i, ErrBroken
		}
	}
	if i.Width > MaxSide || i.Height > MaxSide || i.Width*i.Height > MaxPixels {
		return i, fmt.Errorf("is a picture of %d by %d pixels; at most %d million and %d a side are allowed", i.Width,
			i.Height, MaxPixels/1_000_000, MaxSide)
	}
	return i, nil
}

// soundBrands are the brands of MP4 files that hold, or may hold, only sound.
var soundBrands = map[string]bool{"M4A ": true, "M4B ": true, "mp42": true, "mp41": true, "isom": true, "iso2": true,
	"dash": true}

// Type returns the type of a file by its first bytes; empty for another one.
func Type(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case isRIFF(head, "WEBP"):
		return WebP
	case isRIFF(head, "WAVE"):
		return WAV
	case bytes.Contains(head[:min(len(head), HeadBytes)], []byte("%PDF-")):
		return PDF
	case len(head) >= 12 && string(head[4:8]) == "ftyp" && soundBrands[string(head[8:12])]:
		return M4A
	case bytes.HasPrefix(head, []byte("ID3")):
		return MP3
	case frameLength(head) > 0:
		return MP3
	}
	return ""
}

func isRIFF(head []byte, form string) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == form
}

// wholePNG reports whether all chunks are there, with the one that ends the file.
func wholePNG(data []byte) bool {
	for rest := data[8:]; len(rest) >= 12; {
		length := int64(binary.BigEndian.Uint32(rest))
		if length > int64(len(rest))-12 {
			return false
		}
		if string(rest[4:8]) == "IEND" {
			return true
		}
		rest = rest[12+length:]
	}
	return false
}

// webP returns the size that a WebP file declares: that of its canvas, and of each picture in it.
func webP(data []byte) (width, height int, ok bool) {
	note := func(w, h int) { width, height = max(width, w), max(height, h) }
	whole := riff(data, func(name string, b []byte) {
		switch {
		case name == "VP8X" && len(b) >= 10:
			note(1+int(b[4])|int(b[5])<<8|int(b[6])<<16, 1+int(b[7])|int(b[8])<<8|int(b[9])<<16)
		case name == "VP8L" && len(b) >= 5 && b[0] == 0x2f:
			bits := binary.LittleEndian.Uint32(b[1:])
			note(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
		case name == "VP8 " && len(b) >= 10 && bytes.Equal(b[3:6], []byte{0x9d, 0x01, 0x2a}):
			note(int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff))
		}
	})
	return width, height, whole && width > 0 && height > 0
}

// framesSeen is how many frames of an MP3 file have to follow each other: other bytes look like one by chance.
const framesSeen = 2

// wholeMP3 reports whether sound begins behind the tags of an MP3 file.
func wholeMP3(data []byte) bool {
	rest := data
	for bytes.HasPrefix(rest, []byte("ID3")) {
		if len(rest) < 10 {
			return false
		}
		size := 10 + int64(rest[6]&0x7f)<<21 + int64(rest[7]&0x7f)<<14 + int64(rest[8]&0x7f)<<7 + int64(rest[9]&0x7f)
		if size > int64(len(rest)) {
			return false
		}
		rest = rest[size:]
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for range framesSeen {
		n := frameLength(rest)
		if n == 0 || n > len(rest) {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// bitRates are those of layer III in kbit/s, by version (1, and 2 with 2.5) and number.
var bitRates = [2][15]int{{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}}

// sampleRates are those of version 1; the others' are a half and a quarter.
var sampleRates = [3]int{44100, 48000, 32000}

// frameLength returns how long the frame of MPEG layer III is that begins here; 0 for none.
func frameLength(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 || b[1]>>1&3 != 1 {
		return 0
	}
	version, rate, sampled := b[1]>>3&3, b[2]>>4, b[2]>>2&3
	if version == 1 || rate == 0 || rate == 15 || sampled == 3 {
		return 0
	}
	kbit, hertz, samples := bitRates[0][rate], sampleRates[sampled], 144
	if version != 3 {
		kbit, hertz, samples = bitRates[1][rate], hertz/2, 72
	}
	if version == 0 {
		hertz /= 2
	}
	return samples*kbit*1000/hertz + int(b[2]>>1&1)
}

// wholeWAV reports whether a WAV file describes its sound, and has it.
func wholeWAV(data []byte) bool {
	format, sound := false, false
	whole := riff(data, func(name string, b []byte) {
		format = format || name == "fmt " && len(b) >= 16
		sound = sound || name == "data" && len(b) > 0
	})
	return whole && format && sound
}

// riff calls visit with each part of a RIFF file, and reports whether all are there.
func riff(data []byte, visit func(name string, body []byte)) bool {
	size := int64(binary.LittleEndian.Uint32(data[4:]))
	if size+8 > int64(len(data)) || size < 4 {
		return false
	}
	for rest := data[12 : size+8]; len(rest) >= 8; {
		length := int64(binary.LittleEndian.Uint32(rest[4:]))
		if length > int64(len(rest))-8 {
			return false
		}
		visit(string(rest[:4]), rest[8:8+length])
		rest = rest[min(int64(len(rest)), 8+length+length%2):] // parts begin at even places
	}
	return true
}

// wholeMP4 reports whether the boxes of an MP4 file fill it, with its index and its sound among them.
func wholeMP4(data []byte) bool {
	index, sound := false, false
	for rest := data; len(rest) > 0; {
		if len(rest) < 8 {
			return false
		}
		size, head := int64(binary.BigEndian.Uint32(rest)), int64(8)
		switch {
		case size == 1 && len(rest) >= 16: // the size is behind the name
			size, head = int64(binary.BigEndian.Uint64(rest[8:])), 16
		case size == 0: // to the end
			size = int64(len(rest))
		}
		if size < head || size > int64(len(rest)) {
			return false
		}
		index = index || string(rest[4:8]) == "moov"
		sound = sound || string(rest[4:8]) == "mdat"
		rest = rest[size:]
	}
	return index && sound
}
