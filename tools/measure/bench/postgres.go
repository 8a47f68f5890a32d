package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/role"
)

// database returns the URL of the database on the server that represents a file, and creates it on first use.
func (b *bench) database(ctx context.Context, name string) (string, error) {
	if url, ok := b.databases[name]; ok {
		return url, nil
	}
	url, err := compose.MakeDatabase(ctx, b.on)
	if err == nil {
		b.databases[name] = url
	}
	return url, err
}

// drop removes the databases.
func (b *bench) drop() {
	for _, url := range b.databases {
		if err := compose.DropDatabase(context.Background(), url); err != nil {
			b.o.settings.Logger.Warn("bench: a database was not removed", "database",
				compose.StoreName(url), "error", err)
		}
	}
}

// postgres repeats the measurements of files on a server, and compares them with a plain pgvector table of the same
// texts and vectors.
func (b *bench) postgres(ctx context.Context, server string) error {
	b.on = server
	defer func() { b.on = "" }()
	for _, step := range []func(context.Context) error{b.writes, b.build, b.measure, b.plain} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plain fills a table with the conversations of the large tenant and measures a nearest-neighbour query: without words,
// truth, or a scope other than a column.
func (b *bench) plain(ctx context.Context) error {
	embedder, err := b.o.settings.OpenEmbedder(b.o.settings.Embedder)
	if err != nil || embedder == nil {
		return err
	}
	defer embedder.Close()
	url, err := b.database(ctx, "plain")
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	start := time.Now()
	stored, err := b.plainTable(ctx, conn, embedder)
	if err != nil {
		return err
	}
	t := b.table("plain", "One table of pgvector with an HNSW index", append([]string{"per_s"}, latency...)...)
	t.row("stored", "stored and indexed, rows", float64(stored)/time.Since(start).Seconds())
	all := b.scope(b.o.tenant)
	rs := []*restriction{{name: "unfiltered", label: "the ten nearest", scope: all},
		{name: "user", label: "the ten nearest of one user", scope: middling(all)}}
	if err := b.askOf(rs); err != nil {
		return err
	}
	for _, r := range rs {
		took, err := b.plainCalls(ctx, conn, embedder, r)
		if err != nil {
			return err
		}
		t.row(r.name, r.label, append([]float64{unknown}, took...)...)
	}
	return nil
}

// plainTable stores the texts of the tenant with their vectors in a table, indexes it and returns how many they are.
func (b *bench) plainTable(ctx context.Context, conn *pgx.Conn, embedder role.Embedder) (stored int, err error) {
	for _, statement := range []string{"CREATE EXTENSION IF NOT EXISTS vector",
		fmt.Sprintf("CREATE TABLE plain (id bigserial PRIMARY KEY, owner text NOT NULL, body text NOT NULL, v vector(%d) NOT NULL)", embedder.Generation().Dims)} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	if err := b.sample.conversations(func(scope trilith.Scope, r trilith.RememberRequest) error {
		if scope.Tenant != b.o.tenant {
			return nil
		}
		texts, vectors := make([]string, len(r.Messages)), make([]string, len(r.Messages))
		for i := range texts {
			texts[i] = r.Messages[i].Content
		}
		made, err := embedder.Embed(ctx, role.ForDocument, texts)
		if err != nil {
			return err
		}
		for i := range vectors {
			vectors[i] = vectorText(made[i].Vector)
		}
		stored += len(texts)
		_, err = conn.Exec(ctx, "INSERT INTO plain (owner, body, v) SELECT $1, body, v::vector FROM unnest($2::text[], $3::text[]) AS rows (body, v)",
			scope.User, texts, vectors)
		return err
	}); err != nil {
		return 0, err
	}
	for _, statement := range []string{"CREATE INDEX ON plain USING hnsw (v vector_cosine_ops)",
		"CREATE INDEX ON plain (owner)", "ANALYZE plain"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	return stored, nil
}

// plainCalls asks a restriction's questions of the table and returns how long that took.
func (b *bench) plainCalls(ctx context.Context, conn *pgx.Conn, embedder role.Embedder, r *restriction) (
	[]float64, error) {
	query := "SELECT body FROM plain ORDER BY v <=> $1 LIMIT 10"
	if r.scope.User != "" {
		query = fmt.Sprintf("SELECT body FROM plain WHERE owner = '%s' ORDER BY v <=> $1 LIMIT 10", r.scope.User)
	}
	return b.calls(r.label, func(i int) error {
		made, err := embedder.Embed(ctx, role.ForQuery, []string{r.question(i)})
		if err != nil {
			return err
		}
		rows, err := conn.Query(ctx, query, vectorText(made[0].Vector))
		if err != nil {
			return err
		}
		_, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
}

// vectorText is a vector as pgvector reads it.
func vectorText(v trilith.Vector) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}
