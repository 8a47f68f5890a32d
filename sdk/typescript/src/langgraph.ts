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
import { NotFound } from "./errors.js";
import type { Memory } from "./types.js";

/** Members of the metadata that an item lies in. */
const namespaceMember = "langgraph_namespace";
const keyMember = "langgraph_key";
const valueMember = "langgraph_value";

const pageSize = 1000; // items read at a time
const mostHits = 200; // of one question

/** Keeps items in the scope of a client. */
export class TrilithStore extends BaseStore {
  constructor(private readonly client: Trilith) {
    super();
  }

  /** Does operations: reads see what was there before the writes, and of several writes of a key the last counts. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const writes = new Map<string, PutOperation>();
    for (const op of operations) {
      if ("namespacePrefix" in op) results.push(await this.found(op));
      else if ("value" in op) {
        writes.set(JSON.stringify([op.namespace, op.key]), op);
        results.push(null);
      } else if ("key" in op) results.push(await this.item(op.namespace, op.key));
      else results.push(await this.namespaces(op));
    }
    for (const write of writes.values()) await this.write(write);
    return results as OperationResults<Op>;
  }

  private async item(namespace: string[], key: string): Promise<Item | null> {
    try {
      return fields(await this.client.entryByKey(await keyOf(namespace, key)));
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  private async write(op: PutOperation): Promise<void> {
    const key = await keyOf(op.namespace, op.key);
    if (op.value === null) {
      try {
        await this.client.forgetByKey(key);
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
      }
      return;
    }
    const metadata = { [namespaceMember]: pathOf(op.namespace), [keyMember]: op.key, [valueMember]: op.value };
    await this.client.putEntry(key, contentOf(op), { metadata, category: "langgraph" });
  }

  private async found(op: SearchOperation): Promise<SearchItem[]> {
    const offset = op.offset ?? 0;
    const wanted = offset + (op.limit ?? 10);
    const found = new Map<string, SearchItem>();
    if (op.query) {
      const { hits } = await this.client.recall(op.query, { k: mostHits, filter: inside(op.namespacePrefix) });
      for (const { memory, score } of hits)
        if (matches(memory, op.filter)) found.set(memory.id, { ...fields(memory), score });
    }
    if (found.size < wanted)
      // those that the question says nothing of come last
      for await (const memory of this.all(op.namespacePrefix)) {
        if (!found.has(memory.id) && matches(memory, op.filter)) found.set(memory.id, { ...fields(memory), score: undefined });
        if (found.size >= wanted) break;
      }
    return [...found.values()].slice(offset, wanted);
  }

  private all(prefix: string[]) {
    return this.client.memories({ limit: pageSize, filter: inside(prefix) });
  }

  private async namespaces(op: ListNamespacesOperation): Promise<string[][]> {
    const known = new Set<string>();
    for await (const memory of this.all([])) {
      const name = partsOf(memory.metadata![namespaceMember] as string);
      if ((op.matchConditions ?? []).every((condition) => fits(condition, name))) known.add(pathOf(name.slice(0, op.maxDepth)));
    }
    const names = [...known].map(partsOf).sort((a, b) => a.join(":").localeCompare(b.join(":")));
    const offset = op.offset ?? 0;
    return names.slice(offset, offset + (op.limit ?? names.length));
  }
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
    value: metadata[valueMember] as Record<string, any>,
    createdAt: new Date(memory.recorded_at),
    updatedAt: new Date(memory.event_time),
  };
}

/** What a question can find: the fields that are named, all if none is, of index false none. */
function contentOf(op: PutOperation): string {
  if (op.index === false) return op.key;
  const texts = op.index ? op.index.flatMap((path) => getTextAtPath(op.value, path)) : [JSON.stringify(op.value)];
  return texts.filter((text) => text.trim()).join("\n") || op.key;
}

function matches(memory: Memory, condition: Record<string, any> = {}): boolean {
  const value = memory.metadata![valueMember] as Record<string, any>;
  return Object.entries(condition).every(([name, wanted]) => compare(value[name], wanted));
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
        return Number(value) > Number(operand);
      case "$gte":
        return Number(value) >= Number(operand);
      case "$lt":
        return Number(value) < Number(operand);
      case "$lte":
        return Number(value) <= Number(operand);
      case "$in":
        return operand.includes(value);
      case "$nin":
        return !operand.includes(value);
    }
    return value?.[operator] !== undefined && compare(value[operator], operand);
  });
}

function fits({ matchType, path }: MatchCondition, name: string[]): boolean {
  if (name.length < path.length) return false;
  const part = matchType === "prefix" ? name.slice(0, path.length) : name.slice(name.length - path.length);
  return path.every((wanted, i) => wanted === "*" || wanted === part[i]);
}
