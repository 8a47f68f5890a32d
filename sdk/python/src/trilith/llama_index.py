"""A memory block of LlamaIndex in trilith; it needs the extra llama-index.

    memory = Memory.from_defaults(session_id="trip", memory_blocks=[TrilithMemoryBlock(client=AsyncTrilith(user="ana"))])

The block shows a model what is known about the last words of the user. What leaves the short-term memory is stored word
for word, in the session that LlamaIndex names.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.memory import BaseMemoryBlock

from . import types as t
from ._async.client import AsyncTrilith

ROLES = {"user": "user", "assistant": "assistant", "model": "assistant", "chatbot": "assistant"}


class TrilithMemoryBlock(BaseMemoryBlock[str]):
    """What is known in the scope of a client, as one text."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "trilith"
    description: str | None = "What is known from earlier conversations."
    client: AsyncTrilith = Field(exclude=True)
    budget: int = 1000
    """Tokens of the text at most."""

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """What is known about the last words of the user; empty if nothing is."""
        query = next((_text(m) for m in reversed(messages or []) if m.role.value == "user" and _text(m)), "")
        if not query:
            return ""
        block = await self.client.context(query, budget=self.budget)
        return block.text or ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Stores what was said by the user and the assistant."""
        sessions: dict[str | None, list[t.Message]] = {}
        for message in messages:
            role, text = ROLES.get(message.role.value), _text(message)
            if role and text:
                session = message.additional_kwargs.get("session_id")
                sessions.setdefault(session, []).append({"role": role, "content": text})
        for session, turns in sessions.items():
            within: t.ScopeInput = {} if session is None else {"session": session}
            await self.client.remember(turns, **within)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Gives nothing where there is no room: half a block would lose its end."""
        return None


def _text(message: ChatMessage) -> str:
    return (message.content or "").strip()
