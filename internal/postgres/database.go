package postgres

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// ownDatabase is how the databases that MakeDatabase makes begin. DropDatabase drops no others.
const ownDatabase = "cairn_own_"

// MakeDatabase makes an empty database on the server that a URL names and returns its URL. The role of the URL has to
// be allowed to.
func MakeDatabase(ctx context.Context, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", cairn.Errorf(cairn.Invalid, "server: is not the URL of a PostgreSQL server")
	}
	name := ownDatabase + strings.ToLower(rand.Text())
	if err := execute(ctx, server, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// DropDatabase removes a database that MakeDatabase made, even if others are still connected to it.
func DropDatabase(ctx context.Context, database string) error {
	u, err := url.Parse(database)
	name := ""
	if err == nil {
		name = strings.TrimPrefix(u.Path, "/")
	}
	if !strings.HasPrefix(name, ownDatabase) {
		return cairn.Errorf(cairn.Invalid, "database: is not a temporary one")
	}
	u.Path = "/postgres" // nobody can drop the database that he is connected to
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
