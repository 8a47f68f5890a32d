-- What one person said, in the order of time: the newest of one user, and the turns in which their facts were spoken of again.

-- +goose Up

CREATE INDEX memories_by_user ON cairn.memories (tenant, user_id, recorded_at, session, seq, id);
