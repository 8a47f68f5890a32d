package embedded

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// A row is the blob of a point:
//
//	format   1 byte, one of those below
//	version  8 bytes, of the memory
//	at       8 bytes, microseconds since 1970
//	length   4 bytes, of the facets
//	facets   as appendFacets writes them, of rowShort and rowShortCut with their texts shortened
//	vector   4 bytes for each dimension, IEEE 754 single precision; of rowShort and rowShortCut as appendSteps
//	         writes it
//
// Numbers are little endian. Tenant and id are the blob's address and are in no row. Vectors are expensive, so rows
// of the first format are read too: there the facets are JSON of rowFacets.
const (
	rowJSON     = 1
	rowFormat   = 2
	rowCut      = 3 // the same, of a vector that stands for the beginning of a text
	rowShort    = 4
	rowShortCut = 5
	rowHeader   = 1 + 8 + 8 + 4
)

func isShort(format byte) bool { return format == rowShort || format == rowShortCut }

// rowFacets is [cairn.Facets] as rows of the first format hold it.
type rowFacets struct {
	ID           cairn.ID       `json:"-"`
	Version      int64          `json:"-"`
	Kind         cairn.Kind     `json:"kind,omitzero"`
	Scope        cairn.Scope    `json:"scope,omitzero"`
	Role         cairn.Role     `json:"role,omitzero"`
	Speaker      string         `json:"speaker,omitzero"`
	Type         string         `json:"type,omitzero"`
	SourceID     cairn.ID       `json:"source,omitzero"`
	SharedFrom   cairn.ID       `json:"shared,omitzero"`
	Seq          int            `json:"seq,omitzero"`
	EventTime    time.Time      `json:"event,omitzero"`
	RecordedAt   time.Time      `json:"recorded,omitzero"`
	ValidUntil   *time.Time     `json:"until,omitzero"`
	SupersededAt *time.Time     `json:"superseded,omitzero"`
	State        cairn.State    `json:"state,omitzero"`
	Trust        cairn.Trust    `json:"trust,omitzero"`
	SupersededBy cairn.ID       `json:"superseded_by,omitzero"`
	Tags         []string       `json:"tags,omitzero"`
	Metadata     map[string]any `json:"metadata,omitzero"`
	Category     string         `json:"category,omitzero"`
	Title        string         `json:"title,omitzero"`
	ExternalID   string         `json:"external_id,omitzero"`
	Fact         *cairn.Fact    `json:"fact,omitzero"`
}

func encodeRow(p *cairn.Point) ([]byte, error) {
	row := make([]byte, rowHeader, rowHeader+200+4*len(p.Vector))
	step := stepOf(p.Vector)
	facets := &p.Facets
	switch {
	case step > 0 && p.Cut:
		row[0] = rowShortCut
	case step > 0:
		row[0] = rowShort
	case p.Cut:
		row[0] = rowCut
	default:
		row[0] = rowFormat
	}
	if step > 0 {
		facets = shortened(facets)
	}
	binary.LittleEndian.PutUint64(row[1:], uint64(p.Facets.Version))
	binary.LittleEndian.PutUint64(row[9:], uint64(p.At.UnixMicro()))
	row, err := appendFacets(row, facets)
	if err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(row[17:], uint32(len(row)-rowHeader))
	if step > 0 {
		return appendSteps(row, p.Vector, step), nil
	}
	for _, x := range p.Vector {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(x))
	}
	return row, nil
}

var (
	errRowFormat = errors.New("row of an unknown format")
	errRowShort  = errors.New("row is cut off")
	errRowFacets = errors.New("row with unreadable facets")
	errRowScope  = errors.New("row without a valid scope")
)

// decodeRow reads a row into p and refuses whatever Apply would refuse. P can be read into again: then its vector is
// another one. Nothing of it points into data.
func decodeRow(p *cairn.Point, tenant, id string, dims int, data []byte) error {
	facets, vector, err := splitRow(dims, data)
	if err != nil {
		return err
	}
	if err := decodeFacets(&p.Facets, data[0], facets); err != nil {
		return err
	}
	p.Facets.ID, p.Facets.Version, p.Facets.Scope.Tenant = cairn.ID(id), versionOf(data), tenant
	if p.Facets.Scope.Validate() != nil {
		return errRowScope
	}
	p.At = time.UnixMicro(int64(binary.LittleEndian.Uint64(data[9:]))).UTC()
	p.Cut = data[0] == rowCut || data[0] == rowShortCut
	p.Vector = appendVector(p.Vector[:0], data[0], vector)
	return p.Vector.Validate(dims)
}

// versionOf returns the version of a row that splitRow has split.
func versionOf(data []byte) int64 { return int64(binary.LittleEndian.Uint64(data[1:])) }

// splitRow returns the facets and the vector of a row.
func splitRow(dims int, data []byte) (facets, vector []byte, err error) {
	if len(data) < rowHeader {
		return nil, nil, errRowShort
	}
	length := uint64(binary.LittleEndian.Uint32(data[17:]))
	rest := data[rowHeader:]
	size := 4 * uint64(dims)
	if isShort(data[0]) {
		size = 4 + 2*uint64(dims)
	}
	if dims < 1 || uint64(len(rest)) != length+size {
		return nil, nil, errRowShort
	}
	return rest[:length], rest[length:], nil
}

// appendVector reads the vector of a row of some format.
func appendVector(v cairn.Vector, format byte, data []byte) cairn.Vector {
	if isShort(format) {
		return readSteps(v, data)
	}
	v = slices.Grow(v, len(data)/4)
	for ; len(data) >= 4; data = data[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return v
}

func decodeFacets(to *cairn.Facets, format byte, data []byte) error {
	*to = cairn.Facets{}
	switch format {
	case rowFormat, rowCut, rowShort, rowShortCut:
		r := packed.Read(string(data))
		readFacets(r, to)
		if r.Failed() || r.Rest() != "" || isShort(format) && !lengthen(to) {
			return errRowFacets
		}
		return nil
	case rowJSON:
		var f rowFacets
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		*to = cairn.Facets(f)
		return nil
	}
	return errRowFormat
}
