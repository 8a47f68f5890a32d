-- Every text column is NOT NULL and compares by bytes; an absent value is ''. The program escapes what PostgreSQL's text type
-- cannot store (U+0000 and invalid UTF-8). All names include their schema, so that sessions need no search path. When the program
-- opens the store, it enables row-level security for every table with a tenant column.

-- +goose Up

-- Unwraps lists with one element at any depth, because such a list equals its element.
-- +goose StatementBegin
CREATE FUNCTION trilith.alone(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    WHILE jsonb_typeof(value) = 'array' AND jsonb_array_length(value) = 1 LOOP
        value := value -> 0;
    END LOOP;
    RETURN value;
END $$;
-- +goose StatementEnd

-- The numbers of the change log. They begin at 2, so that the number before that of the first commit exists.
CREATE SEQUENCE trilith.changes;
SELECT setval('trilith.changes', 1);

-- Each put gets a new number of the change log, so this table is also the log of the existing memories, with their latest change.
-- All tables that filters search have the columns from tenant to more.
CREATE TABLE trilith.memories (
    change        bigint      NOT NULL,
    tenant        text        COLLATE "C" NOT NULL,
    id            text        COLLATE "C" NOT NULL,
    version       bigint      NOT NULL,
    kind          text        COLLATE "C" NOT NULL,
    state         text        COLLATE "C" NOT NULL,
    trust         text        COLLATE "C" NOT NULL,
    project       text        COLLATE "C" NOT NULL,
    domain        text        COLLATE "C" NOT NULL,
    user_id       text        COLLATE "C" NOT NULL,
    agent         text        COLLATE "C" NOT NULL,
    session       text        COLLATE "C" NOT NULL,
    channel       text        COLLATE "C" NOT NULL,
    role          text        COLLATE "C" NOT NULL,
    speaker       text        COLLATE "C" NOT NULL,
    type          text        COLLATE "C" NOT NULL,
    source_id     text        COLLATE "C" NOT NULL,
    shared_from   text        COLLATE "C" NOT NULL,
    superseded_by text        COLLATE "C" NOT NULL,
    external_id   text        COLLATE "C" NOT NULL,
    category      text        COLLATE "C" NOT NULL,
    title         text        COLLATE "C" NOT NULL,
    entity_id     text        COLLATE "C" NOT NULL, -- this and the next four: of a fact
    verb          text        COLLATE "C" NOT NULL,
    fact_id       text        COLLATE "C" NOT NULL,
    entity_ref    text        COLLATE "C" NOT NULL,
    evidence      text[]      COLLATE "C" NOT NULL, -- the episodes that it rests on
    seq           bigint      NOT NULL,
    event_time    timestamptz NOT NULL,
    recorded_at   timestamptz NOT NULL,
    valid_until   timestamptz,
    superseded_at timestamptz,
    tags          text[]      COLLATE "C" NOT NULL,
    more          jsonb,                            -- the rest; NULL: there is none
    text          text        COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE UNIQUE INDEX memories_by_change ON trilith.memories (change);
CREATE INDEX memories_by_seq ON trilith.memories (tenant, session, seq, id);
CREATE INDEX memories_by_recorded ON trilith.memories (tenant, recorded_at DESC, id);
-- The older wordings of a memory; few memories have any.
CREATE INDEX memories_by_successor ON trilith.memories (tenant, superseded_by, id) WHERE superseded_by <> '';
-- The edge of the graph that a fact is.
CREATE INDEX memories_by_entity ON trilith.memories (tenant, entity_id, id) WHERE entity_id <> '';
CREATE INDEX memories_by_node ON trilith.memories (tenant, fact_id, id) WHERE fact_id <> '';
CREATE INDEX memories_by_entity_ref ON trilith.memories (tenant, entity_ref, id) WHERE entity_ref <> '';
-- The facts of a source. Its other memories are never searched by source.
CREATE INDEX memories_by_source ON trilith.memories (tenant, source_id, id) WHERE kind = 'fact';

-- Deletions, the other half of the change log, with numbers from the same sequence. A deletion stays when its id is put again: it
-- has a lower number than the put, so a reader of the log applies the put last.
CREATE TABLE trilith.deletions (
    change  bigint NOT NULL,
    tenant  text   COLLATE "C" NOT NULL,
    id      text   COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE UNIQUE INDEX deletions_by_change ON trilith.deletions (change);

-- Which facts have an episode as evidence: the inverse of memories.evidence.
CREATE TABLE trilith.evidence (
    tenant  text COLLATE "C" NOT NULL,
    episode text COLLATE "C" NOT NULL,
    fact    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, episode, fact)
);

CREATE INDEX evidence_by_fact ON trilith.evidence (tenant, fact);

CREATE TABLE trilith.records (
    tenant  text   COLLATE "C" NOT NULL,
    kind    text   COLLATE "C" NOT NULL,
    id      text   COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    body    text   COLLATE "C" NOT NULL, -- JSON, byte for byte
    PRIMARY KEY (tenant, kind, id)
);

CREATE TABLE trilith.claims (
    tenant text COLLATE "C" NOT NULL,
    space  text COLLATE "C" NOT NULL,
    value  text COLLATE "C" NOT NULL,
    owner  text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, space, value)
);

CREATE INDEX claims_by_owner ON trilith.claims (tenant, owner);

CREATE TABLE trilith.jobs (
    tenant       text        COLLATE "C" NOT NULL,
    id           text        COLLATE "C" NOT NULL,
    kind         text        COLLATE "C" NOT NULL,
    payload      text        COLLATE "C" NOT NULL, -- JSON, byte for byte; '': none
    state        text        COLLATE "C" NOT NULL,
    run_at       timestamptz NOT NULL,
    attempts     bigint      NOT NULL,
    max_attempts bigint      NOT NULL,
    leased_until timestamptz,
    worker       text        COLLATE "C" NOT NULL,
    error        text        COLLATE "C" NOT NULL,
    request_id   text        COLLATE "C" NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    due          timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(leased_until, run_at)) STORED, -- when a worker may take it
    PRIMARY KEY (tenant, id)
);

CREATE INDEX jobs_by_due ON trilith.jobs (due, id) WHERE state = 'ready';

CREATE TABLE trilith.audit (
    tenant text   COLLATE "C" NOT NULL,
    seq    bigint NOT NULL,
    body   text   COLLATE "C" NOT NULL, -- JSON, byte for byte
    PRIMARY KEY (tenant, seq)
);

-- Paid embeddings, one for each memory and generation. The oldest has the lowest number.
CREATE TABLE trilith.embeddings (
    seq        bigint  GENERATED BY DEFAULT AS IDENTITY UNIQUE,
    tenant     text    COLLATE "C" NOT NULL,
    memory     text    COLLATE "C" NOT NULL,
    generation text    COLLATE "C" NOT NULL,
    hash       text    COLLATE "C" NOT NULL, -- of the text
    cut        boolean NOT NULL,
    vector     bytea   NOT NULL, -- 4 bytes for each dimension, IEEE 754 single precision, little endian; empty: nothing to say
    PRIMARY KEY (tenant, memory, generation)
);
