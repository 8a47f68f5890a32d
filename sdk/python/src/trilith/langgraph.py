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
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from operator import ge, gt, le, lt
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
)

from . import types as t
from ._core import encode
from ._errors import KINDS, Internal, Invalid
from ._filter import F
from ._sync.client import Trilith

# Members of the metadata that an item lies in.
NAMESPACE, KEY, VALUE, TTL = "langgraph_namespace", "langgraph_key", "langgraph_value", "langgraph_ttl"

PAGE = 1000  # items read at a time
MOST = 200  # hits of one question
STEP = 50  # by which hits are asked for
LARGEST = 1 << 20  # bytes of a value as JSON
SEARCHED = 200_000  # bytes of a value that questions can find
DEEPEST = 6  # names of a path that the server compares
EXACT = 1 << 53  # beyond it the server's numbers are not exact
LONG = "%int"  # holds the digits of such a number; no key is written so

OPERATORS = {"$eq": "eq", "$ne": "ne", "$gt": "gt", "$gte": "gte", "$lt": "lt", "$lte": "lte"}


class TrilithStore(BaseStore):
    """Keeps items in the scope of a client. Its methods are safe for concurrent use."""

    supports_ttl = True

    def __init__(self, client: Trilith, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None) -> None:
        """Of index only fields counts: the memory has an embedder. ttl gives the defaults of times to live."""
        self.client = client
        self.index_config = index
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Does operations in one request; further pages of what is read, and new times to live, take others.

        Reads see what was there before the writes. Of several writes of a key the last counts; all are done or none.
        """
        ops = list(ops)
        reads: list[t.Operation] = []
        places: list[int] = []  # of the first read of each operation
        writes: dict[tuple[tuple[str, ...], str], t.Operation] = {}
        for op in ops:
            places.append(len(reads))
            if isinstance(op, GetOp):
                reads.append({"get": {"key": _key(op.namespace, op.key)}})
            elif isinstance(op, SearchOp):
                reads += _searches(op)
            elif isinstance(op, PutOp):
                writes[op.namespace, op.key] = self._write(op)
            else:
                reads.append({"list": _listing(_inside(()), PAGE)})
        answers = self._ask(reads, list(writes.values()))
        refreshed: list[t.Memory] = []
        results: list[Result] = []
        for op, place in zip(ops, places):
            if isinstance(op, GetOp):
                found = [memory for memory in [answers[place].memory] if memory]
                results.append(Item(**_fields(found[0])) if found else None)
            elif isinstance(op, SearchOp):
                page = self._page(op, answers[place : place + len(_searches(op))])
                found = [memory for memory, _ in page]
                results.append([SearchItem(**_fields(memory), score=score) for memory, score in page])
            else:
                found = []
                results.append(None if isinstance(op, PutOp) else self._namespaces(op, answers[place].listed))
            refreshed += [memory for memory in found if getattr(op, "refresh_ttl", False) and TTL in (memory.metadata or {})]
        if refreshed:
            self.client.batch([_later(memory) for memory in refreshed])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """batch in a thread of its own."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _ask(self, reads: list[t.Operation], writes: list[t.Operation]) -> list[t.OperationResult]:
        """The answers of reads; what an answer has no room for is asked for again."""
        answers: list[t.OperationResult] = []
        while reads or writes:
            now = reads[:PAGE]
            together = writes if len(now) + len(writes) <= PAGE or not reads else []
            results = self.client.batch([*now, *together], atomic=True).results[: len(now)]
            full = next((i for i, one in enumerate(results) if i and one.error and one.error.kind == "exhausted"), len(results))
            for result in results[:full]:
                if result.error and not (result.error.kind == "not_found"):
                    raise KINDS.get(result.error.kind, Internal)(result.error.detail)
            answers += results[:full]
            reads = reads[full:]
            writes = [] if together else writes
        return answers

    def _write(self, op: PutOp) -> t.Operation:
        key = _key(op.namespace, op.key)
        if op.value is None:
            return {"delete": {"key": key}}
        value = dict(op.value)
        if (size := len(encode(value))) > LARGEST:
            raise Invalid(f"value: of {op.key!r} is {size:,} bytes long as JSON, at most {LARGEST:,} are allowed")
        metadata: dict[str, Any] = {NAMESPACE: _path(op.namespace), KEY: op.key, VALUE: _stored(value)}
        put: t.KeyedPut = {"key": key, "content": self._content(op, value), "metadata": metadata, "category": "langgraph"}
        if op.ttl is not None:
            metadata[TTL] = op.ttl
            put["valid_until"] = _until(op.ttl)
        return {"put": put}

    def _content(self, op: PutOp, value: dict[str, Any]) -> str:
        """What a question can find: the fields that are named, all if none is, of index False none."""
        if op.index is False:
            return op.key
        texts = [text for path in op.index or (self.index_config or {}).get("fields") or ["$"] for text in get_text_at_path(value, path)]
        found = "\n".join(text for text in texts if text.strip())
        return found.encode("utf-8", "replace")[:SEARCHED].decode("utf-8", "ignore") or op.key

    def _page(self, op: SearchOp, answers: list[t.OperationResult]) -> list[tuple[t.Memory, float | None]]:
        """What a search gives: first what a question finds, then what it says nothing of."""
        wanted = op.offset + op.limit
        found: dict[str, tuple[t.Memory, float | None]] = {}
        for hit in answers[0].found or []:
            if _matches(hit.memory, op.filter):
                found[hit.memory.id] = hit.memory, hit.score
        for memory in self._all(answers[-1].listed, _condition(op)):
            if len(found) >= wanted:
                break
            if memory.id not in found and _matches(memory, op.filter):
                found[memory.id] = memory, None
        return list(found.values())[op.offset : wanted]

    def _all(self, page: t.Page | None, condition: F) -> Iterator[t.Memory]:
        """What a page and those after it list."""
        if page is not None:
            yield from page.items
            if page.next_cursor:
                yield from self.client.memories(limit=PAGE, filter=condition, cursor=page.next_cursor)

    def _namespaces(self, op: ListNamespacesOp, page: t.Page | None) -> list[tuple[str, ...]]:
        _check_bounds(op)
        known = {_parts((memory.metadata or {})[NAMESPACE]) for memory in self._all(page, _inside(()))}
        names = (name for name in known if all(_fits(c, name) for c in op.match_conditions or ()))
        cut = sorted({name[: op.max_depth] if op.max_depth is not None else name for name in names})
        return cut[op.offset : op.offset + op.limit]


def _check_bounds(op: SearchOp | ListNamespacesOp) -> None:
    for name, value in (("limit", op.limit), ("offset", op.offset)):
        if value < 0:
            raise ValueError(f"{name}: is {value}, must not be negative")


def _searches(op: SearchOp) -> list[t.Operation]:
    """What a search asks the server."""
    _check_bounds(op)
    condition, wanted = _condition(op), op.offset + op.limit
    listing: t.Operation = {"list": _listing(condition, min(PAGE, max(wanted, 1)))}
    if not op.query or not op.query.strip():
        return [listing]
    k = min(MOST, (wanted // STEP + 1) * STEP)  # the same for neighbouring pages
    return [{"search": {"query": op.query, "k": k, "filter": condition}}, listing]


def _listing(condition: F, limit: int) -> t.ListRequest:
    return {"limit": limit, "filter": condition}


def _until(ttl: float) -> datetime:
    return datetime.now(timezone.utc) + timedelta(minutes=ttl)


def _later(memory: t.Memory) -> t.Operation:
    """Prolongs the life of an item, unless it was changed meanwhile."""
    until = _until((memory.metadata or {})[TTL])
    return {"update": {"id": memory.id, "valid_until": until, "version": memory.version}}


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


def _name(name: Any) -> str:
    """A key of an object as metadata may have it: not empty, and without dots."""
    return re.sub(r"[%.\0]", lambda letter: f"%{ord(letter[0]):02X}", str(name)) or "%"


def _stored(value: Any) -> Any:
    """A value as the metadata hold it; its inverse is _given."""
    if isinstance(value, dict):
        return {_name(key): _stored(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_stored(one) for one in value]
    if isinstance(value, int) and abs(value) > EXACT:
        return {LONG: str(value)}
    return value


def _given(value: Any) -> Any:
    if isinstance(value, list):
        return [_given(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {LONG}:
        return int(value[LONG])
    return {"" if key == "%" else urllib.parse.unquote(key) if "%" in key else key: _given(one) for key, one in value.items()}


def _fields(memory: t.Memory) -> dict[str, Any]:
    metadata = memory.metadata or {}
    return {
        "namespace": _parts(metadata[NAMESPACE]),
        "key": metadata[KEY],
        "value": _given(metadata[VALUE]),
        "created_at": memory.recorded_at,
        "updated_at": memory.event_time,
    }


def _condition(op: SearchOp) -> F:
    """What the server filters by. It lets more pass than _matches where its filters cannot say the same."""
    conditions = [_inside(op.namespace_prefix)]
    for key, wanted in (op.filter or {}).items():
        paths = [[key], key.split(".")] if "." in key else [[key]]  # a dot is a letter of the key, or leads further down
        ways = [_conditions(path, wanted) for path in paths]
        if all(ways):
            conditions.append(F({"or": [F({"and": way}) for way in ways]}))
    return F({"and": conditions})


def _conditions(path: list[str], wanted: Any) -> list[F]:
    if isinstance(wanted, dict) and not _operators(wanted):
        return [one for key, value in wanted.items() for one in _conditions([*path, key], value)]
    out: list[F] = []
    field = ".".join(["metadata", VALUE, *map(_name, path)])
    if isinstance(wanted, (list, tuple)):
        comparisons = [("contains", one) for one in wanted if isinstance(one, str)]
    else:
        comparisons = [(OPERATORS[o], one) for o, one in (wanted if _operators(wanted) else {"$eq": wanted}).items()]
    for operator, operand in comparisons if len(path) <= DEEPEST else []:
        ordered = not isinstance(operand, bool) and isinstance(operand, (str, int, float))
        if operand is not None and not isinstance(operand, (bool, str)) and not (ordered and abs(operand) <= EXACT):
            continue
        one = F.where(field, operator, operand)
        if operator in ("eq", "ne"):  # the server takes a list of one text for that text
            out.append(one | F.where(field, "contains", operand) if operator == "ne" and isinstance(operand, str) else one)
        elif ordered:
            out.append(one if isinstance(operand, str) else one | F.where(field + "." + LONG, "exists", True))
    return out


def _operators(wanted: Any) -> bool:
    if not isinstance(wanted, dict) or not any(key.startswith("$") for key in wanted):
        return False
    for key in wanted:
        if key not in OPERATORS:
            raise ValueError(f"Unsupported operator: {key}")
    return True


def _matches(memory: t.Memory, condition: dict[str, Any] | None) -> bool:
    value = _given((memory.metadata or {})[VALUE])
    return all(_compare(_at(value, key), wanted) for key, wanted in (condition or {}).items())


def _at(value: Any, key: str) -> Any:
    """What a value has under a key, or at the end of a path."""
    if key in value:
        return value[key]
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _compare(value: Any, wanted: Any) -> bool:
    if _operators(wanted):
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
    if any(isinstance(one, bool) for one in (value, operand)):
        return False
    if not all(isinstance(one, str) for one in (value, operand)):  # texts have their order, numbers theirs
        if not all(isinstance(one, (int, float)) for one in (value, operand)):
            return False
    compare = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}[operator]
    return bool(compare(value, operand))


def _fits(condition: MatchCondition, name: tuple[str, ...]) -> bool:
    path = condition.path
    if len(name) < len(path):
        return False
    part = name[: len(path)] if condition.match_type == "prefix" else name[len(name) - len(path) :]
    return all(wanted in ("*", got) for wanted, got in zip(path, part))
