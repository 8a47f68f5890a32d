package cairn

import "time"

// FeedKind says what happened to a memory.
type FeedKind string

// What can happen to a memory.
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

// FeedQuery asks what has happened to the memories of a scope. Turns and passages are in it when they are forgotten or
// replaced, not when they are stored.
type FeedQuery struct {
	Kinds  []FeedKind `json:"kinds,omitempty"`  // any of these; all if empty
	Filter Filter     `json:"filter,omitzero"`  // of the memory that it happened to
	From   time.Time  `json:"from,omitzero"`    // from then on
	To     time.Time  `json:"to,omitzero"`      // before
	Limit  int        `json:"limit,omitempty"`  // 1 to MaxPageSize; DefaultPageSize if 0
	Cursor string     `json:"cursor,omitempty"` // NextCursor of the page before
}

// FeedItem is something that happened. What it was about is given as it is now, with its version: enough to take it
// back.
type FeedItem struct {
	At     time.Time `json:"at"` // when it was learned of
	Kind   FeedKind  `json:"kind"`
	Before *Memory   `json:"before,omitempty"` // what holds no more; nil of what was learned
	After  *Memory   `json:"after,omitempty"`  // what holds since; nil of what was forgotten or has ended
}

// Feed is a page of what has happened, latest first.
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
