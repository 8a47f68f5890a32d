-- The id of the request that caused a job, as in the log.

-- +goose Up

ALTER TABLE jobs ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
