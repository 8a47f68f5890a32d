// Package recall answers questions: it plans the searches, asks the indexes, verifies every hit against the truth,
// labels and orders what is left, and packs it into a context. Lists of memories and facts are read here too.
//
// A question's way is recall.go → search.go → verify.go → rerank.go → weakhits.go → label.go → context.go.
package recall

import (
	"cmp"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/relations"
	"github.com/cairn-memory/cairn/internal/retrieve"
	"github.com/cairn-memory/cairn/internal/truth"
	"github.com/cairn-memory/cairn/internal/usage"
)

// Config says how answers are ordered and counted.
type Config struct {
	Reranker      cairn.Reranker // nil: hits keep the order of the fusion
	RerankDepth   int            // how many hits are reranked at most; 50 if 0
	RerankTimeout time.Duration  // how long that may take before the order stays as it is; 2 s if 0
	Tokens        func(text string) int
	Tuning        retrieve.Tuning // the zero value but to measure others
}

// Reader answers questions about one store. Its methods are safe for concurrent use.
type Reader struct {
	*shared
	questionWait time.Duration // how long a question waits for its vector from a service that nothing is known of
}

// shared is what all views of a reader have in common.
type shared struct {
	truth       *truth.Truth
	usage       *usage.Accounts
	generations *generations.Generations
	entities    *entities.Entities
	facts       *facts.Facts
	relations   *relations.Relations

	reranker      cairn.Reranker
	rerankDepth   int
	rerankTimeout time.Duration
	tokens        func(text string) int

	tuning  retrieve.Tuning
	vectors vectorCache
	asked   singleflight.Group // for vectors of questions
	todos   todoCache
	glosses sync.Map // vectors of what verbs are about, by glossKey
}

// New returns a reader of the truth.
func New(t *truth.Truth, u *usage.Accounts, g *generations.Generations, n *entities.Entities, f *facts.Facts,
	r *relations.Relations, c Config) *Reader {
	rd := &Reader{questionWait: questionWait,
		shared: &shared{truth: t, usage: u, generations: g, entities: n, facts: f, relations: r,
			reranker: c.Reranker, rerankDepth: cmp.Or(c.RerankDepth, rerankDepth),
			rerankTimeout: cmp.Or(c.RerankTimeout, rerankTimeout), tokens: c.Tokens, tuning: c.Tuning,
			todos: todoCache{changes: map[string]uint64{}, lists: map[cairn.Scope]todoList{}}}}
	t.Committed = append(t.Committed, rd.todos.committed)
	return rd
}

// Waiting returns the same reader, which waits that long for the vector of a question.
func (rd *Reader) Waiting(question time.Duration) *Reader { return &Reader{rd.shared, question} }
