-- From here on work across tenants is done by a role of its own, cairn_system, and the policies of cairn_app know no wildcard. The
-- program makes roles and policies when it opens. A program of an earlier schema would see nothing of all tenants, so it must not
-- open this one.

-- +goose Up

COMMENT ON SCHEMA cairn IS 'the memory of cairn; transactions step into cairn_app, work across tenants into cairn_system';
