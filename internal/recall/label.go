package recall

import (
	"time"

	"github.com/trilith-memory/trilith"
)

// Announce marks memories whose event time is in the future.
func Announce(ms []trilith.Memory, now time.Time) {
	for i := range ms {
		ms[i].Planned = trilith.Ahead(ms[i].EventTime, now)
	}
}

// announceHits is [Announce] of hits and what is nested in them.
func announceHits(hits []trilith.Hit, now time.Time) {
	for i := range hits {
		hits[i].Memory.Planned = trilith.Ahead(hits[i].Memory.EventTime, now)
		Announce(hits[i].Facts, now)
		Announce(hits[i].Neighbors, now)
	}
}
