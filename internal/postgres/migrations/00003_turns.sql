-- The text index knows which turn follows which, who speaks and when.

-- +goose Up

-- The languages that texts of the tenant were ever in: bits by the number of the language.
ALTER TABLE cairn.text_tenants ADD COLUMN languages bigint NOT NULL DEFAULT 0;

-- Whether the text asks something: what follows it then answers.
ALTER TABLE cairn.texts ADD COLUMN asks boolean NOT NULL DEFAULT false;

-- A session in its order, so that the turns around a place are found.
DROP INDEX cairn.texts_by_session;
CREATE INDEX texts_by_session ON cairn.texts (tenant, session, seq);

-- The facts about an entity. Vectors lie in no migration: their table is made with its indexes when they are first asked for.
CREATE INDEX texts_by_entity ON cairn.texts (tenant, entity_id) WHERE entity_id <> '';
-- +goose StatementBegin
DO $$ BEGIN
    IF to_regclass('cairn.vectors') IS NOT NULL THEN
        CREATE INDEX vectors_by_entity ON cairn.vectors (tenant, generation, entity_id) WHERE entity_id <> '';
    END IF;
END $$;
-- +goose StatementEnd
