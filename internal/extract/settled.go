package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/money"
)

// paperNumber is a number that tells by its form that it is one of a paper: RE-7710, 26-041.
const paperNumber = `(?-i:(?:\p{Lu}{1,6}[-/])+\d[\w/-]*|\d{2,6}[-/]\d[\w/-]*)`

// settledRules find that a paper is paid: which one it is, and not how much.
var settledRules = []rule{
	{id: "en.settled.1", triggers: "paid settled cleared sent transferred wired out through off", pattern: `^(?:(?:and|ok|okay|so|update)[, ]+)*(?:the |our |my )?(?P<x>(?:[\pL&.\x27’-]+ ){0,3}?(?:invoice|bill)\b.{0,60}?|{paper}) (?:(?:is|was|has been|got|have been) (?:now |finally |already |fully |just )*(?:paid|settled|cleared|sent|transferred|wired)|(?:went|has gone|is|has now gone) (?:out|through|off))\b`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "en.settled.2", triggers: "paid settled cleared", pattern: `(?:^|(?:we|I|they|{Who})(?:'ve| have| has)? {adv})(?:just )?(?:paid|settled|cleared)(?: off)? (?:the |our |my )?(?P<x>(?:[\pL&.\x27’-]+ ){0,3}?(?:invoice|bill)\b.{0,60}?)(?:[.!;]|$|, | (?:today|yesterday|on|last|this|in full|and)\b)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.1", triggers: "bezahlt beglichen überwiesen angewiesen raus", pattern: `^(?:(?:und|also|ok)[, ]+)*(?:die |unsere |meine )?(?P<x>(?:[\pL&.\x27’-]+ )?(?-i:[\pL]*[Rr]echnung)\b.{0,60}?|{paper}|\d{2,8}) (?:ist|wurde|sind) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern|komplett|vollständig) )*(?:bezahlt|beglichen|überwiesen|angewiesen|raus)\b`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.7", triggers: "bezahlt beglichen überwiesen angewiesen", pattern: `^(?:(?:und|also|ok)[, ]+)*(?:die |unsere )?(?P<x>(?-i:[\pL]*[Rr]echnung)\b.{0,60}?) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern|komplett|vollständig) )*(?:bezahlt|beglichen|überwiesen|angewiesen)[.!]*$`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.2", triggers: "bezahlt beglichen überwiesen", pattern: `(?:wir haben|ich habe|haben wir|habe ich) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:die |unsere |meine )?(?P<x>(?-i:[\pL]*[Rr]echnung)\b.{0,60}?) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:bezahlt|beglichen|überwiesen)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.3", triggers: "bezahlt beglichen überwiesen", pattern: `^(?:(?:und|also|ok)[, ]+)*(?:die )?(?P<x>(?-i:[\pL]*[Rr]echnung)\b.{0,60}?|{paper}) (?:habe ich|haben wir|habe|haben) (?:(?:jetzt|nun|endlich|schon|bereits|heute|gestern) )*(?:bezahlt|beglichen|überwiesen)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
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
	{id: "en.settled.3", triggers: "paid settled cleared sent wired", pattern: `^(?:(?:and|ok|okay|so|done|just|have|also|yes)[,: ]+)*(?:(?:I|we)(?:'ve| have)? (?:just |now )?)?(?:paid|settled|cleared|sent|wired) (?P<x>{paper})(?:[.!;,]|$| (?:today|yesterday|on|last|this|in full|and|as well)\b)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "en.settled.9", triggers: "paid settled cleared", pattern: `^(?:(?:and|ok|okay|so|update)[, ]+)*(?:the |our |my )?(?P<x>[\pL&.\x27’ -]{2,40} (?:invoice|bill))[:,]? (?:now |finally |already |fully )*(?:paid|settled|cleared)[.!]*$`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "en.settled.4", triggers: "paid settled cleared done sent sorted", pattern: `^(?P<x>{paper})[:,]? (?:is |has been |was )?(?:paid|settled|cleared|done|sent|sorted)\b`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
	{id: "de.settled.4", triggers: "bezahlt beglichen überwiesen angewiesen", pattern: `^(?:(?:und|also|ok)[, ]+)*(?P<x>{paper})[:,]? (?:(?:habe?|haben) (?:ich|wir) )?(?:\pL+ ){0,2}(?:bezahlt|beglichen|überwiesen|angewiesen)`, verb: "has_invoice", check: isSettled, subject: ProjectSubject, ends: true},
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
	if strings.Trim(text, "0123456789-/") == "" {
		m.Number = text
	}
	return h.settles(m)
}

// isItemSettled names the paper by what it is for.
func isItemSettled(h *hit) bool {
	item := lower(h.x)
	if !h.turn.Project || notPaid[item] || notItems[item] || paperSorts[item] || wasDenied(h) {
		return false
	}
	h.Subject, h.Name = ProjectSubject, ""
	h.put("item", h.x)
	h.Node.Name, _ = money.Matter{}.Named([2]string{"invoice", "Rechnung"}[h.rule.lang], h.x)
	return true
}

// isSettledAsSaid names the paper that the turn before is about: an invoice that it names by its number or its party.
func isSettledAsSaid(h *hit) bool {
	if !h.turn.Project || h.previous == nil {
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
