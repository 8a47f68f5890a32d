-- Which facts have an episode as evidence. Triggers write the rows with the facts.

-- +goose Up

CREATE TABLE evidence (
    tenant  TEXT NOT NULL,
    episode TEXT NOT NULL,
    fact    TEXT NOT NULL,
    PRIMARY KEY (tenant, episode, fact)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_by_fact ON evidence (tenant, fact);

-- +goose StatementBegin
CREATE TRIGGER evidence_of_put AFTER INSERT ON memories WHEN NEW.kind = 'fact' AND NEW.more <> ''
BEGIN
    INSERT OR IGNORE INTO evidence (tenant, episode, fact)
    SELECT NEW.tenant, json_extract(e.value, '$.episode_id'), NEW.id
    FROM json_each(NEW.more, '$.fact.evidence') AS e;
    INSERT OR IGNORE INTO evidence (tenant, episode, fact)
    SELECT NEW.tenant, json_extract(p.value, '$.episode_id'), NEW.id
    FROM json_each(NEW.more, '$.fact.evidence') AS e, json_each(e.value, '$.premises') AS p;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER evidence_of_deleted AFTER DELETE ON memories WHEN OLD.kind = 'fact'
BEGIN
    DELETE FROM evidence WHERE tenant = OLD.tenant AND fact = OLD.id;
END;
-- +goose StatementEnd

INSERT OR IGNORE INTO evidence (tenant, episode, fact)
SELECT m.tenant, json_extract(e.value, '$.episode_id'), m.id
FROM memories AS m, json_each(m.more, '$.fact.evidence') AS e
WHERE m.kind = 'fact' AND m.more <> '';
