package embedded

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

func fullRowPoint() role.Point {
	until := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return role.Point{
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

func pointOf(tenant, id string, dims int, data []byte) (p role.Point, err error) {
	err = decodeRow(&p, tenant, id, dims, data)
	return p, err
}

func TestRowRoundTrip(t *testing.T) {
	t.Parallel()
	bare := role.Point{Facets: trilith.Facets{ID: "i", Version: 1, Scope: trilith.Scope{Tenant: "ana"}},
		Vector: trilith.Vector{-1}}
	for name, want := range map[string]role.Point{"full": fullRowPoint(), "bare": bare} {
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

func TestARowInPairsThatIsCutOffIsRefused(t *testing.T) {
	t.Parallel()
	p := fullRowPoint()
	p.Vector, p.Cut = make(trilith.Vector, 384), true
	for i := range p.Vector {
		p.Vector[i] = float32(math.Sqrt(1. / 384))
	}
	row, err := encodeRow(&p)
	if err != nil || row[0] != rowPairs|rowCut {
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

// A row that another version of the program wrote is refused, with all the formats that this one does not write.
func TestRowsOfOtherFormatsAreRefused(t *testing.T) {
	t.Parallel()
	p := fullRowPoint()
	p.Vector = make(trilith.Vector, 384)
	p.Vector[0] = 1
	row, err := encodeRow(&p)
	if err != nil {
		t.Fatal(err)
	}
	for format := range 256 {
		row[0] = byte(format)
		_, err := pointOf("ana", "i", 384, row)
		if known := row[0]&^rowCut == rowFull || row[0]&^rowCut == rowPairs; !known && err != errRowFormat {
			t.Errorf("decodeRow of format %d = %v, want %v", format, err, errRowFormat)
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
	f.Add(-1, make([]byte, 21))
	f.Add(1, append([]byte{rowFull, 0, 0, 0xff, 0xff, 0xff, 0xff}, "{}\x00\x00\x80\x3f"...))
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
