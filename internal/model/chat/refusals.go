package chat

import (
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// refusals are the forms of output that a service has refused. A single refusal proves nothing: a text that is too long
// is refused in the same words. That the same text is taken in a weaker form does.
type refusals struct {
	mu      sync.Mutex
	doubted map[role.OutputForm][sha256.Size]byte // of the text that each was refused with last
	refused map[role.OutputForm]bool
}

func (f *refusals) has(form role.OutputForm) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused[form]
}

// note learns from the outcome of a request.
func (f *refusals) note(r *role.ModelRequest, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := sha256.Sum256([]byte(r.Messages[len(r.Messages)-1].Text))
	failure, failed := errors.AsType[*provider.Failure](err)
	switch {
	case failed && failure.Class == provider.Bad && r.Form != role.FormText:
		if f.doubted == nil {
			f.doubted, f.refused = map[role.OutputForm][sha256.Size]byte{}, map[role.OutputForm]bool{}
		}
		f.doubted[r.Form] = text
	case err == nil:
		for stronger, with := range f.doubted {
			if with == text && weaker(r.Form, stronger) {
				f.refused[stronger] = true
			}
		}
	}
}

// weaker reports whether a structured form binds less than another.
func weaker(form, than role.OutputForm) bool {
	ladder := role.OutputForms()
	return slices.Index(ladder, form) > slices.Index(ladder, than)
}
