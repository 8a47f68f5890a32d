"""What the client does by itself: errors, retries, keys, pages, scopes, tools."""

import datetime
import json
import subprocess
import sys

import httpx
import pytest

import trilith
from conftest import key_of
from trilith import F


class Server(httpx.BaseTransport):
    """Answers with what it was given, one after the other, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def handle_request(self, request):
        self.asked.append((request, request.read()))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body, *headers = answer
        return httpx.Response(status, json=body, headers=dict(*headers))


def client(*answers, **options):
    server = Server(*answers)
    return server, trilith.Trilith("http://trilith.test/", "secret", http=httpx.Client(transport=server), **options)


AWAY = (503, {"kind": "unavailable", "detail": "the store is away", "title": "", "status": 503}, {"retry-after": "0"})
STORED = (200, {"memories": [], "rejected": [], "indexed": True})


def test_a_write_is_repeated_with_its_key():
    server, memory = client(AWAY, httpx.ReadError("reset"), STORED)
    memory.remember("x")
    keys = {request.headers["idempotency-key"] for request, _ in server.asked}
    assert len(server.asked) == 3 and len(keys) == 1 and len(keys.pop()) == 32
    server.answers += [STORED]
    memory.remember("x")
    assert len({request.headers["idempotency-key"] for request, _ in server.asked}) == 2


@pytest.mark.parametrize("blank", ["", "  ", "\u00a0", None])
def test_a_scope_value_that_names_nothing_is_refused_before_anything_is_asked(blank):
    server, memory = client()
    for call in (
        lambda: memory.recall("x", user=blank),
        lambda: memory.remember("x", user=blank),
        lambda: memory.forget("x", user=blank),
        lambda: memory.memories(user=blank).page(),
        lambda: memory.call("stats", user=blank),
        lambda: memory.consult_stream("x", print, user=blank),
        lambda: next(memory.export(user=blank)),
        lambda: next(memory.events(user=blank)),
        lambda: memory.import_files([], user=blank),
        lambda: memory.put_media(b"", user=blank),
        lambda: memory.media_file("x", user=blank),
        lambda: memory.scope(user=blank),
        lambda: trilith.Trilith(user=blank),
        lambda: trilith.Trilith.embedded(user=blank),
    ):
        with pytest.raises(trilith.Invalid, match="^user: .*leave it out"):
            call()
    assert server.asked == []
    with pytest.raises(TypeError, match="users"):
        memory.scope(users="ana")


def test_an_error_carries_what_was_rejected():
    why = {"index": 0, "reason": "empty", "detail": "holds no visible character"}
    _, memory = client((400, {"kind": "invalid", "detail": "refused", "rejected": [why]}))
    with pytest.raises(trilith.Invalid) as refused:
        memory.remember(" ")
    assert refused.value.rejected == [why]


def test_reads_carry_the_position_of_writes():
    at = [(200, STORED[1], {"trilith-position": position}) for position in ("1/F0", "1/10", "no position")]
    server, memory = client(*at, (200, {"hits": []}))
    for _ in at:
        memory.remember("x")
    memory.scope(user="ana").recall("x")
    seen = [request.headers.get("trilith-position") for request, _ in server.asked]
    assert seen == [None, "1/F0", "1/F0", "1/F0"]


def test_a_key_in_the_body():
    server, memory = client(AWAY, (200, {"ids": [], "dry_run": False}))
    memory.forget("a")
    first, second = (json.loads(body) for _, body in server.asked)
    assert first == second and first["request_key"] and first["ids"] == ["a"]


def test_the_callers_key_is_the_key():
    server, memory = client(STORED)
    memory.remember("x", request_key="call-42")
    request, body = server.asked[0]
    assert json.loads(body) == {"text": "x", "request_key": "call-42"} and "idempotency-key" not in request.headers


def test_what_is_not_repeated():
    for answer, kind in [
        ((500, {"kind": "internal", "detail": "d"}), trilith.Internal),
        ((429, {"kind": "exhausted", "detail": "the budget of today"}), trilith.Exhausted),
        ((400, {"kind": "invalid", "detail": "k: must be 1 to 200"}), trilith.Invalid),
        ((503, {"kind": "unavailable", "detail": "later"}, {"retry-after": "3600"}), trilith.Unavailable),
        (httpx.ReadTimeout("late"), trilith.DeadlineExceeded),
    ]:
        server, memory = client(answer)
        with pytest.raises(kind):
            memory.recall("x")
        assert len(server.asked) == 1
    for call in (lambda m: m.pop_item("s"), lambda m: m.put_entry("k", "v", version=3), lambda m: m.erase("a")):
        server, memory = client(AWAY)
        with pytest.raises(trilith.Unavailable):
            call(memory)
        assert len(server.asked) == 1


def test_what_never_arrived_is_repeated_whatever_it_is():
    server, memory = client(httpx.ConnectError("refused"), (200, {"memories": 1}))
    assert memory.erase("a").memories == 1


def test_a_limit_with_a_time_is_waited_for():
    server, memory = client((429, {"kind": "exhausted", "detail": "d"}, {"retry-after": "0"}), (200, {"hits": [], "abstained": True}))
    assert not memory.recall("x") and len(server.asked) == 2


def test_retries_end():
    server, memory = client(*[AWAY] * 4)
    with pytest.raises(trilith.Unavailable, match="the store is away"):
        memory.recall("x")
    assert len(server.asked) == 4
    server, memory = client(AWAY, retries=0)
    with pytest.raises(trilith.Unavailable):
        memory.recall("x")


def test_errors():
    problem = {"kind": "invalid", "detail": "k: must be 1 to 200", "request_id": "7f3c", "status": 400, "errors": [{"location": "body.k"}]}
    _, memory = client((400, problem))
    with pytest.raises(trilith.Invalid) as raised:
        memory.recall("x", k=1000)
    error = raised.value
    assert (error.kind, error.detail, error.request_id, error.status) == ("invalid", problem["detail"], "7f3c", 400)
    assert error.fields == problem["errors"] and "7f3c" in str(error) and isinstance(error, trilith.TrilithError)
    for status, kind in [(401, trilith.Unauthenticated), (413, trilith.Exhausted), (418, trilith.Invalid), (500, trilith.Internal)]:
        _, memory = client((status, ["of a proxy"]))
        with pytest.raises(kind):
            memory.recall("x")
    _, memory = client((302, {}, {"location": "http://elsewhere.test"}))
    with pytest.raises(trilith.Internal):
        memory.recall("x")


def test_what_json_cannot_carry():
    server, memory = client()
    for text in ("\ud800", {"set"}):
        with pytest.raises(trilith.Invalid):
            memory.remember("x", metadata={"text": text})
    for id in ("", ".."):
        with pytest.raises(trilith.Invalid):
            memory.get(id)
    assert not server.asked


def test_addresses_and_bodies():
    page = (200, {"items": []})
    server, memory = client(page, STORED, (200, {"languages": []}), (200, {"id": "1"}), user="ana", project="p")
    since = datetime.datetime(2025, 6, 1, tzinfo=datetime.timezone.utc)
    memory.memories(user="ben", newest=True, states=["active", "expired"], filter=F.tag("x") & F.after(since), cursor=None).page()
    request, _ = server.asked[0]
    assert dict(request.url.params) == {
        "user": "ben", "project": "p", "newest": "true", "states": "active,expired",
        "filter": '{"and":[{"tags":{"contains":"x"}},{"event_time":{"gte":"2025-06-01T00:00:00+00:00"}}]}',
    }
    assert request.headers["authorization"] == "Bearer secret"
    memory.scope(session="s").remember("x", timestamp=since)
    assert json.loads(server.asked[1][1]) == {
        "text": "x", "timestamp": "2025-06-01T00:00:00+00:00", "user": "ana", "project": "p", "session": "s"}
    memory.use_languages("de", "en")  # takes no scope
    assert json.loads(server.asked[2][1]) == {"languages": ["de", "en"]}
    memory.entry_by_key("a/ü")
    assert server.asked[3][0].url.raw_path == b"/api/v1/memories/by-key/a%2F%C3%BC?project=p&user=ana"


def test_filters():
    assert F.tag("a", "b") | ~F.equals(kind="note") == {
        "or": [{"and": [{"tags": {"contains": "a"}}, {"tags": {"contains": "b"}}]}, {"not": {"kind": "note"}}]}
    assert F.where("seq", "gt", 3) & F.before("2025") == {"and": [{"seq": {"gt": 3}}, {"event_time": {"lt": "2025"}}]}


def test_answers():
    memory = {"id": "1", "text": "t", "scope": {"user": "ana"}, "of_a_newer_server": {"x": 1}}
    hit = {"memory": memory, "score": 0.5, "similarity": 0.25, "parts": {"dense": {"rank": 2, "norm": 0.5, "weight": 1.0}}}
    _, c = client((200, {"hits": [hit], "abstained": False}))
    found = c.recall("x")
    assert [h.text for h in found] == ["t"] and len(found) == 1 and found
    first = found.hits[0]
    assert first.id == "1" and first.memory.scope.user == "ana" and first.memory.archived_at is None
    assert first.memory.of_a_newer_server == {"x": 1} and first["score"] == 0.5 and "weak" not in first
    assert first.why() == "score 0.50; similarity 0.25; dense 0.50 × 1, number 2"
    assert found.to_dict() == {"hits": [hit], "abstained": False}
    assert isinstance(first.memory, trilith.types.Memory) and "id='1'" in repr(first.memory)


def test_pages(memory):
    ids = [memory.remember(f"Crate {n}.", extract="none").ids[0] for n in range(5)]
    assert [m.id for m in memory.memories(limit=2)] == ids
    assert [len(page.items) for page in memory.memories(limit=2).pages()] == [2, 2, 1]
    first = memory.memories(limit=2).page()
    assert [m.id for m in memory.memories(limit=3, cursor=first.next_cursor).page().items] == ids[2:]


def test_documents(memory, tmp_path):
    path = tmp_path / "roof.md"
    path.write_text("# Roof\n\nSlate lasts a century.\n", encoding="utf-8")
    assert memory.document(path, extract="none").memories[0].kind == "passage"
    assert memory.document(name="a.txt", content="Copper is dear.", extract="none").ids
    with pytest.raises(trilith.Invalid):
        memory.document()


def test_tools(memory):
    for format, name in [("openai", lambda t: t["function"]["name"]), ("anthropic", lambda t: t["name"]),
                         ("gemini", lambda t: t["name"]), ("openai-responses", lambda t: t["name"]), ("mcp", lambda t: t["name"])]:
        names = {name(tool) for tool in memory.tools(format)}
        assert {"memory_append", "memory_search"} <= names, format
    assert len(memory.tools(sets=["graph"])) > len(memory.tools())
    with pytest.raises(trilith.Invalid):
        memory.tools("cobol")
    assert memory.call_tool("memory_append", '{"content": "The kettle is red."}')["status"] == "success"
    assert [r["content"] for r in memory.call_tool("memory_search", {"query": "kettle"})["results"]] == ["The kettle is red."]
    assert memory.scope(user="other").call_tool("memory_search", {"query": "kettle"})["results"] == []
    for name, arguments in [("memory_search", {"limit": 99, "query": "x"}), ("memory_search", "{"), ("nothing", {})]:
        said = memory.call_tool(name, arguments)
        assert said["status"] == "error" and said["message"]
    with pytest.raises(trilith.Invalid):
        memory.scope(user="x" * 300).call_tool("memory_search", {"query": "x"})


def test_export_and_import(server):
    memory = server.scope(user="mover")
    memory.remember("The ladder came from the neighbours.", extract="none")
    lines = list(memory.export())
    assert len(lines) >= 2 and "ladder" in json.dumps(lines)
    with trilith.Trilith.embedded(store=":memory:") as other:
        other.import_(lines)
        assert [m.text for m in other.memories(user="mover")] == ["The ladder came from the neighbours."]


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c636000000002000148afa4710000000049454e44ae426082"
)


def test_media(server):
    memory = server.scope(user="camera")
    kept = memory.put_media(PNG, name="dot.png", media_type="image/png")
    assert kept["new"] and kept["media_type"] == "image/png" and kept["width"] == 1
    assert not memory.put_media(PNG, name="again.png")["new"]
    assert [f.name for f in memory.media(unread=True).items] == ["dot.png"]
    assert memory.media_file(kept["id"]) == PNG
    with pytest.raises(trilith.NotFound):
        server.scope(user="other").media_file(kept["id"])
    with pytest.raises(trilith.Invalid):
        memory.put_media(b'<svg xmlns="http://www.w3.org/2000/svg"/>', media_type="image/png")
    with pytest.raises(trilith.Invalid):
        memory.put_media(PNG, media_type="image/jpeg")


def test_ledger(server):
    memory = server.scope(project="boathouse")
    for text in ["Huber quoted 4,000 EUR for the roof.", "Huber quoted 3,000 EUR for the doors.", "Huber sent invoice R-77: 1,500 EUR."]:
        memory.remember(text, extract="rules", wait="extracted")
    ledger = server.project_ledger("boathouse", rate=["EUR:USD=1.1"])
    assert [f.kind for f in ledger.findings] == ["ambiguous"] and ledger.totals[0].invoiced == "1500"
    (item,) = memory.inbox(reasons=["ambiguous_match"])
    assert len(item.others) == 2
    memory.relate(item.id, "part_of", item.others[0].id)
    assert server.project_ledger("boathouse").matches[0].by == "decision"


def test_operations_of_one_path(memory):
    """A word in the query tells them apart; each has an answer of its own."""
    memory.remember("The scaffolding comes on 3 May 2027.", project="roof", wait="extracted")
    assert memory.timeline("roof").project == "roof" and memory.draw_timeline("roof").startswith("gantt")
    assert memory.project_trends("roof").project == "roof" and memory.project_ledger("roof").project == "roof"
    assert memory.stats(project="roof").total > 0 and memory.histogram(by="month", project="roof").items
    assert memory.facets(field="project").items[0].value == "roof" and memory.usage(days=1)
    assert memory.stale_facts(days=1).items == [] and list(memory.duplicate_facts()) == []
    assert memory.profiles().items and memory.extraction()


def test_consult_stream():
    events = (
        'event: piece\ndata: {"text": "It is "}\n\nevent: piece\ndata: {"text": "red."}\n\n'
        'event: answer\ndata: {"answer": "It is red."}\n\n'
    )
    pieces = []
    http = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200, text=events)))
    assert trilith.Trilith(http=http).consult_stream("Which?", pieces.append)["answer"] == "It is red."
    assert pieces == ["It is ", "red."]
    failed = 'event: error\ndata: {"kind": "exhausted", "detail": "the budget is used up", "status": 429}\n\n'
    http = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200, text=failed)))
    with pytest.raises(trilith.Exhausted):
        trilith.Trilith(http=http).consult_stream("Which?", pieces.append)
    http = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200, text=events[:40])))
    with pytest.raises(trilith.Unavailable):
        trilith.Trilith(http=http).consult_stream("Which?", pieces.append)


def test_any_operation(server):
    key = server.call("create_key", name="phone", access="reader")
    with trilith.Trilith(server.url, key.secret) as reader:
        assert reader.recall("x", user="nobody").hits == []
        with pytest.raises(trilith.Forbidden):
            reader.remember("x")
    with pytest.raises(trilith.Invalid):
        server.call("nothing")


def test_clones_share_the_connection(server):
    other = server.scope(user="clone").with_options(timeout=5, retries=0)
    other.close()  # closes nothing
    assert server.recall("x", user="clone").hits == []


def test_one_client_for_many_event_loops(server):
    """A client serves asyncio.run after asyncio.run, the loops of threads, and trio; connections end with their loop."""
    script = """
import asyncio, gc, os, sys, threading
import trio
import trilith

failures = []
sys.unraisablehook = threading.excepthook = lambda why: failures.append(repr(why.exc_value))
client = trilith.AsyncTrilith(sys.argv[1], sys.argv[2], user="loops")

async def ask():
    await asyncio.gather(*(client.recall("boat") for _ in range(3)))

def open_sockets():
    gc.collect()
    folder = "/proc/self/fd/"
    found = os.listdir(folder) if os.path.isdir(folder) else []
    return [fd for fd in found if os.path.islink(folder + fd) and os.readlink(folder + fd).startswith("socket:")]

for _ in range(20):
    asyncio.run(ask())
threads = [threading.Thread(target=lambda: [asyncio.run(ask()) for _ in range(3)]) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for _ in range(2):
    trio.run(client.recall, "boat")
assert not open_sockets(), open_sockets()

async def end():
    await client.scope(agent="a").recall("boat")
    await client.aclose()
    try:
        await client.recall("boat")
    except trilith.Canceled:
        return
    raise AssertionError("a closed client answers")

asyncio.run(end())
assert not open_sockets() and not failures, failures
"""
    command = [sys.executable, "-W", "error", "-c", script, server.url, key_of(server)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_times_and_choices_of_answers(memory):
    """Times are datetime on the clock that the server names, and go back as they came; new values are texts."""
    for text in ["2025-06-30T15:04:05.120400Z", "2025-06-30T15:04:05+05:30", "2025-06-30T00:00:00-03:00", "0987-01-02T03:04:05Z"]:
        kept = memory.remember("The boat is moored.", timestamp=text).memories[0]
        assert kept.event_time == datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        assert kept.event_time.utcoffset() == datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).utcoffset()
        assert kept.to_dict()["event_time"] == text.replace("0400Z", "04Z")
        assert isinstance(kept.recorded_at, datetime.datetime) and kept.valid_until is None
        assert kept.id in [one.id for one in memory.memories(filter={"event_time": {"eq": kept.event_time}})]
    late = trilith.types.Memory._read({"event_time": "12025-01-01T00:00:00Z", "state": "of a later server"})
    assert (late.event_time, late.state) == ("12025-01-01T00:00:00Z", "of a later server")
