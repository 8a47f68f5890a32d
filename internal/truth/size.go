package truth

import (
	"encoding/json"

	"github.com/cairn-memory/cairn"
)

// Fit returns as many of the items as an answer may hold, one at least, and whether that leaves some out. An answer may
// hold [cairn.MaxPageBytes].
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

// Bound counts what goes into an answer, beside the items its size.
type Bound struct{ items, Size int }

// Holds reports whether an item fits behind those before it, and counts it. The first always fits.
func (b *Bound) Holds(item any) bool {
	b.items++
	b.Size += EncodedSize(item)
	return b.items == 1 || b.Size <= cairn.MaxPageBytes
}

// EncodedSize is how many bytes v takes in an answer.
func EncodedSize(v any) int {
	var n length
	enc := json.NewEncoder(&n)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return 0 // writing it returns the error
	}
	return int(n)
}

// length counts what is written to it.
type length int

func (n *length) Write(p []byte) (int, error) {
	*n += length(len(p))
	return len(p), nil
}
