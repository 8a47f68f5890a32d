"""Talks to trilith with the Python client of the protocol: mcp_client.py TRILITH URL.

It remembers, finds, reads and forgets, first with a trilith mcp that it starts, then with the server at URL, in the newest
revision that both speak and in the older ones. It ends with an error at the first thing that is not as it should be.
"""

import json
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters, stdio_client


async def story(client, name):
    print(f"python {name}: speaks {client.protocol_version}")
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert "memory_context" not in tools, tools
    assert {"memory_append", "memory_search", "memory_get", "memory_update", "memory_forget"} <= tools, tools

    async def call(tool, **arguments):
        result = await client.call_tool(tool, arguments)
        assert json.loads(result.content[0].text) == result.structured_content or result.is_error, tool
        return result

    stored = (await call("memory_append", content=f"The kettle of {name} is red.")).structured_content
    assert stored["status"] == "success", stored
    found = (await call("memory_search", query=f"kettle of {name}")).structured_content
    assert stored["memory_id"] in [r["id"] for r in found["results"]], found
    wrong = await call("memory_search", query="kettle", limit=99)
    assert wrong.is_error and json.loads(wrong.content[0].text)["kind"] == "invalid", wrong
    read = await client.read_resource(f"memory://search?q=kettle of {name}")
    assert stored["memory_id"] in read.contents[0].text, read
    try:
        await client.read_resource("memory://item/00000000-0000-5000-8000-000000000000")
        raise AssertionError("an unknown item was read")
    except MCPError:
        pass
    prompt = await client.get_prompt("recall_context", {"topic": "kettle"})
    assert "is red" in prompt.messages[0].content.text, prompt
    preview = (await call("memory_forget", ids=[stored["memory_id"]])).structured_content
    done = (await call("memory_forget", ids=[stored["memory_id"]], confirm=preview["confirm"])).structured_content
    assert done["count"] == 1, done


async def main(trilith, url):
    program = StdioServerParameters(command=trilith, args=["mcp", "--store", "mem:"])
    for mode in ["auto", "legacy", "2026-07-28"]:
        async with Client(stdio_client(program), mode=mode) as client:
            await story(client, f"stdio {mode}")
        async with Client(url, mode=mode) as client:
            await story(client, f"http {mode}")


anyio.run(main, *sys.argv[1:])
