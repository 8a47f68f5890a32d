-- For the action items of every consultation: the few facts that need action, and those with an end.

-- +goose Up

-- The program's queries must repeat these expressions exactly, so that the index is used.
CREATE INDEX facts_pressing ON memories (tenant, id, state, valid_until, user, project)
    WHERE kind = 'fact' AND iif(json_valid(more), more, NULL) ->> '$.fact.priority' IN ('high', 'critical');
CREATE INDEX facts_ending ON memories (tenant, id, state, valid_until, user, project) WHERE kind = 'fact' AND valid_until IS NOT NULL;
