-- No more than has to be there.
CREATE TABLE conversation_facts (id integer, fact_content json, created_at date);
INSERT INTO conversation_facts VALUES
  (2, '{"summary": "Two mills stand there."}', '2025-02-02'),
  (1, '{"mills": 1, "state": "ruined", "owners": ["Ana", "Pim"]}', '2025-02-01'),
  (NULL, '{"summary": "It has no number."}', '2025-02-03');
