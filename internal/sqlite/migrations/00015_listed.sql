-- Memories by when they happened, and by when they were replaced, ended or forgotten, as listings and the changes show them.

-- +goose Up

CREATE INDEX memories_by_event ON memories (tenant, event_time, session, seq, id);
CREATE INDEX memories_by_closing ON memories (tenant, superseded_at, session, seq, id) WHERE superseded_at IS NOT NULL;
