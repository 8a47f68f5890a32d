-- Memories by event time, and by the time they were superseded, ended or forgotten, for listings and for the list of changes.

-- +goose Up

CREATE INDEX memories_by_event ON trilith.memories (tenant, event_time, session, seq, id);
CREATE INDEX memories_by_closing ON trilith.memories (tenant, superseded_at, session, seq, id) WHERE superseded_at IS NOT NULL;
