package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/bench"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/rest"
)

type benchCmd struct {
	Memories  memories `short:"n" help:"Memories of the largest tenant: 10k, 100k, 1m, or any number from 100 on. Smaller tenants lie beside it." default:"100k" placeholder:"N"`
	Dims      int      `help:"Make vectors of so many dimensions, such as 384 or 768, of hashed words, instead of --embedder's." placeholder:"N"`
	Keep      string   `help:"Folder for the memory that is built, which the next run then measures again; one that is removed afterwards if left out." placeholder:"DIR" path:""`
	Markdown  bool     `help:"Print tables as docs/performance.md has them."`
	Processes bool     `help:"Measure several processes on one memory, and nothing else."`
	On        string   `help:"Measure memories in PostgreSQL too: URL of a server, on which databases are made and dropped." placeholder:"URL"`
}

// Help says what --texts means here.
func (*benchCmd) Help() string {
	return "Memories are generated. With --texts=FILE they are the lines of a file, which has as many as -n says; here --texts names no index."
}

// memories is a number of them, as people say it.
type memories int

// UnmarshalText reads 2500, 10k and 1m.
func (n *memories) UnmarshalText(text []byte) error {
	digits, times := strings.ToLower(string(text)), 1
	for suffix, by := range map[string]int{"k": 1e3, "m": 1e6} {
		if d, ok := strings.CutSuffix(digits, suffix); ok {
			digits, times = d, by
		}
	}
	v, err := strconv.Atoi(digits)
	if err != nil || v > 1e9 {
		return fmt.Errorf("must be a number, such as 2500, 10k or 1m")
	}
	if *n = memories(v * times); *n < bench.MinMemories {
		return fmt.Errorf("is %d, must be at least %d", v*times, bench.MinMemories)
	}
	return nil
}

func (c *benchCmd) Run(ctx context.Context, a *app) error {
	a.extract = string(trilith.ExtractNone)
	texts := "" // this command's --texts is a file of them, unless it names an index
	if !compose.IsIndexSetting(a.Texts) {
		texts, a.Texts = a.Texts, "embedded:"
	}
	if c.Dims != 0 {
		a.Embedder = fmt.Sprintf("hash:%d", c.Dims)
	}
	report, err := bench.Run(ctx, bench.Options{
		Memories: int(c.Memories), Tenant: a.Tenant, Texts: texts, Keep: c.Keep, Processes: c.Processes, On: c.On,
		Settings: *a.composed(), Meter: rest.NewMetrics(version), Stderr: a.stderr, Progress: a.progress,
	})
	return a.told(report, err, func() {
		report.Print(bench.Printer{Line: a.out.linef, Bold: a.out.bold, Table: a.out.table}, c.Markdown)
	})
}
