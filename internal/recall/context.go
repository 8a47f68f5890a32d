package recall

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

// formatKinds maps each format that shows one kind of memory to that kind. Such a format searches no other kind.
var formatKinds = map[trilith.ContextFormat]trilith.Kind{trilith.FormatFacts: trilith.KindFact,
	trilith.FormatKnowledge: trilith.KindEntry}

// Context recalls and packs the hits into a block of text for a prompt.
func (rd *Reader) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	if r.Budget < 0 || r.Budget > trilith.MaxBudget {
		return trilith.ContextBlock{},
			trilith.Errorf(trilith.Invalid, "budget: is %d, must be 1 to %d tokens", r.Budget, trilith.MaxBudget)
	}
	if r.Budget == 0 {
		r.Budget = trilith.DefaultBudget
	}
	if r.Format == "" {
		r.Format = trilith.FormatBriefing
	}
	if !slices.Contains(trilith.ContextFormats(), r.Format) {
		return trilith.ContextBlock{}, trilith.Errorf(trilith.Invalid, "format: %.32q is not known; use %s", string(r.Format),
			strings.Join(truth.Texts(trilith.ContextFormats()), ", "))
	}
	var lines string
	var unheaded error
	var heading sync.WaitGroup // the store is asked who a person is while the indexes are searched
	asked := r
	heading.Go(func() { lines, unheaded = head(ctx, rd, s, &asked) })
	defer heading.Wait()
	if kind, ok := formatKinds[r.Format]; ok {
		r.Filter = trilith.AllOf(trilith.Where("kind", trilith.OpEq, kind), r.Filter)
	}
	if r.ExcludeSession != "" {
		r.Filter = trilith.AllOf(r.Filter, trilith.Where("session", trilith.OpNe, r.ExcludeSession))
	}
	r.Order = ""
	least, best := widen(&r)
	recall := func(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
		return rd.recall(ctx, s, r, least, best)
	}
	if r.Format == trilith.FormatKnowledge {
		recall = rd.knowledge
	}
	// Formats for one kind, and the window, have no section for weak hits.
	r.StrongOnly = r.StrongOnly || formatKinds[r.Format] != "" || r.Format == trilith.FormatWindow
	res, err := recall(ctx, s, r.RecallRequest)
	if err != nil {
		return trilith.ContextBlock{}, err
	}
	if r.Format == trilith.FormatWindow {
		if err := addSummary(ctx, rd, s, r.RecallRequest, &res); err != nil {
			return trilith.ContextBlock{}, err
		}
	}
	res.Hits = Telling(res.Hits, r.IncludeQuestions)
	current, err := rd.CurrentHits(ctx, s, res.Hits, r.RecallRequest)
	if err != nil {
		return trilith.ContextBlock{}, err
	}
	beside, err := rd.companions(ctx, s, current.Hits)
	if err != nil {
		return trilith.ContextBlock{}, err
	}
	if heading.Wait(); unheaded != nil {
		return trilith.ContextBlock{}, unheaded
	}
	o := assemble.Options{Format: r.Format, Budget: r.Budget, Query: r.Query, Head: lines, IDs: r.IDs, Parts: r.Parts,
		Tokens: rd.tokens, Cut: current.Cut, Corrected: current.Corrected,
		Later: beside, Abstained: len(res.Hits) == 0 && r.Format == trilith.FormatBriefing}
	if r.Format == trilith.FormatFacts {
		if o.Todo, err = rd.Todo(ctx, s); err != nil {
			return trilith.ContextBlock{}, err
		}
	}
	if r.Format == trilith.FormatKnowledge {
		if o.Total, err = rd.CountEntries(ctx, s); err != nil {
			return trilith.ContextBlock{}, err
		}
	}
	block, err := assemble.Build(current.Hits, o)
	block.Coverage, block.Abstained, block.Scale = res.Coverage, res.Abstained, res.Scale
	return block, err
}

// Telling returns the hits and neighbours that tell something: without those that only ask, unless none tells or
// questions are wanted, and without those of one word or none, unless they answer a question. A hit stays for its facts.
func Telling(hits []trilith.Hit, questions bool) []trilith.Hit {
	var worded, out []trilith.Hit
	for _, h := range hits {
		near := append([]trilith.Memory{h.Memory}, h.Neighbors...)
		without := func(drop func(m *trilith.Memory) bool) {
			h.Neighbors = slices.DeleteFunc(slices.Clone(h.Neighbors), func(m trilith.Memory) bool { return drop(&m) })
		}
		without(func(m *trilith.Memory) bool { return !says(m, near) })
		if !says(&h.Memory, near) && len(h.Facts) == 0 {
			continue
		}
		worded = append(worded, h)
		if !questions && !retrieve.OnlyAsks(&h.Memory) {
			without(retrieve.OnlyAsks)
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return worded
	}
	return out
}

// answersWithin turns of a question is its answer.
const answersWithin = 2

// says reports whether a memory has more than a word, or answers with it the question of another speaker near it.
func says(m *trilith.Memory, near []trilith.Memory) bool {
	words := retrieve.WordCount(m)
	return words > 1 || words == 1 && m.Kind == trilith.KindEpisode &&
		slices.ContainsFunc(near, func(b trilith.Memory) bool {
			asks := strings.LastIndexAny(b.Text, "?？؟")
			return (b.Role != m.Role || b.Speaker != m.Speaker) && b.Scope == m.Scope && b.Seq < m.Seq &&
				b.Seq >= m.Seq-answersWithin && asks >= 0 && !strings.ContainsFunc(b.Text[asks:], unicode.IsLetter)
		})
}

// addSummary adds the summary that a window shows to hits: the newest one of the session that the scope names, or of
// the sessions that the question finds. It adds none if hits contain a summary already, as a filter may request.
func addSummary(ctx context.Context, rd *Reader, s trilith.Scope, r trilith.RecallRequest,
	res *trilith.RecallResult) error {
	if slices.ContainsFunc(res.Hits, func(h trilith.Hit) bool { return h.Memory.Kind == trilith.KindSummary }) {
		return nil
	}
	if s.Session != "" {
		key := truth.SummaryKey(s, trilith.SummaryOfSession, s.Session)
		owners, err := rd.truth.Store.Find(ctx, truth.TenantOf(s), []role.Key{key})
		if err != nil {
			return err
		}
		if id, ok := owners[key]; ok {
			ms, err := rd.truth.Store.Get(ctx, s, []trilith.ID{id})
			if err != nil {
				return err
			}
			for _, m := range ms {
				res.Hits = append(res.Hits, trilith.Hit{Memory: m})
			}
			return nil
		}
	}
	r.Filter = trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindSummary), r.Filter)
	if r.Filter.Validate() != nil { // a filter of the greatest depth cannot be nested any deeper
		return nil
	}
	r.K, r.Neighbors, r.StrongOnly = trilith.DefaultK, 0, true
	found, err := rd.Recall(ctx, s, r)
	if err == nil {
		res.Hits = append(res.Hits, found.Hits...)
	}
	return err
}

// shownActions is the number of actionable facts that a block of facts shows.
const shownActions = 10

// Todo returns the ten most urgent actionable facts of a scope, in whatever session the question is asked.
func (rd *Reader) Todo(ctx context.Context, s trilith.Scope) ([]assemble.Action, error) {
	s.Session = ""
	return todoOf(ctx, rd, s, nil, 0)
}

// widen sets how many hits a request for a block searches for, unless the request says so: as many as may fit. It
// returns the smallest number of hits, weak ones included, and how many of the best hits get their neighbours: in a
// large block the turns around a good hit are worth more than the last hits. A briefing lists weak hits last under a
// heading of their own, so they take the room that is left. The formats that list one kind keep the default number of a
// search. A request with a filter gets no neighbours, because the filter has to accept everything that is shown.
func widen(r *trilith.ContextRequest) (least, best int) {
	const (
		fewest   = 8   // tokens of a memory: shorter ones are rare
		perBest  = 120 // tokens of the budget for each hit with neighbours
		mostBest = 20
	)
	if r.K != 0 || r.Format != trilith.FormatBriefing && r.Format != trilith.FormatJSON {
		return trilith.DefaultK, 0
	}
	r.K = min(max(r.Budget/fewest, trilith.DefaultK), trilith.MaxK)
	if r.Format != trilith.FormatBriefing {
		return trilith.DefaultK, 0
	}
	if r.Filter.IsZero() && len(r.States) == 0 {
		best = min(r.Budget/perBest, mostBest)
	}
	return r.K, best
}
