// What the client does by itself: errors, retries, keys, pages, scopes, tools.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import * as trilith from "trilith";
import { embedded } from "trilith/embedded";

const { Trilith, F } = trilith;
let server;
before(async () => (server = await embedded({ store: ":memory:" })));
after(() => server.close());

/** A client whose server answers with what it was given, one after the other, and keeps what it was asked. */
function client(answers, options = {}) {
  const asked = [];
  const fetch = async (url, init) => {
    asked.push({ url: new URL(url), ...init, json: init.body ? JSON.parse(init.body) : undefined });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    const [status, body, headers] = answer;
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
  };
  return { asked, memory: new Trilith({ url: "http://trilith.test/", key: "secret", fetch, ...options }) };
}

const away = [503, { kind: "unavailable", detail: "the store is away" }, { "retry-after": "0" }];
const stored = [200, { memories: [], rejected: [], indexed: true }];
const reset = Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
const refused = Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });

test("a scope value that names nothing is refused before anything is asked", async () => {
  for (const blank of ["", "  ", "\u00a0", null, undefined]) {
    const { asked, memory } = client([]);
    const refuses = { kind: "invalid", message: /^user: .*leave it out/ };
    for (const call of [
      () => memory.recall("x", { user: blank }),
      () => memory.remember("x", { user: blank }),
      () => memory.forget("x", { user: blank }),
      () => memory.memories({ user: blank }).page(),
      () => memory.call("stats", { user: blank }),
      () => memory.export({ user: blank }).next(),
      () => memory.events("", { user: blank }).next(),
      () => memory.importFiles([], { user: blank }),
      () => memory.putMedia(new Uint8Array(), { user: blank }),
      () => memory.mediaFile("x", { user: blank }),
      async () => memory.scope({ user: blank }),
      async () => memory.with({ scope: { user: blank } }),
      async () => new Trilith({ scope: { user: blank } }),
    ])
      await assert.rejects(call, refuses, `${call} with ${JSON.stringify(blank)}`);
    if (blank == null) await assert.rejects(async () => memory.with({ scope: blank }), /^.*scope: is/);
    assert.equal(asked.length, 0);
  }
});

test("a write is repeated with its key", async () => {
  const { asked, memory } = client([away, reset, stored, stored]);
  await memory.remember("x");
  assert.equal(asked.length, 3);
  assert.equal(new Set(asked.map((one) => one.headers["Idempotency-Key"])).size, 1);
  await memory.remember("x");
  assert.equal(new Set(asked.map((one) => one.headers["Idempotency-Key"])).size, 2);
});

test("reads carry the position of writes", async () => {
  const at = ["1/F0", "1/10", "no position"].map((position) => [200, stored[1], { "trilith-position": position }]);
  const { asked, memory } = client([...at, [200, { hits: [] }]]);
  for (let n = 0; n < 3; n++) await memory.remember("x");
  await memory.scope({ user: "ana" }).recall("x");
  assert.deepEqual(asked.map((one) => one.headers["Trilith-Position"]), [undefined, "1/F0", "1/F0", "1/F0"]);
});

test("a key in the body", async () => {
  const { asked, memory } = client([away, [200, { ids: [] }]]);
  await memory.forget("a");
  assert.deepEqual(asked[0].json, asked[1].json);
  assert.ok(asked[0].json.request_key);
  assert.deepEqual(asked[0].json.ids, ["a"]);
});

test("what is not repeated", async () => {
  for (const [answer, kind] of [
    [[500, { kind: "internal", detail: "d" }], trilith.Internal],
    [[429, { kind: "exhausted", detail: "the budget of today" }], trilith.Exhausted],
    [[400, { kind: "invalid", detail: "k: must be 1 to 200" }], trilith.Invalid],
    [[503, { kind: "unavailable", detail: "later" }, { "retry-after": "3600" }], trilith.Unavailable],
    [new DOMException("late", "TimeoutError"), trilith.DeadlineExceeded],
  ]) {
    const { asked, memory } = client([answer]);
    await assert.rejects(memory.recall("x"), kind);
    assert.equal(asked.length, 1);
  }
  for (const call of [(m) => m.popItem("s"), (m) => m.putEntry("k", "v", { version: 3 }), (m) => m.erase("a")]) {
    const { asked, memory } = client([away]);
    await assert.rejects(call(memory), trilith.Unavailable);
    assert.equal(asked.length, 1);
  }
});

test("what never arrived is repeated, and retries end", async () => {
  const one = client([refused, [200, { memories: 1 }]]);
  assert.equal((await one.memory.erase("a")).memories, 1);
  const two = client([away, away, away, away]);
  await assert.rejects(two.memory.recall("x"), { kind: "unavailable", message: "the store is away" });
  const three = client([away], { retries: 0 });
  await assert.rejects(three.memory.recall("x"), trilith.Unavailable);
});

test("errors", async () => {
  const problem = { kind: "invalid", detail: "k: must be 1 to 200", request_id: "7f3c", errors: [{ location: "body.k" }] };
  await assert.rejects(client([[400, problem]]).memory.recall("x"), (error) => {
    assert.ok(error instanceof trilith.Invalid && error instanceof trilith.TrilithError);
    assert.deepEqual([error.name, error.kind, error.message, error.requestId, error.status, error.fields],
      ["Invalid", "invalid", problem.detail, "7f3c", 400, problem.errors]);
    return true;
  });
  for (const [status, kind] of [[401, trilith.Unauthenticated], [413, trilith.Exhausted], [418, trilith.Invalid], [500, trilith.Internal]]) {
    await assert.rejects(client([[status, "<html>of a proxy"]]).memory.recall("x"), kind);
  }
  await assert.rejects(client([[200, "no JSON"]]).memory.recall("x"), trilith.Internal);
});

test("a signal", async () => {
  const reason = new Error("I have changed my mind");
  const { asked, memory } = client([away, away], { signal: AbortSignal.abort(reason) });
  await assert.rejects(memory.recall("x"), reason);
  assert.ok(asked.length <= 1);
  await assert.rejects(server.with({ signal: AbortSignal.abort(reason) }).recall("x"), reason);
});

test("addresses and bodies", async () => {
  const page = [200, { items: [] }];
  const { asked, memory } = client([page, stored, [200, { languages: [] }], [200, { id: "1" }]], { scope: { user: "ana", project: "p" } });
  const since = new Date("2025-06-01");
  await memory.memories({ user: "ben", newest: true, states: ["active", "expired"], filter: F.and(F.tag("x"), F.after(since)) }).page();
  assert.deepEqual(Object.fromEntries(asked[0].url.searchParams), {
    user: "ben", project: "p", newest: "true", states: "active,expired",
    filter: '{"and":[{"tags":{"contains":"x"}},{"event_time":{"gte":"2025-06-01T00:00:00.000Z"}}]}',
  });
  assert.equal(asked[0].headers["Authorization"], "Bearer secret");
  await memory.scope({ session: "s" }).remember("x", { timestamp: since });
  assert.deepEqual(asked[1].json, { text: "x", timestamp: "2025-06-01T00:00:00.000Z", user: "ana", project: "p", session: "s" });
  await memory.useLanguages(["de", "en"]); // takes no scope
  assert.deepEqual(asked[2].json, { languages: ["de", "en"] });
  await memory.entryByKey("a/ü");
  assert.equal(asked[3].url.pathname, "/api/v1/memories/by-key/a%2F%C3%BC");
  await assert.rejects(memory.get(".."), trilith.Invalid);
});

test("pages", async () => {
  const memory = server.scope({ user: "pages" });
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push((await memory.remember(`Crate ${n}.`, { extract: "none" })).memories[0].id);
  const all = [];
  for await (const kept of memory.memories({ limit: 2 })) all.push(kept.id);
  assert.deepEqual(all, ids);
  const sizes = [];
  for await (const page of memory.memories({ limit: 2 }).pages()) sizes.push(page.items.length);
  assert.deepEqual(sizes, [2, 2, 1]);
});

test("tools", async () => {
  const memory = server.scope({ user: "tools" });
  for (const format of ["openai", "openai-responses", "anthropic", "gemini", "mcp"]) {
    const names = (await memory.tools(format)).map((tool) => tool.name ?? tool.function.name);
    assert.ok(names.includes("memory_append") && names.includes("memory_search"), format);
  }
  await assert.rejects(memory.tools("cobol"), trilith.Invalid);
  assert.equal((await memory.callTool("memory_append", '{"content": "The kettle is red."}')).status, "success");
  assert.deepEqual((await memory.callTool("memory_search", { query: "kettle" })).results.map((r) => r.content), ["The kettle is red."]);
  for (const [name, args] of [["memory_search", { limit: 99, query: "x" }], ["memory_search", "{"], ["nothing", {}]]) {
    const said = await memory.callTool(name, args);
    assert.ok(said.status === "error" && said.message);
  }
});

test("messages as APIs and frameworks have them", async () => {
  for (const { api, messages, turns, omitted } of JSON.parse(readFileSync(process.env.TRILITH_TEST_MESSAGES, "utf8"))) {
    const kept = await server.remember(messages, { user: api, extract: "none" });
    const said = turns.filter((turn) => /^(user|assistant)/.test(turn) && !turn.endsWith(": "));
    assert.deepEqual(kept.memories.map((m) => `${[m.role, m.speaker].filter(Boolean).join(" ")}: ${m.text}`), said, api);
    assert.deepEqual(kept.omitted, omitted, api);
  }
  class Message {
    toJSON() {
      return { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "I row." } };
    }
  }
  const picture = { role: "user", content: [{ type: "text", text: "A boat." }, { type: "image", image: new Uint8Array([1, 2]) }] };
  const kept = await server.remember([new Message(), picture], { user: "objects" });
  assert.deepEqual([kept.memories.map((m) => m.text), kept.omitted], [["I row.", "A boat."], { image: 1 }]);
});

test("export and import", async () => {
  const memory = server.scope({ user: "mover" });
  await memory.remember("The ladder came from the neighbours.", { extract: "none" });
  const other = await embedded({ store: ":memory:" });
  await other.import(memory.export());
  const texts = [];
  for await (const kept of other.memories({ user: "mover" })) texts.push(kept.text);
  assert.deepEqual(texts, ["The ladder came from the neighbours."]);
  await other.close();
});

test("media", async () => {
  const png = Uint8Array.from(Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c636000000002000148afa4710000000049454e44ae426082", "hex"));
  const memory = server.scope({ user: "camera" });
  const kept = await memory.putMedia(png, { name: "dot.png", media_type: "image/png" });
  assert.ok(kept.new && kept.media_type === "image/png" && kept.width === 1);
  assert.equal((await memory.putMedia(png, { name: "again.png" })).new, false);
  assert.deepEqual((await memory.media({ unread: true })).items.map((f) => f.name), ["dot.png"]);
  assert.deepEqual(Buffer.from(await memory.mediaFile(kept.id)), Buffer.from(png));
  await assert.rejects(server.scope({ user: "other" }).mediaFile(kept.id), trilith.NotFound);
  await assert.rejects(memory.putMedia(new TextEncoder().encode("<svg/>"), { media_type: "image/png" }), trilith.Invalid);
});

test("ledger", async () => {
  const memory = server.scope({ project: "boathouse" });
  for (const text of ["Huber quoted 4,000 EUR for the roof.", "Huber sent invoice R-77 for the roof: 1,500 EUR."])
    await memory.remember(text, { extract: "rules", wait: "extracted" });
  const ledger = await server.projectLedger("boathouse");
  assert.deepEqual(ledger.totals.map((s) => [s.committed, s.invoiced, s.open]), [["4000", "1500", "1500"]]);
  assert.equal(ledger.matches.length, 1);
});

test("a stream of an answer", async () => {
  const events = 'event: piece\ndata: {"text": "It is "}\n\nevent: piece\ndata: {"text": "red."}\n\nevent: answer\ndata: {"answer": "It is red."}\n\n';
  const pieces = [];
  const piece = (text) => pieces.push(text);
  assert.equal((await client([[200, events]]).memory.consultStream("Which?", piece)).answer, "It is red.");
  assert.deepEqual(pieces, ["It is ", "red."]);
  const failed = 'event: error\ndata: {"kind": "exhausted", "detail": "used up"}\n\n';
  await assert.rejects(client([[200, failed]]).memory.consultStream("Which?", piece), trilith.Exhausted);
  await assert.rejects(client([[200, events.slice(0, 40)]]).memory.consultStream("Which?", piece), trilith.Unavailable);
});

test("operations of one path are told apart by a word in the query", async () => {
  const memory = server.scope({ user: "of one path" });
  await memory.remember("The scaffolding comes on 3 May 2027.", { project: "roof", wait: "extracted" });
  assert.equal((await memory.timeline("roof")).project, "roof");
  assert.match(await memory.drawTimeline("roof"), /^gantt/);
  assert.equal((await memory.projectTrends("roof")).project, "roof");
  assert.ok((await memory.stats({ project: "roof" })).total > 0);
  assert.equal((await memory.facets({ field: "project" })).items[0].value, "roof");
  assert.deepEqual((await memory.staleFacts({ days: 1 })).items, []);
});

test("any operation", async () => {
  const key = await server.call("createKey", { name: "phone", access: "reader" });
  const reader = new Trilith({ url: server.options.url, key: key.secret });
  await assert.rejects(reader.remember("x"), trilith.Forbidden);
  await assert.rejects(server.call("nothing"), trilith.Invalid);
});

test("the client imports nothing, so that it runs in browsers and Workers", () => {
  const folder = fileURLToPath(new URL(".", import.meta.resolve("trilith")));
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js") && !["embedded.js", "langgraph.js"].includes(name))) {
    const text = readFileSync(folder + name, "utf8").replace(/\/\*\*.*?\*\//gs, ""); // comments say process in its other sense
    assert.doesNotMatch(text, /from "[^.]|import\("|require\(|\bprocess\b|\bBuffer\b|\bDeno\b/, name);
  }
});
