"""Runs the calls of Letta's Python client that are memory against trilith.

usage: check_letta.py URL   (URL is trilith's, with or without /compat/letta)
"""

import importlib.metadata
import sys

from letta_client import Letta

from checks import Checks

check = Checks(f"letta-client {importlib.metadata.version('letta-client')} (PyPI)")
call, refused = check.call, check.refused
letta = Letta(base_url=sys.argv[1], api_key="any")

call("health", letta.health, lambda a: a.status == "ok")
block = call("blocks.create", lambda: letta.blocks.create(label="human", value="Ana", limit=20, description="who"),
             lambda a: a.id.startswith("block-") and (a.value, a.limit) == ("Ana", 20))
call("blocks.create another", lambda: letta.blocks.create(label="persona", value="I help."))
refused("blocks.create, too long", lambda: letta.blocks.create(label="x", value="y" * 30, limit=20), "400|characters")
call("blocks.list", lambda: list(letta.blocks.list(label="human")), lambda a: [b.id for b in a] == [block.id])
call("blocks.list by pages", lambda: list(letta.blocks.list(limit=1)), lambda a: len(a) == 2)
call("blocks.retrieve", lambda: letta.blocks.retrieve(block.id), lambda a: a.description == "who")
refused("blocks.retrieve of none", lambda: letta.blocks.retrieve("block-none"), "404|NotFound")
call("blocks.update", lambda: letta.blocks.update(block.id, value="Ana Berg"), lambda a: a.value == "Ana Berg")
agent = call("agents.create", lambda: letta.agents.create(
    name="helper", model="openai/gpt-4o-mini", embedding="openai/text-embedding-3-small",
    memory_blocks=[{"label": "human", "value": "Ben"}, {"label": "rules", "value": "Be brief.", "read_only": True}]),
    lambda a: a.name == "helper" and [b.label for b in a.blocks] == ["human", "rules"])
call("agents.list", lambda: list(letta.agents.list(limit=1)), lambda a: [x.id for x in a] == [agent.id])
call("agents.retrieve", lambda: letta.agents.retrieve(agent.id), lambda a: a.memory.blocks[0].value == "Ben")
call("agents.update", lambda: letta.agents.update(agent.id, name="aide"), lambda a: a.name == "aide" and len(a.blocks) == 2)
call("agents.blocks.list", lambda: list(letta.agents.blocks.list(agent.id)), lambda a: len(a) == 2)
call("agents.blocks.retrieve", lambda: letta.agents.blocks.retrieve("human", agent_id=agent.id), lambda a: a.value == "Ben")
call("agents.blocks.update", lambda: letta.agents.blocks.update("human", agent_id=agent.id, value="Ben Strand"),
     lambda a: a.value == "Ben Strand")
refused("agents.blocks.update, read only", lambda: letta.agents.blocks.update("rules", agent_id=agent.id, value="x"), "only be read")
call("agents.blocks.attach", lambda: letta.agents.blocks.attach(block.id, agent_id=agent.id), lambda a: len(a.blocks) == 3)
call("agents.blocks.detach", lambda: letta.agents.blocks.detach(block.id, agent_id=agent.id), lambda a: len(a.blocks) == 2)
tea = call("agents.passages.create", lambda: letta.agents.passages.create(agent.id, text="Ana likes tea.", tags=["taste"]),
           lambda a: a[0].text == "Ana likes tea." and a[0].id.startswith("passage-"))
for n in range(3):
    call(f"agents.passages.create {n}", lambda: letta.agents.passages.create(agent.id, text=f"The boat has number {n}."))
call("agents.passages.list", lambda: letta.agents.passages.list(agent.id, limit=2), lambda a: len(list(a)) == 2)
call("agents.passages.list, behind one", lambda: letta.agents.passages.list(agent.id, after=tea[0].id),
     lambda a: len(list(a)) == 3)
call("agents.passages.list with words", lambda: letta.agents.passages.list(agent.id, search="TEA"), lambda a: len(list(a)) == 1)
call("agents.passages.search", lambda: letta.agents.passages.search(agent.id, query="What does Ana drink, tea?", top_k=2),
     lambda a: a.count == 2 and a.results[0].content == "Ana likes tea.")
call("agents.passages.search by tag", lambda: letta.agents.passages.search(agent.id, query="boat", tags=["taste"]),
     lambda a: [r.content for r in a.results] == ["Ana likes tea."])
call("agents.passages.delete", lambda: letta.agents.passages.delete(tea[0].id, agent_id=agent.id))
call("agents.passages.search after delete", lambda: letta.agents.passages.search(agent.id, query="tea"),
     lambda a: "Ana likes tea." not in [r.content for r in a.results])
call("agents.messages.list", lambda: list(letta.agents.messages.list(agent.id)), lambda a: a == [])
refused("agents.messages.create", lambda: letta.agents.messages.create(agent.id, messages=[{"role": "user", "content": "hi"}]),
        "trilith")
archive = call("archives.create", lambda: letta.archives.create(name="harbour"), lambda a: a.name == "harbour")
call("archives.list", lambda: list(letta.archives.list()), lambda a: [x.id for x in a] == [archive.id])
call("archives.retrieve", lambda: letta.archives.retrieve(archive.id), lambda a: a.name == "harbour")
crane = call("archives.passages.create", lambda: letta.archives.passages.create(archive.id, text="The crane lifts 40 tons."),
             lambda a: a.archive_id == archive.id)
call("passages.search", lambda: letta.passages.search(query="crane", archive_id=archive.id, limit=3),
     lambda a: [r.passage.text for r in a] == ["The crane lifts 40 tons."] and a[0].score > 0)
call("archives.passages.delete", lambda: letta.archives.passages.delete(crane.id, archive_id=archive.id))
call("archives.delete", lambda: letta.archives.delete(archive.id))
call("blocks.delete", lambda: letta.blocks.delete(block.id))
call("agents.delete", lambda: letta.agents.delete(agent.id))
refused("agents.retrieve after delete", lambda: letta.agents.retrieve(agent.id), "404|NotFound")
call("blocks.list after agents.delete", lambda: list(letta.blocks.list()), lambda a: [b.label for b in a] == ["persona"])
check.end()
