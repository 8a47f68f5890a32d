package truth

import (
	"encoding/base64"
	"encoding/json"

	"github.com/trilith-memory/trilith"
)

// WriteCursor encodes a position as a cursor. A position consists of times, texts and numbers.
func WriteCursor(position any) string {
	body, err := json.Marshal(position)
	if err != nil {
		panic("truth: a position is always encodable: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(body)
}

// ReadCursor decodes a cursor into a position. of names the list that it belongs to, for the error message.
func ReadCursor(cursor, of string, position any) error {
	body, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(body, position) != nil {
		return trilith.Errorf(trilith.Invalid, "cursor: does not belong to %s; begin without one", of)
	}
	return nil
}
