package money

import (
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
}

func expression(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

const (
	// company is a name of one or a few words with capitals.
	company = `\p{Lu}[\pL\pN&.’'-]*(?:\s(?:&|and|und|of)\s\p{Lu}[\pL\pN.’'-]*|\s\p{Lu}[\pL\pN&.’'-]*)*`
	paper   = `(?:invoices?|bill|quote|quotation|offer|bid|estimate|proposal|change order|credit note|deposit|rechnung|angebot|kostenvoranschlag|nachtrag|gutschrift|offerte|\pL+rechnung|anzahlung)`
	dealing = `(?i:offers?|offered|quotes?|quoted|bids?|bills?|billed|invoiced?|invoices|charges?|charged|asks?|asked|sent|sends|estimates?|estimated|demands?|invoice|quote|bid|offer|bill|estimate|` +
		`bietet|bot|verlangt|verlangte|berechnet|berechnete|stellt|stellte|schätzt|schätzte|schickt|schickte|fordert|nimmt|wants?|wanted|will|billed)`
)

var (
	numbered = expression(`(?i)\b(?:` + paper +
		`\s*(?:no\.?|nr\.?|number|nummer|#)\s*#?|(?:invoice|change order|credit note|nachtrag|rechnung|\pL+rechnung)\s|` + paper + `\s[A-Z]{1,6}[-/]?)\s*([A-Z]{0,6}[-/]?\d[\w/-]*)`)
	// numberBehind is what an amount is followed by where the paper was named before: 5,870 EUR, no. NT-1
	numberBehind = expression(`^\s*[,(]?\s*(?i:` + paper + `\s*)?(?i:no\.?|nr\.?|number|nummer|#)\s*((?i:[A-Z]{0,6})[-/]?\d[\w/-]*)`)
	parts        = expression(`(?i)\b((?:phase|lot|stage|section|block|sprint|los|bauabschnitt|abschnitt|gewerk|etappe)\s(?:\d{1,3}[a-z]?|[A-Z]|[IVX]{1,4}|one|two|three|four|five|eins|zwei|drei|vier|fünf))\b`)
	sender       = expression(`\b(?i:` + paper +
		`)(?:\s*(?i:no\.?|nr\.?|number|nummer)?\s*#?\s*(?i:[A-Z]{0,6}[-/]?)\d[\w/-]*)?,?\s+(?i:from|by|of|von|vom|der firma)\s+(?i:the\s+|der\s+|dem\s+)?(?i:firma\s+)?(` + company + `)`)
	receiver = expression(`\b(?i:pay|paid|paying|owe|owes|zahlen|bezahlen|überwiesen|zahlten)\s+(?i:the\s+|an\s+)?(` +
		company + `)\s*$`)
	behindIt = expression(`^\s*,?\s*\(?(?i:from|by|to|von|an)\s+(?i:firma\s+)?(` + company + `)`)
	dealer   = expression(`^(?:(?i:yes|ja|well|ok|okay|and|but|so|then|die|der|firma|also|und|now|today|yesterday|gestern|heute|jetzt),?\s+)*(` + company + `)(?:['’]s)?\s+(?:(?i:has|have|hat|will|now|again|finally|jetzt|nun|uns)\s+)*` + dealing + `\b`)
	perfect  = expression(`^(?:(?i:die|der|firma|also|und|ja|gestern|heute|jetzt),?\s+)*(` + company + `)\s+(?i:hat|haben)\s+(?i:uns\s+|mir\s+)?(?i:die|eine|das|ein|den|einen|ihre|ihr|seine|sein)\s.*(?i:` + paper + `)[^.;!?]*\s(?i:geschickt|gestellt|gesendet|vorgelegt|geschrieben|abgegeben|gemacht)\b`)
	notParty = expression(`^(?i:one|two|three|four|five|six|both|all|some|several|many|these|those|next|last|first|zwei|drei|vier|beide|alle|mehrere|diese|the|a|an|our|my|your|his|her|their|this|that|it|we|i|he|she|they|us|you|who|\pL+day|january|february|march|april|may|june|july|august|september|october|november|december|` +
		`phase|lot|stage|section|` + paper +
		`|budget|los|der|die|das|den|dem|ein|eine|wir|ich|er|sie|es|\pL+tag|mittwoch|januar|februar|märz|mai|juni|juli|oktober|dezember|usd|eur|gbp|chf|euro|total|today|yesterday|heute|gestern|nobody|everyone|niemand|man)(?:[^\pL]|$)`)
)

// About returns what a sentence says of the matter that an amount in it belongs to, by the text before the amount and
// the text behind it until the next one. Its purpose comes first if it follows directly, then the nearest words before
// it.
func About(before, behind string) Matter {
	m := Matter{Number: nearestTo(numbered(), before, behind), Part: nearestTo(parts(), before, behind)}
	if after := numberBehind().FindStringSubmatch(behind); after != nil {
		m.Number = after[1]
	}
	if kind, name, ok := strings.Cut(m.Part, " "); ok {
		m.Part = strings.ToLower(kind) + " " + name
	}
	for _, try := range [...]struct {
		re   func() *regexp.Regexp
		text string
	}{{behindIt, behind}, {sender, before}, {receiver, before}, {dealer, before},
		{perfect, before}} {
		all := try.re().FindAllStringSubmatch(try.text, -1)
		if len(all) == 0 {
			continue
		}
		if name := strings.TrimRight(all[len(all)-1][1], ".,'’-"); name != "" && !notParty().MatchString(name) {
			m.Party = name
			break
		}
	}
	return m
}

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
	all := map[string]string{"number": m.Number, "counterparty": m.Party, "phase": m.Part}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

var settling = expression(`(?i)(?:^|[^\pL])(?:paid|settled|cleared|bezahlt|gezahlt|beglichen|überwiesen)(?:[^\pL]|$)`)

// Settles reports whether words say that something is paid.
func Settles(text string) bool { return settling().MatchString(text) }
