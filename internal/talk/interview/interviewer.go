package interview

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Config holds the room's needs besides the rooms below.
type Config struct {
	Schemas func() ([]trilith.Domain, error) // the domains of interviews, by id
	// Remember and Similar are those of the engine: answers and entries are written, and related entries are found,
	// like any others.
	Remember truth.Remember
	Similar  func(context.Context, trilith.Scope, trilith.SimilarRequest) (trilith.SimilarEntries, error)
}

// Interviewer leads interviews: it stores each answer before it evaluates it, stores the results as entries of the domain,
// and asks for the next gap. An interview has no records of its own. It is a session: its questions and answers are
// episodes, the results are entries of the same session, and its state follows from both. So it is resumed after a
// crash, erased, exported and scoped like every conversation.
//
// Its methods are safe for concurrent use; answers to one interview that come at once are taken one after the other.
type Interviewer struct {
	Config
	truth *truth.Truth
	usage *usage.Accounts

	mu   sync.Mutex
	busy map[string]chan struct{} // interviews that are being worked on; closed when that ends
}

// New returns the room.
func New(t *truth.Truth, u *usage.Accounts, c Config) *Interviewer {
	return &Interviewer{Config: c, truth: t, usage: u, busy: map[string]chan struct{}{}}
}

// How long one stage waits for the model or for related entries, and all stages of an answer together: later stages
// work without them.
const (
	stageTimeout = 8 * time.Second
	turnTimeout  = 20 * time.Second
)

// The metadata of turns and entries of interviews.
const (
	metaInterview = "interview" // id of the domain
	metaField     = "field"     // that a question asks for, or an entry fills
	metaAnswer    = "answer"    // of an entry: id of the turn that it was taken from
	metaQuote     = "quote"     // of an entry: the words of that turn
	// of a question: the classification of the answer before it; "done" or "stop" if it asks nothing
	metaKind    = "kind"
	metaSkipped = "skipped" // of a question: a field that is no longer asked for
)

// Domains lists the schemas that interviews can be about. They are the same for all tenants.
func (iv *Interviewer) Domains(_ context.Context, s trilith.Scope) (trilith.Domains, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Domains{}, err
	}
	all, err := iv.Schemas()
	return trilith.Domains{Items: slices.Clone(all)}, err
}

// DomainGaps returns the known and the missing fields of the scope's domain, from all sessions.
func (iv *Interviewer) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.DomainGaps{}, err
	}
	d, err := iv.domain(s.Domain)
	if err != nil {
		return trilith.DomainGaps{}, err
	}
	k, err := iv.know(ctx, s, d)
	if err != nil {
		return trilith.DomainGaps{}, err
	}
	return k.Report(nil), nil
}

// InterviewGaps is DomainGaps of the domain that an interview is about, as the interview sees it.
func (iv *Interviewer) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	in, d, err := iv.find(ctx, s, id)
	if err != nil {
		return trilith.DomainGaps{}, err
	}
	c, err := iv.load(ctx, in, d)
	if err != nil {
		return trilith.DomainGaps{}, err
	}
	return c.known.Report(c.skipped()), nil
}

// StartInterview begins an interview about the scope's domain and asks the first question, or resumes the interview in the
// scope's session: it repeats a question that waits for an answer, and processes an answer that nothing follows because
// the process ended. Without a session it creates one.
func (iv *Interviewer) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Interview{}, err
	}
	d, err := iv.domain(s.Domain)
	if err != nil {
		return trilith.Interview{}, err
	}
	if s.Session == "" {
		s.Session = string(trilith.NewID(iv.truth.Now()))
	}
	release, err := iv.hold(ctx, s)
	if err != nil {
		return trilith.Interview{}, err
	}
	defer release()
	c, err := iv.load(ctx, s, d)
	if err != nil {
		return trilith.Interview{}, err
	}
	if in, ok := c.state(); ok {
		return in, nil
	}
	return c.reactAlone(ctx, nil)
}

// AnswerInterview stores a reply in an interview and the facts that it states about the domain, and asks the next
// question. The reply is durable before it is evaluated: a later error loses nothing, and StartInterview continues from
// it. The same text again, for a question that nothing follows yet, is the same answer.
func (iv *Interviewer) AnswerInterview(ctx context.Context, s trilith.Scope, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	switch {
	case truth.CheckScope(s) != nil:
		return trilith.Interview{}, truth.CheckScope(s)
	case strings.TrimSpace(r.Text) == "":
		return trilith.Interview{}, trilith.Errorf(trilith.Invalid, "text: is empty, must be what the person says")
	case len(r.Text) > trilith.MaxAnswerBytes:
		return trilith.Interview{}, trilith.Errorf(trilith.Invalid, "text: is %d bytes long, at most %d are allowed",
			len(r.Text), trilith.MaxAnswerBytes)
	case !utf8.ValidString(r.Text):
		return trilith.Interview{}, trilith.Errorf(trilith.Invalid, "text: is not valid UTF-8")
	}
	in, d, err := iv.find(ctx, s, r.ID)
	if err != nil {
		return trilith.Interview{}, err
	}
	release, err := iv.hold(ctx, in)
	if err != nil {
		return trilith.Interview{}, err
	}
	defer release()
	c, err := iv.load(ctx, in, d)
	if err != nil {
		return trilith.Interview{}, err
	}
	var answer trilith.Memory
	if w := c.waiting(); len(w) > 0 && r.RequestKey == "" && w[len(w)-1].Text == r.Text {
		answer = w[len(w)-1]
	} else if answer, err = c.store(ctx, trilith.RoleUser, r.Text, r.RequestKey, map[string]any{}); err != nil {
		return trilith.Interview{}, err
	}
	if i := c.reply(answer.ID); i != nil { // the answer was given before, and followed by this
		return c.replay(answer, i), nil
	}
	return c.reactAlone(ctx, &answer)
}

// maxMoves is how often a reaction starts again because another process has added a turn to the interview.
const maxMoves = 8

// reactAlone reacts to waiting answers, after a start or an answer. If another process adds a turn in the meantime, its
// own is dropped and the state of the interview is evaluated again. So two processes that receive two answers at once
// ask one question.
func (c *conversation) reactAlone(ctx context.Context, answer *trilith.Memory) (trilith.Interview, error) {
	start := answer == nil
	for range maxMoves {
		in, err := c.react(ctx, start)
		if !errors.Is(err, errMoved) {
			return in, err
		}
		if c, err = c.load(ctx, c.scope, c.domain); err != nil {
			return trilith.Interview{}, err
		}
		in, ok := c.state()
		if ok && !start && c.reply(answer.ID) != nil {
			return c.replay(*answer, c.reply(answer.ID)), nil
		}
		if ok {
			return in, nil
		}
		start = start || len(c.waiting()) == 0
	}
	return trilith.Interview{}, trilith.Errorf(trilith.Conflict,
		"interview %.64q: another answer is being processed; send this one again", c.scope.Session)
}

// domain returns the schema with an id.
func (iv *Interviewer) domain(id string) (*trilith.Domain, error) {
	all, err := iv.Schemas()
	if err != nil {
		return nil, err
	}
	var known []string
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
		known = append(known, all[i].ID)
	}
	if id == "" {
		return nil, trilith.Errorf(trilith.Invalid, "domain: is empty; say which domain to ask about: %s",
			strings.Join(known, ", "))
	}
	return nil, trilith.Errorf(trilith.NotFound, "domain: there is no schema %.64q; known are %s", id,
		strings.Join(known, ", "))
}

// hold waits until no other call of this process works on the interview of a scope.
func (iv *Interviewer) hold(ctx context.Context, s trilith.Scope) (release func(), err error) {
	key := s.Tenant + "\x00" + truth.ScopeText(s)
	for {
		iv.mu.Lock()
		taken := iv.busy[key]
		if taken == nil {
			done := make(chan struct{})
			iv.busy[key] = done
			iv.mu.Unlock()
			return func() {
				iv.mu.Lock()
				delete(iv.busy, key)
				iv.mu.Unlock()
				close(done)
			}, nil
		}
		iv.mu.Unlock()
		select {
		case <-taken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// ofInterviews accepts the turns of interviews.
var ofInterviews = trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindEpisode),
	trilith.Where("metadata."+metaInterview, trilith.OpNe, nil))

// find returns the scope of an interview and the domain that it is about. The values that s sets narrow the search: a
// session of the same name in two scopes is a Conflict until they tell which is meant.
func (iv *Interviewer) find(ctx context.Context, s trilith.Scope, id string) (trilith.Scope, *trilith.Domain, error) {
	if err := truth.CheckScope(s); err != nil {
		return s, nil, err
	}
	none := trilith.Errorf(trilith.NotFound, "interview %.64q does not exist", id)
	within := s
	within.Session = id
	if id == "" || s.Session != "" && s.Session != id || within.Validate() != nil {
		return s, nil, none
	}
	scopes := map[trilith.Scope]string{}
	for m, err := range iv.truth.List(ctx, within, role.Listing{Filter: ofInterviews}) {
		if err != nil {
			return s, nil, err
		}
		if m.SharedFrom == "" {
			scopes[m.Scope.Bare()] = text(&m, metaInterview)
		}
	}
	switch len(scopes) {
	case 0:
		return s, nil, none
	case 1:
		for in, domain := range scopes {
			d, err := iv.domain(domain)
			in.Tenant, in.Actor, in.Fixed = s.Tenant, s.Actor, s.Fixed
			return in, d, err
		}
	}
	return s, nil, trilith.Errorf(trilith.Conflict,
		"interview %.64q: sessions of that name are in %d scopes; name the project, domain or user", id, len(scopes))
}

// know reads the knowledge in the domain's entries: all in the scope, of any session, agent and channel.
func (iv *Interviewer) know(ctx context.Context, s trilith.Scope, d *trilith.Domain) (*Knowledge, error) {
	var entries []trilith.Memory
	for m, err := range iv.truth.List(ctx, wide(s), role.Listing{Filter: trilith.AllOf(
		trilith.Where("kind", trilith.OpEq, trilith.KindEntry), trilith.Where("state", trilith.OpEq, trilith.StateActive))}) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, m)
	}
	return Know(d, entries), nil
}

// wide returns the scope without the values that only say where something was said.
func wide(s trilith.Scope) trilith.Scope {
	s.Session, s.Agent, s.Channel = "", "", ""
	return s
}

// text is a value of a memory's metadata.
func text(m *trilith.Memory, name string) string {
	s, _ := m.Metadata[name].(string)
	return s
}

// Resting returns the memories together with the entries that were taken from them: their words go with them.
func (iv *Interviewer) Resting(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	have := map[trilith.ID]bool{}
	var answers []string
	for i := range ms {
		have[ms[i].ID] = true
		if m := &ms[i]; m.Kind == trilith.KindEpisode && m.Role == trilith.RoleUser && text(m, metaInterview) != "" {
			answers = append(answers, string(m.ID))
		}
	}
	for chunk := range slices.Chunk(answers, trilith.MaxFilterList) {
		list := make([]any, len(chunk))
		for i, id := range chunk {
			list[i] = id
		}
		for m, err := range iv.truth.List(ctx, tenant, role.Listing{Filter: trilith.AllOf(
			trilith.Where("kind", trilith.OpEq, trilith.KindEntry), trilith.Where("metadata."+metaAnswer, trilith.OpIn,
				list))}) {
			if err != nil {
				return nil, err
			}
			if !have[m.ID] {
				have[m.ID] = true
				ms = append(ms, m)
			}
		}
	}
	return ms, nil
}
