-- For a reviewer's questions: indexes of the fields that facts are filtered by, and of the memories that wait for a decision.

-- +goose Up

-- For most fields, the index answers a query without reading the facts. The program's queries must repeat its expressions exactly.
-- Where SQL would read an amount differently from Go, the indexed amount is larger than any other. Invalid JSON gives NULL, so that
-- a damaged row does not prevent the file from being opened.
CREATE INDEX facts_by_id ON memories (tenant, id, state, trust, valid_until, user, project, event_time,
    iif(json_valid(more), more, NULL) ->> '$.fact.verification.status', iif(json_valid(more), more, NULL) ->> '$.fact.priority', iif(json_valid(more), more, NULL) ->> '$.fact.fact_type',
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.requires_action', iif(json_valid(more), more, NULL) ->> '$.fact.confidence',
    iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)),
    json_array_length(iif(json_valid(more), more, NULL), '$.fact.evidence'), iif(json_valid(more), more, NULL) ->> '$.shared_from')
    WHERE kind = 'fact';
CREATE INDEX facts_by_recorded ON memories (tenant, recorded_at, session, seq, id, state, trust, valid_until, user, project, event_time,
    iif(json_valid(more), more, NULL) ->> '$.fact.verification.status', iif(json_valid(more), more, NULL) ->> '$.fact.priority', iif(json_valid(more), more, NULL) ->> '$.fact.fact_type',
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.requires_action', iif(json_valid(more), more, NULL) ->> '$.fact.confidence',
    iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)))
    WHERE kind = 'fact';
-- The few facts that reviewers look for: in doubt, of low trust, about money, or with an action.
CREATE INDEX facts_contested ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.verification.status' IN ('needs_review', 'disputed');
CREATE INDEX facts_of_low_trust ON memories (tenant, id, state) WHERE kind = 'fact' AND trust NOT IN ('user_confirmed', 'user_stated', 'imported');
CREATE INDEX facts_of_money ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)) IS NOT NULL;
CREATE INDEX facts_to_do ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.requires_action' = 1;
CREATE INDEX memories_held ON memories (tenant, id, state) WHERE state IN ('candidate', 'quarantined');

-- The memories that have a tag, a title, a category or a metadata value. Triggers write the rows. Several values may share a mark,
-- so a search compares the memory itself too.
CREATE TABLE marks (
    tenant TEXT NOT NULL,
    mark   TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (tenant, mark, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX marks_by_memory ON marks (tenant, memory);

-- Every mark of every memory. Whole numbers are written without a fraction, and true and false as 1 and 0.
CREATE VIEW marked AS
    SELECT m.change, m.tenant, 'tags:' || t.value AS mark, m.id FROM memories AS m, json_each(m.more, '$.tags') AS t WHERE json_valid(m.more)
    UNION ALL
    SELECT m.change, m.tenant, e.key || ':' || e.value, m.id FROM memories AS m, json_each(m.more, '$.entry') AS e
    WHERE json_valid(m.more) AND e.key IN ('title', 'category')
    UNION ALL
    SELECT m.change, m.tenant, 'metadata.' || k.key || ':' ||
        substr(iif(typeof(v.atom) = 'real' AND v.atom = CAST(v.atom AS INTEGER), CAST(v.atom AS INTEGER), v.atom), 1, 100), m.id
    FROM memories AS m, json_each(m.more, '$.metadata') AS k,
        json_tree(iif(k.type IN ('object', 'array'), k.value, json_array(k.atom))) AS v
    WHERE json_valid(m.more) AND v.atom IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER marks_of_put AFTER INSERT ON memories WHEN NEW.more <> ''
BEGIN
    INSERT OR IGNORE INTO marks (tenant, mark, memory) SELECT tenant, mark, id FROM marked WHERE change = NEW.change;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER marks_of_deleted AFTER DELETE ON memories WHEN OLD.more <> ''
BEGIN
    DELETE FROM marks WHERE tenant = OLD.tenant AND memory = OLD.id;
END;
-- +goose StatementEnd

INSERT OR IGNORE INTO marks (tenant, mark, memory) SELECT tenant, mark, id FROM marked;
