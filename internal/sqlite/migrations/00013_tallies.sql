-- What a reviewer asks about all facts, and what one person said: without reading either.

-- +goose Up

-- What one person said, in the order of time. In any other order the whole tenant is looked through, page by page, rather than sorted
-- for each page what may be all of it: so it serves those who name its condition.
CREATE INDEX memories_by_user ON memories (tenant, user, recorded_at, session, seq, id) WHERE user <> '';

CREATE INDEX memories_counted ON memories (tenant, kind, state, recorded_at);

-- Facts by what they are counted by and by what they are compared by. The program repeats the expressions letter by letter.
CREATE INDEX facts_counted ON memories (tenant, iif(json_valid(more), more, NULL) ->> '$.shared_from', state, iif(json_valid(more), more, NULL) ->> '$.fact.fact_type', iif(json_valid(more), more, NULL) ->> '$.fact.verification.status',
    valid_until, superseded_by, user, project) WHERE kind = 'fact';
CREATE INDEX facts_compared ON memories (tenant, entity_id, verb, state, valid_until, user, project,
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.single_valued', iif(json_valid(more), more, NULL) ->> '$.shared_from')
    WHERE kind = 'fact';
-- The few facts that have a deadline.
CREATE INDEX facts_due ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.action_deadline' IS NOT NULL;

-- When a fact was last heard of: the event time of each episode that is stored and says it, beside the fact; NULL otherwise.
ALTER TABLE evidence ADD COLUMN heard INTEGER;
UPDATE evidence SET heard = (SELECT e.event_time FROM memories AS e WHERE e.tenant = evidence.tenant AND e.id = evidence.episode) WHERE says;
DROP INDEX evidence_by_fact;
CREATE INDEX evidence_by_fact ON evidence (tenant, fact, says, tier, source, voice, heard);
