package interview

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// reaction leads from waiting answers to the next question.
type reaction struct {
	*conversation
	model role.Model // nil once it has failed: the stages that follow do without it
	out   trilith.Interview
	turn  Turn      // of the last answer
	until time.Time // no model is waited for any longer
}

// react processes the answers that nothing follows yet, and asks the next question. After a start, an earlier stop does
// not count.
func (c *conversation) react(ctx context.Context, start bool) (trilith.Interview, error) {
	r := &reaction{conversation: c, model: c.truth.Model, turn: Turn{Domain: c.domain, Now: c.truth.Now()},
		until: c.truth.Now().Add(turnTimeout)}
	asked := c.asked()
	for _, answer := range c.waiting() {
		r.turn.Asked, r.turn.Answer, r.turn.Now = asked, answer.Text, answer.EventTime
		if err := r.take(ctx, &answer); err != nil {
			return trilith.Interview{}, err
		}
	}
	if r.out.Answer == trilith.AnswerStop && !start {
		said := Acknowledge(c.domain, Reply{Kind: trilith.AnswerStop})
		return r.say(ctx, trilith.InterviewPaused, nil, said, "", "")
	}
	return r.ask(ctx, asked)
}

// take passes one answer through the stages, up to the entries.
func (r *reaction) take(ctx context.Context, answer *trilith.Memory) error {
	r.out.AnswerID = answer.ID
	err := r.stage(ctx, trilith.StageClassify, func(ctx context.Context, m role.Model) (err error) {
		r.out.Answer, err = Classify(ctx, m, &r.turn)
		return err
	})
	if err != nil || r.out.Answer == trilith.AnswerStop {
		return err
	}
	if err := r.dispatch(ctx); err != nil || r.out.Answer != trilith.AnswerGiven {
		return err
	}
	var found []Found
	if err := r.stage(ctx, trilith.StageStructure, func(ctx context.Context, m role.Model) (err error) {
		found, err = Structure(ctx, m, &r.turn)
		return err
	}); err != nil {
		return err
	}
	if len(found) == 0 {
		r.out.Repeated = append(r.out.Repeated, r.known.Repeats(answer.Text, r.turn.Now)...)
		return nil
	}
	return r.persist(ctx, answer, found, &r.out)
}

// dispatch finds entries of other sessions that are similar to the answer. If that fails there is no context.
func (r *reaction) dispatch(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, stageTimeout)
	defer cancel()
	res, err := r.Similar(limited, wide(r.scope), trilith.SimilarRequest{Text: r.turn.Answer,
		Limit: trilith.DefaultSimilar, ExcludeSession: r.scope.Session})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.without(ctx, trilith.StageDispatch, err)
		return nil
	}
	r.out.RelevantContext = res.Items
	r.turn.Context = Summary(res.Items, res.Total)
	return nil
}

// ask asks for the next gap. The field that the answer did not fill comes first, once more; then the choice is free.
func (r *reaction) ask(ctx context.Context, asked *trilith.DomainField) (trilith.Interview, error) {
	reply := Reply{Kind: r.out.Answer, Repeated: len(r.out.Repeated) > 0 || r.retold,
		Filled: len(r.out.Entries) > 0}
	skip := ""
	gaps := r.open()
	if i := slices.Index(gaps, asked); i >= 0 {
		switch {
		case reply.Kind == trilith.AnswerSkip:
			skip, gaps = asked.ID, slices.Delete(gaps, i, i+1)
		case reply.Kind != "":
			reply.Again = asked
		}
	}
	if len(gaps) == 0 {
		said := strings.TrimSpace(Acknowledge(r.domain, reply) + " " +
			Farewell(r.domain, r.known.Report(nil).Missing))
		return r.say(ctx, trilith.InterviewDone, nil, said, "", skip)
	}
	gap := asked
	if reply.Again == nil {
		if err := r.stage(ctx, trilith.StageGap, func(ctx context.Context, m role.Model) (err error) {
			gap, err = Choose(ctx, m, &r.turn, r.known, gaps)
			return err
		}); err != nil {
			return trilith.Interview{}, err
		}
	}
	said := Acknowledge(r.domain, reply)
	if len(r.turns) == 0 {
		said = r.domain.Persona.Greeting
	}
	var question string
	if err := r.stage(ctx, trilith.StagePersona, func(ctx context.Context, m role.Model) (err error) {
		if reply.Again != nil {
			m = nil // the words of the schema are the plainest
		}
		question, err = Word(ctx, m, &r.turn, r.known, gap)
		return err
	}); err != nil {
		return trilith.Interview{}, err
	}
	return r.say(ctx, trilith.InterviewOpen, gap, said, question, skip)
}

// say stores the response to the answer with the next question, and returns the new state of the interview.
func (r *reaction) say(ctx context.Context, state trilith.InterviewState, gap *trilith.DomainField, said, question,
	skip string) (trilith.Interview, error) {
	metadata := map[string]any{metaKind: string(r.out.Answer)}
	switch state {
	case trilith.InterviewDone:
		metadata[metaKind] = kindDone
	case trilith.InterviewPaused:
		metadata[metaKind] = kindStop
	}
	if gap != nil {
		metadata[metaField] = gap.ID
	}
	if skip != "" {
		metadata[metaSkipped] = skip
	}
	words := said
	if question != "" {
		words = question
		if said != "" {
			words = said + parted + question
		}
	}
	turn, err := r.store(ctx, trilith.RoleAssistant, words, "", metadata)
	if err != nil {
		return trilith.Interview{}, err
	}
	out := r.result(state, &turn)
	out.Answer, out.AnswerID, out.Repeated, out.Without = r.out.Answer, r.out.AnswerID, r.out.Repeated, r.out.Without
	out.Entries = append(out.Entries, r.out.Entries...)
	out.RelevantContext = append(out.RelevantContext, r.out.RelevantContext...)
	out.ContextSummary = r.turn.Context
	return out, nil
}

// stage runs a stage with the model if there is one. A failure of the model is recorded and has no other effect: the
// stage has worked without it.
func (r *reaction) stage(ctx context.Context, name trilith.Stage,
	run func(context.Context, role.Model) error) error {
	if r.model == nil {
		return run(ctx, nil)
	}
	limited, cancel := context.WithTimeout(ctx, min(stageTimeout, r.until.Sub(r.truth.Now())))
	defer cancel()
	using, err := r.usage.Spending.Of(limited, r.scope.Tenant, r.model.Info().Provider, trilith.PurposeInterview)
	if err != nil {
		r.model = nil
		r.without(ctx, name, err)
		return run(ctx, nil)
	}
	if err := run(using, r.model); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if trilith.KindOf(err) != trilith.Invalid { // it is away, not merely wrong
			r.model = nil
		}
		r.without(ctx, name, err)
	}
	return nil
}

func (r *reaction) without(ctx context.Context, name trilith.Stage, err error) {
	r.out.Without = append(r.out.Without, name)
	r.truth.Logger.WarnContext(ctx, "interview: a stage used its fallback", "stage", string(name), "error", err)
}
