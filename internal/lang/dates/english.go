package dates

import "strings"

// englishWords is the table of English. Each word is in only one line.
var englishWords = []entry{
	{aMonth, 1, "january"}, {aMonth, 2, "february"}, {aMonth | weak, 3, "march"}, {aMonth, 4, "april"},
	{aMonth | weak, 5, "may"}, {aMonth, 6, "june"}, {aMonth, 7, "july"}, {aMonth, 8, "august"},
	{aMonth, 9, "september"}, {aMonth, 10, "october"}, {aMonth, 11, "november"}, {aMonth, 12, "december"},
	{aMonth | short, 1, "jan"}, {aMonth | short, 2, "feb"}, {aMonth | short | weak, 3, "mar"},
	{aMonth | short, 4, "apr"},
	{aMonth | short, 6, "jun"}, {aMonth | short, 7, "jul"}, {aMonth | short, 8, "aug"}, {aMonth | short, 9, "sep sept"},
	{aMonth | short, 10, "oct"}, {aMonth | short, 11, "nov"}, {aMonth | short, 12, "dec"},

	{aWeekday, 0, "sunday"}, {aWeekday, 1, "monday"}, {aWeekday, 2, "tuesday"}, {aWeekday, 3, "wednesday"},
	{aWeekday, 4, "thursday"}, {aWeekday, 5, "friday"}, {aWeekday, 6, "saturday"},
	{aWeekday | short, 0, "sun"}, {aWeekday | short, 1, "mon"}, {aWeekday | short, 2, "tue tues"},
	{aWeekday | short, 3, "wed"},
	{aWeekday | short, 4, "thu thur thurs"}, {aWeekday | short, 5, "fri"}, {aWeekday | short, 6, "sat"},
	{aRecurringDay, 0, "sundays mondays tuesdays wednesdays thursdays fridays saturdays weekends"},
	{aNameAfter, 0, "mirror telegraph mail post herald school"}, {aNameBefore, 0, "black cyber casual ruby"},

	{aSeason | weak, 1, "spring"}, {aSeason, 2, "summer"}, {aSeason, 3, "autumn"}, {aSeason | weak, 3, "fall"},
	{aSeason, 4, "winter"},
	{aHoliday, int8(christmas), "christmas xmas"}, {aHoliday, int8(easter), "easter"},

	{aUnit, int8(Minute), "minute"}, {aUnit | plural, int8(Minute), "minutes"}, {aUnit, int8(Hour), "hour"},
	{aUnit | plural, int8(Hour), "hours"}, {aUnit, int8(Day), "day"}, {aUnit | plural, int8(Day), "days"},
	{aUnit, int8(Week), "week"}, {aUnit | plural, int8(Week), "weeks"}, {aUnit, int8(Month), "month"},
	{aUnit | plural, int8(Month), "months"}, {aUnit | aTurn, int8(Quarter), "quarter"},
	{aUnit | plural, int8(Quarter), "quarters"}, {aUnit, int8(Year), "year"}, {aUnit | plural, int8(Year), "years"},
	{aWeekend, 0, "weekend"}, {aQ, 0, "q"},

	{aDayPart, morning, "morning"}, {aDayPart, afternoon, "afternoon"}, {aDayPart, evening, "evening"},
	{aDayPart, night, "night"},
	{aRelativeDay, 0, "today"}, {aRelativeDay, 1, "tomorrow"}, {aRelativeDay, -1, "yesterday"},
	{aDayCompound, thisDay + 8*night, "tonight"},
	{aMeridiem, 0, "am"}, {aMeridiem, 12, "pm"}, {aNoon, 12, "noon midday"}, {aNoon, 24, "midnight"},

	{aNumber, 1, "a an one"}, {aNumber, 2, "two"}, {aNumber, 3, "three"}, {aNumber, 4, "four"}, {aNumber, 5, "five"},
	{aNumber, 6, "six"}, {aNumber, 7, "seven"}, {aNumber, 8, "eight"}, {aNumber, 9, "nine"}, {aNumber, 10, "ten"},
	{aNumber, 11, "eleven"}, {aNumber, 12, "twelve"}, {aNumber, 13, "thirteen"}, {aNumber, 14, "fourteen"},
	{aNumber, 15, "fifteen"}, {aNumber, 16, "sixteen"}, {aNumber, 17, "seventeen"}, {aNumber, 18, "eighteen"},
	{aNumber, 19, "nineteen"}, {aNumber, 20, "twenty"}, {aNumber, 30, "thirty"}, {aNumber, 40, "forty"},
	{aNumber, 50, "fifty"},
	{aHalf | aTurn, 0, "half"}, {aVague, 2, "couple"}, {aVague, 3, "few several"},
	{aSuffix, 0, "st nd rd th"},

	{aDirection, -1, "last previous"}, {aDirection | aPast | rolling, -1, "past"}, {aDirection, 0, "this current"},
	{aDirection, 1, "next coming upcoming"},
	{anEdge, 1, "early"}, {anEdge, 2, "mid"}, {anEdge, 3, "late"},
	{anEdgeOf | aStart, 1, "beginning"}, {anEdgeOf, 1, "start"}, {anEdgeOf, 2, "middle"}, {anEdgeOf, 3, "end"},
	{aStart, 0, "starting"},

	{anArticle, 0, "the"}, {anOf, 0, "of"}, {aLead | anOnward, 0, "on"}, {aLead | anAt, 0, "at"},
	{anOnward, 0, "onward onwards"},
	{aPeriodLead | anAgoBefore, 1, "in"}, {aPeriodLead, 0, "during throughout over"}, {aFor, 0, "for"},
	{aSince, 0, "since"},
	{aBy, 0, "by due"}, {aBy | aTo, 0, "until till"}, {aBefore, 0, "before"}, {anAfter, 0, "after"}, {aFrom, 0, "from"},
	{aBetween, 0, "between"}, {aTo | anUntil, 0, "to"}, {aTo, 0, "through thru"}, {anAnd, 0, "and"}, {anAgo, -1, "ago"},
	{anAgo, 1, "hence"}, {aWithin, 0, "within"}, {anEvery, 0, "every each"}, {anOther, 0, "other"},
	{anAbout, 0, "about around roughly approximately circa almost nearly"},

	{aVersion, 0, "version v release build"}, {aMeasure | aNameAfter, 0, "times"},
	{aMeasure, 0, "percent people persons users euro euros dollar dollars pounds kg km miles meters metres degrees items points cases copies"},

	{aPastCue, 0, `was were had did went saw met bought got took made came left ate drank gave sold told said spoke wrote read
			found lost won felt heard slept spent drove flew ran rode sang swam began became grew knew thought taught paid kept held
			broke chose fell forgot built sent stood wore caught brought didn wasn weren hadn`},
	{aFutureCue, 0, "will shall ll gonna going plan plans planning want wants hope hopes intend"},
	{notPast, 0, "need indeed hundred speed exceed succeed proceed feed breed seed weed freed naked wicked sacred red"},
}

var englishPhrases = []phraseEntry{
	{aRelativeDay, 2, "day after tomorrow"}, {aRelativeDay, -2, "day before yesterday"},
	{anAgo, 1, "from now"}, {anAgo, 1, "from today"}, {anHourMark, 0, "o clock"}, {aBy, 0, "no later than"},
	{aWeek, 0, "calendar week"},
	{aHoliday, int8(christmasEve), "christmas eve"}, {aHoliday, int8(christmas), "christmas day"},
	{aHoliday, int8(newYearsEve), "new year s eve"}, {aHoliday, int8(newYearsEve), "new years eve"},
	{aHoliday, int8(newYear), "new year s day"}, {aHoliday, int8(newYear), "new years day"},
	{aHoliday, int8(goodFriday), "good friday"}, {aHoliday, int8(easter), "easter sunday"},
	{aHoliday, int8(easterMonday), "easter monday"},
}

var english = func() lexicon {
	lex := newLexicon(englishWords, englishPhrases)
	for i, w := range strings.Fields(
		`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
		fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`) {
		lex.words[w] = lexeme{roles: anOrdinal, n: int8(i + 1)}
		if i < 9 {
			lex.addPhrase(phraseEntry{anOrdinal, int8(i + 21), "twenty " + w})
		}
	}
	lex.words["thirtieth"] = lexeme{roles: anOrdinal, n: 30}
	lex.addPhrase(phraseEntry{anOrdinal, 31, "thirty first"})
	lex.meridiem, lex.simplePast = true, true
	lex.past = func(w string) bool { return len(w) > len("aged") && strings.HasSuffix(w, "ed") }
	return lex
}()
