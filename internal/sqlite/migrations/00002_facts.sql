-- The edge of the graph that a fact is; '' for every other memory.

-- +goose Up

ALTER TABLE memories ADD COLUMN entity_id TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN verb TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN fact_id TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN entity_ref TEXT NOT NULL DEFAULT ''; -- the entity that the fact node names

CREATE INDEX memories_by_entity ON memories (tenant, entity_id, id) WHERE entity_id <> '';
CREATE INDEX memories_by_node ON memories (tenant, fact_id, id) WHERE fact_id <> '';
CREATE INDEX memories_by_entity_ref ON memories (tenant, entity_ref, id) WHERE entity_ref <> '';
-- The facts of a source. Its other memories are never searched by source.
CREATE INDEX memories_by_source ON memories (tenant, source_id, id) WHERE kind = 'fact';
