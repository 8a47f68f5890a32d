-- Claims of what was said, one for each turn, hold their hash in 32 bytes instead of 64 digits, and every claim the id of its owner
-- in 16 bytes instead of 36 characters. Long bodies of records are compressed and rows of vectors take 12.5 bits a component from
-- here on; what is older stays as it is. Programs from before, which can read none of this, refuse the file by its version.

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
