package mention

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/lazyre"
)

// Some facts end in words that share none with their value: somebody who lived in Leeds is "back home in Bristol", a
// student of law has "dropped out". A turn mentions such a fact when its speaker talks about himself in words that are
// used for little else.

// topic is what facts of some verbs are about, and the words that speak of it.
type topic struct {
	name  string // no word begins so
	verbs []string
	stems []string // each text that speaks of it holds one of them; looking for them is cheap
	words lazyre.Regexp
}

func topicOf(verbs, stems, words string) topic {
	return topic{"\x00" + verbs, strings.Fields(verbs), strings.Split(stems, "|"),
		lazyre.New(`(?i)(?:^|[^\pL])(?:` + words + `)(?:[^\pL]|$)`)}
}

var topics = []topic{
	topicOf(`lives_in has_address`,
		`home|back|moved|moving|relocat|live|living|place|flat|apartment|address|packed|wieder|zurück|hause|daheim|zogen|umzug|wohn|ziehe|adresse|bleibe|mietvertrag`,
		`(?:my|our) (?:new |own )*(?:home|place|flat|apartment|address) is|home is|at home in|(?:back|home) (?:again )?(?:home |living )?in (?-i:\p{Lu})\pL+|moved (?:back|out|house|home|away|in with)|moved (?:back )?to (?-i:\p{Lu})\pL+|`+
			`moving (?:back|out|house)|relocated|(?:I|we)(?:'m|'re| am| are)? (?:now )?liv(?:e|ing) (?:in|with|near|at)|new (?:flat|apartment|address)|packed (?:up )?(?:everything|my bags|our bags)|`+
			`wieder (?:zurück )?in (?-i:\p{Lu})\pL+|zurück (?:in|nach) (?-i:\p{Lu})\pL+|zu ?hause in|zu ?hause (?:bin|ist|sind)|in \pL+ (?:zu ?hause|daheim)|zu ?hause ist|um(?:ge)?zogen|(?:weg|hin|aus|ein|zurück|nach \pL+ |in \pL+ )ge?zogen|gezogen|umzug|(?:wohne|wohnen) (?:ich|wir|jetzt|nun|seit)|`+
			`(?:ich|wir) wohnen?|ziehe(?:n)? (?:ich|wir)|(?:neue|eigene) (?:wohnung|adresse|bleibe)|(?:wohnung|mietvertrag) (?:ist )?gekündigt`),
	topicOf(`works_at works_as works_in has_work_status`,
		`job|employ|boss|notice|resign|quit|retire|fired|sack|hired|laid off|redundant|let go|boot|start|last day|kündig|entlassen|gefeuert|arbeitslos|rente|ruhestand|stelle|arbeitgeber|angefangen`,
		`my (?:new |old |last |first )?(?:job|employer|boss|notice|resignation)|new job|(?:quit|lost|left) (?:my|the) job|(?:I|I've|I'm|I was|we) (?:have |just |got |been )*(?:quit|resigned|retired|fired|sacked|hired|laid off|made redundant|let go)|got the sack|got the boot|redundant|`+
			`unemployed|between jobs|start(?:ed|ing)? (?:work )?(?:at|with) (?-i:\p{Lu})\pL+|last day at|`+
			`gekündigt|kündigung|entlassen|gefeuert|arbeitslos|in rente|ruhestand|ne(?:uer|uen) job|neue stelle|neue[nr]? arbeitgeber|(?:mein|meinen) (?:neuer |neuen |alter |alten )?job|meine (?:neue |alte )?stelle|angefangen bei|bei (?-i:\p{Lu})\pL+ angefangen`),
	topicOf(`studies studies_in studies_at`,
		`degree|studies|course|thesis|uni|college|drop|graduat|expelled|studi|exmatrik|hochschule`,
		`(?:my|the) (?:degree|studies|course|thesis)|(?:uni|university|college) (?:and|is|was)|(?:quit|left|finished) (?:uni|university|college)|dropp?(?:ed|ing) out|graduat(?:ed|ion)|expelled|`+
			`studium|studiums|uni|universität|exmatrikuliert|exmatrikulation|studienabbruch|hochschule`),
	topicOf(`has_partner has_spouse has_husband has_wife has_marital_status`,
		`broke|split|divorc|separated|single|my ex|moved out|girlfriend|boyfriend|fianc|together|dating|seeing|relationship|met some|engaged|trenn|scheid|schied|schluss|mein ex|meine ex|verlassen|zusammen|verlobt|verliebt|kennengelernt|beziehung`,
		`(?:broke|broken|split|splitting) up|divorced?|separated|single again|I'm single|my ex|moved out|my (?:new )?(?:girlfriend|boyfriend|fiancée?)|(?:we|we['’]re|we are|I['’]m|I am) (?:now )?(?:together|dating|engaged|seeing (?:someone|somebody))|in a relationship|met some(?:one|body)|`+
			`wir sind (?:jetzt |nun |wieder )?(?:zusammen|verlobt)|verliebt|jemanden? kennengelernt|in einer beziehung|getrennt|trennung|scheidung|geschieden|wieder single|single|schluss gemacht|mein ex|meine ex|verlassen`),
	topicOf(`follows_diet avoids allergic_to intolerant_to`,
		`eat|ate|have|having|had|order|plate|menu|alarm|esse|teller|tisch|verträg|vertrag`,
		`(?:eat|eating|ate|eats|have|having|had|can have|order(?:ed)?) (?:everything|anything|whatever I)|on my plate|back on the menu|false alarm|`+
			`esse (?:ich )?(?:wieder )?alles|fehlalarm|auf (?:den|dem|meinem) (?:teller|tisch)|verträglich|vertrage`),
	topicOf(`follows_diet`,
		`meat|chicken|beef|pork|steak|burger|bacon|ham|sausage|fish|salmon|tuna|turkey|lamb|fleisch|fisch|wurst|schnitzel|hähnchen|huhn|speck|schinken|lachs|käse|eier|milch`,
		`(?:eat|eating|ate|had|having|ordered|grilled|fried|love|enjoyed?) (?:\pL+ ){0,3}?(?:meat|chicken|beef|pork|steaks?|burgers?|bacon|ham|sausages?|fish|salmon|tuna|turkey|lamb)|(?:chicken|beef|pork|steak|bacon|ham|sausages?|fish|salmon|tuna|meat)(?: \pL+){0,3}? (?:for (?:lunch|dinner|breakfast)|again|back)|`+
			`(?:fleisch|fisch|wurst|schnitzel|steak|hähnchen|huhn|speck|schinken|burger|lachs|käse|eier|milch)(?: \pL+){0,5}? (?:gegessen|wieder|gegrillt|gebraten|bestellt)|(?:esse|aß|wieder)(?: \pL+){0,3}? (?:fleisch|fisch|wurst|schnitzel|steak|hähnchen|speck|schinken|burger|lachs|käse|eier)`),
}

// themselves are words for the speaker, and others begin a sentence about somebody else.
var (
	themselves = lazyre.New(
		`(?i)(?:^|[^\pL])(?:I|we|me|us|my|our|ich|wir|mich|mir|uns|meine?[nmrs]?|unser(?:e[nmrs]?)?)(?:[^\pL]|$)`)
	ofOneself = lazyre.New(
		`(?i)(?:^|[^\pL])(?:I|we|ich|wir|(?:my|our|mein|unser) (?:\pL+ )?(?:home|job|zuhause|wohnort|wife|husband|partner|girlfriend|boyfriend|spouse|fiancée?)|meine? (?:ehe)?(?:frau|mann|partner|partnerin|freund|freundin))(?:[^\pL]|$)`)
	others = lazyre.New(
		`(?i)^\W*(?:(?:so|and|but|und|aber|also),? )?(?:he|she|they|you|your|his|her|their|er|sie|du|ihr|man|dein\w*|sein\w*|ihre?\w*|(?:the|der|die|das|some|two|(?:my|our|meine?|unsere?) (?:\pL+ )?(?:friend|sister|brother|mother|father|mum|mom|dad|parents|son|daughter|colleague|neighbou?rs?|boss|cousin|uncle|aunt|` +
			`freund\w*|schwester|bruder|mutter|vater|eltern|sohn|tochter|kollege\w*|kollegin\w*|nachbar\w*|chef\w*|cousine?|onkel|tante|oma|opa)) |(?-i:\p{Lu}\pL+) (?:is|was|has|ist|war|hat|says|sagt|lives|wohnt|moved|works|quit|left)\b)`)
)

// ownSums are words for what somebody pays or gets, by the verbs of such facts: the next sum shares no word with the
// value.
var ownSums = map[string]string{"has_rent": "rent mortgage miete kaltmiete warmmiete",
	"has_salary": "salary wage gehalt lohn", "has_debt": "debt loan mortgage schulden kredit darlehen"}

// TopicKeys are what a fact of a verb is about: the topics that somebody spoke of himself in, what belongs to the sort
// of food or drink that he leaves alone, and words for what he pays or gets. A turn with one of them asks nothing by
// itself.
func TopicKeys(verb, said string) (keys []Key) {
	for _, w := range wordsOf(ownSums[verb]) {
		keys = append(keys, Key{Letters: w.letters(), word: w.folded})
	}
	if !ofOneself.MatchString(said) {
		return keys
	}
	for _, t := range topics {
		if slices.Contains(t.verbs, verb) {
			keys = append(keys, Key{Letters: t.name, topic: true})
		}
	}
	if slices.Contains(leftAlone, verb) {
		for _, w := range wordsOf(said) {
			for _, member := range sorts[w.letters()] {
				keys = append(keys, Key{Letters: member, sort: true})
			}
		}
	}
	return keys
}

// leftAlone are the verbs of facts about what somebody does not eat or drink.
var leftAlone = []string{"avoids", "allergic_to", "intolerant_to", "dislikes"}

// sorts are words for sorts of food and drink, and what belongs to them, all by their first letters: who drinks no
// alcohol and has a glass of wine has spoken of it again.
var sorts = sortsOf(`
	alcohol alkohol: wine beer beers ale cider whisky whiskey vodka gin rum champagne prosecco cocktail cocktails margarita pint lager wein bier sekt schnaps cocktail glühwein weinschorle radler
	dairy lactose milk milchprodukte laktose milch: milk cheese yoghurt yogurt cream butter latte cappuccino milkshake milch käse joghurt sahne quark eis
	gluten wheat weizen: bread pasta pizza baguette croissant toast noodles brot nudeln pizza brötchen kuchen
	nuts nüsse: almonds walnuts hazelnuts cashews pistachios peanuts pecans mandeln walnüsse haselnüsse erdnüsse pistazien
	meat fleisch: beef pork chicken steak burger bacon ham sausage sausages lamb wurst schnitzel hähnchen speck schinken hackfleisch
	fish fisch: salmon tuna cod trout sushi sardines herring lachs thunfisch forelle kabeljau hering
	shellfish seafood meeresfrüchte: shrimp shrimps prawns lobster crab mussels oysters garnelen hummer krabben muscheln austern
	sugar sweets zucker süßigkeiten: chocolate cake candy cookies biscuits dessert doughnut schokolade kuchen kekse bonbons torte nachtisch
	caffeine koffein: coffee espresso latte cappuccino cola kaffee
	fruit obst: apple apples banana bananas strawberries kiwi peaches pears apfel äpfel banane erdbeeren birnen pfirsiche`)

// sortsOf reads a table with a line for each sort: its names, a colon, and what belongs to it.
func sortsOf(table string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(table) {
		names, members, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		var letters []string
		for _, w := range wordsOf(members) {
			letters = append(letters, w.letters())
		}
		for _, w := range wordsOf(names) {
			out[w.letters()] = append(out[w.letters()], letters...)
		}
	}
	return out
}

// readTopics notes the topics of a turn. Patterns are expensive, so only sentences with a stem are looked at.
func (t Turn) readTopics() {
	small := strings.ToLower(t.text)
	if len(small) != len(t.text) { // places would differ
		small = t.text
	}
	for i := range topics {
		if start, ok := topics[i].in(t.text, small); ok {
			t.words[topics[i].name] = []word{{start: start}}
		}
	}
}

// in returns where a text speaks of a topic first, as far as its speaker means himself.
func (t *topic) in(text, small string) (start int, ok bool) {
	start = len(text)
	for _, stem := range t.stems {
		for at := 0; at < start; {
			next := strings.Index(small[at:start], stem)
			if next < 0 {
				break
			}
			f, question := sentence(text, at+next)
			if said := text[f.Start:f.End]; !question && t.words.MatchString(said) && ofSpeaker(said) {
				start, ok = at+next, true
			}
			at = max(at+next+len(stem), f.End)
		}
	}
	return start, ok
}

// ofSpeaker reports whether somebody speaks of himself in a sentence.
func ofSpeaker(said string) bool {
	return !others.MatchString(said) && (themselves.MatchString(said) || len(strings.Fields(said)) <= mostElliptic)
}

// ofSpeaker returns where the speaker first speaks of himself with one of some words, or -1.
func (t Turn) ofSpeaker(words []word) int {
	for _, w := range words {
		f, question := sentence(t.text, w.start)
		if !question && ofSpeaker(t.text[f.Start:f.End]) {
			return w.start
		}
	}
	return -1
}

// mostElliptic is how many words a sentence has that somebody says of himself without a word for that.
const mostElliptic = 12
