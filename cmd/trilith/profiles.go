package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

type profilesCmd struct {
	List profilesListCmd `cmd:"" help:"List profiles and say which is used."`
	Show profilesShowCmd `cmd:"" help:"Show what a profile looks for."`
	Use  profilesUseCmd  `cmd:"" help:"Use a profile where a request names none."`
}

type profilesListCmd struct {
	Project string `help:"Project whose default is marked; that of the tenant if left out."`
}

func (c *profilesListCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (out trilith.Profiles, err error) {
		s := a.scope()
		s.Project = c.Project
		return m.Profiles(ctx, s)
	}, func(ps trilith.Profiles) {
		a.out.table([]string{"USED", "NAME", "DESCRIPTION"}, rows(ps.Items, func(p *trilith.Profile) []string {
			used := ""
			if p.Name == ps.Default {
				used = "*"
			}
			return []string{used, p.Name, a.out.line(p.Description, a.out.width-30)}
		}))
		if len(ps.Choices) > 0 {
			a.out.linef("")
			heading := []string{"ROLE", "PHASE", "PROFILE", "PROJECT"}
			a.out.table(heading, rows(ps.Choices, func(ch *trilith.ProfileChoice) []string {
				return []string{cmp.Or(ch.Role, "-"), cmp.Or(ch.Phase, "-"), ch.Name, cmp.Or(ch.Project, "-")}
			}))
		}
	})
}

type profilesShowCmd struct {
	Name string `arg:"" help:"Name of the profile."`
}

func (c *profilesShowCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		ps, err := m.Profiles(ctx, a.scope())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(ps.Items, func(p trilith.Profile) bool { return p.Name == c.Name })
		if i < 0 {
			return trilith.Errorf(trilith.NotFound,
				"profile: no profile is named %q; trilith profiles list shows those there are", c.Name)
		}
		p := &ps.Items[i]
		return a.out.result(p, func() { a.out.profile(p) })
	})
}

// profile prints what a profile looks for.
func (p *printer) profile(f *trilith.Profile) {
	p.linef("%s  %s", p.bold(f.Name), plain(f.Description))
	for _, rule := range f.Rules {
		p.linef("- %s", plain(rule))
	}
	p.linef("")
	var rows [][]string
	for _, t := range f.Types {
		var fields []string
		for _, d := range t.Fields {
			name := d.Name
			if d.Required {
				name += "!"
			}
			fields = append(fields, name)
		}
		rows = append(rows, []string{string(t.Name), p.line(t.Description, 60), strings.Join(fields, ", ")})
	}
	p.table([]string{"TYPE", "MEANING", "FIELDS"}, rows)
	p.linef("")
	rows = nil
	for _, v := range f.Verbs {
		rows = append(rows, []string{v.Name, string(v.Type), v.Node, v.Cardinality, p.line(v.Description, 60)})
	}
	p.table([]string{"VERB", "TYPE", "NODE", "VALUES", "MEANING"}, rows)
	for i, c := range f.Categories {
		if i == 0 {
			p.linef("\nCATEGORIES")
		}
		p.linef("%s", plain(c.Title()))
	}
}

type profilesUseCmd struct {
	Name    string `arg:"" help:"Name of the profile; none takes the choice for a role or a phase back."`
	Project string `help:"Project that it is for; the whole tenant if left out."`
	Role    string `help:"Only for what people of this role say: the attribute role of an entity." placeholder:"ROLE"`
	Phase   string `help:"Only while the project is in this phase: the attribute phase of its entity." placeholder:"PHASE"`
}

func (c *profilesUseCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		s := a.scope()
		s.Project = c.Project
		choice := trilith.ProfileRequest{Name: c.Name, Role: c.Role, Phase: c.Phase}
		if c.Name == "none" {
			choice.Name = ""
		}
		if _, err := m.UseProfile(ctx, s, choice); err != nil {
			return err
		}
		return a.out.result(map[string]string{"default": c.Name},
			func() { a.out.linef("%s is used from now on", c.Name) })
	})
}

type extractionCmd struct {
	Mode    string `arg:"" optional:"" enum:",auto,rules,llm,none,default" default:"" help:"auto: by rules, and by a model if there is one; rules; llm: by rules and a model; none; default: as the server's setting says. Without it the choice is shown."`
	Project string `help:"Project that it is about; the tenant if left out."`
}

// Run shows or chooses how facts are derived where a request does not say.
func (c *extractionCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		s := a.scope()
		s.Project = c.Project
		if c.Mode != "" {
			mode := trilith.Extraction(c.Mode)
			if c.Mode == "default" {
				mode = ""
			}
			if _, err := m.UseExtraction(ctx, s, trilith.ExtractionRequest{Extract: mode}); err != nil {
				return err
			}
		}
		choice, err := m.Extraction(ctx, s)
		if err != nil {
			return err
		}
		return a.out.result(choice,
			func() { a.out.linef("facts are derived from conversations and notes: %s", choice.Extract) })
	})
}
