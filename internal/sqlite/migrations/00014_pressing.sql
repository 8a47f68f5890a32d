-- What is to be done is asked for in every consultation: the few facts that press, and those that end.

-- +goose Up

-- The program repeats the expressions letter by letter.
CREATE INDEX facts_pressing ON memories (tenant, id, state, valid_until, user, project)
    WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.priority' IN ('high', 'critical');
CREATE INDEX facts_ending ON memories (tenant, id, state, valid_until, user, project) WHERE kind = 'fact' AND valid_until IS NOT NULL;
