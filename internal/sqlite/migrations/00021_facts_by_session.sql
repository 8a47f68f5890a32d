-- For mentions: facts of the sessions of new turns. Without it SQLite read the tenant for each batch that was stored.

-- +goose Up

CREATE INDEX facts_by_session ON memories (tenant, session, id) WHERE kind = 'fact';
