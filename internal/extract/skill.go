package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

const (
	englishTongue = `(?:English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Ukrainian|Czech|Slovak|Hungarian|Romanian|Bulgarian|Greek|Turkish|Arabic|Hebrew|Persian|Farsi|Hindi|Urdu|Bengali|Punjabi|Tamil|` +
		`Mandarin|Cantonese|Chinese|Japanese|Korean|Vietnamese|Thai|Indonesian|Malay|Tagalog|Swahili|Swedish|Norwegian|Danish|Finnish|Icelandic|Estonian|Latvian|Lithuanian|Croatian|Serbian|Bosnian|Slovenian|Albanian|` +
		`Catalan|Basque|Galician|Irish|Welsh|Gaelic|Latin|Esperanto|Kurdish|Armenian|Georgian|Afrikaans|Zulu|Yoruba|Amharic|Somali|(?:American |British )?sign language)`
	germanTongue = `(?:Englisch|Deutsch|Französisch|Spanisch|Italienisch|Portugiesisch|Niederländisch|Holländisch|Polnisch|Russisch|Ukrainisch|Tschechisch|Slowakisch|Ungarisch|Rumänisch|Bulgarisch|Griechisch|Türkisch|` +
		`Arabisch|Hebräisch|Persisch|Farsi|Hindi|Urdu|Chinesisch|Mandarin|Japanisch|Koreanisch|Vietnamesisch|Thailändisch|Schwedisch|Norwegisch|Dänisch|Finnisch|Isländisch|Kroatisch|Serbisch|Bosnisch|Slowenisch|` +
		`Albanisch|Katalanisch|Irisch|Latein|Esperanto|Kurdisch|Gebärdensprache|Plattdeutsch|Schwyzerdütsch)`
	englishTongues = `(?P<x>` + englishTongue +
		`(?:(?:, | and | but also |, and |, some | as well as )(?:a little |some |a bit of )?` + englishTongue + `)*)`
	germanTongues = `(?P<x>` + germanTongue + `(?:(?:, | und | sowie |, ein bisschen | und etwas )` +
		germanTongue + `)*)`

	englishPlayed = `(?P<x>(?:the )?(?:piano|keyboards?|guitar|bass|bass guitar|electric guitar|violin|viola|cello|double bass|harp|flute|recorder|oboe|clarinet|saxophone|sax|trumpet|trombone|tuba|horn|French horn|drums|percussion|organ|` +
		`accordion|ukulele|banjo|mandolin|harmonica|bagpipes|sitar|tennis|table tennis|football|soccer|basketball|volleyball|handball|hockey|field hockey|ice hockey|rugby|cricket|baseball|softball|golf|badminton|squash|padel|` +
		`water polo|lacrosse|chess|go|bridge|poker|snooker|pool|darts|bowls|video games|board games|Minecraft|the lottery)(?:(?: and |, )(?:the )?(?:piano|guitar|bass|violin|viola|cello|flute|drums|clarinet|saxophone|trumpet|tennis|football|soccer|basketball|volleyball|chess|golf|badminton|hockey))*)`
	germanPlayed = `(?P<x>(?:Klavier|Keyboard|Gitarre|E-Gitarre|Bass|Geige|Violine|Bratsche|Cello|Kontrabass|Harfe|Flöte|Querflöte|Blockflöte|Oboe|Klarinette|Saxofon|Saxophon|Trompete|Posaune|Tuba|Horn|Waldhorn|Schlagzeug|Orgel|` +
		`Akkordeon|Ukulele|Mundharmonika|Fußball|Tennis|Tischtennis|Basketball|Volleyball|Handball|Hockey|Eishockey|Rugby|Golf|Badminton|Federball|Squash|Padel|Wasserball|Schach|Skat|Poker|Billard|Darts|Videospiele|Theater)` +
		`(?:(?: und |, )(?:Klavier|Gitarre|Geige|Cello|Flöte|Fußball|Tennis|Handball|Volleyball|Schach|Badminton|Schlagzeug|Trompete))*)`
	notGladly = `(?:(?:sehr|gut|auch|ganz|passabel|seit \S+(?: \S+)?|früher|regelmäßig|jeden \S+|immer|noch|fließend|ein bisschen|ein wenig|etwas|zu Hause|daheim|muttersprachlich|fast|perfekt) )*`
)

// skillRules find the languages that people speak or learn, what they play, and other skills.
var skillRules = []rule{
	{id: "en.speaks.1", triggers: "speak speaks", pattern: `(?:I|we|{Who})(?: can)? {adv}speaks? (?:fluent |some |a little |a bit of |good |decent |basic |conversational |native |both )*` + englishTongues, verb: "speaks", check: isList},
	{id: "en.speaks.2", triggers: "fluent bilingual conversational", pattern: `{who}(?:'m|'s| am| is) {adv}(?:fluent|bilingual|conversational|proficient) in ` + englishTongues, verb: "speaks", check: isList},
	{id: "en.speaks.3", triggers: "native mother first", pattern: `(?:my|{Who}'s) (?:native|first) (?:language|tongue) is ` + englishTongues, verb: "speaks", check: isList},
	{id: "en.speaks.4", triggers: "mother", pattern: `my mother tongue is ` + englishTongues, verb: "speaks", check: isList},
	{id: "en.speaks.5", triggers: "native mother first", pattern: `^` + englishTongues + ` is my (?:mother tongue|native (?:language|tongue)|first language)`, verb: "speaks", check: isList},
	{id: "en.speaks.7", triggers: "speaking", pattern: `{who} (?:grew up|was raised) (?:speaking|with) ` + englishTongues, verb: "speaks", check: isList},
	{id: "en.speaks.6", triggers: "native", pattern: `I(?:'m| am) a native (?:speaker of )?(?P<x>` + englishTongue + `)(?: speaker)?`, verb: "speaks", check: isList},
	{id: "en.learns.1", triggers: "learning", pattern: `{who}(?:'m|'s| am| is|'ve been| have been| has been)? {adv}(?:learning|taking lessons in|teaching myself|studying) (?:how )?(?:to (?:play|speak) )?(?P<x>(?:the )?(?:` + englishTongue + `|piano|guitar|violin|cello|drums|flute|saxophone|ukulele|chess|coding|programming|Python|JavaScript|carpentry|pottery|calligraphy|sign language|to (?:sail|swim|drive|ski|surf|dance|code|program|knit|sew|cook|juggle|paint|draw|ride|dive|fly)))\b`, verb: "learns", check: isList},
	{id: "en.plays.1", triggers: "play plays", pattern: `(?:I|{Who})(?: can)? {adv}plays? ` + englishPlayed + `\b`, verb: "plays", check: isList},
	{id: "en.plays.2", triggers: "playing", pattern: `{who}(?:'ve been| have been| has been|'m| am| is)? {adv}(?:been )?(?:learning|playing|taking up) ` + englishPlayed + ` (?:since|for|in|on|every|with)\b`, verb: "plays", check: isList},
	{id: "en.plays.3", triggers: "sing sings", pattern: `(?:I|{Who}) {adv}(?P<x>sings?) in (?:an?|the|our|my) (?:[a-z]+ )?(?:choir|band|chorus|church choir)`, verb: "does_regularly", check: singsInChoir},
	{id: "en.works_on.1", triggers: "working writing building developing restoring renovating", pattern: `I(?:'m| am|'ve been| have been) {adv}(?P<y>working on|writing|building|developing|restoring|renovating|recording|designing) (?P<x>(?:my|an?|our) (?:[\pL-]+ ){0,3}?(?:thesis|dissertation|PhD|novel|book|memoir|cookbook|app|album|screenplay|website|podcast|game|treehouse|boat|shed|house|cottage|kitchen|car|motorbike|cabin|start-?up|portfolio|documentary|film|library|robot|synthesi[sz]er|garden|greenhouse|blog)(?: (?:about|on|for) [\pL ]{3,40}?)?)` + after, verb: "works_on", check: isProject},
	{id: "de.speaks.1", triggers: "spreche spricht sprechen", pattern: `(?:ich spreche|spreche ich|{who} spricht|wir sprechen) {adv}` + notGladly + `(?:fließend |etwas |gut |ein bisschen |ein wenig |kein )*` + germanTongues, verb: "speaks", check: isGermanTongue},
	{id: "de.speaks.2", triggers: "muttersprache", pattern: `(?:meine|unsere) Muttersprache ist ` + germanTongues, verb: "speaks", check: isList},
	{id: "de.speaks.3", triggers: "muttersprache", pattern: `^` + germanTongues + ` ist meine (?:Muttersprache|Erstsprache)`, verb: "speaks", check: isList},
	{id: "de.speaks.4", triggers: "kann können", pattern: `(?:ich kann|kann ich|{who} kann) {adv}` + notGladly + germanTongues + `(?:[.,;!]|$| (?:und|aber|sprechen|lesen))`, verb: "speaks", check: isList},
	{id: "de.learns.1", triggers: "lerne lernt", pattern: `(?:ich lerne|lerne ich|{who} lernt) {adv}` + notGladly + `(?P<x>(?:` + germanTongue + `|Klavier|Gitarre|Geige|Cello|Flöte|Schlagzeug|Saxofon|Ukulele|Schach|Programmieren|Nähen|Segeln|Schwimmen|Tanzen|Töpfern|Stricken|Reiten|Autofahren|Python))(?: spielen| zu spielen)?\b`, verb: "learns", check: isList},
	{id: "de.plays.1", triggers: "spiele spielt spielen", pattern: `(?:ich spiele|spiele ich|{who} spielt|wir spielen) {adv}` + notGladly + `(?:gern |gerne |auch |noch )*` + germanPlayed + `\b`, verb: "plays", check: isList},
	{id: "de.plays.2", triggers: "kann", pattern: `(?:ich kann|kann ich|{who} kann) {adv}` + notGladly + germanPlayed + ` spielen`, verb: "plays", check: isList},
	{id: "de.plays.3", triggers: "singe singt", pattern: `(?:ich singe|singe ich|{who} singt) {adv}(?P<x>im (?:[\pL]+)?chor|in eine[rm] (?:[\pL]+)?(?:chor|band))`, verb: "does_regularly", check: singsInChoir},
	{id: "de.works_on.1", triggers: "schreibe baue arbeite renoviere restauriere entwickle", pattern: `(?:ich|(?-i:\bich)) (?P<y>schreibe|baue|arbeite|renoviere|restauriere|entwickle) {adv}(?:an )?(?P<x>(?:meine[rmn]?|eine[rmn]?|ein) (?:[\pL-]+ ){0,2}?(?:[\pL-]*(?:arbeit|Arbeit|Roman|Buch|Doktorarbeit|Dissertation|App|Album|Drehbuch|Baumhaus|Boot|Haus|Küche|Auto|Oldtimer|Spiel|Website|Podcast|Gewächshaus)))` + after, verb: "works_on", check: isProject},
}

// isList makes a fact of each item.
func isList(h *hit) bool {
	h.since()
	var items []string
	for _, item := range listed().Split(moreTongues.ReplaceAllString(h.x, ", "), -1) {
		for {
			cut := littleOf.ReplaceAllString(bare(tidy(item)), "")
			if cut == item {
				break
			}
			item = cut
		}
		if item = strings.TrimPrefix(item, "to "); item != "" {
			items = append(items, item)
		}
	}
	return h.setList(items)
}

var (
	moreTongues = compiled(`(?i)\s+(?:sowie|as well as|but also)\s+`)
	littleOf    = compiled(`(?i)^(?:some|a little|a bit of|etwas|ein bisschen|fluent|also)\s+`)
)

func isGermanTongue(h *hit) bool {
	if strings.Contains(lower(h.sentence.text[h.m[0]:h.m[1]]), " kein ") {
		h.Polarity = trilith.Negated
	}
	return isList(h)
}

func singsInChoir(h *hit) bool {
	h.Node.Name = [2]string{"sing in a choir", "im Chor singen"}[h.rule.lang]
	if strings.Contains(lower(h.sentence.text[h.m[0]:h.m[1]]), "band") {
		h.Node.Name = [2]string{"sing in a band", "in einer Band singen"}[h.rule.lang]
	}
	return h.Polarity == trilith.Affirmed && !often.MatchString(h.sentence.text)
}

// often matches a frequency, with which another rule finds a habit.
var often = compiled(`(?i)\b(?:every|jede[nrs]?|\pL+days|\pL+tags|mittwochs|weekly|twice|zweimal)\b`)

func isProject(h *hit) bool {
	h.Node.Name = bare(h.x)
	h.put("how", lower(h.y))
	return h.Polarity == trilith.Affirmed
}
