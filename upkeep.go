package cairn

// SweepResult tells how many memories were marked expired because their validity is over.
type SweepResult struct {
	Expired int `json:"expired"`
}

// DefaultArchiveDays is how long a closed memory stays in listings.
const DefaultArchiveDays = 90

// ArchiveResult tells how many memories were (or, dry, would be) archived.
type ArchiveResult struct {
	Archived int  `json:"archived"`
	DryRun   bool `json:"dry_run,omitempty"`
}

// RegenerateResult tells how many vectors were made, and how many memories lack one and wait for the next call.
type RegenerateResult struct {
	Embedded int `json:"embedded"`
	Left     int `json:"left"`
}

// DefaultRegenerate is how many vectors one call makes unless told otherwise.
const DefaultRegenerate = 100
