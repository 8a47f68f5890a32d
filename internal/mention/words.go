package mention

import "strings"

// vague are words that hold too many facts together to tell one of them: days, spans of time, sums of no matter, and
// the verbs and nouns of small talk that are no stop words.
var vague = wordSet(`
	monday tuesday wednesday thursday friday saturday sunday weekend weekday today tomorrow yesterday tonight morning afternoon evening night noon
	january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
	day days week weeks month months year years hour hours minute minutes moment while later soon early late ago
	thing things stuff way lot bit kind sort part place people person man woman guy guys someone something anything everything nothing everyone
	good great nice bad fine sure well okay ok yes no maybe really actually probably still also even just only always never often sometimes again
	new old big small little long short high low first second third last next other same different many much few several
	get got getting go going gone went come coming came make making made take taking took give giving gave put say said tell told talk ask asked
	think thought know knew see saw look looking find found feel felt want wanted need needed like liked love try trying let keep use used work
	eur usd gbp chf euro euros dollar dollars pound pounds percent total amount sum number
	montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag wochenende heute morgen gestern abend mittag nacht nachmittag vormittag frueh
	januar februar märz mai juni juli oktober dezember
	tag tage tagen woche wochen monat monate monaten jahr jahre jahren stunde stunden minute minuten uhr zeit moment
	ding dinge sache sachen art weise teil ort stelle leute mensch menschen mann frau kerl
	gut gute guten guter gutes schlecht schön toll super okay ja nein doch eben halt mal schon noch immer wieder nie oft manchmal wirklich eigentlich
	neu neue neuen neuer neues alt alte alten groß große klein kleine lang kurz hoch erste ersten zweite dritte letzte letzten nächste nächsten
	gehen geht gehe ging gegangen kommen kommt komme kam gekommen machen macht mache machte gemacht nehmen nimmt nehme geben gibt gebe gab
	sagen sagt sage sagte gesagt fragen denken denke dachte wissen weiß wusste sehen sehe sieht sah finden finde findet fand fühlen
	brauchen brauche braucht wollen mögen lassen lasse halten gerade vielleicht natürlich endlich bald später früher
	euro prozent betrag summe nummer`)

// months are words for months that are names of people too, and beforeMonth are words before a month.
var (
	months      = wordSet("jan april may june august mai")
	beforeMonth = wordSet(`in of by since until till from to for on last next this early mid late end im ab seit bis ende anfang mitte vom zum am
		1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31`)
)

// everyday are German words that people use of many matters: sharing one of them tells little. How common English words
// are, the table of word vectors knows.
var everyday = wordSet(`
	arbeit arbeiten arbeitet job firma büro chef kollege kollegen kollegin projekt termin aufgabe plan urlaub reise ferien
	haus wohnung zimmer küche garten stadt straße land schule kind kinder familie mutter vater eltern bruder schwester tochter sohn freund freunde freundin
	hund katze auto bahn zug bus rad fahrrad geld preis kosten rechnung vertrag angebot kaufen bezahlen bestellen
	essen trinken kochen kaffee tee brot wasser milch fleisch fisch gemüse obst restaurant frühstück abendessen
	arzt praxis krank gesund schmerzen sport laufen schwimmen lesen buch film musik spielen spiel telefon handy mail nachricht computer
	fahren fahre fährt helfen hilft anrufen rufen schreiben schreibt treffen reden bringen holen suchen wohnen wohne wohnt leben lebe lebt
	name frage problem idee grund ende anfang seite hand kopf welt leben wetter sonne regen`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[fold(w)] = true
	}
	return set
}
