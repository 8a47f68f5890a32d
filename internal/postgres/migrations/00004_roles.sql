-- From this schema on, work across tenants uses a separate role, cairn_system, and the policies of cairn_app have no wildcard. The
-- program creates roles and policies when it opens the store. A program for an earlier schema would see no rows when it works
-- across tenants, so it must not open this schema.

-- +goose Up

COMMENT ON SCHEMA cairn IS 'the memory of cairn; transactions step into cairn_app, work across tenants into cairn_system';
