"""The vendors' own SDKs through trilith proxy: what they send arrives byte by byte but for one block, and what comes back is
the same."""

import base64
import http.server
import json
import statistics
import subprocess
import threading
import time

import pytest

pytest.importorskip("anthropic")
pytest.importorskip("openai")

import anthropic
import httpx
import openai

from trilith._embedded import find_binary

FENCE = b"<trilith-memory"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(64))).decode()


def sse(*events, named=False):
    lines = (f"event: {event['type']}\n" if named else "" for event in events)
    return "".join(head + f"data: {json.dumps(event)}\n\n" for head, event in zip(lines, events))


def chat(delta=None, finish=None, **choice):
    return {"id": "c1", "object": "chat.completion.chunk" if delta is not None else "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": finish, **({"delta": delta} if delta is not None else choice)}]}  # fmt: skip


CALL = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": '{"where": "locker"}'}}
CLAUDE = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None,
          "usage": {"input_tokens": 3, "output_tokens": 2}}  # fmt: skip
STREAMED = [
    {"type": "message_start", "message": {**CLAUDE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "In "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Bergen."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]
RESPONSE = {"id": "r1", "object": "response", "created_at": 1, "status": "completed", "model": "m", "parallel_tool_calls": True, "tools": [],
            "tool_choice": "auto", "output": [{"type": "message", "id": "o1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "In Bergen.", "annotations": []}]}]}  # fmt: skip


def answer(path, asked):
    """What the fake service says: its status, media type and body."""
    if "fail" in json.dumps(asked):
        error = {"type": "error", "error": {"type": "invalid_request_error", "message": "no é", "code": "bad", "param": "x"}}
        return 422, "application/json", json.dumps(error)
    if path.endswith("/chat/completions"):
        if asked.get("stream"):
            pieces = [chat({"role": "assistant", "content": "In "}), chat({"content": "Bergen."}), chat({}, "stop")]
            return 200, "text/event-stream", sse(*pieces) + "data: [DONE]\n\n"
        tool = asked.get("tools") and asked["messages"][-1]["role"] != "tool"
        said = {"role": "assistant", "content": None, "tool_calls": [CALL]} if tool else {"role": "assistant", "content": "In Bergen."}
        return 200, "application/json", json.dumps(chat(finish="tool_calls" if tool else "stop", message=said), indent=1)
    if path.endswith("/responses"):
        return 200, "application/json", json.dumps(RESPONSE)
    if path.endswith("/messages"):
        if asked.get("stream"):
            return 200, "text/event-stream", sse(*STREAMED, named=True)
        tool = asked.get("tools") and "tool_result" not in json.dumps(asked)
        block = {"type": "tool_use", "id": "t1", "name": "look", "input": {}} if tool else {"type": "text", "text": "In Bergen."}
        return 200, "application/json", json.dumps({**CLAUDE, "content": [block], "stop_reason": "tool_use" if tool else "end_turn"})
    return 200, "application/json", json.dumps({"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "x"}]})


class Upstream(http.server.ThreadingHTTPServer):
    """The service of a model, which notes what it was sent."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.sent = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True  # as servers of models have it: each piece goes out at once
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.sent.append((self.path, body))
        status, kind, text = answer(self.path, json.loads(body or b"{}"))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def upstream():
    with Upstream() as server:
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def proxy(upstream, tmp_path_factory):
    """A proxy that knows where the boat is."""
    home = tmp_path_factory.mktemp("proxy")
    args = [find_binary(), "proxy", "--upstream", upstream.url, "--addr", "127.0.0.1:0", "--store", f"sqlite:{home / 'trilith.db'}"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        url = next(line.split(" on ")[1].strip() for line in process.stdout if " on http" in line)
        known = [{"content": text, "external_id": text} for text in ("I moor the boat in Bergen.", "The anchor rope is blue.")]
        httpx.post(url + "/api/v1/memories", json={"messages": known, "session": "before", "wait": "indexed"}).raise_for_status()
        yield url
        process.terminate()


QUESTION = "Where do I moor the boat?"
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG}}
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"where": {"type": "string"}}}}}
CLAUDE_LOOK = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def chat_text(c):
    return c.chat.completions.create(model="m", messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}])


def chat_stream(c):
    return list(c.chat.completions.create(model="m", stream=True, messages=[{"role": "user", "content": QUESTION}]))


def chat_image(c):
    return c.chat.completions.create(model="m", messages=[{"role": "user", "content": [{"type": "text", "text": QUESTION}, IMAGE]}])


def chat_tools(c):
    messages = [{"role": "user", "content": QUESTION}]
    first = c.chat.completions.create(model="m", tools=[LOOK], messages=messages)
    call = first.choices[0].message
    messages += [call.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.tool_calls[0].id, "content": "a <boat> é\u2028"}]
    return [first, c.chat.completions.create(model="m", tools=[LOOK], messages=messages)]


def chat_error(c):
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        c.chat.completions.create(model="m", messages=[{"role": "user", "content": QUESTION + " fail"}])
    return caught.value.body


def responses(c):
    return c.responses.create(model="m", instructions="Be brief.", input=QUESTION)


def models(c):
    return list(c.models.list())


def claude_text(c):
    return c.messages.create(model="m", max_tokens=9, system="Be brief.", messages=[{"role": "user", "content": QUESTION}])


def claude_stream(c):
    with c.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": QUESTION}]) as stream:
        return [*stream.text_stream, stream.get_final_message()]


def claude_image(c):
    return c.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": [PICTURE, {"type": "text", "text": QUESTION}]}])


def claude_tools(c):
    messages = [{"role": "user", "content": QUESTION}]
    first = c.messages.create(model="m", max_tokens=9, tools=[CLAUDE_LOOK], messages=messages)
    messages += [{"role": "assistant", "content": [block.model_dump() for block in first.content]},
                 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a <boat>"}]}]  # fmt: skip
    return [first, c.messages.create(model="m", max_tokens=9, tools=[CLAUDE_LOOK], messages=messages)]


def claude_error(c):
    with pytest.raises(anthropic.UnprocessableEntityError) as caught:
        c.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": QUESTION + " fail"}])
    return caught.value.body


def clients(url, who):
    ours = {"X-Trilith-User": who} if who else {}
    return (
        openai.OpenAI(base_url=url + "/v1", api_key="k", max_retries=0, default_headers=ours),
        anthropic.Anthropic(base_url=url, api_key="k", max_retries=0, default_headers=ours),
    )


def shown(value):
    """What a program sees of an answer."""
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    return value.model_dump() if hasattr(value, "model_dump") else value


def without_block(direct, through):
    """What is left of a body that holds one piece more than another: the piece."""
    at = next((i for i, (a, b) in enumerate(zip(direct, through)) if a != b), len(direct))
    added = len(through) - len(direct)
    # JSON has the same characters at both ends of a piece, so that its beginning may lie a little earlier.
    for start in range(at, max(-1, at - 200), -1):
        if through[:start] + through[start + added :] == direct:
            return through[start : start + added]
    raise AssertionError(f"more than one piece differs:\n{direct!r}\n{through!r}")


@pytest.mark.parametrize("example", [chat_text, chat_stream, chat_image, chat_tools, chat_error, responses, models,
                                     claude_text, claude_stream, claude_image, claude_tools, claude_error], ids=lambda f: f.__name__)  # fmt: skip
def test_examples(upstream, proxy, example):
    kind = 1 if example.__name__.startswith("claude") else 0
    upstream.sent.clear()
    want = shown(example(clients(upstream.url, None)[kind]))
    direct = list(upstream.sent)
    upstream.sent.clear()
    assert shown(example(clients(proxy, "")[kind])) == want
    assert [path for path, _ in upstream.sent] == [path for path, _ in direct]
    for (_, ours), (_, theirs) in zip(upstream.sent, direct):
        block = without_block(theirs, ours)
        assert example is models and block == b"" or FENCE in block and b"I moor the boat in Bergen." in block


def test_first_token(upstream, proxy):
    """Measures what the proxy adds until the first piece of a stream is there, the search included. The stream is whole."""

    def ask(client, n):
        start = time.perf_counter()
        stream = client.chat.completions.create(model="m", stream=True, messages=[{"role": "user", "content": f"Where do I moor boat {n}?"}])
        first = next(iter(stream))
        took = (time.perf_counter() - start) * 1000
        return took, [first.choices[0].delta.content, *(piece.choices[0].delta.content for piece in stream if piece.choices)]

    straight, through = clients(upstream.url, None)[0], clients(proxy, "speed")[0]
    direct, added = [], []
    for n in range(30):
        (a, want), (b, got) = ask(straight, n), ask(through, n)
        assert got == want
        direct.append(a)
        added.append(b - a)
    print(f"\nproxy: first token after {statistics.median(direct):.1f} ms, {statistics.median(added):.1f} ms later through the proxy")
