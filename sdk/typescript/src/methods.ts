// Generated from the table of operations by: go test ./sdk -update
// One method for each operation; those that do more than their operation are in client.ts.

import { Base, list } from "./base.js";
import type { Pages } from "./base.js";
import type * as t from "./types.js";

/** The methods of Trilith that are made from the table of operations. */
export class Methods extends Base {
  /**
   * Note that somebody has seen alerts: all of them, or none if one does not exist.
   *
   * Those that the scope does not cover, and unknown ones, are NotFound, and then none is noted.
   *
   * @param ids Ids of alerts.
   */
  acknowledgeAlerts(ids: string | string[], scope: t.ScopeInput = {}): Promise<t.Acknowledged> {
    return this.call("acknowledgeAlerts", { ...scope, ids: list(ids) });
  }

  /**
   * What is to be done, is pressing or is due soon: most pressing first, then by deadline.
   *
   * Returns the active facts that need attention: those that ask for an action, the urgent ones, and those whose
   * deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
   * earliest due comes first and a fact without a date last; of others the one that was said first.
   */
  actionable(options: t.ActionableFactsOptions = {}): Promise<t.Page> {
    return this.call("actionableFacts", options);
  }

  /**
   * Store a knowledge entry.
   *
   * Stores a knowledge entry like remember and returns it. If the external id exists, it returns the entry with that
   * id; Conflict if that is not an entry.
   *
   * @param content What is known; may be left out where structured data say it.
   */
  addEntry(content: string, options: t.AddEntryOptions = {}): Promise<t.Memory> {
    return this.call("addEntry", { ...options, content });
  }

  /**
   * What saved searches have raised, oldest first.
   *
   * Returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees those
   * about memories that it may read.
   */
  alerts(options: t.ListAlertsOptions = {}): Promise<t.AlertPage> {
    return this.call("listAlerts", options);
  }

  /**
   * Answer the question of an interview and get the next one.
   *
   * Stores a reply in an interview and the facts that it states about the domain, and asks the next question. The
   * reply is durable before it is evaluated: a later error loses nothing, and startInterview continues from it. The
   * same text again, for a question that nothing follows yet, is the same answer.
   *
   * @param text What the person says, verbatim.
   */
  answerInterview(id: string, text: string, options: t.AnswerInterviewOptions = {}): Promise<t.Interview> {
    return this.call("answerInterview", { ...options, id, text });
  }

  /**
   * Add items of any form to a transcript; what people and the assistant say is remembered.
   *
   * Adds items to the transcript of a session, in exactly the named scope, and remembers the words of people and the
   * assistant in them. When it returns, the items are durable. Their words are remembered by then, or when the
   * program runs again. Repeating a request with its idempotency key returns the first answer.
   *
   * @param items JSON objects of any form. One with role user or assistant and content as a text, or as parts with
   * text, is remembered too.
   */
  appendItems(id: string, items: unknown[], options: t.AppendSessionItemsOptions = {}): Promise<t.SessionItems> {
    return this.call("appendSessionItems", { ...options, id, items });
  }

  /**
   * Take what was closed long ago out of listings.
   *
   * Removes closed memories from listings: those that were superseded, retracted or expired at least so many days
   * ago. They remain in the history, in answers as of a time, and in exports, and judgements remain in force. A
   * memory that becomes active again is listed again.
   *
   * It needs the right admin.
   */
  archive(options: t.ArchiveFactsOptions = {}): Promise<t.ArchiveResult> {
    return this.call("archiveFacts", options);
  }

  /**
   * Store what was said about an entity, and the facts that follow from it.
   *
   * Stores statements about an entity and derives facts from them. It finds the entity by its identifier, or creates
   * it. A failure to derive or embed never prevents storing the words: the answer waits a while for the facts, and
   * the background does the rest.
   *
   * @param content What was said or written.
   * @param identifier Whom or what the content is about; made if it is not known.
   */
  assimilate(
    content: string,
    identifier: t.IdentifierInput,
    options: t.AssimilateOptions = {},
  ): Promise<t.AssimilateResult> {
    return this.call("assimilate", { ...options, content, identifier });
  }

  /**
   * What was done, oldest first unless asked otherwise; each entry holds the hash of the one before.
   *
   * Pages through the audit of the tenant, oldest or latest first. It needs the right admin.
   */
  auditLog(options: t.AuditOptions = {}): Pages<t.AuditPage> {
    return this.paged("audit", options);
  }

  /**
   * Verify pending facts that rest on enough independent sources.
   *
   * Verifies pending facts that satisfy a policy. It skips candidates: only a person accepts a proposal. It does not
   * overwrite a person's decision made in the meantime.
   */
  autoVerify(options: t.AutoVerifyFactsOptions = {}): Promise<t.AutoVerifyResult> {
    return this.call("autoVerifyFacts", options);
  }

  /**
   * Say who somebody is, in at most 200 tokens.
   *
   * @param type email, phone, user_id, name or a word of your own.
   * @param value The identifier.
   */
  card(type: string, value: string, options: t.CardOptions = {}): Promise<t.Card> {
    return this.call("card", { ...options, type, value });
  }

  /**
   * Replace what a saved search looks for.
   *
   * Replaces the definition of a search from now on. Its name stays.
   */
  changeSearch(id: string, options: t.ChangeSearchOptions): Promise<t.SavedSearch> {
    return this.call("changeSearch", { ...options, id });
  }

  /**
   * Remove all items of a transcript; what was remembered of them stays.
   *
   * The memories made from them stay until they are forgotten or erased.
   */
  clearItems(id: string, scope: t.ScopeInput = {}): Promise<t.ClearedItems> {
    return this.call("clearSessionItems", { ...scope, id });
  }

  /**
   * Ask the configured model, which is shown what is known; the exchange is stored.
   *
   * Sends a prompt to the server's model together with relevant memories; the exchange is stored.
   *
   * @param prompt What the user says.
   */
  consult(prompt: string, options: t.ConsultOptions = {}): Promise<t.ConsultResult> {
    return this.call("consult", { ...options, prompt });
  }

  /**
   * Make the text that a prompt gets.
   *
   * Makes the text that a prompt gets, and logs the memories that it shows.
   *
   * @param query The question, in words.
   */
  context(query: string, options: t.ContextOptions = {}): Promise<t.ContextBlock> {
    return this.call("context", { ...options, query });
  }

  /**
   * One decision about many items, each answered by itself.
   *
   * Each has its own result.
   *
   * @param decision What is to be made of them (verify, reject, ended, done, not_about_me, dismiss, needs_review,
   * dispute, pending_approval).
   * @param ids Ids of memories, or of ambiguous names.
   */
  decide(
    decision: "verify" | "reject" | "ended" | "done" | "not_about_me" | "dismiss" | "needs_review" | "dispute" | "pending_approval",
    ids: string | string[] | undefined,
    options: t.DecideOptions = {},
  ): Promise<t.DecisionReport> {
    return this.call("decide", { ...options, decision, ids: list(ids) });
  }

  /**
   * Delete a saved search with its alerts; the answer is what it was.
   *
   * Removes a search with its alerts, and returns the removed search.
   */
  deleteSearch(id: string, scope: t.ScopeInput = {}): Promise<t.SavedSearch> {
    return this.call("deleteSearch", { ...scope, id });
  }

  /**
   * What is known of a domain and what is not.
   *
   * Returns the known and the missing fields of the scope's domain, from all sessions.
   */
  domainGaps(domain: string, options: t.DomainGapsOptions = {}): Promise<t.DomainGaps> {
    return this.call("domainGaps", { ...options, domain });
  }

  /**
   * The schemas that interviews can be about.
   *
   * They are the same for all tenants.
   */
  domains(): Promise<t.Domains> {
    return this.call("listDomains");
  }

  /**
   * Facts of one entity that say the same.
   *
   * Returns active facts that say the same as another fact of their entity. If cosines of the active generation carry
   * a meaning, two facts are duplicates at a cosine of at least the threshold; otherwise, and of facts not embedded
   * yet, their texts are compared. A page ends early after a thousand facts. No stored text is embedded for it.
   */
  duplicateFacts(options: t.DuplicateFactsOptions = {}): Pages<t.FactGroups> {
    return this.paged("duplicateFacts", options);
  }

  /**
   * List entities by ascending id, without those that were merged into others.
   *
   * Pages through the entities of the tenant by ascending id, without merged ones. A scope narrower than its tenant
   * has those that its facts are about or name.
   */
  entities(options: t.ListEntitiesOptions = {}): Pages<t.EntityPage> {
    return this.paged("listEntities", options);
  }

  /**
   * One entity.
   *
   * Returns an entity of the tenant as stored. One that was merged into another names the survivor.
   */
  entity(id: string, scope: t.ScopeInput = {}): Promise<t.Entity> {
    return this.call("getEntity", { ...scope, id });
  }

  /**
   * What was changed of an entity, when and by whom, newest first.
   *
   * Pages through the changes of an entity, newest first. An entity that was merged into another has its own history,
   * which ends with the merge.
   */
  entityHistory(id: string, options: t.EntityHistoryOptions = {}): Pages<t.EntityHistory> {
    return this.paged("entityHistory", { ...options, id });
  }

  /**
   * One knowledge entry.
   *
   * Returns a knowledge entry of the scope in any state; NotFound also for a memory that is not an entry.
   */
  entry(id: string, scope: t.ScopeInput = {}): Promise<t.Memory> {
    return this.call("getEntry", { ...scope, id });
  }

  /**
   * The entry that has a key.
   *
   * Returns the entry with a key in exactly this scope; NotFound if it was forgotten or has expired.
   */
  entryByKey(key: string, scope: t.ScopeInput = {}): Promise<t.Memory> {
    return this.call("getKeyedEntry", { ...scope, key });
  }

  /**
   * Remove memories for good, with everything derived from them.
   *
   * Destroys memories: in the truth with their former wordings, in sources, vectors and the text index. It leaves a
   * receipt and tombstones, so that the same content does not come back when it is sent, imported or restored. If an
   * id or source does not exist in the scope, it is NotFound and erases nothing. An erasure of many memories takes
   * several commits; an interrupted one can be repeated, and its receipt lists the erased memories.
   *
   * Entities are erased from the whole tenant: with those that were merged into them, their identifiers, names and
   * history, the questions about them, all facts about them and all that name them.
   *
   * It needs the right admin.
   */
  erase(ids: string | string[] | undefined, options: t.EraseOptions = {}): Promise<t.EraseReceipt> {
    return this.call("erase", { ...options, ids: list(ids) });
  }

  /**
   * Exact sums of money by project, type and currency.
   *
   * Adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
   */
  exposure(scope: t.ScopeInput = {}): Promise<t.Exposure> {
    return this.call("financialExposure", scope);
  }

  /**
   * How facts are derived from conversations and notes where a request does not say.
   *
   * Returns how facts are derived in the scope's project, or its tenant, if a request does not say.
   */
  extraction(options: t.ExtractionOptions = {}): Promise<t.ExtractionChoice> {
    return this.call("extraction", options);
  }

  /** The values of a field with how often they occur, the most frequent first: users, sessions, sources, … */
  facets(options: t.FacetsOptions): Promise<t.FacetList> {
    return this.call("facets", options);
  }

  /**
   * Facts of one entity that cannot all hold.
   *
   * Returns active facts and candidates that contradict each other: different values of a single-valued verb, or a
   * value and its denial.
   */
  factConflicts(options: t.ConflictingFactsOptions = {}): Pages<t.FactGroups> {
    return this.paged("conflictingFacts", options);
  }

  /**
   * How many facts there are, by type, state and verification.
   *
   * Counts the facts of the scope.
   */
  factStats(scope: t.ScopeInput = {}): Promise<t.FactStats> {
    return this.call("factStats", scope);
  }

  /**
   * Facts by relevance for a query, or newest first.
   *
   * Finds or lists facts.
   *
   * @param query What the facts should matter for.
   */
  facts(query?: string, options: t.SearchFactsOptions = {}): Promise<t.FactPage> {
    return this.call("searchFacts", { ...options, query });
  }

  /**
   * All facts of an entity, those that hold and those that do no longer, with their quotes.
   *
   * Returns the facts of an entity, or of the one that it was merged into, in a natural order: those that hold and
   * those that no longer do. Of a user with one speaker the facts of both are listed.
   */
  factsOf(id: string, options: t.EntityFactsOptions = {}): Promise<t.LookupResult> {
    return this.call("entityFacts", { ...options, id });
  }

  /**
   * What was learned, replaced, forgotten, or has ended: latest first.
   *
   * Pages through the changes of the scope's memories, latest first: memories that were stored, by the time of
   * storing, and memories that were closed, by the time when trilith learned of it.
   */
  feed(options: t.ChangesOptions = {}): Pages<t.Feed> {
    return this.paged("changes", options);
  }

  /**
   * Take memories out of search; they can be brought back.
   *
   * Removes memories from search. If an id does not exist in the scope, it is NotFound and forgets nothing.
   */
  forget(ids: string | string[] | undefined, options: t.ForgetOptions = {}): Promise<t.ForgetResult> {
    return this.call("forget", { ...options, ids: list(ids) });
  }

  /**
   * One memory.
   *
   * Returns a memory of the scope in any state; NotFound also for one in another scope.
   */
  get(id: string, scope: t.ScopeInput = {}): Promise<t.Memory> {
    return this.call("getMemory", { ...scope, id });
  }

  /** How many memories there are of each day, week or month; periods without any are left out. */
  histogram(options: t.HistogramOptions = {}): Promise<t.Histogram> {
    return this.call("histogram", options);
  }

  /**
   * What holds now and everything that it replaced, newest first.
   *
   * Returns the chain that a memory belongs to.
   */
  history(id: string, scope: t.ScopeInput = {}): Promise<t.History> {
    return this.call("memoryHistory", { ...scope, id });
  }

  /**
   * How an import of files stands.
   *
   * Returns the state of an import of files.
   */
  importRun(id: string, scope: t.ScopeInput = {}): Promise<t.ImportRun> {
    return this.call("getImport", { ...scope, id });
  }

  /**
   * What waits for a person, the most pressing first.
   *
   * Ambiguous names have no scope, so only a caller that sees the whole tenant gets them. A page lists the items of
   * one reason, and those of the next reason only if it is not full.
   */
  inbox(options: t.InboxOptions = {}): Pages<t.ReviewPage> {
    return this.paged("inbox", options);
  }

  /**
   * What an interview knows of its domain and what it does not.
   *
   * domainGaps of the domain that an interview is about, as the interview sees it.
   */
  interviewGaps(id: string, scope: t.ScopeInput = {}): Promise<t.DomainGaps> {
    return this.call("interviewGaps", { ...scope, id });
  }

  /**
   * One job.
   *
   * Returns one background job of the tenant.
   */
  job(id: string): Promise<t.Job> {
    return this.call("getJob", { id });
  }

  /** Background jobs, newest first. */
  jobs(options: t.ListJobsOptions = {}): Pages<t.JobPage> {
    return this.paged("listJobs", options);
  }

  /**
   * List the entries of this very scope that have a key, oldest first.
   *
   * Lists the active entries of exactly this scope with a key prefix, oldest first.
   */
  keyedEntries(options: t.ListKeyedEntriesOptions = {}): Pages<t.Page> {
    return this.paged("listKeyedEntries", options);
  }

  /**
   * What was asked once and what was given for it.
   *
   * Returns one row of the recall log.
   */
  loggedRecall(id: string, scope: t.ScopeInput = {}): Promise<t.ServedRecall> {
    return this.call("getRecall", { ...scope, id });
  }

  /**
   * The facts of one entity: all of them, or those that matter for a query.
   *
   * Returns the facts of the entity that an identifier names: all active ones, or with a query those that match it,
   * best first. Vectors and words only find a fact; the graph decides whether this entity asserts it. A fact that is
   * in the index and not in the store is left out, counted, and removed from the index.
   *
   * @param type email, phone, user_id, name or a word of your own.
   * @param value The identifier.
   */
  lookup(type: string, value: string, options: t.LookupOptions = {}): Promise<t.LookupResult> {
    return this.call("lookup", { ...options, type, value });
  }

  /**
   * The facts of one entity in words.
   *
   * Without a query it is the lines of card, and after them the sentences of the facts that are not on it; with one
   * it is the sentences of the facts that match, best first. Its length is bounded, and it says how many facts it
   * leaves out.
   *
   * @param type email, phone, user_id, name or a word of your own.
   * @param value The identifier.
   */
  lookupSummary(type: string, value: string, options: t.LookupSummaryOptions = {}): Promise<t.SummaryResult> {
    return this.call("lookupSummary", { ...options, type, value });
  }

  /** Your identity, your rights, and what you may see. */
  me(): Promise<t.Me> {
    return this.call("me");
  }

  /**
   * List memories, oldest first: active ones unless states are named.
   *
   * Pages through the memories of the scope by either time, oldest or newest first: active ones unless the request or
   * its filter names states. Archived memories are omitted unless requested.
   */
  memories(options: t.ListMemoriesOptions = {}): Pages<t.Page> {
    return this.paged("listMemories", options);
  }

  /**
   * Make another entity a part of this one, with its facts.
   *
   * Merging twice changes nothing.
   *
   * @param other The entity that becomes part of this one.
   */
  mergeEntities(into: string, other: string, scope: t.ScopeInput = {}): Promise<t.Entity> {
    return this.call("mergeEntities", { ...scope, id: into, from: other });
  }

  /**
   * Facts and entities around an entity.
   *
   * Returns an entity, or the one that it was merged into, with its surroundings: its active facts and those that
   * name it, by ascending id; then the facts up to hops (0 to 2) away from them; and the entities that all of these
   * are about or name. With a limit, or as of a time, it is bounded.
   */
  neighborhood(id: string, options: t.EntityNeighborhoodOptions = {}): Promise<t.Neighborhood> {
    return this.call("entityNeighborhood", { ...options, id });
  }

  /**
   * Remove the last item of a transcript and return it.
   *
   * The turn made of it is forgotten in the same commit, and facts with no other evidence are soon after. NotFound if
   * the transcript is empty.
   */
  popItem(id: string, scope: t.ScopeInput = {}): Promise<t.SessionItem> {
    return this.call("popSessionItem", { ...scope, id });
  }

  /**
   * Extraction profiles: what a model looks for.
   *
   * Returns the extraction profiles by name, and which is the default of the scope's project, or of the tenant.
   */
  profiles(options: t.ListProfilesOptions = {}): Promise<t.Profiles> {
    return this.call("listProfiles", options);
  }

  /**
   * The money of a project by item, counterparty, phase and currency, matched, as of any date.
   *
   * The money of a project as of a time.
   */
  projectLedger(project: string, options: t.ProjectLedgerOptions = {}): Promise<t.ProjectLedger> {
    return this.call("projectLedger", { ...options, project });
  }

  /** What became known and what ended in a project in a period, by topic, with quotes. */
  projectReport(project: string, options: t.ProjectReportOptions = {}): Promise<t.ProjectReport> {
    return this.call("projectReport", { ...options, project });
  }

  /** How amounts, dates and risks of a project have moved, and which moved unlike the others. */
  projectTrends(project: string, options: t.ProjectTrendsOptions = {}): Promise<t.ProjectTrends> {
    return this.call("projectTrends", { ...options, project });
  }

  /**
   * Forget the turns and notes of a scope that matter least.
   *
   * Forgets the least important turns and notes of a scope until the number that the request, or by default the
   * server, allows is left. The importance of one depends on who said it, on how many things it names, and on how
   * recent it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be
   * restored; the audit log has an entry for them.
   */
  prune(options: t.PruneOptions = {}): Promise<t.PruneResult> {
    return this.call("prune", options);
  }

  /**
   * Store an entry under a key, in place of what the key has.
   *
   * Stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the stored
   * value is identical, it is returned unchanged. A new value gets the id of the previous one, whose wording ends now
   * and stays in the history. A key whose entry was forgotten or has expired gets it back with the new value; a key
   * whose entry was erased is refused.
   *
   * Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match version
   * and if_absent.
   *
   * @param content What is known; may be left out where structured data say it.
   */
  putEntry(key: string, content: string, options: t.PutEntryOptions = {}): Promise<t.Memory> {
    return this.call("putEntry", { ...options, key, content });
  }

  /**
   * Find what is known about a question.
   *
   * Searches the memories for a question. The result is logged.
   *
   * @param query The question, in words.
   */
  recall(query: string, options: t.SearchOptions = {}): Promise<t.RecallResult> {
    return this.call("search", { ...options, query });
  }

  /**
   * Ask the same again now, and what is different.
   *
   * Repeats a logged question in its scope, and reports the differences between the answers. It is not logged. For a
   * consultation it searches the facts that were shown.
   */
  recallAgain(id: string, scope: t.ScopeInput = {}): Promise<t.RecallAgain> {
    return this.call("recallAgain", { ...scope, id });
  }

  /**
   * What was asked and what was given for it, newest first.
   *
   * Returns the questions of the scope in the recall log with their results, newest first.
   */
  recalls(options: t.RecallsOptions = {}): Pages<t.RecallsPage> {
    return this.paged("recalls", options);
  }

  /**
   * Derive facts in the background: again from all sources that facts were derived from, or from those that none
   * were.
   *
   * Derives the facts of sources in the scope again, in the background: of sources that facts were derived from, or
   * with missing of conversations and notes without any, in the way that is chosen now. Better rules or another model
   * add to known facts. What rules would no longer find is removed, unless a person has decided about it. A model
   * uses at most the daily budget.
   *
   * It needs the right admin.
   */
  reextract(options: t.ReextractOptions = {}): Promise<t.Reextraction> {
    return this.call("reextract", options);
  }

  /**
   * Make vectors for what has none, facts first.
   *
   * Makes vectors for memories of the scope that have none of the active generation, or one of an earlier wording:
   * facts first, then all others, each by ascending id, at most limit. With cut it also makes those again that stand
   * for the beginning of a text only, the oldest vectors first: for a model that now reads more. A text that the
   * embedder refuses becomes a job, and a text that gets no vector is skipped. Without an embedder it is Unsupported.
   *
   * It needs the right admin.
   */
  regenerateEmbeddings(options: t.RegenerateEmbeddingsOptions = {}): Promise<t.RegenerateResult> {
    return this.call("regenerateEmbeddings", options);
  }

  /**
   * Say how a fact bears on another one of its owner.
   *
   * Relates a fact to another one of its owner, as a person says: the note, or a sentence in its place, is stored
   * first, and the relation rests on it. Relating them again adds a note. A relation that would put a fact before
   * itself is a Conflict.
   *
   * @param type How the first fact bears on the second (depends_on, blocks, causes, part_of, settles, replaces).
   * @param to Id of the second fact.
   */
  relate(
    id: string,
    type: "depends_on" | "blocks" | "causes" | "part_of" | "settles" | "replaces",
    to: string,
    options: t.RelateFactsOptions = {},
  ): Promise<t.Relation> {
    return this.call("relateFacts", { ...options, id, type, to });
  }

  /**
   * What a fact waits for, blocks, causes, belongs to, settles or replaces, and what bears so on it.
   *
   * Returns the relations of a fact, in both directions, up to so many hops away, and the facts that they connect.
   */
  relations(id: string, options: t.FactRelationsOptions = {}): Promise<t.RelationList> {
    return this.call("factRelations", { ...options, id });
  }

  /** Give a dead job all its attempts again. */
  retryJob(id: string): Promise<t.Job> {
    return this.call("retryJob", { id });
  }

  /**
   * Save a search that runs on every change and raises alerts.
   *
   * Conflict: its scope has one of that name.
   *
   * @param name Name; unique in its scope. It cannot be changed.
   */
  saveSearch(name: string, options: t.SaveSearchOptions = {}): Promise<t.SavedSearch> {
    return this.call("saveSearch", { ...options, name });
  }

  /**
   * One saved search.
   *
   * Returns a search that the scope covers.
   */
  savedSearch(id: string, scope: t.ScopeInput = {}): Promise<t.SavedSearch> {
    return this.call("getSearch", { ...scope, id });
  }

  /**
   * Entities by what they are called, with the number of their facts.
   *
   * Searches entities by name. It reads the records of all entities of the tenant, so that it finds any part of a
   * name.
   */
  searchEntities(options: t.SearchEntitiesOptions = {}): Pages<t.EntityList> {
    return this.paged("searchEntities", options);
  }

  /**
   * The saved searches of a scope, by name.
   *
   * Returns the searches that the scope covers, by name.
   */
  searches(scope: t.ScopeInput = {}): Promise<t.Searches> {
    return this.call("listSearches", scope);
  }

  /**
   * What a prompt needs of a session: the newest turns, the newest summary and the relevant past.
   *
   * Returns the working memory of a session: the newest turns that fit the budget, the newest summary, and memories
   * from outside the window that match the question. These come from the user, project and domain of the session,
   * whatever session they were stored in; or from the session itself if it has none of the three. If a search fails,
   * the answer says so and contains the rest.
   */
  sessionContext(id: string, options: t.SessionContextOptions = {}): Promise<t.SessionContext> {
    return this.call("sessionContext", { ...options, id });
  }

  /**
   * A transcript, exactly as it was given.
   *
   * Pages through a transcript, or returns its latest items, in order.
   */
  sessionItems(id: string, options: t.ListSessionItemsOptions = {}): Pages<t.SessionItems> {
    return this.paged("listSessionItems", { ...options, id });
  }

  /**
   * Sessions with their counts, the one with the latest turn first.
   *
   * Pages through the sessions in the scope, the one with the latest turn first; sessions of equal times have a fixed
   * order. A session that gets a turn between two pages may be listed twice, or not at all.
   */
  sessions(options: t.ListSessionsOptions = {}): Pages<t.SessionPage> {
    return this.paged("listSessions", options);
  }

  /**
   * Make a memory visible in a second scope: a reference, not a copy.
   *
   * Makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
   * memory.
   *
   * @param to Where the memory is to be visible too.
   */
  share(id: string, to: t.ScopeInput, scope: t.ScopeInput = {}): Promise<t.Memory> {
    return this.call("shareMemory", { ...scope, id, scope: to });
  }

  /**
   * The entries of a domain that are most like a text or an embedding.
   *
   * Returns the active entries of the scope's domain that are most similar to a text or an embedding.
   *
   * @param text Text to compare the entries with.
   */
  similarEntries(text?: string, options: t.SimilarEntriesOptions = {}): Promise<t.SimilarEntries> {
    return this.call("similarEntries", { ...options, text });
  }

  /**
   * Facts that are similar to one, most similar first.
   *
   * Returns the active facts of the scope that are similar to a fact, without the fact itself, by descending score:
   * the cosine if cosines of the active generation carry a meaning and the fact has been embedded, otherwise the
   * fused score for its text as a question. No stored text is embedded for it.
   */
  similarFacts(id: string, options: t.SimilarFactsOptions = {}): Promise<t.FactPage> {
    return this.call("similarFacts", { ...options, id });
  }

  /** Take a part of an entity out of it, or undo a merge. */
  splitEntity(id: string, options: t.SplitEntityOptions): Promise<t.SplitResult> {
    return this.call("splitEntity", { ...options, id });
  }

  /**
   * Facts of which nothing was heard for long, longest first.
   *
   * Returns the active facts that nothing has confirmed for so many days, the longest unconfirmed first; ties are
   * ordered by id. A fact is confirmed at the event times of the episodes that it rests on, or at its own if none is
   * left, and when a person verified it.
   */
  staleFacts(options: t.StaleFactsOptions = {}): Promise<t.StalePage> {
    return this.call("staleFacts", options);
  }

  /**
   * Begin an interview about a domain, or go on with the one of a session.
   *
   * Begins an interview about the scope's domain and asks the first question, or resumes the interview in the scope's
   * session: it repeats a question that waits for an answer, and processes an answer that nothing follows because the
   * process ended. Without a session it creates one.
   */
  startInterview(scope: t.ScopeInput = {}): Promise<t.Interview> {
    return this.call("startInterview", scope);
  }

  /**
   * How many memories there are, by kind and by state.
   *
   * Counts the memories of the scope.
   */
  stats(scope: t.ScopeInput = {}): Promise<t.Stats> {
    return this.call("stats", scope);
  }

  /**
   * Make a summary of a session, a period or an entity, or of the summaries of a scope by topic.
   *
   * Makes or renews the requested summaries and returns them. A session that exists in several scopes has a summary
   * in each. NotFound if there is nothing to summarise.
   */
  summarize(options: t.SummarizeOptions = {}): Promise<t.SummarizeResult> {
    return this.call("summarize", options);
  }

  /**
   * Correct a fact: by a sentence in any words, or by another fact.
   *
   * The old fact is closed, no earlier than it was last stated, and stays in the history; the new one is verified,
   * because a person vouches for it. Naming the same successor again changes nothing. A fact that never held should
   * be rejected instead.
   */
  supersedeFact(id: string, options: t.SupersedeFactOptions): Promise<t.Supersession> {
    return this.call("supersedeFact", { ...options, id });
  }

  /**
   * Mark what is over as expired; reads know without it.
   *
   * Sets the state of memories whose validity has ended to expired, and replays facts for which a planned time has
   * come. It repairs states and times that a clock that was ahead has left behind. Repeating it changes nothing.
   *
   * It needs the right admin.
   */
  sweep(scope: t.ScopeInput = {}): Promise<t.SweepResult> {
    return this.call("sweepFacts", scope);
  }

  /**
   * Store a fact that you state as data.
   *
   * Stores a fact that a caller states as data. It returns the fact that has the statement as evidence: an equal one
   * if that is known. A candidate waits for a person. The same request again changes nothing while its fact holds.
   */
  tellFact(options: t.TellFactOptions): Promise<t.Memory> {
    return this.call("tellFact", options);
  }

  /**
   * What is to be done in a project and when, what waits for what, and the critical chain.
   *
   * Makes the timeline of a project of the facts that belong to it.
   */
  timeline(project: string, options: t.TimelineOptions = {}): Promise<t.ProjectTimeline> {
    return this.call("timeline", { ...options, project });
  }

  /** The turns of a session in order, with its tokens and its newest summary. */
  turns(id: string, options: t.GetSessionOptions = {}): Pages<t.SessionTurns> {
    return this.paged("getSession", { ...options, id });
  }

  /**
   * Undo a decision, correction, edit, forgetting or merge: all is as before it.
   *
   * Restores the state before a change. It is NotFound for a change of another scope, and Conflict if a later change
   * rests on it, or if it was undone already.
   */
  undo(change: string, scope: t.ScopeInput = {}): Promise<t.Undone> {
    return this.call("undo", { ...scope, id: change });
  }

  /**
   * Amounts of money that nobody has verified, largest first.
   *
   * Returns unverified facts with at least an amount, active ones and candidates: the largest first, ties by id.
   * Amounts are compared exactly, as numbers, regardless of their currency.
   */
  unverifiedFinancial(options: t.UnverifiedFinancialFactsOptions = {}): Promise<t.Page> {
    return this.call("unverifiedFinancialFacts", options);
  }

  /**
   * Change a memory; absent members stay as they are.
   *
   * A new text passes the gate like that of a new memory; the old wording stays in the history under a new id. An
   * edit is a correction, so the new wording holds from the old one's event time on; a change in the world is a new
   * memory with supersedes.
   */
  update(id: string, options: t.UpdateMemoryOptions): Promise<t.Memory> {
    return this.call("updateMemory", { ...options, id });
  }

  /**
   * Change what an entity is called and known by; absent members stay as they are.
   *
   * Changes the names, identifiers and attributes of an entity. An identifier that belongs to another entity is a
   * Conflict, and so is changing an entity that was merged into another.
   */
  updateEntity(id: string, options: t.UpdateEntityOptions): Promise<t.Entity> {
    return this.call("updateEntity", { ...options, id });
  }

  /**
   * What was used of providers, and what the budget leaves for today.
   *
   * Reports the tenant's usage of providers in the last days, today included: 1 to 366, 30 if absent.
   *
   * @param days How many days, today included; 30 if left out.
   */
  usage(days?: number): Promise<t.UsageReport> {
    return this.call("usage", { days });
  }

  /**
   * Choose how facts are derived where a request does not say.
   *
   * Sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty removes the
   * choice.
   *
   * It needs the right admin.
   *
   * @param extract auto: by rules, and by a model if one is configured; empty takes the choice back (none, rules,
   * llm, auto).
   */
  useExtraction(
    extract: "none" | "rules" | "llm" | "auto",
    options: t.UseExtractionOptions = {},
  ): Promise<t.ExtractionChoice> {
    return this.call("useExtraction", { ...options, extract });
  }

  /**
   * Choose what a model looks for where a request names no profile.
   *
   * Makes a profile the default of the scope's project, or of the tenant if the scope names none: for everything, or
   * for a role, a phase or both. One for a project's phases creates the project's entity, which holds the phase.
   *
   * It needs the right admin.
   *
   * @param name Name of the profile; empty takes the choice for a role or a phase back.
   */
  useProfile(name: string, options: t.UseProfileOptions = {}): Promise<t.Profiles> {
    return this.call("useProfile", { ...options, name });
  }

  /**
   * Record a person's decision about a fact.
   *
   * It is NotFound for a memory of another scope and Invalid for a memory that is not a fact.
   *
   * @param decision What is to be made of the fact (verify, reject, ended, done, not_about_me, dismiss, needs_review,
   * dispute, pending_approval).
   */
  verifyFact(
    id: string,
    decision: "verify" | "reject" | "ended" | "done" | "not_about_me" | "dismiss" | "needs_review" | "dispute" | "pending_approval",
    options: t.VerifyFactOptions = {},
  ): Promise<t.Memory> {
    return this.call("verifyFact", { ...options, id, decision });
  }
}
