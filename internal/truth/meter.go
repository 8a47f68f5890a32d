package truth

import (
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Meter receives measurements while the engine works: numbers and words of trilith's own, never texts, tenants or users.
// Its methods are called by many goroutines at once and must return at once.
type Meter interface {
	// a finished step of a recall, as in Explain.TimingsMS
	Step(step string, took time.Duration)
	// one search of an arm; embedding the query is a step
	Searched(arm trilith.Arm, took time.Duration, failed bool)
	Dropped(reason string)                                      // a candidate that was dropped
	Stored(kind trilith.Kind)                                   // a new memory in the store
	Refused(reason string)                                      // an item that was not stored
	Worked(kind string, outcome JobOutcome, took time.Duration) // an attempt of a job
	Spent(p trilith.Purpose, s trilith.Spent)                   // usage of a provider
	// the time for memory in a consultation before its model was called, and whether some memory was missing
	Consulted(took time.Duration, missing bool)
}

// JobOutcome is how an attempt of a job ended.
type JobOutcome string

// The outcomes of attempts. The queue decides whether a failed job is repeated or dead.
const (
	JobSucceeded JobOutcome = "done"
	JobFailed    JobOutcome = "failed"
	JobDeferred  JobOutcome = "deferred" // it is not due yet
)

// Unmetered is a meter that discards everything.
type Unmetered struct{}

func (Unmetered) Step(string, time.Duration) {}

func (Unmetered) Searched(trilith.Arm, time.Duration, bool) {}

func (Unmetered) Dropped(string) {}

func (Unmetered) Refused(string) {}

func (Unmetered) Worked(string, JobOutcome, time.Duration) {}

func (Unmetered) Spent(trilith.Purpose, trilith.Spent) {}

func (Unmetered) Consulted(time.Duration, bool) {}

// meterStored counts the new memories of a batch.
func (t *Truth) meterStored(ms []trilith.Memory, expected []role.Expect) {
	kinds := make(map[trilith.ID]trilith.Kind, len(ms))
	for i := range ms {
		kinds[ms[i].ID] = ms[i].Kind
	}
	for _, x := range expected {
		if kind, ok := kinds[x.ID]; ok && x.Kind == "" && x.Version == 0 {
			t.Meter.Stored(kind)
		}
	}
}

func (Unmetered) Stored(trilith.Kind) {}
