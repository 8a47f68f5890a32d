package interview

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// sentences are the fixed sentences of an interview, in one language.
type sentences struct {
	repeated, skipped, again, unclear, noted, paused, done, incomplete string
	hint                                                               map[trilith.FieldType]string
	choices                                                            string // before the choices of a field
}

// spoken holds the sentences by language; others hear English.
var spoken = map[string]sentences{
	"en": {
		repeated: "Thank you, I have that already.", skipped: "No problem.", again: "Let me ask again.",
		unclear: "I did not quite get that.", noted: "Thank you, I have noted that.",
		paused: "Thank you. We can go on whenever you like.", done: "Thank you, that is all I wanted to know.",
		incomplete: "Thank you, that is all for today. Some things are still open.",
		hint: map[trilith.FieldType]string{
			trilith.FieldNumber: "A number would help.", trilith.FieldDate: "A date or a year would help."},
		choices: "Please choose: "},
	"de": {
		repeated: "Danke, das habe ich schon.", skipped: "Kein Problem.", again: "Noch einmal zu meiner Frage.",
		unclear: "Das habe ich noch nicht ganz verstanden.", noted: "Danke, das habe ich notiert.",
		paused: "Vielen Dank. Wir können jederzeit weitermachen.", done: "Vielen Dank, das war alles, was ich wissen wollte.",
		incomplete: "Vielen Dank, das war alles für heute. Einiges ist noch offen.",
		hint: map[trilith.FieldType]string{
			trilith.FieldNumber: "Eine Zahl würde helfen.", trilith.FieldDate: "Ein Datum oder ein Jahr würde helfen."},
		choices: "Zur Wahl stehen: "},
}

func say(language string) sentences {
	if s, ok := spoken[language]; ok {
		return s
	}
	return spoken["en"]
}

// The words below are folded: small letters, no accents, ss for ß. Both languages are always known, because people
// answer in the one that they like.
var (
	// skips are replies of people who do not know or do not want to answer.
	skips = phrases("i don't know", "i do not know", "don't know", "do not know", "dont know", "no idea", "not sure",
		"no clue", "cannot say", "can't say", "can not say", "skip", "skip it", "skip that", "pass", "next question",
		"next please", "rather not say", "no comment", "unknown",
		"beats me", "n a", "not applicable", "next",
		"weiss nicht", "weiss ich nicht", "weiss ich leider nicht", "weiss ich gerade nicht", "ich weiss nicht",
		"ich weiss es nicht", "das weiss ich nicht", "das weiss ich leider nicht", "ich weiss es leider nicht",
		"keine ahnung", "keinen schimmer", "k a", "kann ich nicht sagen", "kann ich dir nicht sagen",
		"kann ich ihnen nicht sagen", "dazu kann ich nichts sagen", "dazu weiss ich nichts", "uberspringen",
		"bitte uberspringen", "nachste frage", "bin mir nicht sicher", "nicht sicher", "unbekannt", "keine angabe",
		"mochte ich nicht sagen",
		"kann ich so nicht sagen", "kann ich nicht beantworten", "bin uberfragt", "bin ich uberfragt", "weiter", "passe")
	// stops end an interview if nothing else is said.
	stops = phrases("stop", "quit", "exit", "enough", "that's all for today", "that's enough", "that is enough",
		"that's it for today", "let's stop", "let's stop here", "i have to go", "goodbye", "bye",
		"stopp", "ende", "beenden", "schluss", "genug", "genug fur heute", "das reicht", "das reicht fur heute",
		"das war's", "das wars", "das war's fur heute", "das wars fur heute", "schluss fur heute", "aufhoren",
		"ich muss los", "tschuss", "pause")
	// around them people put these.
	fillers = set("ich", "i", "that", "das", "es", "it", "leider", "sorry", "sadly", "oh", "hm", "hmm", "ah", "well",
		"puh", "also", "honestly", "ehrlich", "gesagt", "gerade", "now", "right", "really", "so", "genau", "exactly",
		"im", "moment", "at", "the", "bitte", "please", "danke", "thanks", "thank", "you", "nein", "no", "da", "dazu",
		"okay", "ok", "that's", "auch", "nicht", "heute", "for", "today", "let", "us", "wirklich", "selber", "selbst",
		"myself", "either", "yet", "noch", "have", "habe", "hab", "haben", "wir", "we", "would", "i'd", "d", "a",
		"one", "this", "gar", "ganz", "uberhaupt", "just", "afraid", "am", "m", "mir", "aus", "dem", "kopf", "to", "lieber",
		"jetzt", "it's", "s")
	// questionWords begin a question.
	questionWords = set("what", "which", "why", "how", "who", "where", "when", "do", "does", "is", "are", "can", "could", "should",
		"was", "welche", "welcher", "welches", "warum", "wieso", "weshalb", "wie", "wer", "wo", "wann", "meinst", "meinen",
		"ist", "sind", "kannst", "konnen", "soll", "sollen", "wozu", "inwiefern", "und")
	// hedges say that a value is not sure.
	hedges = set("about", "around", "roughly", "approximately", "maybe", "perhaps", "probably", "guess", "think",
		"ungefahr", "circa", "ca", "etwa", "rund", "vielleicht", "wohl", "wahrscheinlich", "glaube", "schatze",
		"schatzungsweise", "vermutlich", "knapp", "uber")
	// corrections are words that say that a known value is wrong.
	corrections = set("actually", "correction", "wrong", "instead", "meanwhile", "anymore", "eigentlich", "korrektur",
		"falsch", "stattdessen", "mittlerweile", "inzwischen", "vertan", "korrigiere", "korrigieren")
	denials = set("not", "no", "without", "nicht", "kein", "keine", "keinen", "ohne", "never", "nie", "weder")

	nones = phrases("none", "null", "zero", "keine", "keiner")
	// persons are the words for the speaker and the interviewer, and how many other words make a statement beside them.
	persons = map[string]int{"i": 4, "me": 4, "ich": 4, "mich": 4, "mir": 4, "je": 4, "moi": 4, "you": 3, "your": 3, "du": 3,
		"dich": 3, "dir": 3, "dein": 3, "deine": 3, "euch": 3, "tu": 3, "toi": 3, "vous": 3, "votre": 3}
)

func set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// phrases are lists of words, the longest first.
func phrases(texts ...string) [][]string {
	out := make([][]string, len(texts))
	for i, t := range texts {
		out[i] = foldedWords(t)
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) })
	return out
}

func longestFirst(texts []string) []string {
	out := slices.Clone(texts)
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// inline is a text on one line.
func inline(s string) string { return strings.Join(strings.Fields(s), " ") }
