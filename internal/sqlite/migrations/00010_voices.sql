-- What verification policies need to know of a fact's episodes, stored with the evidence. The program writes it with facts and with
-- episodes.

-- +goose Up

-- From this schema on the program writes the rows, because it knows the values of the columns.
DROP TRIGGER evidence_of_put;
DROP INDEX evidence_by_fact;
ALTER TABLE evidence ADD COLUMN says INTEGER NOT NULL DEFAULT 0; -- 1: a quote of the episode says the fact, and is not withdrawn
-- For a stored episode where says is 1; otherwise NULL:
ALTER TABLE evidence ADD COLUMN tier INTEGER;   -- of an active one: the place of its trust among the tiers, 0 the highest
ALTER TABLE evidence ADD COLUMN source INTEGER; -- a hash of what it came from
ALTER TABLE evidence ADD COLUMN voice INTEGER;  -- a hash of its words

UPDATE evidence SET says = 1 WHERE EXISTS (
    SELECT 1 FROM memories AS m, json_each(iif(json_valid(m.more), m.more, NULL), '$.fact.evidence') AS e
    WHERE m.tenant = evidence.tenant AND m.id = evidence.fact AND e.value ->> '$.episode_id' = evidence.episode
        AND coalesce(e.value ->> '$.withdrawn', 0) = 0 AND coalesce(e.value ->> '$.ends', 0) = 0);
-- The program's queries use the same expressions.
UPDATE evidence SET (tier, source, voice) = (
    SELECT iif(e.state = 'active', CASE e.trust WHEN 'user_confirmed' THEN 0 WHEN 'user_stated' THEN 1 WHEN 'imported' THEN 2 WHEN 'assistant_said' THEN 3 WHEN 'tool_output' THEN 4 END, NULL),
        words_hash(iif(e.source_id = '', e.id, e.source_id)), words_hash(e.text)
    FROM memories AS e WHERE e.tenant = evidence.tenant AND e.id = evidence.episode)
    WHERE says;
CREATE INDEX evidence_by_fact ON evidence (tenant, fact, says, tier, source, voice);

-- Facts that a policy may verify. The index of all facts has only the columns that listings need.
CREATE INDEX facts_pending ON memories (tenant, id, valid_until, user, project, iif(json_valid(more), more, NULL) ->> '$.fact.fact_type', iif(json_valid(more), more, NULL) ->> '$.fact.confidence')
    WHERE kind = 'fact' AND state = 'active' AND iif(json_valid(more), more, NULL) ->> '$.fact.verification.status' = 'pending_approval' AND iif(json_valid(more), more, NULL) ->> '$.shared_from' IS NULL;
DROP INDEX facts_by_id;
CREATE INDEX facts_by_id ON memories (tenant, id, state, trust, valid_until, user, project, event_time,
    iif(json_valid(more), more, NULL) ->> '$.fact.verification.status', iif(json_valid(more), more, NULL) ->> '$.fact.priority', iif(json_valid(more), more, NULL) ->> '$.fact.fact_type',
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.requires_action', iif(json_valid(more), more, NULL) ->> '$.fact.confidence',
    iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)))
    WHERE kind = 'fact';

-- Most facts have no marked value. A filter that names no marked key does not read the marks.
DROP TRIGGER marks_of_put;
-- +goose StatementBegin
CREATE TRIGGER marks_of_put AFTER INSERT ON memories
    WHEN instr(NEW.more, '"tags"') OR instr(NEW.more, '"metadata"') OR instr(NEW.more, '"entry"')
BEGIN
    INSERT OR IGNORE INTO marks (tenant, mark, memory) SELECT tenant, mark, id FROM marked WHERE change = NEW.change;
END;
-- +goose StatementEnd
