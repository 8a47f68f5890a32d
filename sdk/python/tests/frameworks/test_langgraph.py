"""TrilithStore beside LangGraph's own InMemoryStore: the same random operations give the same answers."""

import asyncio
import random
import time
import uuid

import pytest

pytest.importorskip("langgraph.store.memory")

from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

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
