package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// TellFact stores a fact that the program states as data; see [trilith.TellRequest]. There is no key: the program may
// speak for any system.
func (m *Memory) TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error) {
	s = m.in(s)
	if r.Source != nil {
		s.System = r.Source.System
	}
	return m.engine.TellFact(ctx, s, r)
}
