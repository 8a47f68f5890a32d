"""The conversation that all clients have with equal outcome; sdk/conversation.yaml says what its words mean."""

import inspect
import pathlib

import anyio
import pytest
import yaml

import trilith

SCRIPT = yaml.safe_load((pathlib.Path(__file__).parents[2] / "conversation.yaml").read_text(encoding="utf-8"))


def filled(value, kept):
    if isinstance(value, str) and value.startswith("$"):
        return kept[value[1:]]
    if isinstance(value, list):
        return [filled(one, kept) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, kept) for name, one in value.items()}
    return value


def at(value, path):
    for i, name in enumerate(path):
        if name == "#":
            return len(value)
        if name == "*":
            return [at(one, path[i + 1 :]) for one in value]
        if isinstance(value, list):
            value = value[int(name)] if int(name) < len(value) else None
        else:
            value = (value or {}).get(name)
    return value


def meets(got, want):
    if isinstance(want, dict) and "contains" in want:
        return want["contains"] in (got or "")
    if isinstance(want, dict) and "has" in want:
        return any(meets(one, want["has"]) for one in got or [])
    if isinstance(want, dict) and "any" in want:
        return got is not None
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(meets, got, want))
    return got == want


async def outcome(result):
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, trilith.Pages):
        return {"items": [one.to_dict() for one in result]}
    if isinstance(result, trilith.AsyncPages):
        return {"items": [one.to_dict() async for one in result]}
    return result.to_dict()


async def converse(client):
    memory, kept = client.scope(**SCRIPT["scope"]), {}
    for number, step in enumerate(SCRIPT["steps"], 1):
        name = f"step {number}: {step['call']}"
        args, options = filled(step.get("args", []), kept), filled(step.get("with", {}), kept)
        if "error" in step:
            with pytest.raises(trilith.TrilithError) as raised:
                await outcome(getattr(memory, step["call"])(*args, **options))
            assert raised.value.kind == step["error"], name
            assert raised.value.detail and raised.value.request_id, name
            continue
        out = await outcome(getattr(memory, step["call"])(*args, **options))
        for path, want in step.get("expect", {}).items():
            got = at(out, path.split("."))
            assert meets(got, filled(want, kept)), f"{name}: {path} is {got!r}, want {filled(want, kept)!r}"
        kept.update({key: at(out, path.split(".")) for key, path in step.get("keep", {}).items()})


def test_trilith():
    with trilith.Trilith.embedded(store=":memory:") as client:
        anyio.run(converse, client)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_async_trilith(backend):
    async def main():
        async with await trilith.AsyncTrilith.embedded(store=":memory:") as client:
            await converse(client)

    anyio.run(main, backend=backend)
