package trilith

import "time"

// MaxTrendFacts is how many facts the trends and the report of a project take.
const MaxTrendFacts = 10_000

// MinLikeFacts is the number of similar series that are needed to assess one.
const MinLikeFacts = 5

// TrendQuery asks how the facts of a project develop.
type TrendQuery struct {
	AsOf string `json:"as_of,omitempty"` // nothing that was said later; now if empty
}

// ProjectTrends says how amounts, dates and risks of a project have moved, and which moved unlike the others.
type ProjectTrends struct {
	Project string        `json:"project"`
	AsOf    time.Time     `json:"as_of"`
	Series  []TrendSeries `json:"series"` // by kind, then by name
	// Likes are the series that each kind is compared with.
	Likes    []TrendLikes   `json:"likes"`
	Findings []TrendFinding `json:"findings"`
}

// The kinds of series.
const (
	TrendAmount   = "amount"   // an estimate, quote or budget over time; it moves in percent
	TrendDate     = "date"     // a deadline, milestone or schedule over time; it moves in days
	TrendMentions = "mentions" // how often something was called a risk or a blocker, by month; in mentions
)

// TrendSeries is one fact over time.
type TrendSeries struct {
	Kind         string       `json:"kind"`
	Of           string       `json:"of"`                     // estimate, quote, budget; deadline, milestone, …; risk
	Name         string       `json:"name"`                   // the subject of the series
	Counterparty string       `json:"counterparty,omitempty"` // of a quote
	Currency     string       `json:"currency,omitempty"`
	Points       []TrendPoint `json:"points"` // in order of time
	// Change is from the first point to the last: percent to one place, days, or how often it was said in all.
	Change string `json:"change"`
	Rises  int    `json:"rises"` // steps up, or to a later day
	Falls  int    `json:"falls"`
}

// TrendPoint is the value of a fact at a time.
type TrendPoint struct {
	At        time.Time `json:"at"`
	Value     string    `json:"value"` // a decimal, a day, or a number of mentions
	FactID    ID        `json:"fact_id"`
	EpisodeID ID        `json:"episode_id,omitempty"`
	Quote     string    `json:"quote,omitempty"`
}

// TrendLikes are the changes of all series of one kind. Median and MAD, the median of the distances from it, are in the
// unit of the kind; both are empty if there are fewer than [MinLikeFacts] series, which are then not judged.
type TrendLikes struct {
	Kind   string `json:"kind"`
	Of     string `json:"of"`
	Series int    `json:"series"`
	Median string `json:"median,omitempty"`
	MAD    string `json:"mad,omitempty"`
	// Floor is the least distance from the median that counts as an outlier, however small the MAD is: similar series
	// that hardly move have a MAD near 0, and then the smallest change would be a finding.
	Floor string `json:"floor,omitempty"`
}

// The kinds of outliers.
const (
	TrendEscalation = "escalation" // an amount rose more than its like
	TrendDrop       = "drop"       // an amount fell more than its like
	TrendSlippage   = "slippage"   // a date moved back more than its like
	TrendRecurring  = "recurring"  // a risk is named more often than its like
)

// TrendFinding is a series whose change is more than twice the MAD, and more than the floor, away from the median of
// its like.
type TrendFinding struct {
	Kind     string `json:"kind"`
	Of       string `json:"of"`
	Name     string `json:"name"`
	Currency string `json:"currency,omitempty"`
	Change   string `json:"change"`
	Median   string `json:"median"`
	MAD      string `json:"mad"`
	Series   int    `json:"series"` // the number of similar series
	FactIDs  []ID   `json:"fact_ids"`
	Says     string `json:"says"` // the same in a sentence
}
