-- How often something of a tenant was erased. A standby that shows the number that the primary shows has erased as much.

-- +goose Up

CREATE TABLE cairn.erasures (
    tenant text   COLLATE "C" NOT NULL PRIMARY KEY,
    n      bigint NOT NULL
);
