package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// textRow is a text in the form in which it is stored.
type textRow struct {
	id       string // in the form of the column
	text     string
	analyzer textproc.Analyzer
	version  int64
	at       time.Time
	facets   []any // values of facetColumns
	group    textGroup
	place    turnPosition
	inThread bool
	speaker  string
	marks    lexical.Marks
	day      int32 // days since 1970

	// Results of analyze.
	language textproc.Lang
	length   uint32            // in words
	counts   map[string]uint32 // numbers of the postings, by key of the list
}

// applyBytes is roughly how much text one transaction stores: its words take many times as much memory.
const applyBytes = 2 << 20

// Apply stores texts, those of one tenant in few transactions. A call that fails may have stored some of them;
// repeating it is harmless.
func (x *Text) Apply(ctx context.Context, ts []role.TextPoint) error {
	if err := x.open(ctx); err != nil {
		return err
	}
	byTenant := map[string]map[string]*textRow{} // by id
	for i := range ts {
		r, err := x.rowOf(&ts[i])
		if err != nil {
			return err
		}
		tenant := ts[i].Facets.Scope.Tenant
		if byTenant[tenant] == nil {
			byTenant[tenant] = map[string]*textRow{}
		}
		if other := byTenant[tenant][r.id]; other == nil || other.version <= r.version {
			byTenant[tenant][r.id] = r
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(byTenant)) {
		rows := slices.SortedFunc(maps.Values(byTenant[tenant]),
			func(a, b *textRow) int { return cmp.Compare(a.id, b.id) })
		for len(rows) > 0 {
			n, size := 0, 0
			for n < len(rows) && size < applyBytes {
				rows[n].analyze()
				size += len(rows[n].text)
				n++
			}
			err := x.db.in(ctx, "postgres.Text.Apply", tenant, true,
				func(tx pgx.Tx) error { return applyTexts(ctx, tx, tenant, rows[:n]) })
			if err != nil {
				return err
			}
			clear(rows[:n])
			rows = rows[n:]
		}
	}
	return nil
}

func (x *Text) rowOf(p *role.TextPoint) (*textRow, error) {
	if err := p.Facets.Scope.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, "postgres.Text.Apply", err)
	}
	a, err := x.analyzerFor(p.Languages)
	if err != nil {
		return nil, err
	}
	facets, err := encodeFacets(&p.Facets)
	r := &textRow{id: text(string(p.Facets.ID)), text: p.Text, analyzer: a, version: p.Facets.Version,
		at:     trilith.Time(p.At),
		facets: facets, group: groupOf(&p.Facets), speaker: p.Facets.Speaker,
		marks: lexical.MarksIn(a, &p.Facets, p.Text),
		day:   lexical.DayOf(p.Facets.EventTime)}
	r.place, r.inThread = turnPositionOf(&p.Facets)
	return r, err
}

func (r *textRow) analyze() {
	words, language := r.analyzer.Terms(r.text)
	r.length, r.language, r.counts = uint32(len(words)), language, map[string]uint32{}
	for _, word := range words {
		r.counts[word]++
	}
	for _, identifier := range textproc.Identifiers(r.text) {
		r.counts[identifierList(identifier)] = 1
	}
	for _, form := range lexical.NameForms(r.analyzer, r.speaker) {
		r.counts[speakerList(form)] = 1
	}
}

// insertText stores a text, replacing an existing one.
var (
	textsColumns = slices.Concat([]string{"doc", "grp", "applied_at", "terms", "asks"}, facetColumns)
	insertText   = "INSERT INTO trilith.texts (" + strings.Join(textsColumns, ", ") + ") VALUES (" +
		placeholders(0, len(textsColumns)) +
		") ON CONFLICT (tenant, id) DO UPDATE SET " + overwrite(textsColumns, "tenant", "id")
)

// applyTexts stores texts of one tenant, except those with a stored higher version.
func applyTexts(ctx context.Context, tx pgx.Tx, tenant string, rows []*textRow) error {
	ids, keys := make([]string, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		ids[i], keys[i] = r.id, []byte(r.group.key())
	}
	st, err := readTexts(ctx, tx, tenant, ids, keys)
	if err != nil {
		return err
	}
	var b pgx.Batch
	var edits []postingEdit
	var left []int32 // groups
	places := map[turnPosition]bool{}
	for i, r := range rows {
		h, known := st.held[r.id]
		if known && h.version > r.version {
			continue
		}
		if !known {
			h.doc = st.nextDoc
			st.nextDoc++
		}
		key := string(keys[i])
		group, ok := st.groups[key]
		if !ok {
			group = st.nextGroup
			st.nextGroup++
			st.groups[key] = group
			b.Queue(insertGroup, append([]any{tenant, group, keys[i]}, r.group.values()...)...)
		}
		if known && h.group != group {
			left = append(left, h.group)
		}
		edits = r.edits(edits, h, known, group)
		b.Queue(insertText, append(
			[]any{h.doc, group, r.at, slices.AppendSeq([]string{}, maps.Keys(r.counts)), r.marks&lexical.Asks != 0},
			r.facets...)...)
		st.languages = st.languages.With(r.language)
		if known && h.inThread {
			places[h.place] = true
		}
		if r.inThread {
			places[r.place] = true
		}
	}
	if len(edits) == 0 {
		return nil
	}
	b.Queue("UPDATE trilith.text_tenants SET next_doc = $2, next_group = $3, languages = $4 WHERE tenant = $1", tenant,
		st.nextDoc, st.nextGroup, int64(st.languages))
	dropGroups(&b, tenant, left)
	queueLinks(&b, tenant, places, &edits)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	return editPostings(ctx, tx, tenant, edits)
}

// heldText has the columns of a row of trilith.texts that concern postings.
type heldText struct {
	doc, group int32
	version    int64
	terms      []string
	place      turnPosition
	inThread   bool
}

const selectHeld = `SELECT id, doc, grp, version, terms, project, domain, user_id, agent, session, channel, role = 'assistant', seq,
	kind = 'episode' AND session <> '' FROM trilith.texts WHERE tenant = $1 AND id = ANY($2)`

// textState is the stored state of a tenant, of texts that are to be applied, and of their groups.
type textState struct {
	nextDoc, nextGroup int32
	languages          textproc.Set
	held               map[string]heldText // by id
	groups             map[string]int32    // by key
}

// readTexts reads it, and locks the tenant until the transaction ends.
func readTexts(ctx context.Context, tx pgx.Tx, tenant string, ids []string, keys [][]byte) (*textState, error) {
	st := &textState{held: map[string]heldText{}, groups: map[string]int32{}}
	var b pgx.Batch
	b.Queue(`INSERT INTO trilith.text_tenants AS t (tenant) VALUES ($1) ON CONFLICT (tenant) DO UPDATE SET tenant = t.tenant
		RETURNING next_doc, next_group, languages`, tenant).QueryRow(func(row pgx.Row) error {
		return row.Scan(&st.nextDoc, &st.nextGroup, &st.languages)
	})
	b.Queue(selectHeld, tenant, ids).Query(scanHeld(st.held))
	b.Queue("SELECT key, grp FROM trilith.text_groups WHERE tenant = $1 AND key = ANY($2)", tenant, keys).Query(
		each(func(rows pgx.Rows) error {
			var key []byte
			var group int32
			err := rows.Scan(&key, &group)
			st.groups[string(key)] = group
			return err
		}))
	return st, tx.SendBatch(ctx, &b).Close()
}

// edits adds the edits of the postings when the text replaces the stored one under its document number.
func (r *textRow) edits(edits []postingEdit, h heldText, known bool, group int32) []postingEdit {
	edits = slices.Grow(edits, len(h.terms)+len(r.counts)+2*len(ownLists))
	if known {
		edits = h.gone(edits)
	}
	set := func(term string, number uint32) {
		e := editOf(h.doc, term)
		e.number = number
		edits = append(edits, e)
	}
	set(lengthList, r.length)
	set(groupList, uint32(group))
	set(dayList, zigzag(r.day))
	if marks := r.marks &^ lexical.Asks; marks != 0 {
		set(markList, uint32(marks))
	}
	for term, count := range r.counts {
		set(term, count)
	}
	return edits
}

// Delete removes ids of the tenant.
func (x *Text) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	const op = "postgres.Text.Delete"
	if err := x.ready(ctx, op, s); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	return x.db.in(ctx, op, s.Tenant, true,
		func(tx pgx.Tx) error { return deleteTexts(ctx, tx, s.Tenant, texts(ids)) })
}

func deleteTexts(ctx context.Context, tx pgx.Tx, tenant string, ids []string) error {
	var locked bool
	err := tx.QueryRow(ctx, "SELECT true FROM trilith.text_tenants WHERE tenant = $1 FOR UPDATE", tenant).Scan(&locked)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	held := map[string]heldText{}
	var b pgx.Batch
	b.Queue(selectHeld, tenant, ids).Query(scanHeld(held))
	if err := tx.SendBatch(ctx, &b).Close(); err != nil || len(held) == 0 {
		return err
	}
	var edits []postingEdit
	var left []int32
	places := map[turnPosition]bool{}
	for _, h := range held {
		left, edits = append(left, h.group), h.gone(edits)
		if h.inThread {
			places[h.place] = true
		}
	}
	b = pgx.Batch{}
	b.Queue("DELETE FROM trilith.texts WHERE tenant = $1 AND id = ANY($2)", tenant, ids)
	dropGroups(&b, tenant, left)
	queueLinks(&b, tenant, places, &edits)
	b.Queue("DELETE FROM trilith.text_tenants WHERE tenant = $1 AND NOT EXISTS (SELECT FROM trilith.texts WHERE tenant = $1)", tenant)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	return editPostings(ctx, tx, tenant, edits)
}

// scanHeld returns a function that scans the rows of selectHeld.
func scanHeld(held map[string]heldText) func(pgx.Rows) error {
	return each(func(rows pgx.Rows) error {
		var h heldText
		p := &h.place
		err := rows.Scan(&p.id, &h.doc, &h.group, &h.version, &h.terms, &p.project, &p.domain, &p.user, &p.agent,
			&p.session, &p.channel,
			&p.assistant, &p.seq, &h.inThread)
		held[p.id] = h
		return err
	})
}

// gone adds the edits that remove the text from all its lists.
func (h *heldText) gone(edits []postingEdit) []postingEdit {
	for _, term := range slices.Concat(h.terms, ownLists) {
		e := editOf(h.doc, term)
		e.gone = true
		edits = append(edits, e)
	}
	return edits
}
