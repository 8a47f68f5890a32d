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
	facts          []*trilith.Memory // the facts on its matter that the earlier statement states; of a turn none is known
}

// Endings asks the model whether what persons said of themselves in the episodes of a job ends what they said on earlier
// days: known facts, and turns that speak of the same matter. A question is asked once, whatever comes of the answer.
func (dv *Deriver) Endings(ctx context.Context, tenant string, job trilith.ID, j ExtractJob) error {
	if dv.truth.Model == nil || !dv.endings.Asks() {
		return nil
	}
	s := trilith.Scope{Tenant: tenant, Actor: "extract"}
	episodes, subject, err := dv.episodesOf(ctx, s, j)
	if err != nil {
		return err
	}
	spent := trilith.ExtractionReport{}
	for i := range episodes {
		if err = dv.endingsIn(ctx, s, &episodes[i], subject, &spent); err != nil {
			break
		}
	}
	if spent.Calls > 0 {
		err = cmp.Or(dv.changeReport(ctx, s, job, func(r *trilith.ExtractionReport) {
			r.Calls += spent.Calls
			r.Usage.Add(spent.Usage)
		}), err)
	}
	return err
}

// endingsIn asks about the sentences of one episode.
func (dv *Deriver) endingsIn(ctx context.Context, s trilith.Scope, m *trilith.Memory, subject entities.Party,
	spent *trilith.ExtractionReport) error {
	if m.Role != trilith.RoleUser || retrieve.OnlyAsks(m) {
		return nil
	}
	said, err := dv.facts.FactsCiting(ctx, s, []trilith.ID{m.ID})
	if err != nil {
		return err
	}
	own, asked := textproc.Pasted(m.Text), map[int]int{} // questions by the sentence that they are about
	for i := range said {
		n := &said[i]
		v, err := dv.entities.Survivor(ctx, s, n.Fact.EntityID)
		if err != nil {
			return err
		}
		for _, e := range n.Fact.Evidence {
			later, states := statementIn(m, &e)
			if !states || n.State != trilith.StateActive || n.Fact.IsRelation() || later.Quote().End > own ||
				m.Speaker == "" && v.ID != subject.ID || m.Speaker != "" && !entities.SameName(&v, m.Speaker) {
				continue
			}
			pairs, err := dv.pairsOf(ctx, s, n, later)
			if err != nil {
				return err
			}
			for _, p := range pairs[:min(len(pairs), maxPairs-asked[later.At])] {
				asked[later.At]++
				if err := dv.askEnding(ctx, s, p, spent); err != nil {
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
		e.Certainty != trilith.Stated {
		return ending.Statement{}, false
	}
	start, end := sentencesOf(m.Text, e.Start, e.End)
	if end-start > maxStatement {
		start, end = e.Start, e.End
	}
	out := ending.In(m, start, end)
	own := distil.OwnClause(m.Text, e.Start, e.End)
	asks := strings.HasSuffix(out.Text, "?") || strings.HasSuffix(out.Text, "？")
	return out, own && !asks && len(out.Text) <= maxStatement && !steered(m, start, end) && !directs(m, start, end)
}

// pairsOf returns the earlier statements that a sentence may end, most likely first: facts of its owner with words in
// common, turns on its matter, and the newest fact that the new one could contradict.
func (dv *Deriver) pairsOf(ctx context.Context, s trilith.Scope, n *trilith.Memory, later ending.Statement) ([]pair, error) {
	all, err := dv.truth.FactsOf(ctx, s, n.Fact.EntityID)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m trilith.Memory) bool { return m.Fact.Owner != n.Fact.Owner })
	words, shared := matterOf(later.Text), map[trilith.ID]int{}
	var known, contrary []*trilith.Memory
	for i := range all {
		m, x := &all[i], all[i].Fact
		last := lastStated(x)
		if last == nil || m.ID == n.ID || m.StateAt(dv.truth.Now()) != trilith.StateActive ||
			x.Polarity != trilith.Affirmed || x.Type == trilith.FactEvent || x.IsRelation() {
			continue
		}
		for w := range matterOf(last.Quote + " " + x.Node.Name) {
			if words[w] {
				shared[m.ID]++
			}
		}
		if shared[m.ID] > 0 {
			known = append(known, m)
		} else if slices.Contains(reconcile.Matter(n.Fact), x.Verb) {
			contrary = append(contrary, m)
		}
	}
	newest := func(a, b *trilith.Memory) int {
		x, y := lastStated(a.Fact), lastStated(b.Fact)
		return cmp.Or(y.At.Compare(x.At), len(y.Quote)-len(x.Quote))
	}
	slices.SortStableFunc(known, func(a, b *trilith.Memory) int { return cmp.Or(shared[b.ID]-shared[a.ID], newest(a, b)) })
	slices.SortStableFunc(contrary, newest)
	out, err := dv.pairsWith(ctx, s, nil, n, later, known, maxPairs)
	var turns []ending.Statement
	if err == nil && dv.before != nil {
		turns, err = dv.before(ctx, later.In, later.Text)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range turns {
		q := t.Quote()
		if len(t.Text) <= maxStatement && !slices.ContainsFunc(all, func(m trilith.Memory) bool {
			return slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool { return overlaps(&e, q) })
		}) {
			out = append(out, pair{t, later, n, nil})
		}
	}
	return dv.pairsWith(ctx, s, out, n, later, contrary, len(out)+1)
}

// pairsWith adds questions about known facts, up to a number: about those that the same person has stated on an earlier
// day. Facts that rest on the same words are one question.
func (dv *Deriver) pairsWith(ctx context.Context, s trilith.Scope, out []pair, n *trilith.Memory, later ending.Statement,
	known []*trilith.Memory, most int) ([]pair, error) {
	for _, m := range known {
		e := lastStated(m.Fact)
		if i := slices.IndexFunc(out, func(p pair) bool { return overlaps(e, p.earlier.Quote()) }); i >= 0 {
			out[i].facts = append(out[i].facts, m)
			continue
		}
		if len(out) >= most {
			continue
		}
		ep, err := dv.truth.Memories(ctx, truth.TenantOf(s), []trilith.ID{e.EpisodeID})
		if err != nil {
			return nil, err
		}
		if len(ep) == 0 || !ending.SameVoice(&ep[0], later.In) || e.End > len(ep[0].Text) || len(e.Quote) > maxStatement {
			continue
		}
		if was := ending.In(&ep[0], e.Start, e.End); was.Before(later) {
			out = append(out, pair{was, later, n, []*trilith.Memory{m}})
		}
	}
	return out, nil
}

func overlaps(e *trilith.Evidence, q trilith.Premise) bool {
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

// matterOf returns the words of a text that say what it is about.
func matterOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range retrieve.Words(text) {
		if terms, _ := (textproc.Analyzer{}).Terms(strings.ToLower(w)); !retrieve.Common(w) {
			for _, t := range terms {
				out[t] = true
			}
		}
	}
	return out
}

// askEnding asks one question, unless it was asked before, and has the new fact replace the earlier one if the answer is
// believed: one change, which can be undone.
func (dv *Deriver) askEnding(ctx context.Context, s trilith.Scope, p pair, spent *trilith.ExtractionReport) error {
	salt, err := dv.truth.Salt(ctx, truth.TenantOf(s))
	if err != nil {
		return err
	}
	key := truth.SaltedHash(salt, append(ending.Key(p.earlier, p.later), "ending", ending.Rule(dv.truth.Model.Info()), string(p.news.Fact.Owner),
		string(p.news.Fact.EntityID))...)
	answer, err := dv.truth.KeyedRequest(s, key, "ending", nil)
	if err != nil {
		return err
	}
	if _, made, err := answer.Before(ctx); err != nil || made {
		return err
	}
	model := dv.truth.Model
	using, err := dv.usage.Spending.Of(ctx, s.Tenant, model.Info().Provider, trilith.PurposeExtract)
	if err != nil {
		return err
	}
	v, err := ending.Ask(using, model, p.earlier, p.later)
	spent.Calls++
	spent.Usage.Add(v.Usage)
	if err != nil && trilith.KindOf(err) != trilith.Invalid { // a refused question has no clear answer
		return err
	}
	if err == nil && dv.endings.Believes(v) {
		if err := dv.replace(ctx, s, p, v, answer); err != nil && !errors.Is(err, errStands) {
			return err
		}
	}
	_, _, err = answer.Begin(ctx, func() ([]truth.Target, error) { return []truth.Target{{ID: p.later.In.ID}}, nil })
	return err
}

var errStands = errors.New("the facts have changed since the question was asked")

// replace has the new fact replace the earlier one. A turn of which no fact is known becomes one, as long as the words
// that replace it are there. The evidence of the end quotes both statements and has model and probability.
func (dv *Deriver) replace(ctx context.Context, s trilith.Scope, p pair, v ending.Verdict, answer truth.KeyedRequest) error {
	s.Change = trilith.NewID(dv.truth.Now())
	in, now, was := p.later.In, p.later.Quote(), p.earlier.Quote()
	e := trilith.Evidence{EpisodeID: in.ID, Quote: now.Quote, Start: now.Start, End: now.End,
		Premises: []trilith.Premise{was}, At: in.EventTime, Confidence: v.Probability, Certainty: trilith.Stated,
		Trust: in.Trust, Ends: true, SourceID: in.SourceID, Rule: ending.Rule(dv.truth.Model.Info()), Successor: p.news.ID}
	_, _, err := dv.facts.ReviseWith(ctx, relations.OwnerScope(s, p.news), facts.GroupOf(p.news),
		func(who *entities.Resolver, v trilith.Entity, f *reconcile.Facts) error {
			if _, made, err := answer.Before(ctx); err != nil || made {
				return err
			}
			old := p.facts
			if old == nil {
				said := p.said(v, now, dv)
				f.Apply(said)
				old = []*trilith.Memory{&said.Memory}
			}
			b, ended := who.Batch, false
			for _, m := range old {
				if f.Supersede(m.ID, e) {
					ended = true
					b.Audit = append(b.Audit, dv.truth.Audit(s, "fact.supersede", m.ID,
						map[string]string{"by": string(p.news.ID), "model": dv.truth.Model.Info().String()})...)
				}
			}
			if !ended {
				return errStands
			}
			return answer.Note(b, truth.Target{ID: in.ID})
		})
	return err
}

// said returns the earlier statement as a fact in its own words.
func (p *pair) said(v trilith.Entity, now trilith.Premise, dv *Deriver) reconcile.Assertion {
	m, q, node := p.earlier.In, p.earlier.Quote(), freeNode(p.earlier.Text)
	fact := &trilith.Fact{Owner: p.news.Fact.Owner, Guest: p.news.Fact.Owner != v.Owner, EntityID: v.ID, Verb: "has_fact",
		FactID: node.ID(), Node: node, Type: trilith.FactOther, Polarity: trilith.Affirmed, Certainty: trilith.Stated,
		Confidence: 1, AuthorRole: m.Role, Priority: trilith.PriorityNormal, Rule: ending.Rule(dv.truth.Model.Info()),
		Evidence: []trilith.Evidence{{EpisodeID: m.ID, Quote: q.Quote, Start: q.Start, End: q.End,
			Premises: []trilith.Premise{now}}}}
	fact.RelationshipKey = fact.Key()
	return reconcile.Assertion{Memory: trilith.Memory{ID: fact.MemoryID(), Version: 1, Kind: trilith.KindFact,
		Text: q.Quote, Scope: m.Scope.Bare(), Role: m.Role, Speaker: m.Speaker, SourceID: m.SourceID, EventTime: m.EventTime,
		RecordedAt: dv.truth.Now(), State: trilith.StateActive, Trust: m.Trust, Fact: fact}}
}
