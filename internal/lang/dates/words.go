package dates

import (
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

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
	aVersion    // announces a number that is no date: version 1.2.25
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

// The roles and the numbers by their names in the tables.
var (
	roleNamed = map[string]roles{
		"month": aMonth, "weekday": aWeekday, "season": aSeason, "unit": aUnit, "plural": plural,
		"weekend": aWeekend, "dayPart": aDayPart, "relativeDay": aRelativeDay, "holiday": aHoliday,
		"number": aNumber, "ordinal": anOrdinal, "vague": aVague, "half": aHalf, "direction": aDirection,
		"edge": anEdge, "edgeOf": anEdgeOf, "edgeUnit": anEdgeUnit, "dayCompound": aDayCompound,
		"recurringDay": aRecurringDay, "suffix": aSuffix, "meridiem": aMeridiem, "hourMark": anHourMark,
		"noon": aNoon, "turn": aTurn, "past": aPast, "until": anUntil, "article": anArticle, "of": anOf,
		"lead": aLead, "periodLead": aPeriodLead, "at": anAt, "for": aFor, "long": aLong, "since": aSince,
		"by": aBy, "before": aBefore, "after": anAfter, "start": aStart, "onward": anOnward, "from": aFrom,
		"between": aBetween, "to": aTo, "and": anAnd, "ago": anAgo, "agoBefore": anAgoBefore, "within": aWithin,
		"every": anEvery, "other": anOther, "about": anAbout, "week": aWeek, "q": aQ, "weak": weak, "short": short,
		"rolling": rolling, "measure": aMeasure, "version": aVersion, "nameBefore": aNameBefore,
		"nameAfter": aNameAfter, "pastCue": aPastCue, "futureCue": aFutureCue, "auxiliary": anAuxiliary,
		"notPast": notPast,
	}
	numberNamed = map[string]int8{"minute": int8(Minute), "hour": int8(Hour), "day": int8(Day), "week": int8(Week),
		"month": int8(Month), "quarter": int8(Quarter), "year": int8(Year),
		"morning": morning, "noonTime": noonTime, "afternoon": afternoon, "evening": evening, "night": night,
		"christmas": int8(christmas), "christmasEve": int8(christmasEve), "weihnachten": int8(weihnachten),
		"newYear": int8(newYear), "newYearsEve": int8(newYearsEve), "easter": int8(easter),
		"easterMonday": int8(easterMonday), "goodFriday": int8(goodFriday), "ostern": int8(ostern)}
)

// newLexicon reads a table; english.txt describes its rows.
func newLexicon(table string) lexicon {
	lex := lexicon{words: make(map[string]lexeme), phrases: make(map[string][]phrase)}
	for key, value := range wordfile.Rows(table) {
		kind, rest, _ := strings.Cut(key, " ")
		switch kind {
		case "phrase":
			for p := range strings.SplitSeq(value, "|") {
				lex.addPhrase(strings.Fields(p), lexemeOf(rest))
			}
		case "inflected":
			l := lexemeOf(rest)
			for stem := range strings.FieldsSeq(value) {
				for _, ending := range []string{"e", "en", "er", "es", "em"} {
					lex.words[fold(stem+ending)] = l
				}
			}
		default:
			l := lexemeOf(key)
			for w := range strings.FieldsSeq(value) {
				lex.words[fold(w)] = l
			}
		}
	}
	return lex
}

// lexemeOf reads "ROLES N".
func lexemeOf(s string) (l lexeme) {
	names, number, _ := strings.Cut(s, " ")
	for name := range strings.SplitSeq(names, "+") {
		l.roles |= roleNamed[name]
	}
	n, err := strconv.ParseInt(number, 10, 8)
	if l.n = int8(n); err != nil {
		l.n = numberNamed[number]
	}
	return l
}

func (lex *lexicon) addPhrase(words []string, l lexeme) {
	first := lex.words[words[0]]
	first.roles |= opensPhrase
	lex.words[words[0]] = first
	lex.phrases[words[0]] = append(lex.phrases[words[0]], phrase{words[1:], l})
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
