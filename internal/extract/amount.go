package extract

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/money"
	"github.com/cairn-memory/cairn/internal/textproc"
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
	amounts := grossOf(p.turn.Text, money.Find(p.turn.Text, l, ""))
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
		f := cairn.Financial{Amount: a.Value.String(), Currency: c.Rate.Currency, Quantity: c.Quantity.Value.String(),
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
		f := cairn.Financial{Amount: a.Value.String(), Currency: a.Currency}
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
	of      cairn.Financial
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
	clause := before[strings.LastIndexAny(before, ",;:")+1:]
	if isElsewhere(s.text, before, after) {
		return found
	}
	kind := money.Classify(p.turn.Text, a.Amount, l)
	if kind == "" && a.Approximate && product {
		kind = money.Estimate
	}
	kind = kindIn(kind, before, after, a.Approximate)
	if rate := a.rate - s.start; kind == "" && product && rate > 0 && rate < len(before) &&
		(offering.MatchString(before[:rate]) || pricedAt.MatchString(before[:rate])) {
		kind = money.Quote
	}
	if kind == "" && p.isAnswer(s) || (kind == "" || kind == money.Quote || kind == money.Payment) &&
		downFirst.MatchString(before) && metAfter.MatchString(p.turn.Text[s.end:]) {
		kind = money.Payment
	}
	if kind == "" && p.turn.Project && !product {
		kind = p.priceOf(before, p.clauseOf(a, s), after, a.Approximate)
	}
	for _, w := range lastWords(clause, reach) {
		if negations[w] || wishes[w] && !isMeant(kind, w, s.text) {
			return found
		}
	}
	if (kind == money.Invoice || kind == money.Payment) && deducted.MatchString(before) && billing.MatchString(s.text) {
		return found // a bill says what is left after what was paid
	}
	if money.Settles(withoutDeduction(s.text)) && (kind == money.Invoice || kind == money.Payment) {
		kind = money.Payment
	}
	isRate := a.Per != "" && !lasting[a.Per] && !product &&
		(kind == "" || kind == money.Quote || kind == money.Payment || kind == money.Invoice) && isCharged(before)
	if kind == "" && !product && !isRate && (!costing.MatchString(s.text) || limited.MatchString(clause)) {
		return found
	}
	f.Type = string(kind)
	h := hit{page: p, sentence: s, rule: &sumRule[l]}
	h.Found = Found{Turn: p.index, Start: s.start, End: s.end, Rule: h.rule.id, Subject: ProjectSubject,
		Verb: sumOf[kind], Polarity: cairn.Affirmed,
		Certainty: cairn.Stated, Priority: cairn.PriorityNormal, Financial: &f, at: a.Start}
	if h.End-h.Start > maxQuote {
		h.Start, h.End = a.Start, a.End
	}
	for _, w := range lastWords(before, reach) {
		if hedges[w] || opinions[w] && (kind != money.Estimate || !estimating.MatchString(before)) {
			h.Certainty = cairn.Hedged
		}
	}
	isBack := kind == money.CreditNote || kind == money.Refund
	if h.Certainty == cairn.Stated && (isBack && promised.MatchString(s.text) ||
		kind == money.Payment && (intended.MatchString(s.text) || following.MatchString(after))) {
		h.Certainty = cairn.Planned
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

// priceOf is what an amount of a project is of which no word says what it is: what a party names is its price, what
// something will come to is an estimate, and what it came to is a cost.
func (p *page) priceOf(before, clause, after string, approximate bool) money.Kind {
	switch {
	case approximate && willCost.MatchString(before):
		return money.Estimate
	case cameTo.MatchString(before + amountMark + after):
		return money.HardCost
	case ourDoing.MatchString(before), arrived.MatchString(after), following.MatchString(after),
		repeated.MatchString(before + after):
		return ""
	}
	switch about := p.matter(before, clause, after, ""); {
	case about.Party == "" || about.Number != "": // the number is of a paper that is known
		return ""
	case approximate:
		return money.Estimate
	}
	return money.Quote
}

// withoutDeduction is a sentence without what it says of an amount that is subtracted: "less the 3,600 we've paid".
func withoutDeduction(sentence string) string {
	return deduction.ReplaceAllString(sentence, "")
}

var deduction = compiled(`(?i)\b(?:less|minus|abzüglich|nach abzug|net of)\b[^.;!?]*`)

// name makes the node of a sum: the amount, its purpose, and what distinguishes it from another of the same amount.
func (h *hit) name(f *cairn.Financial, item string, m money.Matter) {
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
func (h *hit) rate(f *cairn.Financial, before, after string) {
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
func (h *hit) product(f *cairn.Financial, item string) {
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

// settledRules find that a paper is paid: which one it is, and not how much.
var settledRules = []rule{
	{id: "en.settled.1", triggers: "paid settled cleared sent transferred wired out through off", pattern: `^(?:(?:and|ok|okay|so|update)[, ]+)*(?:the |our |my )?(?P<x>(?:[\pL&.\x27’-]+ )?(?:invoice|bill)\b.{0,60}?|(?-i:\p{Lu}{1,6}[-/]\d[\w/-]*)) (?:(?:is|was|has been|got|have been) (?:now |finally |already |fully |just )*(?:paid|settled|cleared|sent|transferred|wired)|(?:went|has gone|is|has now gone) (?:out|through|off))\b`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "en.settled.2", triggers: "paid settled cleared", pattern: `(?:^|(?:we|I|they|{Who})(?:'ve| have| has)? {adv})(?:just )?(?:paid|settled|cleared)(?: off)? (?:the |our |my )?(?P<x>(?:[\pL&.\x27’-]+ )?(?:invoice|bill)\b.{0,60}?)(?:[.!;]|$|, | (?:today|yesterday|on|last|this|in full|and)\b)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.1", triggers: "bezahlt beglichen überwiesen angewiesen raus", pattern: `^(?:(?:und|also|ok)[, ]+)*(?:die |unsere |meine )?(?P<x>(?:[\pL&.\x27’-]+ )?(?-i:[\pL]*[Rr]echnung)\b.{0,60}?|(?-i:(?:\p{Lu}{1,6}[-/])+\d[\w/-]*)|\d{2,8}) (?:ist|wurde|sind) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern|komplett|vollständig) )*(?:bezahlt|beglichen|überwiesen|angewiesen|raus)\b`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.7", triggers: "bezahlt beglichen überwiesen angewiesen", pattern: `^(?:(?:und|also|ok)[, ]+)*(?:die |unsere )?(?P<x>(?-i:[\pL]*[Rr]echnung)\b.{0,60}?) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern|komplett|vollständig) )*(?:bezahlt|beglichen|überwiesen|angewiesen)[.!]*$`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.2", triggers: "bezahlt beglichen überwiesen", pattern: `(?:wir haben|ich habe|haben wir|habe ich) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:die |unsere |meine )?(?P<x>(?-i:[\pL]*[Rr]echnung)\b.{0,60}?) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:bezahlt|beglichen|überwiesen)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.3", triggers: "bezahlt beglichen überwiesen", pattern: `^(?:(?:und|also|ok)[, ]+)*(?:die )?(?P<x>(?-i:[\pL]*[Rr]echnung)\b.{0,60}?|(?-i:\p{Lu}{1,6}[-/]\d[\w/-]*)) (?:habe ich|haben wir|habe|haben) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:bezahlt|beglichen|überwiesen)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	// who is paid, without a word about the paper
	{id: "en.settled.5", triggers: "paid money settled",
		pattern: `^(?:(?:and|ok|okay|so|update|good news|done)[,:]? )*(?P<x>(?-i:\p{Lu})[\pL&.-]*(?: (?:& )?(?-i:\p{Lu})[\pL&.-]*){0,3})(?:'s| is| was| has been|'s been| are| have been| has| have)? (?:now |finally |already |fully |all |just )*(?:paid(?: in full| off| up)?|(?:got|received|had) (?:his|her|their) money)(?: now| today| yesterday)?[.!]*$`,
		verb:    "has_invoice", check: isSettledWith, subject: ProjectSubject, ends: true},
	{id: "de.settled.5", triggers: "bezahlt ausbezahlt geld",
		pattern: `^(?:(?:und|also|ok|erledigt)[,:]? )*(?P<x>(?-i:\p{Lu})[\pL&.-]*(?: (?:& )?(?-i:\p{Lu})[\pL&.-]*){0,3}) (?:(?:ist|sind|wurde|wurden) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern|vollständig|komplett) )*(?:bezahlt|ausbezahlt)|(?:hat|haben) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:sein|ihr) Geld(?: bekommen| erhalten)?)[.!]*$`,
		verb:    "has_invoice", check: isSettledWith, subject: ProjectSubject, ends: true},
	// what is paid, without a word about whom or on which paper
	{id: "en.settled.8", triggers: "paid settled", pattern: `^(?:(?:and|ok|okay|so|update|good news|done)[,:]? )*(?:the |our )(?P<x>[\pL-]{3,}) (?:is|are|has been|have been|was|were)? ?(?:now |finally |already |fully |all )*(?:paid(?: for| off)?|settled)(?: in (?:full|cash)| by (?:card|bank transfer)| now| today| yesterday)*[.!]*$`,
		verb: "has_invoice", check: isItemSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.8", triggers: "bezahlt beglichen",
		pattern: `^(?:(?:und|also|ok|erledigt)[,:]? )*(?:die |der |das |unsere? )(?P<x>(?-i:\p{Lu})[\pL-]{2,}) (?:ist|sind|wurde|wurden) (?:\pL+ ){0,2}(?:bezahlt|beglichen)[.!]*$`,
		verb:    "has_invoice", check: isItemSettled, subject: ProjectSubject, ends: true},
	// what the turn before is about
	{id: "en.settled.6", triggers: "paid settled cleared sent transferred wired through sorted",
		pattern: `^(?:(?:and|ok|okay|so|yes|yep|done|good news|just|already|right)[,:.]? )*(?P<x>(?:(?:that|it|this|they|that one)(?:'s|'re| is| was| has| are| have)?(?: been)? (?:now |all |just |already )*(?:paid|settled|cleared|sent|transferred|wired|sorted|gone (?:through|out)|went (?:through|out)))|(?:I |we )?(?:'ve |have )?(?:just |already )?(?:paid|settled|cleared|transferred|wired) (?:it|that|them)(?: off| in full)?|paid|transferred|settled)(?: (?:in full|off|up|on the card|in cash|by card|by bank transfer|today|yesterday|this (?:morning|afternoon)|just now|already|too|as well|straight away))*[.!]*$`,
		verb:    "has_invoice", check: isSettledAsSaid, subject: ProjectSubject, ends: true},
	{id: "de.settled.6", triggers: "bezahlt überwiesen beglichen angewiesen raus erledigt",
		pattern: `^(?:(?:und|also|ok|ja|jep|erledigt|gut|so)[,:.]? )*(?P<x>(?:(?:die|das|sie|es)(?: rechnung)? )?(?:(?:ist|wurde|sind) (?:\pL+ ){0,2}(?:bezahlt|überwiesen|beglichen|angewiesen|raus)|(?:habe?|haben) (?:(?:ich|wir|sie|die|das|es) )*(?:\pL+ ){0,2}(?:bezahlt|überwiesen|beglichen|angewiesen))|(?:schon |bereits |eben |gerade |heute |gestern )*(?:bezahlt|überwiesen|beglichen|angewiesen))(?: (?:heute|gestern|eben|gerade|komplett))*[.!]*$`,
		verb:    "has_invoice", check: isSettledAsSaid, subject: ProjectSubject, ends: true},
	// in few words, of which only the number of a paper tells what they are about
	{id: "en.settled.3", triggers: "paid settled cleared sent wired", pattern: `^(?:(?:and|ok|okay|so|done|just|have|also|yes)[,: ]+)*(?:(?:I|we)(?:'ve| have)? (?:just |now )?)?(?:paid|settled|cleared|sent|wired) (?P<x>(?-i:(?:\p{Lu}{1,6}[-/])+\d[\w/-]*))(?:[.!;,]|$| (?:today|yesterday|on|last|this|in full|and|as well)\b)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "en.settled.4", triggers: "paid settled cleared done sent sorted", pattern: `^(?P<x>(?-i:(?:\p{Lu}{1,6}[-/])+\d[\w/-]*))[:,]? (?:is |has been |was )?(?:paid|settled|cleared|done|sent|sorted)\b`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.4", triggers: "bezahlt beglichen überwiesen angewiesen", pattern: `^(?:(?:und|also|ok)[, ]+)*(?P<x>(?-i:(?:\p{Lu}{1,6}[-/])+\d[\w/-]*))[:,]? (?:(?:habe?|haben) (?:ich|wir) )?(?:\pL+ ){0,2}(?:bezahlt|beglichen|überwiesen|angewiesen)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
}

// droppedRules find that an order, an offer or a change of one is withdrawn: from then on nothing follows from it.
var droppedRules = []rule{
	{id: "en.dropped.1", triggers: "cancelled canceled withdrawn dropped void off", pattern: `^(?:(?:and|ok|okay|so|update)[, ]+)*(?:the |our |that |their )?(?P<x>(?:[\pL&.'’-]+ )?(?P<y>change order|quote|offer|bid|order)\b.{0,60}?) (?:is|was|has been|got|have been) (?:now |finally |already |just )*(?:cancelled|canceled|withdrawn|dropped|void|off)\b`, verb: "has_quote", check: isDropped, subject: ProjectSubject, ends: true},
	{id: "en.dropped.2", triggers: "cancelled canceled withdrew withdrawn dropped drop cancel", pattern: `^(?:(?:and|ok|okay|so|then|no)[, ]+)*(?:we|I|they|{Who})(?:'ve| have| has|'ll)? {adv}(?:just )?(?:cancelled|canceled|withdrew|withdrawn|dropped|drop|cancel) (?:the |our |that |their )?(?P<x>(?:[\pL&.'’-]+ )?(?P<y>change order|quote|offer|bid|order)\b.{0,60}?)(?:[.!;]|$|, | (?:today|yesterday|because|since|and)\b)`, verb: "has_quote", check: isDropped, subject: ProjectSubject, ends: true},
	{id: "en.dropped.3", triggers: "cancelled canceled withdrew pulled", pattern: `^(?P<x>(?-i:\p{Lu}[\pL&.-]*(?: \p{Lu}[\pL&.-]*)*)) (?:has |have )?(?P<y>cancelled on us|canceled on us|withdrew (?:the|their|its) (?:quote|offer|bid)|pulled out(?: of (?:the|our|this) (?:job|project|deal|contract|bid|tender|work|build))?(?:[.,;!]|$| (?:because|since|after|yesterday|today|last)))`, verb: "has_quote", check: isDropped, subject: ProjectSubject, ends: true},
	{id: "de.dropped.1", triggers: "entfällt entfallen storniert zurückgezogen hinfällig gestrichen vom", pattern: `(?:^|[,;] )(?:(?:und|also|ok)[, ]+)*(?:der |das |die |unser |unsere )?(?P<x>(?P<y>(?-i:[\pL]*(?:Nachtrag|Angebot|Auftrag|Bestellung|nachtrag|angebot|auftrag|bestellung)))\b.{0,60}?) (?:ist |wurde |hat sich )?(?:damit |jetzt |nun |doch |heute )*(?:entfällt|entfallen|storniert|zurückgezogen|hinfällig|gestrichen|vom Tisch)`, verb: "has_quote", check: isDropped, subject: ProjectSubject, ends: true},
	{id: "de.dropped.2", triggers: "storniert zurückgezogen gestrichen widerrufen stornieren", pattern: `(?:wir haben|ich habe|haben wir|habe ich|(?-i:\p{Lu}[\pL&-]+(?: \p{Lu}[\pL&-]+)*) hat) (?:(?:jetzt|nun|doch|heute|gestern|damit) )*(?:den |das |die |unseren |unser |unsere |seinen |sein |ihr |ihren )?(?P<x>(?P<y>(?-i:[\pL]*(?:Nachtrag|Angebot|Auftrag|Bestellung|nachtrag|angebot|auftrag|bestellung)))\b.{0,60}?) (?:storniert|zurückgezogen|gestrichen|widerrufen)`, verb: "has_quote", check: isDropped, subject: ProjectSubject, ends: true},
	{id: "de.dropped.3", triggers: "ab zurück storniere stornieren streiche streichen", pattern: `(?:^|[,;] )(?:(?:nein|und|also|ok)[, ]+)*(?:den |das |die )?(?P<x>(?P<y>(?-i:[\pL]*(?:Nachtrag|Angebot|Auftrag|Bestellung|nachtrag|angebot|auftrag|bestellung)))\b.{0,60}?) (?:lehnen wir ab|lehne ich ab|ziehen wir zurück|ziehe ich zurück|stornieren wir|storniere ich|streichen wir|streiche ich)`, verb: "has_quote", check: isDropped, subject: ProjectSubject, ends: true},
}

// isDropped names the paper like [isSettled]. A change order is withdrawn by its own name alone.
func isDropped(h *hit) bool {
	text := h.x
	m := money.About(text+" ", "")
	if lead := leadingParty.FindStringSubmatch(text); lead != nil && m.Party == "" {
		m.Party = lead[1]
	}
	if with := dropsOf.FindStringSubmatch(text); with != nil && m.Party == "" {
		m.Party = with[1]
	}
	if strings.HasPrefix(h.rule.id, "en.dropped.3") {
		if m.Party = tidy(text); !isOrganisation(m.Party) {
			return false // I, she
		}
	}
	h.Subject, h.Name = ProjectSubject, "" // whoever says or does it
	if m.Number == "" && m.Party == "" || wasDenied(h) {
		return false
	}
	noun := [2]string{"quote", "Angebot"}[h.rule.lang]
	if what := lower(h.y); what == "change order" || strings.HasSuffix(what, "nachtrag") {
		h.Verb, noun = "has_change_order", [2]string{"change order", "Nachtrag"}[h.rule.lang]
	}
	h.putAll(m.Details())
	h.Node.Name, _ = m.Named(noun, "")
	return true
}

// isSettled names the paper by its number or by whose it is; one that is named by neither settles nothing.
func isSettled(h *hit) bool {
	text := h.x
	m := money.About(text+" ", "")
	if lead := leadingParty.FindStringSubmatch(text); lead != nil && m.Party == "" {
		m.Party = lead[1]
	}
	if strings.Trim(text, "0123456789") == "" {
		m.Number = text
	}
	return h.settles(m)
}

// isItemSettled names the paper by what it is for.
func isItemSettled(h *hit) bool {
	item := lower(h.x)
	if notPaid[item] || notItems[item] || paperSorts[item] || wasDenied(h) {
		return false
	}
	h.Subject, h.Name = ProjectSubject, ""
	h.put("item", h.x)
	h.Node.Name, _ = money.Matter{}.Named([2]string{"invoice", "Rechnung"}[h.rule.lang], h.x)
	return true
}

// isSettledAsSaid names the paper that the turn before is about: an invoice that it names by its number or its party.
func isSettledAsSaid(h *hit) bool {
	if h.previous == nil {
		return false
	}
	for _, s := range slices.Backward(split(h.previous.Text)) {
		if billing.MatchString(s.text) && !s.question {
			return h.settles(money.About(s.text+" ", ""))
		}
	}
	return false
}

// billing is said of an invoice.
var billing = compiled(`(?i)\b(?:invoices?|invoiced|bill|bills|billed|charged|rechnung|\pL+rechnung|berechnet|abgerechnet)\b`)

// settles makes the hit the end of the paper of a matter; one that is named by neither number nor party ends nothing.
func (h *hit) settles(m money.Matter) bool {
	if m.Number == "" && m.Party == "" || wasDenied(h) {
		return false
	}
	h.Subject, h.Name = ProjectSubject, "" // whoever has paid it
	h.putAll(m.Details())
	h.Node.Name, _ = m.Named([2]string{"invoice", "Rechnung"}[h.rule.lang], "")
	return true
}

// notPaid begin sentences about paying in which they are no counterparty.
var notPaid = wordSet("i we you he she they it everything everyone everybody people staff all that them both half most this who what nobody ich wir er sie es alles alle das wer niemand rechnung miete rent invoice bill")

// isSettledWith names the paper by who is paid.
func isSettledWith(h *hit) bool {
	party := tidy(h.x)
	if notPaid[lower(strings.Fields(party)[0])] || !isOrganisation(party) {
		return false
	}
	return h.settles(money.Matter{Party: party})
}

// wasDenied reports whether the words between subject and participle deny it.
func wasDenied(h *hit) bool {
	return negatedBefore(h.sentence.text[h.m[0]:h.m[1]]) || negatedBefore(h.group(h.rule.groups().adv))
}

// isOwnMoney reports whether a rule took the amount for what somebody earns or lives on.
func isOwnMoney(found []Found, s *sentence, f cairn.Financial) bool {
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
	limited      = compiled(`(?i)\b(?:at most|at least|up to|höchstens|maximal|mindestens|bis zu)\s*$`)

	// Where the thing is that an amount is for, before the amount and behind it.
	itemBefore = []pattern{
		compiled(`(?i)\b(?:budget|quote|estimate|offer|invoice|bid|price|payment|deposit|change order)\s+for\s+(?:the\s+|our\s+|a\s+)?([\pL-]+)`),
		compiled(`(?i)(?:^|\s)(?:budget|angebot|rechnung|schätzung|preis|kostenvoranschlag)\s+für(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
		compiled(`(?i)\b(?:quote|offer|invoice|bid|change order)\s[^.;:,]{1,40}?\sfor\s+(?:the|our)\s+([\pL-]+)`),
		compiled(`(?i)(?:^|\s)(?:angebot|[\pL]*rechnung|nachtrag|kostenvoranschlag)\s[^.;:,]{1,40}?\sfür(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
		compiled(`(?i)^für(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
		compiled(`(?i)\bfor the ([\pL-]+) (?:alone )?$`),
		compiled(`(?i)\b(?:the|a|my)\s+(deposit|rent|fee|fine)\s+of\s+$`),
		compiled(`(?i)^(?:the|my|our|a|der|die|das|unser|unsere|meine?)\s+([\pL-]+)\s+(?:costs?|kostet|is priced)\b`),
		compiled(`(?i)^(?:\pL+ing\s+)(?:the|our|all)\s+([\pL-]+)\s+(?:will|costs?|should)\b`),
		compiled(`(?i)^([\pL-]{4,})\s+(?:will cost|is going to cost|costs|kostet|wird\s[^.;!?]*kosten|dürfte\s[^.;!?]*kosten)\b`),
		compiled(`(?i)\b(?:invoice|rechnung|quote|angebot)\W+(?:no\.?\s*|nr\.?\s*)?([A-Z]{1,6}-?\d[\w-]*)\b`),
	}
	itemOfParty = compiled(`^([\pL-]{3,})\s(?:from|by|von|bei)\s\p{Lu}`) // "Küche von Holzwerk Nord: …"
	itemAfter   = []pattern{
		compiled(`(?i)^(?:\s(?:extra|more|on top))?\s+(?:on|for)\s+(?:the|our|my)\s+([\pL-]+)`),
		compiled(`(?i)^\s+(?:is |are |as )?(?:the )?(?:budget|estimate|quote) for (?:the |our )?([\pL-]+)`),
		compiled(`(?i)^\s+(?:das |als |ist |sind )*(?:budget|angebot) für(?:s| (?:die|den|das|unsere?n?)) ([\pL-]+)`),
		compiled(`(?i)^\s+for\s+(?:the|our|my)\s+([\pL-]+)`),
		compiled(`(?i)^\s+für(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
	}
)

// notItems follow "for the" and tell a time or a number.
var notItems = wordSet("corrected revised updated final new old total whole overall current monthly korrigierte neue alte gesamte one two three four five six seven eight nine ten first next last whole same week month year day hour rest time ersten nächsten letzten ganzen woche monat jahr tag rest")

func itemOf(before, after string) string {
	for _, re := range itemBefore {
		if m := re.FindStringSubmatch(before); m != nil && !notItems[lower(m[1])] {
			return m[1]
		}
	}
	if m := itemOfPaper.FindStringSubmatch(before); m != nil && !notItems[lower(m[1])] && !paperSorts[lower(m[1])] {
		return m[1]
	}
	for _, re := range itemAfter {
		if m := re.FindStringSubmatch(after); m != nil && !notItems[lower(m[1])] {
			return m[1]
		}
	}
	if what := compoundItem(before); what != "" {
		return what
	}
	if m := itemOfParty.FindStringSubmatch(before); m != nil && !notItems[lower(m[1])] && !paperSorts[lower(m[1])] &&
		!headings[lower(m[1])] {
		return m[1]
	}
	m := itemAnywhere.FindStringSubmatch(before)
	if m == nil || notItems[lower(m[1])] {
		return ""
	}
	return m[1]
}

// itemOfPaper is what a paper is called by, if that is no sort of paper.
var (
	itemOfPaper = compiled(`(?i)(?:\bthe|['’]s)\s+([\pL-]+)\s+(?:budget|quote|estimate|invoice|bid|offer)\b`)
	paperSorts  = wordSet("deposit advance balance second third interim progress official written formal own last late")
)

// headings begin a note and are nothing that is ordered.
var headings = wordSet("update news note info fyi done reminder question invoice bill quote offer estimate bid payment deposit refund " +
	"also ok okay erledigt notiz nachtrag angebot rechnung gutschrift zahlung anzahlung frage stand neu neues money cash budget")

// itemAnywhere is what something is for, anywhere before the amount.
var itemAnywhere = compiled(`(?i)^.*\s(?:for\s+(?:the|our)|für(?:s|\s+(?:die|den|das|unsere?n?)))\s+([\pL-]+)`)
