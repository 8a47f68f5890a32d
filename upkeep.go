package trilith

// SweepResult says how many memories were marked expired because their validity has ended.
type SweepResult struct {
	Expired int `json:"expired"`
}

// DefaultArchiveDays is how long a closed memory stays in listings.
const DefaultArchiveDays = 90

// ArchiveResult says how many memories were (or, dry, would be) archived.
type ArchiveResult struct {
	Archived int  `json:"archived"`
	DryRun   bool `json:"dry_run,omitempty"`
}

// RegenerateResult says how many vectors were made, and how many memories still lack one.
type RegenerateResult struct {
	Embedded int `json:"embedded"`
	Left     int `json:"left"`
}

// DefaultRegenerate is how many vectors one call makes by default.
const DefaultRegenerate = 100
