package embedded

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A row is the blob of a point:
//
//	format   1 byte
//	version  of the memory, as packed.AppendUint writes it
//	at       microseconds since the memory was recorded, as packed.AppendInt writes them
//	length   of the facets, as packed.AppendUint writes it
//	facets   as appendFacets writes them
//	vector   as appendVector writes it
//
// Tenant and id are the blob's address and are in no row. The format says how the vector is stored, and plus rowCut
// that it covers only the beginning of a text. A row of another format is left out; a change of the formats
// raises the version of rows in package index, so that all are made again.
const (
	rowCut   = 1
	rowFull  = 2
	rowPairs = 6
)

// row is a decoded row, with its facets and its vector still encoded.
type row struct {
	format  byte // without rowCut
	cut     bool
	version int64
	at      int64 // since the memory was recorded
	facets  []byte
	vector  []byte
}

func encodeRow(p *role.Point) ([]byte, error) {
	vector, step := rounded(p.Vector)
	format := byte(rowFull)
	if step != 0 {
		format = rowPairs
	}
	facets, err := appendFacets(make([]byte, 0, 200), &p.Facets)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 1, 1+3*binary.MaxVarintLen64+uint64(len(facets))+vectorBytes(format, len(vector)))
	b[0] = format
	if p.Cut {
		b[0] |= rowCut
	}
	b = packed.AppendUint(b, uint64(p.Facets.Version))
	b = packed.AppendInt(b, p.At.UnixMicro()-p.Facets.RecordedAt.UnixMicro())
	b = packed.AppendUint(b, uint64(len(facets)))
	return appendVector(append(b, facets...), vector, step), nil
}

var (
	errRowFormat = errors.New("row of an unknown format")
	errRowShort  = errors.New("row is cut off")
	errRowFacets = errors.New("row with unreadable facets")
	errRowScope  = errors.New("row without a valid scope")
)

// decodeRow reads a row into p and refuses what Apply would refuse. p can be used again: it gets a new vector each
// time. Nothing in p points into data.
func decodeRow(p *role.Point, tenant, id string, dims int, data []byte) error {
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
	p.At = time.UnixMicro(p.Facets.RecordedAt.UnixMicro() + r.at).UTC()
	p.Cut = r.cut
	p.Vector = readVector(p.Vector[:0], r.format, dims, r.vector)
	return p.Vector.Validate(dims)
}

// splitRow reads all of a row but its facets and its vector.
func splitRow(dims int, data []byte) (r row, err error) {
	if len(data) < 1 || dims < 1 {
		return r, errRowShort
	}
	r.format, r.cut = data[0]&^rowCut, data[0]&rowCut != 0
	if r.format != rowFull && r.format != rowPairs {
		return r, errRowFormat
	}
	head := packed.Read(string(data[1:min(len(data), 1+3*binary.MaxVarintLen64)]))
	version, at, length := head.Uint(), head.Int(), head.Uint()
	if head.Failed() {
		return r, errRowShort
	}
	r.version, r.at = int64(version), at
	data = data[min(len(data), 1+3*binary.MaxVarintLen64)-len(head.Rest()):]
	if size := vectorBytes(r.format, dims); length > uint64(len(data)) || uint64(len(data))-length != size {
		return r, errRowShort
	}
	r.facets, r.vector = data[:length], data[length:]
	return r, nil
}

func (r *row) decodeFacets(to *trilith.Facets) error {
	*to = trilith.Facets{}
	facets := packed.Read(string(r.facets))
	if readFacets(facets, to); facets.Failed() || facets.Rest() != "" {
		return errRowFacets
	}
	return nil
}
