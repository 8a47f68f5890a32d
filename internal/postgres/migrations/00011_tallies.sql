-- Indexes that answer a reviewer's questions about all memories and all facts without reading the rows.

-- +goose Up

CREATE INDEX memories_counted ON trilith.memories (tenant, kind, state, recorded_at);
-- Facts by the fields that comparisons use.
CREATE INDEX facts_compared ON trilith.memories (tenant, entity_id, verb) INCLUDE (state, valid_until, shared_from, user_id, project) WHERE kind = 'fact';
-- The few facts that have an end, and the few that have a deadline.
CREATE INDEX facts_ending ON trilith.memories (tenant, valid_until) WHERE kind = 'fact' AND valid_until IS NOT NULL;
CREATE INDEX facts_due ON trilith.memories (tenant, id) WHERE kind = 'fact' AND more #>> '{fact,action_deadline}' <> '';

-- The event time of a stored episode that states the fact, to know when the fact was last stated; otherwise NULL.
ALTER TABLE trilith.evidence ADD COLUMN heard timestamptz;
-- Row-level security also applies to the owner of the tables, and its policies allow one tenant at a time.
ALTER TABLE trilith.memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE trilith.evidence NO FORCE ROW LEVEL SECURITY;
UPDATE trilith.evidence AS v SET heard = e.event_time FROM trilith.memories AS e WHERE v.says AND e.tenant = v.tenant AND e.id = v.episode;
ALTER TABLE trilith.memories FORCE ROW LEVEL SECURITY;
ALTER TABLE trilith.evidence FORCE ROW LEVEL SECURITY;
DROP INDEX trilith.evidence_by_fact;
CREATE INDEX evidence_by_fact ON trilith.evidence (tenant, fact) INCLUDE (says, tier, source, voice, heard);
