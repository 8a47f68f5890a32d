package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/money"
)

// This file reads the money of a project: the kind of an amount by the words around it, and statements without an
// amount that something is paid or withdrawn. Amounts, parties and numbers are found by package money.

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
}

// findSums finds the amounts of the turn, and the products of quantities and rates, also with the turn before.
func (r *reader) findSums() {
	r.sums = r.sums[:0]
	if !r.turn.Project || !strings.ContainsAny(r.text, "0123456789") {
		return
	}
	found := money.FindBare(r.text, money.Lang(r.l.index), "")
	nameCurrency(found)
	used := map[money.Span]bool{}
	texts := []string{r.earlier, r.text}
	for _, c := range money.Calculate(money.Lang(r.l.index), "", texts...) {
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
	some := false
	for i := range r.sums {
		if a := &r.sums[i]; r.from <= a.first && a.first < r.to {
			some = true
			r.sum(a)
		}
	}
	if r.turn.Project && !some && !r.asked && r.turn.Role != trilith.RoleAssistant {
		r.settled()
	}
}

// sum adds the fact of an amount of the sentence, if it is one of the project.
func (r *reader) sum(a *sum) {
	if r.asked || r.tokens[a.first].quoted {
		return
	}
	start, end := r.quote(nil, match{})
	before, behind := r.text[start:max(start, a.Start)], r.text[min(a.End, end):min(max(a.next, a.End), end)]
	a.kind = r.kindOf(a, before)
	if _, apart := r.saying("none", a); apart || r.unstated(a) {
		return
	}
	by, charged := r.saying("rate", a)
	isRate := a.Per != "" && !lasting[a.Per] && !a.product && (charged || a.kind == money.Quote)
	if !isRate && a.kind == "" && !a.product {
		return
	}
	f := a.of
	f.Type = string(a.kind)
	content := map[string]any{}
	if isRate { // a price for a unit of work: there is no sum yet
		f.Type, f.Amount = "rate", ""
		name := strings.TrimSpace(f.Rate+" "+f.Currency) + " per " + f.Unit
		if f.Category = r.words(by.x); f.Category != "" {
			content["item"] = f.Category
			name += " for " + f.Category
		}
		r.addSum(Found{Rule: "money", Verb: "has_rate", Certainty: trilith.Stated, Financial: &f, Content: content}, name,
			money.Matter{})
		return
	}
	item := cmp.Or(a.item, r.itemOf(a))
	m := r.matterOf(a, before, behind)
	var name string
	name, f.Category = m.Named(strings.TrimSpace(f.Amount+" "+f.Currency), item)
	verb := "has_" + string(cmp.Or(a.kind, "cost"))
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
}

// kindOf returns the kind of an amount; "" if no word tells.
func (r *reader) kindOf(a *sum, before string) money.Kind {
	text := r.text
	for i := a.end; i < r.to; i++ { // a bill names the open rest after the payment
		if r.entryAt("less", i) > 0 {
			text = r.text[:r.tokens[i].start]
		}
	}
	kind := money.Classify(text, a.Amount, money.Lang(r.l.index))
	said, ok := r.saying("sum!", a)
	if !ok && (kind == "" || kind == money.Quote) {
		said, ok = r.saying("sum", a)
	}
	if ok {
		kind = money.Kind(said.kind)
	}
	party := money.About(before, "")
	named := party.Party != "" && party.Number == ""
	start, end := r.quote(nil, match{})
	switch {
	case kind == money.Invoice && money.Settles(text[start:max(start, min(end, len(text)))]),
		kind == "" && r.entryAt("yes", r.from) > 0 && money.Settles(r.earlier):
		return money.Payment
	case kind == "" && a.Approximate && (a.product || named):
		return money.Estimate
	case kind == "" && named:
		return money.Quote
	}
	return kind
}

// product writes out how a sum comes about, as callers read it.
func product(content map[string]any, f *trilith.Financial, item string) {
	if item != "" {
		content["material"] = item
	}
	for key, value := range map[string]string{"quantity": f.Quantity, "rate": f.Rate, "total": f.Amount} {
		if n, err := strconv.ParseFloat(value, 64); err == nil { // the details keep the exact decimals
			content[key] = n
		}
	}
	if f.Unit != "" {
		content["unit"] = f.Unit
	}
}

// unstated reports whether the words around an amount suppose or deny it, or are about somebody else's. A sum that
// somebody would spend is a budget, one that the work should cost an estimate, and one that another would take a
// price.
func (r *reader) unstated(a *sum) bool {
	clause, behind := a.first, a.end
	for clause > r.from && (!r.tokens[clause-1].mark || strings.Contains("-.:'’", r.tokens[clause-1].word)) {
		clause--
	}
	for behind < r.to && !r.tokens[behind].mark && !r.tokens[behind].is(andWord|turning) {
		behind++
	}
	isSelf := func(t token) bool { return t.word == r.l.self }
	wished := a.kind == money.Budget || a.kind == money.Estimate
	for i := r.from; i < r.to && (i < behind || r.tokens[i].start < a.next); i++ {
		t, inside := &r.tokens[i], i >= clause && i < behind
		switch {
		case r.entryAt("elsewhere", i) > 0, t.word == r.l.own && i+1 < r.to && r.near(&r.tokens[i+1]):
			return true
		case r.entryAt("wish", i) > 0:
			if i == r.from || inside && !wished && slices.ContainsFunc(r.tokens[max(r.from, i-3):min(r.to, i+3)], isSelf) {
				return true
			}
		case r.phraseAt(supposing, i) > 0 && r.doubt(i) == 0,
			t.is(notWord) && inside && i >= a.first-6:
			return true
		}
	}
	return false
}

// itemOf returns the purpose of an amount.
func (r *reader) itemOf(a *sum) string {
	for _, list := range []string{"item!", "item"} {
		said, ok := r.saying(list, a)
		if !ok {
			continue
		}
		r.until = nil
		from, to, _ := r.phrase(r.whole(0)[:said.x[1]], said.x[0])
		if r.l.code == "de" {
			from = max(from, to-1) // the noun
		}
		if w := r.words([2]int{from, to}); w != "" && r.entryAt("noitem", to-1) == 0 && !r.tokens[from].digit {
			return w
		}
	}
	for i := r.from; i < a.first; i++ { // "Küchenbudget"
		t := &r.tokens[i]
		if stem, ok := strings.CutSuffix(t.word, "budget"); ok && len(stem) > 3 && r.entryAt("noitem", i) == 0 {
			return strings.TrimRight(r.text[t.start:t.end-len("budget")], "ns-")
		}
	}
	return ""
}

// matterOf returns the matter of an amount. An answer is about the party that the question names; a budget has no
// party.
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

// certainty is how certain an amount is: a payment that is due is not paid.
func (r *reader) certainty(a *sum) trilith.Certainty {
	end := a.end
	for end < r.to && r.tokens[end].start < a.next {
		end++
	}
	_, promised := r.saying("promised", a)
	later := promised || r.anyListed("intend", r.from, end)
	switch {
	case later && (a.kind == money.Payment || a.kind == money.Refund || a.kind == money.CreditNote):
		return trilith.Planned
	case r.anyListed("doubtful", r.from, a.end), a.kind != money.Estimate && r.anyListed("opinion", r.from, a.end):
		return trilith.Hedged
	}
	return trilith.Stated
}

// settled adds that a paper is paid or withdrawn, if the sentence says so. It is named by its number, its party or its
// item.
func (r *reader) settled() {
	said, ok := r.saying("paper", nil)
	if !ok {
		return
	}
	clause := said.from
	for clause > r.from && !r.tokens[clause-1].mark {
		clause--
	}
	for i := clause; i < said.to; i++ {
		if r.tokens[i].is(notWord) || r.phraseAt(supposing, i)+r.entryAt("intend", i)+r.doubt(i) > 0 {
			return
		}
	}
	words, head := r.words(said.x), &r.tokens[said.x[0]]
	m := money.About(words+" ", "")
	if strings.ContainsAny(words, "0123456789") && !strings.Contains(words, " ") {
		m.Number = cmp.Or(m.Number, words)
	}
	f := Found{Rule: "settled", Verb: "has_invoice", Ends: true, Content: map[string]any{}, Certainty: trilith.Stated}
	item := ""
	switch said.kind {
	case "before": // "That's paid."
		m = money.About(r.earlier+" ", "")
	case "change_order", "quote":
		f.Rule, f.Verb = "dropped", "has_"+said.kind
		start, end := r.quote(nil, match{})
		if m.Party = cmp.Or(m.Party, money.About(r.text[start:end]+" ", "").Party); m.Party == "" && head.upper {
			m.Party = words
		}
	case "item":
		if r.entryAt("noitem", said.x[1]-1) == 0 {
			item, f.Content["item"] = words, words
		}
	case "party":
		if head.is(stopWord|pronoun) || r.entryAt("nobody", said.x[0]) > 0 {
			return
		}
		if m.Number == "" && m.Party == "" {
			m.Party = strings.TrimSuffix(strings.TrimSuffix(words, "'s"), "’s")
		}
	}
	if m.Number != "" || m.Party != "" || item != "" {
		said, _, _ := strings.Cut(loaded().verbs[f.Verb].say[r.l.index][0], ":")
		if r.l.code == "en" {
			said = strings.ToLower(said)
		}
		name, _ := m.Named(said, item)
		r.addSum(f, name, m)
	}
}

// doubt returns how many words of doubt begin at i.
func (r *reader) doubt(i int) int { return r.entryAt("doubtful", i) + r.entryAt("opinion", i) }

// words are the words of tokens, without an article.
func (r *reader) words(x [2]int) string {
	for x[0] < x[1] && r.tokens[x[0]].is(articleWord|definite|pronoun) {
		x[0]++
	}
	if x[0] >= x[1] {
		return ""
	}
	return strings.Trim(r.text[r.tokens[x[0]].start:r.tokens[x[1]-1].end], " .,:;")
}

// differing is the factor for the confidence in a sum whose total is not quantity × rate: one of the three is wrong.
const differing = 0.7

// addSum adds a fact about money with the known details of its matter.
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
