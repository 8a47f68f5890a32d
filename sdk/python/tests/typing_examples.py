"""What type checkers have to understand; mypy reads it, nobody runs it."""

from __future__ import annotations

import datetime

from trilith import AsyncTrilith, Trilith, F, types


def sync(memory: Trilith) -> str:
    stored: types.RememberResult = memory.remember("x", tags=["a"], wait="indexed")
    memory.remember([{"role": "user", "content": "x"}], session="monday")
    for hit in memory.recall("x", k=5, filter=F.tag("x") & F.after("2025-06-01"), user="ana"):
        text: str = hit.text
        place: float = hit.score
        print(text, place, hit.memory.scope.user)
    for kept in memory.memories(limit=5):
        kind: str = kept.kind
        when: datetime.datetime = kept.event_time
        until: datetime.datetime | None = kept.valid_until
        print(kind, when.year, until, kept.kind == "episode")
    cursor: str | None = memory.entities().page().next_cursor
    narrowed: Trilith = memory.scope(user="ana")
    print(stored.ids, cursor, narrowed)
    memory.remember("x", wait="forever")  # type: ignore[arg-type]
    memory.recall("x", kk=5)  # type: ignore[call-arg]
    return memory.context("x", budget=800).text


async def asynchronous(memory: AsyncTrilith) -> list[str]:
    await memory.put_entry("seat", "window", if_absent=True)
    async for item in memory.inbox():
        print(item.reason)
    return [m.text async for m in memory.memories()]
