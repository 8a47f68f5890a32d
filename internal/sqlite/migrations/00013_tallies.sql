-- Indexes that answer questions about all facts, and about what one person said, without reading the rows.

-- +goose Up

-- What one person said, by time. The condition keeps the query planner from using this index for listings in another order: it would
-- sort all matching rows for each page, where reading the whole tenant in order is faster.
CREATE INDEX memories_by_user ON memories (tenant, user, recorded_at, session, seq, id) WHERE user <> '';

CREATE INDEX memories_counted ON memories (tenant, kind, state, recorded_at);

-- Facts by the fields for counts and for comparisons. The program's queries must repeat the expressions exactly.
CREATE INDEX facts_counted ON memories (tenant, iif(json_valid(more), more, NULL) ->> '$.shared_from', state, iif(json_valid(more), more, NULL) ->> '$.fact.fact_type', iif(json_valid(more), more, NULL) ->> '$.fact.verification.status',
    valid_until, superseded_by, user, project) WHERE kind = 'fact';
CREATE INDEX facts_compared ON memories (tenant, entity_id, verb, state, valid_until, user, project,
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.single_valued', iif(json_valid(more), more, NULL) ->> '$.shared_from')
    WHERE kind = 'fact';
-- The few facts with a deadline.
CREATE INDEX facts_due ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.action_deadline' IS NOT NULL;

-- The event time of a stored episode that states the fact, to know when the fact was last stated; otherwise NULL.
ALTER TABLE evidence ADD COLUMN heard INTEGER;
UPDATE evidence SET heard = (SELECT e.event_time FROM memories AS e WHERE e.tenant = evidence.tenant AND e.id = evidence.episode) WHERE says;
DROP INDEX evidence_by_fact;
CREATE INDEX evidence_by_fact ON evidence (tenant, fact, says, tier, source, voice, heard);
