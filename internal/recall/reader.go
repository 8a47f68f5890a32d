// Package recall answers questions: it plans the searches, queries the indexes, verifies every hit against the truth,
// labels and orders the rest, and packs it into a context block. It also reads lists of memories and facts.
//
// A question passes through recall.go → search.go → verify.go → rerank.go → weakhits.go → replaced.go → context.go. The
// ranking is computed between search.go and verify.go, by Fuse in package retrieve.
package recall

import (
	"cmp"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Config holds the settings for ranking and measuring answers.
type Config struct {
	Reranker      role.Reranker // nil: hits keep the order of the fusion
	RerankDepth   int           // the number of best hits that are reranked; 50 if 0
	RerankTimeout time.Duration // how long reranking may take before it is skipped; 2 s if 0
	Tokens        func(text string) int
	Tuning        retrieve.Tuning // the zero value, except for measurements
}

// Reader answers questions about one store. Its methods are safe for concurrent use.
type Reader struct {
	*shared
	questionWait time.Duration // how long a question waits for its vector from a service whose speed is not known yet
}

// shared is the state that all views of a reader share.
type shared struct {
	truth       *truth.Truth
	usage       *usage.Accounts
	generations *generations.Generations
	entities    *entities.Entities
	facts       *facts.Facts
	relations   *relations.Relations

	reranker      role.Reranker
	rerankDepth   int
	rerankTimeout time.Duration
	tokens        func(text string) int

	tuning  retrieve.Tuning
	vectors vectorCache
	asked   singleflight.Group // requests for vectors of questions
	todos   todoCache
	glosses sync.Map // vectors of the glosses of verbs, by glossKey
}

// Parts are the rooms that a Reader works with.
type Parts struct {
	Truth       *truth.Truth
	Usage       *usage.Accounts
	Generations *generations.Generations
	Entities    *entities.Entities
	Facts       *facts.Facts
	Relations   *relations.Relations
}

// New returns a reader of the truth.
func New(p Parts, c Config) *Reader {
	rd := &Reader{questionWait: questionWait,
		shared: &shared{truth: p.Truth, usage: p.Usage, generations: p.Generations, entities: p.Entities, facts: p.Facts,
			relations: p.Relations,
			reranker:  c.Reranker, rerankDepth: cmp.Or(c.RerankDepth, rerankDepth),
			rerankTimeout: cmp.Or(c.RerankTimeout, rerankTimeout), tokens: c.Tokens, tuning: c.Tuning,
			todos: todoCache{changes: map[string]uint64{}, lists: map[trilith.Scope]todoList{}}}}
	if rd.tokens == nil {
		rd.tokens = assemble.Tokens
	}
	p.Truth.Committed = append(p.Truth.Committed, rd.todos.committed)
	return rd
}

// Waiting returns a view of the reader that waits this long for the vector of a question.
func (rd *Reader) Waiting(question time.Duration) *Reader { return &Reader{rd.shared, question} }
