package trilith

// EventKind is the type of an [Event].
type EventKind string

// The kinds of events.
const (
	EventOpen   EventKind = "open"   // the first one: from here on nothing is missed
	EventChange EventKind = "change" // memories were stored, changed or erased
	EventJobs   EventKind = "jobs"   // the number of background jobs, when it changes
	EventLag    EventKind = "lag"    // how far the indexes lag, when it changes
	EventAlert  EventKind = "alert"  // saved searches have raised alerts
	EventIdle   EventKind = "idle"   // nothing has happened for a while
)

// Event reports that something happened in a scope. It contains ids and numbers, and no stored text.
type Event struct {
	Kind EventKind `json:"kind" doc:"open, change, alert, jobs or lag"`
	// Cursor is the position in the log: events after it are requested with it. Absent if nothing was read.
	Cursor string  `json:"cursor,omitempty" doc:"Where to continue after a break; also the id of the event"`
	Count  int     `json:"count,omitempty" doc:"Of a change: how many memories"`
	IDs    []ID    `json:"ids,omitempty" doc:"Of a change: the first hundred of them"`
	Alerts []Alert `json:"alerts,omitempty" doc:"Of an alert: up to a thousand of them; GET /alerts has them all"`
	// All says that there are too many changes to report one by one, or that they are unknown.
	All  bool       `json:"all,omitempty" doc:"Anything may have changed: reload everything that you show"`
	Jobs *JobCounts `json:"jobs,omitempty"`
	Lag  *Lag       `json:"lag,omitempty"`
}

// Lag is the number of changes that the indexes of the store have not read yet.
type Lag struct {
	Texts   int `json:"texts"`
	Vectors int `json:"vectors"`
}

// JobCounts says how many background jobs of a tenant are not done. Each number is at most [MaxJobCount].
type JobCounts struct {
	Ready   int `json:"ready" doc:"Waiting for their time or a worker"`
	Running int `json:"running"`
	Dead    int `json:"dead" doc:"Given up, until they are retried"`
	// More says that one of the numbers has reached this limit.
	More bool `json:"more,omitempty" doc:"There are more jobs than were counted"`
}

// Bounds of events and of counting jobs.
const (
	MaxEventIDs = 100
	MaxJobCount = 1000
)
