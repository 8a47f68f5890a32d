package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/trilith-memory/trilith"
)

type timelineCmd struct {
	Project string `arg:"" help:"Name of the project." placeholder:"PROJECT"`
	Format  string `help:"table, json or mermaid (a gantt diagram as text)." enum:"table,json,mermaid" default:"table"`
	AsOf    string `help:"The timeline as it was at this time; now if left out." placeholder:"TIME"`
}

func (c *timelineCmd) Run(ctx context.Context, a *app) error {
	q := trilith.TimelineQuery{AsOf: c.AsOf}
	return a.with(ctx, func(m *opened) error {
		s := a.scope()
		s.Project = c.Project
		t, err := m.Timeline(ctx, s, q)
		if err != nil {
			return err
		}
		if c.Format == "mermaid" {
			_, err = io.WriteString(a.out.w, t.Mermaid())
			return err
		}
		if c.Format == "json" {
			a.out.json = true
		}
		return a.out.result(t, func() { printTimeline(a.out, &t) })
	})
}

// printTimeline prints one line an item, and the counts of omitted ones.
func printTimeline(p *printer, t *trilith.ProjectTimeline) {
	var rows [][]string
	for _, list := range [][]trilith.TimelineItem{t.Items, t.Undated} {
		for i := range list {
			it := &list[i]
			mark := ""
			switch {
			case it.Critical:
				mark = "critical"
			case it.Ended:
				mark = "ended"
			}
			rows = append(rows, []string{string(it.ID), dayOf(it.Start), dayOf(it.End), string(it.Kind), mark,
				p.line(it.Name, 60)})
		}
	}
	if len(rows) == 0 {
		p.linef("nothing is on the timeline")
	} else {
		p.table([]string{"ID", "FROM", "TO", "KIND", "", "NAME"}, rows)
	}
	if t.CriticalDays > 0 {
		p.linef("critical chain: %d items, %d days", len(t.Critical), t.CriticalDays)
	}
	for _, reason := range []string{trilith.TimelineCandidate, trilith.TimelineDenied, trilith.TimelineReplaced,
		trilith.TimelineTooMany, trilith.TimelineUnrelated} {
		if n := t.LeftOut[reason]; n > 0 {
			p.linef("%s", fmt.Sprintf("left out: %d (%s)", n, reason))
		}
	}
}

func dayOf(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateOnly)
}
