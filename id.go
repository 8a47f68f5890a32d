package trilith

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// ID identifies a source, a memory, a record or a job inside its tenant: a UUID in canonical lower-case text.
// The order of ids is the byte order of that text on every store.
type ID string

// idNamespace is the one namespace of all derived ids. It must never change, because ids derived from it are stored.
var idNamespace = [16]byte{0x7c, 0x41, 0xca, 0x18, 0x9a, 0x1e, 0x4b, 0x0d, 0x8f, 0x63, 0x3d, 0x20, 0x5e,
	0x0b, 0x71, 0xa4}

// DeriveID returns the UUIDv5 of the parts. Every part is preceded by its length, so no two lists of parts share an id.
func DeriveID(parts ...string) ID {
	h := sha1.New()
	h.Write(idNamespace[:])
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	var b [16]byte
	copy(b[:], h.Sum(nil))
	return formatUUID(b, 5)
}

// NewID returns a UUIDv7 for the time t: ids made later sort later, which keeps inserts at one end of a B-tree.
func NewID(t time.Time) ID {
	var b [16]byte
	rand.Read(b[6:]) // never fails since Go 1.24
	ms := uint64(t.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	return formatUUID(b, 7)
}

func formatUUID(b [16]byte, version byte) ID {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[0:8], b[0:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:36], b[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return ID(out[:])
}

// IDOf reads an id that a caller wrote: a UUID in capitals is the same in lower case, and anything else stays.
func IDOf(text string) ID {
	if id := ID(strings.ToLower(text)); id.Validate() == nil {
		return id
	}
	return ID(text)
}

// UnmarshalText is [IDOf].
func (id *ID) UnmarshalText(text []byte) error {
	*id = IDOf(string(text))
	return nil
}

// Validate checks that the id is a UUID in canonical lower-case text.
func (id ID) Validate() error {
	ok := len(id) == 36
	for i := 0; ok && i < len(id); i++ {
		c := id[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			ok = c == '-'
		} else {
			ok = '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		}
	}
	if !ok {
		return Errorf(Invalid, "id: %.64q is not a UUID in lower case", string(id))
	}
	return nil
}
