package index

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
)

// chosenLanguages is the body of a [role.RecordLanguages].
type chosenLanguages struct {
	Codes []string `json:"codes"`
}

var languagesID = trilith.DeriveID("languages")

// LanguagesRecord returns the record of a tenant's languages, as codes with the main one first; none means the
// languages of the text index. It is Invalid for unknown or repeated codes.
func LanguagesRecord(codes []string) (role.Record, error) {
	if _, err := textproc.NewAnalyzer(codes...); err != nil {
		return role.Record{}, trilith.Errorf(trilith.Invalid, "languages: %w", err)
	}
	own := make([]string, len(codes))
	for i, code := range codes {
		own[i] = strings.ToLower(strings.TrimSpace(code))
		if slices.Contains(own[:i], own[i]) {
			return role.Record{}, trilith.Errorf(trilith.Invalid, "languages: %s is given twice", own[i])
		}
	}
	body, err := json.Marshal(chosenLanguages{own})
	return role.Record{Kind: role.RecordLanguages, ID: languagesID, Body: body}, err
}

// Values that are not language codes.
const (
	mixed = "mixed" // not all texts are in the same languages
	none  = "none"  // no texts are being applied again
)

// languageState records the languages in which an index holds a tenant's texts. Languages are codes joined by commas.
type languageState struct {
	held   bool       // the index has texts; otherwise in is meaningless
	in     string     // languages of the texts, or mixed
	toward string     // languages in which the texts are being applied again, or none …
	after  trilith.ID // … and the last id done, in case that is interrupted
}

// apply records that texts are added to the index in these languages.
func (t *languageState) apply(languages string) {
	switch {
	case !t.held:
		t.held, t.in = true, languages
	case t.in != languages:
		t.in = mixed
	}
	if t.toward != languages {
		t.toward, t.after = none, "" // texts that were applied again may have been replaced
	}
}

// advance records that the memories after the id from next were applied; no memories means that there are no more.
func (t *languageState) advance(languages string, ms []trilith.Memory) {
	switch {
	case t.toward != languages: // other languages were used in between: start again
	case len(ms) > 0:
		t.after = ms[len(ms)-1].ID
	default:
		t.in, t.toward, t.after = languages, none, ""
	}
}

// languageStates holds the states of the tenants in this process's index.
type languageStates struct {
	mu sync.Mutex
	of map[string]*tenantLanguages
}

// forget records that the index is empty.
func (l *languageStates) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.of {
		t.held, t.toward = false, none
	}
}

// kept returns the languages of the tenants with texts, for the mark of a snapshot.
func (l *languageStates) kept() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]string, len(l.of))
	for name, t := range l.of {
		if t.held {
			out[name] = t.in
		}
	}
	return out
}

// applying returns the languages for a tenant's texts that are about to be applied, and records that they are.
func (x *textIndexer) applying(ctx context.Context, tenant string) ([]string, error) {
	if x.text.shared() {
		return x.applyingShared(ctx, tenant)
	}
	chosen, err := x.Languages(ctx, tenant)
	if err == nil {
		x.languageStates.with(x.languageStates.tenant(tenant),
			func(t *languageState) { t.apply(strings.Join(chosen, ",")) })
	}
	return chosen, err
}

// Texts runs the searches of the text index for one question in the tenant's languages, which are read once for all of
// them. Its methods are safe for concurrent use.
type Texts struct {
	x     *textIndexer
	other *textIndexer // of the shared index, if x is of a copy in this process
	scope trilith.Scope

	mu   sync.Mutex
	read bool
	as   applied // for a private index only the chosen languages
}

// Texts prepares the searches for a question.
func (x *textIndexer) Texts(s trilith.Scope) *Texts { return &Texts{x: x, scope: s} }

// Search searches. If the languages have changed since the texts of the tenant were applied, all of them are applied
// again before; other searches of the tenant wait for that, and those of other tenants do not.
func (q *Texts) Search(ctx context.Context, p role.TextProbe) (role.TextResult, error) {
	search := q.x.searchShared
	if !q.x.shares() {
		search = q.x.searchOwn
	}
	for {
		as, err := q.languages(ctx)
		if err != nil {
			return role.TextResult{}, err
		}
		if res, searched, err := search(ctx, q.scope, p, as); searched || err != nil {
			return res, err
		}
		if q.x.original != nil {
			return q.x.original.Texts(q.scope).Search(ctx, p)
		}
		if err := q.x.Reread(ctx, q.scope); err != nil {
			return role.TextResult{}, err
		}
		q.mu.Lock()
		q.read = false
		q.mu.Unlock()
	}
}

// searchOwn searches if all texts are in these languages, and prevents a change until it is done.
func (x *textIndexer) searchOwn(ctx context.Context, s trilith.Scope, p role.TextProbe, as applied) (
	res role.TextResult, searched bool, err error) {
	t := x.languageStates.tenant(s.Tenant)
	t.searching.RLock()
	defer t.searching.RUnlock()
	agrees := false
	x.languageStates.with(t, func(t *languageState) { agrees = t.agrees(as.languages()) })
	if !agrees {
		return res, false, nil
	}
	p.Languages = slices.Clone(as.chosen)
	res, err = x.cfg.Text.Search(ctx, s, p)
	return res, true, err
}

// Reread applies the texts of the scope's tenant again if they are not in its chosen languages. If ctx ends before that
// is done, the next call continues.
func (x *textIndexer) Reread(ctx context.Context, s trilith.Scope) error {
	if x.text.shared() {
		return x.rereadShared(ctx, s.Tenant)
	}
	tenant := trilith.Scope{Tenant: s.Tenant}
	t := x.languageStates.tenant(s.Tenant)
	t.searching.Lock()
	defer t.searching.Unlock()
	for {
		chosen, err := x.Languages(ctx, s.Tenant)
		if err != nil {
			return err
		}
		languages := strings.Join(chosen, ",")
		var after trilith.ID
		var agreed bool
		x.languageStates.with(t, func(t *languageState) { after, agreed = t.next(languages) })
		if agreed {
			return nil
		}
		var ms []trilith.Memory
		if err := x.alone(ctx, &x.text, func(ctx context.Context) (err error) {
			if ms, err = x.page(ctx, tenant, after); err != nil {
				return err
			}
			return x.indexTexts(ctx, ms)
		}); err != nil {
			return err
		}
		x.text.add(len(ms))
		x.languageStates.with(t, func(t *languageState) { t.advance(languages, ms) })
	}
}

// tenantLanguages is the state of one tenant, guarded by languageStates.mu.
type tenantLanguages struct {
	languageState
	searching sync.RWMutex // held for reading by searches, for writing while texts are applied again
}

func (l *languageStates) tenant(name string) *tenantLanguages {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]*tenantLanguages{}
	}
	if l.of[name] == nil {
		l.of[name] = &tenantLanguages{languageState: languageState{toward: none}}
	}
	return l.of[name]
}

// with calls f on the state of a tenant.
func (l *languageStates) with(t *tenantLanguages, f func(*languageState)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&t.languageState)
}

// next returns the id after which texts have to be applied again, and whether all agree already.
func (t *languageState) next(languages string) (after trilith.ID, agreed bool) {
	if t.agrees(languages) {
		return "", true
	}
	t.in = mixed
	if t.toward != languages {
		t.toward, t.after = languages, ""
	}
	return t.after, false
}

// agrees reports whether all texts are in these languages.
func (t *languageState) agrees(languages string) bool { return !t.held || t.in == languages }

// languages returns the languages that the first search has read.
func (q *Texts) languages(ctx context.Context) (applied, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.read {
		return q.as, nil
	}
	var err error
	if q.x.shares() {
		q.as, err = q.x.applied(ctx, q.scope.Tenant)
	} else {
		q.as.chosen, err = q.x.Languages(ctx, q.scope.Tenant)
	}
	q.read = err == nil
	return q.as, err
}

// shares reports whether processes share the text index; only such a one is ever copied.
func (x *textIndexer) shares() bool { return x.original != nil || x.text.shared() }

// Languages returns the languages that the tenant has chosen; none if it has not.
func (x *textIndexer) Languages(ctx context.Context, tenant string) ([]string, error) {
	rs, err := x.cfg.Store.Records(ctx, trilith.Scope{Tenant: tenant},
		role.RecordListing{Kind: role.RecordLanguages, IDs: []trilith.ID{languagesID}})
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	var chosen chosenLanguages
	err = json.Unmarshal(rs[0].Body, &chosen)
	return chosen.Codes, err
}
