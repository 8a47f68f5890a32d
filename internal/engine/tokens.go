package engine

import "github.com/cairn-memory/cairn/internal/assemble"

// Tokens estimates how many tokens a model reads in s: the count by which a context block is cut, for edges that cut
// answers of their own.
func Tokens(s string) int { return assemble.Tokens(s) }
