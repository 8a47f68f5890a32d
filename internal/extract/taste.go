package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// tasteRules find likes, dislikes, preferences and favourites.
var tasteRules = []rule{
	{id: "en.likes.1", triggers: "love loves like likes enjoy enjoys adore adores", pattern: `{who} {adv}(?:loves?|likes?|enjoys?|adores?) {thing}`, verb: "likes", check: isLiked},
	{id: "en.likes.2", triggers: "fan", pattern: `{who}(?:'m|'s| am| is) {adv}a (?:(?:big|huge|great|real) )?fan of {thing}`, verb: "likes", check: isLiked},
	{id: "en.likes.3", triggers: "fond keen", pattern: `{who}(?:'m|'s| am| is) {adv}(?:very |really )?(?:fond of|keen on|fascinated by) {thing}`, verb: "likes", check: isLiked},
	{id: "en.dislikes.1", triggers: "hate hates dislike dislikes detest detests loathe loathes", pattern: `{who} {adv}(?:hates?|dislikes?|detests?|loathes?) {thing}`, verb: "dislikes", check: isLiked},
	{id: "en.dislikes.2", triggers: "stand bear", pattern: `{who} (?:can't|cannot|can not) (?:stand|bear) {thing}`, verb: "dislikes", check: isLiked},
	{id: "en.prefers.1", triggers: "prefer prefers", pattern: `{who} {adv}prefers? {things}(?: (?:to|over|rather than|instead of) (?P<y>.{2,60}?))?{end}`, verb: "prefers", check: isLiked},
	{id: "en.favourite.1", triggers: "favourite favorite", pattern: `my {adv}(?:all-time )?favou?rite (?P<y>[\pL-]+(?: [\pL-]+)?) (?:is|are|has always been) (?:(?:now|currently|still|probably|definitely|actually|nowadays|these days) )*{thing}`, verb: "favourite_", check: isFavourite},
	{id: "de.likes.1", triggers: "mag liebe mögen lieben liebt", pattern: `(?:ich (?:mag|liebe)|wir (?:mögen|lieben)|{who} (?:mag|liebt)) {adv}{things}(?P<y> (?:gar |überhaupt )?nicht(?: mehr)?)?{end}`, verb: "likes", check: isLiked},
	{id: "de.likes.2", triggers: "mag liebe", pattern: `^(?:(?:und|aber) )?(?:den |die |das )?{short} (?:mag|liebe) ich(?P<y> (?:gar |überhaupt )?nicht(?: mehr)?)?(?: (?:besonders|sehr|auch|am liebsten|total|wirklich))*[.!,]?$`, verb: "likes", check: isLiked},
	{id: "de.likes.3", triggers: "gern gerne", pattern: `(?:ich ` + germanGlad + `|` + germanGlad + ` ich) {adv}(?:(?:sehr|wirklich|besonders|auch|immer|so) )*gerne?(?: {short})?(?:[.,;!]|$| (?:und|aber|weil|wenn|mit|in|am|im|auf|bei|an)\s)`, verb: "likes", check: isDoneGladly},
	{id: "de.likes.15", triggers: "gern gerne", needs: "esse trinke höre mag", pattern: `^(?:(?:und|aber|übrigens|ach),? )*{short} (?:esse|trinke|höre|mag) ich {adv}(?:(?:sehr|wirklich|richtig|auch|wieder) )*gerne?(?:[.,;!]|$| (?:und|aber|weil)\s)`, verb: "likes", check: isLiked},
	{id: "de.dislikes.1", triggers: "hasse hasst verabscheue", pattern: `(?:ich (?:hasse|verabscheue)|{who} hasst) {adv}{thing}`, verb: "dislikes", check: isLiked},
	{id: "de.dislikes.2", triggers: "ausstehen leiden", pattern: `(?:ich kann|kann ich|{who} kann) {short} (?:gar |überhaupt |einfach )*nicht (?:ausstehen|leiden)`, verb: "dislikes", check: isLiked},
	{id: "de.prefers.1", triggers: "bevorzuge bevorzugt", pattern: `(?:ich bevorzuge|{who} bevorzugt) {adv}{thing}`, verb: "prefers", check: isLiked},
	{id: "de.favourite.1", triggers: "*lieblings", pattern: `meine? (?:neue[rs]? )?{adv}Lieblings(?P<y>[\pL-]+) (?:ist|sind|heißt|war schon immer) (?:(?:jetzt|nun|inzwischen|mittlerweile|aktuell|zurzeit|immer noch|wohl|eindeutig|definitiv|inzwischen eher) )*{thing}`, verb: "favourite_", check: isFavourite},
}

// notLiked begin sentences without a taste: remarks on the conversation, requests, and placeholders.
var notLiked = compiled(
	`(?i)^(?:in|of|for|on|with|from|at|about|daran|darüber|how|it|this|that|these|those|what|when|where|why|you|your|him|her|them|the (?:idea|way|fact|sound|look|thought|plan|suggestion)|to (?:say|admit|ask|be|tell|bother|` +
		`interrupt|see|think|know|hear|have|disappoint)|myself|him|us|one|both|all|everything|nothing|so|a (?:lot|bit)|being|my (?:new|job)|our|i|we|each|every|half|up|yours|mine|hers|ich|saying|having to|` +
		`es|das|dies\w*|dich|euch|ihn|sie|ihr|dein\w*|wie|was|wenn|mich|mir|ja|sein|mal|nicht|nichts|alles|dir|so|deine|zu|die (?:Idee|Art)|den (?:Plan|Gedanken)|der)\b`)

// objectBefore begins words after a verb whose object comes before it: what I like best about the sea, the part I like
// most is the end.
var objectBefore = compiled(
	`(?i)^(?:the )?(?:best|better|most|more|least|less)(?: (?:about|of|in|at|on|with|when|while|is|are|was|were|than)\b|[,;:]|$)`)

// danglingPreposition ends a clause whose object comes before it, as in a game I like to lose at, or a comparison.
var danglingPreposition = compiled(`(?i)\s(?:at|with|about|on|of|for|to|from|better|best|more|besser)$`)

var (
	// we have like ten of them
	similar = compiled(`(?i)(?:\b(?:am|are|is|was|were|have|has|had|be|got)|['’](?:m|re|ve|s))\s+(?:\pL+\s+)?like\s`)
	// … of two words for one thing
	another = compiled(`^,\s[a-zäöüß-]+(?:er|ed|ing|ious|ous|ful|ive|al|ic|y|e|n|t|d)\s(?:and\s\pL+\s)?[\pL]+`)
	// a safe, inviting place
	cutOff = compiled(`(?i)\b(?:an?|the|more|very)\s\pL+$`)
)

// isAnother reports whether a comma separates two words for one thing, and not two clauses.
func isAnother(after string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(after, ", "), " ")
	return another.MatchString(after) && !notAnother[first]
}

var notAnother = wordSet(
	"especially particularly but and so because which who like with it even although though since when while as just too mostly not there they he she we what where then is are")

func isLiked(h *hit) bool {
	h.x = strings.TrimSpace(h.x)
	if cut := anyMoreEnd.ReplaceAllString(h.x, ""); cut != h.x && h.Polarity == trilith.Negated {
		h.x, h.Ends = cut, true
	}
	if similar.MatchString(h.sentence.text[h.m[0]:h.m[1]]) || cutOff.MatchString(h.x) &&
		isAnother(h.sentence.text[h.m[2*h.rule.groups().x+1]:]) {
		return false
	}
	h.x = tailless(h.x)
	if notLiked.MatchString(h.x) || objectBefore.MatchString(h.x) || h.remarks() ||
		danglingPreposition.MatchString(h.x) || len(strings.Fields(h.x)) > 8 || h.rule.lang == german &&
		strings.ToLower(h.x) == h.x {
		return false
	}
	y := strings.TrimSpace(h.y)
	if cut, over := strings.CutSuffix(y, "nicht mehr"); over {
		y, h.Ends = cut+"nicht", true
	}
	if strings.HasSuffix(y, "nicht") {
		h.Polarity = trilith.Negated
	} else if h.y != "" && h.rule.verb == "prefers" {
		h.put("to", tidy(h.y))
	}
	if h.rule.verb == "prefers" || h.Polarity == trilith.Negated {
		h.Node.Name = bare(h.x)
		return true
	}
	return h.setList(h.items())
}

var (
	leadingArticle = compiled(
		`(?i)^(?:(?:an?|the|my|some|any|ein|eine|einen|einem|einer|der|die|das|den|dem|mein|meine|meinen|unser|unsere|unseren|kein|keine|keinen)\s+)+`)
	anyMoreEnd    = compiled(`(?i)\s+(?:any ?more|any longer|mehr)$`)
	trailingWords = compiled(
		`(?i)\s+(?:very much|a lot|so much|too|as well|the most|most|more|sehr gern|sehr gerne|richtig gern|richtig gerne|gern|gerne|richtig|sehr|total|auch|besonders|wirklich|überhaupt|gar|im moment|these days|again|myself|lately|right now|recently|so far)$`)
)

// bare removes the article before a value and the degree after it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if title := leadingArticle.FindString(s); title != "" &&
		!(strings.HasPrefix(title, "The ") || strings.HasPrefix(title, "A ")) {
		s = s[len(title):]
	}
	return trailingWords.ReplaceAllString(s, "")
}

// germanGlad are first persons of the verbs used with gern.
const germanGlad = `(?:lese|spiele|trinke|esse|höre|koche|sehe|backe|sammle|male|singe|schreibe|fotografiere|tanze|wandere|schwimme|klettere|reise|angle)`

var firstGlad = compiled(`(?i)\b` + germanGlad + `\b`)

// infinitives of the verbs used with gern.
var infinitives = map[string]string{"lese": "lesen", "spiele": "spielen", "trinke": "trinken", "esse": "essen",
	"höre": "hören", "koche": "kochen", "sehe": "sehen", "backe": "backen",
	"sammle": "sammeln", "male": "malen", "singe": "singen", "schreibe": "schreiben", "fotografiere": "fotografieren",
	"tanze": "tanzen", "wandere": "wandern",
	"schwimme": "schwimmen", "klettere": "klettern", "reise": "reisen", "angle": "angeln"}

// gladOfWhat matches verbs whose object comes before them: "Oliven esse ich gern" is no liking of eating.
var gladOfWhat = compiled(`(?i)(?:esse|trinke|höre|sehe|sammle) ich`)

func isDoneGladly(h *hit) bool {
	if notLiked.MatchString(h.x) || h.x == "" && gladOfWhat.MatchString(h.sentence.text[h.m[0]:h.m[1]]) {
		return false
	}
	h.Node.Name = strings.TrimSpace(
		bare(h.x) + " " + infinitives[lower(firstGlad.FindString(h.sentence.text[h.m[0]:h.m[1]]))])
	return true
}

var notSlug = compiled(`[^a-z0-9]+`)

// slug turns a word of a text into the end of a verb.
func slug(s string) string {
	s = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(strings.ToLower(s))
	s = strings.Trim(notSlug.ReplaceAllString(s, "_"), "_")
	return strings.Trim(s[:min(len(s), 40)], "_")
}

// title matches a name that begins with an article.
var title = compiled(`^(?:The|A|Das|Der|Die) \p{Lu}`)

func isFavourite(h *hit) bool {
	what := slug(h.y)
	if what == "" || notLiked.MatchString(h.x) && !title.MatchString(h.x) {
		return false
	}
	if what == "color" {
		what = "colour"
	}
	h.Verb = "favourite_" + what
	h.Node.Name = h.x
	if !title.MatchString(h.x) {
		h.Node.Name = bare(h.x)
	}
	return true
}

// dietRules find allergies, intolerances and things that people do not eat.
var dietRules = []rule{
	{id: "en.allergic.1", triggers: "allergic", pattern: `{who}(?:'m|'s| am| is) {adv}(?:(?:badly|severely|highly|deathly) )?allergic to {thing}`, verb: "allergic_to", check: isSubstances},
	{id: "en.allergic.2", triggers: "allergy", pattern: `(?:I|{Who}) {adv}(?:have|has) an? (?:(?:bad|severe) )?allergy to {thing}`, verb: "allergic_to", check: isSubstances},
	{id: "en.allergic.3", triggers: "allergy", pattern: `(?:I|{Who}) {adv}(?:have|has) an? (?P<x>[\pL-]+) allergy`, verb: "allergic_to", check: isSubstances},
	{id: "en.intolerant.1", triggers: "intolerant", pattern: `{who}(?:'m|'s| am| is) {adv}(?P<x>lactose|gluten|fructose|histamine)[ -]intolerant`, verb: "intolerant_to"},
	{id: "en.intolerant.2", triggers: "tolerate", pattern: `I (?:can't|cannot|don't) tolerate (?P<x>lactose|gluten|fructose|histamine|dairy|milk|wheat|soy)\b`, verb: "intolerant_to"},
	{id: "en.diet.1", triggers: "vegetarian vegan pescatarian halal kosher", pattern: `{who}(?:'m|'s| am| is|'ve been| have been) {adv}(?:an? )?(?:fully |completely |strictly |totally |strict )?(?P<x>vegetarian|vegan|pescatarian)(?:[.,;!]|$| (?:and|for|since|but|now|so)\b)`, verb: "follows_diet", check: isDiet},
	{id: "en.diet.2", triggers: "diet", pattern: `{who}(?:'m|'s| am| is|'ve been| have been|'ve gone| went)? {adv}(?:on|follow|follows|following|doing|eat|eats) (?:a |the )(?:(?:strict|mostly) )?(?P<x>keto|ketogenic|paleo|low-carb|gluten-free|dairy-free|vegan|vegetarian|Mediterranean|FODMAP|low-FODMAP|plant-based|carnivore|raw food) diet\b`, verb: "follows_diet", check: isNamedDiet},
	{id: "en.avoids.1", triggers: "eat drink", pattern: `I (?:don't|do not|never|can't|no longer) (?P<y>eat|drink) (?:any )?(?P<x>[a-z][a-z-]+(?: or [a-z-]+)?(?: [a-z-]+)?)(?:[.,;!]|$| (?:and|because|at all|anymore|since|but)\b)`, verb: "avoids", check: isAvoided},
	{id: "de.allergic.1", triggers: "allergisch", pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:(?:stark|schwer|hoch) )?allergisch (?:gegen|auf) {thing}`, verb: "allergic_to", check: isSubstances},
	{id: "de.allergic.2", triggers: "allergisch", pattern: `(?:ich bin|{who} ist) {adv}gegen {short} allergisch`, verb: "allergic_to", check: isSubstances},
	{id: "de.allergic.3", triggers: "allergie", pattern: `(?:ich habe|{who} hat) eine (?:starke |schwere )?Allergie gegen {thing}`, verb: "allergic_to", check: isSubstances},
	{id: "de.allergic.4", triggers: "*allergie", pattern: `(?:ich habe|{who} hat) eine (?P<x>[\pL]{3,20}?)s?-?allergie\b`, verb: "allergic_to", check: isGermanAllergy},
	{id: "de.intolerant.1", triggers: "vertrage verträgt", pattern: `(?:ich vertrage|{who} verträgt) (?:leider )?kein(?:e|en)? (?P<x>Laktose|Lactose|Gluten|Fruktose|Histamin|Milch|Weizen|Soja)\b`, verb: "intolerant_to"},
	{id: "de.intolerant.2", triggers: "*unverträglichkeit *intoleranz", pattern: `(?:ich habe|{who} hat) eine (?P<x>Laktose|Lactose|Gluten|Fruktose|Histamin)-?(?:unverträglichkeit|intoleranz)`, verb: "intolerant_to"},
	{id: "de.diet.1", triggers: "vegetarier vegetarierin veganer veganerin vegan vegetarisch", pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:eine? )?(?P<x>Vegetarier(?:in)?|Veganer(?:in)?|vegan|vegetarisch)(?:[.,;!]|$| (?:und|seit|aber)\s)`, verb: "follows_diet", check: isDiet},
	{id: "de.diet.2", triggers: "vegan vegetarisch", pattern: `(?:ich (?:ernähre mich|esse|lebe)|{who} (?:ernährt sich|isst|lebt)) {adv}(?P<x>vegan|vegetarisch)`, verb: "follows_diet", check: isDiet},
	{id: "de.avoids.1", triggers: "esse trinke", pattern: `(?:ich (?P<y>esse|trinke)|(?:esse|trinke) ich) (?:grundsätzlich |überhaupt |gar )?kein(?:e|en)? (?P<x>(?-i:\p{Lu})[\pL-]+)(?: mehr)?(?:[.,;!]|$| (?:und|weil|seit|aber)\s)`, verb: "avoids", check: isAvoided},
}

var (
	listed        = compiled(`\s*(?:,|\band\b|\bor\b|\bund\b|\boder\b|&)\s*`)
	notSubstances = wordSet(
		"mornings early drama commitment meetings deadlines exercise sport sports effort hard responsibility stupid idiots people fun maths politics bureaucracy compliments small cleaning housework sport stress lügen unpünktlichkeit hausarbeit frühaufstehen ungerechtigkeit anything mondays monday nothing everything you it this that bullshit work stupidity etwas nichts alles arbeit montage dummheit many some")
	notAvoided = wordSet(
		"before after at in out here much enough lunch breakfast dinner anything nothing it that and or with for on spaß blatt breakfast. late too from until")
)

// isSubstances makes a fact of every item of an enumeration.
func isSubstances(h *hit) bool {
	var items []string
	for _, item := range listed().Split(h.x, -1) {
		item = bare(item)
		ws := strings.Fields(lower(item))
		if len(ws) == 0 || len(ws) > 4 || notSubstances[ws[0]] || len(items) == 8 {
			continue
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return false
	}
	h.Node.Name = items[0]
	for _, item := range items[1:] {
		h.second("allergic_to", item, h.Ends)
	}
	return true
}

func isGermanAllergy(h *hit) bool {
	h.x = h.doubled(h.x)
	return isSubstances(h)
}

// doubled restores the second s of the first part of a German compound, if it belongs to the word: Nussallergie.
func (h *hit) doubled(x string) string {
	if n := h.rule.groups().x; strings.HasSuffix(x, "s") && strings.HasPrefix(h.sentence.text[h.m[2*n+1]:], "s") {
		return x + "s"
	}
	return x
}

func isDiet(h *hit) bool {
	h.x = strings.ToLower(h.x)
	if h.rule.lang == german && strings.HasPrefix(h.x, "veget") {
		h.x = "vegetarisch"
	} else if strings.HasPrefix(h.x, "vegan") {
		h.x = "vegan"
	}
	h.Node.Name = h.x
	h.since()
	return true
}

// isNamedDiet is for diets that are no word for the person: "on a keto diet".
func isNamedDiet(h *hit) bool {
	h.Node.Name = "on a " + h.x + " diet"
	h.since()
	return true
}

func isAvoided(h *hit) bool {
	h.Node.Name = h.x
	return !notAvoided[lower(strings.Fields(h.x)[0])]
}
