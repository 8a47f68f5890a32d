package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Remember stores something. With a RequestKey it can be repeated: the second time it changes nothing. If nothing of it
// is stored, that is an error, a [*trilith.Refused].
func (m *Memory) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	out, err := m.engine.Remember(ctx, m.in(s), r)
	if err == nil {
		err = out.Refusal("request")
	}
	return out, err
}
