-- An installation with UUIDs, text where others have types, times without a zone, and money as floating point.
CREATE TABLE conversation_facts (
  id uuid PRIMARY KEY, session_id uuid, project_id text, user_id text, fact_type text, fact_content text, fact_summary text,
  embedding float8[], is_active text, superseded_by text, valid_until timestamp, version bigint, author_role text, confidence_score real,
  verification_status text, verified_by uuid, verified_at timestamp, financial_amount float8, currency text, financial_category text,
  financial_type text, priority text, requires_action integer, action_deadline text, source_message_id uuid, created_at timestamp, updated_at timestamp);
SET timezone = 'Europe/Berlin';
INSERT INTO conversation_facts VALUES
  ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-0000000000a1', 'barn', 'ana', 'Financial', '{"supplier": "Tin & Co"}', 'The tin costs 1,250,000.5 EUR.',
   '{0.5,0.5,0.5,0.5}', 'yes', NULL, NULL, 2, 'human', 0.9, 'Pending Approval', NULL, NULL, 1250000.5, 'eur', 'roof', 'quote', 'HIGH', 1, '2025-05-01', '00000000-0000-4000-8000-0000000000b1', '2025-04-01T08:00', '2025-04-02T08:00'),
  ('00000000-0000-4000-8000-000000000002', NULL, 'barn', 'ana', 'decision', '{"broken": ', 'Tin it is.', '{1,2}', 'no', '00000000-0000-4000-8000-000000000003', NULL, 1, 'ai', 0.5, 'verified',
   '00000000-0000-4000-8000-0000000000c1', '2025-04-03T00:00', 1e30, NULL, NULL, NULL, NULL, 0, 'soon', NULL, '2025-04-01T08:01', NULL),
  ('00000000-0000-4000-8000-000000000003', NULL, 'barn', 'ana', 'decision', '"Slate it is."', NULL, NULL, 'maybe', NULL, '2026-01-01', 1, 'user', 0.5, 'needs-review', NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2025-04-02T08:01', NULL),
  ('00000000-0000-4000-8000-000000000004', NULL, NULL, NULL, NULL, 'not JSON', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2025-04-04T00:00', NULL),
  ('00000000-0000-4000-8000-000000000005', NULL, NULL, NULL, NULL, NULL, 'Nobody knows when.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000006', NULL, NULL, NULL, NULL, NULL, 'It was noted later.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2025-04-05T00:00');
