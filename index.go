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

// Embedding is an [Embedder]'s result for a text.
type Embedding struct {
	Vector Vector // nil: there is nothing to say about the text
	Cut    bool   // the vector covers only the beginning of the text, which is longer than the model reads
}

// VectorsOf returns the vectors of embeddings, in order.
func VectorsOf(es []Embedding) []Vector {
	vs := make([]Vector, len(es))
	for i, e := range es {
		vs[i] = e.Vector
	}
	return vs
}

// CachedEmbedding is an [EmbeddingCache]'s content for a memory.
type CachedEmbedding struct {
	Memory ID
	Hash   string // of the exact text that was embedded: the embedding is not valid for a memory whose text has changed
	Embedding
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

// FacetsOf returns the facets of m; slices and maps are shared with it.
func FacetsOf(m *Memory) Facets {
	f := Facets{ID: m.ID, Version: m.Version, Kind: m.Kind, Scope: m.Scope, Role: m.Role,
		Speaker: m.Speaker, Type: m.Type,
		SourceID: m.SourceID, SharedFrom: m.SharedFrom, Seq: m.Seq, EventTime: m.EventTime, RecordedAt: m.RecordedAt,
		ValidUntil: m.ValidUntil, SupersededAt: m.SupersededAt,
		State: m.State, Trust: m.Trust, SupersededBy: m.SupersededBy, Tags: m.Tags, Metadata: m.Metadata,
		ExternalID: m.ExternalID, Fact: m.Fact}
	if m.Entry != nil {
		f.Category, f.Title = m.Entry.Category, m.Entry.Title
	}
	return f
}

// Point is a memory in a [VectorIndex].
type Point struct {
	Facets Facets
	Vector Vector
	At     time.Time // when the vector was made
	Cut    bool      // see [Embedding.Cut]
}

// ValidatePoints reports the first point without a valid scope, or whose vector is none of the generation.
func ValidatePoints(g Generation, ps []Point) error {
	for i := range ps {
		if err := ps[i].Facets.Scope.Validate(); err != nil {
			return err
		}
		if err := ps[i].Vector.Validate(g.Dims); err != nil {
			return err
		}
	}
	return nil
}

// TextPoint is a memory in a [TextIndex].
type TextPoint struct {
	Facets Facets
	Text   string // the indexed text, made by the engine's text recipe. The facets have speaker, time and scope
	At     time.Time
	// Languages are the codes of the languages that the text may be in, the main one first; none: those of the index.
	// All points and probes of a tenant have the same ones. To change them, apply all points again.
	Languages []string
}

// Stamp says which version of a memory an index holds.
type Stamp struct {
	ID      ID
	Version int64
	At      time.Time
	Cut     bool // of a vector: see [Embedding.Cut]
}

// VectorProbe is a search by vector.
type VectorProbe struct {
	Vector Vector
	Filter Filter
	// IDs are up to [MaxFilterList] memories that alone are looked at; with none all are.
	IDs []ID
	// Versions are the versions of the IDs, one for each, if the caller knows them: for such a version an index may
	// answer from a cache, even if it has been deleted since. For another version it answers with its stored one.
	Versions []int64
	// K is 1 to [MaxCandidates]. For up to [ExactCandidates] without IDs, scores are the cosines, right to one or two
	// ten-thousandths: an index may keep vectors in 12 bits a component. For a larger K, or with IDs, it may
	// compute cosines from vectors that are rounded further, right to a few thousandths, and order by them: such
	// callers combine them with other scores.
	K int
}

// Validate checks all of a probe of vectors with dims components but its filter.
func (p *VectorProbe) Validate(dims int) error {
	switch {
	case p.K < 1 || p.K > MaxCandidates:
		return Errorf(Invalid, "k: is %d, must be 1 to %d", p.K, MaxCandidates)
	case len(p.IDs) > MaxFilterList:
		return Errorf(Invalid, "ids: are %d, at most %d are allowed", len(p.IDs), MaxFilterList)
	case len(p.Versions) > 0 && len(p.Versions) != len(p.IDs):
		return Errorf(Invalid, "versions: are %d of %d ids", len(p.Versions), len(p.IDs))
	}
	return p.Vector.Validate(dims)
}

// ExactCandidates is up to how many candidates are scored exactly: see [VectorProbe].
const ExactCandidates = 16

// MaxCandidates is the most that one arm returns.
const MaxCandidates = 500

// TextProbe is a search by words.
type TextProbe struct {
	Text   string
	Filter Filter
	K      int // 1 to [MaxCandidates]
	// Exact asks for memories that hold one of the identifiers in Text (ids, error codes, file names, e-mail addresses)
	// as written but for case; the score is the sum of the inverse document frequencies of those found.
	Exact bool
	// Newest selects the memories recorded last: the score is the time of recording, in seconds since 1970. Only Filter
	// and K of the probe are used.
	Newest    bool
	Languages []string // as of the points, see [TextPoint]
	// Conversation enables the rules for conversations of package lexical: neighbours, names, dates and the kind of
	// question. Without it a search is plain BM25. It has no effect if Exact is set.
	Conversation bool
	Now          time.Time // the reference for "yesterday" and "last March"; zero: they are ignored
}

// TextResult is the answer to a [TextProbe].
type TextResult struct {
	Candidates []Candidate
	// Attainable is an upper bound of a score for this query: divide by it for a value between 0 and 1. Unused terms
	// count too, so the values for a query about something never mentioned stay low. 0 if the query has no term.
	Attainable float64
	// Weight is the total weight of the query's terms that some searched memory contains: Attainable is derived from
	// it, and other contributions to a score are relative to it.
	Weight float64
	// names of the ranking rules that the text triggered, in the order of package lexical
	Rules []string
	Terms []string // the terms that were searched, after folding and stemming; of one with several forms the first
	// Subject is the text of a conversation's probe without the names of speakers in the searched set; empty if it
	// names none of them, or contains nothing else.
	Subject string
}

// Candidate is an anchor that an arm found.
type Candidate struct {
	ID      ID
	Version int64
	Score   float64
}
