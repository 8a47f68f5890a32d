package truth

import (
	"encoding/json"

	"github.com/trilith-memory/trilith"
)

// Fit returns as many of the items as an answer may hold, at least one, and whether others are left out. An answer may
// hold [trilith.MaxPageBytes].
func Fit[T any](items []T) (kept []T, truncated bool) {
	return FitWithin(&Bound{}, items)
}

func FitWithin[T any](b *Bound, items []T) (kept []T, truncated bool) {
	for i := range items {
		if !b.Holds(&items[i]) {
			return items[:i:i], true
		}
	}
	return items, false
}

// Bound counts the bytes and items of an answer.
type Bound struct{ items, Size int }

// Holds reports whether another item fits, and counts it. The first always fits.
func (b *Bound) Holds(item any) bool {
	b.items++
	b.Size += EncodedSize(item)
	return b.items == 1 || b.Size <= trilith.MaxPageBytes
}

// EncodedSize returns the size of v in an answer, in bytes.
func EncodedSize(v any) int {
	var n length
	enc := json.NewEncoder(&n)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return 0 // encoding the answer returns the error
	}
	return int(n)
}

// length counts the bytes written to it.
type length int

func (n *length) Write(p []byte) (int, error) {
	*n += length(len(p))
	return len(p), nil
}
