package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// SaidKey identifies a turn as [ForgottenKey] does, while it is stored: it recognises the same turn sent again.
func SaidKey(m *trilith.Memory) role.Key {
	return role.Key{Space: role.KeySaid, Value: ForgottenKey(m).Value}
}

// ForgottenKey identifies a statement by its scope, time, speaker and words. A forgotten turn holds this claim while it
// is forgotten, so that sending the same turn again does not bring it back. A turn with another time is a different
// turn.
func ForgottenKey(m *trilith.Memory) role.Key {
	body, err := json.Marshal(
		[]string{ScopeText(m.Scope), string(m.Kind), string(m.Role), m.Speaker, m.Text,
			m.EventTime.Format(time.RFC3339Nano)})
	if err != nil {
		return role.Key{} // strings always encode
	}
	sum := sha256.Sum256(body)
	return role.Key{Space: role.KeyForgotten, Value: hex.EncodeToString(sum[:])}
}

// Timed reports whether the time of a stored turn was given. If it was not, it is the time of storing.
func Timed(m *trilith.Memory) bool {
	return m.Kind == trilith.KindEpisode && m.SharedFrom == "" && !m.EventTime.Equal(m.RecordedAt)
}

// Forgotten reports whether a memory is forgotten and must stay so if it is sent again. Facts depend on their evidence
// instead, and shares cannot be sent.
func Forgotten(m *trilith.Memory) bool {
	return m.State == trilith.StateRetracted && m.Kind != trilith.KindFact && m.SharedFrom == ""
}
