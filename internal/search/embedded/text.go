package embedded

import (
	"context"
	"slices"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// Text is the [role.TextIndex] in the memory of the process.
//
// Words and identifiers of a memory go into two indexes over the same slots. In the second, neither repetition nor
// length matters, so its scores are sums of inverse document frequencies.
type Text struct {
	blobs    role.Blobs // nil: nothing is stored
	analyzer textproc.Analyzer
	spare    func() (spare, above int64) // bytes of memory that may still be used
	without  lexical.Rules               // rules that searches do not apply
	mu       sync.RWMutex
	closed   bool
	tenants  map[string]*textPart
}

// textPart holds the texts of one tenant. The lock keeps the table and the indexes consistent; a search holds it from
// beginning to end, and a write for one memory at a time.
type textPart struct {
	mu          sync.RWMutex
	slots       *slots
	turns       *turns
	words       *bm25.Index
	identifiers *bm25.Index
	languages   textproc.Set // of all texts so far; they decide which forms of their names speakers are known by
}

// NewText returns an empty index that can save snapshots in b; with nil its content is lost when the process ends.
// Closing the index does not close b.
func NewText(b role.Blobs) *Text { return NewTextIn(b, textproc.Analyzer{}) }

// NewTextIn is [NewText] for texts in the languages of a. A snapshot for other languages is not used.
func NewTextIn(b role.Blobs, a textproc.Analyzer) *Text {
	return &Text{blobs: b, analyzer: a, spare: spareMemory, tenants: map[string]*textPart{}}
}

// LeaveOut implements [lexical.Ruled].
func (x *Text) LeaveOut(without lexical.Rules) { x.without = without }

// Apply stores texts. A call whose context ends may have stored some of them; repeating it is harmless.
func (x *Text) Apply(ctx context.Context, ts []role.TextPoint) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	analyzers := make([]textproc.Analyzer, len(ts))
	for i := range ts {
		if err := ts[i].Facets.Scope.Validate(); err != nil {
			return trilith.WrapError(trilith.Invalid, "embedded.Text.Apply", err)
		}
		var err error
		if analyzers[i], err = x.analyzerFor(ts[i].Languages); err != nil {
			return err
		}
	}
	for i, last := range newest(ts) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !last {
			continue
		}
		t := &ts[i]
		words, language := analyzers[i].Terms(t.Text)
		identifiers, marks := textproc.Identifiers(t.Text), lexical.MarksIn(analyzers[i], &t.Facets, t.Text)
		part, err := x.part(t.Facets.Scope.Tenant)
		if err != nil {
			return err
		}
		part.mu.Lock()
		if slot, held := part.slots.slot(t.Facets.ID); held && part.slots.version(slot) <= t.Facets.Version {
			part.turns.remove(slot)
		}
		if slot, ok := part.slots.put(&t.Facets, trilith.Time(t.At)); ok {
			part.turns.put(slot, &t.Facets, marks)
			part.languages = part.languages.With(language)
			part.words.Put(slot, words)
			part.identifiers.Put(slot, identifiers)
		}
		part.mu.Unlock()
	}
	return nil
}

var (
	_ lexical.Ruled        = (*Text)(nil)
	_ role.TextSnapshotter = (*Text)(nil)
)

// Search scores the memories that the scope covers and the filter accepts.
func (x *Text) Search(ctx context.Context, s trilith.Scope, p role.TextProbe) (role.TextResult, error) {
	if err := x.ready(ctx); err != nil {
		return role.TextResult{}, err
	}
	sel, err := compile(s, p.Filter)
	if err != nil {
		return role.TextResult{}, trilith.WrapError(trilith.Invalid, "embedded.Text.Search", err)
	}
	if p.K < 1 || p.K > role.MaxCandidates {
		return role.TextResult{}, trilith.Errorf(trilith.Invalid, "k: is %d, must be 1 to %d", p.K, role.MaxCandidates)
	}
	analyzer, err := x.analyzerFor(p.Languages)
	if err != nil {
		return role.TextResult{}, err
	}
	var identifiers [][]string
	if p.Exact && !p.Newest {
		if identifiers = identifiersIn(p.Text); len(identifiers) == 0 {
			return role.TextResult{}, nil
		}
	}
	var out role.TextResult
	x.read(s.Tenant, func(part *textPart) {
		allow := part.slots.allow(sel)
		defer freeSet(allow)
		if p.Newest {
			out.Candidates = part.slots.newest(allow, p.K)
			return
		}
		index, query := part.words, lexical.Question{}
		if p.Exact {
			index, query.Query = part.identifiers, bm25.Words(identifiers)
		} else {
			query = part.ask(analyzer, p, lexical.RulesOf(p, x.without), allow)
		}
		if len(query.Query.Terms) == 0 {
			return
		}
		for _, t := range query.Query.Terms {
			out.Terms = append(out.Terms, t.Forms[0])
		}
		found := index.Search(query.Query, allow, p.K,
			func(a, b uint32) bool { return part.slots.compareIDs(a, b) < 0 })
		out.Attainable, out.Weight = query.Attainable(found.Attainable), found.Weight
		out.Rules, out.Subject = query.Fired().Names(), query.Subject
		out.Candidates = make([]role.Candidate, len(found.Hits))
		for i, h := range found.Hits {
			out.Candidates[i] = part.slots.candidate(h.Slot, h.Score)
		}
	})
	return out, nil
}

// analyzerFor returns the analyzer for the languages that a point or a probe names.
func (x *Text) analyzerFor(codes []string) (textproc.Analyzer, error) {
	if len(codes) == 0 {
		return x.analyzer, nil
	}
	a, err := textproc.NewAnalyzer(codes...)
	if err != nil {
		return a, trilith.Errorf(trilith.Invalid, "languages: %w", err)
	}
	return a, nil
}

// identifiersIn returns the identifiers in a text, each as a term with one form.
func identifiersIn(text string) [][]string {
	var out [][]string
	for _, id := range textproc.Identifiers(text) {
		out = append(out, []string{id})
	}
	return out
}

// newest reports for each text whether it is the last for its memory. The others leave no trace, not even their
// language: a tenant's languages decide which speakers a name in the question means.
func newest(ts []role.TextPoint) []bool {
	type key struct {
		tenant string
		id     trilith.ID
	}
	out, at := make([]bool, len(ts)), make(map[key]int, len(ts))
	for i := range ts {
		k := key{ts[i].Facets.Scope.Tenant, ts[i].Facets.ID}
		if before, ok := at[k]; ok {
			if ts[before].Facets.Version > ts[i].Facets.Version {
				continue
			}
			out[before] = false
		}
		at[k], out[i] = i, true
	}
	return out
}

// ask reads the question of a probe.
func (part *textPart) ask(a textproc.Analyzer, p role.TextProbe, rules lexical.Rules,
	allow []uint64) lexical.Question {
	q := lexical.Ask(lexical.Probe{Text: p.Text, Analyzer: a, Held: part.languages, Rules: rules, Now: p.Now,
		Speakers: func(form string) []uint32 { return part.turns.speakers(a, form, allow) },
		Holds: func(forms []string) []string {
			return slices.DeleteFunc(
				slices.Clone(forms), func(form string) bool { return !part.words.Holds(form, allow) })
		}})
	if q.Boosts() {
		q.Query.Neighbours = &part.turns.neighbours
	}
	if !q.Plain() {
		q.Query.Bound = q.Attainable
		q.Query.Finish = part.turns.finish(&q)
	}
	return q
}

// Stamps returns the stamps of the content.
func (x *Text) Stamps(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]role.Stamp, error) {
	if err := x.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, "embedded.Text.Stamps", err)
	}
	var out []role.Stamp
	x.read(s.Tenant, func(part *textPart) { out = part.slots.stamps(ids) })
	return out, nil
}

// Delete removes ids of the tenant.
func (x *Text) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return trilith.WrapError(trilith.Invalid, "embedded.Text.Delete", err)
	}
	part, err := x.part(s.Tenant)
	if err != nil {
		return err
	}
	part.mu.Lock()
	defer part.mu.Unlock()
	for _, id := range ids {
		if slot, held := part.slots.slot(id); held {
			part.turns.remove(slot)
		}
		if slot, ok := part.slots.remove(id); ok {
			part.words.Delete(slot)
			part.identifiers.Delete(slot)
		}
	}
	return nil
}

var errTextClosed = trilith.Errorf(trilith.Unavailable, "the text index is closed")

// part returns the partition of a tenant for writing.
func (x *Text) part(tenant string) (*textPart, error) {
	x.mu.RLock()
	part := x.tenants[tenant]
	x.mu.RUnlock()
	if part != nil {
		return part, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, errTextClosed
	}
	if x.tenants[tenant] == nil {
		x.tenants[tenant] = newTextPart(tenant)
	}
	return x.tenants[tenant], nil
}

// Reset removes everything.
func (x *Text) Reset(ctx context.Context, sys trilith.System) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, "embedded.Text.Reset", err)
	}
	err := x.DiscardSnapshot(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	clear(x.tenants) // even if the blobs are read-only
	return err
}

// Close frees the memory.
func (x *Text) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	clear(x.tenants)
	return nil
}

func (x *Text) ready(ctx context.Context) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return errTextClosed
	}
	return ctx.Err()
}

// read calls f with the partition of a tenant, an empty one if it has none, and prevents changes meanwhile.
func (x *Text) read(tenant string, f func(*textPart)) {
	x.mu.RLock()
	part := x.tenants[tenant]
	x.mu.RUnlock()
	if part == nil {
		part = newTextPart(tenant)
	}
	part.mu.RLock()
	defer part.mu.RUnlock()
	f(part)
}

func newTextPart(tenant string) *textPart {
	s := newSlots(tenant)
	return &textPart{slots: s, turns: newTurns(s), words: bm25.New(bm25.K1, bm25.B), identifiers: bm25.New(0, 0)}
}
