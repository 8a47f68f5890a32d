package projects

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/ledger"
)

// Ledger is the money of a project as of a time.
func (ps *Projects) Ledger(ctx context.Context, s trilith.Scope, q trilith.LedgerQuery) (trilith.ProjectLedger, error) {
	var terms ledger.Terms
	var err error
	if terms.Tolerance, err = ledger.ParseTolerance(q.Tolerance); err != nil {
		return trilith.ProjectLedger{}, err
	}
	if terms.Rates, err = ledger.ParseRates(q.Rates); err != nil {
		return trilith.ProjectLedger{}, err
	}
	if terms.AsOf, err = ps.timeOf(s, "as_of", q.AsOf, ps.truth.Now()); err != nil {
		return trilith.ProjectLedger{}, err
	}
	ms, err := ps.money(ctx, s)
	if err != nil {
		return trilith.ProjectLedger{}, err
	}
	return ledgerOf(s.Project, ms, terms), nil
}

// money returns the facts for the ledger of a project, and the relations with decisions about them.
func (ps *Projects) money(ctx context.Context, s trilith.Scope) ([]trilith.Memory, error) {
	return ps.facts(ctx, s, trilith.Filter{Or: []trilith.Filter{trilith.Where("financial_amount", trilith.OpNe, nil),
		trilith.Where("verb", trilith.OpIn, slices.Concat(taking, belonging, []string{invoiced}))}},
		trilith.MaxLedgerFacts)
}

func ledgerOf(project string, ms []trilith.Memory, terms ledger.Terms) trilith.ProjectLedger {
	facts := make([]ledger.Fact, 0, len(ms))
	for i := range ms {
		if isSettlement(&ms[i]) {
			facts = append(facts, settlementsOf(&ms[i])...)
		} else if f, ok := entryOf(&ms[i]); ok {
			if ledger.SameName(f.Item, project) {
				f.Item = "" // a paper for the project is for all of it
			}
			facts = append(facts, f)
		}
	}
	terms.Decided = decidedIn(ms)
	out := ledger.Of(facts, terms)
	out.Project = project
	return out
}

// taking are the verbs of facts that say that something is taken.
var taking = []string{"decided", "approved"}

// invoiced is the verb of invoices, and of statements that one is paid.
const invoiced = "has_invoice"

// isSettlement reports whether a fact says that an invoice is paid without saying which one for certain.
func isSettlement(m *trilith.Memory) bool {
	return m.Fact.Verb == invoiced && m.Fact.Polarity == trilith.Negated && m.Fact.Financial == nil &&
		m.State == trilith.StateActive && m.Fact.Verification.Status != trilith.Rejected
}

// settlementsOf returns one entry for each time that such a fact was said.
func settlementsOf(m *trilith.Memory) []ledger.Fact {
	var out []ledger.Fact
	for i := range m.Fact.Evidence {
		if ev := &m.Fact.Evidence[i]; saysPaid(ev) {
			f := paperOf(m)
			f.Kind, f.At, f.EpisodeID, f.Quote = ledger.Settlement, ev.At, ev.EpisodeID, ev.Quote
			out = append(out, f)
		}
	}
	return out
}

// paperOf reads the members of a paper from the content of a fact.
func paperOf(m *trilith.Memory) ledger.Fact {
	detail := func(key string) string { s, _ := m.Fact.Content[key].(string); return s }
	return ledger.Fact{ID: m.ID, Item: detail("item"), Counterparty: detail("counterparty"), Phase: detail("phase"),
		Number: detail("number"), At: m.EventTime, Until: m.ValidUntil, Quote: m.Text}
}

// timeOf reads a time of a request, which may leave it out.
func (ps *Projects) timeOf(s trilith.Scope, field, text string, usual time.Time) (time.Time, error) {
	t, err := ps.truth.ClockOf(s).Time(field, text)
	if t.IsZero() {
		t = usual
	}
	return t, err
}

// past are the states of facts whose time is over, with an end.
var past = []trilith.State{trilith.StateSuperseded, trilith.StateExpired}

// entryOf returns a fact as an entry of the ledger; false if it is not about money, or never held.
func entryOf(m *trilith.Memory) (ledger.Fact, bool) {
	f := m.Fact
	if f.IsRelation() {
		return ledger.Fact{}, false
	}
	isOver := slices.Contains(past, m.State)
	switch {
	case f.Polarity == trilith.Negated, f.Verification.Status == trilith.Rejected, isOver && m.ValidUntil == nil,
		!isOver && m.State != trilith.StateActive && m.State != trilith.StateCandidate:
		return ledger.Fact{}, false
	}
	out := paperOf(m)
	out.Kind = ledger.Approval
	certainty := f.Certainty
	if ev := saying(f); ev != nil {
		if done := doneLater(f); certainty == trilith.Planned && done != nil {
			ev, certainty, out.At = done, trilith.Stated, done.At // a planned payment or order was carried out
		}
		out.EpisodeID, out.Quote = ev.EpisodeID, ev.Quote
	}
	if p := f.Financial; p != nil {
		out.Kind, out.Amount, out.Currency = p.Type, p.Amount, p.Currency
		if out.Item == "" && p.Category != out.Phase {
			out.Item = p.Category
		}
		if ledger.SameName(out.Item, out.Number) {
			out.Item = ""
		}
		if out.Kind == "rate" {
			out.Omit = trilith.OmittedRate
		}
	}
	if out.Kind == ledger.Invoice && m.ValidUntil != nil && m.SupersededBy == "" {
		out.Settled = settled(f)
	}
	isPlan := certainty == trilith.Planned && slices.Contains([]string{ledger.Invoice, ledger.Payment,
		ledger.CreditNote, ledger.Refund}, out.Kind)
	switch {
	case m.State == trilith.StateCandidate:
		out.Omit = trilith.OmittedCandidate
	case f.Verification.Status == trilith.Disputed:
		out.Omit = trilith.OmittedDisputed
	case certainty == trilith.Hedged || isPlan:
		out.Omit = trilith.OmittedUncertain
	}
	return out, true
}

// saying is the first evidence that says a fact; nil if it has none.
func saying(f *trilith.Fact) *trilith.Evidence {
	for i := range f.Evidence {
		if ev := &f.Evidence[i]; !ev.Ends && !ev.Withdrawn {
			return ev
		}
	}
	return nil
}

// doneLater is the first evidence that states what others planned; nil if none does.
func doneLater(f *trilith.Fact) *trilith.Evidence {
	for i := range f.Evidence {
		if ev := &f.Evidence[i]; !ev.Ends && !ev.Withdrawn && ev.Certainty == trilith.Stated {
			return ev
		}
	}
	return nil
}

// settledRule is in the names of the rules that find that a paper is paid, in whatever words.
const settledRule = ".settled."

// settled is where it was said that the paper of a fact is paid; nil if it ended otherwise.
func settled(f *trilith.Fact) *ledger.Settled {
	for i := range f.Evidence {
		if ev := &f.Evidence[i]; ev.Successor == "" && saysPaid(ev) {
			return &ledger.Settled{EpisodeID: ev.EpisodeID, Quote: ev.Quote}
		}
	}
	return nil
}

// saysPaid reports whether a piece of evidence ends an invoice because it is paid.
func saysPaid(ev *trilith.Evidence) bool {
	return ev.Ends && !ev.Withdrawn && (strings.Contains(ev.Rule, settledRule) || ledger.Settles(ev.Quote))
}
