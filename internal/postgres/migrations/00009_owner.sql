-- The owner of a fact; '' for facts of the tenant, for shares, and for every other memory. The engine sets it for stored facts.

-- During a rolling upgrade, programs of the earlier version still run and do not know the column. A fact without an owner would be
-- visible to everybody, so their writes must fail: the default raises an error, and newer programs always set the column.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION trilith.no_owner() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'this trilith is older than the database, in which facts have owners; replace it by the version of the others'
        USING ERRCODE = 'read_only_sql_transaction'; -- which every version takes for: repeat it, elsewhere or later
END $$;
-- +goose StatementEnd

ALTER TABLE trilith.memories ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trilith.texts ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trilith.text_groups ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trilith.memories ALTER COLUMN owner SET DEFAULT trilith.no_owner();
ALTER TABLE trilith.texts ALTER COLUMN owner SET DEFAULT trilith.no_owner();
ALTER TABLE trilith.text_groups ALTER COLUMN owner SET DEFAULT trilith.no_owner();

CREATE INDEX memories_by_owner ON trilith.memories (tenant, owner, id) WHERE owner <> '';

-- The tables of vectors are not created by migrations, but with their indexes on first use.
-- +goose StatementBegin
DO $$ BEGIN
    IF to_regclass('trilith.vectors') IS NOT NULL THEN
        ALTER TABLE trilith.vectors ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
        ALTER TABLE trilith.vectors ALTER COLUMN owner SET DEFAULT trilith.no_owner();
    END IF;
END $$;
-- +goose StatementEnd
