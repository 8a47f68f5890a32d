package trilith

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds and defaults of reading.
const (
	DefaultK        = 10
	MaxK            = 200
	MaxQueryBytes   = 8 << 10
	MaxNeighbors    = 10
	MaxTraced       = 20 // memories that one question is asked about
	DefaultPageSize = 50
	BriefRunes      = 400 // characters of a text that a brief listing holds
	MaxPageSize     = 1000
	// of items as JSON; a page, or another listing, ends early there, after at least one item
	MaxPageBytes  = 4 << 20
	DefaultBudget = 1500 // tokens of a context block
	MaxBudget     = 200_000
)

// Arm is a way of finding candidates.
type Arm string

// The arms.
const (
	ArmLexical Arm = "lexical" // BM25
	ArmExact   Arm = "exact"   // identifiers as written
	ArmDense   Arm = "dense"   // vectors
	ArmFact    Arm = "fact"    // facts, as keys of the turns that they rest on
)

// ArmNames writes arms one after the other, for people.
func ArmNames(arms []Arm) string {
	names := make([]string, len(arms))
	for i, a := range arms {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}

// ArmRerank and ArmWindow are no arms and cannot be requested: reports and parts use these names for the effects of a
// reranker and of episodic windows.
const (
	ArmRerank Arm = "rerank"
	ArmWindow Arm = "window"
)

// Arms lists the arms in a fixed order.
func Arms() []Arm { return []Arm{ArmLexical, ArmExact, ArmDense, ArmFact} }

// RecallRequest is a search for memories. The scope that is passed with it restricts; from the text only boosts are
// inferred.
type RecallRequest struct {
	Query    string  `json:"query" doc:"The question, in words" minLength:"1" maxLength:"8192"`
	K        int     `json:"k,omitempty" doc:"How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold" minimum:"1" maximum:"200"`
	Filter   Filter  `json:"filter,omitzero" doc:"Conditions; see the filter grammar"`
	States   []State `json:"states,omitempty" doc:"States to search; active if empty"`
	MinScore float64 `json:"min_score,omitempty" doc:"Leave out hits below, and weak ones; 0 to 1" minimum:"0" maximum:"1"`
	// Scale is that of MinScore and of the hits' scores; [ScaleFused] if empty. It changes neither the set of hits nor
	// their order.
	Scale Scale `json:"scale,omitempty" doc:"What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which" enum:"fused,cosine"`
	// StrongOnly leaves out the weak hits, which fill up the places that are left over: see [Hit.Weak].
	StrongOnly bool   `json:"strong_only,omitempty" doc:"Leave out weak hits: those that fill up the places where less than k was found"`
	AsOf       string `json:"as_of,omitempty" doc:"Answer as it was in the world at this time"`
	KnownAt    string `json:"known_at,omitempty" doc:"Answer as it was known at this time: nothing that was stored or found out later"`
	Neighbors  int    `json:"neighbors,omitempty" doc:"Turns to add before and after each hit: 0 to 10" minimum:"0" maximum:"10"`
	Arms       []Arm  `json:"arms,omitempty" doc:"Arms to use; all if empty"`
	Explain    bool   `json:"explain,omitempty" doc:"Say how each hit was found, and of every other candidate why it is none"`
	// Order is that of the hits in the answer; which memories are found depends on the score. A block is always in the
	// order of time.
	Order HitOrder `json:"order,omitempty" doc:"Order of the hits: score if absent, or newest first" enum:"score,newest"`
	// Trace lists up to [MaxTraced] memories; the answer reports the fate of each: see [Traced].
	Trace []ID `json:"trace,omitempty" doc:"Ids of memories: say of each what every arm gave it and why it is no hit" maxItems:"20"`
}

// HitOrder is an order of hits.
type HitOrder string

// The orders.
const (
	ByScore  HitOrder = "score"  // best first
	ByNewest HitOrder = "newest" // by event time, the latest first
)

// Scale is the meaning of the scores in an answer, and of the threshold they were compared with.
type Scale string

// The scales.
const (
	// ScaleFused is the joint score of words, cosines and facts, 0 to 1. It orders the hits of one question; numbers of
	// two questions cannot be compared.
	ScaleFused Scale = "fused"
	// ScaleCosine is the cosine with the question, 0 where it is negative and where a hit has no vector yet. It is only
	// used where cosines carry a meaning, see [Generation.Threshold], and the question has a vector; while the embedder
	// is down such an answer is fused, and no threshold above [DefaultMinFused] applies. A threshold up to [NoiseCosine]
	// also lets through a memory with every word of the question, or with an identifier in it: that is no noise; any
	// threshold does if the memory has no vector.
	ScaleCosine Scale = "cosine"
)

// NoiseCosine is the threshold that keeps out memories unrelated to a question.
const NoiseCosine = 0.3

// Hit is a verified memory.
type Hit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"` // 0 to 1; on the scale fused it orders the hits
	// Weak says that no arm found it: it fills a free result, because it is similar or recent. Its score is below those
	// of all others and only defines the order.
	Weak       bool     `json:"weak,omitempty"`
	Similarity *float64 `json:"similarity,omitempty"` // cosine in the active generation; absent without a vector
	// Duplicates counts the other memories that were found and have the same text, speaker, trust and owner, in whatever
	// session, turns and notes of any type alike: the hit stands for them. Facts, and entries under keys, are never folded.
	Duplicates int      `json:"duplicates,omitempty"`
	Relevance  *float64 `json:"relevance,omitempty"` // of a fact with a similarity: see [Fact.Relevance]
	// facts found that are derived from it and are no hits themselves, best first
	Facts     []Memory     `json:"facts,omitempty"`
	Neighbors []Memory     `json:"neighbors,omitempty"` // turns around it, in order, the hit itself left out
	Parts     map[Arm]Part `json:"parts,omitempty"`     // with explain
	// Later is a later turn of the same person that probably concerns the same matter; only the first two hits have
	// one. It may replace the hit's statement, or add to it: the answer does not decide.
	Later *LaterTurn `json:"later,omitempty"`
}

// LaterTurn is a turn that was said after a hit.
type LaterTurn struct {
	ID ID        `json:"id"`
	At time.Time `json:"at"` // when it was said
}

// Part is the contribution of one arm to a hit. The part of a reranker may be negative.
type Part struct {
	Rank   int     `json:"rank"`   // 1 is the arm's best
	Raw    float64 `json:"raw"`    // the arm's own score
	Weight float64 `json:"weight"` // the part is Weight times Norm
	Norm   float64 `json:"norm"`   // the score between 0 and 1
}

// Drop says why a candidate did not become a hit.
type Drop struct {
	ID     ID      `json:"id"`
	Reason string  `json:"reason"`
	Score  float64 `json:"score"`
}

// Reasons for dropping a candidate.
const (
	DropMissing  = "missing"  // the truth does not hold it, or not in this scope: the index lags or is wrong
	DropStale    = "stale"    // the index held another version of it, which the filter would not let through now
	DropState    = "state"    // not in a state that was asked for
	DropValidity = "validity" // did not hold, or was not known, at the time asked about
	DropSummary  = "summary"  // a summary or a window, which quotes turns; a filter on kind or type lets it through
	DropFilter   = "filter"   // the filter rejects the stored memory
	DropScore    = "score"    // below min_score
	DropRank     = "rank"     // k better ones are there
	DropWeak     = "weak"     // too little like the question to be found, and weak hits were not asked for
	DropUnfound  = "unfound"  // no arm found it
	DropShared   = "shared"   // it is there already, itself or as another share of it
	DropRepeated = "repeated" // a better hit says the same in the words of the same speaker: see [Hit.Duplicates]
	DropDamaged  = "damaged"  // its stored row is damaged
)

// Coverage says whether every requested arm took part in an answer. An arm has not failed if the request excludes it,
// if it is not configured, or if its index only lags; while vectors are being rebuilt, that of vectors counts as
// failed, because it may have missed memories. If an arm failed altogether and nothing was found, the answer is an
// error of kind [Unavailable]: a failure never looks like an empty memory.
type Coverage struct {
	Partial    bool  `json:"partial,omitempty" doc:"An arm failed, or what it found is damaged: something is missing, and the order may be another one"`
	FailedArms []Arm `json:"failed_arms,omitempty" doc:"Which arms failed: lexical, exact, dense; absent if none did"`
}

// Traced reports the fate of a memory that a request names: its position among the hits, or the hit that it is nested
// in, or why it is neither.
type Traced struct {
	ID         ID           `json:"id"`
	Place      int          `json:"place,omitempty"`  // among the hits, from 1
	With       ID           `json:"with,omitempty"`   // of a fact: the hit that it is nested in
	Reason     string       `json:"reason,omitempty"` // why it is no hit: see [Drop]
	Weak       bool         `json:"weak,omitempty"`
	Score      float64      `json:"score"`                // as far as it was scored
	Similarity *float64     `json:"similarity,omitempty"` // its cosine, whether or not vectors found it
	Parts      map[Arm]Part `json:"parts,omitempty"`      // contribution of each arm; absent if no arm found it
}

// RecallResult holds the hits, best first, weak ones last. Abstained is an answer too: nothing known is good enough, so
// there are at most weak hits.
type RecallResult struct {
	Hits      []Hit `json:"hits"`
	Scale     Scale `json:"scale"` // of the scores
	Abstained bool  `json:"abstained"`
	// further hits, or neighbors, were left out at MaxPageBytes; ask for fewer
	Truncated bool `json:"truncated,omitempty"`
	Coverage
	// found, and left out because their stored rows are damaged: the answer is not whole
	Damaged []ID     `json:"damaged,omitempty"`
	Dropped []Drop   `json:"dropped,omitempty"` // with explain: every candidate that is no hit
	Trace   []Traced `json:"trace,omitempty"`   // in the order of the request's
	Explain *Explain `json:"explain,omitempty"`
	// of this answer in the recall log; empty if the log is off
	RecallID ID `json:"recall_id,omitempty"`
}

// Explain says how an answer came about.
type Explain struct {
	Terms      []string `json:"terms"` // as searched
	Filter     Filter   `json:"filter"`
	Generation string   `json:"generation,omitempty"`
	// the ranking rules of the search: all, none, or their names separated by commas
	Pulled    string             `json:"pulled"`
	Fired     string             `json:"fired"` // in the same form, those that its text triggered
	Arms      []ArmReport        `json:"arms"`
	TimingsMS map[string]float64 `json:"timings_ms"`
	Usage     *Usage             `json:"usage,omitempty"` // of providers for the answer; nil if none was used
}

// ArmReport describes the work of one arm. An arm that fails makes the answer partial, see [Coverage]; a reranker that
// fails does not, because it finds nothing: the hits keep the order of the fusion, and the report says so.
type ArmReport struct {
	Arm        Arm    `json:"arm"`
	Candidates int    `json:"candidates"`
	Error      string `json:"error,omitempty"`
}

// ListRequest lists memories by the time of recording, oldest first, ties by session and position in it. So the turns
// of a session are listed in the order in which they were said.
type ListRequest struct {
	Filter Filter `json:"filter,omitzero" doc:"Conditions as JSON; see the filter grammar"`
	Limit  int    `json:"limit,omitempty" doc:"Memories per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	Newest bool   `json:"newest,omitempty" doc:"Newest first: the same order backwards"`
	// States are the states of the memories to list; if empty, those that the filter accepts if the filter names
	// states, otherwise active.
	States []State `json:"states,omitempty" doc:"States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent" explode:"true"`
	// Archived includes archived memories, which are left out otherwise.
	Archived bool `json:"archived,omitempty" doc:"List what was archived too"`
	// Sort lists by the event time instead; empty: by the time of recording.
	Sort Timeline `json:"sort,omitempty" doc:"By when it was recorded, or when it happened" enum:"recorded,event"`
	// Brief cuts texts at [BriefRunes], and leaves out evidence and details of vectors.
	Brief bool `json:"brief,omitempty" doc:"Cut texts at 400 characters, which clipped counts the rest of in bytes, and leave out evidence and vectors"`
}

// Page is one page of a listing.
type Page struct {
	Items      []Memory `json:"items"`
	NextCursor string   `json:"next_cursor,omitempty"` // empty on the last page
	// of a list without a cursor: items were left out at MaxPageBytes; request fewer
	Truncated bool `json:"truncated,omitempty"`
}

// ContextFormat names a layout of a context block.
type ContextFormat string

// The layouts.
const (
	FormatBriefing  ContextFormat = "briefing"
	FormatFacts     ContextFormat = "facts"     // only facts, numbered, and the actions among them
	FormatKnowledge ContextFormat = "knowledge" // only knowledge entries, and their number
	FormatWindow    ContextFormat = "window"
	FormatJSON      ContextFormat = "json"
)

// ContextFormats lists the layouts.
func ContextFormats() []ContextFormat {
	return []ContextFormat{FormatBriefing, FormatFacts, FormatKnowledge, FormatWindow, FormatJSON}
}

// ContextRequest asks for the text that a prompt gets.
type ContextRequest struct {
	RecallRequest
	Format ContextFormat `json:"format,omitempty" doc:"briefing if empty; facts and knowledge look at facts and at entries alone" enum:"briefing,facts,knowledge,window,json"`
	Budget int           `json:"budget,omitempty" doc:"Tokens at most: 1 to 200000, 1500 if absent" minimum:"1" maximum:"200000"`
	// ExcludeSession leaves out memories of a session, such as the one that the prompt continues.
	ExcludeSession string `json:"exclude_session,omitempty" doc:"Leave out what was said in this session" maxLength:"255"`
	IDs            bool   `json:"ids,omitempty" doc:"In the format briefing, begin what is said of each memory with the end of its id; the member records tells which line is which memory anyway"`
	// IncludeQuestions gives turns that only ask a line like any other: see [Hit].
	IncludeQuestions bool `json:"include_questions,omitempty" doc:"Also show turns that only ask; if absent only where nothing else is found"`
	Parts            bool `json:"parts,omitempty" doc:"Say of every part of the text how many tokens it takes and which hit it comes from, and which hits were left out; the text is the same"`
}

// ContextBlock is the token-budgeted text made of hits. Equal hits give equal bytes.
type ContextBlock struct {
	Text   string        `json:"text"`
	Tokens int           `json:"tokens"` // as the active tokenizer counts them; never over the budget
	Format ContextFormat `json:"format"`
	Hits   []Hit         `json:"hits"`            // those that fitted
	Scale  Scale         `json:"scale,omitempty"` // of their scores; empty without a question
	// maps lines of the text to memories, in the order of the text
	Records []ContextRecord `json:"records,omitempty"`
	Left    int             `json:"left"` // hits that did not fit
	// Abstained says that no hit was good enough: the text holds the closest memories, and without hits a briefing says
	// in one sentence that nothing answers.
	Abstained bool `json:"abstained,omitempty"`
	// with parts in the request: the whole text from its first byte to its last, in order
	Parts []ContextPart `json:"parts,omitempty"`
	// the other hits, best first: those that Left counts, and those that repeat others in the text
	LeftOut []ContextLeft `json:"left_out,omitempty"`
	Coverage
	// of this answer in the recall log; empty if the log is off. It is not in the text
	RecallID ID `json:"recall_id,omitempty"`
}

// ContextRecord is a memory in the text of a context block: a hit, or a memory that belongs to one. In a briefing several
// may have one line; they come in the order of the text.
type ContextRecord struct {
	ID   ID   `json:"id"`
	Line int  `json:"line"`          // where it begins, from 1
	Cut  bool `json:"cut,omitempty"` // only a part of its words is there
}

// PartOrigin says why a part is in a context block.
type PartOrigin string

// The origins of parts.
const (
	PartFrame    PartOrigin = "frame"    // the fence, the notice, and headings
	PartHit      PartOrigin = "hit"      // a hit
	PartFact     PartOrigin = "fact"     // a fact that is nested in a hit
	PartNeighbor PartOrigin = "neighbor" // a turn near a hit
	PartLater    PartOrigin = "later"    // a later turn of the same person on the matter of a hit
	PartAction   PartOrigin = "action"   // a fact that asks for an action, even if it was not found
)

// ContextPart is a piece of the text of a context block.
type ContextPart struct {
	Start  int        `json:"start" doc:"Where it begins, in bytes of the text as UTF-8"`
	End    int        `json:"end" doc:"Where it ends, exclusive"`
	Tokens int        `json:"tokens" doc:"Counted by itself: at the borders of parts a vocabulary may join what is counted apart"`
	Why    PartOrigin `json:"why" doc:"frame, hit, fact, neighbor, later or action"`
	ID     ID         `json:"id,omitempty" doc:"The memory that is there; absent for a frame"`
	Hit    ID         `json:"hit,omitempty" doc:"The hit that it is or that brought it"`
	Cut    bool       `json:"cut,omitempty" doc:"Only a part of its words is there"`
}

// Reasons why a hit is not in a context block.
const (
	LeftRoom     = "room"     // it did not fit
	LeftRepeated = "repeated" // the same words of the same speaker are there already
)

// ContextLeft is a hit that is not in a context block.
type ContextLeft struct {
	ID     ID      `json:"id"`
	Score  float64 `json:"score"`
	Weak   bool    `json:"weak,omitempty"`
	Reason string  `json:"reason" doc:"room: it did not fit; repeated: its speaker says the same words there already"`
	Tokens int     `json:"tokens" doc:"That its line would take, cut as the layout cuts long texts"`
}

// These lines enclose a context block, so that a reader treats it as data and the gate recognises it as an echo. The
// opening line may have attributes after [FenceOpen].
const (
	FenceOpen  = "<trilith-memory"
	FenceClose = "</trilith-memory>"
)

// Bounds and defaults of the recall log.
const (
	RecallLogDays = 7      // rows that are older are deleted
	RecallLogRows = 10_000 // rows of a tenant at most; the oldest are deleted first
	MaxServedHits = 50     // hits that a row names
)

// ServedBy is the operation that answered.
type ServedBy string

// The logged operations.
const (
	ServedSearch  ServedBy = "search"
	ServedContext ServedBy = "context"
	ServedConsult ServedBy = "consult"
)

// ServedRecall is a row of the recall log: the question, the actor, and the memories in the answer. The text of the
// answer is not stored: it can be made from the memories.
type ServedRecall struct {
	ID      ID             `json:"id"`
	At      time.Time      `json:"at"`
	What    ServedBy       `json:"what"`
	Via     string         `json:"via"`      // rest, mcp, cli or library
	KeyName string         `json:"key_name"` // of the API key; local without one
	Scope   Scope          `json:"scope"`
	Request ContextRequest `json:"request"` // as received; a search and a consultation have no format and budget

	Tokens    int         `json:"tokens,omitempty"` // of the block
	Hits      []ServedHit `json:"hits"`             // the best, in order; at most MaxServedHits
	Found     int         `json:"found"`            // how many were found
	Abstained bool        `json:"abstained,omitempty"`
	Partial   bool        `json:"partial,omitempty"`
	MS        float64     `json:"ms"`
	RequestID string      `json:"request_id,omitempty"` // as in the program's log
}

// ServedHit is a memory that was given.
type ServedHit struct {
	ID      ID      `json:"id"`
	Version int64   `json:"version"` // that it had then
	Score   float64 `json:"score,omitempty"`
}

// ForgottenRecalls says how many rows of the recall log were deleted.
type ForgottenRecalls struct {
	Deleted int `json:"deleted"`
}

// RecallsRequest lists rows of the recall log, newest first.
type RecallsRequest struct {
	Via    string `json:"via,omitempty" doc:"Only what was asked through this surface" enum:"rest,mcp,cli,library"`
	Empty  bool   `json:"empty,omitempty" doc:"Only questions for which nothing was found"`
	Limit  int    `json:"limit,omitempty" doc:"Rows per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// RecallsPage is a page of the recall log.
type RecallsPage struct {
	Items      []ServedRecall `json:"items"`
	NextCursor string         `json:"next_cursor,omitempty"` // empty on the last page
	// Off says that nothing is logged now: set TRILITH_RECALL_LOG to keep a log.
	Off bool `json:"off,omitempty"`
}

// RecallAgain compares the present results of a logged question with the logged ones.
type RecallAgain struct {
	Then ServedRecall `json:"then"`
	Now  RecallResult `json:"now"`
	New  []ID         `json:"new"`  // found now and not then, best first
	Gone []ID         `json:"gone"` // given then and not found now, in the order of then
}

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

// GenerationState is how far a generation has come.
type GenerationState string

// The states of generations.
const (
	GenerationActive   GenerationState = "active"   // questions are answered from it
	GenerationBuilding GenerationState = "building" // its vectors are being made; it is the next one in force
	GenerationPrevious GenerationState = "previous" // it was in force before; it can be gone back to
)

// GenerationStatus is one of the generations that a memory holds.
type GenerationStatus struct {
	State      GenerationState `json:"state"`
	Key        string          `json:"key"` // [Generation.Key]
	Generation Generation      `json:"generation"`
	// the setting that opens its embedder, as for --embedder; empty if unknown
	Embedder string `json:"embedder,omitempty"`
	Build    *Build `json:"build,omitempty"` // of a building one
}

// Build says how far a generation is made.
type Build struct {
	StartedAt time.Time `json:"started_at"`
	Done      int       `json:"done"`  // changes applied, since the building process started
	Total     int       `json:"total"` // changes that there were to apply then
	Error     string    `json:"error,omitempty"`
}

// GenerationCount is a generation with the number of its vectors.
type GenerationCount struct {
	GenerationStatus
	Vectors int `json:"vectors"`
	Missing int `json:"missing"` // memories without a vector of their present wording
	Cut     int `json:"cut"`     // vectors that stand for the beginning of a text
	Refused int `json:"refused"` // jobs for texts that the embedder has refused so far
}

// Usage counts tokens as the provider bills them.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Add adds the usage of another request.
func (u *Usage) Add(other Usage) {
	u.InputTokens += other.InputTokens
	u.OutputTokens += other.OutputTokens
}
