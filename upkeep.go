package cairn

// RegenerateResult tells how many vectors were made, and how many memories lack one and wait for the next call.
type RegenerateResult struct {
	Embedded int `json:"embedded"`
	Left     int `json:"left"`
}

// DefaultRegenerate is how many vectors one call makes unless told otherwise.
const DefaultRegenerate = 100
