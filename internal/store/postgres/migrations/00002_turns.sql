-- +goose Up

-- Tenants take turns at having their jobs run.
CREATE INDEX jobs_by_turn ON trilith.jobs (tenant, due, id) WHERE state = 'ready';
