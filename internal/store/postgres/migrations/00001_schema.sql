-- Every text column is NOT NULL and compares by bytes; an absent value is ''. The program escapes what PostgreSQL's text type
-- cannot store (U+0000 and invalid UTF-8). All names include their schema, so that sessions need no search path. When the program
-- opens the store, it enables row-level security for every table with a tenant column.

-- +goose Up

COMMENT ON SCHEMA trilith IS 'the memory of trilith; transactions step into trilith_app, work across tenants into trilith_system';


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
    owner         text        COLLATE "C" NOT NULL, -- of a fact; '' for facts of the tenant, for shares, and for every other memory
    PRIMARY KEY (tenant, id)
);

CREATE UNIQUE INDEX memories_by_change ON trilith.memories (change);
CREATE INDEX memories_by_seq ON trilith.memories (tenant, session, seq, id);
-- Memories with the same time are listed in the order of their session.
CREATE INDEX memories_by_recorded ON trilith.memories (tenant, recorded_at, session, seq, id);
-- The older wordings of a memory; few memories have any.
CREATE INDEX memories_by_successor ON trilith.memories (tenant, superseded_by, id) WHERE superseded_by <> '';
-- The edge of the graph that a fact is.
CREATE INDEX memories_by_entity ON trilith.memories (tenant, entity_id, id) WHERE entity_id <> '';
CREATE INDEX memories_by_node ON trilith.memories (tenant, fact_id, id) WHERE fact_id <> '';
CREATE INDEX memories_by_entity_ref ON trilith.memories (tenant, entity_ref, id) WHERE entity_ref <> '';
-- The facts of a source. Its other memories are never searched by source.
CREATE INDEX memories_by_source ON trilith.memories (tenant, source_id, id) WHERE kind = 'fact';
-- For a reviewer's questions: which memories have a rare value, and which wait for a decision.
CREATE INDEX facts_by_id ON trilith.memories (tenant, id) WHERE kind = 'fact';
CREATE INDEX facts_by_recorded ON trilith.memories (tenant, recorded_at, session, seq, id) WHERE kind = 'fact';
CREATE INDEX memories_held ON trilith.memories (tenant, id) WHERE state IN ('candidate', 'quarantined');
CREATE INDEX facts_of_low_trust ON trilith.memories (tenant, id) WHERE kind = 'fact' AND trust NOT IN ('user_confirmed', 'user_stated', 'imported');
-- Facts that a policy may verify.
CREATE INDEX facts_pending ON trilith.memories (tenant, id) INCLUDE (project, user_id, valid_until)
    WHERE kind = 'fact' AND state = 'active' AND shared_from = '' AND more #>> '{fact,verification,status}' = 'pending_approval';
CREATE INDEX memories_by_owner ON trilith.memories (tenant, owner, id) WHERE owner <> '';
-- What one person said, by time: for a user's newest memories, and for turns that speak again of their facts.
CREATE INDEX memories_by_user ON trilith.memories (tenant, user_id, recorded_at, session, seq, id);
-- Indexes that answer a reviewer's questions about all memories and all facts without reading the rows.
CREATE INDEX memories_counted ON trilith.memories (tenant, kind, state, recorded_at);
-- Facts by the fields that comparisons use.
CREATE INDEX facts_compared ON trilith.memories (tenant, entity_id, verb) INCLUDE (state, valid_until, shared_from, user_id, project) WHERE kind = 'fact';
-- The few facts that have an end, and the few that have a deadline.
CREATE INDEX facts_ending ON trilith.memories (tenant, valid_until) WHERE kind = 'fact' AND valid_until IS NOT NULL;
CREATE INDEX facts_due ON trilith.memories (tenant, id) WHERE kind = 'fact' AND more #>> '{fact,action_deadline}' <> '';
-- Memories by event time, and by the time they were superseded, ended or forgotten, for listings and for the list of changes.
CREATE INDEX memories_by_event ON trilith.memories (tenant, event_time, session, seq, id);
CREATE INDEX memories_by_closing ON trilith.memories (tenant, superseded_at, session, seq, id) WHERE superseded_at IS NOT NULL;
-- For mentions: the facts that new turns may speak of, by what the turns belong to. Without them all facts of the tenant were
-- read for each batch that was stored.
CREATE INDEX facts_by_user ON trilith.memories (tenant, user_id, id) WHERE kind = 'fact';
CREATE INDEX facts_by_project ON trilith.memories (tenant, project, id) WHERE kind = 'fact';

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

-- Which facts have an episode as evidence: the inverse of memories.evidence, with what verification policies need to know of the
-- episode. The program writes the rows with facts and with episodes.
CREATE TABLE trilith.evidence (
    tenant  text COLLATE "C" NOT NULL,
    episode text COLLATE "C" NOT NULL,
    fact    text COLLATE "C" NOT NULL,
    says    boolean NOT NULL DEFAULT false, -- a quote of the episode says the fact, and is not withdrawn
    -- Of an episode that is stored, where it says the fact; NULL otherwise:
    tier    smallint,    -- of an active one: the place of its trust among the tiers, 0 the highest
    source  bigint,      -- a hash of what it came from
    voice   bigint,      -- a hash of its words
    heard   timestamptz, -- its event time, to know when the fact was last stated
    PRIMARY KEY (tenant, episode, fact)
);

CREATE INDEX evidence_by_fact ON trilith.evidence (tenant, fact) INCLUDE (says, tier, source, voice, heard);

-- A hash of a text that ignores differences of white space.
-- +goose StatementBegin
CREATE FUNCTION trilith.words_hash(words text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended(regexp_replace(words, '[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', '', 'g') COLLATE "C", 0)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION trilith.tier(state text, trust text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN state = 'active' THEN (array_position('{user_confirmed,user_stated,imported,assistant_said,tool_output}'::text[], trust) - 1)::smallint END
$$;
-- +goose StatementEnd

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

-- Audit entries without a number and a hash. Commits insert them here, so that commits of a tenant do not wait for each other at
-- the end of the hash chain; a background task chains them in the order of n.
CREATE TABLE trilith.audit_open (
    tenant text   COLLATE "C" NOT NULL,
    n      bigint GENERATED BY DEFAULT AS IDENTITY,
    body   text   COLLATE "C" NOT NULL, -- JSON
    PRIMARY KEY (tenant, n)
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

-- Finds the paid embedding of a text for any memory with the same text.
CREATE INDEX embeddings_by_hash ON trilith.embeddings (tenant, generation, hash);

-- The number of erasures of a tenant. A standby with the same number as the primary has replayed all erasures.
CREATE TABLE trilith.erasures (
    tenant text   COLLATE "C" NOT NULL PRIMARY KEY,
    n      bigint NOT NULL
);

-- The text index. It can be rebuilt from the memories: deleting all rows of these tables costs only time.

-- A tenant with texts. A writer locks the row, so that one transaction at a time changes the texts of a tenant.
CREATE TABLE trilith.text_tenants (
    tenant     text    COLLATE "C" NOT NULL,
    next_doc   integer NOT NULL DEFAULT 0,
    next_group integer NOT NULL DEFAULT 0,
    -- all languages that texts of the tenant have had: one bit for each language, at the language's number
    languages  bigint  NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant)
);

-- The combinations of values that nearly every search filters by, numbered in each tenant. Sessions are not included, because
-- there are too many of them with few texts each.
CREATE TABLE trilith.text_groups (
    tenant  text    COLLATE "C" NOT NULL,
    grp     integer NOT NULL,
    key     bytea   NOT NULL, -- hash of all the values
    project text    COLLATE "C" NOT NULL,
    domain  text    COLLATE "C" NOT NULL,
    user_id text    COLLATE "C" NOT NULL,
    agent   text    COLLATE "C" NOT NULL,
    channel text    COLLATE "C" NOT NULL,
    kind    text    COLLATE "C" NOT NULL,
    state   text    COLLATE "C" NOT NULL,
    role    text    COLLATE "C" NOT NULL,
    owner   text    COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, grp),
    UNIQUE (tenant, key)
);

CREATE INDEX text_groups_by_user ON trilith.text_groups (tenant, user_id);

-- The indexed texts, without their words. The columns from tenant to more are those of trilith.memories.
CREATE TABLE trilith.texts (
    doc           integer     NOT NULL, -- number in the tenant; texts that are numbered one after the other lie together
    grp           integer     NOT NULL,
    applied_at    timestamptz NOT NULL,
    terms         text[]      COLLATE "C" NOT NULL, -- the distinct terms: where its postings are
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
    entity_id     text        COLLATE "C" NOT NULL,
    verb          text        COLLATE "C" NOT NULL,
    fact_id       text        COLLATE "C" NOT NULL,
    entity_ref    text        COLLATE "C" NOT NULL,
    evidence      text[]      COLLATE "C" NOT NULL,
    seq           bigint      NOT NULL,
    event_time    timestamptz NOT NULL,
    recorded_at   timestamptz NOT NULL,
    valid_until   timestamptz,
    superseded_at timestamptz,
    tags          text[]      COLLATE "C" NOT NULL,
    more          jsonb,
    asks          boolean     NOT NULL DEFAULT false, -- whether the text is a question, so that the next turn is its answer
    owner         text        COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, doc)
);

CREATE INDEX texts_by_group ON trilith.texts (tenant, grp);
-- The turns of a session in order, to find the neighbours of a turn.
CREATE INDEX texts_by_session ON trilith.texts (tenant, session, seq);
-- The facts about an entity.
CREATE INDEX texts_by_entity ON trilith.texts (tenant, entity_id) WHERE entity_id <> '';

-- Which texts of a block contain a term, and how often, as packed numbers. A changed text updates the rows of its block, in
-- place if the page has room.
CREATE TABLE trilith.text_postings (
    tenant   text    COLLATE "C" NOT NULL,
    term     text    COLLATE "C" NOT NULL,
    block    integer NOT NULL,
    postings bytea   NOT NULL,
    PRIMARY KEY (tenant, term, block)
) WITH (fillfactor = 80, toast_tuple_target = 8160);

ALTER TABLE trilith.text_postings ALTER postings SET STORAGE EXTERNAL; -- packed already
