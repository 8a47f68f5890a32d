// The conversation that all clients have with equal outcome; sdk/conversation.yaml says what its words mean.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { TrilithError, Pages } from "trilith";
import { embedded } from "trilith/embedded";
import { parse } from "yaml";

const script = parse(readFileSync(process.env.TRILITH_TEST_CONVERSATION, "utf8"));

function filled(value, kept) {
  if (typeof value === "string" && value.startsWith("$")) return kept[value.slice(1)];
  if (Array.isArray(value)) return value.map((one) => filled(one, kept));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, kept)]));
}

function at(value, [name, ...rest]) {
  if (name === undefined) return value;
  if (name === "#") return value.length;
  if (name === "*") return value.map((one) => at(one, rest));
  return at(value?.[name], rest);
}

function meets(got, want) {
  if (Array.isArray(want)) return Array.isArray(got) && got.length === want.length && want.every((one, i) => meets(got[i], one));
  if (want?.contains !== undefined) return String(got).includes(want.contains);
  if (want?.has !== undefined) return got.some((one) => meets(one, want.has));
  if (want?.any) return got !== undefined;
  return isDeepStrictEqual(got, want);
}

async function outcome(result) {
  if (!(result instanceof Pages)) return result;
  const items = [];
  for await (const item of result) items.push(item);
  return { items };
}

test("the conversation", async () => {
  const server = await embedded({ store: ":memory:" });
  const memory = server.scope(script.scope);
  const kept = {};
  for (const [i, step] of script.steps.entries()) {
    const name = `step ${i + 1}: ${step.call}`;
    const args = filled(step.args ?? [], kept);
    const options = filled(step.with ?? {}, kept);
    if (step.call === "note") options.type = args.pop(); // the kind of a note is an option here
    const method = step.call.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const call = async () => outcome(await memory[method](...args, options));
    if (step.error) {
      await assert.rejects(call, (error) => error instanceof TrilithError && error.kind === step.error && !!error.requestId, name);
      continue;
    }
    const out = await call();
    for (const [path, expected] of Object.entries(step.expect ?? {})) {
      const want = filled(expected, kept);
      const got = at(out, path.split("."));
      assert.ok(meets(got, want), `${name}: ${path} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
    }
    for (const [key, path] of Object.entries(step.keep ?? {})) kept[key] = at(out, path.split("."));
  }
  await server.close();
});
