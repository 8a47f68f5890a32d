package recall

import (
	"github.com/cairn-memory/cairn/internal/assemble"
)

// Tokens counts how many tokens a model reads in s by the vocabulary that is used where no other is named, for edges that cut answers
// of their own.
func Tokens(s string) int { return assemble.Tokens(s) }
