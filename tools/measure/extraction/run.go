package extraction

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
)

// Options say how to post a set.
type Options struct {
	Together int                             // turns of a request at most; 4 if 0
	Extract  trilith.Extraction              // of the requests
	Settle   func(ctx context.Context) error // waits until all that was posted is read; nil: it is asked for
	Progress func(done, total int)           // told how many turns are read; may be nil
}

// Run is the outcome of posting a set.
type Run struct {
	Extract trilith.Extraction `json:"extract"`
	Read    []string           `json:"read"`  // ids of the turns that were posted and read
	Facts   []Fact             `json:"facts"` // of the turns
	Ends    []End              `json:"ends"`  // of facts, after others' endings
	Known   int                `json:"known"` // speakers of pairs of whom a fact was known before
	Pairs   int                `json:"pairs"`
	Refused map[string]int     `json:"refused"` // by the gate, of the model's answers
	Calls   int                `json:"calls"`
	Usage   trilith.Usage      `json:"usage"`
	Failed  map[string]int     `json:"failed,omitempty"` // jobs without a result, by their error
	Seconds float64            `json:"seconds"`
	Partial bool               `json:"partial,omitempty"` // it was ended early
}

// End is a fact of a speaker that is no longer active after somebody else's ended.
type End struct {
	Pair  string        `json:"pair"`
	Text  string        `json:"text"`
	State trilith.State `json:"state"`
}

// Post posts a set to a service and compares its facts with the labels. If ctx ends, the run has the facts of the turns
// that were read by then.
func Post(ctx context.Context, c *client.Client, set Set, o Options) (Run, error) {
	start := time.Now()
	p := poster{c: c, o: o, turns: map[trilith.ID]string{}}
	r := Run{Extract: o.Extract, Pairs: len(set.Others), Refused: map[string]int{}, Failed: map[string]int{}}
	err := p.post(ctx, set, &r)
	if r.Partial = ctx.Err() != nil; r.Partial {
		err = nil
	}
	after := context.WithoutCancel(ctx)
	if err == nil {
		r.Read, err = p.read(after, set)
	}
	if err == nil {
		r.Facts, err = p.facts(after, set)
	}
	if err == nil {
		err = p.reports(after, &r)
	}
	r.Seconds = time.Since(start).Seconds()
	return r, err
}

// poster posts a set.
type poster struct {
	c     *client.Client
	o     Options
	turns map[trilith.ID]string // ids of the turns that were posted, by their memories
	told  int                   // turns that were read
}

func (p *poster) post(ctx context.Context, set Set, r *Run) error {
	total := len(set.Turns) + 2*len(set.Others)
	for _, turns := range requests(set.Turns, cmp.Or(p.o.Together, together)) {
		if err := p.remember(ctx, scopeOf(set.Turns, turns[0].Session), turns); err != nil {
			return err
		}
	}
	for i := range set.Others {
		o := &set.Others[i]
		s := trilith.Scope{User: o.ID}
		if err := p.remember(ctx, s, []*Turn{{ID: o.ID + "/1", Day: o.Day, Speaker: o.Speaker, Text: o.Says,
			Role: trilith.RoleUser}}); err != nil {
			return err
		}
	}
	if err := p.settle(ctx, total); err != nil {
		return err
	}
	before, err := p.active(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, m := range before {
		known[m.Scope.User] = true
	}
	for i := range set.Others {
		o := &set.Others[i]
		if known[o.ID] {
			r.Known++
		}
		s := trilith.Scope{User: o.ID, Session: o.ID + "-later"}
		if err := p.remember(ctx, s, []*Turn{{ID: o.ID + "/2", Day: o.LaterDay, Speaker: o.Speaker, Text: o.Later,
			Role: trilith.RoleUser}}); err != nil {
			return err
		}
	}
	if err := p.settle(ctx, total); err != nil {
		return err
	}
	for id, m := range before {
		now, err := p.c.Get(ctx, trilith.Scope{}, id)
		if err != nil {
			return err
		}
		if now.State != trilith.StateActive || now.ValidUntil != nil && m.ValidUntil == nil {
			r.Ends = append(r.Ends, End{Pair: m.Scope.User, Text: now.Text, State: now.State})
		}
	}
	slices.SortFunc(r.Ends, func(a, b End) int { return strings.Compare(a.Pair+a.Text, b.Pair+b.Text) })
	return nil
}

// scopeOf is the scope of a session: that of its user, if it has one speaker.
func scopeOf(turns []Turn, session string) trilith.Scope {
	s := trilith.Scope{Session: session}
	speaker := ""
	for _, t := range turns {
		switch {
		case t.Speaker == "" || t.Session != session:
		case speaker == "" || t.Speaker == speaker:
			speaker = t.Speaker
		default:
			return s
		}
	}
	s.User = s.Session
	return s
}

// together is the number of turns of a request if the options have none: a slow model answers within its time.
const together = 4

// requests are the turns by session, in the order of the set, those of a long session in several pieces.
func requests(turns []Turn, most int) (out [][]*Turn) {
	for i := range turns {
		if n := len(out); n > 0 && out[n-1][0].Session == turns[i].Session && len(out[n-1]) < most {
			out[n-1] = append(out[n-1], &turns[i])
		} else {
			out = append(out, []*Turn{&turns[i]})
		}
	}
	return out
}

// remember posts turns. It does not wait until they are read: a write that waits gives up on a slow model, whose work
// is lost then.
func (p *poster) remember(ctx context.Context, s trilith.Scope, turns []*Turn) error {
	r := trilith.RememberRequest{Extract: p.o.Extract, Wait: trilith.WaitStored, Fallback: "personal"}
	for _, t := range turns {
		r.Messages = append(r.Messages, trilith.Message{ExternalID: t.ID, Role: t.Role, Speaker: t.Speaker, Content: t.Text,
			Timestamp: t.Day + "T18:00:00Z"})
	}
	res, err := p.c.Remember(ctx, s, r)
	for i := range res.Memories {
		p.turns[res.Memories[i].ID] = res.Memories[i].ExternalID
	}
	return err
}

// settle waits until everything that was posted is read. A job that fails is reported at the end.
func (p *poster) settle(ctx context.Context, total int) error {
	if p.o.Settle != nil {
		return p.o.Settle(ctx)
	}
	for {
		waiting, err := p.unread(ctx, trilith.JobReady)
		if err != nil {
			return err
		}
		if done := len(p.turns) - len(waiting); done > p.told && p.o.Progress != nil {
			p.told = done
			p.o.Progress(done, total)
		}
		if len(waiting) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// unread are the memories that jobs in one of the states are to read.
func (p *poster) unread(ctx context.Context, states ...trilith.JobState) (map[trilith.ID]bool, error) {
	out := map[trilith.ID]bool{}
	for _, state := range states {
		page, err := p.c.ListJobs(ctx, trilith.Scope{}, trilith.JobQuery{State: state, Limit: 1000})
		if err != nil {
			return nil, err
		}
		for _, j := range page.Items {
			for id := range p.turns {
				if strings.Contains(string(j.Payload), string(id)) {
					out[id] = true
				}
			}
		}
	}
	return out, nil
}

// active are the active facts of the speakers of pairs.
func (p *poster) active(ctx context.Context) (map[trilith.ID]trilith.Memory, error) {
	out := map[trilith.ID]trilith.Memory{}
	for item, err := range p.c.Export(ctx, trilith.Scope{}) {
		if err != nil {
			return nil, err
		}
		if m := item.Memory; m != nil && m.Fact != nil && m.State == trilith.StateActive &&
			strings.Contains(m.Scope.User, "-end") {
			out[m.ID] = *m
		}
	}
	return out, nil
}

// read are the turns of the set that were read.
func (p *poster) read(ctx context.Context, set Set) (ids []string, err error) {
	left, err := p.unread(ctx, trilith.JobReady, trilith.JobDead)
	read := map[string]bool{}
	for id, turn := range p.turns {
		read[turn] = !left[id]
	}
	for _, t := range set.Turns {
		if read[t.ID] {
			ids = append(ids, t.ID)
		}
	}
	return ids, err
}

// facts are those of the turns, each with its verdict.
func (p *poster) facts(ctx context.Context, set Set) ([]Fact, error) {
	turns := map[string]*Turn{}
	for i := range set.Turns {
		turns[set.Turns[i].ID] = &set.Turns[i]
	}
	episodes, names := map[trilith.ID]string{}, map[trilith.ID][]string{}
	var memories []trilith.Memory
	for item, err := range p.c.Export(ctx, trilith.Scope{}) {
		switch {
		case err != nil:
			return nil, err
		case item.Entity != nil:
			e := item.Entity
			all := append([]string{e.Name}, e.Aliases...)
			for _, i := range e.Identifiers {
				all = append(all, i.Value)
			}
			names[e.ID] = all
		case item.Memory == nil:
		case item.Memory.Fact != nil:
			memories = append(memories, *item.Memory)
		case item.Memory.ExternalID != "":
			episodes[item.Memory.ID] = item.Memory.ExternalID
		}
	}
	var out []Fact
	for i := range memories {
		m := &memories[i]
		f := Fact{Whose: names[m.Fact.EntityID], Verb: m.Fact.Verb, Value: m.Fact.Node.Name, Text: m.Text, State: m.State,
			Over: m.Fact.Polarity == trilith.Negated || m.ValidUntil != nil}
		for _, e := range m.Fact.Evidence {
			if t := turns[episodes[e.EpisodeID]]; t != nil && !slices.Contains(f.Turns, t.ID) {
				f.Turns = append(f.Turns, t.ID)
			}
			f.Over = f.Over || e.Ends
			if strings.Contains(e.Rule, "/") { // a model and its profile
				f.Model = true
			} else {
				f.Rules = true
			}
		}
		if len(f.Turns) > 0 {
			f.judge(turns)
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Fact) int { return strings.Compare(a.Turns[0]+a.Text, b.Turns[0]+b.Text) })
	return out, nil
}

// reports adds the reports of the jobs that read with a model.
func (p *poster) reports(ctx context.Context, r *Run) error {
	q := trilith.JobQuery{Limit: 1000}
	for {
		page, err := p.c.ListJobs(ctx, trilith.Scope{}, q)
		if err != nil {
			return err
		}
		for _, j := range page.Items {
			if j.State == trilith.JobDead {
				r.Failed[j.Error]++
			}
			if j.Report == nil {
				continue
			}
			r.Calls += j.Report.Calls
			r.Usage.Add(j.Report.Usage)
			for reason, n := range j.Report.Refused {
				r.Refused[reason] += n
			}
		}
		if page.NextCursor == "" {
			return nil
		}
		q.Cursor = trilith.ID(page.NextCursor)
	}
}
