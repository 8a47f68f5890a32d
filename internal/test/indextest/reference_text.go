package indextest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// Text is the reference [role.TextIndex]: it stores texts, and analyses, counts and scores all of them for every
// search. Other drivers are compared with its answers.
type Text struct {
	mu      sync.RWMutex
	closed  bool
	tenants map[string]map[trilith.ID]role.TextPoint
	without lexical.Rules // rules that searches do not apply
}

// NewText returns an empty index.
func NewText() *Text {
	return &Text{tenants: map[string]map[trilith.ID]role.TextPoint{}}
}

// LeaveOut implements [lexical.Ruled].
func (x *Text) LeaveOut(without lexical.Rules) { x.without = without }

var _ lexical.Ruled = (*Text)(nil)

// Apply stores texts.
func (x *Text) Apply(ctx context.Context, ts []role.TextPoint) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.ready(ctx); err != nil {
		return err
	}
	for _, t := range ts {
		if err := t.Facets.Scope.Validate(); err != nil {
			return err
		}
		if _, err := analyzerFor(t.Languages); err != nil {
			return err
		}
	}
	for _, t := range ts {
		tenant := t.Facets.Scope.Tenant
		if old, ok := x.tenants[tenant][t.Facets.ID]; ok && old.Facets.Version > t.Facets.Version {
			continue
		}
		if x.tenants[tenant] == nil {
			x.tenants[tenant] = map[trilith.ID]role.TextPoint{}
		}
		own := ownPoint(role.Point{Facets: t.Facets, At: t.At})
		x.tenants[tenant][t.Facets.ID] = role.TextPoint{Facets: own.Facets, Text: t.Text, At: own.At,
			Languages: slices.Clone(t.Languages)}
	}
	return nil
}

// Search scores every text that the scope covers and the filter accepts.
func (x *Text) Search(ctx context.Context, s trilith.Scope, p role.TextProbe) (role.TextResult, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.ready(ctx); err != nil {
		return role.TextResult{}, err
	}
	if err := s.Validate(); err != nil {
		return role.TextResult{}, err
	}
	if p.K < 1 || p.K > role.MaxCandidates {
		return role.TextResult{}, trilith.Errorf(trilith.Invalid, "k: is %d, must be 1 to %d", p.K, role.MaxCandidates)
	}
	match, err := p.Filter.Compile()
	if err != nil {
		return role.TextResult{}, err
	}
	analyzer, err := analyzerFor(p.Languages)
	if err != nil {
		return role.TextResult{}, err
	}
	if p.Newest {
		return newest(x.tenants[s.Tenant], p.K,
			func(f *trilith.Facets) bool { return s.SeesFacets(f) && (match == nil || match(f)) }), nil
	}
	set := searchedAmong(x.tenants[s.Tenant],
		func(f *trilith.Facets) bool { return s.SeesFacets(f) && (match == nil || match(f)) })
	return set.score(analyzer, p, lexical.RulesOf(p, x.without)), nil
}

// newest returns the accepted texts that were recorded last.
func newest(texts map[trilith.ID]role.TextPoint, k int, in func(*trilith.Facets) bool) (out role.TextResult) {
	for id, t := range texts {
		if f := &t.Facets; in(f) {
			out.Candidates = append(
				out.Candidates, role.Candidate{ID: id, Version: f.Version,
					Score: float64(f.RecordedAt.UnixMicro()) / 1e6})
		}
	}
	slices.SortFunc(out.Candidates, func(a, b role.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	out.Candidates = out.Candidates[:min(k, len(out.Candidates))]
	return out
}

// analyzerFor returns the analyzer for the languages that a point or a probe names.
func analyzerFor(codes []string) (textproc.Analyzer, error) {
	a, err := textproc.NewAnalyzer(codes...)
	if err != nil {
		return a, trilith.Errorf(trilith.Invalid, "languages: %w", err)
	}
	return a, nil
}

func termsOf(t *role.TextPoint, exact bool) []string {
	if exact {
		return textproc.Identifiers(t.Text)
	}
	a, _ := analyzerFor(t.Languages) // Apply has checked them
	terms, _ := a.Terms(t.Text)
	return terms
}

// identifiersIn returns the identifiers in a text, each as a term with one form.
func identifiersIn(text string) [][]string {
	var out [][]string
	for _, id := range textproc.Identifiers(text) {
		out = append(out, []string{id})
	}
	return out
}

func count(terms []string, term string) float64 {
	n := 0
	for _, t := range terms {
		if t == term {
			n++
		}
	}
	return float64(n)
}

// Stamps returns the stamps of the content.
func (x *Text) Stamps(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]role.Stamp, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	held := x.tenants[s.Tenant]
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(held))
	}
	var out []role.Stamp
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if t, ok := held[id]; ok {
			out = append(out, role.Stamp{ID: id, Version: t.Facets.Version, At: t.At})
		}
	}
	return out, nil
}

// Delete removes ids of the tenant.
func (x *Text) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	for _, id := range ids {
		delete(x.tenants[s.Tenant], id)
	}
	return nil
}

// Reset removes everything.
func (x *Text) Reset(ctx context.Context, sys trilith.System) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return err
	}
	clear(x.tenants)
	return nil
}

// Close makes every other method answer Unavailable.
func (x *Text) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	x.tenants = nil
	return nil
}

func (x *Text) ready(ctx context.Context) error {
	if x.closed {
		return trilith.Errorf(trilith.Unavailable, "the text index is closed")
	}
	return ctx.Err()
}
