-- The text index. It can be rebuilt from the memories: deleting all rows of these tables costs only time.

-- +goose Up

-- A tenant with texts. A writer locks the row, so that one transaction at a time changes the texts of a tenant.
CREATE TABLE trilith.text_tenants (
    tenant     text    COLLATE "C" NOT NULL,
    next_doc   integer NOT NULL DEFAULT 0,
    next_group integer NOT NULL DEFAULT 0,
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
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, doc)
);

CREATE INDEX texts_by_group ON trilith.texts (tenant, grp);
CREATE INDEX texts_by_session ON trilith.texts (tenant, session);

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
