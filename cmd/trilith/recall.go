package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// queryFlags are the flags that recall and context share.
type queryFlags struct {
	Query      []string        `arg:"" help:"The question."`
	K          *int            `short:"k" help:"How many hits at most: 10 if left out, of knowledge 5, and for a block of context as many as its budget holds." placeholder:"N"`
	Filter     string          `help:"Conditions as JSON; see docs/filters.md." placeholder:"JSON"`
	MinScore   float64         `help:"Leave out hits below this score, and weak ones."`
	StrongOnly bool            `help:"Leave out weak hits, which fill up the places where less was found."`
	Order      string          `help:"Order of the hits: score, or newest first." enum:"score,newest" default:"score"`
	AsOf       string          `help:"Answer as it was at this time." placeholder:"TIME"`
	KnownAt    string          `help:"Answer as it was known at this time." placeholder:"TIME"`
	Neighbors  int             `help:"Turns to add before and after each hit."`
	Arms       []trilith.Arm   `help:"Arms to use: lexical, exact, dense, fact; all if left out."`
	States     []trilith.State `help:"States to search: active if left out." name:"state"`
	scopeFlags
}

type recallCmd struct {
	Explain bool         `help:"Explain how each hit was found, and why every other candidate is not a hit."`
	Trace   []trilith.ID `help:"Explain the scores of the memory with this id in every arm, and why it is not a hit; may be repeated." placeholder:"ID"`
	queryFlags
}

func (c *recallCmd) Run(ctx context.Context, a *app) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	r.Explain, r.Trace = c.Explain, c.Trace
	return a.with(ctx, func(m *opened) error {
		res, err := m.Recall(ctx, c.in(a.scope()), r)
		return a.answered(res, res.Coverage, err, func() {
			a.out.recall(res)
			if len(res.Damaged) > 0 {
				fmt.Fprintln(a.stderr, "trilith: the answer is not whole:",
					&trilith.Damaged{What: "memory", IDs: res.Damaged})
			}
			if res.Abstained {
				a.sayIfEmpty(ctx, m)
			}
		})
	})
}

// recall prints hits, and with an explanation how they came about.
func (p *printer) recall(res trilith.RecallResult) {
	if res.Abstained {
		nothing := "Nothing known is good enough."
		if len(res.Hits) > 0 {
			nothing += " What comes closest:"
		}
		p.linef("%s", nothing)
	}
	for i := range res.Hits {
		h := &res.Hits[i]
		score := p.bold(fmt.Sprintf("%5.3f", h.Score))
		if h.Weak {
			score = p.dim(" weak")
		}
		times := ""
		if h.Duplicates > 0 {
			times = p.dim(fmt.Sprintf(" ×%d", h.Duplicates+1))
		}
		p.linef("%s %s  %s%s", score, h.Memory.EventTime.Format(time.DateOnly), p.text(&h.Memory, p.width-18), times)
		for j := range h.Facts {
			p.linef("       %s", p.dim("fact  "+p.text(&h.Facts[j], p.width-18)))
		}
		for j := range h.Neighbors {
			p.linef("       %s", p.dim(fmt.Sprintf("%4d  %s", h.Neighbors[j].Seq, p.text(&h.Neighbors[j], p.width-18))))
		}
		if len(h.Parts) > 0 {
			p.linef("       %s", p.dim(found(h)))
		}
	}
	for i := range res.Trace {
		p.traced(&res.Trace[i])
	}
	e := res.Explain
	if e == nil {
		return
	}
	p.linef("\nterms: %s", strings.Join(e.Terms, " "))
	for _, arm := range e.Arms {
		p.linef("arm %-8s %4d candidates %s", arm.Arm, arm.Candidates, p.bad(arm.Error))
	}
	for _, d := range res.Dropped {
		p.linef("dropped %s %s (%.3f)", d.ID, d.Reason, d.Score)
	}
	p.timings(e.TimingsMS)
}

// found says in one line what each arm contributed to a hit.
func found(h *trilith.Hit) string {
	return strings.Join(append(parts(h.Parts), "id "+string(h.Memory.ID)), " · ")
}

// traced says in one line what became of a memory.
func (p *printer) traced(t *trilith.Traced) {
	became := "no hit: " + t.Reason
	switch {
	case t.Place > 0 && t.Weak:
		became = fmt.Sprintf("weak hit %d", t.Place)
	case t.Place > 0:
		became = fmt.Sprintf("hit %d", t.Place)
	case t.With != "":
		became = "rides with " + string(t.With)
	}
	said := append([]string{became, fmt.Sprintf("score %.3f", t.Score)}, parts(t.Parts)...)
	if t.Similarity != nil {
		said = append(said, fmt.Sprintf("cosine %.3f", *t.Similarity))
	}
	p.linef("trace %s %s", t.ID, strings.Join(said, " · "))
}

// parts says what each arm contributed.
func parts(of map[trilith.Arm]trilith.Part) []string {
	var out []string
	for _, arm := range append(trilith.Arms(), trilith.ArmWindow, trilith.ArmRerank) {
		if part, ok := of[arm]; ok {
			out = append(out, fmt.Sprintf("%s rank %d: %.3f × %.2f", arm, part.Rank, part.Norm, part.Weight))
		}
	}
	return out
}

// incomplete is the error of a command that has printed its answer, and did not do all that it was asked.
type incomplete string

func (i incomplete) Error() string { return string(i) }

// timings prints how long each step took, in the order of their names.
func (p *printer) timings(ms map[string]float64) {
	steps := slices.Sorted(maps.Keys(ms))
	for i, step := range steps {
		steps[i] = fmt.Sprintf("%s %.2f ms", step, ms[step])
	}
	p.linef("%s", strings.Join(steps, " · "))
}

// sayIfEmpty tells a user without results that the memory is empty, and which one it is: another may have been meant.
func (a *app) sayIfEmpty(ctx context.Context, m *opened) {
	page, err := m.List(ctx, a.scope(), trilith.ListRequest{Limit: 1, States: trilith.States(), Archived: true})
	if err != nil || len(page.Items) > 0 {
		return
	}
	where := m.Name
	if a.Tenant != "default" {
		where += " yet for the tenant " + a.Tenant
	} else {
		where += " yet"
	}
	a.out.linef("There is nothing in %s; trilith remember or trilith import puts something there.", where)
}

type contextCmd struct {
	Budget int    `help:"Tokens at most." default:"1500"`
	Format string `help:"Layout: briefing, facts, knowledge, window or json." enum:"briefing,facts,knowledge,window,json" default:"briefing"`
	// ExcludeSession is for an interview, which searches what others have said.
	ExcludeSession   string `help:"Leave out the turns of this session."`
	IncludeQuestions bool   `help:"Also show turns that only ask."`
	IDs              bool   `help:"Begin what a briefing says of each memory with the end of its id." name:"ids"`
	queryFlags
}

func (c *contextCmd) Run(ctx context.Context, a *app) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	if c.Budget == 0 {
		return trilith.Errorf(trilith.Invalid, "budget: is 0, must be 1 to %d tokens", trilith.MaxBudget)
	}
	return a.with(ctx, func(m *opened) error {
		block, err := m.Context(
			ctx, c.in(a.scope()), trilith.ContextRequest{RecallRequest: r, Budget: c.Budget,
				Format: trilith.ContextFormat(c.Format), ExcludeSession: c.ExcludeSession, IDs: c.IDs,
				IncludeQuestions: c.IncludeQuestions})
		return a.answered(block, block.Coverage, err, func() { a.out.linef("%s", block.Text) })
	})
}

func (f *queryFlags) request() (trilith.RecallRequest, error) {
	r := trilith.RecallRequest{Query: strings.Join(f.Query, " "), MinScore: f.MinScore, AsOf: f.AsOf, KnownAt: f.KnownAt,
		Neighbors: f.Neighbors, StrongOnly: f.StrongOnly, Order: trilith.HitOrder(f.Order),
		Arms: f.Arms, States: f.States}
	var err error
	r.Filter, err = parseFilter(f.Filter)
	switch {
	case f.K == nil:
	case *f.K == 0 && err == nil:
		err = trilith.Errorf(trilith.Invalid, "k: is 0, must be 1 to %d", trilith.MaxK)
	default:
		r.K = *f.K
	}
	return r, err
}

// answered is [app.told] for the answer to a question. A partial one is no success to a script.
func (a *app) answered(v any, c trilith.Coverage, err error, human func()) error {
	if err := a.told(v, err, human); err != nil || !c.Partial {
		return err
	}
	return partial(c)
}

// partial describes the missing part of an answer.
func partial(c trilith.Coverage) incomplete {
	return incomplete(fmt.Sprintf("the answer is incomplete: a part of the search failed (%s), so more may be known than was printed", trilith.ArmNames(c.FailedArms)))
}
