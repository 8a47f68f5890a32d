package trilith

import "time"

// MaxObjectBytes bounds the data of an [Object], encoded as JSON.
const MaxObjectBytes = 2 * MaxTextBytes

// Object is a small record that a program stores beside memories: a user, a thread, an agent. No
// search finds it and nothing is derived from it. Type and name identify it in the tenant.
type Object struct {
	Type string `json:"type"`
	Name string `json:"name"`
	// Scope is whose it is: an export of that scope holds it, and an erasure removes it.
	Scope     Scope          `json:"scope"`
	Data      map[string]any `json:"data,omitempty"` // without its secrets
	Version   int64          `json:"version"`        // 1 at first; raised by every put
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}
