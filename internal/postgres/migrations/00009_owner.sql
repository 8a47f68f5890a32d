-- Whose a fact is. '' for the tenant's, for shares, and for every other memory. Stored facts get theirs from the engine.

-- A program of before, which still runs while others are replaced, does not know the column. What it would write had no owner and
-- would be everybody's, so its writes are refused: the default fails, and whoever knows the column always names a value.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION cairn.no_owner() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'this cairn is older than the database, in which facts have owners; replace it by the version of the others'
        USING ERRCODE = 'read_only_sql_transaction'; -- which every version takes for: repeat it, elsewhere or later
END $$;
-- +goose StatementEnd

ALTER TABLE cairn.memories ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cairn.texts ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cairn.text_groups ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cairn.memories ALTER COLUMN owner SET DEFAULT cairn.no_owner();
ALTER TABLE cairn.texts ALTER COLUMN owner SET DEFAULT cairn.no_owner();
ALTER TABLE cairn.text_groups ALTER COLUMN owner SET DEFAULT cairn.no_owner();

CREATE INDEX memories_by_owner ON cairn.memories (tenant, owner, id) WHERE owner <> '';

-- Vectors lie in no migration: their table is made with its indexes when they are first asked for.
-- +goose StatementBegin
DO $$ BEGIN
    IF to_regclass('cairn.vectors') IS NOT NULL THEN
        ALTER TABLE cairn.vectors ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
        ALTER TABLE cairn.vectors ALTER COLUMN owner SET DEFAULT cairn.no_owner();
    END IF;
END $$;
-- +goose StatementEnd
