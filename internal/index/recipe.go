package index

import (
	"strings"

	"github.com/cairn-memory/cairn"
)

// RecipeVersion is the version of [TextOf]. It is part of every generation, so that vectors made from another recipe are
// never compared with new ones; raise it with every change of the text below.
const RecipeVersion = 1

// TextOf is the text recipe: what is indexed and embedded for a memory. A turn is led by its date and its speaker, because
// questions name both ("what did Ana say in March"); a passage by its document and headings. The stored text is untouched.
func TextOf(m *cairn.Memory) string {
	var b strings.Builder
	switch m.Kind {
	case cairn.KindEpisode, cairn.KindSummary:
		b.WriteString(m.EventTime.Format("2 January 2006 "))
		if m.Speaker != "" {
			b.WriteString(m.Speaker)
			b.WriteString(": ")
		}
	case cairn.KindFact:
		b.WriteString("The entity " + strings.ReplaceAll(m.Fact.Verb, "_", " ") + " " + m.Fact.Node.Type + ": " + m.Fact.Node.Name + ". ")
	case cairn.KindPassage:
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
