package memory

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Me says who calls: in the process an admin of the tenant of the options, whom no key protects it from.
func (m *Memory) Me(_ context.Context) (cairn.Me, error) {
	out := m.engine.Me(cairn.Identity{Name: "local", Tenant: m.tenant, Access: cairn.AccessAdmin})
	out.Open = true
	return out, nil
}
