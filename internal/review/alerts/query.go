package alerts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
)

// query is a saved search that is ready to be run on a memory.
type query struct {
	trilith.SavedSearch
	sight   trilith.Scope
	fits    trilith.Matcher
	states  bool       // the filter names states
	terms   [][]string // forms of its words: a text has to have one form of each word
	phrases []string
	limit   *big.Rat // of alerts of kind amount
}

// newQuery prepares a search for texts in the languages of an analyzer.
func newQuery(q trilith.SavedSearch, tenant string, words textproc.Analyzer) (*query, error) {
	filter := q.Filter
	if !filter.Names("role") { // no person says what programs insert
		filter = trilith.AllOf(filter, trilith.Where("role", trilith.OpNe, trilith.RoleSystem))
	}
	fits, err := filter.Compile()
	if err != nil {
		return nil, err
	}
	out := &query{SavedSearch: q, sight: q.Sight(tenant), fits: fits, states: q.Filter.Names("state"),
		phrases: textproc.Phrases(q.Query)}
	if q.Query != "" {
		out.terms = words.QueryTerms(q.Query, textproc.All)
		slices.SortFunc(out.terms, func(x, y []string) int { return len(y[0]) - len(x[0]) }) // the rarest first
	}
	out.limit, _ = decimal(q.Amount)
	return out, nil
}

// subject is a memory to be searched, with the compared values. Words are found when the first search needs them.
type subject struct {
	*trilith.Memory
	facets trilith.Facets
	state  trilith.State // now
	words  textproc.Analyzer
	terms  map[string]bool // nil: not known yet
	value  string
}

func newSubject(m *trilith.Memory, now time.Time, words textproc.Analyzer, salt []byte) *subject {
	return &subject{Memory: m, facets: role.FacetsOf(m), state: m.StateAt(now), words: words, value: valueOf(m, salt)}
}

// valueOf returns a hash of a memory's value under a secret of the tenant, to compare values without storing them.
func valueOf(m *trilith.Memory, salt []byte) string {
	v := []any{m.Text, m.Entry, stamp(m.ValidUntil)}
	if f := m.Fact; f != nil {
		v = append(v, f.FactID, f.Polarity, f.Financial, stamp(f.ActionDeadline))
	}
	text, err := json.Marshal(v)
	if err != nil { // a stored value can be encoded as JSON
		return ""
	}
	h := hmac.New(sha256.New, salt)
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// matches reports whether a memory matches in its present state.
func (q *query) matches(x *subject) bool { return q.about(x) && q.accepts(x, x.state) }

// about reports whether a memory is of the right kind and contains the words of a search.
func (q *query) about(x *subject) bool {
	if (x.Fact != nil) != (q.Of == trilith.SearchFacts) || x.Kind == trilith.KindWindow {
		return false // a window repeats turns, which raise alerts of their own
	}
	for _, forms := range q.terms {
		if !x.has(forms) {
			return false
		}
	}
	for _, p := range q.phrases {
		if !textproc.HasPhrase(index.WordsOf(x.Memory), p) {
			return false
		}
	}
	return q.sight.SeesFacets(&x.facets)
}

// has reports whether the memory contains a word in one of its forms.
func (x *subject) has(forms []string) bool {
	if x.terms == nil {
		terms, _ := x.words.Terms(index.WordsOf(x.Memory))
		x.terms = make(map[string]bool, len(terms))
		for _, t := range terms {
			x.terms[t] = true
		}
	}
	return slices.ContainsFunc(forms, func(form string) bool { return x.terms[form] })
}

// accepts reports whether the filter of a search accepts a memory that it is about, in a state.
func (q *query) accepts(x *subject, state trilith.State) bool {
	if !q.states && state != trilith.StateActive {
		return false
	}
	facets := x.facets
	facets.State = state
	return q.fits(&facets)
}

// over reports whether the amount of a fact is over the limit of the search.
func (q *query) over(x *subject) bool {
	if q.limit == nil || x.Fact == nil || x.Fact.Financial == nil || x.Fact.Polarity == trilith.Negated ||
		q.Currency != "" && q.Currency != x.Fact.Financial.Currency {
		return false
	}
	amount, ok := decimal(x.Fact.Financial.Amount)
	return ok && amount.Cmp(q.limit) > 0
}

var plainNumber = regexp.MustCompile(`^-?[0-9]{1,30}(\.[0-9]{1,9})?$`)

// decimal reads a decimal number.
func decimal(s string) (*big.Rat, bool) {
	if !plainNumber.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// contested reports whether a fact contradicts another one, or is disputed.
func (x *subject) contested() bool {
	return x.Fact != nil && (x.state == trilith.StateActive || x.state == trilith.StateCandidate) &&
		(x.Fact.Verification.Status == trilith.Disputed || x.Fact.Verification.Status == trilith.NeedsReview)
}
