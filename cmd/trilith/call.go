package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

type callCmd struct {
	Operation string   `arg:"" optional:"" help:"Name of the operation; all of them are listed if left out."`
	Args      []string `arg:"" optional:"" passthrough:"" help:"Fields of its request as --name=value, and names of its path without a flag; --help lists them."`

	print func(p *printer, answer any) // for people; nil: a table or YAML
}

func (c *callCmd) Run(ctx context.Context, a *app) error {
	if c.Operation == "" {
		return a.out.result(operationNames(), a.out.operations)
	}
	o := operations.All().Of(c.Operation)
	if o == nil {
		return trilith.Errorf(trilith.NotFound, "%.64q is no operation%s; trilith call lists them", c.Operation,
			trilith.Meant(c.Operation, operationNames()...))
	}
	if slices.Contains(c.Args, "--help") || slices.Contains(c.Args, "-h") {
		a.out.operation(o)
		return nil
	}
	fields, asText, err := textual(o, c.fields())
	if err != nil {
		return err
	}
	in, named, err := o.Args(fields)
	if err != nil {
		return err
	}
	op.SetKey(in, a.key)
	scope := scopeFlags{named.Project, named.Domain, named.User, named.Agent, named.Session, named.Channel}.in(a.scope())
	if named.TimeZone != "" {
		scope.TimeZone = named.TimeZone
	}
	return a.with(ctx, func(m *opened) error {
		if o.Name == "list-alerts" && m.ReadOnly() == "" { // no other process may have run them on the latest memories
			if err := m.RunSearches(ctx); err != nil {
				return err
			}
		}
		out, err := o.Do(ctx, m.Engine, o.Scoped(scope), in)
		if err == nil && o.Need != trilith.AccessReader {
			err = a.finish(ctx, m, o)
		}
		switch {
		case err != nil:
			return err
		case asText:
			err = o.Text.Write(a.out.w, out)
		default:
			err = a.out.result(out, func() { c.human(ctx, a, m, o, out) })
		}
		if err != nil {
			return err
		}
		return lacking(out)
	})
}

// human prints an answer for people.
func (c *callCmd) human(ctx context.Context, a *app, m *opened, o *op.Op, out any) {
	if c.print == nil {
		a.out.answer(out, o.Columns)
		return
	}
	c.print(a.out, out)
	if page, ok := out.(trilith.Page); ok && len(page.Items) == 0 {
		a.sayIfEmpty(ctx, m)
	}
}

// textual cuts --format out of the fields of an operation whose answer may be a text, and reports whether it shall be.
func textual(o *op.Op, fields []string) (rest []string, asText bool, err error) {
	if o.Text == nil {
		return fields, false, nil
	}
	for i, field := range fields {
		name, format, inside := strings.Cut(field, "=")
		end := i + 1
		if name != "--format" {
			continue
		}
		if !inside && end < len(fields) {
			format, end = fields[end], end+1
		}
		if asText = format == o.Text.Format; !asText && format != "json" {
			return nil, false, trilith.Errorf(trilith.Invalid, "format: %.32q is neither json nor %s", format, o.Text.Format)
		}
		return slices.Concat(fields[:i], fields[end:]), asText, nil
	}
	return fields, false, nil
}

// fields are the arguments without the -- that [callArgs] put before them.
func (c *callCmd) fields() []string {
	if len(c.Args) > 0 && c.Args[0] == "--" {
		return c.Args[1:]
	}
	return c.Args
}

// finish waits for the vectors of a write, or for all work that an operator's command leaves behind.
func (a *app) finish(ctx context.Context, m *opened, o *op.Op) error {
	if o.Long || o.Need == trilith.AccessAdmin {
		return m.Work(ctx)
	}
	return a.settle(ctx, m, a.waits.vectors)
}

// lacking returns an error for an answer that is not all that was asked for: a script must not take it for a success.
func lacking(answer any) error {
	var part struct {
		trilith.Coverage
		Failed int `json:"failed"`
	}
	data, err := json.Marshal(answer)
	_ = json.Unmarshal(data, &part) // an answer without such members lacks nothing
	switch {
	case err != nil:
		return err
	case part.Partial:
		return partial(part.Coverage)
	case part.Failed > 0:
		return incomplete(fmt.Sprintf("%d items could not be done; the answer says why", part.Failed))
	}
	return nil
}

func operationNames() (names []string) {
	for _, o := range operations.All().Ops {
		names = append(names, o.Name)
	}
	return names
}

// operations lists all operations, grouped by subject: the first part of their path.
func (p *printer) operations() {
	groups, rows := []string{}, map[string][][]string{}
	for _, o := range operations.All().Ops {
		group, _, _ := strings.Cut(strings.TrimPrefix(o.Path, "/"), "/")
		if rows[group] == nil {
			groups = append(groups, group)
		}
		rows[group] = append(rows[group], []string{"  " + o.Name, o.Help})
	}
	slices.Sort(groups)
	for _, group := range groups {
		p.table([]string{group + ":"}, rows[group])
	}
	p.linef("\ntrilith call NAME --help lists the fields of one, trilith call NAME --field=value carries it out.")
}

// operation says what an operation does and takes.
func (p *printer) operation(o *op.Op) {
	usage := "trilith call " + o.Name
	for _, f := range o.In.Fields {
		if f.Path {
			usage += " " + strings.ToUpper(f.Name)
		}
	}
	p.linef("Usage: %s [--field=value ...]\n\n%s\n", usage, o.Help)
	p.table([]string{"FIELD", "TYPE", ""}, o.Flags())
}

// answer prints a table with columns, if there are some, and the rest as YAML.
func (p *printer) answer(v any, columns []string) {
	if columns == nil {
		p.yaml(v)
		return
	}
	heading, rows, rest := op.Rows(v, columns)
	for _, row := range rows {
		for i := range row { // the last column is text
			width := 40
			if i == len(row)-1 {
				width = max(width, p.width-60)
			}
			row[i] = p.line(row[i], width)
		}
	}
	if len(rows) > 0 {
		p.table(heading, rows)
	} else {
		p.linef("There are none.")
	}
	if len(rest) > 0 {
		p.yaml(rest)
	}
}

// yaml prints an answer as it is, in a form that a person can read.
func (p *printer) yaml(v any) {
	data, err := json.Marshal(v)
	if err == nil {
		data, err = yaml.JSONToYAML(data)
	}
	if err != nil {
		p.linef("%v", err)
		return
	}
	p.linef("%s", strings.TrimRight(plain(string(data)), "\n"))
}
