"""A memory service of Google's Agent Development Kit in trilith; it needs the extra adk.

    runner = Runner(agent=agent, app_name="boats", session_service=…, memory_service=TrilithMemoryService(AsyncTrilith()))

For the address trilith:// of adk web --memory_service_uri=trilith://localhost:7700, a file services.py beside the agent:

    from trilith.adk import register

    register()

An application is a project, and its users are users of it. Events are stored word for word, each once, however often
its session is added; what is deleted does not come back with the next addition.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types as genai

from . import types as t
from ._async.client import AsyncTrilith

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

SCHEMES = {"trilith": "http", "triliths": "https"}
MOST = 100  # turns of one request


class TrilithMemoryService(BaseMemoryService):
    """Finds and keeps what agents and their users said."""

    def __init__(self, client: AsyncTrilith | None = None, *, uri: str | None = None, k: int = 10, **_: Any) -> None:
        """client, or uri: trilith://HOST:PORT of a server, triliths:// for https, or trilith:///FILE for a server of its own.

        A server's key is that of TRILITH_KEY. k is how many memories a search gives.
        """
        self._client = client
        self._uri = uri
        self._k = k

    async def client(self) -> AsyncTrilith:
        """The client, which is made when it is needed first."""
        if self._client is None:
            self._client = await _connect(self._uri)
        return self._client

    async def add_session_to_memory(self, session: Session) -> None:
        """Stores the events of a session that are not stored yet."""
        await self._add(session.app_name, session.user_id, session.id, session.events, None)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores events that are not stored yet."""
        await self._add(app_name, user_id, session_id, events, custom_metadata)

    async def _add(
        self,
        app: str,
        user: str,
        session: str | None,
        events: Iterable[Event],
        metadata: Mapping[str, object] | None,
    ) -> None:
        turns = [turn for turn in (_turn(event, metadata) for event in events) if turn is not None]
        client = await self.client()
        for start in range(0, len(turns), MOST):
            within: t.ScopeInput = {"project": app, "user": user}
            if session is not None:
                within["session"] = session
            await client.remember(turns[start : start + MOST], **within)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores memories as notes; a memory with an id is stored once."""
        client = await self.client()
        for memory in memories:
            text = _text(memory.content)
            if text:
                await client.note(
                    text,
                    project=app_name,
                    user=user_id,
                    timestamp=memory.timestamp,
                    speaker=memory.author,
                    external_id="adk-memory:" + memory.id if memory.id else None,
                    metadata={**memory.custom_metadata, **(custom_metadata or {})} or None,
                )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What is known of a user of an application about a question, the best first."""
        if not query.strip():
            return SearchMemoryResponse()
        client = await self.client()
        hits = await client.recall(query, k=self._k, project=app_name, user=user_id)
        return SearchMemoryResponse(memories=[_entry(hit.memory) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forgets a memory of a search; it can come back only by hand."""
        if memory_id:
            client = await self.client()
            await client.forget(memory_id, project=app_name, user=user_id)

    async def close(self) -> None:
        """Closes the client, and ends a server of its own."""
        if self._client is not None:
            await self._client.aclose()


def register() -> None:
    """Makes trilith:// and triliths:// addresses of memory services."""
    from google.adk.cli.service_registry import get_service_registry

    for scheme in SCHEMES:
        get_service_registry().register_memory_service(scheme, lambda uri, **_: TrilithMemoryService(uri=uri))


async def _connect(uri: str | None) -> AsyncTrilith:
    if uri is None:
        return AsyncTrilith()
    parts = urlsplit(uri)
    if parts.scheme not in SCHEMES or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("uri: write trilith://HOST:PORT, triliths://HOST or trilith:///FILE; the key is that of TRILITH_KEY")
    if parts.netloc:
        return AsyncTrilith(f"{SCHEMES[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}")
    return await AsyncTrilith.embedded(store=unquote(parts.path))


def _text(content: genai.Content | None) -> str:
    """The words of a content, without thoughts, calls and files."""
    parts = content.parts if content and content.parts else []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _turn(event: Event, metadata: Mapping[str, object] | None) -> t.Message | None:
    text = _text(event.content)
    if not text:
        return None
    turn: t.Message = {
        "content": text,
        "role": "user" if event.author == "user" else "assistant",
        "external_id": "adk:" + event.id,
        "timestamp": datetime.datetime.fromtimestamp(event.timestamp, datetime.timezone.utc),
    }
    if event.author != "user":
        turn["speaker"] = event.author
    if metadata:
        turn["metadata"] = dict(metadata)
    return turn


def _entry(memory: t.Memory) -> MemoryEntry:
    role = "model" if memory.role == "assistant" else "user"
    return MemoryEntry(
        id=memory.id,
        author=memory.speaker or memory.role or None,
        timestamp=_iso(memory.event_time),
        content=genai.Content(role=role, parts=[genai.Part(text=memory.text)]),
        custom_metadata=memory.metadata or {},
    )


def _iso(time: Any) -> str | None:
    return time.isoformat() if isinstance(time, datetime.datetime) else time
