-- Changes no table. From this version on the vector index has a journal, which earlier programs do not write, so their changes
-- would be missing from answers. The new schema version makes them refuse the file.

-- +goose Up

SELECT 1;
