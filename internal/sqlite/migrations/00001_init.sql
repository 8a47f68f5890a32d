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
    text          TEXT    NOT NULL  -- last: reading the others never follows its overflow pages
) STRICT;

CREATE UNIQUE INDEX memories_by_id ON memories (tenant, id);
CREATE INDEX memories_by_seq ON memories (tenant, session, seq, id);
CREATE INDEX memories_by_recorded ON memories (tenant, recorded_at DESC, id);
-- The older wordings of a memory; few memories have any.
CREATE INDEX memories_by_successor ON memories (tenant, superseded_by, id) WHERE superseded_by <> '';

-- Deletions, the other half of the change log, with numbers from the same sequence. A deletion stays when its id is put again: it
-- has a lower number than the put, so a reader of the log applies the put last.
CREATE TABLE deletions (
    change  INTEGER PRIMARY KEY,
    tenant  TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE TABLE records (
    tenant  TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    version INTEGER NOT NULL,
    body    BLOB    NOT NULL, -- JSON
    PRIMARY KEY (tenant, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE claims (
    tenant TEXT NOT NULL,
    space  TEXT NOT NULL,
    value  TEXT NOT NULL,
    owner  TEXT NOT NULL,
    PRIMARY KEY (tenant, space, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_owner ON claims (tenant, owner);

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
    PRIMARY KEY (space, tenant, id)
) STRICT;
