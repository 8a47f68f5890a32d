// Package bench measures the speed and the memory of trilith on the machine that it runs on: it builds memories of
// made-up conversations, in files and on a server, asks them, and starts processes on them. docs/performance.md says
// what is measured.
package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
)

// MinMemories are enough for every kind of memory, filter and question to be among them.
const MinMemories = 100

// Options say what is measured, and on what.
type Options struct {
	Memories  int    // of the largest tenant, at least [MinMemories]
	Tenant    string // the largest
	Texts     string // file of texts that conversations are made of, one a line; "" for made-up ones
	Keep      string // folder in which the memory is kept; "" for one that is removed afterwards
	Processes bool   // measure several processes on one memory, and nothing else
	On        string // URL of a PostgreSQL server to measure on too; "" for none

	Settings compose.Settings // of all memories, except their location
	Meter    engine.Meter     // counts while recalls are measured, as in a service
	Stderr   io.Writer        // of processes that are started
	// Progress shows how far something is, until finish is called.
	Progress func(what string, total int64) (set func(done, total int64), finish func())
}

// run measures on new memories: in a folder, and in databases that are dropped.
type run struct {
	o         Options
	sample    sample
	dir       string            // for files that are removed
	home      string            // of the memory that is built: dir, or a folder that stays
	on        string            // URL of the server of the present memories; empty: in files
	databases map[string]string // on the server: URLs by the names of files that they stand for
	report    Report
}

// Run builds memories and measures them. It starts the running program once more for what is measured of whole
// processes.
func Run(ctx context.Context, o Options) (*Report, error) {
	dir, err := os.MkdirTemp(o.Keep, "trilith-bench-")
	if errors.Is(err, os.ErrNotExist) { // the folder to keep
		if err = os.MkdirAll(o.Keep, 0o755); err == nil {
			dir, err = os.MkdirTemp(o.Keep, "trilith-bench-")
		}
	}
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &run{o: o, sample: newSample(o.Tenant, o.Memories), dir: dir, home: dir, databases: map[string]string{}}
	if err := b.sample.read(o.Texts); err != nil {
		return nil, err
	}
	if o.Keep != "" {
		b.home = o.Keep
	}
	defer b.drop()
	defer b.removeVectors()
	b.report.Machine = thisMachine(&o.Settings)
	steps := []func(context.Context) error{b.writes, b.build, b.measure, b.rest, b.starts}
	if o.Keep == "" { // it writes
		steps = append(steps, b.tail)
	}
	if o.Processes {
		steps = []func(context.Context) error{b.build, b.processes}
	}
	if o.On != "" {
		steps = append(steps, func(ctx context.Context) error { return b.postgres(ctx, o.On) })
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &b.report, nil
}

// open opens a memory of the benchmark by the name of its file.
func (b *run) open(ctx context.Context, name string, meter engine.Meter) (*compose.Opened, error) {
	s := b.o.Settings
	s.Store, s.Meter, s.Vectors = b.store(name), meter, b.vectorsOf(name)
	if b.on != "" {
		var err error
		if s.Store, err = b.database(ctx, name); err != nil {
			return nil, err
		}
	}
	return compose.Open(ctx, s)
}

// vectorsOf is the setting of vectors for a memory by the name of its file.
func (b *run) vectorsOf(name string) string {
	return compose.OwnVectors(b.o.Settings.Vectors,
		strings.TrimSuffix(name, ".db")+"-"+strings.TrimPrefix(filepath.Base(b.folder(name)), "trilith-bench-"))
}

// removeVectors removes the vectors of temporary memories if they are stored elsewhere.
func (b *run) removeVectors() {
	for _, name := range []string{builtFile, singleFile} {
		s := b.o.Settings
		if s.Vectors = b.vectorsOf(name); b.folder(name) != b.dir {
			continue
		}
		if err := compose.DropVectors(context.Background(), s); err != nil && s.Logger != nil {
			s.Logger.Warn("bench: vectors were not removed", "error", err)
		}
	}
}

// builtFile is the memory that is built once; others are for a step.
const (
	builtFile  = "memory.db"
	singleFile = "single.db"
)

func (b *run) store(name string) string { return "sqlite:" + filepath.Join(b.folder(name), name) }

func (b *run) folder(name string) string {
	if name == builtFile {
		return b.home
	}
	return b.dir
}

// table adds an empty table to the report. The units of its columns are the ends of their names.
func (b *run) table(name, title string, columns ...string) *table {
	if b.on != "" {
		name, title = "postgres_"+name, title+", PostgreSQL"
	}
	t := &table{name: name, title: title, columns: columns}
	b.report.tables = append(b.report.tables, t)
	return t
}

// How often a call is measured at most, and how long at most where calls are slow; some calls before warm up.
const (
	callsMost   = 300
	callsBefore = 20
	callsTime   = 10 * time.Second
)

// times is how often something is measured that is measured n times in a memory of some size. A smaller one serves to
// try the command.
func (b *run) times(n int) int {
	if b.sample.memories < 1000 {
		return max(2, n/20)
	}
	return n
}

// latency are the columns that calls are measured in.
var latency = []string{"p50_ms", "p95_ms", "p99_ms"}

// calls measures a call, one after another, and returns its [latency].
func (b *run) calls(what string, call func(i int) error) ([]float64, error) {
	n, warmup := b.times(callsMost), b.times(callsBefore)
	set, finish := b.o.Progress(what, int64(n))
	defer finish()
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
		set(int64(len(took)), int64(n))
		if len(took) >= warmup && time.Since(begin) > callsTime {
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

// scope returns the scope of a tenant of the benchmark.
func (b *run) scope(tenant string) trilith.Scope {
	return trilith.Scope{Tenant: tenant, Actor: "local"}
}
