package trilith

import "time"

// MaxReportItems is how many facts a report lists.
const MaxReportItems = 500

// ReportQuery asks for the events in a project between two times.
type ReportQuery struct {
	From  string `json:"from,omitempty"`  // inclusive; 30 days before To if empty
	To    string `json:"to,omitempty"`    // exclusive; now if empty
	Plain bool   `json:"plain,omitempty"` // do not ask the configured model to phrase it
}

// ProjectReport lists what became known and what ended in a project in a period, by topic, with quotes.
type ProjectReport struct {
	Project string        `json:"project"`
	From    time.Time     `json:"from"`
	To      time.Time     `json:"to"`
	Topics  []ReportTopic `json:"topics"`  // by name
	Money   []LedgerTotal `json:"money"`   // at the end of the period
	LeftOut int           `json:"omitted"` // facts beyond [MaxReportItems]
	// Markdown is the same to be read by people.
	Markdown string `json:"markdown"`
	// Prose is the model's text of the report, if one is configured, and if it contains no number and no name that the
	// report lacks. Model is its name.
	Prose string `json:"prose,omitempty"`
	Model string `json:"model,omitempty"`
}

// ReportTopic lists the events for one type of facts.
type ReportTopic struct {
	Topic string       `json:"topic"` // a fact type
	Items []ReportItem `json:"items"` // in order of time
}

// The kinds of events of a fact.
const (
	ReportNew      = "new"
	ReportReplaced = "replaced"
	ReportEnded    = "ended"
)

// ReportItem is a fact that began or ended to hold in the period.
type ReportItem struct {
	FactID    ID        `json:"fact_id"`
	Change    string    `json:"change"`
	At        time.Time `json:"at"`
	Says      string    `json:"says"`         // the sentence of the fact
	Uncertain bool      `json:"uncertain"`    // proposed, disputed, or said with maybe
	By        ID        `json:"by,omitempty"` // the fact that replaced it
	EpisodeID ID        `json:"episode_id"`
	Quote     string    `json:"quote"`
}
