package trilith

import "time"

// MaxLedgerFacts is how many facts about money one ledger of a project takes.
const MaxLedgerFacts = 10_000

// DefaultTolerance is how far an invoice may be from an order, and a payment from an invoice, to be taken for it.
const DefaultTolerance = "1%"

// LedgerQuery asks for the money of a project.
type LedgerQuery struct {
	AsOf      string   `json:"as_of,omitempty"`     // as of when; now if empty
	Tolerance string   `json:"tolerance,omitempty"` // a percentage or an amount; [DefaultTolerance] if empty
	Rates     []string `json:"rate,omitempty"`      // EUR:USD=1.08: one EUR is 1.08 USD; all from one currency
}

// ProjectLedger is the money of a project: every fact about it that counts at a time, by item, counterparty, phase and
// currency, what belongs to what, what is wrong with it, and what was left out. Amounts are decimal strings, computed
// exactly. Sums are of one currency; Combined alone is of several, by the rates of the request.
type ProjectLedger struct {
	Project   string           `json:"project"`
	AsOf      time.Time        `json:"as_of"`
	Tolerance string           `json:"tolerance"`
	Lines     []LedgerLine     `json:"lines"`              // by item, counterparty, phase and currency, in this order
	Items     []LedgerItem     `json:"items"`              // by item, phase and currency: against the budget
	Totals    []LedgerTotal    `json:"totals"`             // by currency
	Combined  *LedgerTotal     `json:"combined,omitempty"` // nil without rates
	Matches   []LedgerMatch    `json:"matches"`
	Findings  []LedgerFinding  `json:"findings"`
	LeftOut   []LedgerOmission `json:"left_out"`
}

// LedgerSums are sums of one currency.
type LedgerSums struct {
	Budget    string `json:"budget"`
	Estimated string `json:"estimated"`
	Quoted    string `json:"quoted"` // all quotes, accepted or not
	// Committed is what has been ordered or spent: quotes that were accepted, change orders, hard costs, and invoices
	// and payments that belong to none of these.
	Committed string `json:"committed"`
	Invoiced  string `json:"invoiced"` // less credit notes
	Paid      string `json:"paid"`     // less refunds
	Open      string `json:"open"`     // what remains to be paid of the invoices
}

// LedgerVariance is what a budget leaves.
type LedgerVariance struct {
	Variance string `json:"variance,omitempty"`         // budget less committed; negative if that is more; "" without a budget
	Percent  string `json:"variance_percent,omitempty"` // of the budget, to one place
}

// LedgerLine is what one counterparty has to do with one item in one phase and currency.
type LedgerLine struct {
	Item         string        `json:"item"`
	Counterparty string        `json:"counterparty"`
	Phase        string        `json:"phase"`
	Currency     string        `json:"currency"`
	Entries      []LedgerEntry `json:"entries"` // in order of time
	LedgerSums
}

// LedgerEntry is a fact that counts in a ledger.
type LedgerEntry struct {
	FactID    ID        `json:"fact_id"`
	Kind      string    `json:"kind"`   // as in [Financial]; settlement for a paper that words alone say is paid
	Amount    string    `json:"amount"` // negative of a credit note and a refund
	At        time.Time `json:"at"`
	Number    string    `json:"number,omitempty"`
	EpisodeID ID        `json:"episode_id,omitempty"`
	Quote     string    `json:"quote,omitempty"`
}

// LedgerItem is one item against its budget.
type LedgerItem struct {
	Item     string `json:"item"`
	Phase    string `json:"phase"`
	Currency string `json:"currency"`
	FactIDs  []ID   `json:"fact_ids"`
	LedgerSums
	LedgerVariance
	Without []string `json:"without,omitempty"` // currencies in which the item has sums that this one does not contain
}

// LedgerTotal sums a currency up. The budget of a total is the one for the whole project if there is one, else those of
// the items; Allocated is the sum of the latter.
type LedgerTotal struct {
	Currency  string `json:"currency"`
	Allocated string `json:"allocated"`
	LedgerSums
	LedgerVariance
	Rates []string `json:"rates,omitempty"` // of a combined total: what it was computed with
	// of a combined total: currencies for which no rate was given, and which it does not contain
	Without []string `json:"without,omitempty"`
}

// LedgerMatch says that a paper belongs to another: an invoice to what was ordered, a payment to what it pays.
type LedgerMatch struct {
	FactID ID `json:"fact_id"` // the invoice, payment, change order, credit note or refund
	// the quote, estimate, change order or hard cost; the invoice; the quote; the invoice; the payment
	To ID     `json:"to"`
	By string `json:"by"` // decision, number, counterparty and item, counterparty, item, amount
	// Amount is exact, within the tolerance, part (less than what was left of the other) or more; "" of a change order.
	Amount string `json:"amount_fits,omitempty"`
}

// The kinds of findings.
const (
	FindingAmbiguous = "ambiguous"      // it could belong to several
	FindingUnmatched = "unmatched"      // it belongs to none
	FindingOver      = "over_invoiced"  // more is invoiced than was ordered
	FindingTwice     = "invoiced_twice" // equal invoices, and more than was ordered
	FindingOverpaid  = "overpaid"       // more is paid than was invoiced
)

// LedgerFinding is something in a ledger that somebody should look at.
type LedgerFinding struct {
	Kind     string `json:"kind"`
	FactIDs  []ID   `json:"fact_ids"` // what it is about
	Others   []ID   `json:"others"`   // what it could belong to, or is compared with
	Amount   string `json:"amount"`   // by how much; of what does not match, its amount
	Currency string `json:"currency"`
	Item     string `json:"item"`
	Party    string `json:"counterparty"`
	Says     string `json:"says"` // the same in a sentence
}

// LedgerOmission is a fact about money that no sum contains, and why.
type LedgerOmission struct {
	FactID   ID     `json:"fact_id"`
	Kind     string `json:"kind,omitempty"`
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	Reason   string `json:"reason"` // see the constants
	Quote    string `json:"quote,omitempty"`
}

// The reasons for leaving a fact out of a ledger.
const (
	OmittedCandidate = "candidate" // proposed and not accepted
	OmittedDisputed  = "disputed"  // another fact contradicts it, or somebody doubts it
	OmittedUncertain = "uncertain" // said with maybe, or a payment that is only planned
	OmittedNoKind    = "no_kind"   // its words do not say what kind of sum it is
	OmittedRate      = "rate"      // a price for a unit, and no sum
	OmittedNoAmount  = "no_amount" // its amount is no decimal
	OmittedReplaced  = "replaced"  // of a budget for the whole project: a later one holds
)
