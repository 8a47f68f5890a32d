-- The owner of a fact; '' for facts of the tenant, for shares, and for every other memory. The engine sets it for stored facts.

-- +goose Up

ALTER TABLE memories ADD COLUMN owner TEXT NOT NULL DEFAULT '';

CREATE INDEX memories_by_owner ON memories (tenant, owner, id) WHERE owner <> '';
