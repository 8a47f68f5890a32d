package truth

import (
	"encoding/base64"
	"encoding/json"

	"github.com/cairn-memory/cairn"
)

// WriteCursor returns the cursor that holds a position. A position is made of times, texts and numbers.
func WriteCursor(position any) string {
	body, err := json.Marshal(position)
	if err != nil {
		panic("truth: a position is always encodable: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(body)
}

// ReadCursor reads a cursor into the position that it was made of. of names what it belongs to, for the error.
func ReadCursor(cursor, of string, position any) error {
	body, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(body, position) != nil {
		return cairn.Errorf(cairn.Invalid, "cursor: does not belong to %s; begin without one", of)
	}
	return nil
}
