package derive

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/facts/ending"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	maxPairs     = 3   // questions about one sentence
	maxStatement = 400 // bytes of a statement in a question
)

// pair is a question: whether a sentence, on which a fact rests, ends an earlier statement of its owner.
type pair struct {
	earlier, later ending.Statement
	news           *trilith.Memory   // the fact that the sentence states
	facts          []*trilith.Memory // on its matter that rest on the earlier statement; a turn has none
}

// Endings asks the model whether statements of persons about themselves in the episodes of a job end earlier ones: known
// facts, and turns that speak of the same matter. A question is asked once, whatever follows from the answer.
func (dv *Deriver) Endings(ctx context.Context, tenant string, job trilith.ID, j ExtractJob) error {
	if dv.truth.Model == nil || !dv.endings.Asks() {
		return nil
	}
	s := trilith.Scope{Tenant: tenant, Actor: "extract"}
	episodes, subject, err := dv.episodesOf(ctx, s, j)
	for i := range episodes {
		if m := &episodes[i]; err == nil && m.Role == trilith.RoleUser && !retrieve.OnlyAsks(m) {
			err = dv.endingsIn(ctx, s, job, m, subject)
		}
	}
	return err
}

// endingsIn asks about the sentences of one episode.
func (dv *Deriver) endingsIn(ctx context.Context, s trilith.Scope, job trilith.ID, m *trilith.Memory,
	subject entities.Party) error {
	said, err := dv.facts.FactsCiting(ctx, s, []trilith.ID{m.ID})
	if err != nil {
		return err
	}
	asked := map[int]int{} // questions by the sentence that they are about
	for i := range said {
		n := &said[i]
		v, err := dv.entities.Survivor(ctx, s, n.Fact.EntityID)
		if err != nil {
			return err
		}
		if n.State != trilith.StateActive || n.Fact.IsRelation() || m.Speaker == "" && v.ID != subject.ID ||
			m.Speaker != "" && !entities.SameName(&v, m.Speaker) {
			continue
		}
		for j := range n.Fact.Evidence {
			later, states := statementIn(m, &n.Fact.Evidence[j])
			if !states {
				continue
			}
			pairs, err := dv.pairsOf(ctx, s, n, later)
			if err != nil {
				return err
			}
			for _, p := range pairs[:min(len(pairs), maxPairs-asked[later.At])] {
				asked[later.At]++
				if err := dv.askEnding(ctx, s, job, p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// statementIn returns the sentence of evidence that an episode holds, if somebody states it there plainly, and of
// themselves as far as the words show.
func statementIn(m *trilith.Memory, e *trilith.Evidence) (ending.Statement, bool) {
	if e.EpisodeID != m.ID || e.Ends || e.Withdrawn || e.Proposed || e.Other || e.End <= e.Start || e.End > len(m.Text) ||
		e.Certainty != trilith.Stated || e.End > textproc.Pasted(m.Text) || !distil.OwnClause(m.Text, e.Start, e.End) {
		return ending.Statement{}, false
	}
	start, end := sentencesOf(m.Text, e.Start, e.End)
	out := ending.In(m, start, end)
	return out, len(out.Text) <= maxStatement && !strings.HasSuffix(out.Text, "?") && !strings.HasSuffix(out.Text, "？") &&
		!steered(m, start, end) && !directs(m, start, end)
}

// pairsOf returns the earlier statements that a sentence may end, most likely first: facts of its owner with words in
// common, or else the newest that the new one could contradict, and turns on its matter. Facts that rest on the same
// words are one question.
func (dv *Deriver) pairsOf(ctx context.Context, s trilith.Scope, n *trilith.Memory, later ending.Statement) (
	out []pair, err error) {
	all, err := dv.truth.FactsOf(ctx, s, n.Fact.EntityID)
	if err != nil {
		return nil, err
	}
	words, shared := matterOf(later.Text), map[trilith.ID]int{}
	var known []*trilith.Memory
	for i := range all {
		m, x := &all[i], all[i].Fact
		last := lastStated(x)
		if last == nil || m.ID == n.ID || x.Owner != n.Fact.Owner || m.StateAt(dv.truth.Now()) != trilith.StateActive ||
			x.Polarity != trilith.Affirmed || x.Type == trilith.FactEvent || x.IsRelation() {
			continue
		}
		for _, w := range matterOf(last.Quote + " " + x.Node.Name) {
			if slices.Contains(words, w) {
				shared[m.ID]++
			}
		}
		if shared[m.ID] > 0 || slices.Contains(reconcile.Matter(n.Fact), x.Verb) {
			known = append(known, m)
		}
	}
	slices.SortStableFunc(known, func(a, b *trilith.Memory) int {
		x, y := lastStated(a.Fact), lastStated(b.Fact)
		return cmp.Or(shared[b.ID]-shared[a.ID], y.At.Compare(x.At), len(y.Quote)-len(x.Quote))
	})
	for _, m := range known {
		e := lastStated(m.Fact)
		at := slices.IndexFunc(out, func(p pair) bool { return overlaps(e, p.earlier) })
		if at >= 0 {
			out[at].facts = append(out[at].facts, m)
		}
		if at >= 0 || len(out) > 0 && shared[m.ID] == 0 || len(out) == maxPairs || len(e.Quote) > maxStatement {
			continue
		}
		ep, err := dv.truth.Memories(ctx, truth.TenantOf(s), []trilith.ID{e.EpisodeID})
		if err != nil {
			return nil, err
		}
		if len(ep) > 0 && ending.SameVoice(&ep[0], later.In) && e.End <= len(ep[0].Text) {
			if was := ending.In(&ep[0], e.Start, e.End); was.Before(later) {
				out = append(out, pair{was, later, n, []*trilith.Memory{m}})
			}
		}
	}
	if dv.before == nil {
		return out, nil
	}
	turns, err := dv.before(ctx, later.In, later.Text)
	for _, t := range turns {
		if len(t.Text) <= maxStatement && !slices.ContainsFunc(all, func(m trilith.Memory) bool {
			return slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool { return overlaps(&e, t) })
		}) {
			out = append(out, pair{earlier: t, later: later, news: n})
		}
	}
	return out, err
}

// overlaps reports whether evidence is in the words of a statement.
func overlaps(e *trilith.Evidence, t ending.Statement) bool {
	q := t.Quote()
	return e.EpisodeID == q.EpisodeID && e.Start < q.End && e.End > q.Start
}

// lastStated returns the latest words that state a fact; nil if there are none.
func lastStated(x *trilith.Fact) (last *trilith.Evidence) {
	for i := range x.Evidence {
		e := &x.Evidence[i]
		if !e.Ends && !e.Withdrawn && e.EpisodeID != "" && e.End > e.Start && (last == nil || e.At.After(last.At)) {
			last = e
		}
	}
	return last
}

// matterOf returns the stems of the words of a text that say something of a matter.
func matterOf(text string) (out []string) {
	for _, w := range retrieve.Words(strings.ToLower(text)) {
		if terms, _ := (textproc.Analyzer{}).Terms(w); !retrieve.Common(w) {
			out = append(out, terms...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// askEnding asks one question, unless it was asked before, and has the new fact replace the earlier one if the answer is
// believed.
func (dv *Deriver) askEnding(ctx context.Context, s trilith.Scope, job trilith.ID, p pair) error {
	model, of := dv.truth.Model, p.news.Fact
	salt, err := dv.truth.Salt(ctx, truth.TenantOf(s))
	if err != nil {
		return err
	}
	key := truth.SaltedHash(salt,
		append(ending.Key(p.earlier, p.later), model.Info().String(), string(of.Owner), string(of.EntityID))...)
	answer, err := dv.truth.KeyedRequest(s, key, "ending", nil)
	if err != nil {
		return err
	}
	if _, made, err := answer.Before(ctx); err != nil || made {
		return err
	}
	using, err := dv.usage.Spending.Of(ctx, s.Tenant, model.Info().Provider, trilith.PurposeExtract)
	if err != nil {
		return err
	}
	v, failed := ending.Ask(using, model, p.earlier, p.later)
	if failed != nil && trilith.KindOf(failed) != trilith.Invalid { // a refused question has no clear answer
		return failed
	}
	err = dv.changeReport(ctx, s, job, func(r *trilith.ExtractionReport) {
		r.Calls++
		r.Usage.Add(v.Usage)
	})
	if err == nil && failed == nil && dv.endings.Believes(v) {
		err = dv.replace(ctx, s, p, v, answer)
	}
	if err == nil || errors.Is(err, errStands) {
		_, _, err = answer.Begin(ctx, func() ([]truth.Target, error) { return []truth.Target{{ID: p.later.In.ID}}, nil })
	}
	return err
}

var errStands = errors.New("the facts have changed since the question was asked")

// replace has the new fact replace those of the earlier statement: one change, which can be undone. A turn without known
// facts becomes one, as long as the words that replace it are there. The evidence of the end quotes both statements and
// has model and probability.
func (dv *Deriver) replace(ctx context.Context, s trilith.Scope, p pair, v ending.Verdict,
	answer truth.KeyedRequest) error {
	s.Change = trilith.NewID(dv.truth.Now())
	in, now, rule := p.later.In, p.later.Quote(), ending.Rule(dv.truth.Model.Info())
	e := trilith.Evidence{EpisodeID: in.ID, Quote: now.Quote, Start: now.Start, End: now.End, At: in.EventTime,
		Premises: []trilith.Premise{p.earlier.Quote()}, Confidence: v.Probability, Certainty: trilith.Stated, Trust: in.Trust,
		Ends: true, SourceID: in.SourceID, Rule: rule, Successor: p.news.ID}
	_, _, err := dv.facts.ReviseWith(ctx, relations.OwnerScope(s, p.news), facts.GroupOf(p.news),
		func(who *entities.Resolver, v trilith.Entity, f *reconcile.Facts) error {
			if _, made, err := answer.Before(ctx); err != nil || made { // by another writer, at the same time
				return err
			}
			old := p.facts
			if old == nil {
				was := p.earlier.Quote()
				a, err := dv.assertion(ctx, who, entities.Party{Entity: v, Of: v.ID, Holder: p.news.Fact.Owner},
					finding{episode: *p.earlier.In, premises: []trilith.Premise{now}, Found: extract.Found{Start: was.Start,
						End: was.End, Rule: rule, Verb: "has_fact", Node: freeNode(was.Quote), Type: trilith.FactOther,
						Summary: was.Quote, Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 1,
						Priority: trilith.PriorityNormal}})
				if err != nil {
					return err
				}
				f.Apply(a)
				old = []*trilith.Memory{&a.Memory}
			}
			audited := len(who.Batch.Audit)
			for _, m := range old {
				if f.Supersede(m.ID, e) {
					who.Batch.Audit = append(who.Batch.Audit, dv.truth.Audit(s, "fact.supersede", m.ID,
						map[string]string{"by": string(p.news.ID), "model": dv.truth.Model.Info().String()})...)
				}
			}
			if len(who.Batch.Audit) == audited {
				return errStands
			}
			return answer.Note(who.Batch, truth.Target{ID: in.ID})
		})
	return err
}
