package main

import (
	"context"
	"strconv"

	"github.com/trilith-memory/trilith"
)

type usageCmd struct {
	Days int `help:"How many days, today included; days are those of UTC." default:"30"`
}

func (c *usageCmd) Run(ctx context.Context, a *app) error {
	return answer(ctx, a, func(m *opened) (trilith.UsageReport, error) {
		return m.Usage(ctx, a.scope(), trilith.UsageQuery{Days: c.Days})
	}, a.out.usage)
}

func (p *printer) usage(r trilith.UsageReport) {
	if len(r.Lines) == 0 {
		p.linef("No provider was asked.")
	} else {
		heading := []string{"DAY", "PROVIDER", "MODEL", "PURPOSE", "REQUESTS", "TOKENS IN", "TOKENS OUT"}
		p.table(heading, rows(r.Lines, func(l *trilith.UsageLine) []string {
			return []string{l.Day, l.Provider, l.Model, string(l.Purpose), strconv.Itoa(l.Requests),
				strconv.Itoa(l.InputTokens), strconv.Itoa(l.OutputTokens)}
		}))
	}
	for _, b := range r.Budget {
		p.linef("Daily budget %s: %d used today.", b.Limit, b.Used)
	}
}
