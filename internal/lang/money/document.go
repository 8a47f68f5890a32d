package money

import (
	"cmp"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Matter is what tells one sum from another of the same amount: the paper that it is on, the other party, and the
// part of the work that it is for.
type Matter struct {
	Number string // of the invoice, quote or change order: 4411
	Party  string // the party that offers, bills or is paid: Roof & Co
	Part   string // phase 2, lot B
	Share  string // of several payments of one invoice: second instalment
}

func expression(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

const (
	// company is a name of one or a few words with capitals.
	namePart = `\p{Lu}[\pL&.-]+`
	company  = `\p{Lu}[\pL\pN&.’'-]*(?:\s(?:&|and|und|of)\s\p{Lu}[\pL\pN.’'-]*|\s\p{Lu}[\pL\pN&.’'-]*)*`
	paper    = `(?:invoices?|bill|quote|quotation|offer|bid|estimate|proposal|change order|credit note|deposit|rechnung|angebot|kostenvoranschlag|nachtrag|gutschrift|offerte|\pL+rechnung|anzahlung)`
	dealing  = `(?i:offers?|offered|quotes?|quoted|bids?|bills?|billed|invoiced?|invoices|charges?|charged|asks?|asked|sent|sends|estimates?|estimated|demands?|invoice|quote|bid|offer|bill|estimate|` +
		`came back|credited|credits|möchte|wollen|want|bietet|bot|verlangt|verlangte|berechnet|berechnete|stellt|stellte|schätzt|schätzte|schickt|schickte|fordert|nimmt|wants?|wanted|billed|needs?|gave|issued|refunded|got|gets|made|makes|` +
		`(?:is|are) at|lieg(?:t|en) bei|bieten|verlangen|schicken|stellen|braucht|brauchen|gewährt|erstattet|schreibt|bekommt|bekam|` +
		`puts?|(?:is|are) (?:asking|charging)|(?:war|waren|was|were) (?:mit|with|at|bei)|knocks?|knocked|raised|erlässt|erließ|says?|said|sagt|sagen|takes?|took|nahm|nehmen|adds?|added|finished and billed|comes? in at|came in at|supplies|supply|installs?|` +
		`(?:macht|machen|baut|bauen|liefert|liefern|übernimmt|verlegt|streicht|does|do|builds?)\s(?-i:\p{Ll})\pL*|rechnet|rechnete)`
)

var (
	numbered = expression(`(?i)\b(?:` + paper +
		`\s*(?:no\.?|nr\.?|number|nummer|#)\s*#?|(?:invoice|change order|credit note|nachtrag|rechnung|\pL+rechnung)\s)\s*([A-Z]{0,6}[-/]?\d[\w/-]*)`)
	// coded is a number that tells by its form that it is one: RE-7710. Labelled is one by the word before it.
	coded    = expression(`(?:^|[^\pL\pN/-])((?:\p{Lu}{1,6}[-/]){1,3}\d[\pL\pN/-]*)`)
	labelled = expression(`(?i)(?:^|[^\pL])(?:\pL*nummer|number|ref(?:erence|erenz)?\.?|nr\.|no\.)[\s:]*#?((?:[A-Z]{1,6}[-/]?)?\d[\w/-]{2,})`)
	// shares tell equal payments of one invoice apart.
	shares = expression(`(?i)(?:^|[^\pL])(?:first|second|third|fourth|fifth|sixth|last|final|erste|zweite|dritte|vierte|fünfte|sechste|letzte|\d{1,2}(?:\.|st|nd|rd|th))\s(?:instal?lment|part payment|rate|teilzahlung|abschlagszahlung|ratenzahlung|half|hälfte|abschlag)\b|(?:^|[^\pL])(?:remaining|remainder|restzahlung|restbetrag|restliche[nrs]?)(?:[^\pL]|$)`)
	// numberBehind is what an amount is followed by where the paper was named before: 5,870 EUR, no. NT-1
	numberBehind = expression(`^\s*[,(]?\s*(?i:` + paper + `\s*)?(?i:no\.?|nr\.?|number|nummer|#)\s*((?i:[A-Z]{0,6})[-/]?\d[\w/-]*)`)
	parts        = expression(`(?i)\b((?:phase|lot|stage|section|block|sprint|los|bauabschnitt|abschnitt|gewerk|etappe)\s(?:\d{1,3}[a-z]?|[A-Z]|[IVX]{1,4}|one|two|three|four|five|eins|zwei|drei|vier|fünf))\b`)
	sender       = expression(`\b(?i:` + paper +
		`)(?:\s*(?i:no\.?|nr\.?|number|nummer)?\s*#?\s*(?i:[A-Z]{0,6}[-/]?)\d[\w/-]*)?,?\s+(?i:from|by|of|von|vom|der firma|der fa\.|fa\.)\s+(?i:the\s+|der\s+|dem\s+)?(?i:firma\s+|fa\.\s+)?(` + company + `)`)
	// headed is a note that begins with the paper and whose it is: "Schlussrechnung Auer: 10.000 Euro"
	headed   = expression(`^(?i:` + paper + `)\s(` + company + `):`)
	receiver = expression(`\b(?i:pay|paid|paying|wired|sent|gave|owe|owes|zahlen|bezahlen|überwiesen|zahlten)\s+(?i:the\s+|an\s+)?(` +
		company + `)\s+(?i:(?:the|our|their|remaining|outstanding|full|whole|rest|other|first|second|last|of)\s+)*$`)
	// payee and biller are in sentences of which the verb follows the amount.
	payee = expression(`(?:^|\s)(?:(?i:habe|haben|hat|wir|ich|an)\s+)+(` + company +
		`)\s+(?i:(?:die|den|das|restlichen?|übrigen?|vollen?|erste|zweite)\s+)*` + paidMark + `$`)
	biller = expression(`^(?:(?i:die|der|firma|also|und|ja),?\s+)*(` + company + `)\s+(?i:hat|haben)\s+(?:[^.;!?]*\s)?` + billedMark + `$`)
	// offering are sentences in which a party makes an offer, or one has it from a party.
	offering = expression(`(?:^(` + company + `)\s+(?i:made|gave|makes)\s+(?i:us|me)\s+(?i:an?|its|their)\s|^(?i:von)\s(` + company +
		`)\s+(?i:habe ich|haben wir|liegt|gibt es|kam|kommt)\s)[^.;!?]*(?i:` + paper + `)`)
	// heading is before the colon of a note.
	// taker is named after what it does: "Das Lektorat übernimmt Büro Silbe, 2.750 Euro"
	taker    = expression(`\s(?:macht|machen|baut|liefert|übernimmt|druckt|spielt|kocht|vermietet)\s(` + company + `)\s*,`)
	trade    = expression(`^\p{Lu}\p{Ll}+(?:\s\p{Ll}+)+\s(` + company + `):\s*$`)
	heading  = expression(`^(` + company + `):\s(?:[^.;!?]*(?i:` + paper + `)|$)`)
	behindIt = expression(`^\s*,?\s*\(?(?i:went\s+|goes\s+)?(?i:from|by|to|von|an|bei)\s+(?i:firma\s+)?(` + company + `)`)
	dealer   = expression(`(?:^|[,;:]\s+|\s[–-]\s+)(?:(?i:yes|ja|well|ok|okay|and|but|so|then|dann|eben|die|der|firma|also|und|now|today|yesterday|gestern|heute|jetzt),?\s+)*(` + company + `)(?:['’]s)?(?:\s(?:in|aus|from)\s\p{Lu}\pL+)?,?\s+(?:(?i:has|have|hat|will|would|could|can|now|again|finally|jetzt|nun|uns|die|they|who|part|partial|final|first|second|third|last|new|deposit|interim|progress)\s+)*(?:` + dealing + `\b|(?i:will)(?:\s+(?i:uns|dafür|jetzt|noch|nur|etwa|rund|ca\.))*\s*$)`)
	perfect  = expression(`^(?:(?i:die|der|firma|also|und|ja|gestern|heute|jetzt),?\s+)*(` + company + `)\s+(?i:hat|haben)\s+(?i:uns\s+|mir\s+)?(?i:die|eine|das|ein|den|einen|ihre|ihr|seine|sein)\s.*(?i:` + paper + `)[^.;!?]*\s(?i:geschickt|gestellt|gesendet|vorgelegt|geschrieben|abgegeben|gemacht)\b`)
	// owner is right before what is its, partner behind a preposition.
	// maker has a name of several words: of one word it could be what somebody else makes.
	maker    = expression(`(?:^|[,;:]\s+)(` + namePart + `(?:\s` + namePart + `)+)\s(?:macht|machen|baut|bauen|liefert|liefern|übernimmt|does|do|builds?)\s`)
	owner    = expression(`(?:^|\s)(` + company + `)['’]s?\s+(?:(?:\pL+\s+){0,2}$|(?:\pL+\s+){0,2}(?i:` + paper + `)\b)`)
	partner  = expression(`(?:^|\s)(?i:from|by|with|at|to|von|bei|an|mit|(?:der\s)?fa\.|firma)\s+(?i:firma\s+|fa\.\s+)?(` + company + `)(?:[\s,:;)]|$)`)
	topic    = expression(`\b(?i:on|about|regarding|re|zu|über|wegen|betreffend|bzgl\.)\s(` + company + `)\s*[.:!,]?\s*$`)
	subject  = expression(`^(?:(?i:and|und|so|also|now|ok|okay|good news),?\s+)*(` + company + `)(?:['’]s|\s+(?:is|are|was|were|has|have|had|\pL{2,}ed|came|says?|wants?|ist|sind|war|waren|hat|haben|kam|will|\pL{2,}te))\b`)
	asking   = expression(`^(?:(?i:and|und|so|also),?\s+)*(?i:hat|haben|has|have|did we pay|have we paid|did|does|was|haben wir|what did|what does|wants?|will|wollen|was will|how much does|how much did|wie viel will|wie viel hat)\s+(?i:die\s|der\s|denn\s|the\s)*(` + company + `)(?:\s|\?|$)`)
	notParty = expression(`^(?i:one|two|three|four|five|six|both|all|some|several|many|these|those|next|last|first|zwei|drei|vier|beide|alle|mehrere|diese|the|a|an|our|my|your|his|her|their|this|that|it|we|i|he|she|they|us|you|who|\pL+day|january|february|march|april|may|june|july|august|september|october|november|december|` +
		`phase|lot|stage|section|` + paper +
		`|budget|los|der|die|das|den|dem|ein|eine|wir|ich|er|sie|es|\pL+tag|mittwoch|januar|februar|märz|mai|juni|juli|oktober|dezember|usd|eur|gbp|chf|euro|davon|dafür|dazu|damit|daran|hier|dort|noch|nur|bitte|please|still|only|so|then|also|and|und|total|vat|mwst|ust|iban|invoices?|christmas|easter|ostern|weihnachten|karte|überweisung|anfang|ende|mitte|beginn|auftrag|material|skonto|\pL{3,}(?:ung|ungen|keit|schaft)|abnahme|today|yesterday|heute|gestern|nobody|everyone|niemand|man)(?:[^\pL]|$)`)
)

// About returns what a sentence says of the matter that an amount in it belongs to, by the text before the amount and
// the text behind it until the next one. Its purpose comes first if it follows directly, then the nearest words before
// it.
func About(before, behind string) Matter {
	m := Matter{Number: nearestTo(numbered(), before, behind), Part: nearestTo(parts(), before, behind)}
	if after := numberBehind().FindStringSubmatch(behind); after != nil {
		m.Number = after[1]
	}
	for _, re := range []func() *regexp.Regexp{labelled, coded} {
		if m.Number == "" {
			m.Number = only(re(), before, behind)
		}
	}
	if kind, name, ok := strings.Cut(m.Part, " "); ok {
		m.Part = strings.ToLower(kind) + " " + name
	}
	for _, try := range [...]struct {
		re   func() *regexp.Regexp
		text string
	}{{behindIt, behind}, {sender, before}, {receiver, before}, {payee, before + paidBehind(behind)}, {dealer, before},
		{maker, before}, {biller, before + billedBehind(behind)}, {perfect, before}, {offering, before},
		{heading, before}, {trade, before}, {taker, before}, {headed, before},
		{owner, before}, {partner, before}} {
		all := try.re().FindAllStringSubmatch(try.text, -1)
		if len(all) == 0 {
			continue
		}
		if name := bareParty(strings.Join(all[len(all)-1][1:], "")); name != "" && !notParty().MatchString(name) {
			m.Party = name
			break
		}
	}
	if share := shares().FindString(before + " " + behind); share != "" {
		m.Share = strings.ToLower(strings.Join(strings.Fields(strings.Trim(share, ".,:;() ")), " "))
	}
	return m
}

// Topic returns the party that a question or a sentence is about; "" if it names none: "Has Meyer sent the invoice?",
// "An update on Meyer."
func Topic(question string) string {
	if party := partyIn(asking(), question); party != "" {
		return party
	}
	if party := About(question, "").Party; party != "" {
		return party
	}
	return partyIn(topic(), question)
}

// TopicBefore returns the party that the sentence before is about: that of [Topic], or its subject: "Meyer finished the
// roof."
func TopicBefore(sentence string) string {
	return cmp.Or(Topic(sentence), partyIn(subject(), sentence))
}

func partyIn(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil && !notParty().MatchString(m[1]) {
		return bareParty(m[1])
	}
	return ""
}

// bareParty is a party without the signs and the genitive that follow it.
func bareParty(name string) string {
	name = strings.TrimRight(paperBehind().ReplaceAllString(name, ""), ".,'’-")
	for _, genitive := range []string{"'s", "’s"} {
		name = strings.TrimSuffix(name, genitive)
	}
	return name
}

// paperBehind is what a note calls the paper after whose it is: "Lenz Endabrechnung: 3.620,50 €".
var paperBehind = expression(`\s(?i:` + paper + `|final|deposit|\pL*abrechnung)$`)

// only is the one thing that an expression finds in the words around an amount; "" if it finds several.
func only(re *regexp.Regexp, before, behind string) string {
	found := ""
	for _, text := range []string{before, behind} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if number := strings.TrimRight(m[1], "-/"); found == "" || found == number {
				found = number
			} else {
				return ""
			}
		}
	}
	return found
}

var (
	paidEnd   = expression(`^[^.;!?]*\s(?i:paid|gezahlt|bezahlt|überwiesen|beglichen)\b`)
	billedEnd = expression(`^[^.;!?]*\s(?i:berechnet|gestellt|verlangt|angeboten|veranschlagt|geschickt|gutgeschrieben|erstattet|zurückgezahlt|zurücküberwiesen|zurückerstattet|bewilligt|erhöht|angehoben|abgerechnet|erlassen)\b`)
)

// paidBehind and billedBehind mark an amount behind which a German sentence ends with what was done with it.
func paidBehind(behind string) string {
	if paidEnd().MatchString(behind) {
		return paidMark
	}
	return ""
}

func billedBehind(behind string) string {
	if billedEnd().MatchString(behind) {
		return billedMark
	}
	return ""
}

const (
	paidMark   = "\x01"
	billedMark = "\x02"
)

// belongs is what may stand between an amount and what it is for; another is where something else begins.
var (
	belongs = expression(`^\s*(?i:\(|(?:for|on|für|zu)\s(?:the\s|our\s|die\s|den\s|das\s)?)?$`)
	another = expression(`[,;]|\s(?i:and|und)\s`)
)

func nearestTo(re *regexp.Regexp, before, behind string) string {
	if cut := another().FindStringIndex(behind); cut != nil {
		behind = behind[:cut[0]]
	}
	after := re.FindStringSubmatchIndex(behind)
	if after != nil && belongs().MatchString(behind[:after[0]]) {
		return behind[after[2]:after[3]]
	}
	if all := re.FindAllStringSubmatch(before, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	if after != nil {
		return behind[after[2]:after[3]]
	}
	return ""
}

// Named writes a sum so that it is told from any other: "6400.50 USD for phase 2, no. 4411, Roof & Co". Item is what it
// is for; it returns what the sum is for in the end: an item that repeats the part says nothing.
func (m Matter) Named(sum, item string) (name, of string) {
	if part := strings.ToLower(m.Part); part == strings.ToLower(item) ||
		strings.HasPrefix(part, strings.ToLower(item)+" ") {
		item = ""
	}
	name, of = sum, item
	switch {
	case item != "":
		name += " for " + item
		if m.Part != "" {
			name += ", " + m.Part
		}
	case m.Part != "":
		name, of = name+" for "+m.Part, m.Part
	}
	if m.Share != "" {
		name += ", " + m.Share
	}
	if m.Number != "" && m.Number != item {
		name += ", no. " + m.Number
	}
	if m.Party != "" {
		name += ", " + m.Party
	}
	return name, of
}

// Details are what is known of the matter, by the names under which callers read it.
func (m Matter) Details() map[string]string {
	all := map[string]string{"number": m.Number, "counterparty": m.Party, "phase": m.Part, "instalment": m.Share}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

var settling = expression(`(?i)(?:^|[^\pL])(?:paid|settled|cleared|bezahlt|gezahlt|beglichen|überwiesen|angewiesen|ausbezahlt|transferred|(?:got|received|had) (?:his|her|their) money|(?:sein|ihr) geld)(?:[^\pL]|$)`)

// Settles reports whether words say that something is paid.
func Settles(text string) bool { return settling().MatchString(text) }
