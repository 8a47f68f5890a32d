package role

import (
	"time"

	"github.com/trilith-memory/trilith"
)

// Embedding is an [Embedder]'s result for a text.
type Embedding struct {
	Vector trilith.Vector // nil: there is nothing to say about the text
	Cut    bool           // the vector covers only the beginning of the text, which is longer than the model reads
}

// VectorsOf returns the vectors of embeddings, in order.
func VectorsOf(es []Embedding) []trilith.Vector {
	vs := make([]trilith.Vector, len(es))
	for i, e := range es {
		vs[i] = e.Vector
	}
	return vs
}

// CachedEmbedding is an [EmbeddingCache]'s content for a memory.
type CachedEmbedding struct {
	Memory trilith.ID
	Hash   string // of the exact text that was embedded: the embedding is not valid for a memory whose text has changed
	Embedding
}

// EmbeddingQuery names embeddings of an [EmbeddingCache] under the key of a generation: by their memories, or by the
// hashes of their texts as in [CachedEmbedding.Hash].
type EmbeddingQuery struct {
	Generation string
	Memories   []trilith.ID
	Hashes     []string // looked at if there are no memories
}

// EmbeddingsByMemory returns the answer of [EmbeddingCache.CachedEmbeddings] by memory.
func EmbeddingsByMemory(es []CachedEmbedding, err error) (map[trilith.ID]CachedEmbedding, error) {
	out := make(map[trilith.ID]CachedEmbedding, len(es))
	for _, e := range es {
		out[e.Memory] = e
	}
	return out, err
}

// FacetsOf returns the facets of m; slices and maps are shared with it.
func FacetsOf(m *trilith.Memory) trilith.Facets {
	f := trilith.Facets{ID: m.ID, Version: m.Version, Kind: m.Kind, Scope: m.Scope, Role: m.Role,
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
	Facets trilith.Facets
	Vector trilith.Vector
	At     time.Time // when the vector was made
	Cut    bool      // see [Embedding.Cut]
}

// ValidatePoints reports the first point without a valid scope, or whose vector is none of the generation.
func ValidatePoints(g trilith.Generation, ps []Point) error {
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
	Facets trilith.Facets
	Text   string // the indexed text, made by the engine's text recipe. The facets have speaker, time and scope
	At     time.Time
	// Languages are the codes of the languages that the text may be in, the main one first; none: those of the index.
	// All points and probes of a tenant have the same ones. To change them, apply all points again.
	Languages []string
}

// Stamp says which version of a memory an index holds.
type Stamp struct {
	ID      trilith.ID
	Version int64
	At      time.Time
	Cut     bool // of a vector: see [Embedding.Cut]
}

// VectorProbe is a search by vector.
type VectorProbe struct {
	Vector trilith.Vector
	Filter trilith.Filter
	// IDs restricts the search to up to [trilith.MaxFilterList] memories; empty searches all.
	IDs []trilith.ID
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
		return trilith.Errorf(trilith.Invalid, "k: is %d, must be 1 to %d", p.K, MaxCandidates)
	case len(p.IDs) > trilith.MaxFilterList:
		return trilith.Errorf(trilith.Invalid, "ids: are %d, at most %d are allowed", len(p.IDs), trilith.MaxFilterList)
	case len(p.Versions) > 0 && len(p.Versions) != len(p.IDs):
		return trilith.Errorf(trilith.Invalid, "versions: are %d of %d ids", len(p.Versions), len(p.IDs))
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
	Filter trilith.Filter
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
	ID      trilith.ID
	Version int64
	Score   float64
}
