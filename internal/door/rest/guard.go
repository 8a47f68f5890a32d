package rest

import (
	"errors"
	"net/http"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// Guard lets another surface on the same listener admit requests as the API does: by the same keys and rights, within
// the same limits, into the same log.
type Guard struct{ s *edge }

// Admit returns the identity of r's sender and whether the request is allowed, and limits the size of its body and the
// time for reading it. It has to be called before the body is read.
func (g Guard) Admit(w http.ResponseWriter, r *http.Request, need trilith.Access) (trilith.Identity, error) {
	who, err := g.s.auth.identify(r)
	if err != nil {
		return trilith.Identity{}, err
	}
	callOf(r.Context()).who = who
	if err := permit(who, &op.Op{Need: need}); err != nil {
		return trilith.Identity{}, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, g.s.maxBody)
	if err := http.NewResponseController(w).SetReadDeadline(g.s.now().Add(g.s.timeout)); err != nil &&
		!errors.Is(err, errors.ErrUnsupported) {
		return trilith.Identity{}, err
	}
	return who, nil
}

// Enter waits until the tenant of a request that was admitted may have one more under way: of several tenants at work
// each has an equal part. The place ends with the request.
func (g Guard) Enter(r *http.Request) error { return g.s.enter(r) }

// Timeout returns the time limit for an answer.
func (g Guard) Timeout() time.Duration { return g.s.timeout }

// Failure notes err for the log and returns the status and the sentence that the caller may see.
func (g Guard) Failure(r *http.Request, err error) (status int, detail string) {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = bodyTooLarge(r.ContentLength, large.Limit)
	}
	p := problemOf(r.Context(), err)
	return p.Status, p.Detail
}
