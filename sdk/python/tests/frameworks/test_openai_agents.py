"""TrilithSession beside the SDK's own SQLiteSession: the same random operations give the same items."""

import asyncio
import random

import pytest

pytest.importorskip("agents")

from agents import SQLiteSession
from agents.memory.session import Session

import trilith
from conftest import key_of
from trilith.openai_agents import TrilithSession

ITEMS = [
    {"role": "user", "content": "Which rope holds the anchor?"},
    {"role": "assistant", "content": "The blue one."},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"where": "locker", "n": 1.0}'},
    {"type": "function_call_output", "call_id": "c1", "output": "rope <blue>\u0000? é\n"},
    {"type": "message", "role": "assistant", "id": "m1", "status": "completed", "content": [{"type": "output_text", "text": "Blue.", "annotations": []}]},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"role": "developer", "content": "Be brief."},
]


@pytest.mark.parametrize("seed", range(6))
def test_random_operations(seed):
    async def run():
        rng = random.Random(seed)
        async with await trilith.AsyncTrilith.embedded(store=":memory:") as client:
            ours, theirs = TrilithSession("one", client), SQLiteSession("one")
            assert isinstance(ours, Session)
            for _ in range(40):
                what = rng.random()
                if what < 0.5:
                    items = rng.choices(ITEMS, k=rng.randint(0, 4))
                    for session in (ours, theirs):
                        await session.add_items(items)
                elif what < 0.65:
                    assert await ours.pop_item() == await theirs.pop_item()
                elif what < 0.7:
                    for session in (ours, theirs):
                        await session.clear_session()
                limit = rng.choice([None, 1, 3, 100])
                assert await ours.get_items(limit) == await theirs.get_items(limit)

    asyncio.run(run())


def test_remembered():
    async def run():
        async with await trilith.AsyncTrilith.embedded(store=":memory:") as client:
            await TrilithSession("one", client).add_items(ITEMS)
            found = await client.recall("Which rope holds the anchor?")
            assert found.hits[0].memory.text in (ITEMS[0]["content"], ITEMS[1]["content"])
            assert all("locker" not in hit.memory.text for hit in found)
            assert await TrilithSession("two", client).get_items() == []

    asyncio.run(run())


def test_settings_and_what_is_masked(server):
    client = trilith.AsyncTrilith(server.url, key_of(server), user="settings")
    session = TrilithSession("one", client, session_settings={"limit": 1})
    assert TrilithSession("two", client).session_settings.limit is None and session.session_settings.limit == 1
    with pytest.raises(TypeError):
        TrilithSession("three", client, session_settings={"limitt": 1})
    long = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"text": "' + "x" * 400_000 + '"}'}
    call = {"type": "function_call", "call_id": "c2", "name": "log_in", "arguments": '{"key": "sk-proj-' + "Ab3dE6gH1jK4" * 4 + '", "n": 1.0}'}
    asyncio.run(session.add_items([long, call]))  # each in an event loop of its own
    assert asyncio.run(session.get_items()) == [{**call, "arguments": '{"key": "[secret:openai_key]", "n": 1.0}'}]
    assert asyncio.run(session.get_items(2))[0] == long
