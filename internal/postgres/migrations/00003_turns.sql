-- Columns with which the text index finds the neighbours of a turn, its speaker and its time.

-- +goose Up

-- All languages that texts of the tenant have had: one bit for each language, at the language's number.
ALTER TABLE trilith.text_tenants ADD COLUMN languages bigint NOT NULL DEFAULT 0;

-- Whether the text is a question, so that the next turn is its answer.
ALTER TABLE trilith.texts ADD COLUMN asks boolean NOT NULL DEFAULT false;

-- The turns of a session in order, to find the neighbours of a turn.
DROP INDEX trilith.texts_by_session;
CREATE INDEX texts_by_session ON trilith.texts (tenant, session, seq);

-- The facts about an entity. The tables of vectors are not created by migrations, but with their indexes on first use.
CREATE INDEX texts_by_entity ON trilith.texts (tenant, entity_id) WHERE entity_id <> '';
-- +goose StatementBegin
DO $$ BEGIN
    IF to_regclass('trilith.vectors') IS NOT NULL THEN
        CREATE INDEX vectors_by_entity ON trilith.vectors (tenant, generation, entity_id) WHERE entity_id <> '';
    END IF;
END $$;
-- +goose StatementEnd
