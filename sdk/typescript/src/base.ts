// How the client talks to the server.

import { TrilithError, DeadlineExceeded, Internal, Invalid, Unavailable, problem } from "./errors.js";
import { operations, scopeNames } from "./operations.js";
import type { Answers } from "./operations.js";
import type { ScopeInput } from "./types.js";

export const version = "0.1.0";
const prefix = "/api/v1";
const longestPause = 30; // seconds; a server that wants longer is not waited for

export interface Options {
  /** Where the server is; http://127.0.0.1:7700 if absent. */
  url?: string;
  /** The API key. */
  key?: string;
  /** Narrows every call. */
  scope?: ScopeInput;
  /** Milliseconds that one attempt may take; 60,000 if absent. */
  timeout?: number;
  /** Attempts after the first, made while the server is unavailable; 3 if absent. */
  retries?: number;
  /** Used in place of the global fetch. */
  fetch?: typeof fetch;
  /** Gives up every call. */
  signal?: AbortSignal;
}

type Args = Record<string, unknown>;

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  body: BodyInit | undefined;
  headers: Record<string, string>;
  repeatable: boolean;
}

/** A list that comes in pages: for await gives every item, page() one page. */
export class Pages<P extends { items: unknown[]; next_cursor?: string }> implements AsyncIterable<P["items"][number]> {
  constructor(private readonly ask: (cursor?: string) => Promise<P>) {}

  /** The first page, with its items and its next_cursor, which goes on as cursor. */
  page(): Promise<P> {
    return this.ask();
  }

  async *pages(): AsyncGenerator<P> {
    let cursor: string | undefined;
    do {
      const page: P = await this.ask(cursor);
      yield page;
      cursor = page.next_cursor;
    } while (cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<P["items"][number]> {
    for await (const page of this.pages()) yield* page.items as P["items"][number][];
  }
}

/** How far the server's store had come at the latest write of a connection: what is read on standbys then shows that. */
class Position {
  text = "";
  private at = 0n;

  see(text: string | null): void {
    const parts = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/.exec(text ?? "");
    if (!parts) return;
    const at = (BigInt(`0x${parts[1]}`) << 32n) | BigInt(`0x${parts[2]}`);
    if (at > this.at) [this.at, this.text] = [at, parts[0]]; // answers may come in another order than that of the writes
  }
}

/** A connection to one server with one key, narrowed to a scope. */
export class Base {
  protected options: Options;
  private seen = new Position();

  constructor(options: Options = {}) {
    this.options = { ...narrowed(undefined, options), scope: narrowed(undefined, options.scope), url: (options.url ?? "http://127.0.0.1:7700").replace(/\/+$/, "") };
  }

  /** A client of the same connection whose calls are narrowed further. */
  scope(scope: ScopeInput): this {
    return this.with({ scope: narrowed(this.options.scope, scope) });
  }

  /** A client of the same connection with other options. */
  with(options: Omit<Options, "url" | "key">): this {
    const out = Object.create(Object.getPrototypeOf(this)) as this;
    Object.assign(out, this);
    out.options = { ...this.options, ...narrowed(undefined, options) };
    out.options.scope = narrowed(undefined, out.options.scope);
    return out;
  }

  /** Calls any operation of the REST API by its operationId in camelCase: call("createKey", { name: "phone" }). */
  async call<N extends keyof Answers>(operation: N, args: object = {}): Promise<Answers[N]> {
    const response = await this.send(this.prepare(operation, args as Args));
    return (await json(response)) as Answers[N];
  }

  protected paged<N extends keyof Answers>(operation: N, args: object = {}) {
    type P = Answers[N] & { items: unknown[] };
    return new Pages<P>((cursor) => this.call(operation, cursor ? { ...args, cursor } : args) as Promise<P>);
  }

  /** Makes the request of an operation. Arguments that are undefined or null are left out, but for those of a scope. */
  protected prepare(operation: keyof Answers, given: Args): Request {
    if (!Object.hasOwn(operations, operation)) throw new Invalid("invalid", `operation: ${operation} is no operation of the API`);
    const [method, template, inQuery, inBody, repeat] = operations[operation];
    const args: Args = {};
    for (const [name, value] of Object.entries(this.options.scope!)) if (inQuery.includes(name) || inBody?.includes(name)) args[name] = value;
    for (const [name, value] of Object.entries(narrowed(undefined, given))) if (value != null) args[name] = value;
    const take = (name: string): unknown => {
      const value = args[name];
      delete args[name];
      return value;
    };
    const [address, chosen] = template.split("?") as [string, string?];
    const path = address.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(take(name) ?? "");
      if (["", ".", ".."].includes(value)) throw new Invalid("invalid", `${name}: is "${value}", which no path can contain`);
      return encodeURIComponent(value);
    });
    const query = new URLSearchParams(chosen);
    for (const name of inQuery) if (name in args) query.append(name, text(take(name)));
    const headers: Record<string, string> = {};
    let repeatable = repeat !== "";
    if (repeat === "header" && !("request_key" in args)) headers["Idempotency-Key"] = crypto.randomUUID();
    else if (repeat === "body") args["request_key"] ??= crypto.randomUUID();
    else if ("version" in args || "if_absent" in args) repeatable = false; // the first may have changed what is compared
    if (args["atomic"]) // of a batch
      repeatable = !(args["operations"] as any[]).some(({ put }) => put && ("version" in put || "if_absent" in put));
    let body: string | undefined;
    if (inBody) {
      headers["Content-Type"] = "application/json";
      repeatable ||= args["dry_run"] === true;
      body = JSON.stringify(args, plain);
    } else {
      for (const [name, value] of Object.entries(args)) query.append(name, text(value)); // the server says what is wrong
    }
    return { method, path: prefix + path, query, body, headers, repeatable };
  }

  protected async send(request: Request): Promise<Response> {
    const { url, key, retries = 3 } = this.options;
    const headers: Record<string, string> = { ...request.headers };
    if (this.seen.text) headers["Trilith-Position"] = this.seen.text;
    if (key) headers["Authorization"] = `Bearer ${key}`;
    const query = request.query.size > 0 ? `?${request.query}` : "";
    for (let attempt = 1; ; attempt++) {
      let error: TrilithError;
      try {
        const response = await this.once(url + request.path + query, {
          method: request.method,
          headers,
          body: request.body ?? null,
          redirect: "manual", // a key never travels elsewhere
        });
        this.seen.see(response.headers.get("Trilith-Position"));
        if (response.status === 200 || response.status === 202) return response;
        error = await problem(response);
      } catch (cause) {
        error = fault(cause, this.options.signal);
      }
      if (attempt > retries || !again(error, request.repeatable)) throw error;
      await pause(error.retryAfter ?? 0.05 * 3 ** (attempt - 1) * (0.8 + 0.4 * Math.random()), this.options.signal);
    }
  }

  private once(url: string, init: RequestInit): Promise<Response> {
    const late = AbortSignal.timeout(this.options.timeout ?? 60_000);
    const signal = this.options.signal ? AbortSignal.any([late, this.options.signal]) : late;
    return (this.options.fetch ?? fetch)(url, { ...init, signal });
  }

  /** The lines of an answer, as they arrive. It is asked for once. */
  protected async *lines(request: Request): AsyncGenerator<string> {
    const response = await this.send({ ...request, repeatable: false });
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of chunks(response)) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield line;
      }
    } catch (cause) {
      throw fault(cause, this.options.signal);
    }
    if (rest) yield rest;
  }

  /**
   * Definitions of the memory's tools for a model. Sets add tools to the default ones: graph, review, sessions, subagent.
   * The formats are those of the vendors' APIs: openai (chat completions), openai-responses, anthropic, gemini; or mcp.
   */
  async tools(format: ToolFormat = "openai", sets: string[] = []): Promise<Record<string, unknown>[]> {
    return (await this.call("tools", { format, tools: sets })).items as Record<string, unknown>[];
  }

  /**
   * Does what a model asks for; args may be the JSON text that it wrote. The answer goes back to the model. A mistake in
   * its arguments is an answer with "status": "error" and a message; only what a model cannot mend is thrown.
   */
  async callTool(name: string, args: Args | string = {}, sets: string[] = []): Promise<Record<string, unknown>> {
    let given: unknown = args;
    if (typeof args === "string") {
      try {
        given = JSON.parse(args || "{}");
      } catch (error) {
        return { status: "error", kind: "invalid", message: `arguments: are not JSON: ${error}` };
      }
    }
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(this.options.scope!)) query.append(name, value);
    if (sets.length > 0) query.append("tools", sets.join(","));
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } });
    const answer = await this.send({ method: "POST", path: "/mcp", query, body, headers, repeatable: false });
    const said = (await json(answer)) as any;
    if (said.error) return { status: "error", kind: "invalid", message: said.error.message };
    if (said.result.structuredContent) return said.result.structuredContent;
    const text = said.result.content[0].text;
    try {
      return JSON.parse(text);
    } catch {
      return { status: said.result.isError ? "error" : "success", message: text };
    }
  }
}

/**
 * The arguments of a call over the scope of its client. A value that is there and names nothing is refused, undefined too: if
 * it were left out, the call would be about everybody.
 */
export function narrowed<A extends object>(scope: ScopeInput | undefined, own: A | undefined): ScopeInput & A {
  for (const [name, value] of Object.entries(own ?? {})) {
    const blank = value == null || (typeof value === "string" && !value.trim());
    if (blank && (name === "scope" ? value == null : (scopeNames as readonly string[]).includes(name)))
      throw new Invalid("invalid", `${name}: is ${JSON.stringify(value)}, which names nothing; name one, or leave it out`);
  }
  return { ...scope, ...own } as ScopeInput & A;
}

export async function json(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throw new Internal("internal", "the answer is not what a trilith server sends", { status: response.status, cause });
  }
}

/** Several ids from one, or from several. */
export function list(ids: string | string[] | undefined): string[] | undefined {
  return typeof ids === "string" ? [ids] : ids;
}

/** Chunks of a body; some browsers cannot iterate over one. */
async function* chunks(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** What is written in place of a value: bytes in a message are base64. */
function plain(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Record<string, unknown>)[key];
  if (!(raw instanceof Uint8Array)) return value;
  let bytes = "";
  for (const byte of raw) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** An argument as addresses have it. */
function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(",");
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Turns what happened to a connection into an error of ours; what the caller gave up stays what it was given up with. */
function fault(cause: unknown, signal: AbortSignal | undefined): TrilithError {
  if (cause instanceof TrilithError) return cause;
  if (signal?.aborted) throw signal.reason;
  const name = (cause as Error)?.name;
  if (name === "TimeoutError") return new DeadlineExceeded("deadline_exceeded", "the server has not answered in time", { cause });
  const why = ((cause as Error)?.cause as Error)?.message ?? (cause as Error)?.message ?? String(cause);
  return new Unavailable("unavailable", `the server does not answer: ${why}`, { cause });
}

/** Tells whether a call is repeated. One that never reached a server is, whatever it does, where the runtime says so. */
function again(error: TrilithError, repeatable: boolean): boolean {
  const code = ((error.cause as Error)?.cause as { code?: string })?.code ?? (error.cause as { code?: string })?.code;
  if (code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "ConnectionRefused") return true;
  if ((error.retryAfter ?? 0) > longestPause) return false;
  return repeatable && (error instanceof Unavailable || (error.status === 429 && error.retryAfter !== undefined));
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

export type ToolFormat = "openai" | "openai-responses" | "anthropic" | "gemini" | "mcp";
