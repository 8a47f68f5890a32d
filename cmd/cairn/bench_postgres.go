package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/postgres"
)

// database returns the URL of the database on the server that stands for a file, making it at first.
func (b *bench) database(ctx context.Context, name string) (string, error) {
	if url, ok := b.databases[name]; ok {
		return url, nil
	}
	url, err := postgres.MakeDatabase(ctx, b.on)
	if err == nil {
		b.databases[name] = url
	}
	return url, err
}

// drop removes the databases.
func (b *bench) drop() {
	for _, url := range b.databases {
		if err := postgres.DropDatabase(context.Background(), url); err != nil {
			b.a.logger().Warn("bench: a database is left behind", "database", storeName(url), "error", err)
		}
	}
}

// postgres measures on a server what was measured in files, and beside it what somebody gets who puts the same texts and
// vectors into a table of pgvector.
func (b *bench) postgres(ctx context.Context, server string, n int) error {
	b.on = server
	defer func() { b.on = "" }()
	for _, step := range []func(context.Context) error{b.singleWrites,
		func(ctx context.Context) error { return b.recall(ctx, n) },
		func(ctx context.Context) error { return b.lookup(ctx, n) },
		func(ctx context.Context) error { return b.plain(ctx, n) }} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plain fills a table of texts and vectors and asks it for the nearest: no words, no truth, no scope but a column.
func (b *bench) plain(ctx context.Context, n int) error {
	embedder, err := b.a.openEmbedder(b.a.Embedder)
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
	dims := embedder.Generation().Dims
	for _, statement := range []string{"CREATE EXTENSION IF NOT EXISTS vector",
		fmt.Sprintf("CREATE TABLE plain (id bigserial PRIMARY KEY, owner text NOT NULL, body text NOT NULL, v vector(%d) NOT NULL)", dims)} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	s := newSynthetic(7)
	start := time.Now()
	for i, left := 0, n; left > 0; i, left = i+1, left-1000 {
		r := s.batch(min(left, 1000))
		texts := make([]string, len(r.Messages))
		for j := range texts {
			texts[j] = r.Messages[j].Content
		}
		made, err := embedder.Embed(ctx, cairn.ForDocument, texts)
		if err != nil {
			return err
		}
		vectors := make([]string, len(texts))
		for j := range vectors {
			vectors[j] = vectorText(made[j].Vector)
		}
		if _, err := conn.Exec(ctx, "INSERT INTO plain (owner, body, v) SELECT $1, body, v::vector FROM unnest($2::text[], $3::text[]) AS rows (body, v)",
			fmt.Sprintf("user-%d", i%10), texts, vectors); err != nil {
			return err
		}
	}
	for _, statement := range []string{"CREATE INDEX ON plain USING hnsw (v vector_cosine_ops)", "CREATE INDEX ON plain (owner)", "ANALYZE plain"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	b.add("plain pgvector, stored and indexed", float64(n)/time.Since(start).Seconds(), "rows/s")
	for _, c := range []struct{ name, where string }{
		{"plain pgvector, nearest ten", "true"}, {"plain pgvector, nearest ten of one owner in ten", "owner = 'user-3'"}} {
		query := "SELECT body FROM plain WHERE " + c.where + " ORDER BY v <=> $1 LIMIT 10"
		if err := b.calls(fmt.Sprintf("%s, %d rows", c.name, n), func() error {
			made, err := embedder.Embed(ctx, cairn.ForQuery, []string{s.question()})
			if err != nil {
				return err
			}
			rows, err := conn.Query(ctx, query, vectorText(made[0].Vector))
			if err != nil {
				return err
			}
			_, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// vectorText is a vector as pgvector reads it.
func vectorText(v cairn.Vector) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}
