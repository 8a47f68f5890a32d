package engine

import "github.com/cairn-memory/cairn"

// Me describes what a caller may do and see. Whether the memory is open to everybody is known to its surface only.
func (e *Engine) Me(who cairn.Identity) cairn.Me {
	return cairn.Me{Name: who.Name, Tenant: who.Tenant, Access: who.Access, Scope: who.Scope.Bare(),
		ReadOnly: e.ReadOnly(), Version: e.truth.Version,
		Features: cairn.Features{Model: e.truth.Model != nil, Vectors: e.truth.Vectors != nil,
			Reranker: e.reranks, RecallLog: !e.log.Off()}}
}
