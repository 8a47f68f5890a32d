package served

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// Ids that are made at one moment come in the order in which they are made, more than a millisecond's count holds too.
func TestIDsAscend(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	last := trilith.ID("")
	for i := range 10_000 {
		id := behind(last, trilith.NewID(at))
		if id.Validate() != nil || id <= last {
			t.Fatalf("id %d is %s behind %s, want a valid one that is greater", i, id, last)
		}
		last = id
	}
	if later := behind(last, trilith.NewID(at.Add(time.Second))); later <= last || timeOf(later).Sub(at) != time.Second {
		t.Errorf("a second later the id is %s, of %s", later, timeOf(later))
	}
}
