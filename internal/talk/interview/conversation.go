package interview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// conversation is one interview as the store holds it.
type conversation struct {
	*Interviewer
	scope  trilith.Scope
	domain *trilith.Domain
	turns  []trilith.Memory // in their order
	known  *Knowledge
	retold bool // an answer repeated the content of an entry
	next   int  // number of the session's next turn, if none was added since
}

// errMoved says that somebody else has said something in the session since it was read.
var errMoved = errors.New("interviewer: the session has moved on")

// Kinds of turns that ask nothing.
const (
	kindDone = "done"
	kindStop = string(trilith.AnswerStop)
)

// maxAsked is how often an interview asks for a field without getting a value.
const maxAsked = 2

// load reads an interview. One that the store does not hold has no turns.
func (iv *Interviewer) load(ctx context.Context, s trilith.Scope, d *trilith.Domain) (*conversation, error) {
	c := &conversation{Interviewer: iv, scope: s, domain: d}
	// before its turns: one that comes in between moves it
	st, _, err := truth.DerivedRecordsOf(iv.truth).SessionOf(ctx, s)
	if err != nil {
		return nil, err
	}
	c.next = st.Next
	for m, err := range iv.truth.List(ctx, s, role.Listing{Filter: ofInterviews, Order: role.OrderSeq}) {
		if err != nil {
			return nil, err
		}
		if m.Scope.Bare() == s.Bare() && m.SharedFrom == "" && text(&m, metaInterview) == d.ID {
			c.turns = append(c.turns, m)
		}
	}
	c.known, err = iv.know(ctx, s, d)
	return c, err
}

// state returns the state of the interview if no turn is needed: it has ended, or its last question is unanswered.
func (c *conversation) state() (trilith.Interview, bool) {
	last := c.last()
	if last == nil || len(c.waiting()) > 0 {
		return trilith.Interview{}, false
	}
	if text(last, metaKind) == kindDone && len(c.open()) == 0 {
		return c.result(trilith.InterviewDone, last), true
	}
	f := c.asked()
	return c.result(trilith.InterviewOpen, last), f != nil && !c.known.Has(f.ID) && !c.skipped()[f.ID]
}

// waiting returns the answers that no turn of the interviewer follows yet.
func (c *conversation) waiting() []trilith.Memory {
	i := len(c.turns)
	for i > 0 && c.turns[i-1].Role != trilith.RoleAssistant {
		i--
	}
	return c.turns[i:]
}

// open returns the gaps that this interview may ask for.
func (c *conversation) open() []*trilith.DomainField {
	skipped := c.skipped()
	return slices.DeleteFunc(c.known.Gaps(), func(f *trilith.DomainField) bool { return skipped[f.ID] })
}

// skipped returns the fields that this interview no longer asks for: somebody did not know, or has answered after
// several questions.
func (c *conversation) skipped() map[string]bool {
	out := map[string]bool{}
	times := map[string]int{}
	answered := ""
	for i := range c.turns {
		switch m := &c.turns[i]; m.Role {
		case trilith.RoleAssistant:
			if f := text(m, metaSkipped); f != "" {
				out[f] = true
			}
			if answered = text(m, metaField); answered != "" {
				times[answered]++
			}
		default:
			if times[answered] >= maxAsked {
				out[answered] = true
			}
		}
	}
	return out
}

// asked returns the field of the last question, nil if there is none.
func (c *conversation) asked() *trilith.DomainField {
	if last := c.last(); last != nil {
		return FieldOf(c.domain, text(last, metaField))
	}
	return nil
}

// last returns the interviewer's last turn, nil before the first.
func (c *conversation) last() *trilith.Memory {
	for i := len(c.turns) - 1; i >= 0; i-- {
		if c.turns[i].Role == trilith.RoleAssistant {
			return &c.turns[i]
		}
	}
	return nil
}

// reply returns the interviewer's turn after an answer, nil if there is none.
func (c *conversation) reply(answer trilith.ID) *trilith.Memory {
	at := slices.IndexFunc(c.turns, func(m trilith.Memory) bool { return m.ID == answer })
	if at < 0 {
		return nil
	}
	for i := at + 1; i < len(c.turns); i++ {
		if c.turns[i].Role == trilith.RoleAssistant {
			return &c.turns[i]
		}
	}
	return nil
}

// store stores a turn of the interview, and takes it up among the turns if it is new.
func (c *conversation) store(ctx context.Context, role trilith.Role, words, key string, metadata map[string]any) (
	trilith.Memory, error) {
	metadata[metaInterview] = c.domain.ID
	r := trilith.RememberRequest{RequestKey: key}
	m := trilith.Message{Role: role, Content: words, Metadata: metadata}
	var beside truth.AlsoCommit
	if role == trilith.RoleAssistant {
		m.Speaker, r.Extract, beside = c.domain.Persona.Name, trilith.ExtractNone, c.unmoved
	}
	if key == "" { // without a key an erased answer can be given again; with one the request has to be the same
		m.Timestamp = c.truth.Now().Format(time.RFC3339Nano)
	}
	r.Messages = []trilith.Message{m}
	res, err := c.Remember(ctx, c.scope, r, beside)
	switch {
	case err != nil:
		return trilith.Memory{}, err
	case len(res.Memories) != 1 && role == trilith.RoleAssistant && len(res.Rejected) > 0 &&
		res.Rejected[0].Reason == trilith.ReasonErased:
		return trilith.Memory{}, trilith.Errorf(trilith.Conflict,
			"interview %.64q: was erased, and its questions stay erased; begin one in another session", c.scope.Session)
	case len(res.Memories) != 1:
		why := "nothing"
		if len(res.Rejected) > 0 {
			why = res.Rejected[0].Reason + ": " + res.Rejected[0].Detail
		}
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "interview: the turn of the %s was not stored: %s", role, why)
	}
	turn := res.Memories[0]
	if !slices.ContainsFunc(c.turns, func(m trilith.Memory) bool { return m.ID == turn.ID }) {
		c.turns, c.next = append(c.turns, turn), c.next+1
	}
	return turn, nil
}

// unmoved adds nothing to a commit, and prevents it if others have said something in the session.
// The session is a precondition of every turn's commit already.
func (c *conversation) unmoved(ctx context.Context, _ *trilith.RememberResult) (b role.Batch, err error) {
	st, _, err := truth.DerivedRecordsOf(c.truth).SessionOf(ctx, c.scope)
	if err == nil && st.Next != c.next {
		err = errMoved
	}
	return b, err
}

// replay returns the result for an answer that was given before.
func (c *conversation) replay(answer trilith.Memory, reply *trilith.Memory) trilith.Interview {
	state := trilith.InterviewOpen
	switch text(reply, metaKind) {
	case kindDone:
		state = trilith.InterviewDone
	case kindStop:
		state = trilith.InterviewPaused
	}
	out := c.result(state, reply)
	out.AnswerID = answer.ID
	for _, m := range c.known.All {
		if text(&m, metaAnswer) == string(answer.ID) {
			out.Entries = append(out.Entries, m)
		}
	}
	return out
}

// parted separates the acknowledgement of an answer from the question.
const parted = "\n\n"

// result returns the state of the interview after a turn of the interviewer.
func (c *conversation) result(state trilith.InterviewState, turn *trilith.Memory) trilith.Interview {
	report := c.known.Report(nil)
	out := trilith.Interview{ID: c.scope.Session, Scope: c.scope.Bare(), Domain: c.domain.ID, Title: c.domain.Title,
		Language: c.domain.Language, State: state, Entries: []trilith.Memory{}, RelevantContext: []trilith.EntryHit{},
		Known: len(report.Known), Missing: report.Missing}
	if turn == nil {
		return out
	}
	if out.Field = text(turn, metaField); out.Field == "" {
		out.Acknowledgement = turn.Text
		return out
	}
	out.Question = turn.Text
	if i := strings.LastIndex(turn.Text, parted); i >= 0 {
		out.Acknowledgement, out.Question = turn.Text[:i], turn.Text[i+len(parted):]
	}
	return out
}

// persist stores the findings in an answer: a known value is repeated, a correction replaces the known value, and
// another value of a filled field is accepted only as a correction. A finding outside the fields is stored unless it
// is known.
func (c *conversation) persist(ctx context.Context, answer *trilith.Memory, found []Found,
	out *trilith.Interview) error {
	for i := range found {
		f := &found[i]
		id := externalID(answer.ID, cmp.Or(f.Field.ID, fmt.Sprintf("+%d", i)))
		all, entries := c.known.All, c.known.Entries(f.Field.ID)
		if at := slices.IndexFunc(all, func(m trilith.Memory) bool { return m.ExternalID == id }); at >= 0 {
			out.Entries = append(out.Entries, all[at]) // of the attempt that was cut off
			continue
		}
		many := f.Field.Type == trilith.FieldText || f.Field.Type == trilith.FieldList
		switch {
		case f.Field.ID == "" && c.known.Told(f.Content):
			c.retold = true
			continue
		case c.known.Says(f.Field, f.Value):
			out.Repeated = append(out.Repeated, f.Field.ID)
			continue
		case len(entries) > 0 && !f.Corrects && !many:
			continue
		}
		m, err := c.addEntry(ctx, answer, id, f)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		out.Entries = append(out.Entries, *m)
		if f.Corrects && len(entries) > 0 {
			if err := c.replace(ctx, *m, entries, f.Field.ID); err != nil {
				return err
			}
		}
	}
	var err error
	c.known, err = c.know(ctx, c.scope, c.domain)
	return err
}

// externalID names the entry that an answer gives to a field, or the n-th outside all fields as +n, so that taking
// an answer up again makes no second one.
func externalID(answer trilith.ID, field string) string {
	return fmt.Sprintf("interview:%s:%s", answer, field)
}

// addEntry stores an entry; nil if the gate refuses it, or if it was erased.
func (c *conversation) addEntry(ctx context.Context, answer *trilith.Memory, id string, f *Found) (
	*trilith.Memory, error) {
	e := EntryOf(c.domain, f)
	metadata := map[string]any{metaInterview: c.domain.ID, metaAnswer: string(answer.ID), metaQuote: f.Quote}
	if f.Field.ID != "" {
		metadata[metaField] = f.Field.ID
	}
	res, err := c.Remember(ctx, c.scope, trilith.RememberRequest{Entry: &e, ExternalID: id, Extract: trilith.ExtractNone,
		Role: trilith.RoleUser, Timestamp: answer.EventTime.Format(time.RFC3339Nano), Metadata: metadata}, nil)
	if err != nil || len(res.Memories) != 1 {
		return nil, err
	}
	return &res.Memories[0], nil
}

// replace closes the entries of a field that a correction replaces, in any session. Entries that also contain other
// fields stay.
func (c *conversation) replace(ctx context.Context, by trilith.Memory, old []trilith.Memory, field string) error {
	return truth.Retry(ctx, func() (bool, error) {
		ids := []trilith.ID{by.ID}
		for _, m := range old {
			if len(m.Entry.Structured) == 1 && m.SharedFrom == "" && m.ID != by.ID {
				ids = append(ids, m.ID)
			}
		}
		ms, err := c.truth.Memories(ctx, truth.TenantOf(c.scope), ids)
		if err != nil || len(ms) < 2 || ms[0].ID != by.ID {
			return false, err
		}
		now := c.truth.Now()
		heir := &ms[0]
		var b role.Batch
		for i := range ms {
			m := &ms[i]
			b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
			if i == 0 || m.State != trilith.StateActive {
				continue
			}
			until := truth.Later(heir.EventTime, m.EventTime)
			m.State, m.SupersededBy, m.ValidUntil, m.SupersededAt = trilith.StateSuperseded, heir.ID, &until, &now
			heir.Supersedes = append(heir.Supersedes, m.ID)
			b.Memories = append(b.Memories, *m)
		}
		if len(b.Memories) == 0 {
			return false, nil
		}
		b.Memories = append(b.Memories, *heir)
		b.Audit = c.truth.Audit(c.scope, "interview.correct", heir.ID, map[string]string{metaField: field})
		_, err = c.truth.Commit(ctx, c.scope, b)
		if err == nil {
			c.truth.Index.Notify()
		}
		return true, err
	})
}
