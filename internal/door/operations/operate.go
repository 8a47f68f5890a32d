package operations

import (
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/operate"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// operateRows are the operations that look after a tenant's memory.
func operateRows() []*op.Op {
	job := op.Doc("Id of the job")
	return []*op.Op{
		op.Read("stats", "GET /stats", op.Bare((*operate.Operator).Stats),
			"How many memories there are, by kind and by state", op.Named("Stats"), op.Columns("total")),
		op.Read("facets", "GET /stats?view=facets", (*engine.Engine).Facets,
			"The values of a field with how often they occur, the most frequent first: users, sessions, sources, …",
			op.Columns("value", "count", "last")),
		op.Read("histogram", "GET /stats?view=histogram", (*engine.Engine).Histogram,
			"How many memories there are of each day, week or month; periods without any are left out"),
		op.Read("usage", "GET /stats?view=usage", (*usage.Accounts).Usage,
			"What was used of providers, and what the budget leaves for today", op.Tenant),
		op.Read("list-jobs", "GET /jobs", (*jobs.Runner).List, "Background jobs, newest first", op.Named("ListJobs"), op.Tenant,
			op.Columns("id", "kind", "state", "attempts", "updated_at", "report.facts",
				"report.usage.input_tokens", "report.usage.output_tokens", "error")),
		op.Read("get-job", "GET /jobs/{id}", (*jobs.Runner).Job, "One job", op.Tenant, job),
		op.Write("retry-job", "POST /jobs/{id}/retry", (*jobs.Runner).Retry, "Give a dead job all its attempts again",
			op.Named("RetryJob"), op.Tenant, job),
		op.Admin("sweep-facts", "POST /admin/jobs?do=sweep", op.Bare((*jobs.Runner).Sweep),
			"Mark what is over as expired; reads know without it", op.Named("Sweep"), op.InQuery, op.Long, op.Repeatable),
		op.Admin("archive-facts", "POST /admin/jobs?do=archive", (*jobs.Runner).Archive,
			"Take what was closed long ago out of listings", op.InQuery, op.Long, op.Repeatable),
		op.Admin("regenerate-embeddings", "POST /admin/jobs?do=embed", (*operate.Operator).RegenerateEmbeddings,
			"Make vectors for what has none, facts first", op.InQuery, op.Long, op.Repeatable),
		op.Admin("reextract", "POST /admin/jobs?do=reextract", (*derive.Deriver).Reextract,
			"Derive facts in the background: again from all sources that facts were derived from, or from those that none were",
			op.InQuery, op.Repeatable),
	}
}
