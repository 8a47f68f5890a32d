package ledger_test

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/ledger"
)

// BenchmarkOf makes a ledger of as many facts as one takes.
func BenchmarkOf(b *testing.B) {
	kinds := []string{"estimate", "quote", "invoice", "payment"}
	var facts []ledger.Fact
	for i := range trilith.MaxLedgerFacts {
		facts = append(facts, said(i%300, fmt.Sprintf("f%d %s %d EUR item%d party%d n-%d", i, kinds[i%4], i/4*7+100, i/40, i/40,
			i)))
		facts[i].Quote = "The invoice of the party for the item over an amount is here, and it is to be paid."
	}
	for b.Loop() {
		made(b, "", nil, facts)
	}
}
