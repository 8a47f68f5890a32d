-- For mentions: the facts that new turns may speak of, by what the turns belong to. Without them SQLite read all memories, or
-- all facts, of the tenant for each batch that was stored.

-- +goose Up

CREATE INDEX facts_by_session ON memories (tenant, session, id) WHERE kind = 'fact';
CREATE INDEX facts_by_user ON memories (tenant, user, id) WHERE kind = 'fact';
CREATE INDEX facts_by_project ON memories (tenant, project, id) WHERE kind = 'fact';
