-- Changes no table. From this version on a component of a stored vector has two bytes. Earlier programs would treat such vectors as
-- damaged, so the new schema version makes them refuse the file.

-- +goose Up

SELECT 1;
