package sqlrows_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// Entries are numbered and chained behind the last one, as one by one.
func TestChain(t *testing.T) {
	t.Parallel()
	first := trilith.AuditEntry{Action: "put"}.Seal(trilith.AuditEntry{})
	sealed, bodies, err := sqlrows.Chain(first, []trilith.AuditEntry{{Action: "get"}, {Action: "erase"}})
	if err != nil || len(sealed) != 2 || len(bodies) != 2 {
		t.Fatalf("Chain = %v, %q, %v; want two entries", sealed, bodies, err)
	}
	second := trilith.AuditEntry{Action: "get"}.Seal(first)
	third := trilith.AuditEntry{Action: "erase"}.Seal(second)
	if diff := cmp.Diff([]trilith.AuditEntry{second, third}, sealed); diff != "" {
		t.Error(diff)
	}
	for i, body := range bodies {
		var e trilith.AuditEntry
		if err := json.Unmarshal(body, &e); err != nil || !cmp.Equal(e, sealed[i]) {
			t.Errorf("the JSON of entry %d is %s, which is %v, %v", i, body, e, err)
		}
	}
}

func TestRests(t *testing.T) {
	t.Parallel()
	m := &trilith.Memory{Fact: &trilith.Fact{Evidence: []trilith.Evidence{
		{EpisodeID: "says", Premises: []trilith.Premise{{EpisodeID: "needed"}}},
		{EpisodeID: "withdrawn", Withdrawn: true},
		{EpisodeID: "ends", Ends: true},
		{EpisodeID: "twice", Withdrawn: true}, {EpisodeID: "twice"},
	}}}
	want := map[trilith.ID]bool{"says": true, "needed": false, "withdrawn": false, "ends": false, "twice": true}
	if diff := cmp.Diff(want, sqlrows.Rests(m)); diff != "" {
		t.Error(diff)
	}
	if got := sqlrows.Rests(&trilith.Memory{}); len(got) > 0 {
		t.Errorf("Rests of a memory that is no fact = %v", got)
	}
}
