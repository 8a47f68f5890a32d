-- Memories with the same time are listed in the order of their session.

-- +goose Up

DROP INDEX trilith.memories_by_recorded;
CREATE INDEX memories_by_recorded ON trilith.memories (tenant, recorded_at, session, seq, id);
