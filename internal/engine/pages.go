package engine

import "github.com/cairn-memory/cairn/internal/truth"

// Fit is [truth.Fit].
func Fit[T any](items []T) (kept []T, truncated bool) { return truth.Fit(items) }
