package engine

import "github.com/trilith-memory/trilith"

// Me describes the rights and the scope of a caller. Whether the memory is open to everybody is known to its surface
// only.
func (e *Engine) Me(who trilith.Identity) trilith.Me {
	return trilith.Me{Name: who.Name, Tenant: who.Tenant, Access: who.Access, Scope: who.Scope.Bare(),
		ReadOnly: e.ReadOnly(), Version: e.truth.Version,
		Features: trilith.Features{Model: e.truth.Model != nil, Vectors: e.truth.Vectors != nil,
			Reranker: e.reranks, RecallLog: !e.log.Off()}}
}
