package interview

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
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

//go:embed words.txt
var wordsFile string

// wordsOfRow are the rows of words.txt, which names the purpose of each.
var wordsOfRow = maps.Collect(wordfile.Rows(wordsFile))

var (
	skips, stops, nones = phrases("skips"), phrases("stops"), phrases("nones")

	fillers, questionWords, hedges = set("fillers"), set("questionWords"), set("hedges")
	corrections, denials, copulas  = set("corrections"), set("denials"), set("copulas")
	speaker, interviewer           = set("speaker"), set("interviewer")
)

func set(row string) map[string]bool { return wordfile.Set(wordsOfRow[row]) }

// phrases are lists of words, the longest first.
func phrases(row string) [][]string {
	var out [][]string
	for t := range strings.SplitSeq(wordsOfRow[row], "|") {
		out = append(out, foldedWords(t))
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
