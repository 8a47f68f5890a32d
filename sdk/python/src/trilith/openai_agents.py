"""A session of the OpenAI Agents SDK in trilith; it needs the extra openai-agents.

    session = TrilithSession("trip", AsyncTrilith(user="ana"))
    result = await Runner.run(agent, "Where did we moor?", session=session)

Items are kept exactly and in order, tool calls and their outputs too, except that secrets in them are masked. What people and the assistant say is remembered
beside, and found in later sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents.memory.session import SessionABC
from agents.memory.session_settings import SessionSettings

from ._async.client import AsyncTrilith
from ._errors import NotFound

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

MOST = 1000  # items of one call


class TrilithSession(SessionABC):
    """The transcript of one session, in the scope of a client."""

    def __init__(
        self, session_id: str, client: AsyncTrilith, session_settings: SessionSettings | dict[str, Any] | None = None
    ) -> None:
        self.session_id = session_id
        self.client = client
        self.session_settings = SessionSettings().resolve(session_settings)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest items, the oldest of them first; all if no limit is given."""
        if limit is None and self.session_settings is not None:  # a caller may have set it to None
            limit = self.session_settings.limit
        if limit is not None and limit <= 0:
            return []
        items: list[Any] = []
        if limit is not None and limit <= MOST:
            async for item in self.client.session_items(self.session_id, latest=True, limit=limit):
                items.append(item.item)
                if len(items) == limit:
                    break
            return items
        async for item in self.client.session_items(self.session_id, limit=MOST):
            items.append(item.item)
        return items if limit is None else items[-limit:]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items after those that are there."""
        for start in range(0, len(items), MOST):
            await self.client.append_items(self.session_id, list(items[start : start + MOST]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes the last item and returns it; None if there is none."""
        try:
            item: Any = (await self.client.pop_item(self.session_id)).item
        except NotFound:
            return None
        return item  # type: ignore[no-any-return]

    async def clear_session(self) -> None:
        """Removes all items."""
        try:
            await self.client.clear_items(self.session_id)
        except NotFound:
            pass
