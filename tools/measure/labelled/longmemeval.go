package labelled

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// longMemEval is a question of the benchmark with the sessions that contain its answer and others.
type longMemEval struct {
	ID         string   `json:"question_id"`
	Type       string   `json:"question_type"`
	Question   string   `json:"question"`
	Answer     spelled  `json:"answer"`
	SessionIDs []string `json:"haystack_session_ids"`
	Dates      []string `json:"haystack_dates"`
	Sessions   [][]struct {
		Role      trilith.Role `json:"role"`
		Content   string       `json:"content"`
		HasAnswer bool         `json:"has_answer"`
	} `json:"haystack_sessions"`
}

// longMemEvalTime is the format of a session's date, "2023/05/20 (Sat) 02:21".
const longMemEvalTime = "2006/01/02 (Mon) 15:04"

// labelled makes a group of each question, because each has a haystack of its own: a session of it is QUESTION/SESSION,
// and a turn QUESTION/SESSION/N. Evidence are the turns that are marked. A question whose id ends in _abs is one that
// nothing answers.
func (l *longMemEval) labelled() ([]turn, []question, error) {
	if l.ID == "" || l.Sessions == nil {
		return nil, nil, trilith.Errorf(trilith.Invalid, "a question needs question_id and haystack_sessions")
	}
	q := question{ID: l.ID, Group: l.ID, Category: l.Type, Text: l.Question, Answer: string(l.Answer),
		Evidence: []string{}, Abstention: strings.HasSuffix(l.ID, "_abs")}
	var turns []turn
	ids := l.sessionIDs()
	for i, session := range l.Sessions {
		at := ""
		if i < len(l.Dates) {
			t, err := time.Parse(longMemEvalTime, l.Dates[i])
			if err != nil {
				return nil, nil, trilith.Errorf(trilith.Invalid, "haystack_dates of %.64q: %.40q is not like 2023/05/20 (Sat) 02:21",
					l.ID, l.Dates[i])
			}
			at = t.Format(clockTime)
		}
		for n, t := range session {
			id := ids[i] + "/" + strconv.Itoa(n)
			if t.Role != trilith.RoleUser && t.Role != trilith.RoleAssistant {
				return nil, nil, trilith.Errorf(trilith.Invalid, "turn %s: the role %.32q is not user or assistant", id,
					string(t.Role))
			}
			if t.HasAnswer && !q.Abstention {
				q.Evidence = append(q.Evidence, id)
			}
			turns = append(turns, turn{ID: id, Group: l.ID, Session: ids[i], Time: at, Role: t.Role, Text: t.Content})
		}
	}
	return turns, []question{q}, nil
}

// sessionIDs returns a name for each session: a haystack may contain one twice.
func (l *longMemEval) sessionIDs() []string {
	ids := make([]string, len(l.Sessions))
	for i := range ids {
		name := strconv.Itoa(i)
		if i < len(l.SessionIDs) && l.SessionIDs[i] != "" {
			name = l.SessionIDs[i]
		}
		id := l.ID + "/" + name
		for n := 2; slices.Contains(ids[:i], id); n++ {
			id = fmt.Sprintf("%s/%s.%d", l.ID, name, n)
		}
		ids[i] = id
	}
	return ids
}
