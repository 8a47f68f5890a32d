-- Every text column is NOT NULL and compares by bytes (BINARY is SQLite's default); an absent value is ''.
-- Times are microseconds since 1970 in UTC.

-- +goose Up

-- "cair": the application id, by which Open recognises files of this program.
PRAGMA application_id = 0x7472696c;

-- Of two processes that apply one migration at the same time, the second must fail and roll back.
CREATE UNIQUE INDEX goose_db_version_once ON goose_db_version (version_id);

-- Each put gets a new number of the change log, so this table is also the log of the existing memories, with their latest change.
CREATE TABLE memories (
    change        INTEGER PRIMARY KEY,
    tenant        TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    version       INTEGER NOT NULL,
    kind          TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    trust         TEXT    NOT NULL,
    project       TEXT    NOT NULL,
    domain        TEXT    NOT NULL,
    user          TEXT    NOT NULL,
    agent         TEXT    NOT NULL,
    session       TEXT    NOT NULL,
    channel       TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    speaker       TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    source_id     TEXT    NOT NULL,
    external_id   TEXT    NOT NULL,
    event_time    INTEGER NOT NULL,
    recorded_at   INTEGER NOT NULL,
    valid_until   INTEGER,
    superseded_by TEXT    NOT NULL,
    superseded_at INTEGER,
    more          TEXT    NOT NULL, -- JSON: what no query looks at
    text          TEXT    NOT NULL,
    entity_id     TEXT    NOT NULL DEFAULT '', -- this and the next three: the edge of the graph that a fact is
    verb          TEXT    NOT NULL DEFAULT '',
    fact_id       TEXT    NOT NULL DEFAULT '',
    entity_ref    TEXT    NOT NULL DEFAULT '', -- the entity that the fact node names
    sum           INTEGER,                     -- here and in other tables: a checksum of the row's content, see checksum.go
    owner         TEXT    NOT NULL DEFAULT ''  -- of a fact; '' for facts of the tenant, for shares, and for every other memory
) STRICT;

CREATE UNIQUE INDEX memories_by_id ON memories (tenant, id);
CREATE INDEX memories_by_seq ON memories (tenant, session, seq, id);
-- The older wordings of a memory; few memories have any.
CREATE INDEX memories_by_successor ON memories (tenant, superseded_by, id) WHERE superseded_by <> '';

-- Deletions, the other half of the change log, with numbers from the same sequence. A deletion stays when its id is put again: it
-- has a lower number than the put, so a reader of the log applies the put last.
CREATE TABLE deletions (
    change  INTEGER PRIMARY KEY,
    tenant  TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    version INTEGER NOT NULL,
    sum     INTEGER,
    UNIQUE (tenant, id)
) STRICT;

CREATE TABLE records (
    tenant  TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    version INTEGER NOT NULL,
    body    BLOB    NOT NULL, -- JSON, compressed if it is long
    sum     INTEGER,
    PRIMARY KEY (tenant, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    tenant       TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    payload      BLOB    NOT NULL, -- JSON
    state        TEXT    NOT NULL,
    run_at       INTEGER NOT NULL,
    attempts     INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    leased_until INTEGER,
    worker       TEXT    NOT NULL,
    error        TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    due          INTEGER NOT NULL GENERATED ALWAYS AS (coalesce(leased_until, run_at)) VIRTUAL, -- when a worker may take it
    request_id   TEXT    NOT NULL DEFAULT '', -- of the request that caused the job, as in the log
    sum          INTEGER,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_by_due ON jobs (due, id) WHERE state = 'ready';

CREATE TABLE audit (
    tenant TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    body   BLOB    NOT NULL, -- JSON
    PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;

-- Data of the embedded indexes, which can be rebuilt. The table has rowids: without them, rows of 1 to 2 KiB, as vectors have, would
-- overflow their pages.
CREATE TABLE blobs (
    space  TEXT NOT NULL,
    tenant TEXT NOT NULL,
    id     TEXT NOT NULL,
    data   BLOB NOT NULL,
    sum    INTEGER,
    PRIMARY KEY (space, tenant, id)
) STRICT;

-- Which facts have an episode as evidence, with what verification policies need to know of the episode. The program writes the rows
-- with facts and with episodes.
CREATE TABLE evidence (
    tenant  TEXT NOT NULL,
    episode TEXT NOT NULL,
    fact    TEXT NOT NULL,
    says    INTEGER NOT NULL DEFAULT 0, -- 1: a quote of the episode says the fact, and is not withdrawn
    -- For a stored episode where says is 1; otherwise NULL:
    tier    INTEGER, -- of an active one: the place of its trust among the tiers, 0 the highest
    source  INTEGER, -- a hash of what it came from
    voice   INTEGER, -- a hash of its words
    heard   INTEGER, -- its event time, to know when the fact was last stated
    PRIMARY KEY (tenant, episode, fact)
) STRICT, WITHOUT ROWID;

-- Paid embeddings, one for each memory and generation. The lowest rowid is the oldest.
CREATE TABLE embeddings (
    seq        INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    memory     TEXT NOT NULL,
    generation TEXT NOT NULL,
    hash       TEXT NOT NULL, -- of the text
    cut        INTEGER NOT NULL,
    vector     BLOB NOT NULL, -- 4 bytes for each dimension, IEEE 754 single precision, little endian; empty: nothing to say
    sum        INTEGER,
    UNIQUE (tenant, memory, generation)
) STRICT;

-- The memories that have a tag, a title, a category or a metadata value. Triggers write the rows. Several values may share a mark,
-- so a search compares the memory itself too.
CREATE TABLE marks (
    tenant TEXT NOT NULL,
    mark   TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (tenant, mark, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE claims (
    tenant TEXT NOT NULL,
    space  TEXT NOT NULL,
    value  ANY  NOT NULL, -- the bytes of a hash in the space 'said', else text
    owner  ANY  NOT NULL, -- the bytes of an id, or text that is none
    sum    INTEGER,       -- of the texts
    PRIMARY KEY (tenant, space, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX memories_by_entity ON memories (tenant, entity_id, id) WHERE entity_id <> '';
CREATE INDEX memories_by_node ON memories (tenant, fact_id, id) WHERE fact_id <> '';
CREATE INDEX memories_by_entity_ref ON memories (tenant, entity_ref, id) WHERE entity_ref <> '';
-- The facts of a source. Its other memories are never searched by source.
CREATE INDEX memories_by_source ON memories (tenant, source_id, id) WHERE kind = 'fact';

-- For a reviewer's questions: indexes of the fields that facts are filtered by, and of the memories that wait for a decision. For
-- most fields, the index answers a query without reading the facts. The program's queries must repeat its expressions exactly.
-- Where SQL would read an amount differently from Go, the indexed amount is larger than any other. Invalid JSON gives NULL, so that
-- a damaged row does not prevent the file from being opened.
CREATE INDEX facts_by_recorded ON memories (tenant, recorded_at, session, seq, id, state, trust, valid_until, user, project, event_time,
    iif(json_valid(more), more, NULL) ->> '$.fact.verification.status', iif(json_valid(more), more, NULL) ->> '$.fact.priority', iif(json_valid(more), more, NULL) ->> '$.fact.fact_type',
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.requires_action', iif(json_valid(more), more, NULL) ->> '$.fact.confidence',
    iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)))
    WHERE kind = 'fact';
-- The few facts that reviewers look for: in doubt, of low trust, about money, or with an action.
CREATE INDEX facts_contested ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.verification.status' IN ('needs_review', 'disputed');
CREATE INDEX facts_of_low_trust ON memories (tenant, id, state) WHERE kind = 'fact' AND trust NOT IN ('user_confirmed', 'user_stated', 'imported');
CREATE INDEX facts_of_money ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)) IS NOT NULL;
CREATE INDEX facts_to_do ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.requires_action' = 1;
CREATE INDEX memories_held ON memories (tenant, id, state) WHERE state IN ('candidate', 'quarantined');
CREATE INDEX marks_by_memory ON marks (tenant, memory);

-- Memories with the same time are listed in the order of their session.
CREATE INDEX memories_by_recorded ON memories (tenant, recorded_at, session, seq, id);

-- Facts that a policy may verify. The index of all facts has only the columns that listings need.
CREATE INDEX facts_pending ON memories (tenant, id, valid_until, user, project, iif(json_valid(more), more, NULL) ->> '$.fact.fact_type', iif(json_valid(more), more, NULL) ->> '$.fact.confidence')
    WHERE kind = 'fact' AND state = 'active' AND iif(json_valid(more), more, NULL) ->> '$.fact.verification.status' = 'pending_approval' AND iif(json_valid(more), more, NULL) ->> '$.shared_from' IS NULL;
CREATE INDEX facts_by_id ON memories (tenant, id, state, trust, valid_until, user, project, event_time,
    iif(json_valid(more), more, NULL) ->> '$.fact.verification.status', iif(json_valid(more), more, NULL) ->> '$.fact.priority', iif(json_valid(more), more, NULL) ->> '$.fact.fact_type',
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.requires_action', iif(json_valid(more), more, NULL) ->> '$.fact.confidence',
    iif(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' GLOB '*[^0-9.-]*', 9e999, CAST(iif(json_valid(more), more, NULL) ->> '$.fact.financial.amount' AS REAL)))
    WHERE kind = 'fact';

-- Finds the paid embedding of a text for any memory with the same text.
CREATE INDEX embeddings_by_hash ON embeddings (tenant, generation, hash);
CREATE INDEX memories_by_owner ON memories (tenant, owner, id) WHERE owner <> '';

-- What one person said, by time. The condition keeps the query planner from using this index for listings in another order: it would
-- sort all matching rows for each page, where reading the whole tenant in order is faster.
CREATE INDEX memories_by_user ON memories (tenant, user, recorded_at, session, seq, id) WHERE user <> '';
CREATE INDEX memories_counted ON memories (tenant, kind, state, recorded_at);

-- Facts by the fields for counts and for comparisons.
CREATE INDEX facts_counted ON memories (tenant, iif(json_valid(more), more, NULL) ->> '$.shared_from', state, iif(json_valid(more), more, NULL) ->> '$.fact.fact_type', iif(json_valid(more), more, NULL) ->> '$.fact.verification.status',
    valid_until, superseded_by, user, project) WHERE kind = 'fact';
CREATE INDEX facts_compared ON memories (tenant, entity_id, verb, state, valid_until, user, project,
    iif(json_valid(more), more, NULL) ->> '$.fact.polarity', iif(json_valid(more), more, NULL) ->> '$.fact.single_valued', iif(json_valid(more), more, NULL) ->> '$.shared_from')
    WHERE kind = 'fact';
-- The few facts with a deadline.
CREATE INDEX facts_due ON memories (tenant, id, state) WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.action_deadline' IS NOT NULL;
CREATE INDEX evidence_by_fact ON evidence (tenant, fact, says, tier, source, voice, heard);

-- For the action items of every consultation: the few facts that need action, and those with an end.
CREATE INDEX facts_pressing ON memories (tenant, id, state, valid_until, user, project)
    WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.priority' IN ('high', 'critical');
CREATE INDEX facts_ending ON memories (tenant, id, state, valid_until, user, project) WHERE kind = 'fact' AND valid_until IS NOT NULL;

-- Memories by event time, and by the time they were superseded, ended or forgotten, for listings and for the list of changes.
CREATE INDEX memories_by_event ON memories (tenant, event_time, session, seq, id);
CREATE INDEX memories_by_closing ON memories (tenant, superseded_at, session, seq, id) WHERE superseded_at IS NOT NULL;
CREATE INDEX claims_by_owner ON claims (tenant, owner);

-- For mentions: the facts that new turns may speak of, by what the turns belong to. Without them SQLite read all memories, or
-- all facts, of the tenant for each batch that was stored.
CREATE INDEX facts_by_session ON memories (tenant, session, id) WHERE kind = 'fact';
CREATE INDEX facts_by_user ON memories (tenant, user, id) WHERE kind = 'fact';
CREATE INDEX facts_by_project ON memories (tenant, project, id) WHERE kind = 'fact';

-- +goose StatementBegin
CREATE TRIGGER evidence_of_deleted AFTER DELETE ON memories WHEN OLD.kind = 'fact'
BEGIN
    DELETE FROM evidence WHERE tenant = OLD.tenant AND fact = OLD.id;
END;
-- +goose StatementEnd

-- Every mark of every memory. Whole numbers are written without a fraction, and true and false as 1 and 0.
CREATE VIEW marked AS
    SELECT m.change, m.tenant, 'tags:' || t.value AS mark, m.id FROM memories AS m, json_each(m.more, '$.tags') AS t WHERE json_valid(m.more)
    UNION ALL
    SELECT m.change, m.tenant, e.key || ':' || e.value, m.id FROM memories AS m, json_each(m.more, '$.entry') AS e
    WHERE json_valid(m.more) AND e.key IN ('title', 'category')
    UNION ALL
    SELECT m.change, m.tenant, 'metadata.' || k.key || ':' ||
        substr(iif(typeof(v.atom) = 'real' AND v.atom = CAST(v.atom AS INTEGER), CAST(v.atom AS INTEGER), v.atom), 1, 100), m.id
    FROM memories AS m, json_each(m.more, '$.metadata') AS k,
        json_tree(iif(k.type IN ('object', 'array'), k.value, json_array(k.atom))) AS v
    WHERE json_valid(m.more) AND v.atom IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER marks_of_deleted AFTER DELETE ON memories WHEN OLD.more <> ''
BEGIN
    DELETE FROM marks WHERE tenant = OLD.tenant AND memory = OLD.id;
END;
-- +goose StatementEnd

-- Most facts have no marked value. A filter that names no marked key does not read the marks.
-- +goose StatementBegin
CREATE TRIGGER marks_of_put AFTER INSERT ON memories
    WHEN instr(NEW.more, '"tags"') OR instr(NEW.more, '"metadata"') OR instr(NEW.more, '"entry"')
BEGIN
    INSERT OR IGNORE INTO marks (tenant, mark, memory) SELECT tenant, mark, id FROM marked WHERE change = NEW.change;
END;
-- +goose StatementEnd
