-- A checksum of the row's content, see sum.go. NULL: the row is older than this column and has no checksum yet.

-- +goose Up

ALTER TABLE memories ADD COLUMN sum INTEGER;
ALTER TABLE deletions ADD COLUMN sum INTEGER;
ALTER TABLE records ADD COLUMN sum INTEGER;
ALTER TABLE claims ADD COLUMN sum INTEGER;
ALTER TABLE jobs ADD COLUMN sum INTEGER;
ALTER TABLE blobs ADD COLUMN sum INTEGER;
ALTER TABLE embeddings ADD COLUMN sum INTEGER;

-- The tables in which rows may still lack a checksum. In all other tables a row without one is damaged.
CREATE TABLE unsummed (name TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

INSERT INTO unsummed (name) SELECT 'memories' WHERE EXISTS (SELECT 1 FROM memories);
INSERT INTO unsummed (name) SELECT 'deletions' WHERE EXISTS (SELECT 1 FROM deletions);
INSERT INTO unsummed (name) SELECT 'records' WHERE EXISTS (SELECT 1 FROM records);
INSERT INTO unsummed (name) SELECT 'claims' WHERE EXISTS (SELECT 1 FROM claims);
INSERT INTO unsummed (name) SELECT 'jobs' WHERE EXISTS (SELECT 1 FROM jobs);
INSERT INTO unsummed (name) SELECT 'blobs' WHERE EXISTS (SELECT 1 FROM blobs);
INSERT INTO unsummed (name) SELECT 'embeddings' WHERE EXISTS (SELECT 1 FROM embeddings);
