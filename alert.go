package trilith

import (
	"slices"
	"time"
)

// AlertKind says why an [Alert] was raised.
type AlertKind string

// The kinds of alerts.
const (
	AlertMatch    AlertKind = "match"         // a memory matches that did not before
	AlertChanged  AlertKind = "changed"       // a matching one got another value, was replaced, or ended
	AlertAmount   AlertKind = "amount"        // the amount of a fact that matches is over the limit
	AlertDeadline AlertKind = "deadline"      // a match is due soon
	AlertConflict AlertKind = "contradiction" // a fact that matches contradicts another one, or somebody disputes it
	AlertLag      AlertKind = "lag"           // the indexes are further behind than the limit
)

// AlertKinds lists the kinds in the order in which one change raises them.
func AlertKinds() []AlertKind {
	return []AlertKind{AlertMatch, AlertChanged, AlertAmount, AlertDeadline, AlertConflict, AlertLag}
}

// Bounds of saved searches and of alerts.
const (
	MaxSearches     = 1000 // of a tenant
	MaxSearchQuery  = 1024 // bytes of the query of one
	MaxSearchFilter = 16 << 10
	AlertRows       = 10_000 // kept of a tenant, the newest, unless a setting says otherwise
	AlertDays       = 30     // how long they are kept, unless a setting says otherwise
)

// SearchOf is the subject of a saved search.
type SearchOf string

// The subjects of saved searches.
const (
	SearchFacts    SearchOf = "facts"
	SearchMemories SearchOf = "memories" // everything but facts
)

// SearchRequest defines a saved search and when it raises an alert.
//
// A memory matches if the scope sees it, the filter accepts it, it contains every word of the query that is no stop
// word, in any form, and every quoted phrase literally. Only active memories match, unless the filter names state.
type SearchRequest struct {
	Name     string      `json:"name" doc:"Name; unique in its scope. It cannot be changed" minLength:"1" maxLength:"255"`
	Of       SearchOf    `json:"of,omitempty" doc:"What is looked at; facts if absent" enum:"facts,memories"`
	Query    string      `json:"query,omitempty" doc:"Words that all have to occur, and quoted phrases" maxLength:"1024"`
	Filter   Filter      `json:"filter,omitzero" doc:"Conditions; see the filter grammar"`
	Alerts   []AlertKind `json:"alerts,omitempty" doc:"What raises an alert; match and changed if absent" maxItems:"6" enum:"match,changed,amount,deadline,contradiction,lag"`
	Amount   string      `json:"amount,omitempty" doc:"Decimal number: greater amounts raise an alert of kind amount" maxLength:"40"`
	Currency string      `json:"currency,omitempty" doc:"Only amounts in this currency; any if absent" maxLength:"3"`
	Days     int         `json:"days,omitempty" doc:"How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent" minimum:"1" maximum:"3650"`
	Behind   int         `json:"behind,omitempty" doc:"How many changes that an index has not read raise an alert of kind lag; 1000 if absent" minimum:"1"`
	Webhook  string      `json:"webhook,omitempty" doc:"Name of a webhook of the settings, which gets each alert" maxLength:"64"`
	Version  int64       `json:"version,omitempty" doc:"Of a change: the version that was read; another one is a conflict" minimum:"0"`
}

// SavedSearch is a search that runs on every change of its scope. Its version is raised by every change of it.
type SavedSearch struct {
	ID    ID    `json:"id"` // made of scope and name
	Scope Scope `json:"scope"`
	SearchRequest
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt is when its present form took effect: older memories raise alerts only when they change.
	UpdatedAt time.Time `json:"updated_at"`
	// From is where the log of changes ended then, by shard: the order that counts where clocks differ.
	From []Cursor `json:"-"`

	// Fixed and Bound are those of the key that saved it: the search sees what that key sees.
	Fixed
	Bound Bound `json:"bound,omitzero" doc:"What the key was bound to that saved it"`
}

// Sight is the scope with which the search looks.
func (q *SavedSearch) Sight(tenant string) Scope {
	s := q.Scope
	s.Tenant, s.Fixed, s.Bound = tenant, q.Fixed, q.Bound
	return s
}

// Raises reports whether the search raises alerts of a kind.
func (q *SavedSearch) Raises(kind AlertKind) bool {
	return slices.ContainsFunc(q.Alerts, func(k AlertKind) bool { return k == kind })
}

// Searches are the saved searches of a scope, by name.
type Searches struct {
	Items []SavedSearch `json:"items"`
}

// Alert says that something happened that a saved search waits for. It holds ids and numbers, and no stored text.
type Alert struct {
	// ID is derived from the search, the kind and the event: an alert that is sent again has the same id.
	ID       ID        `json:"id"`
	Seq      int64     `json:"seq" doc:"Place among the alerts of the tenant; ascends without gaps when they are raised"`
	Search   ID        `json:"search_id"`
	Scope    Scope     `json:"scope" doc:"Of the search"`
	Kind     AlertKind `json:"kind"`
	At       time.Time `json:"at"`
	MemoryID ID        `json:"memory_id,omitempty"`
	Version  int64     `json:"version,omitempty" doc:"Of the memory, at the time"`
	State    State     `json:"state,omitempty" doc:"Of the memory, at the time"`
	Before   ID        `json:"before_id,omitempty" doc:"Of a change: the memory that it took the place of"`

	Due    *time.Time `json:"due,omitempty" doc:"Of a deadline"`
	Behind int        `json:"behind,omitempty" doc:"Of a lag: how many changes wait"`

	AcknowledgedAt *time.Time `json:"acknowledged_at,omitempty"`
	AcknowledgedBy string     `json:"acknowledged_by,omitempty"`
	DeliveredAt    *time.Time `json:"delivered_at,omitempty" doc:"When its webhook took it"`
}

// AlertQuery asks for alerts of a scope.
type AlertQuery struct {
	Search ID    `json:"search,omitempty"` // only those of this search
	After  int64 `json:"after,omitempty"`  // only those after this [Alert.Seq]
	Open   bool  `json:"open,omitempty"`   // only those that are not acknowledged
	Limit  int   `json:"limit,omitempty"`  // 1 to MaxPageSize; DefaultPageSize if 0
}

// AlertPage is a page of alerts, oldest first.
type AlertPage struct {
	Items []Alert `json:"items"`
	// Next is the value of After for the next request, even if nothing follows yet.
	Next int64 `json:"next" doc:"What to give as after to go on: what is raised later lies behind it"`
	More bool  `json:"more,omitempty" doc:"There are more now"`
}

// Acknowledged says how many alerts were newly acknowledged.
type Acknowledged struct {
	Acknowledged int `json:"acknowledged"`
}
