package main

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
)

type reindexCmd struct {
	To        string `help:"Make the vectors of this embedder in the background and switch to it when they are all there." placeholder:"URL" xor:"do"`
	Rollback  bool   `help:"Go back to the generation of vectors before the last switch." xor:"do"`
	ForgetOld bool   `help:"Remove the vectors of the generation before the last switch." xor:"do"`
	Status    bool   `help:"List the generations of vectors." xor:"do"`
}

func (c *reindexCmd) Run(ctx context.Context, a *app) error {
	if c.To == "" && !c.Rollback && !c.ForgetOld && !c.Status {
		return a.rebuild(ctx)
	}
	m, err := a.openWith(ctx, true)
	if err != nil {
		return err
	}
	defer m.Close()
	switch {
	case c.To != "":
		if _, unnamed := m.Embedders.Setting(c.To); unnamed != nil { // written here, it is named
			m.Embedders.Add(c.To)
		}
		_, err = m.SwitchTo(ctx, c.To)
	case c.Rollback:
		if err = m.namePrevious(ctx); err == nil {
			_, err = m.Rollback(ctx)
		}
	case c.ForgetOld:
		_, err = m.ForgetPrevious(ctx)
	}
	if err == nil && !c.Status {
		err = a.awaitGenerations(ctx, m)
	}
	if err != nil {
		return err
	}
	generations, err := m.Generations(ctx)
	return a.told(map[string]any{"generations": generations}, err, func() {
		a.out.generations(generations)
		if active := generations[0].Embedder; (c.To != "" || c.Rollback) && active != "" &&
			strings.TrimSuffix(active, ":") != strings.TrimSuffix(a.Embedder, ":") {
			a.out.linef("From now on this memory is opened with --embedder %s, or TRILITH_EMBEDDER=%s in the environment.", active, active)
		}
	})
}

// namePrevious names the embedder of the previous generation, which --rollback makes active again.
func (m *opened) namePrevious(ctx context.Context) error {
	gs, err := m.Generations(ctx)
	for _, g := range gs {
		if g.State == trilith.GenerationPrevious {
			m.Embedders.Add(g.Embedder)
		}
	}
	return err
}

// rebuild makes the indexes again.
func (a *app) rebuild(ctx context.Context) error {
	return a.with(ctx, func(m *opened) error {
		b := a.bar("reindexing", 1)
		res, err := m.Reindex(ctx, func(done, total int) { b.set(int64(done), int64(total)) })
		b.finish()
		return a.told(res, err, func() {
			a.out.linef("%d texts and %d vectors rebuilt in %.1f s", res.Texts, res.Vectors, res.Seconds)
		})
	})
}

// awaitGenerations shows the progress of the build, whichever process does it, until it is done. If the command is
// interrupted, the next process that has the memory open continues.
func (a *app) awaitGenerations(ctx context.Context, m *opened) error {
	b := a.bar("embedding", 1)
	defer b.finish()
	failed := ""
	err := m.AwaitGenerations(ctx, func(gs []trilith.GenerationStatus) {
		for _, g := range gs {
			if g.Build == nil {
				continue
			}
			b.set(int64(g.Build.Done), int64(max(g.Build.Total, 1)))
			if g.Build.Error != failed && g.Build.Error != "" {
				a.logger().Warn("reindex: the build has stopped for now and will be retried", "why",
					g.Build.Error)
			}
			failed = g.Build.Error
		}
	})
	if trilith.KindOf(err) == trilith.Canceled {
		return trilith.Errorf(trilith.Canceled,
			"the build continues in the process that has the memory open, or in the next one; cancel it with: trilith reindex --to %s", a.Embedder)
	}
	return err
}

// generations prints what generations there are.
func (p *printer) generations(gs []trilith.GenerationStatus) {
	for _, g := range gs {
		more := ""
		if g.Embedder != "" {
			more = ", --embedder " + g.Embedder
		}
		if g.Build != nil {
			p.linef("%-9s %s%s: %d of %d changes", g.State, g.Generation, more, g.Build.Done, g.Build.Total)
		} else {
			p.linef("%-9s %s%s", g.State, g.Generation, more)
		}
	}
}
