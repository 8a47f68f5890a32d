package embedded

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
)

func fullRowPoint() trilith.Point {
	until := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return trilith.Point{
		Facets: trilith.Facets{
			ID: "i", Version: 3, Kind: trilith.KindEntry,
			Scope: trilith.Scope{Tenant: "ana", Project: "p", Domain: "d", User: "u", Agent: "a", Session: "s",
				Channel: "c"},
			Role: trilith.RoleTool, Speaker: "Zoë", Type: "t", SourceID: "src", Seq: 7, EventTime: until.Add(-time.Hour),
			RecordedAt: until.Add(time.Microsecond),
			ValidUntil: &until, State: trilith.StateActive, Trust: trilith.TrustImported, SupersededBy: "next",
			SharedFrom: "origin", Tags: []string{"x", "y"},
			Metadata: map[string]any{"n": 1.5, "deep": map[string]any{"list": []any{"a", true, nil}}}, Category: "c",
			Title: "T", ExternalID: "e",
			Fact: &trilith.Fact{EntityID: "o", Verb: "owes", FactID: "Bill:B",
				Node:       trilith.Node{Type: "Bill", Name: "B", EntityRef: "b"},
				Confidence: 0.5, ActionDeadline: &until, Financial: &trilith.Financial{Amount: "1.50"},
				Verification: trilith.Verification{At: &until}},
		},
		Vector: trilith.Vector{0.6, 0.8, 0}, At: until.Add(-time.Microsecond),
	}
}

func pointOf(tenant, id string, dims int, data []byte) (p trilith.Point, err error) {
	err = decodeRow(&p, tenant, id, dims, data)
	return p, err
}

func TestRowRoundTrip(t *testing.T) {
	t.Parallel()
	bare := trilith.Point{Facets: trilith.Facets{ID: "i", Version: 1, Scope: trilith.Scope{Tenant: "ana"}},
		Vector: trilith.Vector{-1}}
	for name, want := range map[string]trilith.Point{"full": fullRowPoint(), "bare": bare} {
		row, err := encodeRow(&want)
		if err != nil {
			t.Fatalf("encodeRow(%s) = %v", name, err)
		}
		got, err := pointOf("ana", "i", len(want.Vector), row)
		if err != nil {
			t.Fatalf("decodeRow(%s) = %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("decodeRow(encodeRow(%s)): -want +got\n%s", name, diff)
		}
		for n := range row {
			if p, err := pointOf("ana", "i", len(want.Vector), row[:n]); err == nil {
				t.Errorf("decodeRow of the first %d of %d bytes = %+v, want an error", n, len(row), p)
			}
		}
		if _, err := pointOf("ana", "i", len(want.Vector)+1, row); err == nil {
			t.Errorf("decodeRow(%s) with another number of dimensions succeeded", name)
		}
	}
}

// Vectors are expensive: those of an earlier version are read.
func TestRowOfTheFirstFormat(t *testing.T) {
	t.Parallel()
	want := fullRowPoint()
	facets, err := json.Marshal(rowFacets(want.Facets))
	if err != nil {
		t.Fatal(err)
	}
	row, err := encodeRow(&want)
	if err != nil {
		t.Fatal(err)
	}
	if row[0] != rowFormat {
		t.Fatalf("a vector of three dimensions has a row of format %d", row[0])
	}
	old := slices.Concat([]byte{rowJSON}, row[1:17], binary.LittleEndian.AppendUint32(nil, uint32(len(facets))), facets,
		row[len(row)-4*len(want.Vector):])
	got, err := pointOf("ana", "i", len(want.Vector), old)
	if err != nil {
		t.Fatalf("decodeRow = %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-kept +read\n%s", diff)
	}
}

// A file from before vectors were kept in two bytes a component is read as it is.
func TestRowOfTheSecondFormat(t *testing.T) {
	t.Parallel()
	for format, cut := range map[byte]bool{rowFormat: false, rowCut: true} {
		want := fullRowPoint()
		want.Cut, want.Vector = cut, make(trilith.Vector, 384)
		for i := range want.Vector {
			want.Vector[i] = float32(math.Sqrt(1. / 384))
		}
		old := make([]byte, rowHeader)
		old[0] = format
		binary.LittleEndian.PutUint64(old[1:], uint64(want.Facets.Version))
		binary.LittleEndian.PutUint64(old[9:], uint64(want.At.UnixMicro()))
		old, err := appendFacets(old, &want.Facets)
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(old[17:], uint32(len(old)-rowHeader))
		for _, x := range want.Vector {
			old = binary.LittleEndian.AppendUint32(old, math.Float32bits(x))
		}
		got, err := pointOf("ana", "i", 384, old)
		if err != nil {
			t.Fatalf("decodeRow of format %d = %v", format, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("format %d: -kept +read\n%s", format, diff)
		}
	}
}

// So is one from before they were kept in pairs.
func TestRowOfTwoBytesAComponent(t *testing.T) {
	t.Parallel()
	for format, cut := range map[byte]bool{rowShort: false, rowShortCut: true} {
		want := fullRowPoint()
		want.Cut, want.Vector = cut, make(trilith.Vector, 384)
		step := float32(math.Sqrt(1./384)) / shortMost
		for i := range want.Vector {
			want.Vector[i] = shortMost * step
		}
		old := make([]byte, rowHeader)
		old[0] = format
		binary.LittleEndian.PutUint64(old[1:], uint64(want.Facets.Version))
		binary.LittleEndian.PutUint64(old[9:], uint64(want.At.UnixMicro()))
		short := want.Facets
		for _, text := range formerTexts(&short) {
			*text = formerly(*text)
		}
		old, err := appendFacets(old, &short)
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(old[17:], uint32(len(old)-rowHeader))
		old = binary.LittleEndian.AppendUint32(old, math.Float32bits(step))
		for range want.Vector {
			old = binary.LittleEndian.AppendUint16(old, shortMost)
		}
		got, err := pointOf("ana", "i", 384, old)
		if err != nil {
			t.Fatalf("decodeRow of format %d = %v", format, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("format %d: -kept +read\n%s", format, diff)
		}
		for n := range old {
			if p, err := pointOf("ana", "i", 384, old[:n]); err == nil {
				t.Errorf("decodeRow of the first %d of %d bytes = %+v, want an error", n, len(old), p)
			}
		}
	}
}

func TestARowInPairsThatIsCutOffIsRefused(t *testing.T) {
	t.Parallel()
	p := fullRowPoint()
	p.Vector, p.Cut = make(trilith.Vector, 384), true
	for i := range p.Vector {
		p.Vector[i] = float32(math.Sqrt(1. / 384))
	}
	row, err := encodeRow(&p)
	if err != nil || row[0] != rowPairsCut {
		t.Fatalf("encodeRow = format %d, %v", row[0], err)
	}
	if got, err := pointOf("ana", "i", 384, row); err != nil || !got.Cut {
		t.Errorf("decodeRow = %+v, %v; want a vector that stands for the beginning of a text", got, err)
	}
	for n := range row {
		if p, err := pointOf("ana", "i", 384, row[:n]); err == nil {
			t.Errorf("decodeRow of the first %d of %d bytes = %+v, want an error", n, len(row), p)
		}
	}
}

func TestRowRefusesMetadataThatJSONCannotHold(t *testing.T) {
	t.Parallel()
	p := fullRowPoint()
	p.Facets.Metadata = map[string]any{"f": func() {}}
	if _, err := encodeRow(&p); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("encodeRow of a function = %v, want kind %s", err, trilith.Invalid)
	}
}

// A row that is read can be written again and says the same.
func FuzzDecodeRow(f *testing.F) {
	p := fullRowPoint()
	row, err := encodeRow(&p)
	if err != nil {
		f.Fatal(err)
	}
	short := p
	short.Vector = trilith.Vector{.5, -.5, .5, 0, 0, 0, 0, 0, .5}
	shortRow, err := encodeRow(&short)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(9, shortRow)
	f.Add(3, row)
	f.Add(2, row)
	f.Add(3, row[:40])
	f.Add(0, []byte{})
	f.Add(-1, make([]byte, rowHeader))
	f.Add(1, append([]byte{rowJSON, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0},
		"{}\x00\x00\x80\x3f"...))
	f.Add(1, append([]byte{rowJSON, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"{}\x00\x00\x80\x3f"...))
	f.Fuzz(func(t *testing.T, dims int, data []byte) {
		p, err := pointOf("ana", "i", dims, data)
		if err != nil {
			return
		}
		if err := p.Vector.Validate(dims); err != nil {
			t.Errorf("decodeRow returned a vector that Apply refuses: %v", err)
		}
		again, err := encodeRow(&p)
		if err != nil {
			t.Fatalf("encodeRow of what decodeRow returned = %v", err)
		}
		q, err := pointOf("ana", "i", dims, again)
		if err != nil {
			t.Fatalf("decodeRow of the row written again = %v", err)
		}
		// The steps of a row that nobody wrote may be others than those that are written.
		for i, x := range p.Vector {
			if math.Abs(float64(x-q.Vector[i])) > .001 {
				t.Errorf("component %d of a row written again is %g, was %g", i, q.Vector[i], x)
			}
		}
		p.Vector, q.Vector = nil, nil
		if diff := cmp.Diff(p, q, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("row written again: -first +second\n%s", diff)
		}
	})
}
