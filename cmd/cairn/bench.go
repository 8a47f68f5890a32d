package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
)

type benchCmd struct {
	Memories  int    `short:"n" help:"Memories to recall from." default:"100000"`
	Processes bool   `help:"Measure several processes on one memory, and nothing else."`
	On        string `help:"Measure memories in PostgreSQL too: URL of a server, on which databases are made and dropped." placeholder:"URL"`
	Dir       string `help:"Where to put the files that are measured; a folder of the system's for passing things if left out." placeholder:"DIR"`
}

// figure is one measured number.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// bench measures on memories of its own: in a folder that is removed afterwards, and in databases that are dropped.
type bench struct {
	a         *app
	dir       string
	on        string            // URL of the server that memories lie on now; empty: in the folder
	databases map[string]string // on the server: URLs by the names of files that they stand for
	figures   []figure
}

func (c *benchCmd) Run(ctx context.Context, a *app) error {
	if c.Memories < 1000 {
		return cairn.Errorf(cairn.Invalid, "memories: is %d, must be at least 1000", c.Memories)
	}
	dir, err := os.MkdirTemp(c.Dir, "cairn-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{a: a, dir: dir, databases: map[string]string{}}
	defer b.drop()
	processes := func(ctx context.Context) error { return b.processes(ctx, c.Memories) }
	steps := []func(context.Context) error{b.fsync, b.singleWrites,
		func(ctx context.Context) error { return b.recall(ctx, c.Memories) }, processes,
		func(ctx context.Context) error { return b.lookup(ctx, c.Memories) },
		func(ctx context.Context) error {
			return b.repeat(ctx, "serve, process to ready, nothing stored", memory{file: "empty.db"}, b.startServe)
		},
		func(ctx context.Context) error { return b.opening(ctx, c.Memories) }}
	if c.Processes {
		steps = []func(context.Context) error{processes}
	}
	if c.On != "" {
		steps = append(steps, func(ctx context.Context) error { return b.postgres(ctx, c.On, c.Memories) })
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return a.out.result(map[string]any{"go": runtime.Version(), "cpus": runtime.NumCPU(), "embedder": a.Embedder, "figures": b.figures}, func() {
		rows := make([][]string, len(b.figures))
		for i, f := range b.figures {
			rows[i] = []string{f.Name, strconv.FormatFloat(f.Value, 'f', precision(f.Value), 64), f.Unit}
		}
		a.out.table([]string{"WHAT", "VALUE", "UNIT"}, rows)
	})
}

func precision(v float64) int {
	if v >= 100 {
		return 0
	}
	return 2
}

func (b *bench) add(name string, v float64, unit string) {
	if b.on != "" {
		name = "PostgreSQL: " + name
	}
	b.figures = append(b.figures, figure{name, v, unit})
}

func (b *bench) open(ctx context.Context, name string) (*opened, error) {
	a := *b.a
	a.Store = "sqlite:" + filepath.Join(b.dir, name)
	if b.on != "" {
		var err error
		if a.Store, err = b.database(ctx, name); err != nil {
			return nil, err
		}
	}
	return a.open(ctx)
}

// fsync is what the disk asks for a durable write: the measure of every other number here.
func (b *bench) fsync(context.Context) error {
	f, err := os.Create(filepath.Join(b.dir, "fsync"))
	if err != nil {
		return err
	}
	defer f.Close()
	page := make([]byte, 4096)
	var took []time.Duration
	for range 200 {
		start := time.Now()
		if _, err := f.Write(page); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	b.add("fsync of 4 KiB, p50", ms(quantile(took, .5)), "ms")
	return nil
}

// singleWrites are acknowledged one by one, each durable.
func (b *bench) singleWrites(ctx context.Context) error {
	m, err := b.open(ctx, "single.db")
	if err != nil {
		return err
	}
	defer m.Close()
	for _, callers := range []int{1, 8} {
		const each = 2000
		texts := make([][]string, callers)
		for i := range texts {
			s := newSynthetic(uint64(callers*100 + i))
			for range each / callers {
				texts[i] = append(texts[i], s.text())
			}
		}
		start := time.Now()
		var wg sync.WaitGroup
		errs := make([]error, callers)
		for i := range callers {
			wg.Go(func() {
				for _, text := range texts[i] {
					if _, errs[i] = m.Remember(ctx, b.a.scope(), cairn.RememberRequest{Text: text}); errs[i] != nil {
						return
					}
				}
			})
		}
		wg.Wait()
		if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
			return errs[i]
		}
		b.add(fmt.Sprintf("durable single writes, %d callers", callers), each/time.Since(start).Seconds(), "1/s")
	}
	return nil
}

// recall fills a memory in batches and asks it.
func (b *bench) recall(ctx context.Context, n int) error {
	m, err := b.open(ctx, "recall.db")
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }()
	s := newSynthetic(7)
	var requests []cairn.RememberRequest
	for left := n; left > 0; left -= 1000 {
		requests = append(requests, s.batch(min(left, 1000)))
	}
	start := time.Now()
	for i, r := range requests {
		scope := b.a.scope()
		scope.User = fmt.Sprintf("user-%d", i%10)
		if _, err := m.Remember(ctx, scope, r); err != nil {
			return err
		}
	}
	b.add("batches of 1000, stored", float64(n)/time.Since(start).Seconds(), "memories/s")
	if err := m.Settle(ctx); err != nil {
		return err
	}
	b.add("batches of 1000, stored and in every index", float64(n)/time.Since(start).Seconds(), "memories/s")
	one := b.a.scope()
	one.User = "user-3"
	for _, c := range []struct {
		name  string
		scope cairn.Scope
	}{{"recall", b.a.scope()}, {"recall of one user in ten", one}} {
		if err := b.calls(fmt.Sprintf("%s, %d memories", c.name, n), func() error {
			_, err := m.Recall(ctx, c.scope, cairn.RecallRequest{Query: s.question()})
			return err
		}); err != nil {
			return err
		}
	}
	if err := m.Close(); err != nil {
		return err
	}
	if b.on != "" {
		return nil
	}
	if info, err := os.Stat(filepath.Join(b.dir, "recall.db")); err == nil {
		b.add(fmt.Sprintf("file of %d memories", n), float64(info.Size())/1e6, "MB")
	}
	return nil
}

// residentMB reads the resident memory of a process where the system tells it.
func residentMB(pid int) (float64, bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			return kb / 1000, err == nil
		}
	}
	return 0, false
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(ds []time.Duration, p float64) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[int(float64(len(ds)-1)*p)]
}
