package trilith

// ReindexResult is the result of a rebuild of the indexes.
type ReindexResult struct {
	Texts   int     `json:"texts"`
	Vectors int     `json:"vectors"`
	Seconds float64 `json:"seconds"`
	// Generations are those that the memory holds by now, when another one was asked for: it is made in the background.
	Generations []GenerationStatus `json:"generations,omitempty"`
}

// DoctorReport is the result of a health check.
type DoctorReport struct {
	OK       bool     `json:"ok"`
	Checks   []Check  `json:"checks"`
	Repaired []string `json:"repaired,omitempty"` // the repairs, one sentence for each kind
	// Generations are the active one, the one that is building, and the previous one.
	Generations []GenerationCount `json:"generations,omitempty"`
}

// Check is one finding of the doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // a command that helps; if OK is set it is a warning
}
