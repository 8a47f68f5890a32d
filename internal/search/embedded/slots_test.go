package embedded

import (
	"fmt"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// Slots and codes of values are used again, so that a table does not grow with what has passed through it.
func TestSlotsAreUsedAgain(t *testing.T) {
	t.Parallel()
	table := newSlots("ana")
	for i := range 1000 {
		f := trilith.Facets{ID: trilith.ID(fmt.Sprint(i)), Scope: trilith.Scope{Tenant: "ana", Session: fmt.Sprint("s", i)}}
		table.put(&f, time.Time{})
		if i >= 10 {
			table.remove(trilith.ID(fmt.Sprint(i - 10)))
		}
	}
	if n, codes := table.len(), len(table.columns[4].names); n > 11 || codes > 12 {
		t.Errorf("10 memories at a time, 1000 in all, leave %d slots and %d codes of sessions, want at most 11 and 12",
			n, codes)
	}
}
