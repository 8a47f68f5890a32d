package operations

import (
	"reflect"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
)

// sessionRows are the operations on conversations, and on the files that were sent in them.
func sessionRows() []*op.Op {
	name := op.Name("Name of the session: the value of session in the scope", trilith.MaxNameBytes)
	return []*op.Op{
		op.Write("consult", "POST /agent/consult", (*engine.Engine).Consult,
			"Ask the configured model, which is shown what is known; the exchange is stored", op.Long,
			op.Described(func(d *op.Describer, n op.Node) {
				op.Answers(n, "The answer, or the stream of it", map[string]op.Node{
					"application/json": d.Type(reflect.TypeFor[trilith.ConsultResult]()),
					"text/event-stream": {"type": "string", "description": `With "Accept: text/event-stream": events "piece" {"text": "…"}, ` +
						`then one "answer" with what the JSON would be, or one "error" with a problem.`}})
			})),
		op.Read("list-sessions", "GET /sessions", (*sessions.Sessions).List,
			"Sessions with their counts, the one with the latest turn first", op.Named("ListSessions"),
			op.Columns("id", "turns", "tokens", "last_turn")),
		op.Read("get-session", "GET /sessions/{id}", (*sessions.Sessions).Get,
			"The turns of a session in order, with its tokens and its newest summary", op.Named("GetSession"),
			op.Columns("seq", "role", "speaker", "text")),
		op.Read("session-context", "POST /sessions/{id}/context", (*sessions.Sessions).Context,
			"What a prompt needs of a session: the newest turns, the newest summary and the relevant past",
			op.Named("SessionContext")),
		op.Write("summarize", "POST /summaries", (*sessions.Sessions).Summarize,
			"Make a summary of a session, a period or an entity, or of the summaries of a scope by topic", op.Long),
		op.Write("prune", "POST /memories/prune", (*sessions.Sessions).Prune,
			"Forget the turns and notes of a scope that matter least", op.Long),

		op.Write("append-session-items", "POST /sessions/{id}/items", (*sessions.Transcripts).Append,
			"Add items of any form to a transcript; what people and the assistant say is remembered", op.Named("AppendItems")),
		op.Read("list-session-items", "GET /sessions/{id}?view=items", (*sessions.Transcripts).Items,
			"A transcript, exactly as it was given", op.Named("SessionItems")),
		op.Write("pop-session-item", "DELETE /sessions/{id}/items?which=last", (*sessions.Transcripts).Pop,
			"Remove the last item of a transcript and return it", op.Named("PopItem"), name),
		op.Write("clear-session-items", "DELETE /sessions/{id}/items", (*sessions.Transcripts).Clear,
			"Remove all items of a transcript; what was remembered of them stays", op.Named("ClearItems"), name),

		op.Read("media", "GET /media", (*media.Room).List, "Pictures, recordings and scanned pages, by id",
			op.Named("Media"), op.Columns("id", "state", "media_type", "name", "reason")),
	}
}
