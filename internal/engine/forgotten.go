package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/cairn-memory/cairn"
)

// forgottenKey names what was said by its scope, its time, who said it and its words. What is forgotten owns the name for as
// long as it is, so that sending the same thing again does not bring it back. What is said at another time is another thing.
func forgottenKey(m *cairn.Memory) cairn.Key {
	body, err := json.Marshal([]string{scopeText(m.Scope), string(m.Kind), string(m.Role), m.Speaker, m.Text, m.EventTime.Format(time.RFC3339Nano)})
	if err != nil {
		return cairn.Key{} // strings always encode
	}
	sum := sha256.Sum256(body)
	return cairn.Key{Space: cairn.KeyForgotten, Value: hex.EncodeToString(sum[:])}
}

// saidKey names a turn as [forgottenKey] does, for as long as it is stored: the same turn sent again is the same turn.
func saidKey(m *cairn.Memory) cairn.Key {
	return cairn.Key{Space: cairn.KeySaid, Value: forgottenKey(m).Value}
}

// timed reports whether a stored turn has a time of its own: where nobody gave one it is the moment of storing.
func timed(m *cairn.Memory) bool {
	return m.Kind == cairn.KindEpisode && m.SharedFrom == "" && !m.EventTime.Equal(m.RecordedAt)
}

// forgotten reports whether the memory was forgotten and must not come back by being sent again. What becomes of facts is
// decided with their evidence, and shares are not sent.
func forgotten(m *cairn.Memory) bool {
	return m.State == cairn.StateRetracted && m.Kind != cairn.KindFact && m.SharedFrom == ""
}

// claimForgotten adds to a batch the names of what is forgotten in it.
func claimForgotten(b *cairn.Batch) {
	for i := range b.Memories {
		if m := &b.Memories[i]; forgotten(m) {
			b.Claims = append(b.Claims, cairn.Claim{Key: forgottenKey(m), Owner: m.ID, Move: true})
		}
	}
}
