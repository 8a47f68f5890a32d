package cairn

import "time"

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
