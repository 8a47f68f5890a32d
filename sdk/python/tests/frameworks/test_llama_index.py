"""The block in LlamaIndex's own Memory: what leaves the window is stored, and comes back as a block."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory

import trilith
from conftest import key_of
from trilith.llama_index import TrilithMemoryBlock


def test_memory(server):
    async def work():
        async with trilith.AsyncTrilith(server.url, key_of(server), user="llama") as client:
            block = TrilithMemoryBlock(client=client, budget=300)
            memory = Memory.from_defaults(
                session_id="trip", token_limit=60, chat_history_token_ratio=0.5, token_flush_size=20,
                memory_blocks=[block], tokenizer_fn=str.split)  # fmt: skip
            said = ["I moor the boat in Bergen, at the third jetty behind the fish market.", "A fine place to be.",
                    "My sister bakes rye bread on Sundays, and everybody in the street waits for it.", "I will remember that."]
            for i, text in enumerate(said):
                await memory.aput(ChatMessage(role="assistant" if i % 2 else "user", content=text))
            await memory.aput(ChatMessage(role="tool", content="a tool says nothing that a person said " * 3))
            await memory.aput(ChatMessage(role="user", content="Where is the boat moored?"))
            prompt = await memory.aget()
            assert prompt[0].role.value == "system" and "I moor the boat in Bergen" in prompt[0].content
            turns = [turn async for turn in client.turns("trip")]
            assert [turn.text for turn in turns] == said[: len(turns)] and len(turns) >= 2
            assert [turn.role for turn in turns][:2] == ["user", "assistant"]
            assert await block.aget([ChatMessage(role="assistant", content="Hello.")]) == ""
            assert await block.atruncate("much", 10) is None

    asyncio.run(work())
