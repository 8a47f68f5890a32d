// Generated from the description of the API by: go test ./sdk -update
import type * as t from "./types.js";

/**
 * How an operation is called: which arguments are in the address, which names of the scope are in the body (null: it has
 * none), and how it is repeated safely: as it is, with a key in the header or in the body, or not at all.
 */
export type Operation = readonly [method: string, path: string, query: readonly string[],
  body: readonly string[] | null, repeat: "safe" | "header" | "body" | ""];

export const scopeNames = ["project", "domain", "user", "agent", "session", "channel", "time_zone"] as const;

/** What each operation answers. */
export interface Answers {
  acknowledgeAlerts: t.Acknowledged;
  actionableFacts: t.Page;
  addEntry: t.Memory;
  answerInterview: t.Interview;
  appendSessionItems: t.SessionItems;
  archiveFacts: t.ArchiveResult;
  assimilate: t.AssimilateResult;
  audit: t.AuditPage;
  autoVerifyFacts: t.AutoVerifyResult;
  backup: t.BackupResult;
  batch: t.BatchResults;
  card: t.Card;
  changeSearch: t.SavedSearch;
  changes: t.Feed;
  clearSessionItems: t.ClearedItems;
  conflictingFacts: t.FactGroups;
  consult: t.ConsultResult;
  context: t.ContextBlock;
  createKey: t.NewKey;
  decide: t.DecisionReport;
  deleteKeyedEntry: t.Deletion;
  deleteMemory: t.Deletion;
  deleteRecalls: t.ForgottenRecalls;
  deleteSearch: t.SavedSearch;
  doctor: t.DoctorReport;
  domainGaps: t.DomainGaps;
  duplicateFacts: t.FactGroups;
  entityFacts: t.LookupResult;
  entityHistory: t.EntityHistory;
  entityNeighborhood: t.Neighborhood;
  erase: t.EraseReceipt;
  extraction: t.ExtractionChoice;
  facets: t.FacetList;
  factRelations: t.RelationList;
  factStats: t.FactStats;
  financialExposure: t.Exposure;
  forget: t.ForgetResult;
  generations: t.GenerationList;
  getEntity: t.Entity;
  getEntry: t.Memory;
  getImport: t.ImportRun;
  getJob: t.Job;
  getKeyedEntry: t.Memory;
  getLanguages: t.LanguageChoice;
  getMemory: t.Memory;
  getRecall: t.ServedRecall;
  getSearch: t.SavedSearch;
  getSession: t.SessionTurns;
  histogram: t.Histogram;
  imports: t.ImportRuns;
  inbox: t.ReviewPage;
  interviewGaps: t.DomainGaps;
  listAlerts: t.AlertPage;
  listDomains: t.Domains;
  listEntities: t.EntityPage;
  listJobs: t.JobPage;
  listKeyedEntries: t.Page;
  listKeys: t.KeyPage;
  listMemories: t.Page;
  listProfiles: t.Profiles;
  listSearches: t.Searches;
  listSessionItems: t.SessionItems;
  listSessions: t.SessionPage;
  lookup: t.LookupResult;
  lookupSummary: t.SummaryResult;
  me: t.Me;
  media: t.MediaPage;
  memoryHistory: t.History;
  mergeEntities: t.Entity;
  popSessionItem: t.SessionItem;
  projectLedger: t.ProjectLedger;
  projectReport: t.ProjectReport;
  projectTrends: t.ProjectTrends;
  prune: t.PruneResult;
  putEntry: t.Memory;
  recallAgain: t.RecallAgain;
  recalls: t.RecallsPage;
  reextract: t.Reextraction;
  regenerateEmbeddings: t.RegenerateResult;
  reindex: t.ReindexResult;
  relateFacts: t.Relation;
  remember: t.RememberResult;
  repair: t.DoctorReport;
  retryJob: t.Job;
  revokeKey: t.APIKey;
  saveSearch: t.SavedSearch;
  search: t.RecallResult;
  searchEntities: t.EntityList;
  searchFacts: t.FactPage;
  sessionContext: t.SessionContext;
  shareMemory: t.Memory;
  signIn: t.SignedIn;
  signOut: t.SignedOut;
  similarEntries: t.SimilarEntries;
  similarFacts: t.FactPage;
  splitEntity: t.SplitResult;
  staleFacts: t.StalePage;
  startInterview: t.Interview;
  stats: t.Stats;
  summarize: t.SummarizeResult;
  supersedeFact: t.Supersession;
  sweepFacts: t.SweepResult;
  tellFact: t.Memory;
  timeline: t.ProjectTimeline;
  tools: t.ToolList;
  undo: t.Undone;
  undoImport: t.ImportRun;
  unrelateFacts: t.Unrelated;
  unverifiedFinancialFacts: t.Page;
  updateEntity: t.Entity;
  updateMemory: t.Memory;
  usage: t.UsageReport;
  useExtraction: t.ExtractionChoice;
  useLanguages: t.LanguageChoice;
  useProfile: t.Profiles;
  verifyFact: t.Memory;
}

export const operations: Record<keyof Answers, Operation> = {
  acknowledgeAlerts: ["POST", "/alerts/acknowledge", [], [...scopeNames], "safe"],
  actionableFacts: ["GET", "/facts?view=actionable", [...scopeNames, "limit", "days"], null, "safe"],
  addEntry: ["POST", "/entries", [], [...scopeNames], "header"],
  answerInterview: ["POST", "/interviews/{id}/answers", [], [...scopeNames], "header"],
  appendSessionItems: ["POST", "/sessions/{id}/items", [...scopeNames], [], "header"],
  archiveFacts: ["POST", "/admin/jobs?do=archive", [...scopeNames, "days", "dry_run"], null, "safe"],
  assimilate: ["POST", "/graph/assimilate", [], [...scopeNames], "header"],
  audit: ["GET", "/admin?view=audit", ["from", "to", "limit", "cursor", "newest", "actions", "actor", "target"], null, "safe"],
  autoVerifyFacts: ["POST", "/review?do=auto-verify", [], [...scopeNames], ""],
  backup: ["POST", "/admin/jobs?do=backup", [], [], ""],
  batch: ["POST", "/batch", [], [...scopeNames], ""],
  card: ["GET", "/graph/entities/lookup?view=card", [...scopeNames, "type", "value", "as_of", "known_at"], null, "safe"],
  changeSearch: ["PUT", "/searches/{id}", [...scopeNames], [], ""],
  changes: ["GET", "/changes", [...scopeNames, "from", "to", "limit", "cursor", "kinds", "filter"], null, "safe"],
  clearSessionItems: ["DELETE", "/sessions/{id}/items", [...scopeNames], null, "safe"],
  conflictingFacts: ["GET", "/facts?view=conflicts", [...scopeNames, "limit", "cursor"], null, "safe"],
  consult: ["POST", "/agent/consult", [], [...scopeNames], "header"],
  context: ["POST", "/context", [], [...scopeNames], "safe"],
  createKey: ["POST", "/admin/keys", [], [], ""],
  decide: ["POST", "/review?do=decide", [], [...scopeNames], "body"],
  deleteKeyedEntry: ["DELETE", "/memories/by-key/{key}", [...scopeNames, "erase"], null, ""],
  deleteMemory: ["DELETE", "/memories/{id}", [...scopeNames, "erase"], null, ""],
  deleteRecalls: ["DELETE", "/recalls", [...scopeNames], null, ""],
  deleteSearch: ["DELETE", "/searches/{id}", [...scopeNames], null, ""],
  doctor: ["GET", "/admin?view=doctor", [], null, "safe"],
  domainGaps: ["GET", "/domains/{domain}/gaps", ["project", "user"], null, "safe"],
  duplicateFacts: ["GET", "/facts?view=duplicates", [...scopeNames, "threshold", "limit", "cursor"], null, "safe"],
  entityFacts: ["GET", "/graph/entities/{id}?view=facts", [...scopeNames, "states", "as_of", "known_at"], null, "safe"],
  entityHistory: ["GET", "/graph/entities/{id}?view=history", [...scopeNames, "limit", "cursor"], null, "safe"],
  entityNeighborhood: ["GET", "/graph/entities/{id}?view=neighborhood", [...scopeNames, "hops", "limit", "as_of"], null, "safe"],
  erase: ["POST", "/admin/erase", [], [...scopeNames], ""],
  extraction: ["GET", "/settings?of=extraction", ["project"], null, "safe"],
  facets: ["GET", "/stats?view=facets", [...scopeNames, "kinds", "states", "filter", "field", "prefix", "limit"], null, "safe"],
  factRelations: ["GET", "/facts/{id}?view=relations", [...scopeNames, "hops", "as_of"], null, "safe"],
  factStats: ["GET", "/facts?view=stats", [...scopeNames], null, "safe"],
  financialExposure: ["GET", "/facts?view=exposure", [...scopeNames], null, "safe"],
  forget: ["POST", "/forget", [], [...scopeNames], "body"],
  generations: ["GET", "/admin?view=vectors", [], null, "safe"],
  getEntity: ["GET", "/graph/entities/{id}", [...scopeNames], null, "safe"],
  getEntry: ["GET", "/entries/{id}", [...scopeNames], null, "safe"],
  getImport: ["GET", "/imports/{id}", [...scopeNames], null, "safe"],
  getJob: ["GET", "/jobs/{id}", [], null, "safe"],
  getKeyedEntry: ["GET", "/memories/by-key/{key}", [...scopeNames], null, "safe"],
  getLanguages: ["GET", "/settings?of=languages", [], null, "safe"],
  getMemory: ["GET", "/memories/{id}", [...scopeNames], null, "safe"],
  getRecall: ["GET", "/recalls/{id}", [...scopeNames], null, "safe"],
  getSearch: ["GET", "/searches/{id}", [...scopeNames], null, "safe"],
  getSession: ["GET", "/sessions/{id}", [...scopeNames, "limit", "cursor"], null, "safe"],
  histogram: ["GET", "/stats?view=histogram", [...scopeNames, "kinds", "states", "filter", "by", "time", "split"], null, "safe"],
  imports: ["GET", "/imports", [...scopeNames], null, "safe"],
  inbox: ["GET", "/review", [...scopeNames, "reasons", "limit", "cursor"], null, "safe"],
  interviewGaps: ["GET", "/interviews/{id}/gaps", [...scopeNames], null, "safe"],
  listAlerts: ["GET", "/alerts", [...scopeNames, "search", "after", "open", "limit"], null, "safe"],
  listDomains: ["GET", "/domains", [], null, "safe"],
  listEntities: ["GET", "/graph/entities", [...scopeNames, "limit", "cursor"], null, "safe"],
  listJobs: ["GET", "/jobs", ["state", "kind", "limit", "cursor", "counts"], null, "safe"],
  listKeyedEntries: ["GET", "/memories?view=keyed", [...scopeNames, "prefix", "limit", "cursor"], null, "safe"],
  listKeys: ["GET", "/admin/keys", [], null, "safe"],
  listMemories: ["GET", "/memories", [...scopeNames, "filter", "limit", "cursor", "newest", "states", "archived", "sort", "brief"], null, "safe"],
  listProfiles: ["GET", "/settings?of=profiles", ["project"], null, "safe"],
  listSearches: ["GET", "/searches", [...scopeNames], null, "safe"],
  listSessionItems: ["GET", "/sessions/{id}?view=items", [...scopeNames, "limit", "cursor", "latest"], null, "safe"],
  listSessions: ["GET", "/sessions", [...scopeNames, "limit", "cursor"], null, "safe"],
  lookup: ["GET", "/graph/entities/lookup", [...scopeNames, "type", "value", "as_of", "known_at", "rag_query", "rag_top_k", "rag_min_score", "rag_expand_hops", "rag_debug", "states"], null, "safe"],
  lookupSummary: ["GET", "/graph/entities/lookup?view=summary", [...scopeNames, "type", "value", "as_of", "known_at", "rag_query", "rag_top_k", "rag_min_score", "rag_expand_hops", "rag_debug", "states"], null, "safe"],
  me: ["GET", "/me", [], null, "safe"],
  media: ["GET", "/media", [...scopeNames, "unread", "limit", "cursor"], null, "safe"],
  memoryHistory: ["GET", "/memories/{id}?view=history", [...scopeNames], null, "safe"],
  mergeEntities: ["POST", "/graph/entities/{id}/merge", [...scopeNames], [], "safe"],
  popSessionItem: ["DELETE", "/sessions/{id}/items?which=last", [...scopeNames], null, ""],
  projectLedger: ["GET", "/projects/{project}?view=ledger", ["domain", "user", "agent", "session", "channel", "time_zone", "as_of", "tolerance", "rate", "format"], null, "safe"],
  projectReport: ["GET", "/projects/{project}?view=report", ["domain", "user", "agent", "session", "channel", "time_zone", "from", "to", "plain", "format"], null, "safe"],
  projectTrends: ["GET", "/projects/{project}?view=trends", ["domain", "user", "agent", "session", "channel", "time_zone", "as_of"], null, "safe"],
  prune: ["POST", "/memories/prune", [], [...scopeNames], ""],
  putEntry: ["PUT", "/memories/by-key/{key}", [], [...scopeNames], "safe"],
  recallAgain: ["GET", "/recalls/{id}?view=again", [...scopeNames], null, "safe"],
  recalls: ["GET", "/recalls", [...scopeNames, "via", "empty", "limit", "cursor"], null, "safe"],
  reextract: ["POST", "/admin/jobs?do=reextract", [...scopeNames, "missing"], null, "safe"],
  regenerateEmbeddings: ["POST", "/admin/jobs?do=embed", [...scopeNames, "limit", "cut"], null, "safe"],
  reindex: ["POST", "/admin/jobs?do=reindex", [], [], ""],
  relateFacts: ["POST", "/facts/{id}/relations", [...scopeNames], [], "header"],
  remember: ["POST", "/memories", [], [...scopeNames], "header"],
  repair: ["POST", "/admin/jobs?do=repair", [], null, ""],
  retryJob: ["POST", "/jobs/{id}/retry", [], null, ""],
  revokeKey: ["DELETE", "/admin/keys/{id}", [], null, ""],
  saveSearch: ["POST", "/searches", [], [...scopeNames], ""],
  search: ["POST", "/search", [], [...scopeNames], "safe"],
  searchEntities: ["GET", "/graph/entities?view=search", [...scopeNames, "limit", "cursor", "q", "type", "sort"], null, "safe"],
  searchFacts: ["POST", "/facts/search", [], [...scopeNames], "safe"],
  sessionContext: ["POST", "/sessions/{id}/context", [...scopeNames], [], "safe"],
  shareMemory: ["POST", "/memories/{id}/share", [...scopeNames], [], "safe"],
  signIn: ["POST", "/session", [], [], ""],
  signOut: ["DELETE", "/session", [], null, ""],
  similarEntries: ["POST", "/entries/similar", [], [...scopeNames], "safe"],
  similarFacts: ["GET", "/facts/{id}?view=similar", [...scopeNames, "min_score", "limit"], null, "safe"],
  splitEntity: ["POST", "/graph/entities/{id}/split", [...scopeNames], [], ""],
  staleFacts: ["GET", "/facts?view=stale", [...scopeNames, "days", "limit"], null, "safe"],
  startInterview: ["POST", "/interviews", [], [...scopeNames], ""],
  stats: ["GET", "/stats", [...scopeNames], null, "safe"],
  summarize: ["POST", "/summaries", [], [...scopeNames], "safe"],
  supersedeFact: ["POST", "/facts/{id}?do=supersede", [...scopeNames], [], "body"],
  sweepFacts: ["POST", "/admin/jobs?do=sweep", [...scopeNames], null, "safe"],
  tellFact: ["POST", "/facts", [], [...scopeNames], "safe"],
  timeline: ["GET", "/projects/{project}?view=timeline", ["domain", "user", "agent", "session", "channel", "time_zone", "as_of", "format"], null, "safe"],
  tools: ["GET", "/tools", ["format", "tools"], null, "safe"],
  undo: ["POST", "/changes/{id}/undo", [...scopeNames], null, ""],
  undoImport: ["DELETE", "/imports/{id}", [...scopeNames, "dry_run"], null, ""],
  unrelateFacts: ["DELETE", "/facts/{id}/relations/{relation}", [...scopeNames], null, ""],
  unverifiedFinancialFacts: ["GET", "/facts?view=unverified", [...scopeNames, "min_amount", "limit"], null, "safe"],
  updateEntity: ["PATCH", "/graph/entities/{id}", [...scopeNames], [], ""],
  updateMemory: ["PATCH", "/memories/{id}", [...scopeNames], [], "body"],
  usage: ["GET", "/stats?view=usage", ["days"], null, "safe"],
  useExtraction: ["PUT", "/settings?of=extraction", [], ["project"], "safe"],
  useLanguages: ["PUT", "/settings?of=languages", [], [], "safe"],
  useProfile: ["PUT", "/settings?of=profile", [], ["project"], "safe"],
  verifyFact: ["POST", "/facts/{id}?do=verify", [...scopeNames], [], "body"],
};
