package extract

import (
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith/internal/dates"
)

// personRules find facts about a person: name, home, origin, age and birthday.
var personRules = []rule{
	{id: "en.name.1", triggers: "name name's surname", pattern: `my (?:full |first |last |middle |real )?(?:name|surname)(?:'s| is) {name}`, verb: "has_name", check: isName},
	{id: "en.name.2", triggers: "called", pattern: `I(?:'m| am) called {name}`, verb: "has_name", check: isName},
	{id: "en.name.3", triggers: "call", pattern: `^(?:(?:please|just|but|and|you can|oh) )*call me {name}[.!,]`, verb: "goes_by", check: isName},
	{id: "en.name.4", triggers: "call", pattern: `(?:most people|everyone|everybody|my friends|people|friends|they all) calls? me {name}`, verb: "goes_by", check: isName},
	{id: "en.name.5", triggers: "name's", pattern: `^the name's {name}`, verb: "has_name", check: isName},
	{id: "en.name.6", triggers: "i i'm", pattern: `^(?:hi|hello|hey|good (?:morning|evening|afternoon))[ ,!.]+I(?:'m| am) {name}(?:,|[.!]?$| and | from )`, verb: "has_name", check: isName},
	{id: "en.name.7", triggers: "i i'm", pattern: `^I(?:'m| am) {name} and I(?:'m| am) new`, verb: "has_name", check: isName},
	{id: "de.name.1", triggers: "heiße heisse", pattern: `(?:ich heiß?s?s?e|und heiß?s?s?e) {adv}{name}`, verb: "has_name", check: isName},
	{id: "de.name.2", triggers: "name vorname nachname", pattern: `mein (?:Vor|Nach|Familien)?name (?:ist|lautet) {name}`, verb: "has_name", check: isName},
	{id: "de.name.3", triggers: "nenn nennt nennen", pattern: `^(?:(?:bitte|aber|und) )?nennt? mich (?:(?:einfach|bitte|doch|gern|ruhig) )*{name}[.!,]?$`, verb: "goes_by", check: isName},
	{id: "de.name.4", triggers: "nennen nennt", pattern: `(?:alle|die meisten|meine Freunde|Freunde) nenn(?:en|t) mich (?:(?:nur|einfach) )*{name}`, verb: "goes_by", check: isName},
	{id: "de.name.5", triggers: "nennen", pattern: `(?:Sie können|du kannst|ihr könnt) mich (?:(?:einfach|gern) )*{name} nennen`, verb: "goes_by", check: isName},
	{id: "de.name.6", triggers: "bin", pattern: `^(?:(?:hallo|hi|hey|moin|guten Tag|servus)[ ,!.]+)?ich bin (?:die|der) {name}(?:,|[.!]?$| und | aus )`, verb: "has_name", check: isGivenName},

	{id: "en.lives_in.1", triggers: "live lives", pattern: `{who} {adv}lives? (?:with (?:\S+ ){1,3}?)?(?:(?:in|on) an? (?:[\pL-]+ ){0,3}?(?:flat|apartment|house|studio|cottage|bungalow|farm|houseboat|village|suburb|room|duplex|loft|condo) )?(?:in|near|just outside|outside|outside of) {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.2", triggers: "moved relocated", pattern: `(?:I|we)(?:'ve)? {adv}(?:moved|relocated) (?:here |back |over |out )?from {place} to {place2}`, verb: "lives_in", check: movedBetween},
	{id: "en.lives_in.3", triggers: "moved relocated", pattern: `(?:I|we)(?:'ve)? {adv}(?:moved|relocated) (?:back |over |out |here )?to {place}`, verb: "lives_in", check: isMove},
	{id: "en.lives_in.4", triggers: "based", pattern: `{who}(?:'m|'s| am| is) {adv}based in {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.5", triggers: "lived living", pattern: `I(?:'ve| have|'m| am) {adv}(?:been )?liv(?:ed|ing) in {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.6", triggers: "live", pattern: `I used to live in {place}`, verb: "lives_in", ends: true, check: isHome},
	{id: "en.lives_in.7", triggers: "home", pattern: `my home is (?:now )?in {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.8", triggers: "moved relocated", pattern: `{Who} (?:has )?{adv}(?:moved|relocated) (?:back |over |out |here )?to {place}`, verb: "lives_in", check: isMove},
	{id: "en.lives_in.17", triggers: "moved relocated", pattern: `{Who} (?:has )?{adv}(?:moved|relocated) (?:here |back |over |out )?from {place} to {place2}`, verb: "lives_in", check: movedBetween},
	{id: "de.lives_in.1", triggers: "wohne lebe wohnen leben wohnt lebt", pattern: `(?:{who} (?:wohnt|lebt)|ich (?:wohne|lebe)|(?:wohne|lebe) ich|wir (?:wohnen|leben)|(?:wohnen|leben) wir) {adv}(?:mit (?:\S+ ){1,3}?)?(?:in (?:der |den |dem )?(?:Nähe von )?|im (?:schönen )?|bei ){place}`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.2", triggers: "wohne lebe", pattern: `(?:dass|weil|da|wo) ich {adv}in (?:der |den )?{place} (?:wohne|lebe)\b`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.3", triggers: "gezogen umgezogen", pattern: `(?:bin ich|ich bin|wir sind|sind wir) (?:\S+ ){0,4}?von {place} nach {place2} (?:um)?gezogen`, verb: "lives_in", check: movedBetween},
	{id: "de.lives_in.4", triggers: "gezogen umgezogen", pattern: `(?:bin ich|ich bin|wir sind|sind wir) (?:[^ ,]+ ){0,4}?(?:nach|in die) {place} (?:um)?gezogen`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.5", triggers: "gewohnt gelebt", pattern: `(?:früher (?:habe|hab) ich|ich (?:habe|hab) früher) (?:\S+ ){0,3}?in (?:der )?{place} (?:gewohnt|gelebt)`, verb: "lives_in", ends: true, check: isHome},
	{id: "de.lives_in.6", triggers: "wohnort", pattern: `mein Wohnort ist {adv}{place}`, verb: "lives_in", check: isHome},

	{id: "en.origin.1", triggers: "from", pattern: `{who}(?:'m|'s| am| is) {adv}from {place}`, verb: "comes_from", check: isHome},
	{id: "en.origin.2", triggers: "come comes", pattern: `{who} {adv}comes? (?:originally )?from {place}`, verb: "comes_from", check: isHome},
	{id: "en.origin.3", triggers: "grew raised", pattern: `(?:I|{Who}) (?:grew up|was raised) in {place}`, verb: "comes_from", check: isHome},
	{id: "en.origin.4", triggers: "born", pattern: `(?:I|{Who}) was born (?:and raised )?in {place}`, verb: "born_in", check: isHome},
	{id: "en.origin.5", triggers: "i i'm am", pattern: `{who}(?:'m|'s| am| is) {adv}(?:an? )?(?P<x>` + englishNations + `)\b`, verb: "has_nationality", check: isNation},
	{id: "en.age.1", triggers: "old", pattern: `{who}(?:'m|'s| am| is) {adv}(?P<x>\d{1,3}) years old`, verb: "has_age", check: isAge},
	{id: "en.age.2", triggers: "turned", pattern: `I(?:'ve)? {adv}turned (?P<x>\d{1,3})(?: (?:today|yesterday|last \w+|this \w+))?[.,!]?(?:\s|$)`, verb: "has_age", check: isAge},
	{id: "en.birthday.1", triggers: "birthday", pattern: `my birthday(?:'s| is) (?:on )?(?P<x>[^;.!]{4,30})`, verb: "has_birthday", check: isBirthday},
	{id: "en.birthday.2", triggers: "born", pattern: `I was born (?:on|in) (?P<x>[^;.!]{4,30})`, verb: "has_birthday", check: isBirthday},
	{id: "de.origin.1", triggers: "komme kommt stamme stammt", pattern: `(?:ich (?:komme|stamme)|(?:komme|stamme) ich|{who} (?:kommt|stammt)) {adv}aus (?:der |dem |den )?{place}(?: |[.,!]?$)`, verb: "comes_from", check: isOrigin},
	{id: "de.origin.2", triggers: "aufgewachsen", pattern: `(?:aufgewachsen bin ich in (?:der )?{place})`, verb: "comes_from", check: isHome},
	{id: "de.origin.3", triggers: "aufgewachsen", pattern: `ich bin in (?:der )?{place} aufgewachsen`, verb: "comes_from", check: isHome},
	{id: "de.origin.4", triggers: "geboren", pattern: `(?:ich bin|bin ich|ich wurde|wurde ich) (?:am \S+ \S+ \d{4} )?in (?:der )?{place} geboren`, verb: "born_in", check: isHome},
	{id: "de.origin.5", triggers: "bin", pattern: `(?:ich bin|bin ich) {adv}(?P<x>` + germanNations + `)\b`, verb: "has_nationality", check: isNation},
	{id: "de.age.1", triggers: "alt", pattern: `(?:ich bin|bin ich) {adv}(?P<x>\d{1,3}) Jahre alt`, verb: "has_age", check: isAge},
	{id: "de.age.2", triggers: "geworden", pattern: `(?:ich bin|bin ich) (?:\S+ ){0,2}?(?P<x>\d{1,3}) geworden`, verb: "has_age", check: isAge},
	{id: "de.birthday.1", triggers: "geburtstag", pattern: `mein Geburtstag ist (?P<x>am [^,;!]{4,30})`, verb: "has_birthday", check: isBirthday},
	{id: "de.birthday.2", triggers: "geboren", pattern: `(?:ich bin|bin ich|ich wurde) (?P<x>am [^,;!]{4,30}?)(?: in (?:\S+))? geboren`, verb: "has_birthday", check: isBirthday},
	{id: "de.birthday.3", triggers: "jahrgang", pattern: `ich bin Jahrgang (?P<x>(?:19|20)\d\d)`, verb: "has_birth_year"},
	{id: "de.birthday.4", triggers: "geburtstag", pattern: `ich habe (?P<x>am [^,;!]{4,30}?) Geburtstag`, verb: "has_birthday", check: isBirthday},
}

// notNames are capitalised words after "call me" and "my name is" that are no names.
var notNames = wordSet("crazy back later maybe old-fashioned ishmael sir madam on at in the a your my not hase altmodisch verrückt nicht auf programm krieg")

func isName(h *hit) bool {
	return isPerson(h.x) && !notNames[lower(strings.Fields(h.x)[0])]
}

// notGivenNames follow "ich bin der" and name a role.
var notGivenNames = wordSet(
	"neue neuer chef chefin mann frau letzte erste einzige meinung richtige falsche beste vater mutter sohn tochter leiter leiterin hausmeister")

func isGivenName(h *hit) bool {
	return isName(h) && !notGivenNames[lower(strings.Fields(h.x)[0])]
}

// notPlaces follow "live in" and "wohne in" with a capital letter and are no places.
var notPlaces = wordSet(
	"fear peace hope sin january february march april may june july august september october november december monday tuesday wednesday thursday " +
		"friday saturday sunday english german i spring summer autumn winter christmas " +
		"angst frieden miete untermiete scheidung trennung armut saus freude ruhe wohngemeinschaft partnerschaft haus hause beziehung harmonie wohlstand sünde erdgeschoss keller " +
		"dachgeschoss obergeschoss hotel heim wald moment januar februar märz mai juni juli oktober dezember sommer frühling herbst montag eltern freunden gegenwart vergangenheit nähe")

func isPlace(name string) bool {
	ws := strings.Fields(name)
	if len(ws) > 1 && lower(ws[0]) == "the" {
		ws = ws[1:]
	}
	return len(ws) > 0 && !notPlaces[lower(ws[0])] && (len(ws) > 1 || !notPersons[lower(ws[0])])
}

func isHome(h *hit) bool {
	if strings.HasPrefix(lower(h.x), "the ") && !theCountries[lower(h.x)] {
		return false
	}
	h.Node.Name = strings.TrimSuffix(h.x, " I")
	h.since()
	return isPlace(h.Node.Name)
}

var theCountries = map[string]bool{"the netherlands": true, "the uk": true, "the us": true, "the usa": true,
	"the united states": true, "the united kingdom": true,
	"the philippines": true, "the czech republic": true, "the hague": true, "the bronx": true,
	"the faroe islands": true, "the gambia": true, "the bahamas": true,
	"the maldives": true, "the highlands": true, "the cotswolds": true, "the alps": true}

// notOrigins follow "ich komme aus dem" and are no places of birth.
var notOrigins = wordSet(
	"lachen büro staunen haus kino urlaub bett bad kopf stau supermarkt krankenhaus garten keller meeting termin gespräch staub schwitzen takt " +
		"team marketing vertrieb zug")

func isOrigin(h *hit) bool {
	return !strings.Contains(h.group(h.rule.groups().adv), "gerade") &&
		!notOrigins[lower(strings.Fields(h.x)[0])] && isHome(h)
}

func movedBetween(h *hit) bool {
	if !isPlace(h.x) || !isPlace(h.y) || !h.movesHouse(h.x) || !h.movesHouse(h.y) {
		return false
	}
	h.Node.Name = h.y
	h.since()
	h.second("lives_in", h.x, true)
	return true
}

func isAge(h *hit) bool {
	n, err := strconv.Atoi(h.x)
	return err == nil && 3 <= n && n <= 115
}

var yearOfBirth = compiled(`^(?:19|20)\d\d\b`)

// isBirthday handles a day, with a year if given. A year alone is no birthday.
func isBirthday(h *hit) bool {
	if y := yearOfBirth.FindString(h.x); y != "" {
		h.Verb, h.Node.Name = "has_birth_year", y
		return true
	}
	n := h.rule.groups().x
	for _, e := range h.within(max(0, h.m[2*n]-4), h.m[2*n+1]) {
		if e.Granularity == dates.Day && e.Kind == dates.Point {
			layout := "01-02"
			if hasYear.MatchString(h.sentence.text[e.Start:e.End]) {
				layout = "2006-01-02"
			} else if !hasDigit.MatchString(h.sentence.text[e.Start:e.End]) {
				continue // tomorrow
			}
			h.Node.Name = e.From.Format(layout)
			return true
		}
	}
	return false
}

var (
	hasYear  = compiled(`\b(?:19|20)\d\d\b`)
	hasDigit = compiled(`\d`)
)

const (
	englishNations = `American|Argentinian|Australian|Austrian|Belgian|Brazilian|British|Bulgarian|Canadian|Chilean|Chinese|Colombian|Croatian|Czech|Danish|Dutch|Egyptian|` +
		`English|Estonian|Ethiopian|Filipino|Finnish|French|German|Ghanaian|Greek|Hungarian|Icelandic|Indian|Indonesian|Iranian|Irish|Israeli|Italian|Japanese|Kenyan|` +
		`Korean|Latvian|Lebanese|Lithuanian|Mexican|Moroccan|Nigerian|Norwegian|Pakistani|Peruvian|Polish|Portuguese|Romanian|Russian|Scottish|Serbian|Slovak|Spanish|` +
		`Swedish|Swiss|Syrian|Thai|Turkish|Ukrainian|Vietnamese|Welsh`
	germanNations = `Deutscher?|Österreicher(?:in)?|Schweizer(?:in)?|Schwed(?:e|in)|Norweger(?:in)?|Dän(?:e|in)|Finn(?:e|in)|Franz(?:ose|ösin)|Italiener(?:in)?|Spanier(?:in)?|` +
		`Portugies(?:e|in)|Pol(?:e|in)|Tschech(?:e|in)|Ungar(?:in)?|Griech(?:e|in)|Türk(?:e|in)|Russ(?:e|in)|Ukrainer(?:in)?|Niederländer(?:in)?|Belgier(?:in)?|Ir(?:e|in)|` +
		`Brit(?:e|in)|Engländer(?:in)?|Schott(?:e|in)|Amerikaner(?:in)?|Kanadier(?:in)?|Brasilianer(?:in)?|Inder(?:in)?|Chines(?:e|in)|Japaner(?:in)?|Syrer(?:in)?`
)

// nationalities maps the beginning of a German noun to its adjective.
var nationalities = map[string]string{"deutsche": "deutsch", "österreicher": "österreichisch",
	"schweizer": "schweizerisch", "schwed": "schwedisch", "norweger": "norwegisch",
	"dän": "dänisch", "finn": "finnisch", "franz": "französisch", "italiener": "italienisch", "spanier": "spanisch",
	"portugies": "portugiesisch", "pol": "polnisch",
	"tschech": "tschechisch", "ungar": "ungarisch", "griech": "griechisch", "türk": "türkisch", "russ": "russisch",
	"ukrainer": "ukrainisch", "niederländer": "niederländisch",
	"belgier": "belgisch", "ir": "irisch", "brit": "britisch", "engländer": "englisch", "schott": "schottisch",
	"amerikaner": "amerikanisch", "kanadier": "kanadisch",
	"brasilianer": "brasilianisch", "inder": "indisch", "chines": "chinesisch", "japaner": "japanisch",
	"syrer": "syrisch"}

func isNation(h *hit) bool {
	if h.rule.lang == english {
		after := h.sentence.text[h.m[1]:]
		next := words(nil, after)
		return !strings.HasPrefix(after, " ") || len(next) == 0 || englishAfterNation[next[0]]
	}
	best := ""
	for stem := range nationalities {
		if strings.HasPrefix(lower(h.x), stem) && len(stem) > len(best) {
			best = stem
		}
	}
	h.Node.Name = nationalities[best]
	return h.Node.Name != ""
}

var englishAfterNation = wordSet("and but so by in with living from too myself originally")
