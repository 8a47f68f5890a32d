package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

type inboxCmd struct {
	Reason []trilith.ReviewReason `help:"Only items with this reason: conflict, low_trust, ambiguous_entity, ambiguous_match, future, quarantined, candidate; may be repeated."`
	Limit  int                    `help:"How many at most." default:"50"`
	Cursor string                 `help:"Go on after the page that printed this cursor."`
	scopeFlags
}

func (c *inboxCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	}
	q := trilith.InboxQuery{Limit: c.Limit, Cursor: c.Cursor, Reasons: c.Reason}
	return answer(ctx, a, func(m *opened) (trilith.ReviewPage, error) {
		return m.Inbox(ctx, c.in(a.scope()), q)
	}, a.out.inbox)
}

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

type decideCmd struct {
	Decision string       `arg:"" help:"verify, reject (it never was true), ended (it is no longer true), done, not-about-me, dismiss (leave it as it is), needs-review, dispute, pending-approval." enum:"verify,reject,ended,done,not-about-me,dismiss,needs-review,dispute,pending-approval"`
	IDs      []trilith.ID `arg:"" optional:"" name:"id" help:"Ids of memories, or of ambiguous names."`
	Filter   string       `help:"Conditions as JSON instead of ids; see docs/filters.md." placeholder:"JSON"`
	At       string       `help:"Of ended and done: since when; now if left out." placeholder:"TIME"`
	Note     string       `help:"Why."`
	DryRun   bool         `help:"Only print what would happen."`
	scopeFlags
}

func (c *decideCmd) Run(ctx context.Context, a *app) error {
	filter, err := parseFilter(c.Filter)
	if err != nil {
		return err
	}
	r := trilith.BulkDecision{IDs: c.IDs, Filter: filter,
		Decision: trilith.Decision(strings.ReplaceAll(c.Decision, "-", "_")), At: c.At, Note: c.Note,
		DryRun:     c.DryRun,
		RequestKey: a.key}
	return a.with(ctx, func(m *opened) error {
		report, err := m.Decide(ctx, c.in(a.scope()), r)
		if err != nil {
			return err
		}
		if err := a.out.result(report, func() { a.out.decisions(report) }); err != nil {
			return err
		}
		for _, it := range report.Items {
			if it.Error != nil {
				return trilith.Errorf(trilith.ParseErrorKind(it.Error.Kind), "%d of %d could not be decided", report.Failed,
					len(report.Items))
			}
		}
		return nil
	})
}

// decisions prints what became of each item.
func (p *printer) decisions(r trilith.DecisionReport) {
	rows := make([][]string, len(r.Items))
	for i, it := range r.Items {
		rows[i] = []string{string(it.ID), string(it.State), string(it.Status), ""}
		if it.Error != nil {
			rows[i][3] = p.bad(p.line(it.Error.Detail, p.width-70))
		}
	}
	if len(rows) > 0 {
		p.table([]string{"ID", "STATE", "VERIFIED", "ERROR"}, rows)
	}
	verb := "decided"
	if r.DryRun {
		verb = "would be decided"
	}
	p.linef("%d %s, %d failed", len(r.Items)-r.Failed, verb, r.Failed)
	p.masked(r.Masking)
}

type supersedeCmd struct {
	ID   string   `arg:"" help:"Id of the fact that is replaced."`
	Text []string `arg:"" optional:"" help:"Correct statement, in the words of the person."`
	By   string   `help:"Id of the fact that holds instead." placeholder:"ID"`
	At   string   `help:"When the old one ceased to hold; when the new one began if left out." placeholder:"TIME"`
	Note string   `help:"Why."`
}

func (c *supersedeCmd) Run(ctx context.Context, a *app) error {
	r := trilith.SupersedeRequest{By: trilith.IDOf(c.By), Text: strings.Join(c.Text, " "), At: c.At, Note: c.Note,
		RequestKey: a.key}
	return answer(ctx, a, func(m *opened) (trilith.Supersession, error) {
		return m.SupersedeFact(ctx, a.scope(), trilith.IDOf(c.ID), r)
	}, func(pair trilith.Supersession) {
		shown := []trilith.Memory{pair.Superseded}
		if pair.By != nil {
			shown = append(shown, *pair.By)
		}
		a.out.facts(shown)
		a.out.masked(pair.Masking)
	})
}
