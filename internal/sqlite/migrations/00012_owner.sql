-- Whose a fact is. '' for the tenant's, for shares, and for every other memory. Stored facts get theirs from the engine.

-- +goose Up

ALTER TABLE memories ADD COLUMN owner TEXT NOT NULL DEFAULT '';

CREATE INDEX memories_by_owner ON memories (tenant, owner, id) WHERE owner <> '';
