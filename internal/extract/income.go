package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/money"
)

const sumOfMoney = `(?P<x>(?:(?:about|around|roughly|almost|nearly|just over|just under|only|ca\.|etwa|rund|ungefähr|knapp|gut) )?[€$£]?(?:USD |EUR |CHF |GBP )?\d[\d.,]*(?:k| ?(?:thousand|tausend|grand))?(?:,-| ?(?:€|\$|£|euros?|dollars?|pounds?|francs?|Franken|EUR|USD|GBP|CHF|bucks)\b)?` +
	`(?:\s?(?:/|a|per|each|im|pro|jährlich|monatlich) ?(?:month|year|week|hour|annum|Monat|Jahr|Woche|Stunde|yr|mo|h)\b| (?:monthly|annually|yearly|gross|net|brutto|netto|jährlich|monatlich|im Monat|im Jahr))*)`

// What is said of a sum that takes the place of another.
const (
	englishRaised = `(?:raised|increased|upped|put|hiked|bumped|lowered|reduced|cut|dropped)`
	rentRaised    = `(?:(?:(?:my|our|the) (?:landlord|landlady|agency)|they|he|she|{Who})(?:'s|'ve| has| have| is| are)? {adv}(?:` + englishRaised + `|raising|increasing|putting up) (?:my|our|the) rent|` +
		`(?:my|our|the) rent (?:(?:'s|has|is|was|got|will|be|been|now|just|being|about to|going to|set to) )*(?:` + englishRaised + `|goes up|go up|went up|gone up|going up|rises?|rose|risen|drops?|fell|goes down|went down|gone down|jumped|climbed))(?: up| down)?(?: from [^,.;!?]{1,20}?)? to `
	salaryRaised = `(?:(?:my (?:boss|manager|company|employer)|they|we|I|{Who})(?:'s|'ve| has| have)? {adv}(?:` + englishRaised + ` (?:my|the) (?:salary|pay|wages?)|got (?:me )?a (?:pay |small |big |nice )?raise)|` +
		`my (?:salary|pay|wages?) (?:(?:'s|has|was|got|been|now|just) )*(?:` + englishRaised + `|went up|gone up|rose|jumped))(?: up| down)?(?: from [^,.;!?]{1,20}?)? to `
	germanRentRaised = `(?:(?:die|meine|unsere) (?:(?:Kalt|Warm)?miete|Miete)|(?:der|unser|mein) Vermieter hat (?:uns |mir )?(?:die|meine|unsere) (?:(?:Kalt|Warm)?miete|Miete)) (?:(?:ist|wurde|wird|steigt|stieg|sinkt|sank|jetzt|nun|ab \S+|zum \S+(?: \S+)?|von \S+(?: €| Euro)?) )*auf `
)

// incomeRules find income and the cost of living: a person's own money, not a project's.
var incomeRules = []rule{
	{id: "en.salary.1", triggers: "earn earns make makes", pattern: `{who} {adv}(?:earns?|makes?) ` + sumOfMoney, verb: "has_salary", check: isIncome},
	{id: "en.salary.2", triggers: "salary pay wage income", pattern: `my (?:(?:current|new|annual|yearly|monthly|base|starting|gross|net|hourly|take-home) )*(?:salary|pay|wage|income) (?:is|went up to|was raised to|comes to) (?:now )?` + sumOfMoney, verb: "has_salary", check: isIncome},
	{id: "en.rent.1", triggers: "rent mortgage", pattern: `(?:my|our) (?:(?:new|current|monthly) )*(?:rent|mortgage)(?: payment)? (?:is|went up to|was raised to|comes to) (?:now )?` + sumOfMoney, verb: "has_rent", check: isIncome},
	{id: "en.rent.2", triggers: "rent pay paying", pattern: `(?:I|we)(?:'m| am|'re| are)? {adv}pay(?:ing)? ` + sumOfMoney + ` (?:in |for )?(?:rent|our flat|my flat|our apartment|my apartment|my room)`, verb: "has_rent", check: isIncome},
	{id: "en.rent.3", triggers: "rent", pattern: rentRaised + sumOfMoney, verb: "has_rent", check: isIncome},
	{id: "en.salary.3", triggers: "salary pay wage wages raise", pattern: salaryRaised + sumOfMoney, verb: "has_salary", check: isIncome},
	{id: "en.debt.1", triggers: "owe owes loan debt", pattern: `{who}(?:'ve| have)? {adv}(?:owes?|(?:have|has|got) (?:a )?(?:student |car |bank )?(?:loan|debts?) (?:of|over)|(?:have|has)) ` + sumOfMoney + `(?: in| of)? (?:student loans?|student debt|debt|(?-i:to my [a-z]+))`, verb: "has_debt", check: isIncome},
	{id: "de.salary.1", triggers: "verdiene verdient", pattern: `(?:ich verdiene|verdiene ich|{who} verdient) {adv}(?:(?:im Monat|monatlich|im Jahr|jährlich|netto|brutto) )*` + sumOfMoney, verb: "has_salary", check: isIncome},
	{id: "de.salary.2", triggers: "gehalt lohn *gehalt einkommen", pattern: `mein (?:(?:neues|aktuelles|neuer|monatliches) )?(?:(?:Jahres|Monats|Brutto|Netto|Grund|Anfangs)?-?(?:Gehalt|gehalt)|Lohn|Stundenlohn|Einkommen) (?:ist|beträgt|liegt bei)(?: jetzt| nun)? ` + sumOfMoney, verb: "has_salary", check: isIncome},
	{id: "de.rent.1", triggers: "miete *miete kaltmiete warmmiete rate", pattern: `(?:meine|unsere) (?:neue )?(?:Kaltmiete|Warmmiete|Miete|Kreditrate|Hausrate) (?:ist|beträgt|liegt bei|kostet)(?: jetzt| nun)? ` + sumOfMoney, verb: "has_rent", check: isIncome},
	{id: "de.rent.4", triggers: "kostet", needs: "miete kaltmiete warmmiete kalt warm", pattern: `(?:meine|unsere) (?:neue )?(?:Wohnung|Bude|WG|Unterkunft) kostet (?:mich |uns |jetzt |nun )*` + sumOfMoney + ` ?€? (?:Miete|Kaltmiete|Warmmiete|kalt|warm|im Monat)`, verb: "has_rent", check: isIncome},
	{id: "de.rent.3", triggers: "miete *miete", pattern: germanRentRaised + sumOfMoney + ` ?€?(?: (?:erhöht|gestiegen|angehoben|gesenkt|gesunken|steigen|sinken)|[.,;!]|$)`, verb: "has_rent", check: isIncome},
	{id: "de.salary.3", triggers: "gehalt *gehalt lohn", pattern: `(?:mein (?:Gehalt|Lohn|Monatsgehalt|Jahresgehalt)) (?:(?:ist|wurde|wird|steigt|stieg|jetzt|nun|ab \S+|zum \S+(?: \S+)?|von \S+(?: €| Euro)?) )*auf ` + sumOfMoney + ` ?€?(?: (?:erhöht|gestiegen|angehoben|gesenkt|gekürzt)|[.,;!]|$)`, verb: "has_salary", check: isIncome},
	{id: "de.rent.2", triggers: "zahle zahlen", pattern: `(?:ich zahle|wir zahlen|zahle ich|zahlen wir) {adv}(?:im Monat |monatlich )?` + sumOfMoney + ` (?:kalt|warm|Kaltmiete|Warmmiete|Miete|für die (?:Wohnung|Miete))`, verb: "has_rent", check: isIncome},
}

var periods = []struct {
	named pattern
	unit  string
}{
	{compiled(`(?i)\b(?:a|per|each|im|pro)\s+(?:month|Monat)\b|/\s?(?:month|mo|Monat)\b|\bmonthly\b|\bmonatlich\b`),
		"month"},
	{compiled(`(?i)\b(?:a|per|each|im|pro)\s+(?:year|annum|Jahr)\b|/\s?(?:year|yr|Jahr)\b|\bannual(?:ly)?\b|\byearly\b|\bjährlich\b|\bJahresgehalt\b`), "year"},
	{compiled(`(?i)\b(?:a|per|each|pro|die)\s+(?:week|Woche)\b|\bweekly\b`), "week"},
	{compiled(`(?i)\b(?:an|per|each|pro|die)\s+(?:hour|Stunde)\b|/\s?(?:h|hr|hour|Stunde)\b|\bhourly\b|\bStundenlohn\b`), "hour"},
}

// makes is no word for income where no period is named: I make $5 candles.
var makes = compiled(`(?i)\bmakes?\s`)

// isIncome reads the amount and what it is paid for.
func isIncome(h *hit) bool {
	if h.Polarity == trilith.Negated || h.Certainty == trilith.Hedged {
		return false
	}
	l := money.English
	if h.rule.lang == german {
		l = money.German
	}
	n := h.rule.groups().x
	for _, a := range money.Find(h.sentence.text, l, "") {
		if a.End <= h.m[2*n] || a.Start >= h.m[2*n+1] || a.Currency == "" && !strings.Contains(lower(h.x), "k") {
			continue
		}
		f := trilith.Financial{Amount: a.Value.String(), Currency: a.Currency, Type: strings.TrimPrefix(h.Verb, "has_")}
		h.Financial = &f
		h.Node.Name = strings.TrimSpace(f.Amount + " " + f.Currency)
		for _, p := range periods {
			if p.named.MatchString(h.x) || p.named.MatchString(h.sentence.text[h.m[0]:h.m[2*n]]) {
				h.put("per", p.unit)
				h.Node.Name += " per " + p.unit
				break
			}
		}
		return h.Content["per"] != nil || !makes.MatchString(h.sentence.text[h.m[0]:h.m[1]])
	}
	return false
}
