-- Paid embeddings, one for each memory and generation. The lowest rowid is the oldest.

-- +goose Up

CREATE TABLE embeddings (
    seq        INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    memory     TEXT NOT NULL,
    generation TEXT NOT NULL,
    hash       TEXT NOT NULL, -- of the text
    cut        INTEGER NOT NULL,
    vector     BLOB NOT NULL, -- 4 bytes for each dimension, IEEE 754 single precision, little endian; empty: nothing to say
    UNIQUE (tenant, memory, generation)
) STRICT;
