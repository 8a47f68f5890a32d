package trilith

import "time"

// MaxTimeline is the most items that a timeline has.
const MaxTimeline = 500

// TimelineQuery asks for the timeline of a project.
type TimelineQuery struct {
	AsOf string // as of this time; now if empty
}

// TimelineKind is the type of an item of a timeline.
type TimelineKind string

// The kinds.
const (
	TimelineTask      TimelineKind = "task"
	TimelineMilestone TimelineKind = "milestone"
	TimelineDeadline  TimelineKind = "deadline"
	TimelineSchedule  TimelineKind = "schedule"
)

// TimelineKinds lists the kinds in a fixed order.
func TimelineKinds() []TimelineKind {
	return []TimelineKind{TimelineTask, TimelineMilestone, TimelineDeadline, TimelineSchedule}
}

// TimelineQuote is a quote that supports an item.
type TimelineQuote struct {
	EpisodeID ID     `json:"episode_id"`
	Quote     string `json:"quote"`
}

// TimelineItem is a fact of a timeline.
type TimelineItem struct {
	ID       ID              `json:"id"` // of the fact
	Kind     TimelineKind    `json:"kind"`
	Name     string          `json:"name"`
	Start    *time.Time      `json:"start,omitempty"` // the first day; nil: it is not known, or the item is a point in time
	End      *time.Time      `json:"end,omitempty"`   // the last day; nil: undated
	Ended    bool            `json:"ended,omitempty"` // somebody said that it is done, or no longer holds
	Critical bool            `json:"critical,omitempty"`
	After    []ID            `json:"after"`             // the items that are done before it, by ascending id
	PartOf   []ID            `json:"part_of,omitempty"` // the items that it belongs to, by ascending id
	Late     []ID            `json:"late,omitempty"`    // those of After that end only after it begins
	Quotes   []TimelineQuote `json:"quotes"`
}

// ProjectTimeline lists the tasks and dates of a project, computed from its facts and relations by code alone.
type ProjectTimeline struct {
	Project  string         `json:"project"`
	AsOf     time.Time      `json:"as_of"`
	Items    []TimelineItem `json:"items"`    // those that have a day, by start or end, then id
	Undated  []TimelineItem `json:"undated"`  // by kind, name and id
	Critical []ID           `json:"critical"` // the chain of items that wait for each other which spans the most days
	// How many days that is, the first and the last included; 0 if no items with days wait for each other.
	CriticalDays int            `json:"critical_days"`
	LeftOut      map[string]int `json:"left_out,omitempty"` // how many facts are not on it, by reason
}

// Reasons why facts are not on a timeline.
const (
	TimelineCandidate = "candidate" // nobody has accepted it
	TimelineDenied    = "denied"    // it is not to be, or is no longer
	TimelineReplaced  = "replaced"  // another one holds in its place
	TimelineTooMany   = "too_many"  // beyond [MaxTimeline]
	TimelineUnrelated = "unrelated" // a relation of a fact that is not on it
)
