package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// Text is the [role.TextIndex] in PostgreSQL: trilith's own inverted index in plain tables. A search fetches lists and
// scores them as the embedded index does. PostgreSQL's text search splits words differently, and has no statistics.
type Text struct {
	db       *database
	analyzer textproc.Analyzer // of texts and probes without languages
	without  lexical.Rules     // rules that searches skip
	closed   atomic.Bool
}

var (
	_ lexical.Ruled   = (*Text)(nil)
	_ role.SharedText = (*Text)(nil)
)

// Text returns the text index in the database. Closing it does not close the store.
func (s *Store) Text(a textproc.Analyzer) *Text { return &Text{db: s.database, analyzer: a} }

// LeaveOut implements [lexical.Ruled].
func (x *Text) LeaveOut(without lexical.Rules) { x.without = without }

// textLayout changes whenever the content of the tables has to be read differently.
const textLayout = 3

// Form identifies the form in which the index stores texts, apart from their words and languages: indexes with equal
// forms store the same for equal texts.
func (x *Text) Form() string {
	return fmt.Sprintf("postgres %d, terms %d, turns %d, languages %s", textLayout, textproc.Version,
		lexical.Layout, x.analyzer)
}

// Stamps returns the ids and versions of the texts that the index holds.
func (x *Text) Stamps(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]role.Stamp, error) {
	const op = "postgres.Text.Stamps"
	if err := x.ready(ctx, op, s); err != nil {
		return nil, err
	}
	w := where{}
	w.add("tenant = " + w.arg(s.Tenant))
	if len(ids) > 0 {
		w.add("id = ANY(" + w.arg(texts(ids)) + ")")
	}
	query := "SELECT id, version, applied_at FROM trilith.texts WHERE " + w.clause() + " ORDER BY id"
	return readRows(ctx, x.db, op, s.Tenant, query, w.args, func(rows pgx.Rows) (role.Stamp, error) {
		var id string
		var version int64
		var at time.Time
		err := rows.Scan(&id, &version, &at)
		return role.Stamp{ID: trilith.ID(plain(id)), Version: version, At: at.UTC()}, err
	})
}

// Reset removes everything.
func (x *Text) Reset(ctx context.Context, sys trilith.System) error {
	const op = "postgres.Text.Reset"
	if err := x.open(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	return x.db.in(ctx, op, allTenants, true, func(tx pgx.Tx) error {
		// A writer of texts holds a row of the table: it ends first, and others wait.
		if _, err := tx.Exec(ctx, "LOCK TABLE trilith.text_tenants IN EXCLUSIVE MODE"); err != nil {
			return err
		}
		for _, table := range []string{"text_postings", "texts", "text_groups", "text_tenants"} {
			if _, err := tx.Exec(ctx, "DELETE FROM trilith."+table); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the index and leaves its content in the database.
func (x *Text) Close() error {
	x.closed.Store(true)
	return nil
}

// ready is open for calls inside a tenant.
func (x *Text) ready(ctx context.Context, op string, s trilith.Scope) error {
	if err := x.open(ctx); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	return nil
}

// open returns an error if the index is closed, or if the context has ended.
func (x *Text) open(ctx context.Context) error {
	if x.closed.Load() {
		return trilith.Errorf(trilith.Unavailable, "the text index is closed")
	}
	return ctx.Err()
}

// analyzerFor returns the analyzer for the languages in a point or a probe.
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
