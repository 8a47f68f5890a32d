-- What one person said, by time: for a user's newest memories, and for turns that speak again of their facts.

-- +goose Up

CREATE INDEX memories_by_user ON trilith.memories (tenant, user_id, recorded_at, session, seq, id);
