// A short round in whatever runtime runs this: smoke.mjs URL KEY.
import { Trilith, NotFound } from "trilith";

const [url, key] = (globalThis.process?.argv.slice(2) ?? globalThis.Deno?.args);
const memory = new Trilith({ url, key, scope: { user: "smoke" } });
const { memories } = await memory.remember("The kettle is red.", { extract: "none" });
const { hits } = await memory.recall("Which colour has the kettle?", { k: 1 });
if (hits[0].memory.text !== "The kettle is red.") throw new Error(`found ${JSON.stringify(hits)}`);
for await (const kept of memory.memories()) if (kept.id !== memories[0].id) throw new Error(kept.text);
await memory.erase(memories[0].id);
const error = await memory.get(memories[0].id).catch((error) => error);
if (!(error instanceof NotFound)) throw error;
