package trilith

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// MaxLedgerFacts is how many facts about money one ledger of a project takes.
const MaxLedgerFacts = 10_000

// DefaultTolerance is how far an invoice may be from an order, and a payment from an invoice, to be taken for it.
const DefaultTolerance = "1%"

// LedgerQuery asks for the money of a project.
type LedgerQuery struct {
	AsOf      string   `json:"as_of,omitempty" doc:"The ledger as it stood then; now if absent"`
	Tolerance string   `json:"tolerance,omitempty" doc:"How far amounts may be apart that belong together: 2% or 50; 1% if absent" maxLength:"64"`
	Rates     []string `json:"rate,omitempty" explode:"true" doc:"EUR:USD=1.08: one EUR is 1.08 USD; repeated, all from one currency" maxItems:"50"`
}

// ProjectLedger is the money of a project: every fact about it that counts at a time, by item, counterparty, phase
// and currency, with the papers that belong together, the findings, and the facts left out. Amounts are decimal
// strings, computed exactly. Each sum has one currency, except Combined, which converts by the rates of the request.
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
	// Committed is the amount ordered or spent: quotes that were accepted, change orders, hard costs, and invoices
	// and payments that belong to none of these.
	Committed string `json:"committed"`
	Invoiced  string `json:"invoiced"` // less credit notes
	Paid      string `json:"paid"`     // less refunds
	Open      string `json:"open"`     // rest to be paid of the invoices
}

// LedgerVariance is the remainder of a budget.
type LedgerVariance struct {
	Variance string `json:"variance,omitempty"`         // budget less committed; negative if that is more; "" without a budget
	Percent  string `json:"variance_percent,omitempty"` // of the budget, to one place
}

// LedgerLine sums the dealings with one counterparty over one item in one phase and currency.
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
	Kind      string    `json:"kind"`   // as in [Financial]; settlement if only words say that a paper is paid
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
	Rates []string `json:"rates,omitempty"` // of a combined total: the rates used
	// of a combined total: currencies for which no rate was given, and which it does not contain
	Without []string `json:"without,omitempty"`
}

// LedgerMatch ties a paper to another: an invoice to an order, a payment to an invoice.
type LedgerMatch struct {
	FactID ID `json:"fact_id"` // the invoice, payment, change order, credit note or refund
	// the quote, estimate, change order or hard cost; the invoice; the quote; the invoice; the payment
	To ID     `json:"to"`
	By string `json:"by"` // decision, number, counterparty and item, counterparty, item, amount
	// Amount is exact, within the tolerance, part (less than the open rest of the other) or more; "" of a change order.
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
	FactIDs  []ID   `json:"fact_ids"` // the facts with the finding
	Others   []ID   `json:"others"`   // facts that it could belong to, or is compared with
	Amount   string `json:"amount"`   // the excess; for a paper without a match, its amount
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

var ledgerColumns = []string{"row", "item", "counterparty", "phase", "currency", "kind", "amount", "at", "number",
	"budget", "estimated", "quoted", "committed", "invoiced", "paid", "open", "variance", "variance_percent", "fact_ids",
	"note"}

// WriteCSV writes the ledger as a table. The first column names the kind of a row: entry, item, total, combined,
// match, finding or left_out. No cell is a formula for the program that opens the file: a text that would be one is
// preceded by an apostrophe.
func (l *ProjectLedger) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := func(cells map[string]string) {
		record := make([]string, len(ledgerColumns))
		for i, name := range ledgerColumns {
			record[i] = plainCell(cells[name])
		}
		out.Write(record) // the error stays until Error
	}
	out.Write(ledgerColumns)
	for _, line := range l.Lines {
		for _, e := range line.Entries {
			row(map[string]string{"row": "entry", "item": line.Item, "counterparty": line.Counterparty,
				"phase": line.Phase, "currency": line.Currency, "kind": e.Kind, "amount": e.Amount,
				"at": e.At.Format(time.RFC3339), "number": e.Number, "fact_ids": string(e.FactID), "note": e.Quote})
		}
	}
	for _, i := range l.Items {
		cells := i.cells(i.LedgerVariance)
		cells["row"], cells["item"], cells["phase"], cells["currency"] = "item", i.Item, i.Phase, i.Currency
		cells["fact_ids"] = joinIDs(i.FactIDs)
		row(cells)
	}
	totals := l.Totals
	if l.Combined != nil {
		totals = append(totals[:len(totals):len(totals)], *l.Combined)
	}
	for i, t := range totals {
		cells := t.cells(t.LedgerVariance)
		cells["row"], cells["currency"], cells["note"] = "total", t.Currency, strings.Join(t.Rates, " ")
		if i == len(l.Totals) {
			cells["row"] = "combined"
		}
		row(cells)
	}
	for _, m := range l.Matches {
		row(map[string]string{"row": "match", "kind": m.By, "fact_ids": joinIDs([]ID{m.FactID, m.To}), "note": m.Amount})
	}
	for _, f := range l.Findings {
		row(map[string]string{"row": "finding", "item": f.Item, "counterparty": f.Party, "currency": f.Currency,
			"kind": f.Kind, "amount": f.Amount, "fact_ids": joinIDs(f.FactIDs), "note": f.Says})
	}
	for _, o := range l.LeftOut {
		row(map[string]string{"row": "left_out", "currency": o.Currency, "kind": o.Reason, "amount": o.Amount,
			"fact_ids": string(o.FactID), "note": o.Quote})
	}
	out.Flush()
	return out.Error()
}

var plainDecimal = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?$`)

// plainCell keeps a text from being read as a formula.
func plainCell(s string) string {
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r\n|%'") && !plainDecimal.MatchString(s) ||
		slices.ContainsFunc([]string{"＝", "＋", "－", "＠"}, func(w string) bool { return strings.HasPrefix(s, w) }) {
		return "'" + s
	}
	return s
}

func (s *LedgerSums) cells(v LedgerVariance) map[string]string {
	return map[string]string{"budget": s.Budget, "estimated": s.Estimated, "quoted": s.Quoted,
		"committed": s.Committed, "invoiced": s.Invoiced, "paid": s.Paid, "open": s.Open, "variance": v.Variance,
		"variance_percent": v.Percent}
}

func joinIDs(ids []ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, " ")
}

// MaxReportItems is how many facts a report lists.
const MaxReportItems = 500

// ReportQuery asks for the events in a project between two times.
type ReportQuery struct {
	From  string `json:"from,omitempty" doc:"Beginning; 30 days before the end if absent"`
	To    string `json:"to,omitempty" doc:"End, exclusive; now if absent"`
	Plain bool   `json:"plain,omitempty" doc:"Do not ask the configured model to phrase it"`
}

// ProjectReport lists the facts of a project that became known or ended in a period, by topic, with quotes.
type ProjectReport struct {
	Project string        `json:"project"`
	From    time.Time     `json:"from"`
	To      time.Time     `json:"to"`
	Topics  []ReportTopic `json:"topics"`  // by name
	Money   []LedgerTotal `json:"money"`   // at the end of the period
	LeftOut int           `json:"omitted"` // facts beyond [MaxReportItems]
	// Markdown is the same to be read by people.
	Markdown string `json:"markdown"`
	// Prose is the model's text of the report, if one is configured, and if it contains no number and no name that the
	// report lacks. Model is its name.
	Prose string `json:"prose,omitempty"`
	Model string `json:"model,omitempty"`
}

// ReportTopic lists the events for one type of facts.
type ReportTopic struct {
	Topic string       `json:"topic"` // a fact type
	Items []ReportItem `json:"items"` // in order of time
}

// The kinds of events of a fact.
const (
	ReportNew      = "new"
	ReportReplaced = "replaced"
	ReportEnded    = "ended"
)

// ReportItem is a fact that began or ended to hold in the period.
type ReportItem struct {
	FactID    ID        `json:"fact_id"`
	Change    string    `json:"change"`
	At        time.Time `json:"at"`
	Says      string    `json:"says"`         // the sentence of the fact
	Uncertain bool      `json:"uncertain"`    // proposed, disputed, or said with maybe
	By        ID        `json:"by,omitempty"` // the fact that replaced it
	EpisodeID ID        `json:"episode_id"`
	Quote     string    `json:"quote"`
}

// MaxTimeline is the most items that a timeline has.
const MaxTimeline = 500

// TimelineQuery asks for the timeline of a project, that of the scope.
type TimelineQuery struct {
	AsOf string `json:"as_of,omitempty" doc:"The timeline as it was at this time; now if absent"`
}

// TimelineKind is the type of an item of a timeline.
type TimelineKind string

// The kinds.
const (
	TimelineTask      TimelineKind = "task"
	TimelineMilestone TimelineKind = "milestone"
	TimelineDeadline  TimelineKind = "deadline"
	TimelineSchedule  TimelineKind = "schedule"
)

// TimelineKinds lists the kinds in a fixed order.
func TimelineKinds() []TimelineKind {
	return []TimelineKind{TimelineTask, TimelineMilestone, TimelineDeadline, TimelineSchedule}
}

// TimelineQuote is a quote that supports an item.
type TimelineQuote struct {
	EpisodeID ID     `json:"episode_id"`
	Quote     string `json:"quote"`
}

// TimelineItem is a fact of a timeline.
type TimelineItem struct {
	ID       ID              `json:"id"` // of the fact
	Kind     TimelineKind    `json:"kind"`
	Name     string          `json:"name"`
	Start    *time.Time      `json:"start,omitempty"` // the first day; nil: it is not known, or the item is a point in time
	End      *time.Time      `json:"end,omitempty"`   // the last day; nil: undated
	Ended    bool            `json:"ended,omitempty"` // somebody said that it is done, or no longer holds
	Critical bool            `json:"critical,omitempty"`
	After    []ID            `json:"after"`             // the items that are done before it, by ascending id
	PartOf   []ID            `json:"part_of,omitempty"` // the items that it belongs to, by ascending id
	Late     []ID            `json:"late,omitempty"`    // those of After that end only after it begins
	Quotes   []TimelineQuote `json:"quotes"`
}

// ProjectTimeline lists the tasks and dates of a project, computed from its facts and relations by code, without a
// model.
type ProjectTimeline struct {
	Project  string         `json:"project"`
	AsOf     time.Time      `json:"as_of"`
	Items    []TimelineItem `json:"items"`    // those that have a day, by start or end, then id
	Undated  []TimelineItem `json:"undated"`  // by kind, name and id
	Critical []ID           `json:"critical"` // the chain of items that wait for each other which spans the most days
	// How many days that is, the first and the last included; 0 if no items with days wait for each other.
	CriticalDays int            `json:"critical_days"`
	LeftOut      map[string]int `json:"left_out,omitempty"` // how many facts are not on it, by reason
}

// Reasons why facts are not on a timeline.
const (
	TimelineCandidate = "candidate" // not accepted yet
	TimelineDenied    = "denied"    // it is not to be, or is no longer
	TimelineReplaced  = "replaced"  // another one holds in its place
	TimelineTooMany   = "too_many"  // beyond [MaxTimeline]
	TimelineUnrelated = "unrelated" // a relation of a fact that is not on it
)

// Stats counts the memories of a scope, in every state. Values that do not occur are absent.
type Stats struct {
	Total  int           `json:"total"`
	Kinds  map[Kind]int  `json:"kinds"`
	States map[State]int `json:"states"`
	Newest *time.Time    `json:"newest,omitempty"` // when the last of them was recorded
}

// NewStats counts nothing yet.
func NewStats() Stats { return Stats{Kinds: map[Kind]int{}, States: map[State]int{}} }

// Add counts n memories, the last one recorded at newest.
func (s *Stats) Add(k Kind, st State, n int, newest time.Time) {
	s.Total += n
	s.Kinds[k] += n
	s.States[st] += n
	if s.Newest == nil || newest.After(*s.Newest) {
		s.Newest = &newest
	}
}

// Bounds and defaults of facets.
const (
	DefaultFacets = 50
	MaxFacets     = 1000
)

// Counting says which memories of a scope are counted. Shares count like their origins.
type Counting struct {
	Kinds  []Kind  `json:"kinds,omitempty" explode:"true" doc:"Kinds, with commas between them or repeated; all if absent"`
	States []State `json:"states,omitempty" explode:"true" doc:"States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"`
	Filter Filter  `json:"filter,omitzero" doc:"Conditions as JSON; see the filter grammar. Counting takes longer with one"`
}

// FacetsQuery asks which values a field has, and how often.
type FacetsQuery struct {
	Counting
	Field  string `json:"field" doc:"Whose values are counted" enum:"agent,channel,domain,kind,project,role,session,source_id,speaker,state,trust,type,user"`
	Prefix string `json:"prefix,omitempty" doc:"Only values that begin with this" maxLength:"255"`
	Limit  int    `json:"limit,omitempty" doc:"Values at most: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
}

// facetFields are the fields that have facets, with their values.
var facetFields = map[string]func(m *Memory) string{
	"project":   func(m *Memory) string { return m.Scope.Project },
	"domain":    func(m *Memory) string { return m.Scope.Domain },
	"user":      func(m *Memory) string { return m.Scope.User },
	"agent":     func(m *Memory) string { return m.Scope.Agent },
	"session":   func(m *Memory) string { return m.Scope.Session },
	"channel":   func(m *Memory) string { return m.Scope.Channel },
	"kind":      func(m *Memory) string { return string(m.Kind) },
	"state":     func(m *Memory) string { return string(m.State) },
	"trust":     func(m *Memory) string { return string(m.Trust) },
	"role":      func(m *Memory) string { return string(m.Role) },
	"speaker":   func(m *Memory) string { return m.Speaker },
	"type":      func(m *Memory) string { return m.Type },
	"source_id": func(m *Memory) string { return string(m.SourceID) },
}

// FacetFields lists the fields that have facets, in byte order.
func FacetFields() []string { return slices.Sorted(maps.Keys(facetFields)) }

// FacetOf returns the value of a memory in one of [FacetFields]; "" if it has none.
func FacetOf(m *Memory, field string) string {
	of, ok := facetFields[field]
	if !ok {
		return ""
	}
	return of(m)
}

func (f *Fact) money() Financial {
	if f.Financial == nil {
		return Financial{}
	}
	return *f.Financial
}

// Tally asks how many memories have which values. Its zero value counts all memories of a scope.
type Tally struct {
	By       []string  // fields: of [FacetFields], or another one that [Tally.Validate] knows
	Day      Timeline  // if not empty, count by the day of this time as well
	Kinds    []Kind    // any of these; all if empty
	States   []State   // any of these, as stored; all if empty
	Unshared bool      // without shares
	Money    bool      // only facts with an amount; one that is no decimal may be left out
	At       time.Time // if not zero, say how many are active then, and over
	Last     bool      // say when the last one was recorded
	Prefix   string    // only values of the first field that begin with it, byte by byte
	Top      int       // if not 0: only so many values of the only field, without "", by falling count, ties in byte order
}

// talliedFacts are the fields of facts that can be counted, besides [FacetFields].
var talliedFacts = map[string]func(f *Fact) string{
	"entity_id":           func(f *Fact) string { return string(f.EntityID) },
	"fact_type":           func(f *Fact) string { return string(f.Type) },
	"verification_status": func(f *Fact) string { return string(f.Verification.Status) },
	"polarity":            func(f *Fact) string { return string(f.Polarity) },
	"financial_type":      func(f *Fact) string { return f.money().Type },
	"currency":            func(f *Fact) string { return f.money().Currency },
	"financial_amount":    func(f *Fact) string { return f.money().Amount },
}

// Validate checks the fields, which drivers make columns of.
func (q *Tally) Validate() error {
	for _, field := range q.By {
		if facetFields[field] == nil && talliedFacts[field] == nil {
			return Errorf(Invalid, "field: %.32q is not counted", field)
		}
	}
	return nil
}

// TallyRow counts memories with the same values. Rows are in no order, unless [Tally.Top] gives them one.
type TallyRow struct {
	Values   []string // of the fields, in order; "" without one
	Day      int      // as [DayOf] counts
	Count    int
	Active   int // of these, active at Tally.At
	Ended    int // the validity had ended …
	Replaced int // … and of those, another memory took the place
	Last     time.Time
}

// StatesAt calls add with the numbers of memories by their state at q.At, if they are stored in a state; see
// [Memory.StateAt].
func (r *TallyRow) StatesAt(stored State, add func(st State, n int)) {
	m := Memory{State: stored, ValidUntil: &time.Time{}}
	add(stored, r.Count-r.Ended)
	add(m.StateAt(time.Time{}), r.Ended-r.Replaced)
	m.SupersededBy = "another"
	add(m.StateAt(time.Time{}), r.Replaced)
}

// Filter selects at least the memories that q counts.
func (q *Tally) Filter() Filter {
	var all []Filter
	if len(q.Kinds) > 0 {
		all = append(all, Where("kind", OpIn, q.Kinds))
	}
	if len(q.States) > 0 {
		all = append(all, Where("state", OpIn, q.States))
	}
	if q.Money {
		all = append(all, Where("kind", OpEq, KindFact), Where("financial_amount", OpNe, nil))
	}
	return AllOf(all...)
}

// The timelines.
const (
	TimelineRecorded Timeline = "recorded" // by [Memory.RecordedAt]
	TimelineEvent    Timeline = "event"    // by [Memory.EventTime]
)

// Count answers for a listing of the memories that [Tally.Filter] accepts.
func (q *Tally) Count(ms iter.Seq2[Memory, error]) ([]TallyRow, error) {
	of := map[string]*TallyRow{}
	for m, err := range ms {
		if err != nil {
			return nil, err
		}
		row := TallyRow{Values: make([]string, len(q.By))}
		for i, field := range q.By {
			if value := facetFields[field]; value != nil {
				row.Values[i] = value(&m)
			} else if m.Fact != nil {
				row.Values[i] = talliedFacts[field](m.Fact)
			}
		}
		switch q.Day {
		case TimelineRecorded:
			row.Day = DayOf(m.RecordedAt)
		case TimelineEvent:
			row.Day = DayOf(m.EventTime)
		}
		if q.Unshared && m.SharedFrom != "" || q.Top > 0 && row.Values[0] == "" ||
			q.Prefix != "" && !strings.HasPrefix(row.Values[0], q.Prefix) {
			continue
		}
		key := fmt.Sprintf("%d %q", row.Day, row.Values)
		if of[key] == nil {
			of[key] = &row
		}
		r := of[key]
		r.Count++
		if q.Last && m.RecordedAt.After(r.Last) {
			r.Last = m.RecordedAt
		}
		if !q.At.IsZero() && m.ValidUntil != nil && !m.ValidUntil.After(q.At) {
			r.Ended++
			if m.SupersededBy != "" {
				r.Replaced++
			}
		} else if !q.At.IsZero() && m.State == StateActive {
			r.Active++
		}
	}
	var out []TallyRow
	for _, r := range of {
		out = append(out, *r)
	}
	if q.Top > 0 {
		slices.SortFunc(out, func(a, b TallyRow) int {
			return cmp.Or(b.Count-a.Count, strings.Compare(a.Values[0], b.Values[0]))
		})
		out = out[:min(len(out), q.Top)]
	}
	return out, nil
}

// Facet is a value of a field.
type Facet struct {
	Value string    `json:"value"`
	Count int       `json:"count"`
	Last  time.Time `json:"last"` // when the last of them was recorded
}

// FacetList holds the most frequent values of a field, ties by byte order. Memories without a value are not counted.
type FacetList struct {
	Items []Facet `json:"items"`
	More  bool    `json:"more,omitempty"` // further values were left out
}

// Period is how long the steps of a histogram are.
type Period string

// The periods. Weeks begin on Monday; all begin at midnight, UTC.
const (
	PeriodDay   Period = "day"
	PeriodWeek  Period = "week"
	PeriodMonth Period = "month"
)

// Timeline is by which time memories are ordered or counted.
type Timeline string

// HistogramQuery counts the memories of each period.
type HistogramQuery struct {
	Counting
	By    Period   `json:"by,omitempty" doc:"How long the steps are: day if absent; weeks begin on Monday" enum:"day,week,month"`
	Time  Timeline `json:"time,omitempty" doc:"By when it was recorded, or when it happened" enum:"recorded,event"`
	Split string   `json:"split,omitempty" doc:"By whose values each step is counted: kind if absent" enum:"agent,channel,domain,kind,project,role,session,source_id,speaker,state,trust,type,user"`
}

// HistogramStep is a period in which there are memories.
type HistogramStep struct {
	From   time.Time      `json:"from"`   // its first instant
	Counts map[string]int `json:"counts"` // by the value of the split field; "" counts memories without one
}

// Histogram holds the periods in which there are memories, the earliest first.
type Histogram struct {
	Items []HistogramStep `json:"items"`
}

// DayOf is the day of a time: days since 1970-01-01, UTC; negative before.
func DayOf(t time.Time) int {
	seconds := t.Unix()
	day := seconds / 86400
	if seconds%86400 < 0 {
		day--
	}
	return int(day)
}
