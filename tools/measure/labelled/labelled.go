// Package labelled makes labelled sets of the files of benchmarks, stores sets in separate memories and asks their
// questions, for tools/measure and tools/ablate.
package labelled

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/lang/tokens"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// Options say how sets are stored and asked.
type Options struct {
	Settings compose.Settings // of the memories, except their location; Extract is none
	Tenant   string
	On       string        // URL of a PostgreSQL server, on which databases are made and dropped; "": files
	Arms     []trilith.Arm // that are used; nil: all
	Role     trilith.Role  // of the turns that are searched and counted; all if empty
	Facts    bool          // derive facts of the turns by rules
	Pooled   bool          // store all groups of a set in one project
	Young    int           // ask each question in a separate memory with this many turns; 0: in that of its group
	// Progress shows the progress of a task until finish is called; nil: it is not shown.
	Progress func(what string, total int64) (set func(done, total int64), finish func())
}

// Sets returns the folders of labelled sets: dir itself, or those in it that are named, all if none is.
func Sets(dir string, named []string) ([]string, error) {
	isSet := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, quality.QueriesFile))
		return err == nil
	}
	if isSet(dir) {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "dir: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		set := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(set, quality.DocsFile)); err == nil && isSet(set) &&
			(len(named) == 0 || slices.Contains(named, e.Name())) {
			dirs = append(dirs, set)
		}
	}
	if len(dirs) == 0 {
		return nil, trilith.Errorf(trilith.NotFound, "dir: %s holds no set with %s and %s",
			dir, quality.DocsFile, quality.QueriesFile)
	}
	return dirs, nil
}

// Set is a set that is stored in a separate memory.
type Set struct {
	quality.Set
	Memory  *compose.Opened
	o       Options
	options quality.Options
	store   string
	dir     string   // of the stored set
	removes []func() // cleanup functions, run in reverse order
}

// Store stores the set of a folder in a memory, which is removed when the set is closed.
func Store(ctx context.Context, dir string, o Options) (*Set, error) {
	o.Settings.Extract = string(trilith.ExtractNone) // each measurement decides itself whether facts are derived
	if o.Settings.Logger == nil {
		o.Settings.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64) (func(done, total int64), func()) { return func(int64, int64) {}, func() {} }
	}
	scope := trilith.Scope{Tenant: o.Tenant, Actor: "local"}
	s := &Set{o: o, dir: dir, options: quality.Options{Scope: scope, Role: o.Role}}
	if o.Young != 0 {
		if err := s.makeYoung(); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Set, err = quality.LoadSet(s.dir); err == nil {
		err = s.makeStore(ctx)
	}
	if err == nil {
		s.o.Settings.Vectors = compose.OwnVectors(o.Settings.Vectors, rand.Text()[:8])
		err = s.open(ctx, s.o.Settings)
	}
	if err != nil {
		s.clear()
		return nil, err
	}
	if err = s.fill(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// makeYoung makes a set of young memories of the set, which takes its place.
func (s *Set) makeYoung() error {
	if s.o.Young < 1 {
		return trilith.Errorf(trilith.Invalid, "young: is %d, must be at least 1 turn", s.o.Young)
	}
	parent, err := s.makeFolder("trilith-young-")
	if err != nil {
		return err
	}
	young := filepath.Join(parent, fmt.Sprintf("%s-young%d", filepath.Base(filepath.Clean(s.dir)), s.o.Young))
	if err = os.Mkdir(young, 0o700); err == nil {
		err = quality.Young(s.dir, young, s.o.Young, s.o.Role)
	}
	if err != nil {
		s.clear()
	}
	s.dir = young
	return err
}

// makeStore makes room for a memory: a file, or a database on a server.
func (s *Set) makeStore(ctx context.Context) error {
	if s.o.On == "" {
		dir, err := s.makeFolder("trilith-eval-")
		s.store = "sqlite:" + filepath.Join(dir, "eval.db")
		return err
	}
	store, err := compose.MakeDatabase(ctx, s.o.On)
	if err != nil {
		return err
	}
	s.store = store
	s.removes = append(s.removes, func() {
		if err := compose.DropDatabase(context.WithoutCancel(ctx), store); err != nil {
			s.o.Settings.Logger.Warn("eval: a database was not removed",
				"database", compose.StoreName(store), "error", err)
		}
	})
	return nil
}

// makeFolder creates a folder that is removed with the set.
func (s *Set) makeFolder(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err == nil {
		s.removes = append(s.removes, func() { _ = os.RemoveAll(dir) })
	}
	return dir, err
}

// Deriving remembers and derives facts by rules.
type Deriving struct{ transfer.Target }

// pooling remembers all groups in one project, each with a tag that bears its name.
type pooling struct{ transfer.Target }

// fill stores the turns.
func (s *Set) fill(ctx context.Context) error {
	var target transfer.Target = s.Memory
	if s.o.Facts {
		target = Deriving{target}
	}
	if s.o.Pooled {
		target = pooling{target}
	}
	turns := int64(len(s.Docs))
	set, finish := s.o.Progress("importing "+quality.DocsFile, turns)
	defer finish()
	stored, err := transfer.Run(ctx, target, Turns(s.Set), transfer.Options{Scope: s.options.Scope, Strict: true,
		Progress: func(p transfer.Progress) { set(int64(p.Stored+p.Duplicates+p.Rejected), turns) }})
	if err == nil {
		err = s.Memory.Work(ctx)
	}
	if err == nil {
		err = s.Memory.Settle(ctx)
	}
	if err == nil {
		err = compose.AwaitIndexed(ctx, s.o.Settings)
	}
	s.options.IngestPerS = float64(stored.Stored) / max(stored.Seconds, 1e-9)
	return err
}

// Reopen opens the memory once more with settings that change makes of those that it was stored with. Stored data
// stays.
func (s *Set) Reopen(ctx context.Context, change func(*compose.Settings)) error {
	if err := s.Memory.Close(); err != nil {
		return err
	}
	settings := s.o.Settings
	change(&settings)
	return s.open(ctx, settings)
}

// Close removes the memory.
func (s *Set) Close() {
	_ = s.Memory.Close()
	s.clear()
	if err := compose.DropVectors(context.Background(), s.o.Settings); err != nil {
		s.o.Settings.Logger.Warn("eval: vectors were not removed", "error", err)
	}
}

func (s *Set) clear() {
	for _, remove := range slices.Backward(s.removes) {
		remove()
	}
}

// open opens the memory of the set.
func (s *Set) open(ctx context.Context, settings compose.Settings) error {
	settings.Store = s.store
	m, err := compose.Open(ctx, settings)
	if err != nil {
		return err
	}
	s.Memory = m
	if s.o.Facts {
		s.options.Turns = m
	}
	return nil
}

// Ask asks the questions, in a pool. a description of the run in a word or two; it may be empty.
func (s *Set) Ask(ctx context.Context, pool quality.Pool, what string) (quality.Report, error) {
	o, finish := s.asking("")
	defer finish()
	var arms []string
	for _, arm := range s.o.Arms {
		arms = append(arms, string(arm))
	}
	o.Pool = pool
	o.Config = fmt.Sprintf("embedder=%s arms=%s facts=%t version=%s",
		s.o.Settings.Embedder, strings.Join(arms, ","), s.o.Facts, s.o.Settings.Version)
	if turns := s.o.Settings.Sessions.Episodic; turns > 0 {
		o.Config += fmt.Sprintf(" windows=%d", turns)
	}
	if what != "" {
		o.Config += " " + what
	}
	return quality.Evaluate(ctx, s.Asked(), s.Set, o)
}

// Context asks the questions for blocks.
func (s *Set) Context(ctx context.Context) (quality.Evidence, error) {
	o, finish := s.asking(" for blocks")
	defer finish()
	return quality.MeasureContext(ctx, s.Asked(), s.Set, tokens.Named(s.o.Settings.Tokenizer), o)
}

// asking are the options of a run that shows how far it is.
func (s *Set) asking(what string) (o quality.Options, finish func()) {
	set, finish := s.o.Progress("asking "+s.Name+what, int64(len(s.Queries)))
	o = s.options
	o.Progress = func(done, total int) { set(int64(done), int64(total)) }
	return o, finish
}

// OnlyArms recalls with some of the arms.
type OnlyArms struct {
	quality.Contexter
	Arms []trilith.Arm
}

// Asked is the memory, asked with the arms of the options.
func (s *Set) Asked() quality.Contexter { return OnlyArms{s.Memory, s.o.Arms} }

// Options returns the options for evaluating the set.
func (s *Set) Options() quality.Options { return s.options }

// Remember implements [transfer.Target].
func (d Deriving) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	r.Extract = trilith.ExtractRules
	return d.Target.Remember(ctx, s, r)
}

func (p pooling) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	r.Tags = append(slices.Clone(r.Tags), s.Project)
	s.Session, s.Project = s.Project+"/"+s.Session, ""
	return p.Target.Remember(ctx, s, r)
}

// Recall implements [quality.Recaller].
func (o OnlyArms) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	r.Arms = o.Arms
	return o.Contexter.Recall(ctx, s, r)
}

// Context implements [quality.Contexter].
func (o OnlyArms) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	r.Arms = o.Arms
	return o.Contexter.Context(ctx, s, r)
}
