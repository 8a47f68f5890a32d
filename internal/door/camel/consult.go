package camel

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
)

// consultTimeout is how long a model may take for an answer.
const consultTimeout = 10 * time.Minute

type consultRequest struct {
	UserPrompt  string `json:"userPrompt"`
	ProjectID   *int64 `json:"projectId"`
	UserID      *int64 `json:"userId"`
	SessionID   string `json:"sessionId"`
	SessionOnly bool   `json:"sessionOnly"`
}

// consulted is an answer; its actions are facts that wait for somebody to accept them.
type consulted struct {
	Answer    string      `json:"answer"`
	Actions   []wholeFact `json:"actions"`
	SessionID string      `json:"sessionId"`
}

func (s *surface) consult(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	var in consultRequest
	if _, err := parameters(r); err != nil {
		return nil, err
	}
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if in.UserPrompt == "" {
		return nil, trilith.Errorf(trilith.Invalid, "userPrompt: is empty; say what the user says")
	}
	scope := tenant
	var err error
	if scope.Project, err = scopeValue("projectId", in.ProjectID); err != nil {
		return nil, err
	}
	if scope.User, err = scopeValue("userId", in.UserID); err != nil {
		return nil, err
	}
	scope.Session = in.SessionID
	req := trilith.ConsultRequest{Prompt: in.UserPrompt, SessionOnly: in.SessionOnly, InProject: true,
		RequestKey: r.Header.Get("Idempotency-Key")}
	if req.RequestKey == "" { // a repetition would be named otherwise
		ms := strconv.FormatInt(s.moment(), 10)
		scope.Session, req.ExternalID = cmp.Or(in.SessionID, "session-"+ms), "msg-"+ms
	}
	res, err := s.engine.Consult(ctx, scope, req)
	if err != nil {
		return nil, err
	}
	translated, err := s.translate(ctx, tenant, res.Actions)
	if err != nil {
		translated = nil // the answer comes all the same
	}
	out := consulted{Answer: res.Answer, Actions: []wholeFact{}, SessionID: res.Session}
	for _, m := range res.Actions {
		if f, ok := translated[m.ID]; ok {
			out.Actions = append(out.Actions, f)
		}
	}
	return out, nil
}

// moment returns the time in milliseconds, or a later one: no value is returned twice.
func (s *surface) moment() int64 {
	for {
		last := s.last.Load()
		next := max(time.Now().UnixMilli(), last+1)
		if s.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// moments are those that were given.
type moments struct{ last atomic.Int64 }
