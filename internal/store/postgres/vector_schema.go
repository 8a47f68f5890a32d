package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// No migration creates the tables of vectors, because a store without vectors needs no extension. Every exact search
// reads points completely, so vectors stay in their rows as long as they fit on a page: fetching them from elsewhere
// takes five times as long.
const vectorTables = `
CREATE TABLE trilith.generations (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key  text    COLLATE "C" NOT NULL UNIQUE,
    dims integer NOT NULL
);

CREATE TABLE trilith.vectors (
    tenant        text        COLLATE "C" NOT NULL, -- this to more: as in trilith.memories
    id            text        COLLATE "C" NOT NULL,
    version       bigint      NOT NULL,
    kind          text        COLLATE "C" NOT NULL,
    state         text        COLLATE "C" NOT NULL,
    trust         text        COLLATE "C" NOT NULL,
    project       text        COLLATE "C" NOT NULL,
    domain        text        COLLATE "C" NOT NULL,
    user_id       text        COLLATE "C" NOT NULL,
    agent         text        COLLATE "C" NOT NULL,
    session       text        COLLATE "C" NOT NULL,
    channel       text        COLLATE "C" NOT NULL,
    role          text        COLLATE "C" NOT NULL,
    speaker       text        COLLATE "C" NOT NULL,
    type          text        COLLATE "C" NOT NULL,
    source_id     text        COLLATE "C" NOT NULL,
    shared_from   text        COLLATE "C" NOT NULL,
    superseded_by text        COLLATE "C" NOT NULL,
    external_id   text        COLLATE "C" NOT NULL,
    category      text        COLLATE "C" NOT NULL,
    title         text        COLLATE "C" NOT NULL,
    entity_id     text        COLLATE "C" NOT NULL,
    verb          text        COLLATE "C" NOT NULL,
    fact_id       text        COLLATE "C" NOT NULL,
    entity_ref    text        COLLATE "C" NOT NULL,
    owner         text        COLLATE "C" NOT NULL,
    evidence      text[]      COLLATE "C" NOT NULL,
    seq           bigint      NOT NULL,
    event_time    timestamptz NOT NULL,
    recorded_at   timestamptz NOT NULL,
    valid_until   timestamptz,
    superseded_at timestamptz,
    tags          text[]      COLLATE "C" NOT NULL,
    more          jsonb,
    generation    integer     NOT NULL,
    at            timestamptz NOT NULL, -- when the vector was made
    cut           boolean     NOT NULL,
    v             SCHEMA.vector NOT NULL, -- as many dimensions as its generation has
    PRIMARY KEY (tenant, id, generation)
) WITH (toast_tuple_target = 8160);

CREATE INDEX vectors_by_user ON trilith.vectors (tenant, generation, user_id);
CREATE INDEX vectors_by_session ON trilith.vectors (tenant, generation, session);
CREATE INDEX vectors_by_entity ON trilith.vectors (tenant, generation, entity_id) WHERE entity_id <> '';
-- For the parts of a recall: facts and turns of assistants are often few, and reading all vectors for them took most of
-- a recall's time. Equal values are stored once, so it takes some ten bytes for each vector.
CREATE INDEX vectors_by_kind ON trilith.vectors (tenant, generation, kind, role);`

// makeVectors creates the tables for vectors if necessary, and returns the schema of the extension, quoted and with a
// dot.
func makeVectors(ctx context.Context, tx pgx.Tx, system bool) (schema string, err error) {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return "", err
	}
	if schema, err = makeExtension(ctx, tx); err != nil {
		return "", err
	}
	var has bool
	err = tx.QueryRow(ctx, "SELECT to_regclass('trilith.vectors') IS NOT NULL").Scan(&has)
	if err != nil || has {
		return schema, err
	}
	if _, err := tx.Exec(ctx, strings.ReplaceAll(vectorTables, "SCHEMA.", schema)); err != nil {
		return "", err
	}
	return schema, protect(ctx, tx, system)
}

// makeExtension creates the extension if necessary, and makes sure that searches may use it. An existing extension may
// be in any schema.
func makeExtension(ctx context.Context, tx pgx.Tx) (schema string, err error) {
	const find = `SELECT quote_ident(n.nspname) || '.', string_to_array(regexp_replace(e.extversion, '[^0-9.].*', ''), '.')::int[] >= '{0,8}', has_schema_privilege($1, n.oid, 'USAGE')
		FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`
	var recent, usable bool
	err = tx.QueryRow(ctx, find, appRole).Scan(&schema, &recent, &usable)
	if errors.Is(err, pgx.ErrNoRows) {
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "CREATE EXTENSION vector SCHEMA trilith")
			return err
		})
		switch code(err) {
		case "":
		case insufficientPrivilege:
			return "", trilith.Errorf(
				trilith.Unsupported, "vectors: the login may not create the extension vector; as a superuser run in this database: CREATE EXTENSION vector; or start with --embedder none")
		default:
			return "", &trilith.Error{Kind: trilith.Unsupported, Err: cause(err),
				Msg: "vectors: PostgreSQL lacks the extension vector; install pgvector 0.8 or later on its server and, as a superuser, run in this database: CREATE EXTENSION vector; or start with --embedder none"}
		}
		if err != nil {
			return "", err
		}
		return makeExtension(ctx, tx)
	}
	switch {
	case err != nil:
		return "", err
	case !recent:
		return "", trilith.Errorf(
			trilith.Unsupported, "vectors: the extension vector is too old; install pgvector 0.8 or later and, as a superuser, run in this database: ALTER EXTENSION vector UPDATE")
	case !usable:
		return "", trilith.Errorf(
			trilith.Unsupported, "vectors: the role %s may not use the schema of the extension vector; as its owner run: GRANT USAGE ON SCHEMA %s TO %[1]s",
			appRole, strings.TrimSuffix(schema, "."))
	}
	return schema, nil
}
