-- A text that was paid for once is found whichever memory it belongs to.

-- +goose Up

CREATE INDEX embeddings_by_hash ON cairn.embeddings (tenant, generation, hash);
