package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/bm25"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// Search scores the memories that the scope covers and the filter accepts. It fetches the lists of the query's terms, and
// those of lengths and groups, of the whole tenant: a few bytes for each text.
func (x *Text) Search(ctx context.Context, s cairn.Scope, p cairn.TextProbe) (cairn.TextResult, error) {
	const op = "postgres.Text.Search"
	if err := x.ready(ctx, op, s); err != nil {
		return cairn.TextResult{}, err
	}
	match, err := p.Filter.Compile()
	if err != nil {
		return cairn.TextResult{}, cairn.WrapError(cairn.Invalid, op, err)
	}
	if p.K < 1 || p.K > cairn.MaxCandidates {
		return cairn.TextResult{}, cairn.Errorf(cairn.Invalid, "k: is %d, must be 1 to %d", p.K, cairn.MaxCandidates)
	}
	a, err := x.analyzerFor(p.Languages)
	if err != nil {
		return cairn.TextResult{}, err
	}
	q := textQuery{scope: s, filter: p.Filter, match: match, k: p.K, k1: bm25.K1, b: bm25.B}
	var terms []string
	if p.Exact {
		q.k1, q.b = 0, 0 // how rare they are counts, not how often they occur or where
		for _, identifier := range textproc.Identifiers(p.Text) {
			terms = append(terms, identifier)
			q.terms = append(q.terms, []string{identifierList(identifier)})
		}
	} else {
		// Forms of languages that no text is in find nothing, and change nothing.
		for _, forms := range a.QueryTerms(p.Text, textproc.All) {
			terms = append(terms, forms[0])
			q.terms = append(q.terms, forms)
		}
	}
	if len(terms) == 0 {
		return cairn.TextResult{}, nil
	}
	var out cairn.TextResult
	err = x.store.snapshot(ctx, op, s.Tenant, func(tx pgx.Tx) (err error) {
		out, err = q.search(ctx, tx)
		return err
	})
	if err != nil {
		return cairn.TextResult{}, err
	}
	out.Terms = terms
	return out, nil
}

// textQuery is a search made ready.
type textQuery struct {
	scope  cairn.Scope
	filter cairn.Filter
	match  cairn.Matcher
	terms  [][]string // keys of lists, of each term its forms
	k      int
	k1, b  float64
}

// selection is what the scope and the filter let through.
type selection struct {
	all     bool
	byGroup bool    // numbers are of groups, else of texts
	numbers numbers // let through
}

// numbers are a set of small numbers.
type numbers []uint64

func (s *numbers) add(n int32) {
	if need := int(n/64) + 1 - len(*s); need > 0 {
		*s = append(*s, make([]uint64, need)...)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s numbers) has(n uint32) bool { return int(n/64) < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// textList is a row of cairn.text_postings.
type textList struct {
	term  string
	block int32
	data  string
}

func (q *textQuery) search(ctx context.Context, tx pgx.Tx) (cairn.TextResult, error) {
	var b pgx.Batch
	var sel selection
	q.queueSelection(&b, &sel)
	wanted := []string{lengthList}
	if sel.byGroup {
		wanted = append(wanted, groupList)
	}
	for _, forms := range q.terms {
		wanted = append(wanted, forms...)
	}
	var lists []textList
	b.Queue("SELECT term, block, postings FROM cairn.text_postings WHERE tenant = $1 AND term = ANY($2)", q.scope.Tenant, wanted).
		Query(func(rows pgx.Rows) error {
			return collect(rows, func(rows pgx.Rows) error {
				var l textList
				var data pgtype.DriverBytes
				err := rows.Scan(&l.term, &l.block, &data)
				l.data = string(data)
				lists = append(lists, l)
				return err
			})
		})
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return cairn.TextResult{}, err
	}

	found, docs := q.score(lists, &sel)
	out := cairn.TextResult{Attainable: found.Attainable, Weight: found.Weight}
	if len(docs) == 0 {
		return out, nil
	}
	scores := make([]float64, len(docs))
	for i, h := range found.Hits {
		scores[i] = h.Score
	}
	// One look into the index for each of them, whatever PostgreSQL knows about the table by now: LIMIT 1 keeps it from
	// joining in another way.
	rows, err := tx.Query(ctx, `SELECT t.id, t.version, f.score FROM unnest($2::integer[], $3::float8[]) AS f (doc, score)
		CROSS JOIN LATERAL (SELECT id, version FROM cairn.texts WHERE tenant = $1 AND doc = f.doc LIMIT 1) AS t
		ORDER BY f.score DESC, t.id LIMIT $4`, q.scope.Tenant, docs, scores, q.k)
	if err != nil {
		return out, err
	}
	return out, collect(rows, func(rows pgx.Rows) error {
		var id string
		var c cairn.Candidate
		err := rows.Scan(&id, &c.Version, &c.Score)
		c.ID = cairn.ID(plain(id))
		out.Candidates = append(out.Candidates, c)
		return err
	})
}

// score returns the best texts and all that tie with the last of them, and their numbers.
func (q *textQuery) score(lists []textList, sel *selection) (bm25.Result, []int32) {
	// Blocks that all texts have left have no lists, so slots are counted over those that are there.
	var blocks []int32
	sizes := map[string]int{} // in bytes: no posting is smaller than one
	for _, l := range lists {
		if sizes[l.term] += len(l.data); l.term == lengthList {
			blocks = append(blocks, l.block)
		}
	}
	slices.Sort(blocks)
	docOf := func(slot uint32) int32 { return blocks[slot/textBlock]*textBlock + int32(slot%textBlock) }
	allow := make([]uint64, len(blocks)*textBlock/64)
	let := func(slot uint32) { allow[slot/64] |= 1 << (slot % 64) }
	terms := make(map[string][]bm25.Posting, len(sizes))
	for _, l := range lists {
		n, ok := slices.BinarySearch(blocks, l.block)
		if !ok {
			continue
		}
		held := terms[l.term]
		if held == nil {
			held = make([]bm25.Posting, 0, min(sizes[l.term], len(blocks)*textBlock))
		}
		for p := range bm25.Postings(l.data) {
			if p.Slot < textBlock {
				held = append(held, bm25.Posting{Slot: uint32(n*textBlock) + p.Slot, Count: p.Count})
			}
		}
		terms[l.term] = held
	}
	lengths := terms[lengthList]
	switch {
	case sel.all:
		allow = nil
	case sel.byGroup:
		for _, p := range terms[groupList] {
			if sel.numbers.has(p.Count) {
				let(p.Slot)
			}
		}
	default:
		for _, p := range lengths {
			if sel.numbers.has(uint32(docOf(p.Slot))) {
				let(p.Slot)
			}
		}
	}
	delete(terms, lengthList)
	delete(terms, groupList)
	found := bm25.Gather(q.k1, q.b, lengths, terms).SearchTied(bm25.Words(q.terms), allow, q.k)
	docs := make([]int32, len(found.Hits))
	for i, h := range found.Hits {
		docs[i] = docOf(h.Slot)
	}
	return found, docs
}

// queueSelection queues the question which texts the scope and the filter let through. Where groups tell, it is answered by
// groups; else by rows of texts, in SQL as far as that says the same as the filter.
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
		queueNumbers(b, sel, "SELECT array_agg(grp) FROM cairn.text_groups WHERE "+groups.clause(), groups.args)
		return
	}
	w := where{table: "t"}
	w.scope(q.scope)
	exact := w.filter(q.filter)
	groups = where{args: w.args}
	groups.scope(wide)
	if len(groups.terms) > 1 && wide == q.scope { // who narrows like this sees few of the groups
		w.args = groups.args
		w.add("t.grp IN (SELECT grp FROM cairn.text_groups WHERE " + groups.clause() + ")")
	}
	from := " FROM cairn.texts AS t WHERE " + w.clause()
	if exact {
		queueNumbers(b, sel, "SELECT array_agg(t.doc)"+from, w.args)
		return
	}
	b.Queue("SELECT t.doc, "+columnsOf("t")+from, w.args...).Query(func(rows pgx.Rows) error {
		return collect(rows, func(rows pgx.Rows) error {
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
		})
	})
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
