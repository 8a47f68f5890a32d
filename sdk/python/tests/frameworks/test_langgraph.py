"""TrilithStore beside LangGraph's own InMemoryStore: the same random operations give the same answers."""

import asyncio
import datetime
import json
import random
import time
import uuid

import httpx
import pytest

pytest.importorskip("langgraph.store.memory")

from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

import trilith
from conftest import key_of
from trilith.langgraph import TrilithStore

NAMES = ["users", "ana", "notes", "a/b", "café", "*"]


def plain(items):
    return sorted((item.namespace, item.key, str(sorted(item.value.items()))) for item in items)


@pytest.mark.parametrize("seed", range(8))
def test_random_operations(memory, seed):
    rng = random.Random(seed)
    ours, theirs = TrilithStore(memory.scope(project=uuid.uuid4().hex)), InMemoryStore()

    def name():
        return tuple(rng.choice(NAMES) for _ in range(rng.randint(1, 3)))

    for _ in range(60):
        namespace, key = name(), rng.choice("kmn")
        if rng.random() < 0.6:
            value = {"n": rng.randint(0, 5), "tags": ["x"] * rng.randint(0, 2), "nested": {"deep": rng.choice([None, "é", 1.5])}}
            for store in (ours, theirs):
                store.put(namespace, key, value)
        elif rng.random() < 0.3:
            for store in (ours, theirs):
                store.delete(namespace, key)
        else:
            mine, other = ours.get(namespace, key), theirs.get(namespace, key)
            assert (mine and (mine.namespace, mine.key, mine.value)) == (other and (other.namespace, other.key, other.value))
    for prefix in [(), ("users",), ("users", "ana"), ("us",), ("*",), name()]:
        for condition in [None, {"n": 3}, {"n": {"$gte": 2, "$lt": 5}}, {"n": {"$ne": 1}}, {"tags": ["x"]}, {"nested": {"deep": "é"}}]:
            mine = ours.search(prefix, filter=condition, limit=1000)
            assert plain(mine) == plain(theirs.search(prefix, filter=condition, limit=1000)), (prefix, condition)
            pages = [item for at in range(0, len(mine) + 3, 3) for item in ours.search(prefix, filter=condition, limit=3, offset=at)]
            assert plain(pages) == plain(mine)
    held = {item.namespace for item in theirs.search((), limit=1000)}
    for known in [{}, {"prefix": ("users",)}, {"prefix": ("*", "ana")}, {"suffix": ("notes",)}, {"max_depth": 1}]:
        # InMemoryStore lists namespaces that are empty by now too
        depth = known.get("max_depth")
        expected = sorted({n[:depth] for n in held} & set(theirs.list_namespaces(**known, limit=1000)))
        assert ours.list_namespaces(**known, limit=1000) == expected, known
        assert ours.list_namespaces(**known, limit=2, offset=1) == expected[1:3]


def test_batch(memory):
    store = TrilithStore(memory)
    store.put(("a",), "k", {"v": 1})
    got = store.batch([
        PutOp(("a",), "k", {"v": 2}), GetOp(("a",), "k"), PutOp(("a",), "k", {"v": 3}),
        SearchOp(("a",)), ListNamespacesOp(), PutOp(("b",), "k", None)])
    assert [got[0], got[1].value, got[2], [i.value for i in got[3]], got[4], got[5]] == [None, {"v": 1}, None, [{"v": 1}], [("a",)], None]
    assert asyncio.run(store.aget(("a",), "k")).value == {"v": 3}


def test_search_by_meaning(memory):
    store = TrilithStore(memory)
    store.put(("u",), "1", {"text": "I moor the boat in Bergen"})
    store.put(("u",), "2", {"text": "My sister bakes rye bread"})
    store.put(("u",), "3", {"text": "The invoice of the harbour"}, index=False)
    store.put(("v",), "4", {"text": "I moor the boat in Oslo"})
    found = store.search(("u",), query="Where is the boat moored?")
    assert found[0].key == "1" and found[0].score > 0 and {item.key for item in found} == {"1", "2", "3"}
    assert store.search(("u",), query="the invoice of the harbour")[0].key != "3"
    assert memory.recall("Where is the boat moored?").hits[0].memory.metadata["langgraph_key"] in ("1", "4")


def test_ttl(memory):
    store = TrilithStore(memory)
    store.put(("t",), "kept", {"v": 1}, ttl=1)

    def until():
        return next(iter(memory.memories(limit=10))).valid_until

    before = until()
    assert store.get(("t",), "kept", refresh_ttl=False).value == {"v": 1}
    assert until() == before
    assert store.get(("t",), "kept").value == {"v": 1}
    assert until() > before
    store.put(("t",), "gone", {"v": 1}, ttl=0.002)
    ends = time.monotonic() + 30
    while store.get(("t",), "gone", refresh_ttl=False):
        assert time.monotonic() < ends, "an item outlives its time"


def test_graph(memory):
    from typing_extensions import TypedDict

    from langgraph.graph import END, START, StateGraph

    class State(TypedDict):
        said: str

    def remember(state, *, store):
        store.put(("ana",), "city", {"text": state["said"]})
        return {"said": store.search(("ana",), query="city")[0].value["text"]}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    assert builder.compile(store=TrilithStore(memory)).invoke({"said": "Bergen"}) == {"said": "Bergen"}


class Counted(httpx.BaseTransport):
    """Counts requests."""

    def __init__(self):
        self.inner, self.requests = httpx.HTTPTransport(), 0

    def handle_request(self, request):
        self.requests += 1
        return self.inner.handle_request(request)


def counted(memory, request):
    transport = Counted()
    client = trilith.Trilith(memory.url, key_of(memory), http=httpx.Client(transport=transport, timeout=60), user=request.node.name)
    return transport, TrilithStore(client)


def test_a_batch_is_one_request_and_all_or_nothing(memory, request):
    transport, store = counted(memory, request)
    store.batch([PutOp(("b",), str(n), {"n": n}) for n in range(1000)])
    assert transport.requests == 1
    reads = store.batch([
        GetOp(("b",), "7"), GetOp(("b",), "none"), SearchOp(("b",), filter={"n": {"$gte": 995}}), SearchOp(("b",), query="7", limit=1),
        ListNamespacesOp(limit=10), PutOp(("b",), "7", {"n": -7}), PutOp(("b",), "8", None), PutOp(("b",), "none", None)])
    assert reads[0].value == {"n": 7} and reads[1] is None and {item.key for item in reads[2]} == {"995", "996", "997", "998", "999"}
    assert transport.requests <= 3  # namespaces are those of more items than a page has
    before = transport.requests
    for wrong in ({"x": "y" * (1 << 20)}, {"x": "\0"}, {"x": float("nan")}):
        with pytest.raises(trilith.Invalid):
            store.batch([PutOp(("b",), "9", {"n": -9}), PutOp(("b",), "10", None), PutOp(("b",), "11", wrong)])
    assert store.get(("b",), "9").value == {"n": 9} and store.get(("b",), "10").value == {"n": 10}
    assert store.get(("b",), "7").value == {"n": -7} and store.get(("b",), "8") is None
    found = store.search(("b",), filter={"n": 500})
    assert [item.key for item in found] == ["500"] and transport.requests - before <= 7


def deep(levels):
    return {"x": deep(levels - 1)} if levels else "end"


def test_values_come_back_as_they_were(memory):
    store = TrilithStore(memory)
    largest = {"text": "é<&>" * ((1 << 18) // 5 * 3 + 1)}
    largest["text"] += "x" * ((1 << 20) - len(json.dumps(largest, ensure_ascii=False, separators=(",", ":")).encode()))
    values = [
        largest,
        {"a.b": {"": 1, "%2E": [{"c.d": None}], "é ü": True, "%int": "1"}},
        {"many": [2**53 + 1, -(2**70), 0, 1.5, 1e300, False]},
        {"files": {f"src/{n}.py": {"lines": n} for n in range(2000)}},
        deep(28),
        {},
    ]
    for n, value in enumerate(values):
        store.put(("v",), str(n), value)
        got = store.get(("v",), str(n)).value
        assert got == value and json.dumps(got, sort_keys=True) == json.dumps(value, sort_keys=True)
    store.put(("v",), "0", values[1])
    assert store.get(("v",), "0").value == values[1]
    with pytest.raises(trilith.Invalid, match="1,048,577 bytes"):
        store.put(("v",), "0", {"text": largest["text"] + "x"})


def test_filters(memory):
    store = TrilithStore(memory)
    items = {
        "a": {"score": 5, "user": {"access-level": "high", "n": {"deep": 1}}, "tags": ["x", "y"]},
        "b": {"score": 3, "user.access-level": "high", "tags": ["x"]},
        "c": {"score": "5", "user": "ana", "tags": "x"},
        "d": {"other": 1, "score": None},
        "e": {"score": True, "user": {}},
        "f": {"score": 2**60},
    }
    for key, value in items.items():
        store.put(("f",), key, value)
    for condition, keys in [
        ({"score": {"$gt": 3}}, "af"), ({"score": {"$gte": 3, "$lt": 5}}, "b"), ({"score": {"$lte": "5"}}, "c"),
        ({"score": {"$gt": None}}, ""), ({"score": {"$gt": [1]}}, ""), ({"score": {"$gt": 2**59}}, "f"), ({"score": 2**60}, "f"),
        ({"score": 5}, "a"), ({"score": None}, "d"), ({"score": {"$ne": 5}}, "bcdef"), ({"nothing": {"$lt": 1}}, ""),
        ({"user.access-level": "high"}, "ab"), ({"user.n.deep": {"$gte": 1}}, "a"), ({"user": {"n": {"deep": 1}}}, "a"),
        ({"user": {"$eq": "ana"}}, "c"), ({"user": {}}, "ae"), ({"tags": ["x"]}, "b"), ({"tags": "x"}, "c"),
        ({"tags": {"$eq": ["x", "y"]}}, "a"), ({"tags": {"$ne": "x"}}, "abdef"), ({"tags": ["y", "x"]}, ""),
    ]:
        found = store.search(("f",), filter=condition, limit=50)
        assert "".join(sorted(item.key for item in found)) == keys, condition
        assert {item.key for item in store.search(("f",), filter=condition, limit=50, query="score")} == set(keys), condition
        pages = [item.key for at in range(7) for item in store.search(("f",), filter=condition, limit=1, offset=at)]
        assert pages == [item.key for item in found]
    for wrong in [{"limit": -1}, {"offset": -1}, {"filter": {"score": {"$regex": "x"}}}]:
        with pytest.raises(ValueError):
            store.search(("f",), **wrong)
    with pytest.raises(ValueError):
        store.list_namespaces(limit=-1)


def test_configuration(memory):
    store = TrilithStore(memory, index={"dims": 1, "embed": lambda texts: texts, "fields": ["said"]}, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(("c",), "1", {"said": "The anchor is in the locker", "note": "nobody finds zebras"})
    store.put(("c",), "2", {"said": "Nothing", "note": "zebras"}, ttl=None)
    until = {m.metadata["langgraph_key"]: m.valid_until for m in memory.memories(limit=10)}
    assert until["2"] is None and until["1"] > datetime.datetime.now(datetime.timezone.utc)
    store.get(("c",), "1")
    assert {m.metadata["langgraph_key"]: m.valid_until for m in memory.memories(limit=10)} == until
    assert store.search(("c",), query="Where is the anchor?")[0].key == "1"
    assert all("zebras" not in hit.memory.text for hit in memory.recall("zebras"))
