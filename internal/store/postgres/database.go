package postgres

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// ownDatabase is the prefix of databases that MakeDatabase creates. DropDatabase drops no others.
const ownDatabase = "trilith_own_"

// MakeDatabase creates an empty database on the server of a URL and returns its URL. The role in the URL needs the
// right to do so.
func MakeDatabase(ctx context.Context, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", trilith.Errorf(trilith.Invalid, "server: is not the URL of a PostgreSQL server")
	}
	name := ownDatabase + strings.ToLower(rand.Text())
	if err := execute(ctx, server, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// DropDatabase drops a database that MakeDatabase created, even if others are connected to it.
func DropDatabase(ctx context.Context, database string) error {
	u, err := url.Parse(database)
	name := ""
	if err == nil {
		name = strings.TrimPrefix(u.Path, "/")
	}
	if !strings.HasPrefix(name, ownDatabase) {
		return trilith.Errorf(trilith.Invalid, "database: is not a temporary one")
	}
	u.Path = "/postgres" // a connection cannot drop its own database
	return execute(ctx, u.String(), "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

func execute(ctx context.Context, server, statement string) error {
	const op = "postgres.execute"
	conn, err := pgx.Connect(ctx, server)
	if err == nil {
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, statement)
	}
	return fail(ctx, op, err)
}
