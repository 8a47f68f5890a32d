// The middleware with the AI SDK's own functions, and a model that says what it was shown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";

import { memoryTools, remembers } from "trilith/ai-sdk";
import { embedded } from "trilith/embedded";

let server;
before(async () => (server = await embedded({ store: ":memory:" })));
after(() => server.close());

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (unified) => ({ finishReason: { unified, raw: unified }, usage, warnings: [] });
const says = (text) => ({ content: [{ type: "text", text }], ...finish("stop") });

test("the model is shown what is known, and the exchange is stored once", async () => {
  const ana = server.scope({ user: "ana" });
  await ana.remember("I moor the boat in Bergen.");
  const prompts = [];
  const model = wrapLanguageModel({
    middleware: remembers(ana, { session: "today" }),
    model: new MockLanguageModelV3({ doGenerate: async ({ prompt }) => (prompts.push(prompt), says("In Bergen.")) }),
  });
  for (const system of [undefined, "Be brief."]) {
    const { text } = await generateText({ model, system, prompt: "Where is the boat moored?" });
    assert.equal(text, "In Bergen.");
    const [first, ...rest] = prompts.at(-1);
    assert.equal(first.role, "system");
    assert.ok(first.content.startsWith(system ?? "<trilith-memory") && first.content.includes("I moor the boat in Bergen."));
    assert.deepEqual(rest.map((message) => message.role), ["user"]);
  }
  const turns = [];
  for await (const turn of ana.turns("today")) turns.push([turn.role, turn.text]);
  assert.deepEqual(turns, [["user", "Where is the boat moored?"], ["assistant", "In Bergen."], ["user", "Where is the boat moored?"], ["assistant", "In Bergen."]]);
});

test("a stream passes piece by piece", async () => {
  const ben = server.scope({ user: "ben" });
  const model = wrapLanguageModel({
    middleware: remembers(ben, { session: "stream" }),
    model: new MockLanguageModelV3({
      doStream: async () => ({
        stream: simulateReadableStream({ chunks: [
          { type: "stream-start", warnings: [] }, { type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "In " },
          { type: "text-delta", id: "1", delta: "Oslo." }, { type: "text-end", id: "1" }, { type: "finish", ...finish("stop") }] }),
      }),
    }),
  });
  const pieces = [];
  for await (const piece of streamText({ model, prompt: "Where do I live?" }).textStream) pieces.push(piece);
  assert.deepEqual(pieces, ["In ", "Oslo."]);
  const turns = [];
  for await (const turn of ben.turns("stream")) turns.push(turn.text);
  assert.deepEqual(turns, ["Where do I live?", "In Oslo."]);
});

test("tools are left alone, and the exchange is stored with its last answer", async () => {
  const cleo = server.scope({ user: "cleo" });
  const answers = [
    { content: [{ type: "text", text: "I look." }, { type: "tool-call", toolCallId: "c1", toolName: "look", input: "{}" }], ...finish("tool-calls") },
    says("It is blue."),
  ];
  const model = wrapLanguageModel({ middleware: remembers(cleo, { session: "tools" }), model: new MockLanguageModelV3({ doGenerate: async () => answers.shift() }) });
  const look = tool({ inputSchema: jsonSchema({ type: "object", properties: {} }), execute: async () => "a blue rope" });
  const { text } = await generateText({ model, tools: { look }, stopWhen: stepCountIs(3), prompt: "Which rope is it?" });
  assert.equal(text, "It is blue.");
  const turns = [];
  for await (const turn of cleo.turns("tools")) turns.push(turn.text);
  assert.deepEqual(turns, ["Which rope is it?", "It is blue."]);
});

test("a model calls the memory's tools", async () => {
  const dora = server.scope({ user: "dora" });
  await dora.remember("The mast is nine metres tall.");
  const tools = await memoryTools(dora, ["graph"]);
  assert.ok("memory_search" in tools && Object.keys(tools).length > Object.keys(await memoryTools(dora)).length);
  const calls = (name, input) => ({ content: [{ type: "tool-call", toolCallId: name, toolName: name, input: JSON.stringify(input) }], ...finish("tool-calls") });
  const answers = [
    calls("memory_append", { content: "Dora sails on Sundays." }),
    calls("memory_search", { query: "How tall is the mast?" }),
    calls("memory_search", { query: "mast", limit: "many" }),
    says("Nine metres."),
  ];
  const prompts = [];
  const model = new MockLanguageModelV3({ doGenerate: async (call) => (prompts.push(call), answers.shift()) });
  const { text, steps } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: "How tall is the mast?" });
  assert.equal(text, "Nine metres.");
  assert.equal(prompts[0].tools.find((tool) => tool.name === "memory_search").inputSchema.type, "object");
  const outputs = steps.flatMap((step) => step.toolResults.map((result) => result.output));
  assert.equal(outputs[0].status, "success");
  assert.match(JSON.stringify(outputs[1]), /The mast is nine metres tall\./);
  assert.equal(outputs[2].status, "error");
  assert.match(outputs[2].message, /^limit: /);
  assert.equal((await dora.recall("When does Dora sail?")).hits[0].memory.text, "Dora sails on Sundays.");
  assert.equal((await server.scope({ user: "emil" }).recall("Dora sails")).hits.length, 0);
});

test("a memory that is away changes nothing", async () => {
  const away = server.scope({ user: "away" });
  const errors = [];
  away.context = away.remember = async () => Promise.reject(new Error("away"));
  const model = wrapLanguageModel({ middleware: remembers(away, { onError: (error) => errors.push(error.message) }), model: new MockLanguageModelV3({ doGenerate: async () => says("Yes.") }) });
  assert.equal((await generateText({ model, prompt: "Is it so?" })).text, "Yes.");
  assert.deepEqual(errors, ["away", "away"]);
});
