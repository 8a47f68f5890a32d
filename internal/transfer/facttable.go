package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trilith-memory/trilith"
)

// ConversationFacts is the format of a table conversation_facts in PostgreSQL; [OpenFactTable] reads it.
const ConversationFacts = "conversation-facts"

const (
	factsTable = "conversation_facts"
	factsPage  = 500 // rows that are fetched at once
)

// factColumns are the columns of the table. Only id, created_at, and fact_summary or fact_content are required.
var factColumns = []string{"id", "session_id", "project_id", "user_id", "fact_type", "fact_content", "fact_summary",
	"embedding", "is_active",
	"superseded_by", "valid_until", "version", "author_role", "confidence_score", "verification_status", "verified_by",
	"verified_at",
	"financial_amount", "currency", "financial_category", "financial_type", "priority", "requires_action",
	"action_deadline",
	"source_message_id", "created_at", "updated_at"}

// FactTableOptions select the rows to read.
type FactTableOptions struct {
	URL     string // postgres://…; its parameter table names the table
	Table   string // NAME or SCHEMA.NAME; empty: that of the URL, else conversation_facts
	Vectors bool   // read embeddings too
	Now     func() time.Time
}

// FactTable is the table conversation_facts of another application, opened for reading only. Size and Position are safe
// for concurrent use; everything else is for one caller.
type FactTable struct {
	o       FactTableOptions
	name    string
	table   string // quoted
	conn    *pgx.Conn
	columns map[string]string // types by name
	missing []string
	rows    int64
	read    atomic.Int64
}

// OpenFactTable connects, with one connection, and looks at the columns. Nothing is written.
func OpenFactTable(ctx context.Context, o FactTableOptions) (*FactTable, error) {
	t := &FactTable{o: o, name: DatabaseName(o.URL), columns: map[string]string{}}
	config, table, err := factDatabase(o)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(table, ".")
	if len(parts) > 2 || slices.Contains(parts, "") {
		return nil, trilith.Errorf(trilith.Invalid, "table: %.64q is not NAME or SCHEMA.NAME", table)
	}
	t.table = pgx.Identifier(parts).Sanitize()
	if t.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, t.failed(err)
	}
	if err := t.look(ctx, table); err != nil {
		return nil, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
	}
	return t, nil
}

// DatabaseName returns the URL of a database without its private parts: user, password and parameters.
func DatabaseName(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "postgres://"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// factDatabase reads the URL. The faulty part is not repeated: it may be the password.
func factDatabase(o FactTableOptions) (*pgx.ConnConfig, string, error) {
	unread := trilith.Errorf(trilith.Invalid,
		"url: is not the URL of a PostgreSQL database, such as postgres://USER:PASSWORD@HOST/DATABASE; special characters in a password are written as %%XX")
	u, err := url.Parse(o.URL)
	if err != nil || !IsDatabase(o.URL) {
		return nil, "", unread
	}
	query := u.Query()
	table := factsTable
	for _, name := range []string{query.Get("table"), o.Table} {
		if name != "" {
			table = name
		}
	}
	query.Del("table")
	u.RawQuery = query.Encode()
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, "", unread
	}
	// every value is text, and no statement outlives a transaction
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	return config, table, nil
}

// IsDatabase reports whether a path is the URL of a PostgreSQL database.
func IsDatabase(path string) bool {
	return strings.HasPrefix(path, "postgres://") || strings.HasPrefix(path, "postgresql://")
}

// look finds out which columns exist, and the approximate number of rows.
func (t *FactTable) look(ctx context.Context, table string) error {
	rows, err := t.conn.Query(
		ctx, "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped", t.table)
	if err != nil {
		return t.failed(err)
	}
	var name, kind string
	if _, err := pgx.ForEachRow(rows, []any{&name, &kind},
		func() error { t.columns[name] = kind; return nil }); err != nil {
		return t.failed(err)
	}
	if len(t.columns) == 0 {
		return trilith.Errorf(trilith.NotFound, "%s: there is no table %s; name it with --table SCHEMA.NAME", t.name, table)
	}
	for _, c := range factColumns {
		if t.columns[c] == "" && (t.o.Vectors || c != "embedding") {
			t.missing = append(t.missing, c)
		}
	}
	var needed []string
	for _, c := range []string{"id", "created_at"} {
		if slices.Contains(t.missing, c) {
			needed = append(needed, c)
		}
	}
	if slices.Contains(t.missing, "fact_summary") && slices.Contains(t.missing, "fact_content") {
		needed = append(needed, "fact_summary or fact_content")
	}
	if len(needed) > 0 {
		return trilith.Errorf(trilith.Invalid, "%s: the table %s has no column %s, which is needed", t.name,
			table, strings.Join(needed, ", "))
	}
	if err := t.conn.QueryRow(ctx, "SELECT count(*) FROM "+t.table).Scan(&t.rows); err != nil {
		return t.failed(err)
	}
	return nil
}

// Name returns the database's name, without user and password.
func (t *FactTable) Name() string { return t.name }

// Size returns the number of rows.
func (t *FactTable) Size() int64 { return t.rows }

// Position returns the number of rows read so far.
func (t *FactTable) Position() int64 { return t.read.Load() }

// Close ends the connection.
func (t *FactTable) Close(ctx context.Context) error { return t.conn.Close(ctx) }

// Items reads all rows by ascending id, a page at a time, all in the state of the first read. The rules are those of
// [Reader.Items]; lines are rows. It reports a missing column once, as left out.
func (t *FactTable) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		t.read.Store(0)
		more, err := t.items(ctx, yield)
		if err != nil && more {
			yield(Item{}, err)
		}
	}
}

// items reports with an error whether anybody wants to know it.
func (t *FactTable) items(ctx context.Context, yield func(Item, error) bool) (more bool, err error) {
	tx, err := t.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return true, t.failed(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // nothing was written
	// A page may have to wait for a sort of the whole table; between two pages the caller stores the rows.
	if _, err := tx.Exec(ctx,
		"SET LOCAL statement_timeout = '10min'; SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = 0; "+
			"DECLARE facts NO SCROLL CURSOR FOR "+t.query()); err != nil {
		return true, t.failed(err)
	}
	if omitted := t.without(); omitted != nil && !yield(Item{Path: t.name, Line: 1, Omitted: omitted}, nil) {
		return false, nil
	}
	for n := 0; ; {
		page, err := t.page(ctx, tx)
		if err != nil {
			return true, t.failed(err)
		}
		for _, row := range page {
			n++
			if !t.item(n, row, yield) {
				return false, nil
			}
			t.read.Store(int64(n))
		}
		if len(page) < factsPage {
			return true, nil
		}
	}
}

// failed returns PostgreSQL's message of an error, without the connection's settings.
func (t *FactTable) failed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind, why := trilith.Unavailable, "does not answer"
	if e, ok := errors.AsType[*net.OpError](err); ok {
		why = e.Error()
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		why = e.Message
		switch e.Code[:min(2, len(e.Code))] {
		case "28": // authorization
			kind = trilith.Unauthenticated
		case "3D", "42": // no such database, table or column, or no right to it
			kind = trilith.Invalid
		}
	}
	return trilith.Errorf(kind, "%s: %s", t.name, why)
}

// query selects the rows by ascending id with their successors and the rows that they replaced, everything as text.
func (t *FactTable) query() string {
	var out []string
	for _, c := range factColumns {
		if c == "embedding" && !t.o.Vectors {
			out = append(out, "NULL")
			continue
		}
		out = append(out, t.text("t", c))
	}
	if t.columns["superseded_by"] == "" {
		return "SELECT " + strings.Join(append(out, "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"), ", ") + " FROM " +
			t.table + " t ORDER BY t.id"
	}
	for _, c := range []string{"id", "session_id", "project_id", "user_id", "created_at"} {
		out = append(out, t.text("h", c))
	}
	return "SELECT " + strings.Join(append(out, "p.former"), ", ") + " FROM " + t.table + " t LEFT JOIN " + t.table +
		" h ON h.id::text = t.superseded_by::text AND h.id::text <> t.id::text LEFT JOIN (SELECT f.superseded_by::text AS by, json_agg(json_build_array(" +
		strings.Join([]string{t.text("f", "id"), t.text("f", "session_id"), t.text("f", "project_id"),
			t.text("f", "user_id")}, ", ") +
		") ORDER BY f.id)::text AS former FROM " + t.table +
		" f WHERE f.superseded_by IS NOT NULL AND f.superseded_by::text <> f.id::text GROUP BY 1) p ON p.by = t.id::text ORDER BY t.id"
}

// text returns the expression for a column of a row as text; NULL if the table does not have it. Times without a zone
// are UTC.
func (t *FactTable) text(row, column string) string {
	name := row + "." + pgx.Identifier{column}.Sanitize()
	const form = `, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
	switch t.columns[column] {
	case "":
		return "NULL::text"
	case "timestamp with time zone":
		return "CASE WHEN isfinite(" + name + ") THEN to_char(" + name + " AT TIME ZONE 'UTC'" + form + " END"
	case "timestamp without time zone":
		return "CASE WHEN isfinite(" + name + ") THEN to_char(" + name + form + " END"
	case "money":
		return name + "::numeric::text"
	}
	return name + "::text"
}

func (t *FactTable) without() map[string]int {
	var out map[string]int
	for _, c := range t.missing {
		count(&out, "the column "+c+", which the table does not have", 1)
	}
	return out
}

// Columns of a row besides those of the table: of the row that superseded_by names, and [id, session, project, user] of
// each that this one replaced.
var heirColumns = []string{"heir_id", "heir_session_id", "heir_project_id", "heir_user_id", "heir_created_at", "former"}

// page fetches the next rows; fewer than a page at the end.
func (t *FactTable) page(ctx context.Context, tx pgx.Tx) ([]factRow, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf("FETCH %d FROM facts", factsPage))
	if err != nil {
		return nil, err
	}
	names := slices.Concat(factColumns, heirColumns)
	values := make([]*string, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	out := make([]factRow, 0, factsPage)
	_, err = pgx.ForEachRow(rows, into, func() error {
		row := make(factRow, len(names))
		for i, v := range values {
			if v != nil {
				row[names[i]] = *v
			}
		}
		out = append(out, row)
		return nil
	})
	return out, err
}

// item yields a row, after reports of its invalid parts.
func (t *FactTable) item(n int, row factRow, yield func(Item, error) bool) bool {
	f, faults, err := row.fact(t.o.Now())
	for _, fault := range append(faults, err) {
		if fault != nil && !yield(
			Item{}, &LineError{Path: t.name, Line: n,
				Err: trilith.Errorf(trilith.Invalid, "id %.40q: %s", row["id"], trilith.MessageOf(fault))}) {
			return false
		}
	}
	return err != nil || yield(Item{Path: t.name, Line: n, Scope: f.Ref.Scope, Fact: &f}, nil)
}
