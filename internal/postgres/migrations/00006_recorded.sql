-- Memories with the same time are listed in the order of their session.

-- +goose Up

DROP INDEX cairn.memories_by_recorded;
CREATE INDEX memories_by_recorded ON cairn.memories (tenant, recorded_at, session, seq, id);
