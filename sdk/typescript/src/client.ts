// What a memory can do beyond one method for each operation.

import { json, narrowed } from "./base.js";
import { Internal, Unavailable, errorOf } from "./errors.js";
import { Methods } from "./methods.js";
import type { Answers } from "./operations.js";
import type * as t from "./types.js";

type Scope = t.ScopeInput;

/**
 * A client of a trilith server. Every method takes the members of a scope (project, domain, user, agent, session, channel)
 * beside its own options; they win over those of the client. Members of what is sent and answered have the names that
 * they have in the API. Errors are subclasses of TrilithError.
 */
export class Trilith extends Methods {
  // Remembering

  /**
   * Stores a text, or the turns of a conversation, word for word. Messages may be those of OpenAI, Anthropic, Gemini,
   * LangChain or the AI SDK.
   */
  remember(what: string | readonly (t.Message | object)[], options: t.RememberOptions = {}) {
    return this.call("remember", { ...options, ...(typeof what === "string" ? { text: what } : { messages: what }) });
  }
  /** Stores something noted by hand, such as a decision. */
  note(content: string, options: t.RememberOptions & { type?: string } = {}) {
    const { type, ...rest } = options;
    return this.call("remember", { ...rest, note: { content, type } });
  }
  /** Stores a document of text or Markdown, split by its structure. */
  document(name: string, content: string, options: t.RememberOptions = {}) {
    const media_type = /\.(md|markdown)$/i.test(name) ? "text/markdown" : undefined;
    return this.call("remember", { ...options, document: { name, content, media_type } });
  }

  // Changing

  /**
   * Runs up to 1,000 operations one after the other, each with its own result. atomic does the puts and deletes together after
   * all reads, all of them or none; nothing else may write then.
   */
  batch(operations: t.Operation[], options: Scope & { atomic?: boolean } = {}) {
    return this.call("batch", { ...options, operations });
  }
  /** Replaces the text of a note or an entry; its history keeps the former one. For a fact: supersedeFact. */
  correct(id: string, text: string, scope: Scope = {}) {
    return this.call("updateMemory", { ...scope, id, text });
  }
  /** Forgets the entry that has a key in this very scope. */
  forgetByKey(key: string, scope: Scope = {}) {
    return this.call("deleteKeyedEntry", { ...scope, key });
  }
  /** Erases the entry that has a key in this very scope. Needs the right admin. */
  eraseByKey(key: string, scope: Scope = {}) {
    return this.call("deleteKeyedEntry", { ...scope, key, erase: true });
  }

  // Facts

  /** Takes back a relation of a fact. */
  async unrelate(id: string, relation: string, scope: t.ScopeInput = {}): Promise<void> {
    await this.call("unrelateFacts", { ...scope, id, relation });
  }
  /** The timeline of a project as a Mermaid diagram. */
  async drawTimeline(project: string, options: t.TimelineOptions = {}) {
    const response = await this.send(this.prepare("timeline", { ...options, project, format: "mermaid" }));
    return await response.text();
  }

  // Asking the server's model

  /** consult that calls piece with the parts of the answer as they arrive. */
  async consultStream(prompt: string, piece: (text: string) => void, options: t.ConsultOptions = {}):
    Promise<t.ConsultResult> {
    const request = this.prepare("consult", { ...options, prompt });
    request.headers["Accept"] = "text/event-stream";
    let name = "";
    let data = "";
    for await (const line of this.lines(request)) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line === "") {
        const said = JSON.parse(data || "null");
        if (name === "piece") piece(said.text);
        else if (name === "answer") return said;
        else if (name === "error") throw errorOf(said.kind, said.detail, { status: said.status, requestId: said.request_id });
        name = data = "";
      }
    }
    throw new Unavailable("unavailable", "the answer ends before its end");
  }
  /** Deletes the recall log of a scope, and returns the number of rows. */
  async forgetRecalls(scope: Scope = {}) {
    return (await this.call("deleteRecalls", scope)).deleted;
  }

  // Settings and upkeep

  /** Chooses a profile for a role, a phase or both; an empty name takes the choice back. Needs the right admin. */
  useProfileFor(name: string, options: t.UseProfileOptions) {
    return this.useProfile(name, options);
  }
  /** The languages of the tenant's texts; empty if every text tells its own. */
  async languages() {
    return (await this.call("getLanguages")).languages;
  }
  /** Chooses the languages. Needs the right admin. */
  async useLanguages(codes: string[]) {
    return (await this.call("useLanguages", { languages: codes })).languages;
  }
  /** How many jobs in the background are not done. */
  async jobCounts() {
    return (await this.call("listJobs", { counts: true, limit: 1 })).counts;
  }
  /** The embedders of the store, and how far each has come. */
  async generations() {
    return (await this.call("generations")).items;
  }
  /** Changes the embedder in the background. */
  async switchTo(embedder: string) {
    return (await this.call("reindex", { to: embedder })).generations ?? [];
  }
  /** Goes back to the embedder before. */
  async rollback() {
    return (await this.call("reindex", { rollback: true })).generations ?? [];
  }
  /** Removes the vectors of the embedder before. */
  async forgetPrevious() {
    return (await this.call("reindex", { forget_old: true })).generations ?? [];
  }

  // In and out

  /** Everything that the scope covers, the header first. Needs the right admin. */
  async *export(scope: Scope = {}): AsyncGenerator<Record<string, unknown>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(narrowed(this.options.scope, scope))) if (value) query.append(name, value);
    const headers = { Accept: "application/x-ndjson" };
    const request = { method: "GET", path: "/api/v1/export", query, body: undefined, headers, repeatable: false };
    for await (const line of this.lines(request)) {
      try {
        yield JSON.parse(line);
      } catch (cause) {
        throw new Internal("internal", "the answer is not what a trilith server sends", { cause });
      }
    }
  }
  /**
   * What happens from now on, or after the cursor of an event before: ids and numbers, and no stored text. It ends with
   * an error when the connection does; go on with the last cursor.
   */
  async *events(after = "", scope: Scope = {}): AsyncGenerator<t.Event> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...narrowed(this.options.scope, scope), after })) if (value) query.append(name, value);
    const headers = { Accept: "text/event-stream" };
    const request = { method: "GET", path: "/api/v1/events", query, body: undefined, headers, repeatable: false };
    let name = "";
    let data = "";
    for await (const line of this.lines(request)) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line === "") {
        if (name === "error") {
          const said = JSON.parse(data);
          throw errorOf(said.kind, said.detail, { status: said.status, requestId: said.request_id });
        }
        if (name) yield JSON.parse(data);
        name = data = "";
      }
    }
    throw new Unavailable("unavailable", "the stream of events has ended");
  }
  /** Takes files of other programs, each a name and its content; doing it twice stores nothing twice. */
  async importFiles(
    files: Iterable<{ name: string; content: Uint8Array | string }>,
    options: { dry_run?: boolean; format?: string; extract?: string } & Scope = {},
  ): Promise<t.ImportRun> {
    const form = new FormData();
    for (const [name, value] of Object.entries(narrowed(this.options.scope, options))) if (value) form.append(name, String(value));
    for (const { name, content } of files) form.append("files", new Blob([content as BlobPart]), name);
    const encoded = new Response(form);
    const headers = { "Content-Type": encoded.headers.get("Content-Type") ?? "" };
    const body = await encoded.blob();
    const query = new URLSearchParams();
    const response = await this.send({ method: "POST", path: "/api/v1/imports", query, body, headers, repeatable: false });
    return (await json(response)) as t.ImportRun;
  }
  /**
   * Keeps a picture, a recording or scanned pages, and has a model read it; doing it twice stores it once. The answer has
   * what is known of the file, and whether it is new.
   */
  async putMedia(
    content: Uint8Array,
    options: { name?: string; media_type?: string; timestamp?: string; extract?: string; dry_run?: boolean } & Scope = {},
  ): Promise<Record<string, unknown>> {
    const { media_type = "application/octet-stream", ...rest } = options;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(narrowed(this.options.scope, rest))) if (value) query.append(name, String(value));
    const headers = { "Content-Type": media_type };
    const body = new Blob([content as BlobPart]);
    const response = await this.send({ method: "POST", path: "/api/v1/media", query, body, headers, repeatable: false });
    return (await json(response)) as Record<string, unknown>;
  }
  /** Pictures, recordings and scanned pages, by id; with unread only those that no model has read. */
  media(options: t.MediaOptions = {}) {
    return this.call("media", options);
  }
  /** A file as it came. */
  async mediaFile(id: string, scope: Scope = {}): Promise<Uint8Array> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(narrowed(this.options.scope, scope))) if (value) query.append(name, String(value));
    const path = `/api/v1/media/${encodeURIComponent(id)}`;
    const response = await this.send({ method: "GET", path, query, body: undefined, headers: {}, repeatable: true });
    return new Uint8Array(await response.arrayBuffer());
  }
  /** The last hundred imports of files, the latest first. */
  async importRuns() {
    return (await this.call("imports")).items;
  }
  /** Takes what an import of files has stored out of search; a dry run only counts that. */
  undoImport(id: string, dryRun = false) {
    return this.call("undoImport", { id, dry_run: dryRun });
  }
  /**
   * Takes back what export() gave; doing it twice stores nothing twice. Needs the right admin. The answer counts what was
   * stored and lists the lines that could not be taken. All items are held in memory: not every runtime can send a stream.
   */
  async import(items: Iterable<unknown> | AsyncIterable<unknown>): Promise<Record<string, unknown>> {
    let body = "";
    for await (const item of items) body += JSON.stringify(item) + "\n";
    const headers = { "Content-Type": "application/x-ndjson" };
    const query = new URLSearchParams();
    const response = await this.send({ method: "POST", path: "/api/v1/import", query, body, headers, repeatable: false });
    return (await json(response)) as Record<string, unknown>;
  }
}

/** What an operation answers, by its name in camelCase. */
export type Answer<N extends keyof Answers> = Answers[N];
