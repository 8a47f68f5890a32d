package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// inbox prints the items of the inbox, with the other facts of a conflict below it.
func (p *printer) inbox(page trilith.ReviewPage) {
	if len(page.Items) == 0 {
		p.linef("Nothing waits.")
		return
	}
	var rows [][]string
	for i := range page.Items {
		it := &page.Items[i]
		what := fmt.Sprintf("%q could be %d entities: %s", it.Name, len(it.Entities),
			strings.Join(texts(it.Entities), ", "))
		if it.Memory != nil {
			what = p.text(it.Memory, p.width-70)
		}
		rows = append(rows, []string{string(it.Reason), it.Since.Format(time.DateOnly), string(it.ID),
			p.line(it.Whose, 20), p.line(what, p.width-90)})
		for j := range it.Others {
			beside := "  against"
			if it.Reason == trilith.ReviewMatch {
				beside = "  to"
			}
			rows = append(rows, []string{beside, "", string(it.Others[j].ID), "",
				p.text(&it.Others[j], p.width-90)})
		}
		rows = append(rows, []string{"", "", "", "", p.line(it.Why, p.width)})
	}
	p.table([]string{"REASON", "SINCE", "ID", "WHOSE", "WHAT"}, rows)
	p.more(page.NextCursor)
}

// more prints how to get the next page, if there is one.
func (p *printer) more(cursor string) {
	if cursor != "" {
		p.linef("%s", p.dim("more: --cursor "+cursor))
	}
}

func texts[T ~string](vs []T) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return out
}
