-- Indexes that answer a reviewer's questions about all memories and all facts without reading the rows.

-- +goose Up

CREATE INDEX memories_counted ON cairn.memories (tenant, kind, state, recorded_at);
-- Facts by the fields that comparisons use.
CREATE INDEX facts_compared ON cairn.memories (tenant, entity_id, verb) INCLUDE (state, valid_until, shared_from, user_id, project) WHERE kind = 'fact';
-- The few facts that have an end, and the few that have a deadline.
CREATE INDEX facts_ending ON cairn.memories (tenant, valid_until) WHERE kind = 'fact' AND valid_until IS NOT NULL;
CREATE INDEX facts_due ON cairn.memories (tenant, id) WHERE kind = 'fact' AND more #>> '{fact,action_deadline}' <> '';

-- The event time of a stored episode that states the fact, to know when the fact was last stated; otherwise NULL.
ALTER TABLE cairn.evidence ADD COLUMN heard timestamptz;
-- Row-level security also applies to the owner of the tables, and its policies allow one tenant at a time.
ALTER TABLE cairn.memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE cairn.evidence NO FORCE ROW LEVEL SECURITY;
UPDATE cairn.evidence AS v SET heard = e.event_time FROM cairn.memories AS e WHERE v.says AND e.tenant = v.tenant AND e.id = v.episode;
ALTER TABLE cairn.memories FORCE ROW LEVEL SECURITY;
ALTER TABLE cairn.evidence FORCE ROW LEVEL SECURITY;
DROP INDEX cairn.evidence_by_fact;
CREATE INDEX evidence_by_fact ON cairn.evidence (tenant, fact) INCLUDE (says, tier, source, voice, heard);
