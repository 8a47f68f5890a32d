package trilith

import (
	"maps"
	"slices"
	"time"
)

// Stats counts the memories of a scope, in every state. Values that do not occur are absent.
type Stats struct {
	Total  int           `json:"total"`
	Kinds  map[Kind]int  `json:"kinds"`
	States map[State]int `json:"states"`
	Newest *time.Time    `json:"newest,omitempty"` // when the last of them was recorded
}

// NewStats counts nothing yet.
func NewStats() Stats { return Stats{Kinds: map[Kind]int{}, States: map[State]int{}} }

// Add counts n memories, of which the last was recorded at newest.
func (s *Stats) Add(k Kind, st State, n int, newest time.Time) {
	s.Total += n
	s.Kinds[k] += n
	s.States[st] += n
	if s.Newest == nil || newest.After(*s.Newest) {
		s.Newest = &newest
	}
}

// Bounds and defaults of facets.
const (
	DefaultFacets = 50
	MaxFacets     = 1000
)

// Counting says which memories of a scope are counted. Shares count like their origins.
type Counting struct {
	Kinds  []Kind  `json:"kinds,omitempty"`  // any of these; all if empty
	States []State `json:"states,omitempty"` // any of these, as stored; active if empty
	Filter Filter  `json:"filter,omitzero"`  // further conditions
}

// FacetsQuery asks which values a field has, and how often.
type FacetsQuery struct {
	Counting
	Field  string `json:"field"`            // one of [FacetFields]
	Prefix string `json:"prefix,omitempty"` // only values that begin with it, byte by byte
	Limit  int    `json:"limit,omitempty"`  // 1 to MaxFacets; DefaultFacets if 0
}

// facetFields are the fields that have facets, with their values.
var facetFields = map[string]func(m *Memory) string{
	"project":   func(m *Memory) string { return m.Scope.Project },
	"domain":    func(m *Memory) string { return m.Scope.Domain },
	"user":      func(m *Memory) string { return m.Scope.User },
	"agent":     func(m *Memory) string { return m.Scope.Agent },
	"session":   func(m *Memory) string { return m.Scope.Session },
	"channel":   func(m *Memory) string { return m.Scope.Channel },
	"kind":      func(m *Memory) string { return string(m.Kind) },
	"state":     func(m *Memory) string { return string(m.State) },
	"trust":     func(m *Memory) string { return string(m.Trust) },
	"role":      func(m *Memory) string { return string(m.Role) },
	"speaker":   func(m *Memory) string { return m.Speaker },
	"type":      func(m *Memory) string { return m.Type },
	"source_id": func(m *Memory) string { return string(m.SourceID) },
}

// FacetFields lists the fields that have facets, in byte order.
func FacetFields() []string { return slices.Sorted(maps.Keys(facetFields)) }

// FacetOf returns the value of a memory in one of [FacetFields]; "" if it has none.
func FacetOf(m *Memory, field string) string {
	of, ok := facetFields[field]
	if !ok {
		return ""
	}
	return of(m)
}

// Facet is a value of a field.
type Facet struct {
	Value string    `json:"value"`
	Count int       `json:"count"`
	Last  time.Time `json:"last"` // when the last of them was recorded
}

// FacetList holds the most frequent values of a field, ties by byte order. Memories without a value are not counted.
type FacetList struct {
	Items []Facet `json:"items"`
	More  bool    `json:"more,omitempty"` // further values were left out
}

// Period is how long the steps of a histogram are.
type Period string

// The periods. Weeks begin on Monday; all begin at midnight, UTC.
const (
	PeriodDay   Period = "day"
	PeriodWeek  Period = "week"
	PeriodMonth Period = "month"
)

// Timeline is by which time memories are ordered or counted.
type Timeline string

// The timelines.
const (
	TimelineRecorded Timeline = "recorded" // by [Memory.RecordedAt]
	TimelineEvent    Timeline = "event"    // by [Memory.EventTime]
)

// HistogramQuery counts the memories of each period.
type HistogramQuery struct {
	Counting
	By    Period   `json:"by,omitempty"`    // day if empty
	Time  Timeline `json:"time,omitempty"`  // recorded if empty
	Split string   `json:"split,omitempty"` // one of [FacetFields]: count by its values; kind if empty
}

// HistogramStep is a period in which there are memories.
type HistogramStep struct {
	From   time.Time      `json:"from"`   // its first instant
	Counts map[string]int `json:"counts"` // by the value of the split field; "" counts memories without one
}

// Histogram holds the periods in which there are memories, the earliest first.
type Histogram struct {
	Items []HistogramStep `json:"items"`
}

// DayCount is the number of memories with a value on a day.
type DayCount struct {
	Day   int // days since 1970-01-01, UTC; negative before
	Value string
	Count int
}

// DayOf is the day of a time, as [DayCount.Day] counts.
func DayOf(t time.Time) int {
	seconds := t.Unix()
	day := seconds / 86400
	if seconds%86400 < 0 {
		day--
	}
	return int(day)
}
