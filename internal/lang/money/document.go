package money

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// Matter is what tells one sum from another of the same amount: the paper that it is on, the other party, and the
// part of the work that it is for.
type Matter struct {
	Number string // of the invoice, quote or change order: 4411
	Party  string // the party that offers, bills or is paid: Roof & Co
	Part   string // phase 2, lot B
	Share  string // of several payments of one invoice: second instalment
}

//go:embed matter.txt
var matterFile string

// patterns are the rows of matter.txt by name; it says what each is for.
var patterns = wordfile.Patterns(matterFile, lazyre.New)

var (
	numbered, coded, labelled   = patterns["numbered"], patterns["coded"], patterns["labelled"]
	shares, numberBehind, parts = patterns["shares"], patterns["numberBehind"], patterns["parts"]
	sender, headed, receiver    = patterns["sender"], patterns["headed"], patterns["receiver"]
	payee, biller, offering     = patterns["payee"], patterns["biller"], patterns["offering"]
	taker, trade, heading       = patterns["taker"], patterns["trade"], patterns["heading"]
	behindIt, dealer, perfect   = patterns["behindIt"], patterns["dealer"], patterns["perfect"]
	maker, owner, partner       = patterns["maker"], patterns["owner"], patterns["partner"]
	topic, subject, asking      = patterns["topic"], patterns["subject"], patterns["asking"]
	notParty, paperBehind       = patterns["notParty"], patterns["paperBehind"]
	paidEnd, billedEnd          = patterns["paidEnd"], patterns["billedEnd"]
	belongs, another            = patterns["belongs"], patterns["another"]
	settling                    = patterns["settling"]
	labelEnd, likening          = patterns["labelEnd"], patterns["likening"]
)

// About returns a sentence's information on the matter of an amount in it, by the text before the amount and the text
// behind it until the next one. Its purpose comes first if it follows directly, then the nearest words before it.
func About(before, behind string) Matter {
	m := Matter{Number: nearestTo(numbered(), before, behind), Part: nearestTo(parts(), before, behind)}
	if after := numberBehind().FindStringSubmatch(behind); after != nil {
		m.Number = after[1]
	}
	for _, re := range []lazyre.Regexp{labelled, coded} {
		if m.Number == "" {
			m.Number = only(re(), before, behind)
		}
	}
	if kind, name, ok := strings.Cut(m.Part, " "); ok {
		m.Part = strings.ToLower(kind) + " " + name
	}
	for _, try := range [...]struct {
		re   lazyre.Regexp
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

// paidBehind and billedBehind return the mark of an amount whose German sentence ends, as verbs do, with its fate:
// paid or billed.
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

// Named writes a sum so that it is told from any other: "6400.50 USD for phase 2, no. 4411, Roof & Co". Item is its
// purpose; of is the purpose to store: an item that repeats the part adds nothing.
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

// Details returns the known details of the matter, by the names under which callers read them.
func (m Matter) Details() map[string]string {
	all := map[string]string{"number": m.Number, "counterparty": m.Party, "phase": m.Part, "instalment": m.Share}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// Settles reports whether words say that something is paid.
func Settles(text string) bool { return settling().MatchString(text) }
