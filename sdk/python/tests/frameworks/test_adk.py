"""The memory service beside the one that ADK has in memory, and its address."""

import asyncio
import datetime

import pytest

pytest.importorskip("google.adk")

from google.adk.cli.service_registry import get_service_registry
from google.adk.events.event import Event
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import InMemorySessionService
from google.genai import types

import trilith
from conftest import key_of
from trilith.adk import TrilithMemoryService, register


def said(author, text, **parts):
    return Event(author=author, content=types.Content(role="user", parts=[types.Part(text=text, **parts)]))


def words(response):
    return [memory.content.parts[0].text for memory in response.memories]


async def session_of(app, user, *events):
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name=app, user_id=user)
    for event in events:
        await sessions.append_event(session, event)
    return await sessions.get_session(app_name=app, user_id=user, session_id=session.id)


def run(server, work):
    async def whole():
        async with trilith.AsyncTrilith(server.url, key_of(server)) as client:
            await work(client)

    asyncio.run(whole())


def test_sessions(server):
    async def work(client):
        call = types.Part(function_call=types.FunctionCall(name="look", args={"where": "locker"}))
        session = await session_of(
            "boats", "ana",
            said("user", "My boat is called Freya."),
            Event(author="skipper", content=types.Content(role="model", parts=[call])),
            said("skipper", "I wonder what she means.", thought=True),
            said("skipper", "Freya is a fine name for a boat."))  # fmt: skip
        ours, theirs = TrilithMemoryService(client), InMemoryMemoryService()
        for service in (ours, theirs):
            for _ in range(2):
                await service.add_session_to_memory(session)
        ask = {"app_name": "boats", "user_id": "ana", "query": "What is the boat called?"}
        found = (await ours.search_memory(**ask)).memories
        assert sorted(m.content.parts[0].text for m in found) == ["Freya is a fine name for a boat.", "My boat is called Freya."]
        assert set(words(await theirs.search_memory(**ask))) >= {m.content.parts[0].text for m in found}
        by = {m.author: m for m in found}
        assert set(by) == {"user", "skipper"} and by["skipper"].content.role == "model"
        at = datetime.datetime.fromisoformat(by["user"].timestamp)
        assert abs(at.timestamp() - session.events[0].timestamp) < 1e-3
        turns = [turn.text async for turn in client.turns(session.id, project="boats", user="ana")]
        assert turns == ["My boat is called Freya.", "Freya is a fine name for a boat."]

        # nobody else sees it, and what is deleted stays away
        for other in ({"user_id": "ben"}, {"app_name": "cars"}):
            assert words(await ours.search_memory(**(ask | other))) == []
        await ours.delete_memory(app_name="boats", user_id="ana", memory_id=by["user"].id)
        await ours.add_session_to_memory(session)
        assert "My boat is called Freya." not in words(await ours.search_memory(**ask))
        assert words(await ours.search_memory(**(ask | {"query": " "}))) == []

    run(server, work)


def test_events_and_memories(server):
    async def work(client):
        service = TrilithMemoryService(client, k=3)
        who = {"app_name": "boats", "user_id": "cleo"}
        event = said("user", "The mast is nine metres tall.")
        await service.add_events_to_memory(**who, events=[event], session_id="s1", custom_metadata={"ttl": 3})
        await service.add_events_to_memory(**who, session_id="s1", events=[event, said("user", "")])
        note = MemoryEntry(id="n1", author="cleo", timestamp="2025-06-01T08:00:00Z",
                           content=types.Content(parts=[types.Part(text="The harbour closes in winter.")]))  # fmt: skip
        for _ in range(2):
            await service.add_memory(**who, memories=[note])
        mast, = [m for m in (await service.search_memory(**who, query="How tall is the mast?")).memories if "mast" in m.content.parts[0].text]
        assert mast.custom_metadata == {"ttl": 3}
        harbour, = [m for m in (await service.search_memory(**who, query="When does the harbour close?")).memories
                    if "harbour" in m.content.parts[0].text]  # fmt: skip
        assert harbour.timestamp.startswith("2025-06-01T08:00:00")

    run(server, work)


def test_addresses(server, monkeypatch, tmp_path):
    register()
    monkeypatch.setenv("TRILITH_KEY", key_of(server))

    async def ask(uri):
        service = get_service_registry().create_memory_service(uri)
        await service.add_events_to_memory(app_name="a", user_id="dora", events=[said("user", "The anchor is rusty.")])
        found = words(await service.search_memory(app_name="a", user_id="dora", query="Is the anchor rusty?"))
        await service.close()
        return found

    assert asyncio.run(ask(server.url.replace("http://", "trilith://"))) == ["The anchor is rusty."]
    assert asyncio.run(ask(f"trilith://{tmp_path}/adk.db")) == ["The anchor is rusty."]
    assert (tmp_path / "adk.db").exists()
    with pytest.raises(ValueError, match="uri: write"):
        asyncio.run(ask("trilith://key@localhost"))
