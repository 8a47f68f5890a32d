-- Changes no table. Beside what the vector index keeps lies a journal, which programs from before it do not write: what they
-- changed would be missing in answers. So that they refuse the file, it has a version of its own from here on.

-- +goose Up

SELECT 1;
