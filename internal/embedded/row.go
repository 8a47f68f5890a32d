package embedded

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/packed"
)

// A row is the blob of a point, in one of the formats below:
//
//	format   1 byte
//	version  of the memory, as packed.AppendUint writes it
//	at       microseconds since the memory was recorded, as packed.AppendInt writes them
//	length   of the facets, as packed.AppendUint writes it
//	facets   as appendShortFacets writes them
//	vector   as appendVector writes it
//
// rowFormat, whose vector has full precision, and the formats that are no longer written have this form:
//
//	format   1 byte
//	version  8 bytes, of the memory
//	at       8 bytes, microseconds since 1970
//	length   4 bytes, of the facets
//	facets   as appendFacets writes them; in rowShort with some texts shortened, in rowJSON the JSON of rowFacets
//	vector   4 bytes for each dimension, IEEE 754 single precision; in rowShort as in rowSteps
//
// Numbers are little endian. Tenant and id are the blob's address and are in no row. Vectors are expensive, so rows of
// all formats can be read. In formats whose name ends with Cut the vector covers only the beginning of a text.
const (
	rowJSON     = 1
	rowFormat   = 2
	rowCut      = 3
	rowShort    = 4
	rowShortCut = 5
	rowPairs    = 6
	rowPairsCut = 7
	rowSteps    = 8
	rowStepsCut = 9
	rowHeader   = 1 + 8 + 8 + 4 // of the formats up to rowShortCut
)

// row is a decoded row, with its facets and its vector still encoded.
type row struct {
	format  byte
	version int64
	at      int64 // encoded as the format says
	facets  []byte
	vector  []byte
}

func (r *row) cut() bool { return r.format > rowFormat && r.format%2 == 1 }

// packed reports whether the row has the short header, and facets as appendShortFacets writes them.
func (r *row) packed() bool { return r.format >= rowPairs }

// rowFacets is the form of [trilith.Facets] in rows of the first format.
type rowFacets struct {
	ID           trilith.ID     `json:"-"`
	Version      int64          `json:"-"`
	Kind         trilith.Kind   `json:"kind,omitzero"`
	Scope        trilith.Scope  `json:"scope,omitzero"`
	Role         trilith.Role   `json:"role,omitzero"`
	Speaker      string         `json:"speaker,omitzero"`
	Type         string         `json:"type,omitzero"`
	SourceID     trilith.ID     `json:"source,omitzero"`
	SharedFrom   trilith.ID     `json:"shared,omitzero"`
	Seq          int            `json:"seq,omitzero"`
	EventTime    time.Time      `json:"event,omitzero"`
	RecordedAt   time.Time      `json:"recorded,omitzero"`
	ValidUntil   *time.Time     `json:"until,omitzero"`
	SupersededAt *time.Time     `json:"superseded,omitzero"`
	State        trilith.State  `json:"state,omitzero"`
	Trust        trilith.Trust  `json:"trust,omitzero"`
	SupersededBy trilith.ID     `json:"superseded_by,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	Metadata     map[string]any `json:"metadata,omitzero"`
	Category     string         `json:"category,omitzero"`
	Title        string         `json:"title,omitzero"`
	ExternalID   string         `json:"external_id,omitzero"`
	Fact         *trilith.Fact  `json:"fact,omitzero"`
}

func encodeRow(p *trilith.Point) ([]byte, error) {
	vector, format, step := rounded(p.Vector)
	appendTo := appendShortFacets
	if format == rowFormat {
		appendTo = appendFacets
	}
	facets, err := appendTo(make([]byte, 0, 200), &p.Facets)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 1, rowHeader+uint64(len(facets))+vectorBytes(format, len(vector)))
	if b[0] = format; p.Cut {
		b[0]++
	}
	if format != rowFormat {
		b = packed.AppendUint(b, uint64(p.Facets.Version))
		b = packed.AppendInt(b, p.At.UnixMicro()-p.Facets.RecordedAt.UnixMicro())
		b = packed.AppendUint(b, uint64(len(facets)))
	} else {
		b = binary.LittleEndian.AppendUint64(b, uint64(p.Facets.Version))
		b = binary.LittleEndian.AppendUint64(b, uint64(p.At.UnixMicro()))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(facets)))
	}
	return appendVector(append(b, facets...), vector, format, step), nil
}

var (
	errRowFormat = errors.New("row of an unknown format")
	errRowShort  = errors.New("row is cut off")
	errRowFacets = errors.New("row with unreadable facets")
	errRowScope  = errors.New("row without a valid scope")
)

// decodeRow reads a row into p and refuses what Apply would refuse. p can be used again: it gets a new vector each
// time. Nothing in p points into data.
func decodeRow(p *trilith.Point, tenant, id string, dims int, data []byte) error {
	r, err := splitRow(dims, data)
	if err != nil {
		return err
	}
	if err := r.decodeFacets(&p.Facets); err != nil {
		return err
	}
	p.Facets.ID, p.Facets.Version, p.Facets.Scope.Tenant = trilith.ID(id), r.version, tenant
	if p.Facets.Scope.Validate() != nil {
		return errRowScope
	}
	if r.packed() {
		r.at += p.Facets.RecordedAt.UnixMicro()
	}
	p.At = time.UnixMicro(r.at).UTC()
	p.Cut = r.cut()
	p.Vector = readVector(p.Vector[:0], r.format, dims, r.vector)
	return p.Vector.Validate(dims)
}

// splitRow reads all of a row but its facets and its vector.
func splitRow(dims int, data []byte) (r row, err error) {
	if len(data) < 1 || dims < 1 {
		return r, errRowShort
	}
	r.format = data[0]
	var length uint64
	if r.packed() {
		head := packed.Read(string(data[1:min(len(data), 1+3*binary.MaxVarintLen64)]))
		r.version, r.at, length = int64(head.Uint()), head.Int(), head.Uint()
		if head.Failed() {
			return r, errRowShort
		}
		data = data[min(len(data), 1+3*binary.MaxVarintLen64)-len(head.Rest()):]
	} else {
		if len(data) < rowHeader {
			return r, errRowShort
		}
		r.version, r.at = int64(binary.LittleEndian.Uint64(data[1:])), int64(binary.LittleEndian.Uint64(data[9:]))
		length = uint64(binary.LittleEndian.Uint32(data[17:]))
		data = data[rowHeader:]
	}
	if size := vectorBytes(r.format, dims); length > uint64(len(data)) || uint64(len(data))-length != size {
		return r, errRowShort
	}
	r.facets, r.vector = data[:length], data[length:]
	return r, nil
}

func (r *row) decodeFacets(to *trilith.Facets) error {
	*to = trilith.Facets{}
	switch r.format {
	case rowFormat, rowCut, rowShort, rowShortCut, rowPairs, rowPairsCut, rowSteps, rowStepsCut:
		facets := packed.Read(string(r.facets))
		if r.packed() {
			readShortFacets(facets, to)
		} else {
			readFacets(facets, to)
		}
		former := r.format == rowShort || r.format == rowShortCut
		if facets.Failed() || facets.Rest() != "" || former && !lengthen(to) {
			return errRowFacets
		}
		return nil
	case rowJSON:
		var f rowFacets
		if err := json.Unmarshal(r.facets, &f); err != nil {
			return err
		}
		*to = trilith.Facets(f)
		return nil
	}
	return errRowFormat
}
