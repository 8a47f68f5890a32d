package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-memory/cairn"
)

// Memory is what a story talks to: an engine, or a client of one.
type Memory interface {
	Remember(ctx context.Context, s cairn.Scope, r cairn.RememberRequest) (cairn.RememberResult, error)
	Recall(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error)
	Context(ctx context.Context, s cairn.Scope, r cairn.ContextRequest) (cairn.ContextBlock, error)
	Update(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.UpdateRequest) (cairn.Memory, error)
	Forget(ctx context.Context, s cairn.Scope, r cairn.ForgetRequest) (cairn.ForgetResult, error)
	Erase(ctx context.Context, s cairn.Scope, r cairn.EraseRequest) (cairn.EraseReceipt, error)
	History(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.History, error)
	Assimilate(ctx context.Context, s cairn.Scope, r cairn.AssimilateRequest) (cairn.AssimilateResult, error)
	Lookup(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.LookupResult, error)
	MergeEntities(ctx context.Context, s cairn.Scope, into, from cairn.ID) (cairn.Entity, error)
	SplitEntity(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SplitRequest) (cairn.SplitResult, error)
}

// Limit declares what a memory under test cannot do; stories that need it are skipped, and say so.
type Limit uint

// OneTenant declares that the memory works in one tenant, whatever the scope says: that of a key.
const OneTenant Limit = 1

// Tenant is the tenant of every line without the option tenant.
const Tenant = "default"

// Run plays every story of the folder, each on a fresh memory that open makes and cleans up after itself.
func Run(t *testing.T, dir string, open func(t *testing.T) Memory, limits ...Limit) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("scenario: no stories in %s (%v)", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := parse(filepath.Base(path), data)
			if err != nil {
				t.Fatal(err)
			}
			if s.tenants() && slices.Contains(limits, OneTenant) {
				t.Skip("the story needs more than one tenant, and this memory declares that it has one")
			}
			if err := play(t.Context(), s, open(t)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// play runs the story up to its first failure, which it returns with the line and with what the memory answered.
func play(ctx context.Context, s *story, m Memory) error {
	p := player{memory: m, story: s, labels: map[string]labelled{}}
	for i, st := range s.steps {
		if st.command == "expect" {
			if err := p.expect(st); err != nil {
				return fmt.Errorf("%s: %s\n%w\nlast answer: %s", st.at, st.line, err, p.last)
			}
			continue
		}
		p.last = answer{}
		err := p.do(ctx, st)
		wanted := i+1 < len(s.steps) && s.steps[i+1].command == "expect" && s.steps[i+1].words[0] == "error"
		if _, ours := errors.AsType[*storyError](err); err != nil && (ours || !wanted) {
			return fmt.Errorf("%s: %s\n%w", st.at, st.line, err)
		}
		p.last.err = err
	}
	return nil
}

// storyError is a mistake in the story, not an answer of the memory.
type storyError struct{ text string }

func (e *storyError) Error() string { return e.text }

func mistake(format string, args ...any) error {
	return &storyError{fmt.Sprintf(format, args...)}
}

type labelled struct {
	id     cairn.ID
	tenant string
}

type player struct {
	memory Memory
	story  *story
	labels map[string]labelled
	last   answer
}

func (p *player) do(ctx context.Context, st step) error {
	switch st.command {
	case "recall":
		return p.recall(ctx, st)
	case "context":
		return p.context(ctx, st)
	case "history", "forget", "erase", "update":
		return p.keep(ctx, st)
	case "assimilate":
		return p.assimilate(ctx, st)
	case "lookup":
		return p.lookup(ctx, st)
	case "merge", "split":
		return p.one(ctx, st)
	}
	return p.remember(ctx, st)
}

// scope is what the options of a line say.
func scope(st step) cairn.Scope {
	o := st.options
	s := cairn.Scope{Tenant: o["tenant"], Project: o["project"], Domain: o["domain"], User: o["user"], Agent: o["agent"],
		Session: o["session"], Channel: o["channel"], Actor: "story"}
	if s.Tenant == "" {
		s.Tenant = Tenant
	}
	return s
}

func (p *player) label(name string) (labelled, error) {
	l, ok := p.labels[name]
	if !ok {
		return l, mistake("no line before stored anything as=%s", name)
	}
	return l, nil
}

func (p *player) remember(ctx context.Context, st step) error {
	o := st.options
	r := cairn.RememberRequest{Role: cairn.Role(o["role"]), Speaker: o["speaker"], Timestamp: o["at"], ExternalID: o["id"],
		RequestKey: o["key"], DryRun: o["dry"] == "true", Imported: o["imported"] == "true", Wait: cairn.WaitIndexed}
	if o["tags"] != "" {
		r.Tags = strings.Split(o["tags"], ",")
	}
	text := st.words[len(st.words)-1]
	switch st.command {
	case "remember":
		r.Text = text
	case "note":
		r.Note = &cairn.Note{Type: o["type"], Content: text}
	case "entry":
		r.Entry = &cairn.Entry{Title: o["title"], Category: o["category"], Content: text}
	case "document":
		r.Document = &cairn.Document{Name: text, Content: p.story.files[text]}
	case "supersede":
		old, err := p.label(st.words[0])
		if err != nil {
			return err
		}
		r.Text, r.Supersedes = text, []cairn.ID{old.id}
	}
	s := scope(st)
	out, err := p.memory.Remember(ctx, s, r)
	p.last = answer{memories: out.Memories, rejected: out.Rejected, replayed: out.Replayed}
	if name := o["as"]; err == nil && name != "" {
		if len(out.Memories) == 0 {
			return mistake("nothing was stored that could be called %s: %s", name, p.last)
		}
		p.labels[name] = labelled{out.Memories[0].ID, s.Tenant}
	}
	return err
}

// keep runs the commands on one labelled memory.
func (p *player) keep(ctx context.Context, st step) error {
	target, err := p.label(st.words[0])
	if err != nil {
		return err
	}
	s := scope(st)
	if st.options["tenant"] == "" {
		s.Tenant = target.tenant
	}
	ids, dry := []cairn.ID{target.id}, st.options["dry"] == "true"
	switch st.command {
	case "forget":
		_, err = p.memory.Forget(ctx, s, cairn.ForgetRequest{IDs: ids, DryRun: dry})
	case "erase":
		_, err = p.memory.Erase(ctx, s, cairn.EraseRequest{IDs: ids, DryRun: dry})
	case "history":
		var h cairn.History
		h, err = p.memory.History(ctx, s, target.id)
		p.last.memories = h.Versions
	case "update":
		var r cairn.UpdateRequest
		if len(st.words) == 2 {
			r.Text = &st.words[1]
		}
		if state := cairn.State(st.options["state"]); state != "" {
			r.State = &state
		}
		if tags := st.options["tags"]; tags != "" {
			list := strings.Split(tags, ",")
			r.Tags = &list
		}
		var m cairn.Memory
		m, err = p.memory.Update(ctx, s, target.id, r)
		p.last.memories = []cairn.Memory{m}
	}
	return err
}

func (p *player) recall(ctx context.Context, st step) error {
	r, err := question(st)
	if err != nil {
		return err
	}
	out, err := p.memory.Recall(ctx, scope(st), r)
	p.last = answer{hits: out.Hits}
	for _, h := range out.Hits {
		p.last.memories = append(p.last.memories, h.Memory)
	}
	if err == nil && out.Abstained != (len(out.Hits) == 0) {
		return mistake("abstained is %v with %d hits", out.Abstained, len(out.Hits))
	}
	return err
}

func (p *player) context(ctx context.Context, st step) error {
	q, err := question(st)
	if err != nil {
		return err
	}
	r := cairn.ContextRequest{RecallRequest: q, Format: cairn.ContextFormat(st.options["format"])}
	if r.Budget, err = number(st, "budget"); err != nil {
		return err
	}
	b, err := p.memory.Context(ctx, scope(st), r)
	p.last = answer{block: &b}
	if err == nil && r.Budget > 0 && b.Tokens > r.Budget {
		return mistake("the block has %d tokens, the budget is %d: %s", b.Tokens, r.Budget, p.last)
	}
	return err
}

func question(st step) (r cairn.RecallRequest, err error) {
	r = cairn.RecallRequest{Query: st.words[0], AsOf: st.options["asof"]}
	if r.K, err = number(st, "k"); err != nil {
		return r, err
	}
	if r.Neighbors, err = number(st, "neighbors"); err != nil {
		return r, err
	}
	if r.MinScore, err = lowest(st); err != nil {
		return r, err
	}
	if state := st.options["state"]; state != "" {
		r.States = []cairn.State{cairn.State(state)}
	}
	if kind := st.options["kind"]; kind != "" {
		r.Filter = cairn.Where("kind", cairn.OpEq, kind)
	}
	return r, nil
}

func number(st step, option string) (int, error) {
	v := st.options[option]
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, mistake("%s=%s is not a number", option, v)
	}
	return n, nil
}

func lowest(st step) (float64, error) {
	v := st.options["min"]
	if v == "" {
		return 0, nil
	}
	score, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return 0, mistake("min=%s is not a number", v)
	}
	return score, nil
}
