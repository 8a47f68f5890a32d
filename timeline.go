package trilith

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// timelineTitles are the headings of the kinds.
var timelineTitles = map[TimelineKind]string{TimelineTask: "Tasks", TimelineMilestone: "Milestones",
	TimelineDeadline: "Deadlines", TimelineSchedule: "Schedules"}

// Mermaid is the timeline as a Mermaid gantt diagram: a section for each kind, the critical chain marked, and the items
// without a day as comments, which Mermaid does not draw.
func (t *ProjectTimeline) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gantt\n    title %s\n    dateFormat YYYY-MM-DD\n    axisFormat %%d %%b\n", diagramLabel(t.Project))
	for _, kind := range TimelineKinds() {
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
			length := int(it.End.Sub(it.Begins())/(24*time.Hour)) + 1
			if it.Kind == TimelineMilestone {
				tags, length = append(tags, "milestone"), 0
			}
			tags = append(tags, "f"+strings.ReplaceAll(string(it.ID), "-", ""), it.Begins().Format(time.DateOnly),
				fmt.Sprintf("%dd", length))
			fmt.Fprintf(&b, "    %s :%s\n", diagramLabel(it.Name), strings.Join(tags, ", "))
		}
	}
	for i := range t.Undated {
		fmt.Fprintf(&b, "    %%%% undated %s: %s\n", t.Undated[i].Kind, diagramLabel(t.Undated[i].Name))
	}
	return b.String()
}

// maxDiagramLabel is how many characters of a name are shown.
const maxDiagramLabel = 60

// diagramLabel is a name without what means something to Mermaid, or ends a line.
func diagramLabel(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(":;#%{}<>", r) || unicode.IsControl(r) || !unicode.IsPrint(r):
			return ' '
		}
		return r
	}, s)
	if s = shortened(strings.Join(strings.Fields(s), " "), maxDiagramLabel); s == "" {
		return "-"
	}
	return s
}

// shortened cuts a text at so many characters.
func shortened(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// Begins is the first day of an item that has one.
func (it *TimelineItem) Begins() time.Time {
	if it.Start != nil {
		return *it.Start
	}
	return *it.End
}
