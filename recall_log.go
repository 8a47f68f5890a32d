package trilith

import "time"

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

// RecallsRequest lists rows of the recall log, newest first.
type RecallsRequest struct {
	Via    string `json:"via,omitempty"`
	Empty  bool   `json:"empty,omitempty"`  // only those for which nothing was found
	Limit  int    `json:"limit,omitempty"`  // 1 to MaxPageSize; DefaultPageSize if 0
	Cursor string `json:"cursor,omitempty"` // NextCursor of the page before
}

// RecallsPage is a page of the recall log.
type RecallsPage struct {
	Items      []ServedRecall `json:"items"`
	NextCursor string         `json:"next_cursor,omitempty"` // empty on the last page
	// Off says that nothing is logged now: set --recall-log to keep a log.
	Off bool `json:"off,omitempty"`
}

// RecallAgain compares the present results of a logged question with the logged ones.
type RecallAgain struct {
	Then ServedRecall `json:"then"`
	Now  RecallResult `json:"now"`
	New  []ID         `json:"new"`  // found now and not then, best first
	Gone []ID         `json:"gone"` // given then and not found now, in the order of then
}
