// TrilithStore beside LangGraph's own InMemoryStore: the same random operations give the same answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { InMemoryStore } from "@langchain/langgraph-checkpoint";

import { Invalid, Trilith } from "trilith";
import { embedded } from "trilith/embedded";
import { TrilithStore } from "trilith/langgraph";

let server;
before(async () => (server = await embedded({ store: ":memory:" })));
after(() => server.close());

const names = ["users", "ana", "notes", "a/b", "café", "*", "it's (so)"];

/** Numbers below n, the same in every run. */
function dice(seed) {
  return (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
}

/** Items as text, with the members of values in one order. */
const sorted = (_, v) => (v && v.constructor === Object ? Object.fromEntries(Object.entries(v).sort()) : v);
const plain = (items) => items.map(({ namespace, key, value }) => JSON.stringify([namespace, key, value], sorted)).sort();

for (const seed of [1, 2, 3, 4]) {
  test(`random operations ${seed}`, async () => {
    const roll = dice(seed);
    const ours = new TrilithStore(server.scope({ project: `p${seed}` }));
    const theirs = new InMemoryStore();
    const name = () => Array.from({ length: 1 + roll(3) }, () => names[roll(names.length)]);
    for (let i = 0; i < 50; i++) {
      const [namespace, key, what] = [name(), "kmn"[roll(3)], roll(10)];
      if (what < 6) {
        const value = { n: roll(6), tags: ["x"], nested: { deep: [null, "é", 1.5][roll(3)] } };
        for (const store of [ours, theirs]) await store.put(namespace, key, value);
      } else if (what < 8) for (const store of [ours, theirs]) await store.delete(namespace, key);
      else {
        const [mine, other] = [await ours.get(namespace, key), await theirs.get(namespace, key)];
        assert.deepEqual(mine && plain([mine]), other && plain([other]));
      }
    }
    for (const prefix of [[], ["users"], ["users", "ana"], ["us"], name()])
      for (const filter of [undefined, { n: 3 }, { n: { $gte: 2, $lt: 5 } }, { n: { $ne: 1 } }, { n: { $in: [1, 2] } }]) {
        const mine = await ours.search(prefix, { filter, limit: 1000 });
        assert.deepEqual(plain(mine), plain(await theirs.search(prefix, { filter, limit: 1000 })));
        const pages = [];
        for (let offset = 0; offset < mine.length; offset += 3) pages.push(...(await ours.search(prefix, { filter, limit: 3, offset })));
        assert.deepEqual(plain(pages), plain(mine));
      }
    // InMemoryStore lists namespaces that are empty by now too
    const held = new Set((await theirs.search([], { limit: 1000 })).map((item) => item.namespace.join(":")));
    for (const known of [{}, { prefix: ["users"] }, { prefix: ["*", "ana"] }, { suffix: ["notes"] }]) {
      const expected = (await theirs.listNamespaces({ ...known, limit: 1000 })).filter((n) => held.has(n.join(":")));
      assert.deepEqual(await ours.listNamespaces({ ...known, limit: 1000 }), expected);
    }
  });
}

test("search by meaning", async () => {
  const store = new TrilithStore(server.scope({ project: "meaning" }));
  await store.put(["u"], "1", { text: "I moor the boat in Bergen" });
  await store.put(["u"], "2", { text: "My sister bakes rye bread" });
  await store.put(["u"], "3", { text: "The invoice of the harbour" }, false);
  const found = await store.search(["u"], { query: "Where is the boat moored?" });
  assert.equal(found[0].key, "1");
  assert.ok(found[0].score > 0 && found.length === 3);
  assert.notEqual((await store.search(["u"], { query: "the invoice of the harbour" }))[0].key, "3");
});

test("a batch is one request, all or nothing", async () => {
  let requests = 0;
  const counting = (...args) => (requests++, fetch(...args));
  const store = new TrilithStore(new Trilith({ ...server.options, fetch: counting, scope: { user: "batches" } }));
  const puts = Array.from({ length: 500 }, (_, n) => ({ namespace: ["b"], key: `${n}`, value: { n } }));
  await store.batch(puts);
  assert.equal(requests, 1);
  const [seven, none, found] = await store.batch([
    { namespace: ["b"], key: "7" },
    { namespace: ["b"], key: "none" },
    { namespacePrefix: ["b"], filter: { n: { $gte: 498 } } },
    { namespace: ["b"], key: "7", value: { n: -7 } },
    { namespace: ["b"], key: "none", value: null },
  ]);
  assert.deepEqual([seven.value, none, found.map((item) => item.key), requests], [{ n: 7 }, null, ["498", "499"], 2]);
  for (const wrong of [{ x: "y".repeat(1 << 20) }, { x: "\0" }])
    await assert.rejects(store.batch([{ ...puts[8], value: { n: -8 } }, { namespace: ["b"], key: "9", value: null }, { ...puts[10], value: wrong }]), Invalid);
  assert.deepEqual((await store.get(["b"], "8")).value, { n: 8 });
  assert.deepEqual((await store.get(["b"], "9")).value, { n: 9 });
});

test("values come back as they were", async () => {
  const store = new TrilithStore(server.scope({ user: "values" }));
  for (const value of [{ text: "é<&>".repeat(200_000) }, { "a.b": { "": 1, "%2E": [{ "c.d": null }], "é ü": true } }, {}]) {
    await store.put(["v"], "k", value);
    assert.deepEqual((await store.get(["v"], "k")).value, value);
  }
});

test("filters", async () => {
  const store = new TrilithStore(server.scope({ user: "filters" }));
  const items = {
    a: { score: 5, user: { "access-level": "high", n: { deep: 1 } }, tags: ["x"] },
    b: { score: 3, "user.access-level": "high", tags: "x" },
    c: { score: "5", user: "ana" },
    d: { other: 1, score: null },
  };
  for (const [key, value] of Object.entries(items)) await store.put(["f"], key, value);
  for (const [filter, keys] of [
    [{ score: { $gt: 3 } }, "a"],
    [{ score: { $gte: 3, $lt: 5 } }, "b"],
    [{ score: { $lte: "5" } }, "c"],
    [{ score: null }, "d"],
    [{ score: { $ne: 5 } }, "bcd"],
    [{ tags: { $nin: ["x"] } }, "acd"],
    [{ tags: "x" }, "b"],
    [{ score: { $in: [3, "5"] } }, "bc"],
    [{ "user.access-level": "high" }, "ab"],
    [{ user: { n: { deep: { $gte: 1 } } } }, "a"],
    [{ nothing: { $lt: 1 } }, ""],
  ])
    for (const query of [undefined, "score"]) {
      const found = await store.search(["f"], { filter, query });
      assert.equal(found.map((item) => item.key).sort().join(""), keys, JSON.stringify(filter));
    }
  await assert.rejects(store.search(["f"], { limit: -1 }), /limit: is -1/);
});
