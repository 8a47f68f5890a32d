package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// fancyRules find tastes in everyday wordings.
var fancyRules = []rule{
	{id: "en.likes.4", triggers: "into", pattern: `{who}(?:'m|'s| am| is|'ve been| have been) {adv}(?:really |very |super |big |so |heavily |totally )*into {thing}`, verb: "likes", check: isLiked},
	{id: "en.likes.5", triggers: "crazy passionate obsessed mad addicted hooked nuts", pattern: `{who}(?:'m|'s| am| is) {adv}(?:really |very |totally |absolutely |completely |a bit )*(?:crazy about|passionate about|obsessed with|mad about|addicted to|hooked on|nuts about) {thing}`, verb: "likes", check: isLiked},
	{id: "en.likes.6", triggers: "fan", pattern: `{who}(?:'m|'s| am| is) {adv}(?:a |an )?(?:really |very |huge |big |massive |total |lifelong |avid |not much of |not )*(?:a )?fan of {thing}`, verb: "likes", check: isLiked},
	{id: "en.likes.7", triggers: "favourite favorite", pattern: `^(?:(?:and|so|but|these days|nowadays|lately|right now|at the moment|currently|by now),? )*(?:(?:(?:I'd|I would|I have to|I must) (?:now )?(?:say|admit)|I (?:think|guess|suppose)) (?:that )?)?{short} (?:is|are|has become|have become|became) {adv}my (?:new |all-time |absolute )?favou?rites?(?: (?P<y>[\pL-]+(?: [\pL-]+)??))?(?: (?:now|these days|nowadays|at the moment|right now))?[.!,]?$`, verb: "favourite_", check: isFavouriteFirst},
	{id: "en.likes.8", triggers: "hobby hobbies pastime pastimes", pattern: `my (?:main |favou?rite |only |biggest )?(?:hobby|hobbies|pastimes?|passions?)(?: is| are|:| include) {things}(?:[.;!]|$)`, verb: "likes", check: isLiked},
	{id: "en.likes.9", triggers: "enough", pattern: `I (?:can't|cannot|can never) get enough (?:of )?{thing}`, verb: "likes", check: isLiked, whole: true},
	{id: "en.likes.10", triggers: "enjoy enjoys like likes love loves", pattern: `(?:we|{Who} and I) (?:(?:both|all|really|absolutely|also|just) )*(?P<y>love|like|enjoy|adore) {thing}`, verb: "likes", check: isSharedLiking},
	{id: "en.dislikes.3", triggers: "care", pattern: `{who} (?:don't|doesn't|do not|never) (?:really |much )?care (?:much )?for {thing}`, verb: "dislikes", check: isLiked, whole: true},
	{id: "en.dislikes.4", triggers: "rather", pattern: `I(?:'d| would) (?:much )?rather (?:have |drink |eat |go |be |watch |read |take )?(?P<x>[a-z][a-z ]{2,30}?) than (?P<y>[a-z][a-z ]{2,30}?)(?:[.,;!]|$)`, verb: "prefers", check: isRather, whole: true},
	{id: "en.drinks.1", triggers: "take drink like prefer", pattern: `I {adv}(?:take|drink|like|have|prefer) my (?P<y>coffee|tea|steak|eggs|whisky|martini)s? (?P<x>black|white|strong|weak|decaf|with [\pL ]{3,30}|without [\pL ]{3,20}|rare|medium|medium rare|well done|scrambled|poached|neat|iced|sweet)` + after, verb: "prefers", check: isServed},
	{id: "de.dislikes.4", triggers: "ausstehen leiden", pattern: `^{short} kann ich (?:(?:gar|überhaupt|einfach|absolut) )*nicht (?:ausstehen|leiden|ab)`, verb: "dislikes", check: isLiked, whole: true},
	{id: "de.likes.4", triggers: "stehe steht", pattern: `(?:ich stehe|{who} steht) {adv}(?:(?:total|voll|sehr|richtig|echt) )*auf {thing}`, verb: "likes", check: isFancied},
	{id: "de.likes.5", triggers: "fan", pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:ein |eine )?(?:großer |riesiger |absoluter |echter |kein |kein großer )*Fan (?:von |der |des )?{thing}`, verb: "likes", check: isFanned},
	{id: "de.likes.6", triggers: "liebsten", pattern: `am liebsten (?P<y>esse|trinke|höre|lese|spiele|koche|sehe|schaue|mag|habe) ich {thing}`, verb: "likes", check: isDearest},
	{id: "de.likes.7", triggers: "liebsten", pattern: `ich (?P<y>esse|trinke|höre|lese|spiele|koche|sehe|schaue|mag) am liebsten {thing}`, verb: "likes", check: isDearest},
	{id: "de.likes.8", triggers: "schmeckt schmecken", pattern: `{short} (?:schmeckt|schmecken) mir(?P<y> (?:überhaupt |gar )?nicht)?(?: (?:sehr|richtig|total|gut|besonders|super|inzwischen|mittlerweile|jetzt|neuerdings|plötzlich|auf einmal|ganz|wirklich|lecker|doch))*[.!,]`, verb: "likes", check: isLiked},
	{id: "de.likes.9", triggers: "begeistert fasziniert interessiere", pattern: `ich (?:interessiere mich|begeistere mich) {adv}(?:(?:sehr|total|brennend) )*für {thing}`, verb: "likes", check: isLiked},
	{id: "de.likes.10", triggers: "hobby hobbys", pattern: `(?:mein (?:größtes |liebstes )?Hobby ist|meine Hobbys sind) {things}(?:[.;!]|$)`, verb: "likes", check: isLiked},
	{id: "en.likes.20", triggers: "favourite favorite", needs: "new", pattern: `(?:listen to|reading|watching|playing|going to|go to|eating|drinking|to|is|at) (?P<x>[\pL\pN][^,;.!?]{1,40}), (?:which is )?(?:now )?my new favou?rite (?P<y>[\pL-]+)(?:[.,;!]|$| (?:now|these|at)\b)`, verb: "favourite_", check: isFavouriteFirst},
	{id: "de.likes.11", triggers: "lieblingsessen *lieblings", pattern: `^(?:(?:und|also|aber) )?{short} (?:ist|sind) {adv}meine? (?:neue[rs]? )?Lieblings(?P<y>[\pL-]+)[.!,]?$`, verb: "favourite_", check: isFavouriteFirst},
	{id: "de.likes.13", triggers: "lieblingsessen *lieblings", pattern: `^(?:(?:und|aber) )?(?:inzwischen|mittlerweile|jetzt|heute|neuerdings|aktuell|zurzeit) (?:ist|sind) {short} meine? (?:neue[rs]? )?Lieblings(?P<y>[\pL-]+)[.!,]?$`, verb: "favourite_", check: isFavouriteFirst},
	{id: "de.likes.12", triggers: "finde findet", pattern: `(?:ich finde|{who} findet) {adv}{short} (?:(?:total|richtig|sehr|einfach|so|ganz|echt) )*(?P<y>toll|super|großartig|klasse|lecker|spannend|wunderbar|eklig|ekelhaft|furchtbar|schrecklich|widerlich|grässlich|langweilig|doof)[.!,]?(?:$|\s)`, verb: "likes", check: isFound},
	{id: "de.dislikes.3", triggers: "anfangen", pattern: `mit {short} kann ich (?:gar |überhaupt )?nichts anfangen`, verb: "dislikes", check: isLiked, whole: true},
}

func isFavouriteFirst(h *hit) bool {
	if lower(h.y) == "" || notThing[lower(h.y)] {
		h.Verb = "likes"
		return isLiked(h)
	}
	return isFavourite(h)
}

// isSharedLiking treats a liking of "we" as the speaker's, if "we" is the subject: not "those we love".
func isSharedLiking(h *hit) bool {
	if who := h.named("who"); who == "" && !beginsClause(h.sentence.text[:h.m[0]]) {
		return false
	}
	h.Subject, h.Name, h.kin, h.y = SpeakerSubject, "", "", ""
	return isLiked(h)
}

// notThing lists words after "my favourite" that do not name a sort of thing.
var notThing = wordSet("one thing ever too")

func isRather(h *hit) bool {
	h.Node.Name = bare(h.x)
	h.put("to", tidy(h.y))
	return !notLiked.MatchString(h.x)
}

func isServed(h *hit) bool {
	h.Node.Name = lower(h.y) + " " + lower(h.x)
	return h.Polarity == trilith.Affirmed
}

// notFancied follow "ich stehe auf" and name a place to stand.
var notFancied = compiled(
	`(?i)^(?:de[mnr] |einem? |der |verlorenem|dünnem|eigenen|und |wenn|um |kriegsfuß|abruf|meiner |deiner )`)

func isFancied(h *hit) bool { return !notFancied.MatchString(h.x) && isLiked(h) }

func isFanned(h *hit) bool {
	if strings.Contains(lower(h.sentence.text[h.m[0]:h.m[1]]), " kein ") {
		h.Polarity = trilith.Negated
	}
	return isLiked(h)
}

func isDearest(h *hit) bool {
	if notLiked.MatchString(h.x) {
		return false
	}
	verb := infinitives[lower(h.y)]
	switch lower(h.y) {
	case "mag", "habe", "esse", "trinke", "höre", "schaue":
		verb = ""
	}
	h.Node.Name = strings.TrimSpace(bare(h.x) + " " + verb)
	return true
}

var praise = wordSet("toll super großartig klasse lecker spannend wunderbar")

func isFound(h *hit) bool {
	if !praise[lower(h.y)] {
		h.Verb = "dislikes"
	}
	return isLiked(h)
}
