package dates

import "strings"

// germanWords is the table of German. Each word is in only one line; newLexicon spells umlauts out.
var germanWords = []entry{
	{aMonth, 1, "januar jänner"}, {aMonth, 2, "februar feber"}, {aMonth, 3, "märz"}, {aMonth, 4, "april"},
	{aMonth, 5, "mai"},
	{aMonth, 6, "juni"}, {aMonth, 7, "juli"}, {aMonth, 8, "august"}, {aMonth, 9, "september"}, {aMonth, 10, "oktober"},
	{aMonth, 11, "november"}, {aMonth, 12, "dezember"},
	{aMonth | short, 1, "jan"}, {aMonth | short, 2, "feb"}, {aMonth | short, 3, "mär mrz"}, {aMonth | short, 4, "apr"},
	{aMonth | short, 6, "jun"}, {aMonth | short, 7, "jul"}, {aMonth | short, 8, "aug"}, {aMonth | short, 9, "sep sept"},
	{aMonth | short, 10, "okt"}, {aMonth | short, 11, "nov"}, {aMonth | short, 12, "dez"},

	{aWeekday, 0, "sonntag"}, {aWeekday, 1, "montag"}, {aWeekday, 2, "dienstag"}, {aWeekday, 3, "mittwoch"},
	{aWeekday, 4, "donnerstag"}, {aWeekday, 5, "freitag"}, {aWeekday, 6, "samstag sonnabend"},
	{aWeekday | short, 0, "so"}, {aWeekday | short, 1, "mo"}, {aWeekday | short, 2, "di"}, {aWeekday | short, 3, "mi"},
	{aWeekday | short, 4, "do"}, {aWeekday | short, 5, "fr"}, {aWeekday | short, 6, "sa"},
	{aRecurringDay, 0, "sonntags montags dienstags mittwochs donnerstags freitags samstags sonnabends"},

	{aSeason, 1, "frühling frühjahr"}, {aSeason, 2, "sommer"}, {aSeason, 3, "herbst"}, {aSeason, 4, "winter"},
	{aHoliday, int8(weihnachten), "weihnachten"}, {aHoliday, int8(christmasEve), "heiligabend"},
	{aHoliday, int8(newYearsEve), "silvester"}, {aHoliday, int8(newYear), "neujahr"},
	{aHoliday, int8(ostern), "ostern"},
	{aHoliday, int8(easter), "ostersonntag"}, {aHoliday, int8(easterMonday), "ostermontag"},
	{aHoliday, int8(goodFriday), "karfreitag"},

	{aUnit, int8(Minute), "minute"}, {aUnit | plural, int8(Minute), "minuten"},
	{aUnit, int8(Hour), "stunde"}, {aUnit | plural, int8(Hour), "stunden"},
	{aUnit, int8(Day), "tag tages"}, {aUnit | plural, int8(Day), "tage tagen"},
	{aUnit, int8(Week), "woche"}, {aUnit | plural, int8(Week), "wochen"},
	{aUnit, int8(Month), "monat monats"}, {aUnit | plural, int8(Month), "monate monaten"},
	{aUnit, int8(Quarter), "quartal quartals"}, {aUnit | plural, int8(Quarter), "quartale quartalen"},
	{aUnit, int8(Year), "jahr jahres"}, {aUnit | plural, int8(Year), "jahre jahren"},
	{aWeekend, 0, "wochenende wochenendes"}, {aWeek, 0, "kw kalenderwoche"}, {aQ, 0, "q"},
	{anEdgeUnit, 3 + 4*int8(Month), "monatsende"}, {anEdgeUnit, 1 + 4*int8(Month), "monatsanfang"},
	{anEdgeUnit, 3 + 4*int8(Year), "jahresende"}, {anEdgeUnit, 1 + 4*int8(Year), "jahresanfang"},

	{aDayPart, morning, "früh vormittag"}, {aDayPart, noonTime, "mittag"}, {aDayPart, afternoon, "nachmittag"},
	{aDayPart, evening, "abend"}, {aDayPart, night, "nacht"},
	{aRelativeDay, 0, "heute"}, {aRelativeDay | aDayPart, 1, "morgen"}, {aRelativeDay, 2, "übermorgen"},
	{aRelativeDay, -1, "gestern"}, {aRelativeDay, -2, "vorgestern"}, {aNameBefore, 0, "guten schönen"},
	{aVersion, 0, "version v release"},
	{anHourMark, 0, "uhr"}, {aNoon, 24, "mitternacht"},

	{aNumber, 1, "ein eins eine einen einem einer eines"}, {aNumber, 2, "zwei zwo"}, {aNumber, 3, "drei"},
	{aNumber, 4, "vier"},
	{aNumber, 5, "fünf"}, {aNumber, 6, "sechs"}, {aNumber, 7, "sieben"}, {aNumber, 8, "acht"}, {aNumber, 9, "neun"},
	{aNumber, 10, "zehn"}, {aNumber, 11, "elf"}, {aNumber, 12, "zwölf"}, {aNumber, 13, "dreizehn"},
	{aNumber, 14, "vierzehn"},
	{aNumber, 15, "fünfzehn"}, {aNumber, 16, "sechzehn"}, {aNumber, 17, "siebzehn"}, {aNumber, 18, "achtzehn"},
	{aNumber, 19, "neunzehn"}, {aNumber, 20, "zwanzig"}, {aNumber, 30, "dreißig"}, {aNumber, 40, "vierzig"},
	{aNumber, 50, "fünfzig"},
	{aHalf | aTurn, 0, "halb halbe halben halbes"}, {aTurn, 0, "viertel"},
	{aVague, 3, "paar einige einigen mehrere mehreren wenige wenigen"},

	{anEdge, 1, "anfang"}, {anEdge, 2, "mitte"}, {anEdge, 3, "ende"},

	{anArticle, 0, "der die das den dem des"}, {aLead | anOnward, 0, "an"}, {aLead, 0, "am zu zum zur über"},
	{aLead | anAt, 0, "um"},
	{aPeriodLead | anAgoBefore, 1, "in"}, {aPeriodLead, 0, "im während"}, {aFor, 0, "für"}, {aLong, 0, "lang"},
	{aSince, 0, "seit"}, {aBy | aTo, 0, "bis"}, {aBy, 0, "spätestens"}, {aBefore | anAgoBefore | anUntil, -1, "vor"},
	{anAfter | aPast, 0, "nach"}, {aStart, 0, "ab"}, {aFrom | anOf, 0, "von"}, {aFrom, 0, "vom"},
	{aBetween, 0, "zwischen"},
	{anAnd, 0, "und"}, {aWithin, 0, "innerhalb binnen"}, {anEvery, 0, "jeden jede jedes jeder jedem alle"},
	{anAbout, 0, "etwa ungefähr rund circa ca gegen fast knapp gut"},
	{aMeasure, 0, "prozent euro dollar leute leuten menschen personen kilo kg km kilometer meter metern grad stück mal punkte fälle fällen seiten"},

	{aPastCue, 0, `war warst waren wart hatte hattest hatten wurde wurden ging gingen kam kamen sah sahen traf trafen kaufte kauften
			fuhr fuhren flog flogen aß fand fanden gab las schrieb sprach sagte sagten machte machten arbeitete wohnte lebte spielte
			lernte besuchte begann bekam blieb dachte nahm rief schlief starb trug verlor`},
	{aFutureCue, 0, "werde wirst wird werden werdet will wollen plane plant planen möchte möchten muss müssen soll sollen"},
	{anAuxiliary, 0, "habe hast hat haben habt bin bist ist sind seid"},
	{notPast, 0, "gehen geben genießen gewinnen gehören gelten gesund geht gibt genau"},
}

var german = func() lexicon {
	lex := newLexicon(germanWords, nil)
	inflect := func(r roles, n int8, stems string) {
		for stem := range strings.FieldsSeq(stems) {
			for _, ending := range []string{"e", "en", "er", "es", "em"} {
				lex.words[fold(stem+ending)] = lexeme{roles: r, n: n}
			}
		}
	}
	inflect(aDirection, -2, "vorletzt")
	inflect(aDirection, -1, "letzt vergangen vorig")
	inflect(aDirection, 0, "dies")
	inflect(aDirection, 1, "nächst kommend")
	inflect(aDirection, 2, "übernächst")
	for i, stem := range strings.Fields(
		`erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt vierzehnt
		fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst einundzwanzigst zweiundzwanzigst dreiundzwanzigst
		vierundzwanzigst fünfundzwanzigst sechsundzwanzigst siebenundzwanzigst achtundzwanzigst neunundzwanzigst dreißigst
		einunddreißigst`) {
		inflect(anOrdinal, int8(i+1), stem)
	}
	for d, day := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag") {
		for part, word := range map[int8]string{morning: "morgen vormittag früh", noonTime: "mittag",
			afternoon: "nachmittag", evening: "abend", night: "nacht"} {
			for w := range strings.FieldsSeq(word) {
				lex.words[fold(day+w)] = lexeme{roles: aDayCompound, n: int8(d) + 8*part}
			}
		}
	}
	lex.dayFirst, lex.dotted, lex.halfBefore = true, true, true
	lex.past = isParticiple
	return lex
}()

// isParticiple reports whether the lower-case word has the form of a German past participle. It counts only together
// with an auxiliary, because infinitives can have the same form.
func isParticiple(w string) bool {
	if len(w) < len("getan") || !strings.HasSuffix(w, "t") && !strings.HasSuffix(w, "en") && w != "getan" {
		return false
	}
	if strings.HasPrefix(w, "ge") {
		return true
	}
	for prefix := range strings.FieldsSeq("ab an auf aus ein fest her hin mit nach um vor weg zu zurück") {
		if rest, ok := strings.CutPrefix(w, prefix); ok && strings.HasPrefix(rest, "ge") {
			return true
		}
	}
	for prefix := range strings.FieldsSeq("be ver ent er zer") {
		if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) > 4 && strings.HasSuffix(rest, "t") {
			return true
		}
	}
	return strings.HasSuffix(w, "iert")
}
