package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/cairn-memory/cairn"
)

// ForgottenKey names what was said by its scope, its time, who said it and its words. A forgotten turn holds this claim
// as long as it is forgotten, so that sending the same turn again does not bring it back. A turn with another time is
// another one.
func ForgottenKey(m *cairn.Memory) cairn.Key {
	body, err := json.Marshal(
		[]string{ScopeText(m.Scope), string(m.Kind), string(m.Role), m.Speaker, m.Text,
			m.EventTime.Format(time.RFC3339Nano)})
	if err != nil {
		return cairn.Key{} // strings always encode
	}
	sum := sha256.Sum256(body)
	return cairn.Key{Space: cairn.KeyForgotten, Value: hex.EncodeToString(sum[:])}
}

// SaidKey names a turn as [ForgottenKey] does, for as long as it is stored: the same turn sent again is the same turn.
func SaidKey(m *cairn.Memory) cairn.Key {
	return cairn.Key{Space: cairn.KeySaid, Value: ForgottenKey(m).Value}
}

// Timed reports whether a stored turn has a time of its own: where nobody gave one it is the moment of storing.
func Timed(m *cairn.Memory) bool {
	return m.Kind == cairn.KindEpisode && m.SharedFrom == "" && !m.EventTime.Equal(m.RecordedAt)
}

// Forgotten reports whether the memory was forgotten and must not come back by being sent again. The fate of facts is
// decided with their evidence, and shares are not sent.
func Forgotten(m *cairn.Memory) bool {
	return m.State == cairn.StateRetracted && m.Kind != cairn.KindFact && m.SharedFrom == ""
}
