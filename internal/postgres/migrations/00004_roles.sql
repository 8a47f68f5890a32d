-- From this schema on, work across tenants uses a separate role, trilith_system, and the policies of trilith_app have no wildcard. The
-- program creates roles and policies when it opens the store. A program for an earlier schema would see no rows when it works
-- across tenants, so it must not open this schema.

-- +goose Up

COMMENT ON SCHEMA trilith IS 'the memory of trilith; transactions step into trilith_app, work across tenants into trilith_system';
