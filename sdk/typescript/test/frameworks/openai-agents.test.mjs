// TrilithSession beside the SDK's own MemorySession: the same random operations give the same items.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { MemorySession } from "@openai/agents";

import { embedded } from "trilith/embedded";
import { TrilithSession } from "trilith/openai-agents";

let server;
before(async () => (server = await embedded({ store: ":memory:" })));
after(() => server.close());

const items = [
  { type: "message", role: "user", content: "Which rope holds the anchor?" },
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "The blue one." }] },
  { type: "function_call", callId: "c1", name: "look", status: "completed", arguments: '{"where":"locker","n":1.0}' },
  { type: "function_call_result", callId: "c1", name: "look", status: "completed", output: { type: "text", text: "rope <blue> é\n" } },
  { type: "reasoning", content: [] },
];

/** Numbers below n, the same in every run. */
function dice(seed) {
  return (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
}

for (const seed of [1, 2, 3, 4]) {
  test(`random operations ${seed}`, async () => {
    const roll = dice(seed);
    const ours = new TrilithSession(`s${seed}`, server);
    const theirs = new MemorySession();
    assert.equal(await ours.getSessionId(), `s${seed}`);
    for (let i = 0; i < 40; i++) {
      const what = roll(10);
      if (what < 5) {
        const added = Array.from({ length: roll(4) }, () => items[roll(items.length)]);
        for (const session of [ours, theirs]) await session.addItems(added);
      } else if (what < 7) assert.deepEqual(await ours.popItem(), await theirs.popItem());
      else if (what === 7) for (const session of [ours, theirs]) await session.clearSession();
      const limit = [undefined, 1, 3, 100][roll(4)];
      assert.deepEqual(await ours.getItems(limit), await theirs.getItems(limit));
    }
  });
}

test("what is said is remembered", async () => {
  const ana = server.scope({ user: "ana" });
  await new TrilithSession("one", ana).addItems(items);
  const { hits } = await ana.recall("Which rope holds the anchor?");
  assert.ok(["Which rope holds the anchor?", "The blue one."].includes(hits[0].memory.text));
  assert.deepEqual(await new TrilithSession("two", ana).getItems(), []);
});
