package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

type benchCmd struct {
	Memories  memories `short:"n" help:"Memories of the largest tenant: 10k, 100k, 1m, or any number from 100 on. Smaller tenants lie beside it." default:"100k" placeholder:"N"`
	Dims      int      `help:"Make vectors of so many dimensions, such as 384 or 768, of hashed words, instead of --embedder's." placeholder:"N"`
	Keep      string   `help:"Folder for the memory that is built, which the next run then measures again; one that is removed afterwards if left out." placeholder:"DIR"`
	Markdown  bool     `help:"Print tables as docs/performance.md has them."`
	Processes bool     `help:"Measure several processes on one memory, and nothing else."`
	On        string   `help:"Measure memories in PostgreSQL too: URL of a server, on which databases are made and dropped." placeholder:"URL"`
}

// memories is a number of them, as people say it.
type memories int

// minMemories are enough for every kind of memory, filter and question to be among them.
const minMemories = 100

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
	if *n = memories(v * times); *n < minMemories {
		return fmt.Errorf("is %d, must be at least %d", v*times, minMemories)
	}
	return nil
}

// bench measures on memories of its own: in a folder, and in databases that are dropped.
type bench struct {
	a         *app
	sample    sample
	dir       string            // for files that are removed
	home      string            // of the memory that is built: dir, or a folder that stays
	on        string            // URL of the server that memories lie on now; empty: in files
	databases map[string]string // on the server: URLs by the names of files that they stand for
	report    benchReport
}

func (c *benchCmd) Run(ctx context.Context, a *app) error {
	a.extract = string(cairn.ExtractNone)
	if c.Dims != 0 {
		a.Embedder = fmt.Sprintf("hash:%d", c.Dims)
	}
	dir, err := os.MkdirTemp(c.Keep, "cairn-bench-")
	if errors.Is(err, os.ErrNotExist) { // the folder to keep
		if err = os.MkdirAll(c.Keep, 0o755); err == nil {
			dir, err = os.MkdirTemp(c.Keep, "cairn-bench-")
		}
	}
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{a: a, sample: newSample(a.Tenant, int(c.Memories)), dir: dir, home: dir, databases: map[string]string{}}
	if c.Keep != "" {
		b.home = c.Keep
	}
	defer b.drop()
	b.report.Machine = thisMachine(a)
	steps := []func(context.Context) error{b.writes, b.build, b.measure, b.starts}
	if c.Keep == "" { // it writes
		steps = append(steps, b.tail)
	}
	if c.Processes {
		steps = []func(context.Context) error{b.build, b.processes}
	}
	if c.On != "" {
		steps = append(steps, func(ctx context.Context) error { return b.postgres(ctx, c.On) })
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return a.out.result(&b.report, func() { b.report.print(a.out, c.Markdown) })
}

// open opens a memory of the benchmark by the name of its file.
func (b *bench) open(ctx context.Context, name string) (*opened, error) {
	a := *b.a
	a.Store = b.store(name)
	if b.on != "" {
		var err error
		if a.Store, err = b.database(ctx, name); err != nil {
			return nil, err
		}
	}
	return a.open(ctx)
}

// builtFile is the memory that is built once; others are for a step.
const builtFile = "memory.db"

func (b *bench) store(name string) string { return "sqlite:" + filepath.Join(b.folder(name), name) }

func (b *bench) folder(name string) string {
	if name == builtFile {
		return b.home
	}
	return b.dir
}

// table adds an empty table to the report. The units of its columns are the ends of their names.
func (b *bench) table(name, title string, columns ...string) *benchTable {
	if b.on != "" {
		name, title = "postgres_"+name, title+", PostgreSQL"
	}
	t := &benchTable{name: name, title: title, columns: columns}
	b.report.tables = append(b.report.tables, t)
	return t
}

// How often a call is measured at most, and how long at most where calls are slow; some calls before warm up.
const (
	benchCalls  = 300
	benchWarmup = 20
	benchTime   = 10 * time.Second
)

// times is how often something is measured that is measured n times in a memory of some size. A smaller one serves to try the
// command.
func (b *bench) times(n int) int {
	if b.sample.memories < 1000 {
		return max(2, n/20)
	}
	return n
}

// latency are the columns that calls are measured in.
var latency = []string{"p50_ms", "p95_ms", "p99_ms"}

// calls measures a call, one after another, and returns its [latency].
func (b *bench) calls(what string, call func(i int) error) ([]float64, error) {
	n, warmup := b.times(benchCalls), b.times(benchWarmup)
	bar := b.a.bar(what, int64(n))
	defer bar.finish()
	var took []time.Duration
	begin := time.Now()
	for i := range warmup + n {
		start := time.Now()
		if err := call(i); err != nil {
			return nil, err
		}
		if i >= warmup {
			took = append(took, time.Since(start))
		}
		bar.set(int64(len(took)), int64(n))
		if len(took) >= warmup && time.Since(begin) > benchTime {
			break
		}
	}
	return []float64{ms(quantile(took, .5)), ms(quantile(took, .95)), ms(quantile(took, .99))}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(ds []time.Duration, p float64) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[int(float64(len(ds)-1)*p)]
}

// scope is that of a tenant of the benchmark.
func (b *bench) scope(tenant string) cairn.Scope { return cairn.Scope{Tenant: tenant, Actor: "local"} }
