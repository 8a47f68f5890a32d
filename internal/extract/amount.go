package extract

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/money"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// sumOf is the verb of each kind of money; any other kind is a cost.
var sumOf = map[money.Kind]string{money.Estimate: "has_estimate", money.Quote: "has_quote",
	money.ChangeOrder: "has_change_order", money.HardCost: "has_hard_cost",
	money.Invoice: "has_invoice", money.Payment: "has_payment", money.Budget: "has_budget",
	money.CreditNote: "has_credit_note", money.Refund: "has_refund", "": "has_cost"}

// sums appends the sums of money in a turn: products of a quantity and a rate, checked against their total, also across
// the question that the turn answers, and amounts whose words say what they are.
func (p *page) sums(found []Found) []Found {
	if !strings.ContainsAny(p.turn.Text, "0123456789") {
		return found
	}
	l := money.English
	switch textproc.Detect(p.turn.Text, textproc.English, textproc.German) {
	case textproc.German:
		l = money.German
	case textproc.Unknown:
		l = money.Unknown
	}
	if l != money.German && germanMoney.MatchString(p.turn.Text) && !englishWords.MatchString(p.turn.Text) {
		l = money.German // a note of a few words
	}
	find := money.Find
	if p.turn.Project { // elsewhere a bare number may count anything
		find = money.FindBare
	}
	amounts := grossOf(p.turn.Text, find(p.turn.Text, l, ""))
	if len(amounts) == 0 {
		return found
	}
	nameCurrency(amounts)
	texts := []string{p.turn.Text}
	if p.before != nil {
		texts = []string{p.before.Text, p.turn.Text}
	}
	here := len(texts) - 1
	used := make(map[money.Span]bool) // amounts that are part of a product
	for _, c := range money.Calculate(l, "", texts...) {
		at := c.Rate
		if c.Check != money.Unchecked {
			at = c.Total
		}
		if at.Text != here {
			continue
		}
		used[c.Rate.Span], used[c.Total.Span] = true, true
		a := at
		if c.Check == money.Unchecked {
			a.Value = c.Product
		}
		a.Approximate = a.Approximate || c.Rate.Approximate
		f := trilith.Financial{Amount: a.Value.String(), Currency: c.Rate.Currency, Quantity: c.Quantity.Value.String(),
			Unit: string(c.Rate.Per), Rate: c.Rate.Value.String()}
		if c.Check != money.Unchecked {
			f.Check = c.Check.String()
		}
		item := ""
		if m := ofWhat.FindStringSubmatch(texts[c.Quantity.Text][c.Quantity.End:]); m != nil {
			item = m[1]
		}
		found = p.sum(found, stated{a, f, item, p.nextAmount(amounts, a), 0, true, c.Rate.Start}, l)
	}
	for i, a := range amounts {
		a.Text = here
		if used[a.Span] {
			continue
		}
		f := trilith.Financial{Amount: a.Value.String(), Currency: a.Currency}
		if a.Per != "" {
			f.Rate, f.Unit = f.Amount, string(a.Per)
		}
		next := len(p.turn.Text)
		if i+1 < len(amounts) {
			next = amounts[i+1].Start
		}
		last := 0
		if i > 0 {
			last = amounts[i-1].End
		}
		found = p.sum(found, stated{a, f, "", next, last, false, 0}, l)
	}
	return found
}

// nameCurrency gives the amounts of a turn that name no currency the one that all others name.
func nameCurrency(amounts []money.Amount) {
	only := ""
	for _, a := range amounts {
		if only == "" {
			only = a.Currency
		}
		if a.Currency != "" && a.Currency != only {
			return
		}
	}
	for i := range amounts {
		amounts[i].Currency = only
	}
}

// lasting lists the units of recurring payments: the rent of a month is a cost, not a rate.
var lasting = map[money.Unit]bool{"month": true, "year": true, "week": true}

// stated is an amount with what all the texts say about it.
type stated struct {
	money.Amount
	of      trilith.Financial
	item    string // the counted things of a quantity
	next    int    // where the next amount of the text begins
	last    int    // where the one before ends
	product bool   // it is, or comes from, quantity × rate
	rate    int    // where the rate of a product begins
}

// nextAmount returns the beginning of the first amount after a.
func (p *page) nextAmount(amounts []money.Amount, a money.Amount) int {
	for _, b := range amounts {
		if b.Start >= a.End {
			return b.Start
		}
	}
	return len(p.turn.Text)
}

// beforeNext is the sentence of an amount up to the next one, if that begins something else: what is supposed of the
// second is not supposed of the first.
func (p *page) beforeNext(a stated, s *sentence) string {
	if a.next >= s.end || !besides.MatchString(p.turn.Text[a.End:a.next]) {
		return s.text
	}
	return s.text[:a.next-s.start]
}

// besides stands between two amounts of which the second is added to the first.
var besides = compiled(`(?i)[,;]\s*(?:plus|and|und|zuzüglich|dazu|with)\b[^,;]*$`)

// ofWhat matches the counted things right after a quantity.
var ofWhat = compiled(`^\s+of\s+(?:the\s+)?([\pL-]{3,}(?:\s(?:tiles|beams|boards|blocks|panels|windows))?)(?:[.,;:!?]|\s|$)`)

// sum appends the amount a if its sentence states it and its words say what it is.
func (p *page) sum(found []Found, a stated, l money.Lang) []Found {
	f, item, product := a.of, a.item, a.product
	s := p.sentenceAt(a.Start)
	if s == nil || s.question || len(s.text) > maxSentence || p.isQuoted(a.Start) {
		return found
	}
	p.words = words(p.words[:0], p.beforeNext(a, s))
	if supposes(p.words) {
		return found
	}
	if isOwnMoney(found, s, f) {
		return found
	}
	before, after := s.text[:a.Start-s.start], s.text[min(len(s.text), a.End-s.start):]
	if m := ofOne.FindStringSubmatch(before); m != nil && !times[lower(m[1])] {
		return found
	}
	if isElsewhere(s.text, before, after) {
		return found
	}
	kind, stated := p.kindOf(a, s, before, after, l)
	if !stated {
		return found
	}
	isRate := a.Per != "" && !lasting[a.Per] && !product &&
		(kind == "" || kind == money.Quote || kind == money.Payment || kind == money.Invoice) && isCharged(before)
	if kind == "" && !product && !isRate &&
		(!costing.MatchString(s.text) || limited.MatchString(clauseBefore(before))) {
		return found
	}
	f.Type = string(kind)
	h := hit{page: p, sentence: s, rule: &sumRule[l]}
	h.Found = Found{Turn: p.index, Start: s.start, End: s.end, Rule: h.rule.id, Subject: ProjectSubject,
		Verb: sumOf[kind], Polarity: trilith.Affirmed,
		Certainty: trilith.Stated, Priority: trilith.PriorityNormal, Financial: &f, at: a.Start}
	if h.End-h.Start > maxQuote {
		h.Start, h.End = a.Start, a.End
	}
	for _, w := range lastWords(before, reach) {
		if hedges[w] || opinions[w] && (kind != money.Estimate || !estimating.MatchString(before)) {
			h.Certainty = trilith.Hedged
		}
	}
	isBack := kind == money.CreditNote || kind == money.Refund
	if h.Certainty == trilith.Stated && (isBack && promised.MatchString(s.text) ||
		kind == money.Payment && (intended.MatchString(s.text) || following.MatchString(after))) {
		h.Certainty = trilith.Planned
	}
	if item == "" {
		item = itemOf(before, after)
	}
	if isRate {
		h.rate(&f, before, after)
	} else {
		h.name(&f, item, p.matter(before, p.clauseOf(a, s), p.turn.Text[min(a.End, s.end):min(a.next, s.end)], kind))
	}
	if product && f.Quantity != "" {
		h.product(&f, item)
	}
	h.RequiresAction = kind == money.Invoice && !isRate
	h.complete()
	if f.Check == money.Differs.String() {
		h.Confidence = math.Round(100*h.Confidence*differing) / 100
	}
	return append(found, h.Found)
}

// kindOf is what an amount of a sentence is; false if its words deny or only wish it, or subtract it from a bill.
func (p *page) kindOf(a stated, s *sentence, before, after string, l money.Lang) (money.Kind, bool) {
	kind := money.Classify(p.turn.Text, a.Amount, l)
	if kind == "" && a.Approximate && a.product {
		kind = money.Estimate
	}
	if p.turn.Project {
		kind = p.kindInProject(kind, a, s, before, after)
	} else {
		kind = kindIn(kind, before, after, a.Approximate)
	}
	if kind == "" && p.isAnswer(s) {
		kind = money.Payment
	}
	if kind == money.Payment && capped.MatchString(before) {
		return "", false // what somebody pays at most is not paid
	}
	isMet := p.turn.Project && demandMet.MatchString(before+amountMark+after)
	for _, w := range lastWords(clauseBefore(before), reach) {
		if negations[w] || wishes[w] && !isMeant(kind, w, s.text, p.turn.Project) && !isMet {
			return "", false
		}
	}
	if kind != money.Invoice && kind != money.Payment {
		return kind, true
	}
	if deducted.MatchString(before) && billing.MatchString(s.text) {
		return "", false // a bill says what is left after what was paid
	}
	if money.Settles(deduction.ReplaceAllString(s.text, "")) {
		kind = money.Payment
	}
	return kind, true
}

// clauseBefore is the clause of an amount before it.
func clauseBefore(before string) string { return before[strings.LastIndexAny(before, ",;:")+1:] }

// ofOne comes before the price of one piece: "pro Bild 180 Euro". A price for a time is no part of a sum.
var ofOne = compiled(`(?i)(?:^|\s)(?:pro|je)\s([\pL-]+)\s+$`)

// times are units of which one pays for many.
var times = wordSet("monat jahr woche tag quartal stunde month year week day quarter hour")

// deduction is what a sentence says of an amount that is subtracted: "less the 3,600 we've paid".
var deduction = compiled(`(?i)\b(?:less|minus|abzüglich|nach abzug|net of)\b[^.;!?]*`)

// name makes the node of a sum: the amount, its purpose, and what distinguishes it from another of the same amount.
func (h *hit) name(f *trilith.Financial, item string, m money.Matter) {
	h.Node.Name, f.Category = m.Named(strings.TrimSpace(f.Amount+" "+f.Currency), item)
	if f.Category != "" {
		h.put("item", f.Category)
	}
	if f.Type == string(money.Budget) && f.Category != "" {
		h.Verb = "budget_for_" + slug(f.Category)
		if m.Part != "" && f.Category != m.Part {
			h.Verb += "_" + slug(m.Part)
		}
	}
	h.putAll(m.Details())
}

// matter is what an amount belongs to, by the words around it. An answer is about the party that the question names;
// a budget is nobody's.
func (p *page) matter(before, clause, behind string, kind money.Kind) money.Matter {
	m := money.About(before, behind)
	if clause != "" { // of several amounts each has its own
		own := money.About(clause, behind)
		m.Number, m.Party = cmp.Or(own.Number, m.Number), cmp.Or(own.Party, m.Party)
	}
	switch {
	case kind == money.Budget:
		m.Party = ""
	case m.Party == "" && p.asked != "":
		m.Party = money.Topic(p.asked)
	case m.Party == "" && (spokenOf.MatchString(before) || kind == money.ChangeOrder):
		m.Party = money.TopicBefore(p.sentenceBefore(before))
	}
	return m
}

// spokenOf are words for a party that was named before.
var spokenOf = compiled(`(?i)(?:^|[^\pL])(?:they|their|them|sie|ihre?|ihnen|denen|die)(?:[^\pL]|$)`)

// sentenceBefore is the sentence of the turn before the one that begins with such words.
func (p *page) sentenceBefore(begins string) string {
	for i := 1; i < len(p.sentences); i++ {
		if strings.HasPrefix(p.sentences[i].text, begins) {
			return p.sentences[i-1].text
		}
	}
	return ""
}

// isAnswer reports whether a sentence answers the question whether something is paid with yes.
func (p *page) isAnswer(s *sentence) bool {
	return affirming.MatchString(s.text) && payingAsked.MatchString(p.asked)
}

var (
	affirming   = compiled(`(?i)^(?:yes|yep|yeah|ja|jep|done|erledigt)\b`)
	payingAsked = compiled(`(?i)\b(?:pay|paid|bezahlt|überwiesen|gezahlt|beglichen|transferred|settled)\b`)
)

// clauseOf is what stands between the amount before and this one in a sentence; "" if it is the first.
func (p *page) clauseOf(a stated, s *sentence) string {
	if a.last <= s.start {
		return ""
	}
	return strings.TrimLeft(clauseStart.ReplaceAllString(p.turn.Text[a.last:a.Start], ""), " ,;")
}

// clauseStart begins a clause that another one precedes.
var clauseStart = compiled(`^[\s,;]*(?i:and|und|while|während|but|aber|sowie)?\s`)

func (h *hit) putAll(details map[string]string) {
	for key, value := range details {
		h.put(key, value)
	}
}

// isCharged reports whether the words before an amount say that somebody takes it for a unit of work.
func isCharged(before string) bool {
	return slices.ContainsFunc(charging[:], func(re pattern) bool { return re.MatchString(before) })
}

// rate makes a fact of a price for a unit of work: there is no sum yet.
func (h *hit) rate(f *trilith.Financial, before, after string) {
	h.Verb, f.Type = "has_rate", "rate"
	h.Node.Name = strings.TrimSpace(f.Rate+" "+f.Currency) + " per " + f.Unit
	f.Amount = ""
	who := ""
	for _, re := range charging {
		if m := re.FindStringSubmatch(before); m != nil {
			who = m[1]
			break
		}
	}
	if m := rateFor.FindStringSubmatch(after); who == "" && m != nil {
		who = m[1]
	}
	if who != "" {
		f.Category = who
		h.put("item", who)
		h.Node.Name += " for " + who
	}
}

// product writes out how a sum comes about, as callers read it.
func (h *hit) product(f *trilith.Financial, item string) {
	if item != "" {
		h.put("material", item)
	}
	for key, value := range map[string]string{"quantity": f.Quantity, "rate": f.Rate, "total": f.Amount} {
		if n, err := strconv.ParseFloat(value, 64); err == nil { // exactly they are beside it
			h.put(key, n)
		}
	}
	if f.Unit != "" {
		h.put("unit", f.Unit)
	}
}

// isOwnMoney reports whether a rule took the amount for what somebody earns or lives on.
func isOwnMoney(found []Found, s *sentence, f trilith.Financial) bool {
	return slices.ContainsFunc(found, func(k Found) bool {
		return k.Start == s.start && k.Financial != nil && k.Subject != ProjectSubject && k.Financial.Amount == f.Amount
	})
}

// differing is the factor for the confidence in a sum whose total is not quantity × rate: one of the three is wrong.
const differing = 0.7

// sumRule are the rules of [page.sums] by language, with names like those of other rules.
var sumRule = [...]rule{money.English: {id: "en.money.1", lang: english},
	money.German: {id: "de.money.1", lang: german}, money.Unknown: {id: "en.money.1", lang: english}}

func (p *page) sentenceAt(i int) *sentence {
	n, _ := slices.BinarySearchFunc(p.sentences, i, func(s sentence, i int) int { return s.end - i - 1 })
	if n < len(p.sentences) && p.sentences[n].start <= i {
		return &p.sentences[n]
	}
	return nil
}

var (
	costing = compiled(`(?i)\b(?:costs?|price[ds]?|comes? to|rent (?:is|was)|fee|sells for|kostet|kosten|preis|beträgt|belaufen|macht zusammen|miete)\b`)

	charging = [...]pattern{
		compiled(`(?i)(?:^|\b)(?:(?:the|our|my|a|an|der|die|das|unser|unsere|mein|meine|ein|eine)\s+)?([\pL&'’-]+(?:\s\p{Lu}[\pL&-]*){0,2})\s+(?:charges?|charged|takes?|bills?|billed|asks?(?: for)?|costs?|wants?|nimmt|verlangt|kostet|berechnet)\s+(?:us\s+|me\s+|uns\s+|mir\s+)?(?:about\s+|around\s+|roughly\s+|etwa\s+|rund\s+)?$`),
		compiled(`(?i)(?:the\s+|our\s+|my\s+)?([\pL&-]+)['’]s\s+(?:hourly\s+|daily\s+)?rate\s+is\s+$`),
		compiled(`(?i)(?:rate|satz)\s+(?:for|of|für|von)\s+(?:the\s+|den\s+|die\s+|das\s+)?([\pL&-]+)`),
	}
	rateFor      = compiled(`(?i)^.{0,20}\sfor\s+(?:the\s+|an?\s+)?([\pL-]+)`)
	leadingParty = compiled(`^(\p{Lu}[\pL&.-]+?)(?:['’]s?)?\s+(?i:invoice|bill|rechnung|change order|quote|offer|bid|order)`)
	germanMoney  = compiled(`(?i)(?:rechnung|angebot|nachtrag|gutschrift|überwiesen|bezahlt|gezahlt|beglichen)`)
	englishWords = compiled(`(?i)\b(?:the|and|for|from|we|is|are|was|has|have|to|of|on)\b`)
	dropsOf      = compiled(`\s(?:with|from|by|of|bei|von|mit)\s+(?:der Firma\s+)?(\p{Lu}[\pL&.-]*(?:\s\p{Lu}[\pL&.-]*)*)`)
	capped       = compiled(`(?i)\b(?:at most|no more than|not more than|höchstens|maximal)\s*$`)
	limited      = compiled(`(?i)\b(?:at most|at least|up to|höchstens|maximal|mindestens|bis zu)\s*$`)
)
