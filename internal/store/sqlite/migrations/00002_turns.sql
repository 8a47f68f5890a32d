-- +goose Up

-- Tenants take turns at having their jobs run. Jobs of other kinds are not read, however many wait.
CREATE INDEX jobs_by_turn ON jobs (kind, tenant, due, id) WHERE state = 'ready';

DROP INDEX jobs_by_due;
CREATE INDEX jobs_by_due ON jobs (kind, due) WHERE state = 'ready';
