package cairn

import "context"

// Sealer is played by a [Log] whose commits leave the entries of the audit open: durable with their commit, but without a number and
// a hash, so that commits of a tenant do not wait for each other at the end of its chain. Open entries are sealed in the order in
// which they were committed, none is left out or sealed twice whenever a process dies, and a call of Audit seals what was committed
// before it.
type Sealer interface {
	// Seal seals what is open of all tenants. The engine calls it again and again; several processes may.
	Seal(ctx context.Context, sys System) error
	// Unsealed counts the open entries of all tenants.
	Unsealed(ctx context.Context, sys System) (int, error)
}
