-- The claims of turns store their hash in 32 bytes instead of 64 digits, and every claim stores the id of its owner in 16 bytes
-- instead of 36 characters. From this version on long record bodies are compressed, and a component of a stored vector has 12.5 bits;
-- older rows stay as they are. The new schema version makes earlier programs, which cannot read this, refuse the file.

-- +goose Up

CREATE TABLE claims_short (
    tenant TEXT NOT NULL,
    space  TEXT NOT NULL,
    value  ANY  NOT NULL, -- the bytes of a hash in the space 'said', else text
    owner  ANY  NOT NULL, -- the bytes of an id, or text that is none
    sum    INTEGER,       -- of the texts
    PRIMARY KEY (tenant, space, value)
) STRICT, WITHOUT ROWID;

INSERT INTO claims_short (tenant, space, value, owner, sum)
SELECT tenant, space,
    iif(space = 'said' AND length(value) = 64 AND value NOT GLOB '*[^0-9a-f]*', unhex(value), value),
    iif(owner GLOB '????????-????-????-????-????????????' AND length(replace(owner, '-', '')) = 32
        AND replace(owner, '-', '') NOT GLOB '*[^0-9a-f]*', unhex(owner, '-'), owner),
    sum
FROM claims;

DROP TABLE claims;
ALTER TABLE claims_short RENAME TO claims;
CREATE INDEX claims_by_owner ON claims (tenant, owner);
