package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

type searchesCmd struct {
	List   searchesListCmd   `cmd:"" default:"withargs" help:"List saved searches."`
	Save   searchesSaveCmd   `cmd:"" help:"Save a search, or change the one of that name."`
	Delete searchesDeleteCmd `cmd:"" help:"Delete a saved search with its alerts."`
}

type searchesListCmd struct{ scopeFlags }

func (c *searchesListCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.Searches, error) {
		return m.Searches(ctx, c.in(a.scope()))
	}, func(all trilith.Searches) { printSearches(a.out, all.Items) })
}

func printSearches(p *printer, all []trilith.SavedSearch) {
	if len(all) == 0 {
		p.linef("No search is saved.")
		return
	}
	var rows [][]string
	for i := range all {
		q := &all[i]
		rows = append(rows, []string{string(q.ID), p.line(q.Name, 30), string(q.Of),
			strings.Join(texts(q.Alerts), ","), q.Webhook, p.line(q.Query, 40)})
	}
	p.table([]string{"ID", "NAME", "OF", "ALERTS", "WEBHOOK", "QUERY"}, rows)
}

type searchesSaveCmd struct {
	Name     string              `arg:"" help:"Name of the search, unique in its scope."`
	Of       string              `help:"Search facts, or memories, which are everything else." enum:"facts,memories" default:"facts"`
	Query    string              `help:"Words that all have to occur, and quoted phrases."`
	Filter   string              `help:"Conditions as JSON; see docs/filters.md." placeholder:"JSON"`
	Alert    []trilith.AlertKind `help:"Changes that raise an alert: match, changed, amount, deadline, contradiction or lag; may be repeated. match and changed if left out."`
	Amount   string              `help:"Greater amounts raise an alert of kind amount." placeholder:"N"`
	Currency string              `help:"Only amounts in this currency." placeholder:"CODE"`
	Days     int                 `help:"How many days ahead a deadline raises an alert; 7 if left out." placeholder:"N"`
	Behind   int                 `help:"How many changes that an index has not read raise an alert of kind lag; 1000 if left out." placeholder:"N"`
	Webhook  string              `help:"Name of a webhook of --webhooks, which gets each alert." placeholder:"NAME"`
	scopeFlags
}

func (c *searchesSaveCmd) Run(ctx context.Context, a *app) error {
	filter, err := parseFilter(c.Filter)
	if err != nil {
		return err
	}
	r := trilith.SearchRequest{Name: c.Name, Of: trilith.SearchOf(c.Of), Query: c.Query, Filter: filter, Amount: c.Amount,
		Currency: c.Currency, Days: c.Days, Behind: c.Behind, Webhook: c.Webhook, Alerts: c.Alert}
	return a.with(ctx, func(m *opened) error {
		s := c.in(a.scope())
		q, err := m.SaveSearch(ctx, s, r)
		if trilith.Is(err, trilith.Conflict) {
			var there *trilith.SavedSearch
			if there, err = named(ctx, m, s, c.Name); err == nil {
				q, err = m.ChangeSearch(ctx, s, there.ID, trilith.SearchChange{SearchRequest: r})
			}
		}
		return a.told(q, err, func() { printSearches(a.out, []trilith.SavedSearch{q}) })
	})
}

// named returns the search of a name in the very scope.
func named(ctx context.Context, m *opened, s trilith.Scope, name string) (*trilith.SavedSearch, error) {
	all, err := m.Searches(ctx, s)
	if err != nil {
		return nil, err
	}
	for i := range all.Items {
		if q := &all.Items[i]; q.Name == name && q.Scope.Bare() == s.Bare() {
			return q, nil
		}
	}
	return nil, trilith.Errorf(trilith.NotFound, "search %.64q does not exist", name)
}

type searchesDeleteCmd struct {
	ID string `arg:"" help:"Id of the search."`
	scopeFlags
}

func (c *searchesDeleteCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		if _, err := m.DeleteSearch(ctx, c.in(a.scope()), trilith.IDOf(c.ID)); err != nil {
			return err
		}
		return a.out.result(map[string]string{"deleted": c.ID}, func() { a.out.linef("deleted") })
	})
}

type alertsCmd struct {
	Search string       `help:"Only alerts of this saved search." placeholder:"ID"`
	After  int64        `help:"Only alerts behind this place." placeholder:"N"`
	Open   bool         `help:"Only alerts that nobody has acknowledged."`
	Limit  int          `help:"How many at most." default:"50"`
	Ack    []trilith.ID `help:"Acknowledge the alert with this id; may be repeated." placeholder:"ID"`
	scopeFlags
}

func (c *alertsCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 1 {
		return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", c.Limit)
	}
	return a.with(ctx, func(m *opened) error {
		s := c.in(a.scope())
		if len(c.Ack) > 0 {
			n, err := m.AcknowledgeAlerts(ctx, s, trilith.AcknowledgeRequest{IDs: c.Ack})
			return a.told(n, err, func() { a.out.linef("%d acknowledged", n.Acknowledged) })
		}
		if a.shared == nil && m.ReadOnly() == "" { // no other process may have run them on the latest memories
			if err := m.RunSearches(ctx); err != nil {
				return err
			}
		}
		page, err := m.Alerts(ctx, s, trilith.AlertQuery{Search: trilith.IDOf(c.Search), After: c.After, Open: c.Open,
			Limit: c.Limit})
		return a.told(page, err, func() { printAlerts(a.out, page) })
	})
}

func printAlerts(p *printer, page trilith.AlertPage) {
	if len(page.Items) == 0 {
		p.linef("No alerts.")
		return
	}
	var rows [][]string
	for _, al := range page.Items {
		seen := ""
		if al.AcknowledgedAt != nil {
			seen = "seen"
		}
		rows = append(rows, []string{fmt.Sprint(al.Seq), al.At.Format(time.DateTime), string(al.Kind),
			string(al.MemoryID), string(al.State), seen, string(al.ID)})
	}
	p.table([]string{"PLACE", "AT", "KIND", "MEMORY", "STATE", "", "ID"}, rows)
	if page.More {
		p.linef("%s", p.dim(fmt.Sprintf("more: --after %d", page.Next)))
	}
}
