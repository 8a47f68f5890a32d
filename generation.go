package trilith

import "time"

// GenerationState is how far a generation has come.
type GenerationState string

// The states of generations.
const (
	GenerationActive   GenerationState = "active"   // questions are answered from it
	GenerationBuilding GenerationState = "building" // its vectors are being made; it is the next one in force
	GenerationPrevious GenerationState = "previous" // it was in force before; it can be gone back to
)

// GenerationStatus is one of the generations that a memory holds.
type GenerationStatus struct {
	State      GenerationState `json:"state"`
	Key        string          `json:"key"` // [Generation.Key]
	Generation Generation      `json:"generation"`
	// the setting that opens its embedder, as for --embedder; empty if unknown
	Embedder string `json:"embedder,omitempty"`
	Build    *Build `json:"build,omitempty"` // of a building one
}

// Build says how far a generation is made.
type Build struct {
	StartedAt time.Time `json:"started_at"`
	Done      int       `json:"done"`  // changes applied, since the building process started
	Total     int       `json:"total"` // changes that there were to apply then
	Error     string    `json:"error,omitempty"`
}

// GenerationCount is a generation with the number of its vectors.
type GenerationCount struct {
	GenerationStatus
	Vectors int `json:"vectors"`
	Missing int `json:"missing"` // memories without a vector of their present wording
	Cut     int `json:"cut"`     // vectors that stand for the beginning of a text
	Refused int `json:"refused"` // jobs for texts that the embedder has refused so far
}
