package rest

import "github.com/trilith-memory/trilith/internal/door/op"

// filled makes empty lists of those of an answer that are nil; see [op.Fill].
func filled[T any](answer T) T {
	op.Fill(&answer)
	return answer
}
