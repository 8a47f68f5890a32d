package trilith

import "time"

// FeedKind is what happened to a memory.
type FeedKind string

// The kinds of events.
const (
	FeedLearned   FeedKind = "learned"   // a fact, a note or an entry was stored that replaces nothing
	FeedReplaced  FeedKind = "replaced"  // another one is in its place
	FeedEnded     FeedKind = "ended"     // its time is over, and nothing is in its place
	FeedForgotten FeedKind = "forgotten" // on purpose, or with the words that it rested on
	FeedPlanned   FeedKind = "planned"   // it holds, and its end is known
)

// FeedKinds lists the kinds in a fixed order.
func FeedKinds() []FeedKind {
	return []FeedKind{FeedLearned, FeedReplaced, FeedEnded, FeedForgotten, FeedPlanned}
}

// FeedQuery lists what has happened to the memories of a scope. It includes turns and passages when they are forgotten
// or replaced, not when they are stored.
type FeedQuery struct {
	Kinds  []FeedKind `json:"kinds,omitempty"`  // any of these; all if empty
	Filter Filter     `json:"filter,omitzero"`  // of the memory
	From   time.Time  `json:"from,omitzero"`    // from then on
	To     time.Time  `json:"to,omitzero"`      // before
	Limit  int        `json:"limit,omitempty"`  // 1 to MaxPageSize; DefaultPageSize if 0
	Cursor string     `json:"cursor,omitempty"` // NextCursor of the page before
}

// FeedItem is an event. Its memory has its present state and version, so that the event can be undone.
type FeedItem struct {
	At     time.Time `json:"at"` // when it was recorded
	Kind   FeedKind  `json:"kind"`
	Before *Memory   `json:"before,omitempty"` // the memory that no longer holds; nil for a new one
	After  *Memory   `json:"after,omitempty"`  // the memory that holds since; nil if it was forgotten or has ended
}

// Feed is a page of events, latest first.
type Feed struct {
	Items      []FeedItem `json:"items"`
	NextCursor string     `json:"next_cursor,omitempty"` // empty on the last page
}

// AuditQuery asks for entries of the audit; every condition that is set must hold.
type AuditQuery struct {
	Newest  bool      `json:"newest,omitempty"`  // the latest first
	Actions []string  `json:"actions,omitempty"` // any of these, such as forget, or all that begin with one: entity.*
	Actor   string    `json:"actor,omitempty"`
	Target  ID        `json:"target,omitempty"`
	From    time.Time `json:"from,omitzero"`    // from then on
	To      time.Time `json:"to,omitzero"`      // before
	Limit   int       `json:"limit,omitempty"`  // 1 to MaxPageSize; DefaultPageSize if 0
	Cursor  string    `json:"cursor,omitempty"` // NextCursor of the page before
}

// AuditPage is a page of the audit. One with conditions may be short, or empty, before the last: a call looks at a
// bounded number of entries.
type AuditPage struct {
	Items      []AuditEntry `json:"items"`
	NextCursor string       `json:"next_cursor,omitempty"` // empty on the last page
}
