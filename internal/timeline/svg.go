package timeline

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// Measures of the picture, in pixels.
const (
	width   = 1000
	names   = 300 // of the column of names
	margin  = 16
	rowHigh = 24
	barHigh = 12
	top     = 84 // of the first row
	maxRows = 150
	maxName = 42 // characters
)

// The colours by kind, and those of the critical chain and of what has ended.
var colours = map[trilith.TimelineKind]string{trilith.TimelineTask: "#3b6ea8", trilith.TimelineMilestone: "#6b4fa0",
	trilith.TimelineDeadline: "#a8722b", trilith.TimelineSchedule: "#2f8f7a"}

const critical, ended = "#c0392b", "#9aa0a6"

// SVG draws a timeline as a Gantt chart of at most 150 rows: bars for what takes several days, diamonds for milestones,
// ticks for other single days, arrows for what waits for what, the critical chain in red, today as a dashed line, what
// has no day listed below. All text is escaped, and nothing is loaded from elsewhere.
func SVG(t *trilith.ProjectTimeline) string {
	c := newChart(t)
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img"`,
		width, c.height, width, c.height)
	c.printf(` font-family="sans-serif" font-size="12">` + "\n")
	c.printf("<title>%s</title>\n", text("Timeline of "+t.Project, 200))
	c.printf(`<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, c.height)
	c.text(margin, 26, "#202124", `font-size="16" font-weight="bold"`, cut(t.Project, 80))
	c.text(width-margin, 26, "#5f6368", `text-anchor="end"`, "as of "+t.AsOf.Format(time.DateOnly))
	c.legend()
	c.axis()
	c.arrows()
	for i := range c.shown {
		c.row(i)
	}
	c.below()
	c.printf("</svg>\n")
	return c.String()
}

type chart struct {
	strings.Builder
	timeline   *trilith.ProjectTimeline
	shown      []trilith.TimelineItem
	undated    []trilith.TimelineItem
	from, to   time.Time // the days at both ends of the axis, to excluded
	height, at int       // at is where the rows end
}

func newChart(t *trilith.ProjectTimeline) *chart {
	c := &chart{timeline: t, shown: t.Items[:min(len(t.Items), maxRows)]}
	c.undated = t.Undated[:min(len(t.Undated), maxRows-len(c.shown))]
	for i := range c.shown {
		it := &c.shown[i]
		if from := begins(it); c.from.IsZero() || from.Before(c.from) {
			c.from = from
		}
		if it.End.After(c.to) {
			c.to = *it.End
		}
	}
	c.from, c.to = c.from.AddDate(0, 0, -2), c.to.AddDate(0, 0, 3)
	c.at = top + rowHigh*max(1, len(c.shown))
	c.height = c.at + margin
	if n := len(c.undated); n > 0 {
		c.height += rowHigh * (n + 1)
	}
	if c.more() > 0 {
		c.height += rowHigh
	}
	return c
}

// more is how many items are not shown.
func (c *chart) more() int {
	t := c.timeline
	return len(t.Items) + len(t.Undated) - len(c.shown) - len(c.undated) + t.LeftOut[trilith.TimelineTooMany]
}

func (c *chart) printf(format string, args ...any) { fmt.Fprintf(&c.Builder, format, args...) }

// text escapes what somebody said.
func text(s string, n int) string { return html.EscapeString(printable(cut(s, n))) }

// printable replaces what XML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func (c *chart) text(x, y int, colour, style, s string) {
	c.printf(`<text x="%d" y="%d" fill="%s" %s>%s</text>`+"\n", x, y, colour, style, text(s, 200))
}

// x is where a day lies.
func (c *chart) x(day time.Time) int {
	if !c.to.After(c.from) {
		return names
	}
	return names + int(float64(width-names-margin)*float64(day.Sub(c.from))/float64(c.to.Sub(c.from)))
}

func (c *chart) legend() {
	x := margin
	entry := func(colour, label string) {
		c.printf(`<rect x="%d" y="40" width="12" height="12" fill="%s"/>`+"\n", x, colour)
		c.text(x+18, 50, "#3c4043", `font-size="11"`, label)
		x += 34 + 7*len(label)
	}
	for _, kind := range trilith.TimelineKinds() {
		entry(colours[kind], string(kind))
	}
	entry(critical, "critical chain")
	entry(ended, "ended")
}

// axis draws a line for each month, or each year or week where that fits better, and one for the moment of the
// timeline.
func (c *chart) axis() {
	if len(c.shown) == 0 {
		c.text(names, top+16, "#5f6368", "", "nothing has a day")
		return
	}
	days := int(c.to.Sub(c.from) / (24 * time.Hour))
	format, next := "Jan 2006", func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }
	at := time.Date(c.from.Year(), c.from.Month(), 1, 0, 0, 0, 0, time.UTC)
	switch {
	case days > 3*365:
		years := days/(365*10) + 1
		format, next = "2006", func(t time.Time) time.Time { return t.AddDate(years, 0, 0) }
		at = time.Date(c.from.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	case days > 300:
		format, next = "Jan 2006", func(t time.Time) time.Time { return t.AddDate(0, 3, 0) }
	case days <= 70:
		format, next = "2 Jan", func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }
		at = c.from.AddDate(0, 0, -int((c.from.Weekday()+6)%7))
	}
	for ; at.Before(c.to); at = next(at) {
		if at.Before(c.from) {
			continue
		}
		x := c.x(at)
		c.printf(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#e3e5e8"/>`+"\n", x, top-6, x, c.at)
		c.text(x+2, top-10, "#5f6368", `font-size="10"`, at.Format(format))
	}
	if now := c.timeline.AsOf; now.After(c.from) && now.Before(c.to) {
		c.printf(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#202124" stroke-dasharray="4 3"/>`+"\n",
			c.x(now), top-6, c.x(now), c.at)
	}
}

func (c *chart) row(i int) {
	it := &c.shown[i]
	mid := top + rowHigh*i + rowHigh/2
	colour := colours[it.Kind]
	switch {
	case it.Critical:
		colour = critical
	case it.Ended:
		colour = ended
	}
	if i%2 == 1 {
		c.printf(`<rect x="0" y="%d" width="%d" height="%d" fill="#000000" fill-opacity="0.03"/>`+"\n",
			mid-rowHigh/2, width, rowHigh)
	}
	style := ""
	if it.Critical {
		style = `font-weight="bold"`
	}
	c.text(margin, mid+4, "#202124", style, cut(it.Name, maxName))
	x := c.x(begins(it))
	end := c.x(it.End.AddDate(0, 0, 1))
	c.printf("<g><title>%s</title>", text(it.Name+", "+span(it), 300))
	if it.Kind == trilith.TimelineMilestone {
		x = (c.x(*it.End) + end) / 2
		c.printf(`<path d="M%d %d l7 7 l-7 7 l-7 -7 z" fill="%s"/>`, x, mid-7, colour)
		end = x + 8
	} else {
		end = max(end, x+4)
		c.printf(`<rect x="%d" y="%d" width="%d" height="%d" rx="2" fill="%s"/>`, x, mid-barHigh/2, end-x, barHigh,
			colour)
	}
	c.printf("</g>\n")
	date := it.End.Format("2 Jan")
	if end+44 < width {
		c.text(end+5, mid+4, "#5f6368", `font-size="10"`, date)
	} else {
		c.text(x-10, mid+4, "#5f6368", `font-size="10" text-anchor="end"`, date)
	}
}

// span says when an item is.
func span(it *trilith.TimelineItem) string {
	if it.Start != nil {
		return it.Start.Format(time.DateOnly) + " to " + it.End.Format(time.DateOnly)
	}
	return it.End.Format(time.DateOnly)
}

// arrows lead from what is done first to what waits for it.
func (c *chart) arrows() {
	row := map[trilith.ID]int{}
	for i := range c.shown {
		row[c.shown[i].ID] = i
	}
	for i := range c.shown {
		it := &c.shown[i]
		for _, id := range it.After {
			k, ok := row[id]
			if !ok {
				continue
			}
			before, colour := &c.shown[k], "#b5b9be"
			if it.Critical && before.Critical {
				colour = critical
			}
			x1, y1 := c.x(before.End.AddDate(0, 0, 1)), top+rowHigh*k+rowHigh/2
			x2, y2 := c.x(begins(it)), top+rowHigh*i+rowHigh/2
			c.printf(`<path d="M%d %d C%d %d %d %d %d %d" fill="none" stroke="%s" stroke-opacity="0.8"/>`+"\n",
				x1, y1, x1+16, y1, x2-16, y2, x2, y2, colour)
			c.printf(`<path d="M%d %d l-5 -3 l0 6 z" fill="%s"/>`+"\n", x2, y2, colour)
		}
	}
}

// below lists what has no day, and says what is not shown.
func (c *chart) below() {
	y := c.at + 18
	if len(c.undated) > 0 {
		c.text(margin, y, "#5f6368", `font-weight="bold"`, "Without a day")
		for i := range c.undated {
			it := &c.undated[i]
			y += rowHigh
			colour := colours[it.Kind]
			if it.Critical {
				colour = critical
			}
			c.printf(`<rect x="%d" y="%d" width="10" height="10" fill="%s"/>`+"\n", margin, y-9, colour)
			c.text(margin+16, y, "#202124", "", cut(it.Name, 120))
		}
		y += rowHigh
	}
	if n := c.more(); n > 0 {
		c.text(margin, y, "#5f6368", `font-style="italic"`, fmt.Sprintf("… and %d more", n))
	}
}
