package cairn

import "time"

// Stats counts the memories of a scope, in every state. Values that do not occur are absent.
type Stats struct {
	Total  int           `json:"total"`
	Kinds  map[Kind]int  `json:"kinds"`
	States map[State]int `json:"states"`
	Newest *time.Time    `json:"newest,omitempty"` // when the last of them was recorded
}
