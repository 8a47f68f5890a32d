package engine

import "github.com/cairn-memory/cairn/internal/truth"

// Ledger is [truth.Ledger].
type Ledger = truth.Ledger
