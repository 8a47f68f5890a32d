package memory

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Me returns the identity of the caller: in a process it is an admin of the tenant of the options, without a key.
func (m *Memory) Me(_ context.Context) (cairn.Me, error) {
	out := m.engine.Me(cairn.Identity{Name: "local", Tenant: m.tenant, Access: cairn.AccessAdmin})
	out.Open = true
	return out, nil
}
