package transfer

import (
	"iter"

	"github.com/trilith-memory/trilith"
)

// turn holds the used parts of a line of docs.jsonl; other members are labels of the set.
type turn struct {
	ID      string       `json:"id"`
	Group   string       `json:"group"`
	Session string       `json:"session"`
	Time    string       `json:"time"`
	Speaker string       `json:"speaker"`
	Role    trilith.Role `json:"role"`
	Text    string       `json:"text"`
	Caption string       `json:"caption"`
}

// readEvalSet reads the turns of a labelled set: a group is a project, and a turn keeps its id. Adjacent lines of one
// session form one request.
func readEvalSet(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		g := gatherer{in: in, yield: yield, profile: "personal"}
		for l, err := range lines(in, MaxLineBytes) {
			var t turn
			if err == nil {
				if err = decodeTurn(l.text, &t); err != nil {
					err = in.bad(l.n, err)
				}
			}
			if err != nil {
				if !g.fail(err) {
					return
				}
				continue
			}
			if !g.say(l.n, trilith.Scope{Project: t.Group, Session: t.Session},
				trilith.Message{ExternalID: t.ID, Role: t.Role,
					Speaker: t.Speaker, Content: caption(t.Text, t.Caption), Timestamp: t.Time}) {
				return
			}
		}
		g.flush()
	}
}

// decodeTurn checks what would otherwise make the engine refuse the whole request with the turn.
func decodeTurn(data []byte, t *turn) error {
	if err := decode(data, t, false); err != nil {
		return err
	}
	if t.ID == "" {
		return trilith.Errorf(trilith.Invalid, "id: is missing")
	}
	switch t.Role {
	case "", trilith.RoleUser, trilith.RoleAssistant, trilith.RoleSystem, trilith.RoleTool:
	default:
		return trilith.Errorf(trilith.Invalid, "role: %.32q is not known; use user, assistant, system or tool",
			string(t.Role))
	}
	if t.Time != "" {
		if _, err := trilith.ParseTime(t.Time); err != nil {
			return trilith.Errorf(trilith.Invalid, "time: %s", trilith.MessageOf(err))
		}
	}
	return nil
}
