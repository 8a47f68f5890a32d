package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/engine"
)

// minMemories are enough for every kind of memory, filter and question to be among them.
const minMemories = 100

// options select the measurements and their subject.
type options struct {
	memories  int    // of the largest tenant, at least minMemories
	tenant    string // the largest
	texts     string // file of texts that conversations are made of, one a line; "" for made-up ones
	keep      string // folder in which the memory is kept; "" for one that is removed afterwards
	processes bool   // measure several processes on one memory, and nothing else
	on        string // URL of a PostgreSQL server to measure on too; "" for none
	program   string // that processes are of; "" for one that is built

	settings compose.Settings // of all memories, except their location
	meter    engine.Meter     // counts while recalls are measured, as in a service
	stderr   io.Writer        // of processes that are started
	// progress shows how far something is, until finish is called.
	progress func(what string) (set func(done, total int64), finish func())
}

// bench measures on new memories: in a folder, and in databases that are dropped.
type bench struct {
	o         options
	sample    sample
	dir       string            // for files that are removed
	home      string            // of the memory that is built: dir, or a folder that stays
	on        string            // URL of the server of the present memories; empty: in files
	databases map[string]string // on the server: URLs by the names of files that they stand for
	report    report
}

// measureAll builds memories and measures them.
func measureAll(ctx context.Context, o options) (*report, error) {
	dir, err := os.MkdirTemp(o.keep, "trilith-bench-")
	if errors.Is(err, os.ErrNotExist) { // the folder to keep
		if err = os.MkdirAll(o.keep, 0o755); err == nil {
			dir, err = os.MkdirTemp(o.keep, "trilith-bench-")
		}
	}
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &bench{o: o, sample: newSample(o.tenant, o.memories), dir: dir, home: dir, databases: map[string]string{}}
	if err := b.sample.read(o.texts); err != nil {
		return nil, err
	}
	if o.keep != "" {
		b.home = o.keep
	}
	if err := b.prepareProgram(ctx); err != nil {
		return nil, err
	}
	defer b.drop()
	defer b.removeVectors()
	b.report.Machine = thisMachine(&b.o.settings)
	steps := []func(context.Context) error{b.writes, b.build, b.measure, b.rest, b.starts}
	if o.keep == "" { // it writes
		steps = append(steps, b.tail)
	}
	if o.processes {
		steps = []func(context.Context) error{b.build, b.processes}
	}
	if o.on != "" {
		steps = append(steps, func(ctx context.Context) error { return b.postgres(ctx, o.on) })
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &b.report, nil
}

// prepareProgram builds the program that processes are of, unless one is given, and asks it for its version.
func (b *bench) prepareProgram(ctx context.Context) error {
	if b.o.program == "" {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.dir+string(os.PathSeparator),
			"github.com/trilith-memory/trilith/cmd/trilith")
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0") // as releases are built
		if cmd.Stderr = b.o.stderr; cmd.Run() != nil {
			return trilith.Errorf(trilith.Invalid,
				"program: cannot be built here; run in the folder of the source, or name a program with -program")
		}
		b.o.program = filepath.Join(b.dir, "trilith")
	}
	version, err := exec.CommandContext(ctx, b.o.program, "version").Output()
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "program: does not tell its version: %w", err)
	}
	b.o.settings.Version = strings.TrimSpace(strings.TrimPrefix(string(version), "trilith "))
	return nil
}

// open opens a memory of the benchmark by the name of its file.
func (b *bench) open(ctx context.Context, name string, meter engine.Meter) (*compose.Opened, error) {
	s := b.o.settings
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
func (b *bench) vectorsOf(name string) string {
	return compose.OwnVectors(b.o.settings.Vectors,
		strings.TrimSuffix(name, ".db")+"-"+strings.TrimPrefix(filepath.Base(b.folder(name)), "trilith-bench-"))
}

// removeVectors removes the vectors of temporary memories if they are stored elsewhere.
func (b *bench) removeVectors() {
	for _, name := range []string{builtFile, singleFile} {
		s := b.o.settings
		if s.Vectors = b.vectorsOf(name); b.folder(name) != b.dir {
			continue
		}
		if err := compose.DropVectors(context.Background(), s); err != nil {
			s.Logger.Warn("bench: vectors were not removed", "error", err)
		}
	}
}

// builtFile is the memory that is built once; others are for a step.
const (
	builtFile  = "memory.db"
	singleFile = "single.db"
)

func (b *bench) store(name string) string { return "sqlite:" + filepath.Join(b.folder(name), name) }

func (b *bench) folder(name string) string {
	if name == builtFile {
		return b.home
	}
	return b.dir
}

// table adds an empty table to the report. The units of its columns are the ends of their names.
func (b *bench) table(name, title string, columns ...string) *table {
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
	n, warmup := b.times(callsMost), b.times(callsBefore)
	set, finish := b.o.progress(what)
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
func (b *bench) scope(tenant string) trilith.Scope {
	return trilith.Scope{Tenant: tenant, Actor: "local"}
}
