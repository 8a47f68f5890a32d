package labelled

import (
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// requestBytes is how much text one request holds: several are in flight at once.
const requestBytes = 4 << 20

// Turns returns requests that store the turns of a set. A group is a project, a turn keeps its id, and adjacent turns
// of one session form one request.
func Turns(set quality.Set) iter.Seq2[transfer.Item, error] {
	return func(yield func(transfer.Item, error) bool) {
		var open transfer.Item
		size := 0
		for i, d := range set.Docs {
			scope := trilith.Scope{Project: d.Group, Session: d.Session}
			m := trilith.Message{ExternalID: d.ID, Role: d.Role, Speaker: d.Speaker,
				Content: quality.Captioned(d.Text, d.Caption), Timestamp: d.Time}
			if r := open.Request; r == nil || open.Scope != scope || len(r.Messages) == trilith.MaxItems ||
				size+len(m.Content) > requestBytes {
				if r != nil && !yield(open, nil) {
					return
				}
				// a group is no project that somebody works on
				open = transfer.Item{Path: quality.DocsFile, Line: i + 1, Scope: scope,
					Request: &trilith.RememberRequest{Imported: true, Fallback: "personal"}}
				size = 0
			}
			open.Request.Messages = append(open.Request.Messages, m)
			size += len(m.Content)
		}
		if open.Request != nil {
			yield(open, nil)
		}
	}
}
