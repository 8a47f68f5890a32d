package dates

import "strings"

// roles are the parts that a word can play in the grammar. A word may have several.
type roles uint64

// The roles, with the meaning of the lexeme's n.
const (
	aMonth   roles = 1 << iota // 1 to 12
	aWeekday                   // 0 to 6 from Sunday
	aSeason                    // 1 to 4 from spring
	aUnit                      // a Granularity
	plural                     // of a unit: the last weeks are a few
	aWeekend
	aDayPart      // a part of the day, see dayParts
	aRelativeDay  // days from today
	aHoliday      // an index of holidays
	aNumber       // its value
	anOrdinal     // its value
	aVague        // an approximate number
	aHalf         // half
	aDirection    // -2 to 2: last, this, next
	anEdge        // 1 to 3: early, mid, late; the word is directly before its period
	anEdgeOf      // the same for nouns: the end of
	anEdgeUnit    // edge + 4 × Granularity: Jahresende
	aDayCompound  // weekday + 8 × part of the day: Freitagabend
	aRecurringDay // montags, weekends
	aSuffix       // th, of 4th
	aMeridiem     // 0 for am, 12 for pm
	anHourMark    // o'clock, Uhr
	aNoon         // an hour
	aTurn         // half, quarter: minutes before or after an hour
	aPast         // past, nach: after the hour
	anUntil       // to, vor: before the hour
	anArticle
	anOf
	aLead       // a preposition before points: on, at
	aPeriodLead // one that may be followed by a month or year: in, during
	anAt        // one that may be followed by a bare hour: at, um
	aFor
	aLong // lang: sechs Wochen lang
	aSince
	aBy // by, until
	aBefore
	anAfter
	aStart   // starting, ab
	anOnward // on, in: from Monday on
	aFrom
	aBetween
	aTo
	anAnd
	anAgo       // ago (-1), from now (1), after the count
	anAgoBefore // vor (-1), in (1), before the count
	aWithin
	anEvery
	anOther // every other day
	anAbout
	aWeek       // KW
	aQ          // the letter before a quarter
	weak        // a common word when written small: may, march
	short       // an abbreviation that needs a date after it: Mon
	rolling     // past: the past week ends today
	aMeasure    // makes the number before it an amount
	aVersion    // what follows is no date: version 1.2.25
	aNameBefore // makes the next word a name: Black Friday
	aNameAfter  // makes the word before a name: Sunday Times
	aPastCue    // its sentence is about the past
	aFutureCue
	anAuxiliary // habe, ist: past with a participle
	notPast     // looks like a past tense
	opensPhrase // a phrase of the table begins with it
)

// contentWords: an expression without a number needs one of them. functionWords may come before them.
const (
	contentWords = aMonth | aWeekday | aSeason | aUnit | aWeekend | aRelativeDay | aHoliday | aNumber | anOrdinal |
		aVague | aHalf | aDirection | anEdge | anEdgeOf | anEdgeUnit | aDayCompound | aRecurringDay | aNoon | aTurn |
		aWeek | aQ | aDayPart
	functionWords = anArticle | anOf | aLead | aPeriodLead | anAt | aFor | aSince | aBy | aBefore | anAfter | aStart |
		aFrom | aBetween | aTo | anAgoBefore | aWithin | anEvery | anOther | anAbout
)

// lexeme is the entry of a word in the grammar.
type lexeme struct {
	roles roles
	n     int8
}

func (l lexeme) has(r roles) bool { return l.roles&r == r }

// entry is a line of a table: words, separated by spaces, with equal roles.
type entry struct {
	roles roles
	n     int8
	words string
}

// phrase is a sequence of words that the grammar treats as one.
type phrase struct {
	rest   []string // without the first word
	lexeme lexeme
}

// lexicon holds the words of a language.
type lexicon struct {
	words      map[string]lexeme
	phrases    map[string][]phrase
	dayFirst   bool                   // of 6/3/2025
	dotted     bool                   // a dot makes an ordinal, and 30.6. a date
	halfBefore bool                   // half six is 5:30
	meridiem   bool                   // the clock has twelve hours
	simplePast bool                   // a past form indicates the past without an auxiliary
	past       func(word string) bool // has the form of a past tense
}

// phraseEntry is a line of a table of phrases, folded. Hyphens and apostrophes separate words.
type phraseEntry struct {
	roles roles
	n     int8
	words string
}

func newLexicon(entries []entry, phrases []phraseEntry) lexicon {
	lex := lexicon{words: make(map[string]lexeme), phrases: make(map[string][]phrase)}
	for _, e := range entries {
		for w := range strings.FieldsSeq(e.words) {
			lex.words[fold(w)] = lexeme{roles: e.roles, n: e.n}
		}
	}
	for _, e := range phrases {
		lex.addPhrase(e)
	}
	return lex
}

func (lex *lexicon) addPhrase(e phraseEntry) {
	ws := strings.Fields(e.words)
	first := lex.words[ws[0]]
	first.roles |= opensPhrase
	lex.words[ws[0]] = first
	lex.phrases[ws[0]] = append(lex.phrases[ws[0]], phrase{rest: ws[1:], lexeme: lexeme{roles: e.roles, n: e.n}})
}

// phrase returns the lexeme and the end of the longest phrase that begins with the word t, and 0 if there is none.
func (lex *lexicon) phrase(text string, t token) (longest lexeme, end int) {
	var room [2 * maxWord]byte
	for _, ph := range lex.phrases[string(foldInto(room[:0], text[t.start:t.end]))] {
		at := t.end
		for _, want := range ph.rest {
			from := skipGap(text, at)
			to := wordEnd(text, from)
			if from == at || to-from > maxWord || string(foldInto(room[:0], text[from:to])) != want {
				at = 0
				break
			}
			at = to
		}
		if at > end {
			longest, end = ph.lexeme, at
		}
	}
	return longest, end
}

// skipGap returns the position after the characters that may separate two words of a phrase: spaces, hyphens and
// apostrophes.
func skipGap(text string, i int) int {
	for i < len(text) {
		switch {
		case text[i] <= ' ' || text[i] == '-' || text[i] == '\'':
			i++
		case strings.HasPrefix(text[i:], "’"):
			i += len("’")
		default:
			return i
		}
	}
	return i
}

func fold(w string) string { return string(foldInto(nil, w)) }

func foldInto(buf []byte, w string) []byte {
	for _, r := range w {
		buf = appendFolded(buf, r)
	}
	return buf
}
