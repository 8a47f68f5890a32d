package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Me returns the identity of the caller: in a process it is an admin of the tenant of the options, without a key.
func (m *Memory) Me(_ context.Context) (trilith.Me, error) {
	out := m.engine.Me(trilith.Identity{Name: "local", Tenant: m.tenant, Access: trilith.AccessAdmin})
	out.Open = true
	return out, nil
}
