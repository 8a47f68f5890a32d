// Talks to trilith with the TypeScript client of the protocol, which checks every result against its schema:
// mcp_client.mjs TRILITH URL. It ends with an error at the first thing that is not as it should be.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [trilith, url] = process.argv.slice(2);

async function story(name, transport) {
  const client = new Client({ name: "scripts", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools(); // from here on the client holds results against the schemas
  const call = async (tool, args) => (await client.callTool({ name: tool, arguments: args })).structuredContent;

  const stored = await call("memory_append", { content: `The kettle of ${name} is red.` });
  assert.equal(stored.status, "success");
  const found = await call("memory_search", { query: `kettle of ${name}` });
  assert.ok(found.results.some((r) => r.id === stored.memory_id));
  assert.ok((await call("memory_search", { query: "kettle", format: "briefing" })).text.includes("is red"));
  await call("memory_get", { id: stored.memory_id, history: true });
  const wrong = await client.callTool({ name: "memory_search", arguments: { query: "kettle", limit: 99 } });
  assert.ok(wrong.isError);
  const known = { identifier: { type: "name", value: "Mara" } };
  await call("memory_assimilate", { ...known, content: "Mara lives in Porto." });
  assert.equal((await call("memory_lookup", known)).facts.length, 1);
  await call("memory_review", {});
  const read = await client.readResource({ uri: `memory://search?q=kettle of ${name}` });
  assert.ok(read.contents[0].text.includes(stored.memory_id));
  await assert.rejects(client.readResource({ uri: "memory://item/00000000-0000-5000-8000-000000000000" }));
  const prompt = await client.getPrompt({ name: "recall_context", arguments: { topic: "kettle" } });
  assert.ok(prompt.messages[0].content.text.includes("is red"));
  const preview = await call("memory_forget", { ids: [stored.memory_id] });
  assert.equal((await call("memory_forget", { ids: [stored.memory_id], confirm: preview.confirm })).count, 1);
  await client.close();
  console.log(`typescript ${name}: ${tools.length} tools`);
}

const sets = "graph,review,scope,subagent";
await story("stdio", new StdioClientTransport({ command: trilith, args: ["mcp", "--store", "mem:", "--tools", sets] }));
await story("http", new StreamableHTTPClientTransport(new URL(`${url}?tools=${sets}`)));
