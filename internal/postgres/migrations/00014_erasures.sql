-- The number of erasures of a tenant. A standby with the same number as the primary has replayed all erasures.

-- +goose Up

CREATE TABLE trilith.erasures (
    tenant text   COLLATE "C" NOT NULL PRIMARY KEY,
    n      bigint NOT NULL
);
