package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/compose"
	"github.com/cairn-memory/cairn/internal/quality"
	"github.com/cairn-memory/cairn/internal/tokens"
	"github.com/cairn-memory/cairn/internal/transfer"
)

type evalCmd struct {
	Dir   string   `arg:"" help:"Folder of a labelled set, or of several; see docs/evaluation.md."`
	Set   []string `help:"Only these sets of the folder; may be repeated." placeholder:"NAME"`
	Arms  []string `help:"Arms to use: lexical, exact, dense, fact; all if left out."`
	Facts bool     `help:"Derive facts from the turns by rules. A fact is judged as the turns it rests on."`
	On    string   `help:"Store the sets on this PostgreSQL server, in databases that are made and dropped, instead of in a file." placeholder:"URL"`
	Role  string   `help:"Search and count turns of this role only: user or assistant." enum:",user,assistant" default:""`

	Young int `help:"Ask each question in a memory of its own with so many turns: its evidence and others of the conversation." placeholder:"TURNS"`

	Pooled      bool `help:"Store all groups of a set in one project; ask with a filter on the group, and once more without." xor:"how"`
	Ablate      bool `help:"Ask again without each lever in turn, and print what that changes." xor:"how"`
	Weigh       bool `help:"Ask again with several weights of vectors beside words, and print what each gives and what the other sets would choose." xor:"how"`
	Silence     bool `help:"Ask for the best hit of each question, and once more in another group, and print what each min_score would withhold." xor:"how"`
	Context     bool `help:"Ask for blocks of several budgets, and print how much of the evidence stands in them, beside a plain list of hits." xor:"how"`
	LeaveOneOut bool `help:"Beside --ablate: ask each set with those levers alone that are worth half a point on the mean of the other sets." xor:"how"`
}

func (c *evalCmd) Run(ctx context.Context, a *app) error {
	a.extract = string(cairn.ExtractNone) // what is measured says itself whether facts are derived
	dirs, err := c.sets()
	if err != nil {
		return err
	}
	levers, err := cairn.ParseLevers(cmp.Or(a.Levers, "all"))
	if err != nil {
		return err
	}
	var arms []cairn.Arm
	for _, arm := range c.Arms {
		arms = append(arms, cairn.Arm(arm))
	}
	var out struct {
		Sets        []quality.Report   `json:"sets"`
		Ablation    *quality.Ablation  `json:"ablation,omitempty"`
		LeaveOneOut []quality.Report   `json:"leave_one_out,omitempty"`
		Weighing    *quality.Weighing  `json:"weighing,omitempty"`
		Silence     []quality.Silence  `json:"silence,omitempty"`
		Context     []quality.Evidence `json:"context,omitempty"`
	}
	report := func(to *[]quality.Report, r quality.Report) error {
		*to = append(*to, r)
		if a.JSON {
			return nil
		}
		return r.Table(a.out.w)
	}
	var sets []*evalSet
	var changes [][]quality.Difference // by lever and set
	for _, dir := range dirs {
		set, err := a.storeSet(ctx, c, dir, arms)
		if err != nil {
			return err
		}
		again := c.LeaveOneOut || c.Weigh // when all are known
		if again {
			defer set.close()
			sets = append(sets, set)
		}
		pools := []quality.Pool{quality.OwnProject}
		if c.Pooled {
			pools = []quality.Pool{quality.Restricted, quality.Shared}
		}
		for _, pool := range pools {
			r, err := set.ask(ctx, levers, pool)
			if err == nil {
				err = report(&out.Sets, r)
			}
			if err == nil && c.Silence {
				var s quality.Silence
				if s, err = quality.MeasureSilence(ctx, onlyArms{set.memory, arms}, set.set, set.options); err == nil {
					out.Silence = append(out.Silence, s)
				}
				if err == nil && !a.JSON {
					err = s.Table(a.out.w)
				}
			}
			if err == nil && c.Context {
				var e quality.Evidence
				if e, err = set.context(ctx); err == nil {
					out.Context = append(out.Context, e)
				}
				if err == nil && !a.JSON {
					err = e.Table(a.out.w)
				}
			}
			if err == nil && (c.Ablate || c.LeaveOneOut) {
				changes, err = set.ablate(ctx, levers, r, changes)
			}
			if err != nil {
				return err
			}
		}
		if !again {
			set.close()
		}
	}
	if c.Ablate || c.LeaveOneOut {
		out.Ablation = &quality.Ablation{}
		for _, r := range out.Sets {
			out.Ablation.Sets = append(out.Ablation.Sets, r.Dataset)
		}
		for i, l := range levers.Each() {
			out.Ablation.Add(l, changes[i])
		}
		if !a.JSON {
			if err := out.Ablation.Table(a.out.w); err != nil {
				return err
			}
		}
	}
	if c.Weigh {
		if out.Weighing, err = c.weigh(ctx, sets, levers); err != nil {
			return err
		}
		if !a.JSON {
			if err := out.Weighing.Table(a.out.w); err != nil {
				return err
			}
		}
	}
	for i, set := range sets {
		if !c.LeaveOneOut {
			break
		}
		kept, err := out.Ablation.Kept(i)
		if err != nil {
			return err
		}
		r, err := set.ask(ctx, kept, quality.OwnProject)
		if err == nil {
			err = report(&out.LeaveOneOut, r)
		}
		if err != nil {
			return err
		}
	}
	return a.out.result(out, func() {})
}

// weigh asks all sets with each weight of vectors.
func (c *evalCmd) weigh(ctx context.Context, sets []*evalSet, levers cairn.Levers) (*quality.Weighing, error) {
	w := &quality.Weighing{}
	for _, set := range sets {
		w.Sets = append(w.Sets, set.set.Name)
	}
	for _, weight := range quality.Weights() {
		var reports []quality.Report
		for _, set := range sets {
			set.memory.Weigh(weight)
			r, err := set.ask(ctx, levers, quality.OwnProject)
			if err != nil {
				return nil, err
			}
			reports = append(reports, r)
		}
		w.Add(weight, reports)
	}
	w.Choose()
	return w, nil
}

// sets returns the folders that hold a set.
func (c *evalCmd) sets() ([]string, error) {
	isSet := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, quality.QueriesFile))
		return err == nil
	}
	if isSet(c.Dir) {
		return []string{c.Dir}, nil
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, cairn.Errorf(cairn.Invalid, "dir: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(c.Dir, e.Name())
		if _, err := os.Stat(filepath.Join(dir, quality.DocsFile)); err == nil && isSet(dir) && (len(c.Set) == 0 || slices.Contains(c.Set, e.Name())) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, cairn.Errorf(cairn.NotFound, "dir: %s holds no set with %s and %s", c.Dir, quality.DocsFile, quality.QueriesFile)
	}
	return dirs, nil
}

// evalSet is a set that is stored in a memory of its own.
type evalSet struct {
	a       *app
	set     quality.Set
	memory  *opened
	options quality.Options
	arms    []cairn.Arm
	remove  func()
}

// storeSet stores a set in a memory of its own, which is removed when it is closed.
func (a *app) storeSet(ctx context.Context, c *evalCmd, dir string, arms []cairn.Arm) (*evalSet, error) {
	if c.Young != 0 {
		young, remove, err := youngSet(dir, c.Young, cairn.Role(c.Role))
		if err != nil {
			return nil, err
		}
		defer remove()
		dir = young
	}
	set, err := quality.LoadSet(dir)
	if err != nil {
		return nil, err
	}
	b := *a
	s := &evalSet{a: &b, set: set, arms: arms}
	if b.Store, s.remove, err = a.ownStore(ctx, c.On); err != nil {
		return nil, err
	}
	if s.memory, err = b.open(ctx); err != nil {
		s.remove()
		return nil, err
	}
	s.options = quality.Options{Scope: a.scope(), Role: cairn.Role(c.Role)}
	var target transfer.Target = s.memory
	if c.Facts {
		target, s.options.Turns = deriving{target}, s.memory
	}
	if c.Pooled {
		target = pooling{target}
	}
	stored, err := b.importPath(ctx, target, filepath.Join(dir, quality.DocsFile), transfer.EvalSet, transfer.Options{Scope: a.scope(), Strict: true})
	if err == nil {
		err = s.memory.Work(ctx)
	}
	if err == nil {
		err = s.memory.Settle(ctx)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.options.IngestPerS = float64(stored.Stored) / max(stored.Seconds, 1e-9)
	return s, nil
}

// youngSet makes a set of young memories of another one, in a folder that remove removes.
func youngSet(dir string, turns int, role cairn.Role) (young string, remove func(), err error) {
	if turns < 1 {
		return "", nil, cairn.Errorf(cairn.Invalid, "young: is %d, must be at least 1 turn", turns)
	}
	parent, err := os.MkdirTemp("", "cairn-young-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(parent) }
	young = filepath.Join(parent, fmt.Sprintf("%s-young%d", filepath.Base(filepath.Clean(dir)), turns))
	if err = os.Mkdir(young, 0o700); err == nil {
		err = quality.Young(dir, young, turns, role)
	}
	if err != nil {
		remove()
	}
	return young, remove, err
}

func (s *evalSet) close() {
	_ = s.memory.Close()
	s.remove()
}

// ask asks the questions with some levers.
func (s *evalSet) ask(ctx context.Context, levers cairn.Levers, pool quality.Pool) (quality.Report, error) {
	s.memory.LeaveOut(cairn.AllLevers &^ levers)
	var arms []string
	for _, arm := range s.arms {
		arms = append(arms, string(arm))
	}
	progress := s.a.bar("asking "+s.set.Name, int64(len(s.set.Queries)))
	defer progress.finish()
	o := s.options
	o.Pool = pool
	o.Config = fmt.Sprintf("embedder=%s arms=%s levers=%s facts=%t version=%s", s.a.Embedder, strings.Join(arms, ","), levers, o.Turns != nil, version)
	o.Progress = func(done, total int) { progress.set(int64(done), int64(total)) }
	return quality.Evaluate(ctx, onlyArms{s.memory, s.arms}, s.set, o)
}

// context asks the questions for blocks.
func (s *evalSet) context(ctx context.Context) (quality.Evidence, error) {
	progress := s.a.bar("asking "+s.set.Name+" for blocks", int64(len(s.set.Queries)))
	defer progress.finish()
	o := s.options
	o.Progress = func(done, total int) { progress.set(int64(done), int64(total)) }
	return quality.MeasureContext(ctx, onlyArms{s.memory, s.arms}, s.set, tokens.Named(s.a.Tokenizer), o)
}

// ablate asks again without each of the levers, and adds what that changes to the differences by lever and set.
func (s *evalSet) ablate(ctx context.Context, levers cairn.Levers, base quality.Report, changes [][]quality.Difference) ([][]quality.Difference, error) {
	for i, l := range levers.Each() {
		r, err := s.ask(ctx, levers&^l, base.Pool)
		if err != nil {
			return nil, err
		}
		if i == len(changes) {
			changes = append(changes, nil)
		}
		changes[i] = append(changes[i], quality.Differ(base, r))
	}
	return changes, nil
}

// ownStore makes room for a memory: a file, or a database on a server.
func (a *app) ownStore(ctx context.Context, on string) (store string, remove func(), err error) {
	if on == "" {
		dir, err := os.MkdirTemp("", "cairn-eval-")
		return "sqlite:" + filepath.Join(dir, "eval.db"), func() { _ = os.RemoveAll(dir) }, err
	}
	store, err = compose.MakeDatabase(ctx, on)
	return store, func() {
		if err := compose.DropDatabase(context.WithoutCancel(ctx), store); err != nil {
			a.logger().Warn("eval: a database is left behind", "database", compose.StoreName(store), "error", err)
		}
	}, err
}

// deriving remembers and derives facts by rules.
type deriving struct{ transfer.Target }

func (d deriving) Remember(ctx context.Context, s cairn.Scope, r cairn.RememberRequest) (cairn.RememberResult, error) {
	r.Extract = cairn.ExtractRules
	return d.Target.Remember(ctx, s, r)
}

// pooling remembers all groups in one project, each with a tag that bears its name.
type pooling struct{ transfer.Target }

func (p pooling) Remember(ctx context.Context, s cairn.Scope, r cairn.RememberRequest) (cairn.RememberResult, error) {
	r.Tags = append(slices.Clone(r.Tags), s.Project)
	s.Session, s.Project = s.Project+"/"+s.Session, ""
	return p.Target.Remember(ctx, s, r)
}

// onlyArms recalls with some of the arms.
type onlyArms struct {
	quality.Contexter
	arms []cairn.Arm
}

func (o onlyArms) Recall(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error) {
	r.Arms = o.arms
	return o.Contexter.Recall(ctx, s, r)
}

func (o onlyArms) Context(ctx context.Context, s cairn.Scope, r cairn.ContextRequest) (cairn.ContextBlock, error) {
	r.Arms = o.arms
	return o.Contexter.Context(ctx, s, r)
}
