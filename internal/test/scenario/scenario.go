package scenario

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// Memory is the memory that a story talks to: an engine, or a client of one.
type Memory interface {
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
	Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error)
	Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error)
	Update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (trilith.Memory, error)
	Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error)
	Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error)
	History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error)
	Assimilate(ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest) (trilith.AssimilateResult, error)
	Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error)
	Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error)
	Inbox(ctx context.Context, s trilith.Scope, q trilith.InboxQuery) (trilith.ReviewPage, error)
	Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error)
	LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.SummaryResult, error)
	Facts(ctx context.Context, s trilith.Scope, q trilith.FactQuery) (trilith.FactPage, error)
	VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (trilith.Memory, error)
	List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error)
	Share(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.ShareRequest) (trilith.Memory, error)
	Export(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error]
	MergeEntities(ctx context.Context, s trilith.Scope, into trilith.ID, r trilith.MergeRequest) (trilith.Entity, error)
	Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error)
	GetSession(ctx context.Context, s trilith.Scope, id string, q trilith.SessionTurnsQuery) (trilith.SessionTurns, error)
	SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (trilith.SplitResult, error)
}

// Limit declares an operation that a memory under test lacks; stories that need it are skipped, and say so.
type Limit uint

// The limits.
const (
	OneTenant Limit = iota + 1 // it works in one tenant, whatever the scope says: that of a key
	NoVectors                  // it has no embedder
)

// Tenant is the tenant of every line without the option tenant.
const Tenant = "default"

// Run plays every story of the folder, each on a fresh memory that open makes and cleans up after itself.
func Run(t *testing.T, dir string, open func(t *testing.T) Memory, limits ...Limit) {
	t.Helper()
	playAll(t, load(t, dir), open, limits)
}

// RunSample is [Run]. With -short it plays so many stories that every command and every expectation is in one of them. It
// is for memories whose store, index and door are each part of a memory that all stories are played on.
func RunSample(t *testing.T, dir string, open func(t *testing.T) Memory, limits ...Limit) {
	t.Helper()
	stories := load(t, dir)
	if testing.Short() {
		stories = covering(slices.DeleteFunc(stories, func(s *story) bool { return s.lacks(limits) != "" }))
	}
	playAll(t, stories, open, limits)
}

func load(t *testing.T, dir string) (stories []*story) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("scenario: no stories in %s (%v)", dir, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parse(filepath.Base(path), data)
		if err != nil {
			t.Fatal(err)
		}
		stories = append(stories, s)
	}
	return stories
}

// playAll plays stories at once.
func playAll(t *testing.T, stories []*story, open func(t *testing.T) Memory, limits []Limit) {
	t.Helper()
	for _, s := range stories {
		t.Run(strings.TrimSuffix(s.name, ".txt"), func(t *testing.T) {
			t.Parallel()
			if lacks := s.lacks(limits); lacks != "" {
				t.Skip(lacks)
			}
			if err := play(t.Context(), s, func() Memory { return open(t) }); err != nil {
				t.Fatalf("%v%s", err, s.made())
			}
		})
	}
}

// play runs the story up to its first failure, which it returns with the line and with the memory's answer.
func play(ctx context.Context, s *story, open func() Memory) error {
	p := player{memory: open(), open: open, story: s, labels: map[string]labelled{}, moments: map[string]time.Time{}}
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

// labelled is a thing that a story has given a name.
type labelled struct {
	id     trilith.ID
	source trilith.ID // that brought it
	tenant string
	again  func(ctx context.Context, named bool) error // sends it once more, with its external id or without
}

type player struct {
	memory  Memory
	open    func() Memory
	story   *story
	labels  map[string]labelled
	moments map[string]time.Time
	backup  func(ctx context.Context) (Memory, error) // puts the last backup in place
	last    answer
}

func (p *player) do(ctx context.Context, st step) error {
	switch st.command {
	case "recall":
		return p.recall(ctx, st)
	case "context":
		return p.context(ctx, st)
	case "history", "forget", "erase", "update", "verify", "share", "undo", "again":
		return p.keep(ctx, st)
	case "assimilate":
		return p.assimilate(ctx, st)
	case "lookup", "summary", "card":
		return p.lookup(ctx, st)
	case "decide":
		return p.decide(ctx, st)
	case "inbox":
		return p.inbox(ctx, st)
	case "facts":
		return p.facts(ctx, st)
	case "list":
		return p.list(ctx, st)
	case "consult", "session":
		return p.converse(ctx, st)
	case "moment":
		p.moments[st.words[0]] = time.Now()
		return nil
	case "jobs", "reindex", "reextract", "move", "backup", "restore", "export", "audit":
		return p.operate(ctx, st)
	case "merge", "split":
		return p.one(ctx, st)
	}
	return p.remember(ctx, st)
}

// scope is the scope in the options of a line.
func scope(st step) trilith.Scope {
	o := st.options
	s := trilith.Scope{Tenant: o["tenant"], Project: o["project"], Domain: o["domain"], User: o["user"],
		Agent:   o["agent"],
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
	r := trilith.RememberRequest{Role: trilith.Role(o["role"]), Speaker: o["speaker"], Timestamp: o["at"],
		ExternalID: o["id"],
		RequestKey: o["key"], DryRun: o["dry"] == "true", Imported: o["imported"] == "true", Wait: trilith.WaitIndexed,
		Extract: trilith.ExtractNone}
	if o["extract"] != "" {
		r.Extract, r.Wait = trilith.Extraction(o["extract"]), trilith.WaitExtracted
	}
	if o["tags"] != "" {
		r.Tags = strings.Split(o["tags"], ",")
	}
	text := st.words[len(st.words)-1]
	switch st.command {
	case "remember":
		r.Text = text
	case "note":
		r.Note = &trilith.Note{Type: o["type"], Content: text}
	case "entry":
		r.Entry = &trilith.Entry{Title: o["title"], Category: o["category"], Content: text}
	case "document":
		r.Document = &trilith.Document{Name: text, Content: p.story.files[text]}
	case "supersede":
		old, err := p.label(st.words[0])
		if err != nil {
			return err
		}
		r.Text, r.Supersedes = text, []trilith.ID{old.id}
	}
	s := scope(st)
	out, err := p.tell(ctx, s, r)
	p.last = answer{memories: out.Memories, rejected: out.Rejected, replayed: out.Replayed}
	if name := o["as"]; err == nil && name != "" {
		if len(out.Memories) == 0 {
			return mistake("nothing was stored that could be called %s: %s", name, p.last)
		}
		r.RequestKey, r.Supersedes = "", nil
		p.labels[name] = labelled{out.Memories[0].ID, out.SourceID, s.Tenant,
			func(ctx context.Context, named bool) error {
				r := r
				if !named {
					r.ExternalID = ""
				}
				out, err := p.tell(ctx, s, r)
				p.last.memories, p.last.rejected = append(p.last.memories, out.Memories...),
					append(p.last.rejected, out.Rejected...)
				return err
			}}
	}
	return err
}

// tell remembers. That nothing is stored is no error of a story.
func (p *player) tell(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	out, err := p.memory.Remember(ctx, s, r)
	if refused, ok := errors.AsType[*trilith.Refused](err); ok {
		out.Rejected, err = refused.Rejected, nil
	}
	return out, err
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
	ids, dry := []trilith.ID{target.id}, st.options["dry"] == "true"
	switch st.command {
	case "forget":
		_, err = p.memory.Forget(ctx, s, trilith.ForgetRequest{IDs: ids, DryRun: dry})
	case "erase":
		r := trilith.EraseRequest{IDs: ids, DryRun: dry}
		if st.options["source"] == "true" {
			r.IDs, r.Sources = nil, []trilith.ID{target.source}
		}
		_, err = p.memory.Erase(ctx, s, r)
	case "share":
		by := trilith.Scope{Tenant: s.Tenant, User: st.options["from"], Actor: s.Actor}
		var m trilith.Memory
		m, err = p.memory.Share(ctx, by, target.id, trilith.ShareRequest{Scope: s})
		p.last.memories = []trilith.Memory{m}
		if name := st.options["as"]; err == nil && name != "" {
			p.labels[name] = labelled{id: m.ID, source: m.SourceID, tenant: s.Tenant}
		}
	case "verify":
		var m trilith.Memory
		m, err = p.memory.VerifyFact(ctx, s, target.id, trilith.VerifyRequest{Decision: trilith.Decision(st.words[1])})
		p.last.memories = []trilith.Memory{m}
	case "undo":
		_, err = p.memory.Forget(ctx, s, trilith.ForgetRequest{Sources: []trilith.ID{target.source}})
	case "again":
		if target.again == nil {
			return mistake("%s cannot be sent again: it was not sent", st.words[0])
		}
		if err = target.again(ctx, true); err == nil {
			err = target.again(ctx, false)
		}
	case "history":
		var h trilith.History
		h, err = p.memory.History(ctx, s, target.id)
		p.last.memories = h.Versions
	case "update":
		var r trilith.UpdateRequest
		if len(st.words) == 2 {
			r.Text = &st.words[1]
		}
		if state := trilith.State(st.options["state"]); state != "" {
			r.State = &state
		}
		if tags := st.options["tags"]; tags != "" {
			list := strings.Split(tags, ",")
			r.Tags = &list
		}
		var m trilith.Memory
		m, err = p.memory.Update(ctx, s, target.id, r)
		p.last.memories = []trilith.Memory{m}
	}
	return err
}

func (p *player) recall(ctx context.Context, st step) error {
	r, err := p.question(st)
	if err != nil {
		return err
	}
	out, err := p.memory.Recall(ctx, scope(st), r)
	p.last = answer{hits: out.Hits}
	for _, h := range out.Hits {
		p.last.memories = append(p.last.memories, h.Memory)
	}
	if err == nil && out.Abstained != !slices.ContainsFunc(out.Hits, func(h trilith.Hit) bool { return !h.Weak }) {
		return mistake("abstained is %v with %d hits", out.Abstained, len(out.Hits))
	}
	return err
}

func (p *player) context(ctx context.Context, st step) error {
	q, err := p.question(st)
	if err != nil {
		return err
	}
	r := trilith.ContextRequest{RecallRequest: q, Format: trilith.ContextFormat(st.options["format"])}
	if r.Budget, err = number(st, "budget"); err != nil {
		return err
	}
	b, err := p.memory.Context(ctx, scope(st), r)
	p.last = answer{block: &b, text: b.Text}
	if err == nil && r.Budget > 0 && b.Tokens > r.Budget {
		return mistake("the block has %d tokens, the budget is %d: %s", b.Tokens, r.Budget, p.last)
	}
	return err
}

func (p *player) question(st step) (r trilith.RecallRequest, err error) {
	// stories ask for real hits
	r = trilith.RecallRequest{Query: st.words[0], AsOf: st.options["asof"], StrongOnly: st.options["weak"] == ""}
	if r.KnownAt, err = p.known(st); err != nil {
		return r, err
	}
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
		r.States = []trilith.State{trilith.State(state)}
	}
	if kind := st.options["kind"]; kind != "" {
		r.Filter = trilith.Where("kind", trilith.OpEq, kind)
	}
	if arms := st.options["arms"]; arms != "" {
		for _, arm := range strings.Split(arms, ",") {
			r.Arms = append(r.Arms, trilith.Arm(arm))
		}
	}
	return r, nil
}

// known is the moment of the story that a question asks about, as a request says it; empty if it asks about none.
func (p *player) known(st step) (string, error) {
	name := st.options["known"]
	if name == "" {
		return "", nil
	}
	at, ok := p.moments[name]
	if !ok {
		return "", mistake("no line before was the moment %s", name)
	}
	return at.UTC().Format(time.RFC3339Nano), nil
}

func (p *player) list(ctx context.Context, st step) error {
	var conditions []trilith.Filter
	for _, field := range []string{"kind", "state"} {
		if v := st.options[field]; v != "" {
			conditions = append(conditions, trilith.Where(field, trilith.OpEq, v))
		}
	}
	page, err := p.memory.List(
		ctx, scope(st), trilith.ListRequest{Filter: trilith.AllOf(conditions...), States: trilith.States(),
			Limit: trilith.MaxPageSize})
	p.last.memories = page.Items
	return err
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
