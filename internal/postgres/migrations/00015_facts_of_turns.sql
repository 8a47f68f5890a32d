-- For mentions: the facts that new turns may speak of, by what the turns belong to. Without them all facts of the tenant were
-- read for each batch that was stored.

-- +goose Up

CREATE INDEX facts_by_user ON trilith.memories (tenant, user_id, id) WHERE kind = 'fact';
CREATE INDEX facts_by_project ON trilith.memories (tenant, project, id) WHERE kind = 'fact';
