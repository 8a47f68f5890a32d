// What a memory can do, call by call.

import { Base, json, narrowed } from "./base.js";
import { Internal, Unavailable, errorOf } from "./errors.js";
import type { Answers } from "./operations.js";
import type * as t from "./types.js";

type Scope = t.ScopeInput;

/**
 * A client of a trilith server. Every method takes the members of a scope (project, domain, user, agent, session, channel)
 * beside its own options; they win over those of the client. Members of what is sent and answered have the names that
 * they have in the API. Errors are subclasses of TrilithError.
 */
export class Trilith extends Base {
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
  /** Stores a knowledge entry. */
  addEntry(content: string, options: t.AddEntryOptions = {}) {
    return this.call("addEntry", { ...options, content });
  }
  /** Stores an entry under a key, in place of what the key has in this very scope. */
  putEntry(key: string, content: string, options: t.PutEntryOptions = {}) {
    return this.call("putEntry", { ...options, key, content });
  }

  // Finding

  /** Finds what is known about a question. */
  recall(query: string, options: t.SearchOptions = {}) {
    return this.call("search", { ...options, query });
  }
  /** Makes the text that a prompt gets. */
  context(query: string, options: t.ContextOptions = {}) {
    return this.call("context", { ...options, query });
  }
  /** One memory, in any state. */
  get(id: string, scope: Scope = {}) {
    return this.call("getMemory", { ...scope, id });
  }
  /** Memories from the oldest to the newest, active ones unless states says otherwise. */
  memories(options: t.ListMemoriesOptions = {}) {
    return this.paged("listMemories", options);
  }
  /** How many memories there are, in every state. */
  stats(scope: Scope = {}) {
    return this.call("stats", scope);
  }
  /** The values that a field of memories has, the most frequent first. */
  facets(options: t.FacetsOptions) {
    return this.call("facets", options);
  }
  /** How many memories there are by period, the earliest first. */
  histogram(options: t.HistogramOptions = {}) {
    return this.call("histogram", options);
  }
  /** What has happened to memories, latest first. */
  feed(options: t.ChangesOptions = {}) {
    return this.paged("changes", options);
  }
  /** The life of a memory. */
  history(id: string, scope: Scope = {}) {
    return this.call("memoryHistory", { ...scope, id });
  }
  /** One knowledge entry. */
  entry(id: string, scope: Scope = {}) {
    return this.call("getEntry", { ...scope, id });
  }
  /** The entry that has a key in this very scope. */
  entryByKey(key: string, scope: Scope = {}) {
    return this.call("getKeyedEntry", { ...scope, key });
  }
  /** Entries of this very scope that have a key, those with a prefix if one is given. */
  keyedEntries(options: t.ListKeyedEntriesOptions = {}) {
    return this.paged("listKeyedEntries", options);
  }
  /** The entries of the scope's domain that are most like a text or an embedding. */
  similarEntries(text: string | undefined, options: t.SimilarEntriesOptions = {}) {
    return this.call("similarEntries", { ...options, text });
  }

  // Changing

  /**
   * Runs up to 1,000 operations one after the other, each with its own result. atomic does the puts and deletes together after
   * all reads, all of them or none; nothing else may write then.
   */
  batch(operations: t.Operation[], options: Scope & { atomic?: boolean } = {}) {
    return this.call("batch", { ...options, operations });
  }
  /** Changes a memory. */
  update(id: string, options: t.UpdateMemoryOptions) {
    return this.call("updateMemory", { ...options, id });
  }
  /** Replaces the text of a note or an entry; its history keeps the former one. For a fact: supersedeFact. */
  correct(id: string, text: string, scope: Scope = {}) {
    return this.call("updateMemory", { ...scope, id, text });
  }
  /** Makes a memory visible in a second scope; the share follows the memory. */
  share(id: string, to: Scope, scope: Scope = {}) {
    return this.call("shareMemory", { ...scope, id, scope: to });
  }
  /** Takes memories out of search, by ids or by a filter; update(id, { state: "active" }) brings one back. */
  forget(ids: string | string[] | undefined, options: t.ForgetOptions = {}) {
    return this.call("forget", { ...options, ids: list(ids) });
  }
  /** Forgets the entry that has a key in this very scope. */
  forgetByKey(key: string, scope: Scope = {}) {
    return this.call("deleteKeyedEntry", { ...scope, key });
  }
  /** Removes memories for good, with what is derived from them. Needs the right admin. */
  erase(ids: string | string[] | undefined, options: t.EraseOptions = {}) {
    return this.call("erase", { ...options, ids: list(ids) });
  }
  /** Erases the entry that has a key in this very scope. Needs the right admin. */
  eraseByKey(key: string, scope: Scope = {}) {
    return this.call("deleteKeyedEntry", { ...scope, key, erase: true });
  }
  /** Forgets the turns and notes of a scope that matter least. */
  prune(options: t.PruneOptions = {}) {
    return this.call("prune", options);
  }

  // Facts

  /** Stores what was said about an entity, and the facts that follow from it. */
  assimilate(content: string, identifier: t.IdentifierInput, options: t.AssimilateOptions = {}) {
    return this.call("assimilate", { ...options, content, identifier });
  }
  /** Stores a fact that you state as data: a value of a verb or a topic, or a sentence. */
  tellFact(options: t.TellFactOptions) {
    return this.call("tellFact", { ...options });
  }
  /** The facts of an entity: all of them, or with a rag_query those that matter for it. */
  lookup(type: string, value: string, options: t.LookupOptions = {}) {
    return this.call("lookup", { ...options, type, value });
  }
  /** Who somebody is, in at most 200 tokens. */
  card(type: string, value: string, options: t.CardOptions = {}) {
    return this.call("card", { ...options, type, value });
  }
  /** lookup in words. */
  lookupSummary(type: string, value: string, options: t.LookupSummaryOptions = {}) {
    return this.call("lookupSummary", { ...options, type, value });
  }
  /** Facts by their relevance for a query, or the newest. */
  facts(query?: string, options: t.SearchFactsOptions = {}) {
    return this.call("searchFacts", { ...options, query });
  }
  /** Facts that require action, most pressing first. */
  actionable(options: t.ActionableFactsOptions = {}) {
    return this.call("actionableFacts", options);
  }
  /** Amounts that nobody has verified, largest first. */
  unverifiedFinancial(options: t.UnverifiedFinancialFactsOptions = {}) {
    return this.call("unverifiedFinancialFacts", options);
  }
  /** Sums of amounts by project, type and currency. */
  exposure(scope: Scope = {}) {
    return this.call("financialExposure", scope);
  }
  /** The money of a project, matched, as of any date. */
  projectLedger(project: string, options: t.ProjectLedgerOptions = {}) {
    return this.call("projectLedger", { ...options, project });
  }
  /** How amounts, dates and risks of a project have moved. */
  projectTrends(project: string, options: t.ProjectTrendsOptions = {}) {
    return this.call("projectTrends", { ...options, project });
  }
  /** What became known and what ended in a project in a period. */
  projectReport(project: string, options: t.ProjectReportOptions = {}) {
    return this.call("projectReport", { ...options, project });
  }
  /** How many facts there are of each type and state. */
  factStats(scope: Scope = {}) {
    return this.call("factStats", scope);
  }
  /** Facts that are like one. */
  similarFacts(id: string, options: t.SimilarFactsOptions = {}) {
    return this.call("similarFacts", { ...options, id });
  }
  /** Facts of one entity that say the same. */
  duplicateFacts(options: t.DuplicateFactsOptions = {}) {
    return this.paged("duplicateFacts", options);
  }
  /** Facts of one entity that cannot all hold. */
  factConflicts(options: t.ConflictingFactsOptions = {}) {
    return this.paged("conflictingFacts", options);
  }
  /** Facts of which nothing was heard for some days, the longest first. */
  staleFacts(options: t.StaleFactsOptions = {}) {
    return this.call("staleFacts", options);
  }
  /** Decides about a fact. */
  verifyFact(id: string, decision: "verify" | "reject" | "needs_review" | "dispute" | "pending_approval",
    options: t.VerifyFactOptions = {}) {
    return this.call("verifyFact", { ...options, id, decision });
  }
  /** Says how a fact bears on another one. */
  relate(id: string, type: "depends_on" | "blocks" | "causes" | "part_of" | "settles" | "replaces", to: string,
    options: t.RelateFactsOptions = {}) {
    return this.call("relateFacts", { ...options, id, type, to });
  }
  /** The relations of a fact, in both directions, and the facts that they connect. */
  relations(id: string, options: t.FactRelationsOptions = {}) {
    return this.call("factRelations", { ...options, id });
  }
  /** Takes back a relation of a fact. */
  async unrelate(id: string, relation: string, scope: t.ScopeInput = {}): Promise<void> {
    await this.call("unrelateFacts", { ...scope, id, relation });
  }
  /** What is to be done in a project and when, what waits for what, and the critical chain. */
  timeline(project: string, options: t.TimelineOptions = {}) {
    return this.call("timeline", { ...options, name: project });
  }
  /** The timeline of a project as a Mermaid diagram. */
  async drawTimeline(project: string, options: t.TimelineOptions = {}) {
    const response = await this.send(this.prepare("timeline", { ...options, name: project, format: "mermaid" }));
    return await response.text();
  }
  /** Undoes a decision, correction, edit, forgetting or merge by the id of its change. */
  undo(change: string, scope: t.ScopeInput = {}) {
    return this.call("undo", { ...scope, id: change });
  }
  /** Corrects a fact by a text in any words, or by another fact. */
  supersedeFact(id: string, options: t.SupersedeFactOptions) {
    return this.call("supersedeFact", { ...options, id });
  }
  /** Derives facts in the background, again or where there are none. Needs the right admin. */
  reextract(options: t.ReextractOptions = {}) {
    return this.call("reextract", options);
  }

  // Review

  /** What waits for a person to decide. */
  inbox(options: t.InboxOptions = {}) {
    return this.paged("inbox", options);
  }
  /** Decides about many facts and quarantined texts at once, by ids or by a filter. */
  decide(decision: "verify" | "reject" | "ended" | "done" | "not_about_me" | "dismiss" | "needs_review" | "dispute" |
    "pending_approval", ids: string | string[] | undefined, options: t.DecideOptions = {}) {
    return this.call("decide", { ...options, decision, ids: list(ids) });
  }
  /** Verifies the facts that meet a policy. */
  autoVerify(options: t.AutoVerifyFactsOptions = {}) {
    return this.call("autoVerifyFacts", options);
  }

  // Saved searches and their alerts

  /** Saves a search that runs on every change of its scope and raises alerts. */
  saveSearch(name: string, options: t.SaveSearchOptions = {}) {
    return this.call("saveSearch", { ...options, name });
  }
  /** The saved searches of a scope, by name. */
  searches(scope: t.ScopeInput = {}) {
    return this.call("listSearches", scope);
  }
  /** One saved search. */
  savedSearch(id: string, scope: t.ScopeInput = {}) {
    return this.call("getSearch", { ...scope, id });
  }
  /** Replaces what a saved search looks for; its name stays. */
  changeSearch(id: string, options: t.ChangeSearchOptions) {
    return this.call("changeSearch", { ...options, id });
  }
  /** Deletes a saved search with its alerts, and returns what it was. */
  deleteSearch(id: string, scope: t.ScopeInput = {}) {
    return this.call("deleteSearch", { ...scope, id });
  }
  /** What saved searches have raised, oldest first; next goes on as after. */
  alerts(options: t.ListAlertsOptions = {}) {
    return this.call("listAlerts", options);
  }
  /** Notes that somebody has seen alerts. */
  acknowledgeAlerts(ids: string | string[], scope: t.ScopeInput = {}) {
    return this.call("acknowledgeAlerts", { ...scope, ids: list(ids) });
  }

  // Entities

  /** One entity. */
  entity(id: string, scope: Scope = {}) {
    return this.call("getEntity", { ...scope, id });
  }
  /** Whom and what facts are about. */
  entities(options: t.ListEntitiesOptions = {}) {
    return this.paged("listEntities", options);
  }
  /** Entities by what they are called, with the number of their facts. */
  searchEntities(options: t.SearchEntitiesOptions = {}) {
    return this.paged("searchEntities", options);
  }
  /** The facts of an entity: those that hold and those that do no longer. */
  factsOf(id: string, options: t.EntityFactsOptions = {}) {
    return this.call("entityFacts", { ...options, id });
  }
  /** Changes names, identifiers and attributes of an entity. */
  updateEntity(id: string, options: t.UpdateEntityOptions) {
    return this.call("updateEntity", { ...options, id });
  }
  /** Makes two entities one; the id of the other leads to the first. */
  mergeEntities(into: string, other: string, scope: Scope = {}) {
    return this.call("mergeEntities", { ...scope, id: into, from: other });
  }
  /** Undoes a merge, or moves a part of an entity to a new one. */
  splitEntity(id: string, options: t.SplitEntityOptions) {
    return this.call("splitEntity", { ...options, id });
  }
  /** How an entity was changed, newest first. */
  entityHistory(id: string, options: t.EntityHistoryOptions = {}) {
    return this.paged("entityHistory", { ...options, id });
  }
  /** The facts around an entity and the entities that they name. */
  neighborhood(id: string, options: t.EntityNeighborhoodOptions = {}) {
    return this.call("entityNeighborhood", { ...options, id });
  }

  // Sessions

  /** Sessions, the one with the latest turn first. */
  sessions(options: t.ListSessionsOptions = {}) {
    return this.paged("listSessions", options);
  }
  /** The turns of a session in order; page() has the session too. */
  turns(id: string, options: t.GetSessionOptions = {}) {
    return this.paged("getSession", { ...options, id });
  }
  /** The newest turns of a session, its newest summary and the relevant past. */
  sessionContext(id: string, options: t.MakeSessionContextOptions = {}) {
    return this.call("sessionContext", { ...options, id });
  }
  /** Makes summaries of a session, a period or an entity, or by topic. */
  summarize(options: t.SummarizeOptions = {}) {
    return this.call("summarize", options);
  }
  /** Adds items of any JSON to the transcript of a session, which keeps them exactly. */
  appendItems(id: string, items: unknown[], options: t.AppendSessionItemsOptions = {}) {
    return this.call("appendSessionItems", { ...options, id, items });
  }
  /** The transcript of a session. */
  sessionItems(id: string, options: t.ListSessionItemsOptions = {}) {
    return this.paged("listSessionItems", { ...options, id });
  }
  /** Removes the last item of a transcript and returns it. */
  popItem(id: string, scope: Scope = {}) {
    return this.call("popSessionItem", { ...scope, id });
  }
  /** Removes all items of a transcript. */
  clearItems(id: string, scope: Scope = {}) {
    return this.call("clearSessionItems", { ...scope, id });
  }

  // Asking the server's model

  /** Asks the server's model, which is shown what is known; the exchange is stored. */
  consult(prompt: string, options: t.ConsultOptions = {}) {
    return this.call("consult", { ...options, prompt });
  }
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
  /** What was asked and what was given for it, newest first. */
  recalls(options: t.RecallsOptions = {}) {
    return this.paged("recalls", options);
  }
  /** One row of the recall log. */
  loggedRecall(id: string, scope: Scope = {}) {
    return this.call("getRecall", { ...scope, id });
  }
  /** Asks again what was asked, and returns what was given then and now. */
  recallAgain(id: string, scope: Scope = {}) {
    return this.call("recallAgain", { ...scope, id });
  }
  /** Deletes the recall log of a scope, and returns the number of rows. */
  async forgetRecalls(scope: Scope = {}) {
    return (await this.call("deleteRecalls", scope)).deleted;
  }

  // Interviews

  /** What an interview can be about. */
  domains() {
    return this.call("listDomains");
  }
  /** What the entries of a domain do not say. */
  domainGaps(domain: string, options: t.DomainGapsOptions = {}) {
    return this.call("domainGaps", { ...options, domain });
  }
  /** Begins an interview about the scope's domain. */
  startInterview(scope: Scope = {}) {
    return this.call("startInterview", scope);
  }
  /** Answers the question of an interview. */
  answerInterview(id: string, text: string, options: t.AnswerInterviewOptions = {}) {
    return this.call("answerInterview", { ...options, id, text });
  }
  /** What an interview has not asked yet. */
  interviewGaps(id: string, scope: Scope = {}) {
    return this.call("interviewGaps", { ...scope, id });
  }

  // Settings and upkeep

  /** What a model looks for, by domain. */
  profiles(options: t.ListProfilesOptions = {}) {
    return this.call("listProfiles", options);
  }
  /** Chooses the profile of a project or of the tenant. Needs the right admin. */
  useProfile(name: string, options: t.UseProfileOptions = {}) {
    return this.call("useProfile", { ...options, name });
  }
  /** Chooses a profile for a role, a phase or both; an empty name takes the choice back. Needs the right admin. */
  useProfileFor(name: string, options: t.UseProfileOptions) {
    return this.useProfile(name, options);
  }
  /** How facts are derived. */
  extraction(options: t.ExtractionOptions = {}) {
    return this.call("extraction", options);
  }
  /** Chooses how facts are derived. Needs the right admin. */
  useExtraction(extract: "none" | "rules" | "llm" | "auto", options: t.UseExtractionOptions = {}) {
    return this.call("useExtraction", { ...options, extract });
  }
  /** The languages of the tenant's texts; empty if every text tells its own. */
  async languages() {
    return (await this.call("getLanguages")).languages;
  }
  /** Chooses the languages. Needs the right admin. */
  async useLanguages(codes: string[]) {
    return (await this.call("useLanguages", { languages: codes })).languages;
  }
  /** Work in the background, newest first. */
  jobs(options: t.ListJobsOptions = {}) {
    return this.paged("listJobs", options);
  }
  /** One job. */
  job(id: string) {
    return this.call("getJob", { id });
  }
  /** Gives a dead job all its attempts again. */
  retryJob(id: string) {
    return this.call("retryJob", { id });
  }
  /** Who the key is, what it may do, and what the server offers. */
  me() {
    return this.call("me");
  }
  /** What was done, oldest first or newest first. Needs the right admin. */
  auditLog(options: t.AuditOptions = {}) {
    return this.paged("audit", options);
  }
  /** How many jobs in the background are not done. */
  async jobCounts() {
    return (await this.call("listJobs", { counts: true, limit: 1 })).counts;
  }
  /** What was used of providers. */
  usage(days?: number) {
    return this.call("usage", { days });
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
  /** Marks what is over as expired. Needs the right admin. */
  sweep(scope: Scope = {}) {
    return this.call("sweepFacts", scope);
  }
  /** Takes what was closed long ago out of listings. Needs the right admin. */
  archive(options: t.ArchiveFactsOptions = {}) {
    return this.call("archiveFacts", options);
  }
  /** Makes missing vectors. Needs the right admin. */
  regenerateEmbeddings(options: t.RegenerateEmbeddingsOptions = {}) {
    return this.call("regenerateEmbeddings", options);
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
  /** How an import of files stands. */
  importRun(id: string) {
    return this.call("getImport", { id });
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

function list(ids: string | string[] | undefined): string[] | undefined {
  return typeof ids === "string" ? [ids] : ids;
}
