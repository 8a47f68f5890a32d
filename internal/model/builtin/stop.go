package builtin

import "strings"

// englishStops say nothing about the topic of a text. Both lists are folded and part of the model: changing one makes
// a new one.
const englishStops = `
a about after all also am an and any are as at be because been before being but by can could did do does doing don down
for from had has have having he her here hers him his how i if in into is isn it its just ll me more most my no not now
of off on one only or other our ours out over own re s same she should so some such t than that the their theirs them
then there these they this those through to too up us ve very was we were what when where which while who whom why will
with would you your yours
`

// germanStops are the German ones. Some have a meaning in English (war, die, hat).
const germanStops = `
aber als am an auch auf aus bei bin bis bist da das dass dein deine dem den der des die dies diese dieser dir doch du
durch ein eine einem einen einer eines er es euch fur hat hatte habe haben ich ihm ihn ihr ihre im in ist ja kann kein
keine mein meine mich mir mit nach nicht noch nur ob oder sein seine sich sie sind so uber um und uns unser vom von vor
war waren was weil wenn wer wie wir wird wo zu zum zur
`

// stopKind says where a word is a stop word.
type stopKind uint8

const (
	elsewhere  stopKind = iota + 1 // in another language than English
	everywhere                     // in English, and so wherever English is read
)

// stops holds the hashes of the stop words, as [sum.endWord] makes them.
var stops = func() map[uint64]stopKind {
	kinds := map[uint64]stopKind{}
	for kind, words := range map[stopKind]string{elsewhere: germanStops, everywhere: englishStops} {
		for w := range strings.FieldsSeq(words) {
			h := uint64(startWord)
			for _, r := range w {
				h = hashNext(h, r)
			}
			kinds[h] = max(kinds[h], kind)
		}
	}
	return kinds
}()
