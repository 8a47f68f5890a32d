/**
 * A store of LangGraph: builder.compile({ store: new TrilithStore(memory) }). An item is an entry under a key of its own:
 * searches of the memory find it too, exports hold it, what is deleted is forgotten and can come back. Secrets in values
 * are masked, as everywhere. The adapter in Python finds the same items.
 */

import {
  BaseStore,
  getTextAtPath,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";

import type { Trilith } from "./client.js";
import { Invalid, errorOf } from "./errors.js";
import type { Memory, Operation as Asked, OperationResult, Page } from "./types.js";

/** Members of the metadata that an item lies in. */
const namespaceMember = "langgraph_namespace";
const keyMember = "langgraph_key";
const valueMember = "langgraph_value";

const pageSize = 1000; // items read at a time
const mostHits = 200; // of one question
const step = 50; // by which hits are asked for
const largest = 1 << 20; // bytes of a value as JSON
const searched = 200_000; // bytes of a value that questions can find
const deepest = 6; // names of a path that the server compares
const long = "%int"; // holds the digits of a number of Python that is not exact here

type Condition = Record<string, unknown>;

const comparisons: Record<string, string> = {
  $eq: "eq", $ne: "ne", $gt: "gt", $gte: "gte", $lt: "lt", $lte: "lte", $in: "in", $nin: "nin",
};

/** Keeps items in the scope of a client. */
export class TrilithStore extends BaseStore {
  constructor(private readonly client: Trilith) {
    super();
  }

  /**
   * Does operations in one request; further pages of what is read take others. Reads see what was there before the writes. Of
   * several writes of a key the last counts; all are done or none.
   */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const reads: Asked[] = [];
    const places: number[] = []; // of the first read of each operation
    const writes = new Map<string, Asked>();
    for (const op of operations) {
      places.push(reads.length);
      if ("namespacePrefix" in op) reads.push(...searches(op));
      else if ("value" in op) {
        const key = await keyOf(op.namespace, op.key);
        writes.set(key, written(key, op));
      } else if ("key" in op) reads.push({ get: { key: await keyOf(op.namespace, op.key) } });
      else reads.push({ list: { limit: pageSize, filter: inside([]) } });
    }
    const answers = await this.ask(reads, [...writes.values()]);
    const results: unknown[] = [];
    for (const [i, op] of operations.entries()) {
      const first = answers[places[i]!];
      if ("namespacePrefix" in op) results.push(await this.page(op, answers.slice(places[i], places[i]! + searches(op).length)));
      else if ("value" in op) results.push(null);
      else if ("key" in op) results.push(first!.memory ? fields(first!.memory) : null);
      else results.push(await this.namespaces(op, first!.listed!));
    }
    return results as OperationResults<Op>;
  }

  /** The answers of reads; what an answer has no room for is asked for again. */
  private async ask(reads: Asked[], writes: Asked[]): Promise<OperationResult[]> {
    const answers: OperationResult[] = [];
    while (reads.length > 0 || writes.length > 0) {
      const now = reads.slice(0, pageSize);
      const together = now.length + writes.length <= pageSize || reads.length === 0 ? writes : [];
      const { results } = await this.client.batch([...now, ...together], { atomic: true });
      let full = results.findIndex((one, i) => i > 0 && i < now.length && one.error?.kind === "exhausted");
      if (full < 0) full = now.length;
      for (const { error } of results.slice(0, full)) if (error && error.kind !== "not_found") throw errorOf(error.kind, error.detail);
      answers.push(...results.slice(0, full));
      reads = reads.slice(full);
      if (together.length > 0) writes = [];
    }
    return answers;
  }

  /** What a search gives: first what a question finds, then what it says nothing of. */
  private async page(op: SearchOperation, answers: OperationResult[]): Promise<SearchItem[]> {
    const offset = op.offset ?? 0;
    const wanted = offset + (op.limit ?? 10);
    const found = new Map<string, SearchItem>();
    for (const { memory, score } of answers[0]?.found?.hits ?? [])
      if (matches(memory, op.filter)) found.set(memory.id, { ...fields(memory), score });
    for await (const memory of this.all(answers.at(-1)!.listed!, condition(op))) {
      if (found.size >= wanted) break;
      if (!found.has(memory.id) && matches(memory, op.filter)) found.set(memory.id, { ...fields(memory), score: undefined });
    }
    return [...found.values()].slice(offset, wanted);
  }

  /** What a page and those after it list. */
  private async *all(page: Page, filter: Condition): AsyncGenerator<Memory> {
    yield* page.items;
    if (page.next_cursor) yield* this.client.memories({ limit: pageSize, filter, cursor: page.next_cursor });
  }

  private async namespaces(op: ListNamespacesOperation, page: Page): Promise<string[][]> {
    checkBounds(op);
    const known = new Set<string>();
    for await (const memory of this.all(page, inside([]))) {
      const name = partsOf(memory.metadata![namespaceMember] as string);
      if ((op.matchConditions ?? []).every((condition) => fits(condition, name))) known.add(pathOf(name.slice(0, op.maxDepth)));
    }
    const names = [...known].map(partsOf).sort((a, b) => a.join(":").localeCompare(b.join(":")));
    const offset = op.offset ?? 0;
    return names.slice(offset, offset + (op.limit ?? names.length));
  }
}

function checkBounds({ limit, offset }: { limit?: number; offset?: number }): void {
  for (const [name, value] of Object.entries({ limit, offset }))
    if (value !== undefined && value < 0) throw new Invalid("invalid", `${name}: is ${value}, must not be negative`);
}

/** What a search asks the server. */
function searches(op: SearchOperation): Asked[] {
  checkBounds(op);
  const filter = condition(op);
  const wanted = (op.offset ?? 0) + (op.limit ?? 10);
  const listing: Asked = { list: { limit: Math.min(pageSize, Math.max(wanted, 1)), filter } };
  if (!op.query?.trim()) return [listing];
  const k = Math.min(mostHits, (Math.floor(wanted / step) + 1) * step); // the same for neighbouring pages
  return [{ search: { query: op.query, k, filter } }, listing];
}

function written(key: string, op: PutOperation): Asked {
  if (op.value === null) return { delete: { key } };
  const size = new TextEncoder().encode(JSON.stringify(op.value)).length;
  if (size > largest)
    throw new Invalid("invalid", `value: of ${JSON.stringify(op.key)} is ${size} bytes long as JSON, at most ${largest} are allowed`);
  const metadata = { [namespaceMember]: pathOf(op.namespace), [keyMember]: op.key, [valueMember]: stored(op.value) };
  return { put: { key, content: contentOf(op), metadata, category: "langgraph" } };
}

async function keyOf(namespace: string[], key: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([namespace, key]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return "langgraph:" + Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Of what encodeURIComponent leaves alone, the part that Python's quote does not. */
const left = /[!'()*]/g;

/** A namespace as text of which a prefix is a prefix. */
function pathOf(namespace: string[]): string {
  const quoted = (part: string) =>
    encodeURIComponent(part).replace(left, (letter) => "%" + letter.charCodeAt(0).toString(16).toUpperCase());
  return "/" + namespace.map((part) => quoted(part) + "/").join("");
}

const partsOf = (path: string) => path.split("/").slice(1, -1).map(decodeURIComponent);

const inside = (prefix: string[]) => ({ ["metadata." + namespaceMember]: { startswith: pathOf(prefix) } });

function fields(memory: Memory): Item {
  const metadata = memory.metadata!;
  return {
    namespace: partsOf(metadata[namespaceMember] as string),
    key: metadata[keyMember] as string,
    value: given(metadata[valueMember]),
    createdAt: new Date(memory.recorded_at),
    updatedAt: new Date(memory.event_time),
  };
}

/** What a question can find: the fields that are named, all if none is, of index false none. */
function contentOf(op: PutOperation): string {
  if (op.index === false) return op.key;
  const texts = op.index ? op.index.flatMap((path) => getTextAtPath(op.value, path)) : [JSON.stringify(op.value)];
  const bytes = new TextEncoder().encode(texts.filter((text) => text.trim()).join("\n")).subarray(0, searched);
  return new TextDecoder().decode(bytes, { stream: true }) || op.key;
}

/** A key of an object as metadata may have it: not empty, and without dots. */
const nameOf = (name: string) =>
  name.replace(/[%.\0]/g, (letter) => "%" + letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")) || "%";

/** A value as the metadata hold it; its inverse is given. */
function stored(value: any): unknown {
  value = value?.toJSON?.() ?? value;
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [nameOf(name), stored(one)]));
}

function given(value: any): any {
  if (Array.isArray(value)) return value.map(given);
  if (typeof value !== "object" || value === null) return value;
  if (long in value) return Number(value[long]);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name === "%" ? "" : decodeURIComponent(name), given(one)]),
  );
}

/** What the server filters by. It lets more pass than matches where its filters cannot say the same. */
function condition(op: SearchOperation): Condition {
  const all: Condition[] = [inside(op.namespacePrefix)];
  for (const [key, wanted] of Object.entries(op.filter ?? {})) {
    const ways = (key.includes(".") ? [[key], key.split(".")] : [[key]]).map((path) => conditions(path, wanted));
    if (ways.every((way) => way.length > 0)) all.push({ or: ways.map((way) => ({ and: way })) });
  }
  return { and: all };
}

function conditions(path: string[], wanted: any): Condition[] {
  const field = ["metadata", valueMember, ...path.map(nameOf)].join(".");
  if (path.length > deepest || Array.isArray(wanted)) return [];
  if (typeof wanted !== "object" || wanted === null) return conditions(path, { $eq: wanted });
  return Object.entries<any>(wanted).flatMap(([name, operand]) => {
    const operator = comparisons[name];
    if (!operator) return conditions([...path, name], operand);
    const plain = (Array.isArray(operand) ? operand : [operand]).every((one) => typeof one !== "object" || (one === null && operator === "eq"));
    if (!plain || Array.isArray(operand) !== ["in", "nin"].includes(operator) || operand === undefined) return [];
    if (["ne", "nin"].includes(operator)) return []; // of a list of one text the server says what it says of that text
    if (!["eq", "in"].includes(operator) && !["string", "number"].includes(typeof operand)) return [];
    const one = { [field]: { [operator]: operand } };
    return [typeof operand === "number" ? { or: [one, { [field + "." + long]: { exists: true } }] } : one];
  });
}

function matches(memory: Memory, condition: Record<string, any> = {}): boolean {
  const value = given(memory.metadata![valueMember]);
  return Object.entries(condition).every(([name, wanted]) => compare(at(value, name), wanted));
}

/** What a value has under a key, or at the end of a path. */
function at(value: any, key: string): unknown {
  return key in value ? value[key] : key.split(".").reduce((found, name) => (typeof found === "object" ? found?.[name] : undefined), value);
}

function compare(value: any, wanted: any): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  return Object.entries<any>(wanted).every(([operator, operand]) => {
    switch (operator) {
      case "$eq":
        return value === operand;
      case "$ne":
        return value !== operand;
      case "$gt":
        return ordered(value, operand) && value > operand;
      case "$gte":
        return ordered(value, operand) && value >= operand;
      case "$lt":
        return ordered(value, operand) && value < operand;
      case "$lte":
        return ordered(value, operand) && value <= operand;
      case "$in":
        return operand.includes(value);
      case "$nin":
        return !operand.includes(value);
    }
    return value?.[operator] !== undefined && compare(value[operator], operand);
  });
}

/** Texts have their order, numbers theirs. */
const ordered = (a: any, b: any) => typeof a === typeof b && ["string", "number"].includes(typeof a);

function fits({ matchType, path }: MatchCondition, name: string[]): boolean {
  if (name.length < path.length) return false;
  const part = matchType === "prefix" ? name.slice(0, path.length) : name.slice(name.length - path.length);
  return path.every((wanted, i) => wanted === "*" || wanted === part[i]);
}
