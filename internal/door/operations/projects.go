package operations

import (
	"io"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/review/projects"
	"github.com/trilith-memory/trilith/internal/talk/interview"
)

// projectRows are the operations on the totals and timelines that the facts of a project add up to.
func projectRows() []*op.Op {
	return []*op.Op{
		op.Read("project-ledger", "GET /projects/{project}?view=ledger", (*projects.Projects).Ledger,
			"The money of a project by item, counterparty, phase and currency, matched, as of any date",
			op.Named("ProjectLedger"), op.AsText("csv", "text/csv",
				func(w io.Writer, l *trilith.ProjectLedger) error { return l.WriteCSV(w) })),
		op.Read("project-trends", "GET /projects/{project}?view=trends", (*projects.Projects).Trends,
			"How amounts, dates and risks of a project have moved, and which moved unlike the others", op.Named("ProjectTrends")),
		op.Read("project-report", "GET /projects/{project}?view=report", (*projects.Projects).Report,
			"What became known and what ended in a project in a period, by topic, with quotes", op.Named("ProjectReport"),
			op.AsText("markdown", "text/markdown", func(w io.Writer, r *trilith.ProjectReport) error {
				_, err := io.WriteString(w, r.Markdown)
				return err
			})),
		op.Read("timeline", "GET /projects/{project}?view=timeline", (*projects.Projects).Timeline,
			"What is to be done in a project and when, what waits for what, and the critical chain",
			op.AsText("mermaid", "text/plain", func(w io.Writer, t *trilith.ProjectTimeline) error {
				_, err := io.WriteString(w, t.Mermaid())
				return err
			}), op.Columns("id", "start", "end", "kind", "critical", "ended", "name")),
	}
}

// interviewRows are the operations on interviews, which ask people about a domain.
func interviewRows() []*op.Op {
	return []*op.Op{
		op.Write("start-interview", "POST /interviews", op.Bare((*interview.Interviewer).StartInterview),
			"Begin an interview about a domain, or go on with the one of a session", op.Named("StartInterview")),
		op.Write("answer-interview", "POST /interviews/{id}/answers", (*interview.Interviewer).AnswerInterview,
			"Answer the question of an interview and get the next one", op.ScopeInBody),
		op.Read("interview-gaps", "GET /interviews/{id}/gaps", (*interview.Interviewer).InterviewGaps,
			"What an interview knows of its domain and what it does not", op.Name("Id of the interview: its session", 255)),
		op.Read("list-domains", "GET /domains", op.Bare((*interview.Interviewer).Domains),
			"The schemas that interviews can be about", op.Named("Domains"), op.Tenant),
		op.Read("domain-gaps", "GET /domains/{domain}/gaps", op.Bare((*interview.Interviewer).DomainGaps),
			"What is known of a domain and what is not", op.Named("DomainGaps"), op.Within("project", "user")),
	}
}
