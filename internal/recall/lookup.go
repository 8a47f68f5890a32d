package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

// maxHops bounds how far a lookup may walk from the facts that matched.
const maxHops = 2

// Lookup returns the facts of the entity that an identifier names: all active ones in the order of [facts.HeadingOf],
// or with a query those that match it, best first. Vectors and words only find a fact; the graph decides whether this
// entity asserts it. A fact that is in the index and not in the store is left out, counted, and removed from the index.
func (rd *Reader) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	out, _, err := rd.lookup(ctx, s, r)
	return out, err
}

// lookup is [Reader.Lookup] that also returns how many facts there are, whether or not they match the query.
func (rd *Reader) lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (
	out trilith.LookupResult, known int, err error) {
	q, err := lookupQuestion(rd.truth, s, r)
	if err != nil {
		return out, 0, err
	}
	entity, err := rd.entities.Meant(ctx, s, r.Identifier)
	if err != nil {
		return out, 0, err
	}
	p, err := rd.individual(ctx, s, entity.Entity)
	out = trilith.LookupResult{Entity: p.Entity, Also: p.also(), Facts: []trilith.Memory{}}
	if err != nil {
		return out, 0, err
	}
	now := rd.truth.Now()
	var holding []trilith.Memory
	for _, m := range p.facts {
		if slices.Contains(q.States, m.StateAt(now)) && q.At.Holds(&m) {
			holding = append(holding, m)
		}
	}
	if r.Query == "" {
		out.Facts = append(out.Facts, holding...)
		facts.SortByHeading(out.Facts)
		Announce(out.Facts, now)
		out.Facts, out.Truncated = truth.Fit(out.Facts)
		rd.facts.RedactQuotes(ctx, s, facts.Pointers(out.Facts))
		return out, len(holding), nil
	}
	err = rd.lookupBy(ctx, s, q, r, &p, holding, &out)
	return out, len(holding), err
}

// lookupBy adds the facts that match a query: the best of those that hold.
func (rd *Reader) lookupBy(ctx context.Context, s trilith.Scope, q retrieve.Question, r trilith.LookupRequest,
	p *individual, holding []trilith.Memory, out *trilith.LookupResult) error {
	q.Filter = trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindFact),
		trilith.Where("entity_id", trilith.OpIn, p.ids()))
	var clock stopwatch
	clock.start(rd.truth.Clock)
	d := rd.generations.Current.Load()
	plan := rd.plan(&q, d)
	v, err := rd.verifier(s, q)
	if err != nil {
		return err
	}
	v.scale = trilith.ScaleCosine
	f, err := rd.search(ctx, s, q, d, plan, v, &clock)
	if err != nil {
		return err
	}
	if len(v.damaged) > 0 { // the caller must not take the rest for everything that is known
		return trilith.WrapError(trilith.Internal, "engine.Lookup",
			&trilith.Damaged{What: "memory", IDs: slices.Sorted(maps.Keys(v.damaged))})
	}
	ranked, err := rd.rankFacts(ctx, s, q, p, holding, &f)
	if err != nil {
		return err
	}
	v.settle(q.Text, &f)
	out.Scale = v.scale
	least := v.least(r.MinScore, trilith.ScaleCosine)
	note := lookupNote{all: map[trilith.ID]*trilith.Memory{}, hits: []trilith.LookupHit{}}
	for i := range p.facts {
		note.all[p.facts[i].ID] = &p.facts[i]
	}
	for _, m := range ranked {
		score := v.score(m.score, m.cosine)
		switch {
		case !v.reaches(m.memory, m.score, m.cosine, false, least):
			note.add(m.memory.ID, score, trilith.DropScore)
		case len(out.Facts) < q.K:
			note.add(m.memory.ID, score, "")
			out.Facts = append(out.Facts, *m.memory)
		}
	}
	for _, d := range v.dropped {
		note.add(d.ID, d.Score, d.Reason)
	}
	verified := len(out.Facts)
	if out.Coverage, err = f.coverage(verified); err != nil {
		return err
	}
	clock.lap("graph_verify")
	if r.ExpandHops > 0 {
		walked, err := rd.truth.Graph.Walk(ctx, s, out.Facts, r.ExpandHops)
		if err != nil {
			return err
		}
		if out.Facts, err = rd.relations.Expand(ctx, s, out.Facts, r.ExpandHops); err != nil {
			return err
		}
		out.Facts = append(out.Facts, walked...)
		now := rd.truth.Now() // the graph uses the stored state
		out.Facts = slices.DeleteFunc(truth.Distinct(out.Facts), func(m trilith.Memory) bool {
			return m.StateAt(now) != m.State && !slices.Contains(q.States, m.StateAt(now))
		})
	}
	clock.lap("graph_fetch")
	Announce(out.Facts, rd.truth.Now())
	orphans, err := rd.dropOrphans(ctx, s, v.dropped)
	if err != nil {
		return err
	}
	out.Facts, out.Truncated = truth.Fit(out.Facts)
	rd.facts.RedactQuotes(ctx, s, facts.Pointers(out.Facts))
	if r.Debug {
		out.Debug = note.of(q, r, verified, orphans, clock.timings())
		out.Debug.Coverage, out.Debug.Scale = out.Coverage, out.Scale
	}
	return nil
}

// rankedFact is a fact of an entity with its score for a question.
type rankedFact struct {
	memory *trilith.Memory
	score  float64
	cosine *float64 // with the question; nil if it is not known
}

// rankFacts ranks facts of an entity, best first: by their words, by the meaning of their verbs, and by cosines if
// vectors are available.
func (rd *Reader) rankFacts(ctx context.Context, s trilith.Scope, q retrieve.Question, p *individual,
	facts []trilith.Memory, f *found) ([]rankedFact, error) {
	ask := retrieve.FactQuestion{Text: q.Text, Names: p.names(), Meaning: f.dense.Gen.Threshold}
	for _, id := range p.Identifiers {
		ask.Names = append(ask.Names, id.Value)
	}
	if f.vector != nil {
		var err error
		if ask.Texts, err = rd.cosines(ctx, s, f, facts); err == nil {
			ask.Glosses, err = rd.glossCosines(ctx, s, f, facts)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			rd.truth.Logger.WarnContext(ctx, "lookup: facts could not be compared by vectors", "error", err)
			f.report(trilith.ArmDense, 0, err)
		}
	}
	scores := ask.RankFacts(facts)
	out := make([]rankedFact, len(facts))
	for i := range facts {
		out[i] = rankedFact{memory: &facts[i], score: scores[i].Score}
		if cosine, ok := ask.Texts[facts[i].ID]; ok {
			out[i].cosine = &cosine
		}
	}
	slices.SortFunc(out, func(a, b rankedFact) int {
		m, n := a.memory, b.memory
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(n.Fact.Confidence, m.Fact.Confidence),
			n.EventTime.Compare(m.EventTime), cmp.Compare(m.ID, n.ID))
	})
	return out, nil
}

// cosines returns the cosine of the question with each fact whose current wording has a vector in the index.
func (rd *Reader) cosines(ctx context.Context, s trilith.Scope, f *found, facts []trilith.Memory) (
	map[trilith.ID]float64, error) {
	out := make(map[trilith.ID]float64, len(facts))
	for chunk := range slices.Chunk(facts, role.MaxCandidates) {
		p := role.VectorProbe{Vector: f.vector, K: len(chunk)}
		versions := make(map[trilith.ID]int64, len(chunk))
		for i := range chunk {
			p.IDs, p.Versions = append(p.IDs, chunk[i].ID), append(p.Versions, chunk[i].Version)
			versions[chunk[i].ID] = chunk[i].Version
		}
		nearest, err := rd.truth.Index.Nearest(ctx, s, f.dense.Gen, p)
		if err != nil {
			return nil, err
		}
		for _, c := range nearest[0] {
			if versions[c.ID] == c.Version {
				out[c.ID] = c.Score
			}
		}
	}
	return out, nil
}

// glossCosines returns the cosines of the question with the glosses of the facts' verbs. It skips embedders that cost
// money.
func (rd *Reader) glossCosines(ctx context.Context, s trilith.Scope, f *found, facts []trilith.Memory) (
	map[string]float64, error) {
	if index.Costs(f.dense.Gen) {
		return nil, nil
	}
	gen := f.dense.Gen.Key()
	var missing, texts []string
	for i := range facts {
		verb := facts[i].Fact.Verb
		if _, ok := rd.glosses.Load(glossKey{gen, verb}); !ok && !slices.Contains(missing, verb) {
			missing, texts = append(missing, verb), append(texts, retrieve.Gloss(verb))
		}
	}
	if len(missing) > 0 {
		vectors, err := rd.generations.VectorsOf(ctx, s, f.dense, role.ForDocument, texts)
		if err != nil {
			return nil, err
		}
		for i, verb := range missing {
			rd.glosses.Store(glossKey{gen, verb}, vectors[i])
		}
	}
	out := map[string]float64{}
	for i := range facts {
		verb := facts[i].Fact.Verb
		held, _ := rd.glosses.Load(glossKey{gen, verb})
		if vector, ok := held.(trilith.Vector); ok && len(vector) == len(f.vector) {
			sum := 0.0
			for j := range vector {
				sum += float64(vector[j]) * float64(f.vector[j])
			}
			out[verb] = sum
		}
	}
	return out, nil
}

// glossKey identifies the vector of a verb's gloss.
type glossKey struct{ generation, verb string }

func lookupQuestion(t *truth.Truth, s trilith.Scope, r trilith.LookupRequest) (retrieve.Question, error) {
	if err := truth.CheckScope(s); err != nil {
		return retrieve.Question{}, err
	}
	if err := entities.CheckIdentifier(r.Identifier); err != nil {
		return retrieve.Question{}, err
	}
	if r.ExpandHops < 0 || r.ExpandHops > maxHops {
		return retrieve.Question{},
			trilith.Errorf(trilith.Invalid, "rag_expand_hops: is %d, must be 0 to %d", r.ExpandHops, maxHops)
	}
	text := r.Query
	if text == "" {
		text = "-" // not searched; the other fields are still checked
	}
	return question(t, s, trilith.RecallRequest{Query: text, K: r.TopK, MinScore: r.MinScore,
		States: r.IncludeStates, AsOf: r.AsOf, KnownAt: r.KnownAt})
}

// dropOrphans removes memories that are not in the store from the indexes, and counts them.
func (rd *Reader) dropOrphans(ctx context.Context, s trilith.Scope, dropped []trilith.Drop) (int, error) {
	var ids []trilith.ID
	for _, d := range dropped {
		if d.Reason == trilith.DropMissing {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	ms, err := rd.truth.Store.Get(ctx, truth.TenantOf(s), ids)
	if err != nil {
		return 0, err
	}
	for _, m := range ms { // it exists, but not in this scope
		ids = slices.DeleteFunc(ids, func(id trilith.ID) bool { return id == m.ID })
	}
	if rd.truth.ReadOnly() != "" {
		return len(ids), nil
	}
	return len(ids), rd.truth.Unindex(ctx, truth.TenantOf(s), ids)
}

// lookupNote records the candidates of a lookup.
type lookupNote struct {
	all  map[trilith.ID]*trilith.Memory // the facts that exist
	hits []trilith.LookupHit
}

func (n *lookupNote) add(id trilith.ID, score float64, reason string) {
	h := trilith.LookupHit{Collection: "facts", ID: id, Score: score, Verified: reason == "", Reason: reason}
	if m := n.all[id]; m != nil { // nothing is known of a missing fact
		h.FactID, h.Verb, h.RelationshipKey = m.Fact.FactID, m.Fact.Verb, m.Fact.RelationshipKey
	}
	n.hits = append(n.hits, h)
}

func (n *lookupNote) of(q retrieve.Question, r trilith.LookupRequest, verified, orphans int,
	laps map[string]float64) *trilith.LookupNote {
	laps["vector_search"] = laps["search"]
	delete(laps, "search")
	note := &trilith.LookupNote{Query: r.Query, TopK: q.K, Hits: n.hits, VerifiedCount: verified, OrphanCount: orphans,
		TimingsMS: laps}
	if r.MinScore > 0 {
		note.MinScore = &r.MinScore
	}
	return note
}
