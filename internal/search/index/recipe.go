package index

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// RecipeVersion is the version of [TextOf] and [EmbeddingTextOf]. It is part of every generation, so that vectors made
// from another recipe are never compared with new ones; raise it with every change of those texts. [PlainTextOf] is
// bound to the models of the embedders that it is for instead, so that nothing has to be paid for again when it
// changes. wordsVersion is the version of [WordsOf]; a snapshot of a text index of another version is rebuilt.
const (
	RecipeVersion = 2
	wordsVersion  = 3
)

// Bounds of the key fields in [EmbeddingTextOf]: a vector stands for the topic of a text, and a long tail of details
// would pull it away from that.
const (
	maxKeyFields     = 16
	maxKeyFieldBytes = 64
)

// WordsOf returns the text of a memory as the text index holds it. The speaker and time of a turn are not among its
// words: the index stores them separately, and as words they would match in every turn of a named person. All else is
// as in [TextOf].
func WordsOf(m *trilith.Memory) string {
	if m.Kind == trilith.KindEpisode {
		return m.Text
	}
	return TextOf(m)
}

// VectorTextOf returns the text that a memory's vector of a generation is made of.
func VectorTextOf(g trilith.Generation, m *trilith.Memory) string {
	if Costs(g) {
		return EmbeddingTextOf(m)
	}
	return PlainTextOf(m)
}

// PlainTextOf returns the text for vectors that cost nothing: of a turn only its text, of any other memory its
// [EmbeddingTextOf]. Such vectors are sums over words, in which the speaker's name, the same in every turn, would weigh
// as much as the text.
func PlainTextOf(m *trilith.Memory) string {
	if m.Kind == trilith.KindEpisode || m.Kind == trilith.KindSummary || m.Kind == trilith.KindWindow {
		return m.Text
	}
	return EmbeddingTextOf(m)
}

// EmbeddingTextOf returns the text that a memory's vector is made of: its [TextOf], except for an entry. That of an
// entry has its category, title and content, each on its own line if it is not empty, and its key fields: the first 16
// of the texts, numbers and booleans of up to 64 bytes in its structured data, in the byte order of the keys, each as a
// line "path: value". The path of a nested value joins the keys with dots. Word search finds the rest of the structured
// data.
func EmbeddingTextOf(m *trilith.Memory) string {
	if m.Entry == nil {
		return TextOf(m)
	}
	var lines []string
	for _, s := range []string{m.Entry.Category, m.Entry.Title, m.Entry.Content} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	fields := keyFields(nil, "", m.Entry.Structured)
	return strings.Join(append(lines, fields[:min(len(fields), maxKeyFields)]...), "\n")
}

// TextOf returns a memory as a text that can be read by itself, for embedders and rerankers. A turn begins with its
// date and its speaker, because questions name both ("what did Ana say in March"); a passage with its document and
// headings; a fact with its verb and node, unless it was imported as a sentence. The stored text does not change.
func TextOf(m *trilith.Memory) string {
	var b strings.Builder
	switch m.Kind {
	case trilith.KindEpisode, trilith.KindSummary, trilith.KindWindow:
		b.WriteString(m.EventTime.Format("2 January 2006 "))
		if m.Speaker != "" {
			b.WriteString(m.Speaker)
			b.WriteString(": ")
		}
	case trilith.KindFact:
		if m.Fact.Foreign() { // its node is a number of another application
			break
		}
		b.WriteString("The entity " + strings.ReplaceAll(m.Fact.Verb, "_", " ") + " " + m.Fact.Node.Type + ": " +
			m.Fact.Node.Name + ". ")
	case trilith.KindPassage:
		for _, key := range []string{"document", "heading"} {
			if s, ok := m.Metadata[key].(string); ok && s != "" {
				b.WriteString(s)
				b.WriteString(": ")
			}
		}
	}
	b.WriteString(m.Text)
	return b.String()
}

// keyFields appends the short scalars of structured data.
func keyFields(lines []string, path string, structured map[string]any) []string {
	for _, k := range slices.Sorted(maps.Keys(structured)) {
		value := ""
		switch v := structured[k].(type) {
		case map[string]any:
			lines = keyFields(lines, path+k+".", v)
		case string:
			value = strings.Join(strings.Fields(v), " ")
		case float64:
			value = strconv.FormatFloat(v, 'f', -1, 64)
		case bool:
			value = strconv.FormatBool(v)
		}
		if value != "" && len(value) <= maxKeyFieldBytes {
			lines = append(lines, path+k+": "+value)
		}
	}
	return lines
}
