package main

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
)

type languagesCmd struct {
	Show  languagesShowCmd  `cmd:"" default:"1" help:"Show the languages that the tenant has chosen."`
	Set   languagesSetCmd   `cmd:"" help:"Choose the languages of the tenant's texts, which are then indexed again."`
	Clear languagesClearCmd `cmd:"" help:"Take the choice back."`
}

type languagesShowCmd struct{}

func (c *languagesShowCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error { return a.showLanguages(ctx, m) })
}

type languagesSetCmd struct {
	Codes string `arg:"" help:"Codes such as de,fr, the main language first."`
}

func (c *languagesSetCmd) Run(ctx context.Context, a *app) error {
	return a.useLanguages(ctx, strings.Split(c.Codes, ","))
}

type languagesClearCmd struct{}

func (c *languagesClearCmd) Run(ctx context.Context, a *app) error { return a.useLanguages(ctx, nil) }

func (a *app) useLanguages(ctx context.Context, codes []string) error {
	return a.with(ctx, func(m *opened) error {
		if _, err := m.UseLanguages(ctx, a.scope(), trilith.LanguageChoice{Languages: codes}); err != nil {
			return err
		}
		return a.showLanguages(ctx, m)
	})
}

func (a *app) showLanguages(ctx context.Context, m *opened) error {
	chosen, err := m.Engine.Languages(ctx, a.scope())
	if err != nil {
		return err
	}
	codes := chosen.Languages
	return a.out.result(map[string][]string{"languages": append([]string{}, codes...)}, func() {
		switch store := strings.Join(a.globals.Languages, ","); {
		case len(codes) > 0:
			a.out.linef("%s", strings.Join(codes, ","))
		case store != "":
			a.out.linef("none of its own; the store has %s", store)
		default:
			a.out.linef("none: every text tells its own")
		}
	})
}
