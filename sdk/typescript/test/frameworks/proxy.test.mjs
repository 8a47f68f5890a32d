// The vendors' own SDKs through trilith proxy: what they send arrives byte by byte but for one block, and what comes back is
// the same.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { Trilith } from "trilith";

const question = "Where do I moor the boat?";
const picture = Buffer.from("\x89PNG\r\n\x1a\n and the rest", "latin1").toString("base64");
const claude = { id: "m1", type: "message", role: "assistant", model: "m", stop_sequence: null, usage: { input_tokens: 3, output_tokens: 2 } };
const streamed = [
  { type: "message_start", message: { ...claude, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "In Bergen." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const call = { id: "t1", type: "function", function: { name: "look", arguments: '{"where": "locker"}' } };
const response = {
  id: "r1", object: "response", created_at: 1, status: "completed", model: "m", parallel_tool_calls: true, tools: [], tool_choice: "auto",
  output: [{ type: "message", id: "o1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "In Bergen.", annotations: [] }] }],
};

const chat = (choice, object = "chat.completion") => ({ id: "c1", object, created: 1, model: "m", choices: [{ index: 0, finish_reason: null, ...choice }] });
const events = (list, named) => list.map((e) => `${named ? `event: ${e.type}\n` : ""}data: ${JSON.stringify(e)}\n\n`).join("");

/** What the fake service says: its status, media type and body. */
function answer(path, asked) {
  if (JSON.stringify(asked).includes("fail")) return [422, "application/json", { type: "error", error: { type: "invalid_request_error", message: "no é", code: "bad" } }];
  if (path.endsWith("/responses")) return [200, "application/json", response];
  if (path.endsWith("/chat/completions")) {
    const pieces = [chat({ delta: { role: "assistant", content: "In " } }, "chat.completion.chunk"), chat({ delta: { content: "Bergen." } }, "chat.completion.chunk")];
    if (asked.stream) return [200, "text/event-stream", events(pieces) + "data: [DONE]\n\n"];
    const calls = asked.tools && asked.messages.at(-1).role !== "tool";
    const message = calls ? { role: "assistant", content: null, tool_calls: [call] } : { role: "assistant", content: "In Bergen." };
    return [200, "application/json", chat({ finish_reason: calls ? "tool_calls" : "stop", message })];
  }
  if (asked.stream) return [200, "text/event-stream", events(streamed, true)];
  const uses = asked.tools && !JSON.stringify(asked).includes("tool_result");
  const content = [uses ? { type: "tool_use", id: "t1", name: "look", input: {} } : { type: "text", text: "In Bergen." }];
  return [200, "application/json", { ...claude, content, stop_reason: uses ? "tool_use" : "end_turn" }];
}

const sent = []; // paths and bodies that arrived at the service
const upstream = createServer(async (request, reply) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  sent.push([request.url, body.toString("latin1")]);
  const [status, type, said] = answer(request.url, JSON.parse(body.toString()));
  reply.writeHead(status, { "Content-Type": type }).end(typeof said === "string" ? said : JSON.stringify(said));
});

let proxy, child, direct;
before(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  direct = `http://127.0.0.1:${upstream.address().port}`;
  const binary = createRequire(import.meta.url)("trilith-server").path();
  child = spawn(binary, ["proxy", "--upstream", direct, "--addr", "127.0.0.1:0", "--store", "mem:"], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface(child.stdout)) {
    proxy = / on (http\S+)/.exec(line)?.[1];
    if (proxy) break;
  }
  const known = ["I moor the boat in Bergen.", "The anchor rope is blue."].map((content) => ({ content }));
  await new Trilith({ url: proxy, scope: { session: "before" } }).remember(known, { wait: "indexed" });
});
after(async () => {
  child.kill();
  await once(child, "exit");
  upstream.closeAllConnections();
  upstream.close();
});

const all = async (stream) => {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
};
const look = { type: "function", function: { name: "look", parameters: { type: "object", properties: { where: { type: "string" } } } } };
const user = (content = question) => ({ role: "user", content });
const create = (c, more) => c.chat.completions.create({ model: "m", messages: [user()], ...more });
const message = (c, more) => c.messages.create({ model: "m", max_tokens: 9, messages: [user()], ...more });
const refused = (asking, kind) => asking.then(() => assert.fail("it was answered"), (error) => (assert.ok(error instanceof kind), error.error));

const examples = {
  chat: (c) => create(c, { messages: [{ role: "system", content: "Be brief." }, user()] }),
  "chat, streamed": async (c) => all(await create(c, { stream: true })),
  "chat, image": (c) => create(c, { messages: [user([{ type: "text", text: question }, { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } }])] }),
  "chat, tools": async (c) => {
    const first = await create(c, { tools: [look] });
    const messages = [user(), first.choices[0].message, { role: "tool", tool_call_id: "t1", content: "a <boat> é\u2028" }];
    return [first, await create(c, { tools: [look], messages })];
  },
  "chat, refused": (c) => refused(create(c, { messages: [user(question + " fail")] }), OpenAI.UnprocessableEntityError),
  responses: (c) => c.responses.create({ model: "m", instructions: "Be brief.", input: question }),
  "claude": (c) => message(c, { system: "Be brief." }),
  "claude, streamed": async (c) => {
    const stream = c.messages.stream({ model: "m", max_tokens: 9, messages: [user()] });
    return [await all(stream), await stream.finalMessage()];
  },
  "claude, image": (c) => message(c, { messages: [user([{ type: "image", source: { type: "base64", media_type: "image/png", data: picture } }, { type: "text", text: question }])] }),
  "claude, tools": async (c) => {
    const tools = [{ name: "look", input_schema: { type: "object", properties: {} } }];
    const first = await message(c, { tools });
    const result = user([{ type: "tool_result", tool_use_id: "t1", content: "a <boat>" }]);
    return [first, await message(c, { tools, messages: [user(), { role: "assistant", content: first.content }, result] })];
  },
  "claude, refused": (c) => refused(message(c, { messages: [user(question + " fail")] }), Anthropic.UnprocessableEntityError),
};

const client = (name, url) => name.startsWith("claude")
  ? new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 })
  : new OpenAI({ baseURL: url + "/v1", apiKey: "k", maxRetries: 0 });

/** What a body holds beside another one, if that is one piece. JSON has the same characters at both ends of a piece. */
function added(theirs, ours) {
  let at = 0;
  while (at < theirs.length && theirs[at] === ours[at]) at++;
  const more = ours.length - theirs.length;
  for (let start = at; start > Math.max(-1, at - 200); start--) {
    if (ours.slice(0, start) + ours.slice(start + more) === theirs) return ours.slice(start, start + more);
  }
  assert.fail(`more than one piece differs:\n${theirs}\n${ours}`);
}

for (const [name, example] of Object.entries(examples)) {
  test(name, async () => {
    sent.length = 0;
    const want = await example(client(name, direct));
    const without = sent.splice(0);
    assert.deepEqual(await example(client(name, proxy)), want);
    assert.deepEqual(sent.map(([path]) => path), without.map(([path]) => path));
    for (const [i, [, body]] of sent.entries()) {
      const block = added(without[i][1], body);
      assert.match(block, /<trilith-memory/);
      assert.match(block, /I moor the boat in Bergen\./);
    }
  });
}
