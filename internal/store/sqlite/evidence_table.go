package sqlite

import (
	"database/sql/driver"
	"hash/fnv"
	"strings"
	"sync"

	lib "modernc.org/sqlite"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// The table of evidence lists for each fact the episodes that it rests on. For an episode that states the fact it also
// has the columns that a verification policy uses, and the time of the statement: see [Store.Pending] and
// [Store.Unheard]. It is written with the facts, and updated with the episodes.

// Columns that the table takes from an episode e.
const (
	tierOf   = "iif(e.state = 'active', CASE e.trust WHEN 'user_confirmed' THEN 0 WHEN 'user_stated' THEN 1 WHEN 'imported' THEN 2 WHEN 'assistant_said' THEN 3 WHEN 'tool_output' THEN 4 END, NULL)"
	sourceOf = "words_hash(iif(e.source_id = '', e.id, e.source_id))"
	voiceOf  = "words_hash(e.text)"

	putEvidence = "INSERT OR IGNORE INTO evidence (tenant, episode, fact, says, tier, source, voice, heard) SELECT ?1, r.value ->> 0, r.value ->> 1, r.value ->> 2, " + tierOf + ", " + sourceOf + ", " + voiceOf + ", e.event_time" +
		" FROM json_each(?2) AS r LEFT JOIN memories AS e ON r.value ->> 2 AND e.tenant = ?1 AND e.id = r.value ->> 0"
	putVoices = "UPDATE evidence SET (tier, source, voice, heard) = (SELECT " + tierOf + ", " + sourceOf + ", " +
		voiceOf + ", e.event_time" +
		" FROM memories AS e WHERE e.tenant = evidence.tenant AND e.id = evidence.episode) WHERE tenant = ? AND episode IN (SELECT value FROM json_each(?)) AND says"
)

// registerHash provides a function for this package's statements that hashes texts, so that texts that differ only in
// spacing have equal hashes. Statements inside the file, such as triggers, may not use it.
var registerHash = sync.OnceValue(func() error {
	return lib.RegisterDeterministicScalarFunction(
		"words_hash", 1, func(_ *lib.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, ok := args[0].(string)
			if !ok {
				return nil, nil
			}
			h := fnv.New64a()
			for word := range strings.FieldsSeq(text) {
				h.Write([]byte(word))
				h.Write([]byte{0})
			}
			return int64(h.Sum64()), nil
		})
})

// evidenceRow is a row of the table of evidence: an episode, a fact, and 1 if the episode states the fact, or 0 if it
// is only a premise or withdrawn.
type evidenceRow [3]any

// evidenceOf returns the rows of a memory.
func evidenceOf(m *trilith.Memory) (rows []evidenceRow) {
	if m.Kind != trilith.KindFact {
		return nil
	}
	for episode, says := range sqlrows.Rests(m) {
		n := 0
		if says {
			n = 1
		}
		rows = append(rows, evidenceRow{episode, m.ID, n})
	}
	return rows
}

// evidence writes the evidence of a batch's facts once all its memories are written, and updates that of facts which
// rest on its episodes.
func (t *tx) evidence(tenant string, b *role.Batch, rows []memoryRow) error {
	var evidence []evidenceRow
	var changed []trilith.ID
	for i := range rows {
		evidence, changed = append(evidence, rows[i].evidence...), append(changed, rows[i].id)
	}
	for _, r := range b.Delete {
		if r.Kind == "" {
			changed = append(changed, r.ID)
		}
	}
	if len(changed) > 0 {
		if err := t.exec(putVoices, tenant, list(changed)); err != nil {
			return err
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	return t.exec(putEvidence, tenant, encode(evidence))
}
