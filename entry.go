package trilith

// Bounds and defaults of a search for similar entries.
const (
	DefaultSimilar  = 5
	MaxSimilar      = 50
	DefaultMinScore = 0.7 // for generations whose cosine is meaningful by itself
	// DefaultMinFused is for fused scores, if no cosine is meaningful by itself: texts that share only common words
	// with the query score lower.
	DefaultMinFused = 0.14
)

// EntryRequest stores a knowledge entry. Its domain is that of the scope.
type EntryRequest struct {
	Entry
	ExternalID string         `json:"external_id,omitempty" doc:"Your own id of the entry; storing it again changes nothing and returns the stored entry" maxLength:"255"`
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Your own data; filters see it"`
	Tags       []string       `json:"tags,omitempty" doc:"Labels; filters see them" maxItems:"64"`
	ValidUntil string         `json:"valid_until,omitempty" doc:"When it stops being valid and is no longer found; never if empty" example:"2025-12-31T12:00:00Z"`
	Wait       Wait           `json:"wait,omitempty" doc:"How far to go before answering" enum:"stored,indexed"`
	Imported   bool           `json:"imported,omitempty" doc:"It comes from elsewhere: trust tier imported"`
	RequestKey string         `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`
}

// PutRequest stores a knowledge entry under a key of the caller, and replaces the entry under that key. The key is the
// entry's external id, and belongs to exactly the scope of the request.
type PutRequest struct {
	Entry
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Your own data; filters see it"`
	Tags       []string       `json:"tags,omitempty" doc:"Labels; filters see them" maxItems:"64"`
	ValidUntil string         `json:"valid_until,omitempty" doc:"When it stops being valid and is no longer found; never if empty" example:"2025-12-31T12:00:00Z"`
	Wait       Wait           `json:"wait,omitempty" doc:"How far to go before answering" enum:"stored,indexed"`
	Imported   bool           `json:"imported,omitempty" doc:"It comes from elsewhere: trust tier imported"`
	Version    int64          `json:"version,omitempty" doc:"Refuse with conflict unless the entry has this version" minimum:"0"`
	IfAbsent   bool           `json:"if_absent,omitempty" doc:"Refuse with conflict if the key has an entry"`
}

// KeyedRequest lists the entries of the very scope of the request that have a key.
type KeyedRequest struct {
	Prefix string
	Limit  int    // 1 to 1000, 50 if 0
	Cursor string // the NextCursor of the page before
}

// SimilarRequest asks which entries of a domain are like a text or an embedding. Exactly one of the two is set, and the
// scope names the domain.
type SimilarRequest struct {
	Text           string `json:"text,omitempty" doc:"Text to compare the entries with" maxLength:"8192"`
	Embedding      Vector `json:"embedding,omitempty" doc:"A vector instead of the text, from the active embedder, with its number of dimensions" maxItems:"65536"`
	Limit          int    `json:"limit,omitempty" doc:"Entries at most: 1 to 50, 5 if absent" minimum:"1" maximum:"50"`
	ExcludeSession string `json:"exclude_session,omitempty" doc:"Leave out the entries of this session" maxLength:"255"`
	// MinScore is compared with [EntryHit.Score]. If absent it is [DefaultMinScore] on the scale of cosines, and
	// [DefaultMinFused] on the fused one.
	MinScore *float64 `json:"min_score,omitempty" doc:"Leave out entries below; 0.7 if absent and the embedder's scores carry a threshold, else 0.14" minimum:"0" maximum:"1"`
}

// EntryHit is an entry and how similar it is.
type EntryHit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"` // on the scale of the answer
}

// SimilarEntries is the answer to a [SimilarRequest]: the entries by falling score, ties by ascending id.
type SimilarEntries struct {
	Items []EntryHit `json:"items"`
	// Scale is that of cosines if cosines of the active generation carry a meaning or the request has an embedding.
	Scale Scale `json:"scale"`
	Total int   `json:"total"` // active entries that the scope covers, like or unlike
	Coverage
}
