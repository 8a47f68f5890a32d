package transfer

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

// longMemEval is a question of the benchmark with the sessions that contain its answer and others.
type longMemEval struct {
	ID         string      `json:"question_id"`
	Type       string      `json:"question_type"`
	Question   string      `json:"question"`
	SessionIDs []string    `json:"haystack_session_ids"`
	Dates      []string    `json:"haystack_dates"`
	Sessions   [][]hayTurn `json:"haystack_sessions"`
	ids        []string    // of the sessions, each once
}

type hayTurn struct {
	Role      trilith.Role `json:"role"`
	Content   string       `json:"content"`
	HasAnswer bool         `json:"has_answer"`
}

// longMemEvalTime is the format of a session's date, "2023/05/20 (Sat) 02:21".
const longMemEvalTime = "2006/01/02 (Mon) 15:04"

// readLongMemEval reads the questions one by one. Each has a haystack of its own, so a question is a project, a session
// of its haystack QUESTION/SESSION, and a turn QUESTION/SESSION/N. The labels are left alone; [Questions] reads them.
func readLongMemEval(in input) iter.Seq2[Item, error] {
	return readSamples(in, decodeLongMemEval, (*gatherer).haystack)
}

func decodeLongMemEval(data []byte, q *longMemEval) error {
	if err := decode(data, q, false); err != nil {
		return err
	}
	if q.ID == "" || q.Sessions == nil {
		return trilith.Errorf(trilith.Invalid, "a question needs question_id and haystack_sessions")
	}
	q.ids = make([]string, len(q.Sessions))
	for i := range q.Sessions {
		id := strconv.Itoa(i)
		if i < len(q.SessionIDs) && q.SessionIDs[i] != "" {
			id = q.SessionIDs[i]
		}
		for n := 2; slices.Contains(q.ids[:i], id); n++ { // a haystack may contain a session twice
			id = fmt.Sprintf("%s.%d", q.SessionIDs[i], n)
		}
		q.ids[i] = id
	}
	return nil
}

// turnID returns the external id of a turn.
func (q *longMemEval) turnID(session, turn int) string {
	return externalID(q.ID, q.ids[session], strconv.Itoa(turn))
}

func (g *gatherer) haystack(line int, q longMemEval) bool {
	for i, session := range q.Sessions {
		at := ""
		if i < len(q.Dates) {
			t, err := time.Parse(longMemEvalTime, q.Dates[i])
			if err != nil {
				if !g.bad(line, trilith.Errorf(
					trilith.Invalid, "haystack_dates of %.64q: %.40q is not like 2023/05/20 (Sat) 02:21", q.ID,
					q.Dates[i])) {
					return false
				}
				continue
			}
			at = string(stampOn(t))
		}
		scope := trilith.Scope{Project: scopeValue(q.ID), Session: scopeValue(q.ID + "/" + q.ids[i])}
		for n, t := range session {
			role := roleOf(string(t.Role))
			if role == "" {
				if !g.bad(line, trilith.Errorf(trilith.Invalid, "turn %s: the role %.32q is not user or assistant",
					q.turnID(i, n), string(t.Role))) {
					return false
				}
				continue
			}
			if !g.say(line, scope, trilith.Message{ExternalID: q.turnID(i, n), Role: role, Content: t.Content,
				Timestamp: at}) {
				return false
			}
		}
	}
	return g.flush()
}
