package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// textQuery is a prepared search.
type textQuery struct {
	scope  trilith.Scope
	filter trilith.Filter
	match  trilith.Matcher
	k      int
	exact  bool
	probe  lexical.Probe    // for a search that is not exact
	ready  lexical.Question // analysed without knowing the speakers: all words that may be terms
}

// Search scores the memories in the scope that the filter accepts. It fetches the lists of the query's terms. For the
// whole tenant it also fetches those of lengths and groups, and those that the rules of the question use: a few bytes
// for each text.
func (x *Text) Search(ctx context.Context, s trilith.Scope, p role.TextProbe) (role.TextResult, error) {
	const op = "postgres.Text.Search"
	if err := x.ready(ctx, op, s); err != nil {
		return role.TextResult{}, err
	}
	match, err := p.Filter.Compile()
	if err != nil {
		return role.TextResult{}, trilith.WrapError(trilith.Invalid, op, err)
	}
	if p.K < 1 || p.K > role.MaxCandidates {
		return role.TextResult{}, trilith.Errorf(trilith.Invalid, "k: is %d, must be 1 to %d", p.K, role.MaxCandidates)
	}
	a, err := x.analyzerFor(p.Languages)
	if err != nil {
		return role.TextResult{}, err
	}
	q := textQuery{scope: s, filter: p.Filter, match: match, k: p.K, exact: p.Exact}
	if p.Newest {
		var out role.TextResult
		err := x.db.read(ctx, op, s.Tenant, func(b *pgx.Batch) {
			out = role.TextResult{}
			q.queueNewest(b, &out)
		})
		return out, err
	}
	if p.Exact {
		q.ready.Query = bm25.Words(identifiersIn(p.Text))
	} else {
		q.probe = lexical.Probe{Text: p.Text, Analyzer: a, Held: textproc.All,
			Rules: lexical.RulesOf(p, x.without), Now: p.Now}
		q.ready = lexical.Ask(q.probe)
	}
	if len(q.ready.Query.Terms) == 0 {
		return role.TextResult{}, nil
	}
	var out role.TextResult
	err = x.db.snapshot(ctx, op, s.Tenant, func(tx pgx.Tx) (err error) {
		out, err = q.search(ctx, tx)
		return err
	})
	if err != nil {
		return role.TextResult{}, err
	}
	return out, nil
}

// queueNewest queues the query for the texts that were recorded last.
func (q *textQuery) queueNewest(b *pgx.Batch, out *role.TextResult) {
	w, exact := q.rows()
	query := " FROM trilith.texts AS t WHERE " + w.clause() + " ORDER BY t.recorded_at DESC, t.id"
	if exact {
		query += fmt.Sprintf(" LIMIT %d", q.k)
	}
	b.Queue("SELECT "+columnsOf("t")+query, w.args...).Query(each(func(rows pgx.Rows) error {
		var r facetRow
		if err := rows.Scan(r.targets()...); err != nil || len(out.Candidates) == q.k {
			return err
		}
		f, _, err := r.facets()
		if err == nil && (q.match == nil || q.match(&f)) {
			out.Candidates = append(
				out.Candidates, role.Candidate{ID: f.ID, Version: f.Version,
					Score: float64(f.RecordedAt.UnixMicro()) / 1e6})
		}
		return err
	}))
}

// identifiersIn returns the keys of the identifiers in a text, each a term of one form.
func identifiersIn(text string) [][]string {
	var out [][]string
	for _, id := range textproc.Identifiers(text) {
		out = append(out, []string{identifierList(id)})
	}
	return out
}

// numbers is a set of small numbers.
type numbers []uint64

func (s *numbers) add(n int32) {
	if need := int(n/64) + 1 - len(*s); need > 0 {
		*s = append(*s, make([]uint64, need)...)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s numbers) has(n uint32) bool { return int(n/64) < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// selection is the set of texts that the scope and the filter accept.
type selection struct {
	all     bool
	byGroup bool    // numbers are of groups, otherwise of texts
	numbers numbers // accepted ones
}

// textList is a row of trilith.text_postings.
type textList struct {
	term  string
	block int32
	data  string
}

func (q *textQuery) search(ctx context.Context, tx pgx.Tx) (role.TextResult, error) {
	var b pgx.Batch
	var sel selection
	var held textproc.Set // languages
	var lists []textList
	q.queueSelection(&b, &sel)
	if !q.exact {
		b.Queue("SELECT languages FROM trilith.text_tenants WHERE tenant = $1", q.scope.Tenant).Query(
			each(func(rows pgx.Rows) error { return rows.Scan(&held) }))
	}
	keys := q.wanted(&sel)
	queueLists(&b, q.scope.Tenant, keys, &lists)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return role.TextResult{}, err
	}

	g, question := gather(keys, lists), q.ready
	allow, named := g.allow(&sel), g.noSlots()
	if !q.exact {
		var err error
		question, err = q.ask(g, allow, named, held, func(keys []string) error {
			var b pgx.Batch
			var lists []textList
			queueLists(&b, q.scope.Tenant, keys, &lists)
			err := tx.SendBatch(ctx, &b).Close()
			g.add(keys, lists)
			return err
		})
		if err != nil {
			return role.TextResult{}, err
		}
	}
	out, found := q.score(g, allow, named, question)
	if len(found) == 0 {
		return out, nil
	}
	docs, scores := make([]int32, len(found)), make([]float64, len(found))
	for i, h := range found {
		docs[i], scores[i] = g.docOf(h.Slot), h.Score
	}
	// One index lookup for each, whatever statistics PostgreSQL has: LIMIT 1 prevents other kinds of join.
	rows, err := tx.Query(ctx,
		`SELECT t.id, t.version, f.score FROM unnest($2::integer[], $3::float8[]) AS f (doc, score)
		CROSS JOIN LATERAL (SELECT id, version FROM trilith.texts WHERE tenant = $1 AND doc = f.doc LIMIT 1) AS t
		ORDER BY f.score DESC, t.id LIMIT $4`, q.scope.Tenant, docs, scores, q.k)
	if err != nil {
		return out, err
	}
	return out, collect(rows, func(rows pgx.Rows) error {
		var id string
		var c role.Candidate
		err := rows.Scan(&id, &c.Version, &c.Score)
		c.ID = trilith.ID(plain(id))
		out.Candidates = append(out.Candidates, c)
		return err
	})
}

// queueSelection queues the query for the texts that the scope and the filter accept: by groups if those can decide it,
// otherwise by rows of texts, in SQL as far as it can express the filter.
func (q *textQuery) queueSelection(b *pgx.Batch, sel *selection) {
	wide := q.scope
	wide.Session = ""
	conditions, whole := ofGroups(q.filter)
	groups := where{}
	groups.scope(wide)
	if exact := groups.filter(conditions); whole && exact && wide == q.scope {
		if len(groups.terms) == 1 { // the tenant
			sel.all = true
			return
		}
		sel.byGroup = true
		queueNumbers(b, sel, "SELECT array_agg(grp) FROM trilith.text_groups WHERE "+groups.clause(), groups.args)
		return
	}
	w, exact := q.rows()
	from := " FROM trilith.texts AS t WHERE " + w.clause()
	if exact {
		queueNumbers(b, sel, "SELECT array_agg(t.doc)"+from, w.args)
		return
	}
	b.Queue("SELECT t.doc, "+columnsOf("t")+from, w.args...).Query(each(func(rows pgx.Rows) error {
		var doc int32
		var r facetRow
		if err := rows.Scan(append([]any{&doc}, r.targets()...)...); err != nil {
			return err
		}
		f, _, err := r.facets()
		if err == nil && q.match(&f) {
			sel.numbers.add(doc)
		}
		return err
	}))
}

// queueNumbers queues a query that aggregates numbers into one array.
func queueNumbers(b *pgx.Batch, sel *selection, query string, args []any) {
	b.Queue(query, args...).QueryRow(func(row pgx.Row) error {
		var ns []int32
		err := row.Scan(&ns)
		for _, n := range ns {
			sel.numbers.add(n)
		}
		return err
	})
}

// rows returns a condition on rows of trilith.texts that all accepted texts meet; exact says that no others do.
func (q *textQuery) rows() (w where, exact bool) {
	w = where{table: "t"}
	w.scope(q.scope)
	exact = w.filter(q.filter)
	wide := q.scope
	wide.Session = ""
	groups := where{args: w.args}
	groups.scope(wide)
	if len(groups.terms) > 1 && wide == q.scope { // a search in such a scope sees few groups
		w.args = groups.args
		w.add("t.grp IN (SELECT grp FROM trilith.text_groups WHERE " + groups.clause() + ")")
	}
	return w, exact
}

// wanted returns the keys of the lists that the search reads.
func (q *textQuery) wanted(sel *selection) []string {
	keys := []string{lengthList}
	if sel.byGroup {
		keys = append(keys, groupList)
	}
	if q.ready.Boosts() {
		keys = append(keys, turnList)
	}
	if q.ready.Marks() {
		keys = append(keys, markList)
	}
	if q.ready.Dates() {
		keys = append(keys, dayList)
	}
	for _, t := range q.ready.Query.Terms {
		keys = append(keys, t.Forms...)
		if q.probe.Rules.Has(lexical.RuleNames) {
			for _, form := range t.Forms {
				keys = append(keys, speakerList(form))
			}
		}
	}
	return keys
}

// queueLists queues the query for the lists of some keys.
func queueLists(b *pgx.Batch, tenant string, keys []string, lists *[]textList) {
	b.Queue("SELECT term, block, postings FROM trilith.text_postings WHERE tenant = $1 AND term = ANY($2)", tenant, keys).
		Query(each(func(rows pgx.Rows) error {
			var l textList
			var data pgtype.DriverBytes
			err := rows.Scan(&l.term, &l.block, &data)
			l.data = string(data)
			*lists = append(*lists, l)
			return err
		}))
}
