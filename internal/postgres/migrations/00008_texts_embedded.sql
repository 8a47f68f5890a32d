-- Finds the paid embedding of a text for any memory with the same text.

-- +goose Up

CREATE INDEX embeddings_by_hash ON trilith.embeddings (tenant, generation, hash);
