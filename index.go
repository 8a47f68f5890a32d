package trilith

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Vector is an embedding: as many components as its generation has dimensions, of unit length.
type Vector []float32

// unitTolerance is how far a vector's length may be from 1: float32 rounding over a few thousand dimensions stays below
// it.
const unitTolerance = 1e-3

// Validate checks that v has dims finite components and unit length.
func (v Vector) Validate(dims int) error {
	if len(v) != dims {
		return Errorf(Invalid, "vector: has %d dimensions, the generation has %d", len(v), dims)
	}
	var sum float64
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return Errorf(Invalid, "vector: component %d is not a finite number", i)
		}
		sum += float64(x) * float64(x)
	}
	if math.Abs(math.Sqrt(sum)-1) > unitTolerance {
		return Errorf(Invalid, "vector: its length is %.4g, must be 1", math.Sqrt(sum))
	}
	return nil
}

// Generation is an embedding profile in force: everything that makes two vectors comparable.
type Generation struct {
	Provider string `json:"provider"` // builtin, hash, …
	Model    string `json:"model"`
	Dims     int    `json:"dims"`
	// Variant says how the model is used, if that changes its vectors: prefixes, the side of a search, a dimension
	// adapter, the precision of its weights. Empty if the model can be used in one way only.
	Variant string `json:"variant,omitempty"`
	Recipe  int    `json:"recipe"` // version of the text that is embedded
	// Threshold says that a cosine of this generation is meaningful by itself, so that min_score and duplicate checks
	// may use it. Otherwise they use the fused score.
	Threshold bool `json:"threshold"`
	// Address is the address of the service: scheme, host, port and path, or [OwnAddress]. Empty if no service is used.
	Address string `json:"address,omitempty"`
}

// OwnAddress represents the addresses of a service that a provider runs itself, whatever the host.
const OwnAddress = "own"

// Key names the generation in indexes: readable, and unique by a hash of all its fields.
func (g Generation) Key() string {
	// a recall asks for it several times: fmt is slower
	id := append(strconv.AppendQuote(make([]byte, 0, 128), g.Provider), ' ')
	id = append(strconv.AppendQuote(id, g.Model), ' ')
	id = append(strconv.AppendInt(id, int64(g.Dims), 10), ' ')
	id = strconv.AppendInt(id, int64(g.Recipe), 10)
	if g.Variant != "" {
		id = strconv.AppendQuote(append(id, ' '), g.Variant)
	}
	if g.Address != "" {
		id = strconv.AppendQuote(append(id, " at "...), g.Address)
	}
	sum := sha256.Sum256(id)
	return g.Provider + "-" + g.Model + "-" + strconv.Itoa(g.Dims) + "-" + hex.EncodeToString(sum[:4])
}

// String names the generation for people.
func (g Generation) String() string {
	s := fmt.Sprintf("%s:%s (%d dimensions", g.Provider, g.Model, g.Dims)
	if g.Variant != "" {
		s += ", " + g.Variant
	}
	if g.Address != "" && g.Address != OwnAddress {
		s += ", at " + g.Address
	}
	return s + ")"
}

// Facets are the values of a memory that filters test: the memory without its text. Indexes store them.
type Facets struct {
	ID           ID
	Version      int64
	Kind         Kind
	Scope        Scope
	Role         Role
	Speaker      string
	Type         string
	SourceID     ID
	SharedFrom   ID
	Seq          int
	EventTime    time.Time
	RecordedAt   time.Time
	ValidUntil   *time.Time
	SupersededAt *time.Time
	State        State
	Trust        Trust
	SupersededBy ID
	Tags         []string
	Metadata     map[string]any
	Category     string // of an entry
	Title        string // of an entry
	ExternalID   string
	Fact         *Fact // of a fact
}
