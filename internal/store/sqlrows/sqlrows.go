// Package sqlrows is what SQL databases that hold memories in rows have in common, whichever product holds them: how a
// listing goes from page to page, cursors of a change log that is numbered, jobs, and what values of filters mean. The
// text of statements is the driver's, where two products do not write it alike.
package sqlrows

import (
	"encoding/json"

	"github.com/trilith-memory/trilith"
)

// Chain numbers entries of an audit behind the last one of their tenant, the zero entry if there is none, and returns
// them as JSON too.
func Chain(last trilith.AuditEntry, entries []trilith.AuditEntry) (sealed []trilith.AuditEntry, bodies [][]byte, err error) {
	for _, e := range entries {
		last = e.Seal(last)
		body, err := json.Marshal(last)
		if err != nil {
			return nil, nil, err
		}
		sealed, bodies = append(sealed, last), append(bodies, body)
	}
	return sealed, bodies, nil
}

// Rests returns the episodes that a memory rests on, and whether each states it. An episode does not if the memory only
// needs it, if it tells the end of something, or if its statement was withdrawn. Only facts rest on any.
func Rests(m *trilith.Memory) map[trilith.ID]bool {
	if m.Fact == nil {
		return nil
	}
	says := map[trilith.ID]bool{}
	for i := range m.Fact.Evidence {
		e := &m.Fact.Evidence[i]
		for _, id := range e.Episodes() {
			says[id] = says[id] || id == e.EpisodeID && !e.Withdrawn && !e.Ends
		}
	}
	return says
}
