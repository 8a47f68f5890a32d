package reconcile

import (
	"strings"

	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// A value is named by the head of a phrase, not by its modifiers: somebody who sells the piano stool keeps the piano,
// and somebody who has read a book about Norway may still plan the trip to Norway.

const (
	determiner = `(?:the|my|our|an?|his|her|their|its|this|that|one|two|three|four|some|most|all|both|der|die|das|den|dem|eine?[nmr]?|meine?[nmr]?|unsere?[nmr]?|diese[nmrs]?|zwei|drei|beide|alle)`
	articleOf  = `(?:(?:the|my|our|an?|his|her|their|der|die|das|den|dem|des|eine?[nmrs]?|meine?[nmrs]?|unsere?[nmrs]?) )?`
	aside      = `(?:of|for|about|in|at|from|near|to|on|with|von|vom|für|über|in|im|bei|beim|aus|zu|zum|zur|am|auf|nach|mit|des)`
)

var (
	// apart matches a phrase with modifiers after its head.
	apart = lazyre.New(`(?i)(?:^|(?:^|[^\pL])` + determiner +
		` )(?:[\pL-]+ ){0,2}?(?P<head>[\pL-]+)(?P<aside> ` + aside + ` ` + articleOf +
		`(?:(?-i:\p{Lu})[\pL\pN’'-]*(?: (?-i:\p{Lu})[\pL\pN’'-]*)*|[\pL\pN-]+))`)

	// owner matches a possessive before a thing.
	owner = lazyre.New(`[\pL-]+(?:['’]s|s['’]) (?P<thing>[\pL-]+)|(?P<whose>\p{Lu}[\pL-]+s) \p{Lu}[\pL-]+`)

	// contracted lists words after an 's that is a verb.
	contracted = wordSet(`off over gone dead been not out sold cancelled canceled history finished done happening no now just passed died left moved had got a an the my our all really finally also in on at`)

	// notOwner lists words that end in s without being possessives.
	notOwner = wordSet(`das des was es als aus bis dies dieses alles eins unseres meines deines seines ihres uns this his its as is was yes us`)

	// bearing lists heads that only name the sort of a thing, and verbs: the value of "trip to Norway" is Norway.
	bearing = wordSet(`trips holidays journeys flights visits cruise tour stay weekend getaway tickets ticket booking reservation wedding engagement marriage move
		post career employment internship apprenticeship traineeship shift shifts time stint days day week weeks month months year years chapter spell life end notice gig
		courses classes training studying season practice rehearsal rehearsals hobby habit interest love taste passion obsession fling affair
		flat house home apartment place room lease tenancy plans ideas dream party concert interview back part last final rest hell favour luck
		taking playing going working living learning eating drinking moving travelling traveling flying fly drive live play sing run swim ride train learn study teach eat drink speak
		reisen fluge fahrt ausflug aufenthalt buchung hochzeit verlobung ehe umzug posten ausbildung praktikum lehre zeit tag tage woche wochen monat monaten jahr jahren
		kurse training wohnung haus zimmer plan plane feier konzert gesprach leben ende lust spass geschmack liebe schluss
		januar februar marz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag freitag samstag sonntag morgen abend sommer winter fruhling herbst wochenende
		habe haben hatte bin sind war gestern heute leider endlich have had am was were are been never
		bei in an auf von mit zu nach aus fur uber im beim vom zum zur vor seit ab`)
)

// headed removes modifiers from a text.
func headed(text string) string {
	text = owner.ReplaceAllStringFunc(text, func(s string) string {
		m := owner.FindStringSubmatch(s)
		if contracted[textproc.Fold(strings.ToLower(m[1]))] || notOwner[textproc.Fold(strings.ToLower(m[2]))] {
			return s
		}
		return s[strings.LastIndexByte(s, ' ')+1:]
	})
	var b strings.Builder
	head, beside := apart.SubexpIndex("head"), apart.SubexpIndex("aside")
	for {
		m := apart.FindStringSubmatchIndex(text)
		if m == nil {
			return b.String() + text
		}
		to := m[2*beside+1]
		b.WriteString(text[:m[2*beside]])
		if bears(text[m[0]:m[2*head+1]]) {
			b.WriteString(text[m[2*beside]:to])
		}
		text = text[to:]
	}
}

// bears reports whether a phrase has a word that only names its sort.
func bears(phrase string) bool {
	for w := range strings.FieldsSeq(textproc.Fold(strings.ToLower(phrase))) {
		if bearing[w] || general[w] || bearing[strings.TrimLeft(w, "'’")] || strings.HasSuffix(w, "reise") ||
			strings.HasSuffix(w, "kurs") || strings.HasSuffix(w, "urlaub") {
			return true
		}
	}
	return false
}

// endsWith reports whether the words end with a word of the value, as a phrase ends with its head: "piano stool" means
// the stool. A verb, an adverb or a time may follow.
func endsWith(said, value []string) bool {
	last := said[len(said)-1]
	return within([]string{last}, value) || calendar[last] || strings.HasSuffix(last, "en") ||
		strings.HasSuffix(last, "ly")
}
