package operations

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/served"
)

// recallRows are the operations that search, and that report on earlier searches and events.
func recallRows() []*op.Op {
	row := op.Doc("recall_id of an answer")
	return []*op.Op{
		op.Read("search", "POST /search", (*engine.Engine).Recall, "Find what is known about a question", op.Standby,
			op.Large(manyHits), op.Columns("score", "memory.id", "memory.kind", "memory.text")),
		op.Read("context", "POST /context", (*engine.Engine).Context, "Make the text that a prompt gets", op.Standby,
			op.Large(func(r trilith.ContextRequest) bool {
				return r.K == 0 && r.Budget > trilith.DefaultBudget || manyHits(r.RecallRequest)
			})),

		op.Write("assimilate", "POST /graph/assimilate", (*engine.Engine).Assimilate,
			"Store what was said about an entity, and the facts that follow from it", op.Later, op.Waits),
		op.Read("lookup", "GET /graph/entities/lookup", (*recall.Reader).Lookup,
			"The facts of one entity: all of them, or those that matter for a query", op.Standby,
			op.Large(func(r trilith.LookupRequest) bool { return r.Query == "" })),
		op.Read("card", "GET /graph/entities/lookup?view=card", (*recall.Reader).Card,
			"Say who somebody is, in at most 200 tokens", op.Standby),
		op.Read("lookup-summary", "GET /graph/entities/lookup?view=summary", (*recall.Reader).LookupSummary,
			"The facts of one entity in words", op.Standby),

		op.Read("recalls", "GET /recalls", (*served.Log).List,
			"What was asked and what was given for it, newest first", op.Named("Recalls"),
			op.Columns("id", "at", "via", "what", "found", "ms", "request.query")),
		op.Read("get-recall", "GET /recalls/{id}", (*served.Log).Get, "What was asked once and what was given for it",
			op.Named("LoggedRecall"), row),
		op.Read("recall-again", "GET /recalls/{id}?view=again", (*engine.Engine).RecallAgain,
			"Ask the same again now, and what is different", row),
		op.Admin("delete-recalls", "DELETE /recalls", op.Bare((*engine.Engine).ForgetRecalls),
			"Delete what the log holds of a scope", op.Named("ForgetRecalls")),

		op.Read("changes", "GET /changes", (*engine.Engine).Feed,
			"What was learned, replaced, forgotten, or has ended: latest first", op.Large(op.Always[trilith.FeedQuery]),
			op.Columns("at", "kind", "memory.id", "memory.text")),
		op.Admin("audit", "GET /admin?view=audit", (*engine.Engine).AuditLog,
			"What was done, oldest first unless asked otherwise; each entry holds the hash of the one before", op.Tenant,
			op.Columns("at", "actor", "action", "target")),
	}
}

// commonHits are as many memories as a recall may read of any size without waiting for its turn. It may wait for an
// embedder elsewhere, so only questions for more take a turn.
const commonHits = 50

// manyHits reports whether a question asks for many memories.
func manyHits(r trilith.RecallRequest) bool { return r.K*(1+2*r.Neighbors) > commonHits }
