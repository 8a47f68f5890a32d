"""A store of LangGraph in trilith; it needs the extra langgraph.

    store = TrilithStore(Trilith.embedded(store="agent.db"))
    graph = builder.compile(store=store)

A value is an entry under a key of its own: searches of the memory find it too, exports hold it, what is deleted is
forgotten and can come back. Secrets in values are masked, as everywhere.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import urllib.parse
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from . import types as t
from ._errors import NotFound
from ._filter import F
from ._sync.client import Trilith

# Members of the metadata that an item lies in.
NAMESPACE, KEY, VALUE, TTL = "langgraph_namespace", "langgraph_key", "langgraph_value", "langgraph_ttl"

PAGE = 1000  # items read at a time
MOST = 200  # hits of one question


class TrilithStore(BaseStore):
    """Keeps items in the scope of a client. Its methods are safe for concurrent use."""

    supports_ttl = True

    def __init__(self, client: Trilith) -> None:
        self.client = client

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Does operations: reads see what was there before the writes, and of several writes of a key the last counts."""
        results: list[Result] = []
        writes: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            else:
                writes[(op.namespace, op.key)] = op
                results.append(None)
        for write in writes.values():
            self._put(write)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """batch in a thread of its own."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        try:
            memory = self.client.entry_by_key(_key(op.namespace, op.key))
        except NotFound:
            return None
        self._refresh([memory], op.refresh_ttl)
        return Item(**_fields(memory))

    def _put(self, op: PutOp) -> None:
        key = _key(op.namespace, op.key)
        if op.value is None:
            try:
                self.client.forget_by_key(key)
            except NotFound:
                pass
            return
        metadata: dict[str, Any] = {NAMESPACE: _path(op.namespace), KEY: op.key, VALUE: dict(op.value)}
        if op.ttl is not None:
            metadata[TTL] = op.ttl
        self._store(key, _content(op), metadata)

    def _store(self, key: str, content: str, metadata: dict[str, Any]) -> None:
        ttl = metadata.get(TTL)
        until = None if ttl is None else datetime.now(timezone.utc) + timedelta(minutes=ttl)
        self.client.put_entry(key, content, metadata=metadata, valid_until=until, category="langgraph")

    def _refresh(self, memories: Iterable[t.Memory], wanted: bool) -> None:
        for memory in memories:
            metadata = memory.metadata or {}
            if wanted and TTL in metadata:
                content = memory.entry.content if memory.entry else None
                self._store(_key(_parts(metadata[NAMESPACE]), metadata[KEY]), content or "", metadata)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.offset + op.limit
        found: dict[str, tuple[t.Memory, float | None]] = {}
        if op.query:
            hits = self.client.recall(op.query, k=MOST, filter=_inside(op.namespace_prefix))
            found = {h.memory.id: (h.memory, h.score) for h in hits if _matches(h.memory, op.filter)}
        if len(found) < wanted:  # those that the question says nothing of come last
            for memory in self._all(op.namespace_prefix):
                if memory.id not in found and _matches(memory, op.filter):
                    found[memory.id] = memory, None
                    if len(found) >= wanted:
                        break
        page = list(found.values())[op.offset : wanted]
        self._refresh([memory for memory, _ in page], op.refresh_ttl)
        return [SearchItem(**_fields(memory), score=score) for memory, score in page]

    def _all(self, prefix: tuple[str, ...]) -> Iterator[t.Memory]:
        yield from self.client.memories(limit=PAGE, filter=_inside(prefix))

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        known = {_parts((memory.metadata or {})[NAMESPACE]) for memory in self._all(())}
        names = (name for name in known if all(_fits(c, name) for c in conditions))
        cut = sorted({name[: op.max_depth] if op.max_depth is not None else name for name in names})
        return cut[op.offset : op.offset + op.limit]


def _key(namespace: tuple[str, ...], key: str) -> str:
    return "langgraph:" + hashlib.sha256(_exactly([list(namespace), key])).hexdigest()


def _exactly(value: Any) -> bytes:
    """JSON as the adapter in JavaScript writes it, so that both find the same items."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _path(namespace: tuple[str, ...]) -> str:
    """A namespace as text of which a prefix is a prefix."""
    return "/" + "".join(urllib.parse.quote(part, safe="") + "/" for part in namespace)


def _parts(path: str) -> tuple[str, ...]:
    return tuple(urllib.parse.unquote(part) for part in path.split("/")[1:-1])


def _inside(prefix: tuple[str, ...]) -> F:
    return F.where("metadata." + NAMESPACE, "startswith", _path(prefix))


def _fields(memory: t.Memory) -> dict[str, Any]:
    metadata = memory.metadata or {}
    return {
        "namespace": _parts(metadata[NAMESPACE]),
        "key": metadata[KEY],
        "value": metadata[VALUE],
        "created_at": memory.recorded_at,
        "updated_at": memory.event_time,
    }


def _content(op: PutOp) -> str:
    """What a question can find: the fields that are named, all if none is, of index False none."""
    if op.index is False or op.value is None:
        return op.key
    texts = [text for path in op.index or ["$"] for text in get_text_at_path(dict(op.value), path)]
    return "\n".join(text for text in texts if text.strip()) or op.key


def _matches(memory: t.Memory, condition: dict[str, Any] | None) -> bool:
    value = (memory.metadata or {})[VALUE]
    return all(_compare(value.get(key), wanted) for key, wanted in (condition or {}).items())


def _compare(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and any(key.startswith("$") for key in wanted):
        return all(_operate(value, operator, operand) for operator, operand in wanted.items())
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(_compare(value.get(key), v) for key, v in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(wanted)
            and all(_compare(v, w) for v, w in zip(value, wanted))
        )
    return bool(value == wanted)


def _operate(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == operand) == (operator == "$eq")
    compare = {"$gt": float.__gt__, "$gte": float.__ge__, "$lt": float.__lt__, "$lte": float.__le__}.get(operator)
    if compare is None:
        raise ValueError(f"Unsupported operator: {operator}")
    return compare(float(value), float(operand))


def _fits(condition: MatchCondition, name: tuple[str, ...]) -> bool:
    path = condition.path
    if len(name) < len(path):
        return False
    part = name[: len(path)] if condition.match_type == "prefix" else name[len(name) - len(path) :]
    return all(wanted in ("*", got) for wanted, got in zip(path, part))
