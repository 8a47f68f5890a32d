package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/money"
)

// This file reads the money of a project: what an amount is by the words around it, and what is said to be paid or
// withdrawn without one. Amounts, parties and numbers are found by package money.

// sumOf is the verb of each kind of money; any other kind is a cost.
var sumOf = map[money.Kind]string{money.Estimate: "has_estimate", money.Quote: "has_quote",
	money.ChangeOrder: "has_change_order", money.HardCost: "has_hard_cost", money.Invoice: "has_invoice",
	money.Payment: "has_payment", money.Budget: "has_budget", money.CreditNote: "has_credit_note",
	money.Refund: "has_refund", "": "has_cost"}

// lasting are the units of recurring payments: the rent of a month is a cost, not a rate.
var lasting = map[money.Unit]bool{"month": true, "year": true, "week": true}

// A sum is an amount in the turn, with its tokens.
type sum struct {
	money.Amount
	of         trilith.Financial
	item       string // the counted things of a quantity
	product    bool   // it is, or comes from, quantity × rate
	first, end int    // tokens
	last, next int    // bytes: where the amount before ends, and the next one begins
	kind       money.Kind
	before     money.Kind // of the amount before in the sentence
}

func (r *reader) moneyLang() money.Lang { return money.Lang(r.l.index) }

// findSums finds the amounts of the turn, and the products of quantities and rates, also with the turn before.
func (r *reader) findSums() {
	r.sums = r.sums[:0]
	if !r.turn.Project || !strings.ContainsAny(r.text, "0123456789") {
		return
	}
	found := money.FindBare(r.text, r.moneyLang(), "")
	nameCurrency(found)
	used := map[money.Span]bool{}
	texts := []string{r.earlier, r.text}
	for _, c := range money.Calculate(r.moneyLang(), "", texts...) {
		a := sum{Amount: c.Rate, product: true}
		if c.Check != money.Unchecked {
			a.Amount = c.Total
		} else {
			a.Value = c.Product
		}
		if a.Text != 1 {
			continue
		}
		used[c.Rate.Span], used[c.Total.Span] = true, true
		a.Approximate = a.Approximate || c.Rate.Approximate
		a.of = trilith.Financial{Amount: a.Value.String(), Currency: c.Rate.Currency, Quantity: c.Quantity.Value.String(),
			Unit: string(c.Rate.Per), Rate: c.Rate.Value.String()}
		if c.Check != money.Unchecked {
			a.of.Check = c.Check.String()
		}
		if thing, ok := strings.CutPrefix(texts[c.Quantity.Text][c.Quantity.End:], " of "); ok {
			a.item = strings.TrimRight(strings.Fields(thing + " ")[0], ".,;:!?")
		}
		r.sums = append(r.sums, a)
	}
	for _, a := range found {
		a.Text = 1
		if used[a.Span] {
			continue
		}
		s := sum{Amount: a, of: trilith.Financial{Amount: a.Value.String(), Currency: a.Currency}}
		if a.Per != "" {
			s.of.Rate, s.of.Unit = s.of.Amount, string(a.Per)
		}
		r.sums = append(r.sums, s)
	}
	slices.SortStableFunc(r.sums, func(a, b sum) int { return a.Start - b.Start })
	r.withTax()
	r.place()
}

// nameCurrency gives amounts that name no currency the one that all others name.
func nameCurrency(all []money.Amount) {
	only := ""
	for _, a := range all {
		if only = cmp.Or(only, a.Currency); a.Currency != "" && a.Currency != only {
			return
		}
	}
	for i := range all {
		all[i].Currency = only
	}
}

// withTax keeps, of a price that is given without its tax and with it, the one to be paid.
func (r *reader) withTax() {
	tax := func(list string, from, to int) bool {
		gap := func(c rune) bool { return strings.ContainsRune(" (),.;=/", c) }
		return slices.ContainsFunc(strings.FieldsFunc(r.text[from:min(to, len(r.text))], gap),
			func(w string) bool { return r.l.list(list).has(foldWord(w)) })
	}
	const far = 40 // bytes
	for i := 0; i+1 < len(r.sums); i++ {
		a, b := &r.sums[i], &r.sums[i+1]
		switch {
		case a.Currency != b.Currency || b.Start-a.End > far || b.Start < a.End:
		case tax("net", a.End, b.Start) && tax("gross", b.End, b.End+far/2):
			b.Start = a.Start
			r.sums = slices.Delete(r.sums, i, i+1)
		case tax("gross", a.End, b.Start) && tax("net", b.End, b.End+far/2):
			a.End = b.End
			r.sums = slices.Delete(r.sums, i+1, i+2)
		}
	}
}

// place gives each amount its tokens and the bounds of its neighbours.
func (r *reader) place() {
	k := 0
	for i := range r.sums {
		a := &r.sums[i]
		for k < len(r.tokens) && r.tokens[k].end <= a.Start {
			k++
		}
		a.first, a.end, a.next = k, k, len(r.text)
		for a.end < len(r.tokens) && r.tokens[a.end].start < a.End {
			a.end++
		}
		if i > 0 {
			a.last, r.sums[i-1].next = r.sums[i-1].End, a.Start
		}
	}
}

// money reads the amounts of the sentence; if there is none, whether it says that something is paid or withdrawn.
func (r *reader) money() {
	before, some := money.Kind(""), false
	for i := range r.sums {
		a := &r.sums[i]
		if a.first < r.from || a.first >= r.to {
			continue
		}
		some, a.before = true, before
		if r.addAmount(a) {
			before = a.kind
		}
	}
	if r.turn.Project && !some && !r.asked && r.turn.Role != trilith.RoleAssistant {
		r.settled()
	}
}

// addAmount adds what an amount of the sentence is, and reports whether it is one of the project.
func (r *reader) addAmount(a *sum) bool {
	if r.asked || r.tokens[a.first].quoted || r.compared(a) {
		return false
	}
	start, end := r.quote(nil, match{})
	before, behind := r.text[start:max(start, a.Start)], r.text[min(a.End, end):min(max(a.next, a.End), end)]
	if a.kind = r.kindOf(a, before); a.kind == "" && !a.product || r.unstated(a) {
		return false
	}
	f, item, content := a.of, cmp.Or(a.item, r.itemOf(a)), map[string]any{}
	m := r.matterOf(a, before, behind)
	if a.Per != "" && !lasting[a.Per] && !a.product && a.kind != money.Payment && a.kind != money.HardCost {
		return r.rate(&f, cmp.Or(item, m.Party), content)
	}
	f.Type = string(a.kind)
	var name string
	name, f.Category = m.Named(strings.TrimSpace(f.Amount+" "+f.Currency), item)
	verb := sumOf[a.kind]
	if f.Category != "" {
		content["item"] = f.Category
		if a.kind == money.Budget {
			verb = "budget_for_" + slug(f.Category)
			if m.Part != "" && f.Category != m.Part {
				verb += "_" + slug(m.Part)
			}
		}
	}
	if a.product && f.Quantity != "" {
		product(content, &f, item)
	}
	r.addSum(Found{Rule: "money", Verb: verb, Certainty: r.certainty(a), Financial: &f, Content: content,
		RequiresAction: a.kind == money.Invoice}, name, m)
	return true
}

// differing is the factor for the confidence in a sum whose total is not quantity × rate: one of the three is wrong.
const differing = 0.7

// addSum adds a fact about money with what is known of its matter.
func (r *reader) addSum(f Found, name string, m money.Matter) {
	verb := f.Verb
	if strings.HasPrefix(verb, "budget_") {
		verb = "budget_"
	}
	def := loaded().verbs[verb]
	f.Turn, f.Rule, f.Subject = r.index, r.l.code+"."+f.Rule+".1", ProjectSubject
	f.Start, f.End = r.quote(nil, match{})
	f.Type, f.Single, f.Node = def.Type, def.Single, trilith.Node{Type: def.Node, Name: name}
	f.Polarity, f.Priority = trilith.Affirmed, trilith.PriorityNormal
	if f.Ends {
		f.Polarity = trilith.Negated
	}
	f.Confidence = def.weight * certaintyWeight[f.Certainty]
	if f.Financial != nil && f.Financial.Check == money.Differs.String() {
		f.Confidence *= differing
	}
	for k, v := range m.Details() {
		f.Content[k] = v
	}
	f.Summary = r.sentenceFor(&f, verb, who{known: true})
	if len(f.Content) == 0 {
		f.Content = nil
	}
	r.found = append(r.found, f)
}

// rate adds a price for a unit of work: there is no sum yet.
func (r *reader) rate(f *trilith.Financial, by string, content map[string]any) bool {
	f.Type, f.Amount = "rate", ""
	name := strings.TrimSpace(f.Rate+" "+f.Currency) + " per " + f.Unit
	if by != "" {
		f.Category, content["item"] = by, by
		name += " for " + by
	}
	r.addSum(Found{Rule: "money", Verb: "has_rate", Certainty: trilith.Stated, Financial: f, Content: content}, name,
		money.Matter{})
	return true
}

// product writes out how a sum comes about, as callers read it.
func product(content map[string]any, f *trilith.Financial, item string) {
	if item != "" {
		content["material"] = item
	}
	for key, value := range map[string]string{"quantity": f.Quantity, "rate": f.Rate, "total": f.Amount} {
		if n, err := strconv.ParseFloat(value, 64); err == nil { // exactly they are beside it
			content[key] = n
		}
	}
	if f.Unit != "" {
		content["unit"] = f.Unit
	}
}

// unstated reports whether the words around an amount suppose or deny it, or are about somebody else's. What somebody
// would spend is a budget, what it should come to an estimate, and what another would take is a price.
func (r *reader) unstated(a *sum) bool {
	clause, behind := a.first, a.end
	for clause > r.from && (!r.tokens[clause-1].mark || strings.Contains("-.:'’", r.tokens[clause-1].word)) {
		clause--
	}
	for behind < r.to && !r.tokens[behind].mark && !r.tokens[behind].is(andWord|turning) {
		behind++
	}
	wished := a.kind == money.Budget || a.kind == money.Estimate
	for i := r.from; i < r.to && (i < behind || r.tokens[i].start < a.next); i++ {
		t, inside := &r.tokens[i], i >= clause && i < behind
		switch {
		case r.entryAt("elsewhere", i) > 0, t.word == r.l.own && i+1 < r.to && r.near(&r.tokens[i+1]):
			return true
		case r.entryAt("wish", i) > 0:
			if i == r.from || inside && !wished && r.bySelf(i) {
				return true
			}
		case r.phraseAt(supposing, i) > 0 && r.entryAt("doubtful", i)+r.entryAt("opinion", i) == 0,
			t.is(notWord) && inside && i >= a.first-6:
			return true
		}
	}
	return false
}

// bySelf reports whether the speaker is named near the wish at i.
func (r *reader) bySelf(i int) bool {
	return slices.ContainsFunc(r.tokens[max(r.from, i-3):min(r.to, i+3)], func(t token) bool { return t.word == r.l.self })
}

// told returns the kind of the phrase about an amount that reaches farthest, of those of a way; "" if there is none.
func (r *reader) told(w way, a *sum) money.Kind {
	r.sum = a
	defer func() { r.sum = nil }()
	head, far, verb := r.openers(r.from), 0, ""
	for i := max(r.from, a.first-reach); i <= a.first; i++ {
		for _, root := range []*node{r.l.roots[w], r.l.roots[w].next["^"]} {
			if root == nil || root != r.l.roots[w] && i != r.from && i != head {
				continue
			}
			if m, ok := r.find(root, r.whole(i)[:r.to-i], first); ok && i+m.end > far {
				verb, far = m.ends[0].slot.verb, i+m.end
			}
		}
	}
	for kind, of := range sumOf {
		if of == verb {
			return kind
		}
	}
	return ""
}

// reach is how many tokens before an amount a phrase about it may begin.
const reach = 12

// kindOf is what an amount is; "" if no word tells.
func (r *reader) kindOf(a *sum, before string) money.Kind {
	text := r.text
	for i := a.end; i < r.to; i++ { // a bill says what is left after what was paid
		if r.entryAt("less", i) > 0 {
			text = r.text[:r.tokens[i].start]
		}
	}
	kind := money.Classify(text, a.Amount, r.moneyLang())
	if strong := r.told(sumSurely, a); strong != "" {
		kind = strong
	} else if kind == "" || kind == money.Quote {
		kind = cmp.Or(r.told(sumMaybe, a), kind)
	}
	party := money.About(before, "")
	named := party.Party != "" && party.Number == ""
	start, end := r.quote(nil, match{})
	switch {
	case kind == money.Invoice && money.Settles(r.text[start:max(start, min(end, len(text)))]),
		kind == "" && r.entryAt("yes", r.from) > 0 && money.Settles(r.earlier):
		return money.Payment
	case kind == "" && a.before != "" && r.tokens[max(0, a.first-1)].is(andWord):
		return a.before
	case kind == "" && a.Approximate && (a.product || named):
		return money.Estimate
	case kind == "" && named:
		return money.Quote
	}
	return kind
}

// compared reports whether an amount only says how far another one is: "400 euros above", "at most 300".
func (r *reader) compared(a *sum) bool {
	return r.entryAt("compared", a.end) > 0 || r.entryBefore("limit", a.first) || r.entryAt("each", a.first-2) > 0
}

// entryBefore reports whether an entry of a list ends before the token i, words such as "about" aside.
func (r *reader) entryBefore(name string, i int) bool {
	for i > r.from && r.entryAt("about", i-1) > 0 {
		i--
	}
	for k := max(r.from, i-3); k < i; k++ {
		if n := r.entryAt(name, k); n > 0 && k+n == i {
			return true
		}
	}
	return false
}

// certainty is how certain an amount is: what is to be paid is not paid.
func (r *reader) certainty(a *sum) trilith.Certainty {
	end := a.end
	for end < r.to && r.tokens[end].start < a.next {
		end++
	}
	switch later := a.kind == money.Payment || a.kind == money.Refund || a.kind == money.CreditNote; {
	case later && r.anyListed("intend", r.from, end):
		return trilith.Planned
	case r.anyListed("doubtful", r.from, a.end), a.kind != money.Estimate && r.anyListed("opinion", r.from, a.end):
		return trilith.Hedged
	}
	return trilith.Stated
}

// itemOf is what an amount is for: what has a price or a paper, "the kitchen budget", or follows "for".
func (r *reader) itemOf(a *sum) string {
	for i := r.from; i < a.first; i++ {
		if i == r.openers(r.from) || r.tokens[i].is(articleWord|definite) || r.tokens[i].word == r.l.own {
			if w := r.itemAt(i, true); w != "" {
				return w
			}
		}
	}
	for i := min(r.to, a.end+4) - 1; i >= r.from; i-- {
		if r.entryAt("purpose", i) > 0 && r.tokens[i].start < a.next {
			if w := r.itemAt(i+1, false); w != "" {
				return w
			}
		}
	}
	return ""
}

// itemAt returns the noun phrase at i; if priced, only what comes before a word for a paper or a price there. A name
// without an article is a party.
func (r *reader) itemAt(i int, priced bool) string {
	r.until = nil
	from, to, _ := r.phrase(r.whole(0)[:r.to], i)
	end := from
	for end < to && !r.tokens[end].digit && r.entryAt("price", end) == 0 {
		end++
	}
	if from >= end || priced && r.entryAt("price", end) == 0 {
		return ""
	}
	if r.l.code == "de" {
		from = end - 1 // the noun
	}
	e, _ := r.timeAt(r.whole(0), from)
	last, said := &r.tokens[end-1], r.said(r.whole(0), from, end)
	if stem, ok := strings.CutSuffix(last.word, "budget"); ok && len(stem) > 3 { // "Küchenbudget"
		return strings.TrimRight(said[:len(said)-len("budget")], "ns-")
	}
	if e != nil || r.entryAt("noitem", end-1) > 0 || last.is(spanning) || strings.ContainsAny(said, "0123456789") ||
		r.l.code == "en" && from == i && r.tokens[from].upper {
		return ""
	}
	return said
}

// matterOf is what an amount belongs to. An answer is about the party that the question names; a budget is nobody's.
func (r *reader) matterOf(a *sum, before, behind string) money.Matter {
	m := money.About(before, behind)
	if a.last > r.tokens[r.from].start && a.last <= a.Start { // of several amounts each has its own
		own := money.About(strings.TrimLeft(r.text[a.last:a.Start], " ,;"), behind)
		m.Number, m.Party = cmp.Or(own.Number, m.Number), cmp.Or(own.Party, m.Party)
	}
	switch {
	case a.kind == money.Budget:
		m.Party = ""
	case m.Party == "" && strings.HasSuffix(strings.TrimSpace(r.earlier), "?"):
		m.Party = money.Topic(r.earlier)
	case m.Party == "" && r.from > 0:
		i := r.from - 1
		for i > 0 && !(r.tokens[i-1].mark && r.l.ends(r.tokens, i-1)) {
			i--
		}
		m.Party = money.TopicBefore(r.text[r.tokens[i].start:r.tokens[r.from-1].end])
	}
	return m
}

// settled adds that a paper is paid or withdrawn, if the sentence says so. It is named by its number, its party or what it
// is for.
func (r *reader) settled() {
	start, end := r.quote(nil, match{})
	text, i := r.text[start:end], r.openers(r.from)
	m, kind, at := money.About(text+" ", ""), money.Invoice, r.paid(i)
	if i < r.to && r.tokens[i].digit && m.Number == "" {
		m.Number = r.said(r.whole(0), i, i+1)
	}
	for k := i; k < r.to; k++ {
		if n := r.entryAt("dropped", k); n > 0 {
			paper := money.Amount{Span: money.Span{Start: r.tokens[k].start - start, End: r.tokens[k+n-1].end - start}}
			kind, at = money.Classify(text, paper, r.moneyLang()), k
			if kind == "" && k == i+1 { // "Brightsign cancelled on us"
				kind = money.Quote
			}
		}
		if at < 0 && (m.Number != "" || r.tokens[i].is(pronoun) && r.tokens[i].word != r.l.self) && r.entryAt("gone", k) > 0 {
			at = k
		}
	}
	if at < 0 || kind != money.Invoice && kind != money.Quote && kind != money.ChangeOrder || r.unsettled(at) {
		return
	}
	item, head := "", &r.tokens[i]
	switch {
	case m.Number != "" || m.Party != "":
	case head.is(pronoun) && head.word != r.l.self: // "That's paid."
		m = money.About(r.earlier+" ", "")
	case r.isName(head) && !head.is(definite|articleWord) && !r.l.list("stands").has(head.word):
		m.Party = money.TopicBefore(text)
	case head.word == r.l.self || at == i:
		if _, to, _ := r.phrase(r.whole(0)[:r.to], at+1); to == r.to || r.tokens[to].mark {
			item = r.itemAt(at+1, false)
		}
	default:
		item = r.itemAt(i, false)
	}
	if m.Number == "" && m.Party == "" && item == "" {
		return
	}
	f := Found{Rule: "settled", Verb: sumOf[kind], Ends: true, Content: map[string]any{}, Certainty: trilith.Stated}
	if item != "" {
		f.Content["item"] = item
	}
	paper := strings.TrimSuffix(loaded().verbs[f.Verb].say[r.l.index][0], ": *.")
	if r.l.code == "en" {
		paper = strings.ToLower(paper)
	}
	name, _ := m.Named(paper, item)
	r.addSum(f, name, m)
}

// unsettled reports whether the clause around a word for a payment denies, supposes or only intends it.
func (r *reader) unsettled(at int) bool {
	for i := at; i >= r.from && !(i < at && r.tokens[i].mark); i-- {
		if r.tokens[i].is(notWord) || r.phraseAt(supposing|reporting, i) > 0 ||
			r.entryAt("intend", i)+r.entryAt("doubtful", i)+r.entryAt("opinion", i) > 0 {
			return true
		}
	}
	return false
}

// paid returns the place of a word for a payment that ends its clause or is said by who paid, since a habit is none; or -1.
// The clause begins at token head.
func (r *reader) paid(head int) int {
	for i := head; i < r.to; i++ {
		if !money.Settles(r.text[r.tokens[max(r.from, i-2)].start:r.tokens[i].end]) {
			continue
		}
		end := i + 1
		for end < r.to && (r.tokens[end].is(adverb) || r.entryAt("wholly", end) > 0) {
			end++
		}
		if end == r.to || r.tokens[end].mark || i == head || r.tokens[head].is(auxiliary) || r.tokens[head].word == r.l.self {
			return i
		}
		break
	}
	return -1
}
