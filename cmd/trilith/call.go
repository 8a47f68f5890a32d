package main

import (
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

type callCmd struct {
	Operation string   `arg:"" optional:"" help:"Name of the operation; all of them are listed if left out."`
	Args      []string `arg:"" optional:"" passthrough:"" help:"Fields of its request as --name=value; --fields lists them."`
}

func (c *callCmd) Run(ctx context.Context, a *app) error {
	if c.Operation == "" {
		var rows [][]string
		for _, o := range operations.All().Ops {
			rows = append(rows, []string{o.Name, string(o.Need), o.Help})
		}
		slices.SortFunc(rows, func(x, y []string) int { return strings.Compare(x[0], y[0]) })
		a.out.table([]string{"OPERATION", "NEEDS", ""}, rows)
		return nil
	}
	o := operations.All().Of(c.Operation)
	if o == nil {
		return trilith.Errorf(trilith.NotFound, "%.64q is no operation; trilith call lists them", c.Operation)
	}
	if slices.Contains(c.Args, "--fields") {
		a.out.linef("%s", o.Help)
		a.out.table([]string{"FLAG", "TYPE", ""}, o.Flags())
		return nil
	}
	if at := slices.Index(c.Args, "--json"); at >= 0 { // a flag of every command
		c.Args, a.out.json = slices.Delete(c.Args, at, at+1), true
	}
	in, named, err := o.Args(c.Args)
	if err != nil {
		return err
	}
	op.SetKey(in, a.key)
	scope := scopeFlags{named.Project, named.Domain, named.User, named.Agent, named.Session, named.Channel}.in(a.scope())
	if named.TimeZone != "" {
		scope.TimeZone = named.TimeZone
	}
	return a.with(ctx, func(m *opened) error {
		out, err := o.Do(ctx, m.Engine, o.Scoped(scope), in)
		return a.told(out, err, func() {
			heading, rows := op.Rows(out, o.Columns)
			for _, row := range rows {
				for i := range row { // the last column is text
					row[i] = a.out.line(row[i], max(40, (i+1)/len(row)*(a.out.width-60)))
				}
			}
			a.out.table(heading, rows)
		})
	})
}
