package extract

import (
	"strings"
)

// pairs are things whose names consist of two words.
var pairs = compiled(`(?i)\b(?:fish and chips|rock(?: and |\s?&\s?|\s?['’]n['’]\s?)roll|rhythm and blues|drum and bass|mac(?:aroni)? and cheese|bed and breakfast|salt and (?:pepper|vinegar)|black and white|arts and crafts|` +
	`peace and quiet|peanut butter and jelly|ham and (?:cheese|eggs)|bacon and eggs|surf and turf|gin and tonic|bread and butter|dungeons (?:and|&) dragons|tom and jerry|simon and garfunkel|sweet and sour|cut and dried|` +
	`ups and downs|ins and outs|Katz und Maus|Schwarz und Weiß|Kaffee und Kuchen|Höhen und Tiefen|Spaghetti mit|Tom und Jerry|Kraut und Rüben)\b`)

// listOf splits an enumeration into items.
func listOf(s string) (items []string) {
	if pairs.MatchString(s) {
		return []string{tidy(s)}
	}
	for _, item := range listed().Split(s, -1) {
		if item = bare(tidy(item)); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// setList makes the first item the value and adds a fact for each other. It reports whether there is any.
func (h *hit) setList(items []string) bool {
	if len(items) == 0 {
		return false
	}
	h.Node.Name = items[0]
	for _, item := range items[1:min(len(items), 8)] {
		h.second(h.Verb, item, h.Ends)
	}
	return true
}

// further matches the rest of an enumeration after a value that ended before it: ", jazz and strong tea".
var further = compiled(`^((?:,\s+[\pL][\pL'’-]*(?:\s[\pL'’-]+){0,2})*),?\s+(?:and|und|&|or|oder)\s+((?:(?:the|my)\s)?[\pL][\pL'’-]*(?:\s[\pL'’-]+){0,2})(?:[.!;]|$|\s(?:but|because|so|most|aber|weil|sehr)\b)`)

// notItem matches the beginning of another clause, which is not an item of a list.
var notItem = compiled(`(?i)^(?:I|I'\w+|we|you|he|she|it|they|there|this|that|then|so|also|not|never|don't|can't|am|is|are|was|were|have|has|had|would|wouldn't|wouldnt|couldn't|could|can|can't|might|will|want|hate|just|really|always|usually|sometimes|what|how|who|when|where|more|vice|` +
	`ich|wir|du|er|sie|es|man|das|da|dann|auch|nicht|nie|bin|ist|habe|hat|war|immer|manchmal|meistens|möchte|will|würde)\b`)

// items returns the items of an enumeration that begins with the value x, or x alone.
func (h *hit) items() []string {
	n := h.rule.groups().x
	end := h.m[2*n] + len(strings.TrimRight(h.sentence.text[h.m[2*n]:h.m[2*n+1]], " "))
	items := listOf(h.x)
	if len(items) > 1 && !isEnumeration(h.x, items) {
		items = []string{bare(tidy(h.x))}
	}
	m := further.FindStringSubmatch(h.sentence.text[end:])
	if m == nil {
		return items
	}
	var more []string
	for _, item := range append(strings.Split(m[1], ","), m[2]) {
		item = tidy(item)
		if item == "" {
			continue
		}
		if notItem.MatchString(item) || notLiked.MatchString(item) && !strings.HasPrefix(item, "the ") &&
			!strings.HasPrefix(item, "my ") {
			return items
		}
		more = append(more, bare(item))
	}
	return append(items, more...)
}

var (
	startsArticle = compiled(`(?i)^(?:the|an?|to|das|der|die|den|ein|eine|einen)\s`)
	pointsBack    = compiled(`(?i)\b(?:it|them|that|this|which|stuff|things|so on|etc|other)\b`)
)

// isEnumeration distinguishes several things from one thing with two words for it: "the smell and taste of rain". The
// items of an enumeration have the same form: all or none with an article, all or none an activity.
func isEnumeration(x string, items []string) bool {
	parts := listed().Split(strings.TrimSpace(x), -1)
	for i, part := range parts[1:] {
		if startsArticle.MatchString(parts[0]) != startsArticle.MatchString(part) || pointsBack.MatchString(part) ||
			notItem.MatchString(part) {
			return false
		}
		first, next := strings.Fields(parts[0]), strings.Fields(parts[i+1])
		if len(next) == 0 || len(first) > 1 && strings.HasSuffix(first[0], "ing") &&
			!strings.HasSuffix(next[0], "ing") {
			return false
		}
	}
	return len(items) <= 8
}
