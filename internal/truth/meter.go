package truth

import (
	"time"

	"github.com/cairn-memory/cairn"
)

// Meter is told what the engine does while it does it, in numbers and in words of ours: never texts, tenants or users.
// Its methods are called by many goroutines at once and must return at once.
type Meter interface {
	// a step of a recall that is over, as in Explain.TimingsMS
	Step(step string, took time.Duration)
	// one search of an arm; the embedding of the query is a step
	Searched(arm cairn.Arm, took time.Duration, failed bool)
	Dropped(reason string)                                      // a candidate that was found and not given
	Stored(kind cairn.Kind)                                     // a memory that is new in the store
	Refused(reason string)                                      // an item that was not stored
	Worked(kind string, outcome JobOutcome, took time.Duration) // an attempt of a job
	Spent(p cairn.Purpose, s cairn.Spent)                       // what was used of a provider
	// what memory added to a consultation before its model was asked, and whether something of it was missing
	Consulted(took time.Duration, missing bool)
}

// JobOutcome is how an attempt of a job ended.
type JobOutcome string

// The outcomes of attempts. Whether a job that failed is repeated or has become dead is the queue's matter.
const (
	JobSucceeded JobOutcome = "done"
	JobFailed    JobOutcome = "failed"
	JobDeferred  JobOutcome = "deferred" // its time has not come
)

// Unmetered is the meter of an engine that nobody watches.
type Unmetered struct{}

func (Unmetered) Step(string, time.Duration) {}

func (Unmetered) Searched(cairn.Arm, time.Duration, bool) {}

func (Unmetered) Dropped(string) {}

func (Unmetered) Stored(cairn.Kind) {}

func (Unmetered) Refused(string) {}

func (Unmetered) Worked(string, JobOutcome, time.Duration) {}

func (Unmetered) Spent(cairn.Purpose, cairn.Spent) {}

func (Unmetered) Consulted(time.Duration, bool) {}

// meterStored counts the memories of a batch that were not there before.
func (t *Truth) meterStored(ms []cairn.Memory, expected []cairn.Expect) {
	kinds := make(map[cairn.ID]cairn.Kind, len(ms))
	for i := range ms {
		kinds[ms[i].ID] = ms[i].Kind
	}
	for _, x := range expected {
		if kind, ok := kinds[x.ID]; ok && x.Kind == "" && x.Version == 0 {
			t.Meter.Stored(kind)
		}
	}
}
