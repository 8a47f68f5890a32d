-- Which request made a job necessary: its name in the log.

-- +goose Up

ALTER TABLE jobs ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
