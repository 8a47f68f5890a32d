package derive

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// steered reports whether a quote must not lead to a fact: it tries to steer its reader, and comes from a channel into
// which others than the user write.
func steered(m *trilith.Memory, start, end int) bool {
	return !m.Trust.AtLeast(trilith.TrustUserStated) && gate.Steers(m.Text[start:end])
}

// claimsPreference reports whether a fact is a program's claim about somebody's likes: the person has to say so.
func claimsPreference(m *trilith.Memory, t trilith.FactType) bool {
	return t == trilith.FactPreference && (m.Role == trilith.RoleAssistant || m.Role == trilith.RoleTool)
}

// proposesTask reports whether a fact is a task set by an assistant: it needs to be accepted by somebody.
func proposesTask(m *trilith.Memory, t trilith.FactType) bool {
	return t == trilith.FactTask && m.Role == trilith.RoleAssistant
}

// directs reports whether the sentences of a quote give instructions, or change somebody's wishes, means of payment or
// contact data, and come from a channel into which others than the user write. Such a quote leads at most to a proposed
// fact, whatever a model says.
func directs(m *trilith.Memory, start, end int) bool {
	if m.Trust.AtLeast(trilith.TrustUserStated) {
		return false
	}
	own := m.Role == trilith.RoleUser || m.Role == ""
	start, end = sentencesOf(m.Text, start, end)
	return gate.Directs(m.Text[start:end], own)
}

// sentencesOf widens a part of a text to whole sentences, and to the comment around it.
func sentencesOf(text string, start, end int) (int, int) {
	before := text[:start]
	from := 0
	for _, mark := range []string{". ", "! ", "? ", "\n"} {
		if at := strings.LastIndex(before, mark); at >= 0 {
			from = max(from, at+len(mark))
		}
	}
	if at := strings.LastIndex(before, "<!--"); at > strings.LastIndex(before, "-->") {
		from = min(from, at)
	}
	to := len(text)
	for _, mark := range []string{". ", "! ", "? ", "\n"} {
		if at := strings.Index(text[max(start, end-1):], mark); at >= 0 {
			to = min(to, max(end, max(start, end-1)+at+1))
		}
	}
	return from, to
}
