-- What verification policies need to know of a fact's episodes, stored with the evidence. The program writes it with facts and with
-- episodes.

-- +goose Up

ALTER TABLE trilith.evidence
    ADD COLUMN says boolean NOT NULL DEFAULT false, -- a quote of the episode says the fact, and is not withdrawn
    -- Of an episode that is stored, where it says the fact; NULL otherwise:
    ADD COLUMN tier   smallint, -- of an active one: the place of its trust among the tiers, 0 the highest
    ADD COLUMN source bigint,   -- a hash of what it came from
    ADD COLUMN voice  bigint;   -- a hash of its words

-- A hash of a text that ignores differences of white space.
-- +goose StatementBegin
CREATE FUNCTION trilith.words_hash(words text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended(regexp_replace(words, '[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', '', 'g') COLLATE "C", 0)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION trilith.tier(state text, trust text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN state = 'active' THEN (array_position('{user_confirmed,user_stated,imported,assistant_said,tool_output}'::text[], trust) - 1)::smallint END
$$;
-- +goose StatementEnd

-- Row-level security also applies to the owner of the tables, and its policies allow one tenant at a time.
ALTER TABLE trilith.memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE trilith.evidence NO FORCE ROW LEVEL SECURITY;
UPDATE trilith.evidence AS v SET says = true FROM trilith.memories AS m, jsonb_array_elements(m.more #> '{fact,evidence}') AS e
    WHERE m.tenant = v.tenant AND m.id = v.fact AND m.kind = 'fact' AND jsonb_typeof(m.more #> '{fact,evidence}') = 'array' AND e ->> 'episode_id' = v.episode
        AND coalesce(e ->> 'withdrawn', 'false') = 'false' AND coalesce(e ->> 'ends', 'false') = 'false';
UPDATE trilith.evidence AS v SET tier = trilith.tier(e.state, e.trust), voice = trilith.words_hash(e.text),
    source = trilith.words_hash(CASE e.source_id WHEN '' THEN e.id ELSE e.source_id END)
    FROM trilith.memories AS e WHERE v.says AND e.tenant = v.tenant AND e.id = v.episode;
ALTER TABLE trilith.memories FORCE ROW LEVEL SECURITY;
ALTER TABLE trilith.evidence FORCE ROW LEVEL SECURITY;

DROP INDEX trilith.evidence_by_fact;
CREATE INDEX evidence_by_fact ON trilith.evidence (tenant, fact) INCLUDE (says, tier, source, voice);

-- Facts that a policy may verify.
CREATE INDEX facts_pending ON trilith.memories (tenant, id) INCLUDE (project, user_id, valid_until)
    WHERE kind = 'fact' AND state = 'active' AND shared_from = '' AND more #>> '{fact,verification,status}' = 'pending_approval';
