package engine

import (
	"encoding/json"

	"github.com/cairn-memory/cairn"
)

// fit returns as many of the items as an answer may hold, one at least, and whether that leaves some out.
func fit[T any](items []T) (kept []T, truncated bool) {
	size := 0
	for i := range items {
		if size += encodedSize(&items[i]); i > 0 && size > cairn.MaxPageBytes {
			return items[:i:i], true
		}
	}
	return items, false
}

// encodedSize is how many bytes v takes in an answer.
func encodedSize(v any) int {
	var n length
	enc := json.NewEncoder(&n)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return 0 // whoever writes it says why it cannot be written
	}
	return int(n)
}

// length counts what is written to it.
type length int

func (n *length) Write(p []byte) (int, error) {
	*n += length(len(p))
	return len(p), nil
}
