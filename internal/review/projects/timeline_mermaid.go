package projects

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/trilith-memory/trilith"
)

// timelineTitles are the headings of the kinds.
var timelineTitles = map[trilith.TimelineKind]string{trilith.TimelineTask: "Tasks", trilith.TimelineMilestone: "Milestones",
	trilith.TimelineDeadline: "Deadlines", trilith.TimelineSchedule: "Schedules"}

// mermaid writes a timeline as a Mermaid gantt diagram: a section for each kind, the critical chain marked, and what
// has no day as comments, which Mermaid does not draw.
func mermaid(t *trilith.ProjectTimeline) string {
	var b strings.Builder
	fmt.Fprintf(&b, "gantt\n    title %s\n    dateFormat YYYY-MM-DD\n    axisFormat %%d %%b\n", label(t.Project))
	for _, kind := range trilith.TimelineKinds() {
		opened := false
		for i := range t.Items {
			it := &t.Items[i]
			if it.Kind != kind {
				continue
			}
			if !opened {
				fmt.Fprintf(&b, "    section %s\n", timelineTitles[kind])
				opened = true
			}
			var tags []string
			if it.Critical {
				tags = append(tags, "crit")
			}
			if it.Ended {
				tags = append(tags, "done")
			}
			length := int(it.End.Sub(begins(it))/(24*time.Hour)) + 1
			if it.Kind == trilith.TimelineMilestone {
				tags, length = append(tags, "milestone"), 0
			}
			tags = append(tags, "f"+strings.ReplaceAll(string(it.ID), "-", ""), begins(it).Format(time.DateOnly),
				fmt.Sprintf("%dd", length))
			fmt.Fprintf(&b, "    %s :%s\n", label(it.Name), strings.Join(tags, ", "))
		}
	}
	for i := range t.Undated {
		fmt.Fprintf(&b, "    %%%% undated %s: %s\n", t.Undated[i].Kind, label(t.Undated[i].Name))
	}
	return b.String()
}

// maxLabel is how many characters of a name are shown.
const maxLabel = 60

// label is a name without what means something to Mermaid, or ends a line.
func label(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(":;#%{}<>", r) || unicode.IsControl(r) || !unicode.IsPrint(r):
			return ' '
		}
		return r
	}, s)
	if s = cut(strings.Join(strings.Fields(s), " "), maxLabel); s == "" {
		return "-"
	}
	return s
}

// cut shortens a text to so many characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}
