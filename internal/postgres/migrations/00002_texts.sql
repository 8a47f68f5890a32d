-- The text index. It is derived: whoever deletes all rows of these tables loses nothing but time.

-- +goose Up

-- A tenant that holds texts. Whoever changes its texts locks its row, so that there is one of them at a time.
CREATE TABLE cairn.text_tenants (
    tenant     text    COLLATE "C" NOT NULL,
    next_doc   integer NOT NULL DEFAULT 0,
    next_group integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant)
);

-- The combinations of the values that nearly every search looks at, with a number in the tenant.
CREATE TABLE cairn.text_groups (
    tenant  text    COLLATE "C" NOT NULL,
    grp     integer NOT NULL,
    key     bytea   NOT NULL, -- hash of all the values
    project text    COLLATE "C" NOT NULL,
    domain  text    COLLATE "C" NOT NULL,
    user_id text    COLLATE "C" NOT NULL,
    agent   text    COLLATE "C" NOT NULL,
    session text    COLLATE "C" NOT NULL,
    channel text    COLLATE "C" NOT NULL,
    kind    text    COLLATE "C" NOT NULL,
    state   text    COLLATE "C" NOT NULL,
    role    text    COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, grp),
    UNIQUE (tenant, key)
);

-- What is held, without the words in their order. The columns from tenant to more are those of cairn.memories.
CREATE TABLE cairn.texts (
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
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, doc)
);

CREATE INDEX texts_by_group ON cairn.texts (tenant, grp);

-- Which texts of a block hold a term, and how often: packed numbers. The rows of a block change with each of its texts, in
-- place where a page has room.
CREATE TABLE cairn.text_postings (
    tenant   text    COLLATE "C" NOT NULL,
    term     text    COLLATE "C" NOT NULL,
    block    integer NOT NULL,
    postings bytea   NOT NULL,
    PRIMARY KEY (tenant, term, block)
) WITH (fillfactor = 80, toast_tuple_target = 8160);

ALTER TABLE cairn.text_postings ALTER postings SET STORAGE EXTERNAL; -- packed already
