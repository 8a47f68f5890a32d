-- For a reviewer's questions: which memories have a rare value, and which wait for a decision.

-- +goose Up

CREATE INDEX facts_by_id ON trilith.memories (tenant, id) WHERE kind = 'fact';
CREATE INDEX facts_by_recorded ON trilith.memories (tenant, recorded_at, session, seq, id) WHERE kind = 'fact';
CREATE INDEX memories_held ON trilith.memories (tenant, id) WHERE state IN ('candidate', 'quarantined');
CREATE INDEX facts_of_low_trust ON trilith.memories (tenant, id) WHERE kind = 'fact' AND trust NOT IN ('user_confirmed', 'user_stated', 'imported');

-- The memories that have a tag, a title, a category, a metadata value, or a rare property of facts. Triggers write the rows, because
-- with row-level security an index on an expression is not used. Several values may share a mark, so a search compares the memory
-- itself too.
CREATE TABLE trilith.marks (
    tenant text COLLATE "C" NOT NULL,
    mark   text COLLATE "C" NOT NULL,
    memory text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, mark, memory)
);

CREATE INDEX marks_by_memory ON trilith.marks (tenant, memory);

-- +goose StatementBegin
CREATE FUNCTION trilith.marks_of(m trilith.memories) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'tags:' || left(t, 100) FROM unnest(m.tags) AS t
    UNION SELECT 'title:' || left(m.title, 100) WHERE m.title <> ''
    UNION SELECT 'category:' || left(m.category, 100) WHERE m.category <> ''
    UNION SELECT 'metadata.' || left(k.key, 100) || ':' ||
        CASE jsonb_typeof(v) WHEN 'number' THEN left(trim_scale((v #>> '{}')::numeric)::text, 100) ELSE left(v #>> '{}', 100) END
        FROM jsonb_each(m.more -> 'metadata') AS k, jsonb_path_query(k.value, 'strict $.**') AS v
        WHERE jsonb_typeof(v) IN ('string', 'number', 'boolean')
    UNION SELECT 'verification_status:' || left(m.more #>> '{fact,verification,status}', 100)
        WHERE m.more #>> '{fact,verification,status}' <> 'pending_approval'
    UNION SELECT 'priority:' || left(m.more #>> '{fact,priority}', 100) WHERE m.more #>> '{fact,priority}' <> 'normal'
    UNION SELECT 'requires_action:true' WHERE m.more #>> '{fact,requires_action}' = 'true'
    UNION SELECT 'financial_amount:' WHERE m.more #>> '{fact,financial,amount}' <> ''
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION trilith.mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM trilith.marks WHERE tenant = OLD.tenant AND memory = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO trilith.marks (tenant, mark, memory) SELECT NEW.tenant, mark, NEW.id FROM trilith.marks_of(NEW) AS mark;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER marks_of_new AFTER INSERT ON trilith.memories FOR EACH ROW
    WHEN (NEW.more IS NOT NULL OR cardinality(NEW.tags) > 0 OR NEW.title <> '' OR NEW.category <> '') EXECUTE FUNCTION trilith.mark();
CREATE TRIGGER marks_of_changed AFTER UPDATE OR DELETE ON trilith.memories FOR EACH ROW EXECUTE FUNCTION trilith.mark();

-- Row-level security also applies to the owner of the tables, and its policies allow one tenant at a time.
ALTER TABLE trilith.memories NO FORCE ROW LEVEL SECURITY;
INSERT INTO trilith.marks (tenant, mark, memory) SELECT m.tenant, mark, m.id FROM trilith.memories AS m, trilith.marks_of(m) AS mark;
ALTER TABLE trilith.memories FORCE ROW LEVEL SECURITY;
