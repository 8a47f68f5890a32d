// Generated from the description of the API by: go test ./sdk -update
// What the API takes and gives. Times in answers are texts in RFC 3339: new Date(text) reads them.

export interface APIKey {
  access: "reader" | "writer" | "admin" | (string & {});
  created_at: string;
  id: string;
  name: string;
  tenant: string;
  expires_at?: string;
  revoked_at?: string;
  scope?: Scope;
  system?: string;
}

export interface Acknowledged {
  acknowledged: number;
}

export interface Alert {
  at: string;
  id: string;
  kind: "match" | "changed" | "amount" | "deadline" | "contradiction" | "lag" | (string & {});
  /** Of the search */
  scope: Scope;
  search_id: string;
  /** Place among the alerts of the tenant; ascends without gaps when they are raised */
  seq: number;
  acknowledged_at?: string;
  acknowledged_by?: string;
  /** Of a change: the memory that it took the place of */
  before_id?: string;
  /** Of a lag: how many changes wait */
  behind?: number;
  /** When its webhook took it */
  delivered_at?: string;
  /** Of a deadline */
  due?: string;
  memory_id?: string;
  /** Of the memory, at the time */
  state?: "candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {});
  /** Of the memory, at the time */
  version?: number;
}

export interface AlertPage {
  items: Alert[];
  /** What to give as after to go on: what is raised later lies behind it */
  next: number;
  /** There are more now */
  more?: boolean;
}

export interface ArchiveResult {
  archived: number;
  dry_run?: boolean;
}

export interface ArmReport {
  arm: "lexical" | "exact" | "dense" | "fact" | (string & {});
  candidates: number;
  error?: string;
}

export interface AssimilateResult {
  assimilated_facts: Memory[];
  entity: Entity;
  job_id?: string;
  masked?: number;
  masked_in?: string[];
  /** Why a model has added nothing yet to the facts that rules found; job_id is its job */
  model_error?: string;
  pending?: boolean;
  source_id?: string;
  usage?: Usage;
}

export interface AuditEntry {
  action: string;
  actor: string;
  at: string;
  hash: string;
  prev_hash: string;
  seq: number;
  detail?: Record<string, string>;
  target?: string;
}

export interface AuditPage {
  items: AuditEntry[];
  next_cursor?: string;
}

export interface AutoVerifyResult {
  left: number;
  pending: number;
  policy: string;
  verified: string[];
  dry_run?: boolean;
}

export interface BackupResult {
  path: string;
}

export interface BatchResults {
  results: OperationResult[];
}

export interface BudgetState {
  limit: string;
  most: number;
  used: number;
}

export interface Build {
  done: number;
  started_at: string;
  total: number;
  error?: string;
}

export interface Card {
  entity: Entity;
  /** How many facts belong into the card */
  facts: number;
  /** How many of them it has no room for */
  left: number;
  /** One line a slot; empty if nothing is known that belongs into a card */
  text: string;
  tokens: number;
}

export interface Check {
  detail: string;
  name: string;
  ok: boolean;
  fix?: string;
}

export interface ClearedItems {
  removed: number;
}

export interface ConsultResult {
  actions: Memory[];
  answer: string;
  session: string;
  stored: boolean;
  used: ConsultUsed;
  cut_off?: boolean;
  memory_missing?: string;
  not_stored?: string;
  rejected?: Rejection[];
  replayed?: boolean;
  turns?: string[];
}

export interface ConsultUsed {
  actions: string[];
  facts: string[];
  memory_ms: number;
  past: string[];
  tokens: number;
  turns: string[];
  recall_id?: string;
  summary?: string;
  usage?: Usage;
}

export interface ContextBlock {
  format: "briefing" | "facts" | "knowledge" | "window" | "json" | (string & {});
  hits: Hit[];
  left: number;
  text: string;
  tokens: number;
  abstained?: boolean;
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  left_out?: ContextLeft[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
  parts?: ContextPart[];
  recall_id?: string;
  records?: ContextRecord[];
  scale?: string;
}

export interface ContextLeft {
  id: string;
  /** room: it did not fit; repeated: its speaker says the same words there already */
  reason: string;
  score: number;
  /** That its line would take, cut as the layout cuts long texts */
  tokens: number;
  weak?: boolean;
}

export interface ContextPart {
  /** Where it ends, exclusive */
  end: number;
  /** Where it begins, in bytes of the text as UTF-8 */
  start: number;
  /** Counted by itself: at the borders of parts a vocabulary may join what is counted apart */
  tokens: number;
  /** frame, hit, fact, neighbor, later or action */
  why: "frame" | "hit" | "fact" | "neighbor" | "action" | (string & {});
  /** Only a part of its words is there */
  cut?: boolean;
  /** The hit that it is or that brought it */
  hit?: string;
  /** The memory that is there; absent for a frame */
  id?: string;
}

export interface ContextRecord {
  id: string;
  line: number;
  cut?: boolean;
}

export interface ContextRequest {
  /** The question, in words */
  query: string;
  /** Arms to use; all if empty */
  arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** Answer as it was in the world at this time */
  as_of?: string;
  /** Tokens at most: 1 to 200000, 1500 if absent */
  budget?: number;
  /** Leave out what was said in this session */
  exclude_session?: string;
  /** Say how each hit was found, and of every other candidate why it is none */
  explain?: boolean;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** briefing if empty; facts and knowledge look at facts and at entries alone */
  format?: "briefing" | "facts" | "knowledge" | "window" | "json" | (string & {});
  /** In the format briefing, begin what is said of each memory with the end of its id; the member records tells which line is which memory anyway */
  ids?: boolean;
  /** Also show turns that only ask; if absent only where nothing else is found */
  include_questions?: boolean;
  /** How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold */
  k?: number;
  /** Answer as it was known at this time: nothing that was stored or found out later */
  known_at?: string;
  /** Leave out hits below, and weak ones; 0 to 1 */
  min_score?: number;
  /** Turns to add before and after each hit: 0 to 10 */
  neighbors?: number;
  /** Order of the hits: score if absent, or newest first */
  order?: "score" | "newest" | (string & {});
  /** Say of every part of the text how many tokens it takes and which hit it comes from, and which hits were left out; the text is the same */
  parts?: boolean;
  /** What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which */
  scale?: "fused" | "cosine" | (string & {});
  /** States to search; active if empty */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
  /** Leave out weak hits: those that fill up the places where less than k was found */
  strong_only?: boolean;
  /** Ids of memories: say of each what every arm gave it and why it is no hit */
  trace?: string[];
}

export interface DecisionOutcome {
  id: string;
  error?: ItemError;
  state?: "candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {});
  verification_status?: "pending_approval" | "verified" | "rejected" | "needs_review" | "disputed" | (string & {});
}

export interface DecisionReport {
  failed: number;
  items: DecisionOutcome[];
  change?: string;
  dry_run?: boolean;
  masked?: number;
  masked_in?: string[];
}

export interface Deletion {
  ids: string[];
  /** Undoes it, if it is not an erasure */
  change?: string;
  /** Proof of an erasure */
  receipt?: EraseReceipt;
}

export interface DoctorReport {
  checks: Check[];
  ok: boolean;
  generations?: GenerationCount[];
  repaired?: string[];
}

export interface Domain {
  fields: DomainField[];
  id: string;
  language: string;
  persona: Persona;
  title: string;
  description?: string;
}

export interface DomainField {
  id: string;
  label: string;
  question: string;
  type: string;
  aliases?: string[];
  category?: string;
  choices?: string[];
  follow_ups?: DomainField[];
  order?: number;
  required?: boolean;
  when?: string[];
}

export interface DomainGap {
  field: string;
  label: string;
  question: string;
  required: boolean;
  type: string;
  choices?: string[];
  skipped?: boolean;
}

export interface DomainGaps {
  domain: string;
  items: DomainGap[];
  known: KnownField[];
  missing: number;
  title: string;
}

export interface Domains {
  items: Domain[];
}

export interface Drop {
  id: string;
  reason: string;
  score: number;
}

export interface Embedded {
  generated_at: string;
  generation: string;
  model: string;
  cut?: boolean;
}

export interface Entity {
  created_at: string;
  id: string;
  identifiers: Identifier[];
  name: string;
  type: string;
  version: number;
  aliases?: string[];
  attributes?: Record<string, unknown>;
  change?: string;
  changes?: number;
  masked?: number;
  masked_in?: string[];
  merged?: string[];
  merged_into?: string;
  owner?: string;
}

export interface EntityChange {
  action: "created" | "updated" | "merged" | "merged_in" | "split" | "split_out" | (string & {});
  at: string;
  entity_id: string;
  seq: number;
  added?: EntityParts;
  by?: string;
  other?: string;
  removed?: EntityParts;
}

export interface EntityHistory {
  items: EntityChange[];
  next_cursor?: string;
}

export interface EntityList {
  items: FoundEntity[];
  next_cursor?: string;
}

export interface EntityPage {
  items: Entity[];
  next_cursor?: string;
}

export interface EntityParts {
  aliases?: string[];
  attributes?: Record<string, unknown>;
  identifiers?: Identifier[];
  name?: string;
  type?: string;
}

export interface Entry {
  /** Category inside the domain */
  category?: string;
  /** 0 to 1; 0 means not stated */
  confidence?: number;
  /** What is known; may be left out where structured data say it */
  content?: string;
  /** Structured data; its values are searchable text */
  structured?: Record<string, unknown>;
  /** Title */
  title?: string;
}

export interface EntryHit {
  memory: Memory;
  score: number;
}

export interface EraseReceipt {
  at: string;
  id: string;
  memories: number;
  sources: number;
  texts: number;
  tombstones: number;
  vectors: number;
  dry_run?: boolean;
  entities?: number;
  facts?: number;
  masked?: number;
  masked_in?: string[];
  media?: number;
  objects?: number;
  reason?: string;
  recalls?: number;
  searches?: number;
  shares?: number;
  transcripts?: number;
}

export interface Event {
  /** open, change, alert, jobs or lag */
  kind: "open" | "change" | "alert" | "jobs" | "lag" | (string & {});
  /** Of an alert: up to a thousand of them; GET /alerts has them all */
  alerts?: Alert[];
  /** Anything may have changed: reload everything that you show */
  all?: boolean;
  /** Of a change: how many memories */
  count?: number;
  /** Where to continue after a break; also the id of the event */
  cursor?: string;
  /** Of a change: the first hundred of them */
  ids?: string[];
  jobs?: JobCounts;
  lag?: Lag;
}

export interface Evidence {
  end: number;
  episode_id: string;
  quote: string;
  start: number;
  at?: string;
  certainty?: "stated" | "planned" | "reported" | "hedged" | (string & {});
  confidence?: number;
  ends?: boolean;
  entity_id?: string;
  heir?: string;
  other?: boolean;
  premises?: Premise[];
  proposed?: boolean;
  rule?: string;
  said_at?: string;
  says?: string;
  source_id?: string;
  trust?: "user_confirmed" | "user_stated" | "imported" | "assistant_said" | "tool_output" | (string & {});
  until?: string;
  withdrawn?: boolean;
}

export interface ExampleFact {
  about: string;
  quote: string;
  sentence: string;
  topic: string;
  value: string;
  amount?: string;
  confidence?: string;
  fields?: Record<string, string>;
  time_words?: string;
  whose_words?: string;
}

export interface ExampleTurn {
  role: "user" | "assistant" | "system" | "tool" | (string & {});
  text: string;
  speaker?: string;
}

export interface Explain {
  arms: ArmReport[];
  filter: Record<string, unknown>;
  fired: string;
  pulled: string;
  terms: string[];
  timings_ms: Record<string, number>;
  generation?: string;
  usage?: Usage;
}

export interface Exposure {
  items: ExposureSum[];
}

export interface ExposureSum {
  amount: string;
  facts: number;
  currency?: string;
  project?: string;
  type?: string;
}

export interface ExtractionChoice {
  extract: string;
  project?: string;
}

export interface ExtractionReport {
  calls: number;
  facts: number;
  model: string;
  profile: string;
  usage: Usage;
  read_by?: string;
  refused?: Record<string, number>;
  unread?: string[];
}

export interface Facet {
  count: number;
  last: string;
  value: string;
}

export interface FacetList {
  items: Facet[];
  more?: boolean;
}

export interface Fact {
  author_role: "user" | "assistant" | "system" | "tool" | (string & {});
  certainty: "stated" | "planned" | "reported" | "hedged" | (string & {});
  confidence: number;
  entity_id: string;
  evidence: Evidence[];
  fact: Node;
  fact_id: string;
  fact_type: "task" | "decision" | "milestone" | "financial" | "schedule" | "material" | "risk" | "constraint" | "data_point" | "preference" | "profile" | "relationship" | "plan" | "event" | "relation" | "other" | (string & {});
  polarity: "affirmed" | "negated" | (string & {});
  priority: "critical" | "high" | "normal" | "low" | (string & {});
  relationship_key: string;
  verb: string;
  verification: Verification;
  action_deadline?: string;
  content?: Record<string, unknown>;
  financial?: Financial;
  guest?: boolean;
  legacy_id?: number;
  owner?: string;
  requires_action?: boolean;
  rule?: string;
  single_valued?: boolean;
}

export interface FactGroup {
  entity_id: string;
  facts: Memory[];
  score?: number;
  truncated?: boolean;
  verb?: string;
}

export interface FactGroups {
  items: FactGroup[];
  cut?: string[];
  next_cursor?: string;
  scale?: string;
}

export interface FactHit {
  memory: Memory;
  relevance: number;
  score: number;
  explain?: RelevanceParts;
  weak?: boolean;
}

export interface FactPage {
  items: FactHit[];
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
  scale?: string;
  truncated?: boolean;
}

export interface FactStats {
  fact_types: Record<string, number>;
  states: Record<string, number>;
  total: number;
  verification_status: Record<string, number>;
}

export interface Features {
  model: boolean;
  recall_log: boolean;
  reranker: boolean;
  vectors: boolean;
}

export interface Feed {
  items: FeedItem[];
  next_cursor?: string;
}

export interface FeedItem {
  at: string;
  kind: "learned" | "replaced" | "ended" | "forgotten" | "planned" | (string & {});
  after?: Memory;
  before?: Memory;
}

export interface Financial {
  amount: string;
  category?: string;
  check?: string;
  currency?: string;
  quantity?: string;
  rate?: string;
  type?: string;
  unit?: string;
}

export interface ForgetResult {
  ids: string[];
  change?: string;
  dry_run?: boolean;
}

export interface ForgottenRecalls {
  deleted: number;
}

export interface FoundEntity {
  entity: Entity;
  facts: number;
  past: number;
  last_heard?: string;
}

export interface Generation {
  dims: number;
  model: string;
  provider: string;
  recipe: number;
  threshold: boolean;
  address?: string;
  variant?: string;
}

export interface GenerationCount {
  cut: number;
  generation: Generation;
  key: string;
  missing: number;
  refused: number;
  state: "active" | "building" | "previous" | (string & {});
  vectors: number;
  build?: Build;
  embedder?: string;
}

export interface GenerationList {
  items: GenerationStatus[];
}

export interface GenerationStatus {
  generation: Generation;
  key: string;
  state: "active" | "building" | "previous" | (string & {});
  build?: Build;
  embedder?: string;
}

export interface Histogram {
  items: HistogramStep[];
}

export interface HistogramStep {
  counts: Record<string, number>;
  from: string;
}

export interface History {
  versions: Memory[];
  truncated?: boolean;
}

export interface Hit {
  memory: Memory;
  score: number;
  duplicates?: number;
  facts?: Memory[];
  later?: LaterTurn;
  neighbors?: Memory[];
  parts?: Record<string, Part>;
  relevance?: number;
  similarity?: number;
  weak?: boolean;
}

export interface Identifier {
  /** email, phone, user_id, name or a word of your own */
  type: string;
  /** The identifier */
  value: string;
  /** Within whom a name means somebody: user:…, project:… or session:…; in answers only */
  owner?: string;
}

export interface ImportFault {
  file: string;
  reason: string;
  /** From 1; absent where all of the file is meant */
  line?: number;
}

export interface ImportFound {
  conversations: number;
  documents: number;
  messages: number;
  notes: number;
}

export interface ImportRun {
  /** Of the files */
  bytes: number;
  bytes_read: number;
  files: ImportedFile[];
  found: ImportFound;
  id: string;
  /** What could not be read or taken; the first hundred */
  rejected: ImportFault[];
  rejected_count: number;
  scope: Scope;
  /** There already, or erased */
  skipped: number;
  started_at: string;
  state: "dry" | "running" | "done" | "interrupted" | "undone" | (string & {});
  /** Memories that are new, or would be */
  stored: number;
  updated_at: string;
  /** Of one that was undone: how many memories were taken out of search */
  forgotten?: number;
  /** How much was left out on purpose, by what it is */
  left_out?: Record<string, number>;
  /** Of one that was undone: how many pictures, recordings and scans were taken away */
  media_taken?: number;
  /** How many were refused, by the reason */
  refused?: Record<string, number>;
}

export interface ImportRuns {
  items: ImportRun[];
  /** There are earlier ones */
  more?: boolean;
}

export interface ImportedFile {
  bytes: number;
  name: string;
  /** Empty: it was not recognised */
  format?: string;
}

export interface Interview {
  domain: string;
  entries: Memory[];
  id: string;
  known: number;
  language: string;
  missing: number;
  relevant_context: EntryHit[];
  scope: Scope;
  state: "open" | "paused" | "done" | (string & {});
  title: string;
  acknowledgement?: string;
  answer?: "answer" | "skip" | "question" | "stop" | (string & {});
  answer_id?: string;
  context_summary?: string;
  field?: string;
  question?: string;
  repeated?: string[];
  without?: ("classify" | "dispatch" | "structure" | "persist" | "gap" | "persona" | (string & {}))[];
}

export interface ItemError {
  detail: string;
  kind: string;
  rejected?: Rejection[];
}

export interface Job {
  attempts: number;
  created_at: string;
  id: string;
  kind: string;
  max_attempts: number;
  run_at: string;
  state: "ready" | "done" | "dead" | (string & {});
  updated_at: string;
  error?: string;
  leased_until?: string;
  payload?: unknown;
  report?: ExtractionReport;
  request_id?: string;
  worker?: string;
}

export interface JobCounts {
  /** Given up, until they are retried */
  dead: number;
  /** Waiting for their time or a worker */
  ready: number;
  running: number;
  /** There are more jobs than were counted */
  more?: boolean;
}

export interface JobPage {
  items: Job[];
  /** Of all jobs of the tenant, whatever was asked for */
  counts?: JobCounts;
  next_cursor?: string;
}

export interface KeyPage {
  items: APIKey[];
  next_cursor?: string;
}

export interface KnownField {
  entry_ids: string[];
  field: string;
  label: string;
  value: string;
  confidence?: number;
}

export interface Lag {
  texts: number;
  vectors: number;
}

export interface LanguageChoice {
  /** Codes of the languages that the tenant's texts are in, the main one first; none: every text tells its own */
  languages: string[];
}

export interface LaterTurn {
  at: string;
  id: string;
}

export interface LedgerEntry {
  amount: string;
  at: string;
  fact_id: string;
  kind: string;
  episode_id?: string;
  number?: string;
  quote?: string;
}

export interface LedgerFinding {
  amount: string;
  counterparty: string;
  currency: string;
  fact_ids: string[];
  item: string;
  kind: string;
  others: string[];
  says: string;
}

export interface LedgerItem {
  budget: string;
  committed: string;
  currency: string;
  estimated: string;
  fact_ids: string[];
  invoiced: string;
  item: string;
  open: string;
  paid: string;
  phase: string;
  quoted: string;
  variance?: string;
  variance_percent?: string;
  without?: string[];
}

export interface LedgerLine {
  budget: string;
  committed: string;
  counterparty: string;
  currency: string;
  entries: LedgerEntry[];
  estimated: string;
  invoiced: string;
  item: string;
  open: string;
  paid: string;
  phase: string;
  quoted: string;
}

export interface LedgerMatch {
  by: string;
  fact_id: string;
  to: string;
  amount_fits?: string;
}

export interface LedgerOmission {
  fact_id: string;
  reason: string;
  amount?: string;
  currency?: string;
  kind?: string;
  quote?: string;
}

export interface LedgerTotal {
  allocated: string;
  budget: string;
  committed: string;
  currency: string;
  estimated: string;
  invoiced: string;
  open: string;
  paid: string;
  quoted: string;
  rates?: string[];
  variance?: string;
  variance_percent?: string;
  without?: string[];
}

export interface LookupHit {
  collection: string;
  fact_id: string;
  id: string;
  relationship_key: string;
  score: number;
  verb: string;
  verified: boolean;
  reason?: string;
}

export interface LookupNote {
  min_score: number;
  orphan_count: number;
  query: string;
  scale: string;
  timings_ms: Record<string, number>;
  top_k: number;
  vector_hits: LookupHit[];
  verified_count: number;
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
}

export interface LookupResult {
  entity: Entity;
  facts: Memory[];
  /** Other entities whose facts are among these: of a user with one speaker that speaker, and the reverse */
  also?: string[];
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
  rag_debug?: LookupNote;
  scale?: string;
  truncated?: boolean;
}

export interface Me {
  access: "reader" | "writer" | "admin" | (string & {});
  features: Features;
  name: string;
  open: boolean;
  tenant: string;
  version: string;
  read_only?: string;
  scope?: Scope;
}

export interface Media {
  bytes: number;
  id: string;
  media_type: string;
  name: string;
  recorded_at: string;
  scope: Scope;
  sha256: string;
  state: string;
  event_time?: string;
  extract?: string;
  height?: number;
  import_id?: string;
  model?: string;
  not_as_project?: boolean;
  not_as_user?: boolean;
  pages?: number[];
  read_at?: string;
  reason?: string;
  source_id?: string;
  width?: number;
}

export interface MediaPage {
  items: Media[];
  next_cursor?: string;
}

export interface Memory {
  event_time: string;
  id: string;
  kind: "episode" | "note" | "entry" | "passage" | "summary" | "window" | "fact" | (string & {});
  recorded_at: string;
  scope: Scope;
  seq: number;
  state: "candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {});
  text: string;
  trust: "user_confirmed" | "user_stated" | "imported" | "assistant_said" | "tool_output" | (string & {});
  version: number;
  archived_at?: string;
  change?: string;
  clipped?: number;
  embedding?: Embedded;
  entry?: Entry;
  external_id?: string;
  fact?: Fact;
  indexed_at?: string;
  job_id?: string;
  masked?: number;
  masked_in?: string[];
  metadata?: Record<string, unknown>;
  pending?: boolean;
  planned?: boolean;
  role?: "user" | "assistant" | "system" | "tool" | (string & {});
  shared_from?: string;
  source_id?: string;
  speaker?: string;
  summary?: Summary;
  superseded_at?: string;
  superseded_by?: string;
  supersedes?: string[];
  tags?: string[];
  type?: string;
  valid_until?: string;
}

export interface Neighborhood {
  entities: Entity[];
  entity: Entity;
  facts: Memory[];
  cut?: number;
  more?: Record<string, number>;
  truncated?: boolean;
}

export interface NewKey {
  key: APIKey;
  /** Shown once; only its hash is stored */
  secret: string;
}

export interface Node {
  name: string;
  type: string;
  entity_ref?: string;
}

export interface OperationResult {
  error?: ItemError;
  forgotten?: ForgetResult;
  found?: RecallResult;
  listed?: Page;
  memory?: Memory;
  remembered?: RememberResult;
}

export interface Page {
  items: Memory[];
  next_cursor?: string;
  truncated?: boolean;
}

export interface Part {
  norm: number;
  rank: number;
  raw: number;
  weight: number;
}

export interface Persona {
  greeting?: string;
  name?: string;
  style?: string;
}

export interface Premise {
  end: number;
  episode_id: string;
  quote: string;
  start: number;
}

export interface Profile {
  description: string;
  name: string;
  types: ProfileType[];
  verbs: ProfileVerb[];
  categories?: ProfileCategory[];
  examples?: ProfileExample[];
  extends?: string;
  rules?: string[];
  topics?: ProfileTopic[];
}

export interface ProfileCategory {
  name: string;
  code?: string;
}

export interface ProfileChoice {
  name: string;
  phase?: string;
  project?: string;
  role?: string;
}

export interface ProfileExample {
  turns: ExampleTurn[];
  facts?: ExampleFact[];
}

export interface ProfileField {
  description: string;
  name: string;
  type: string;
  choices?: string[];
  required?: boolean;
}

export interface ProfileTopic {
  description: string;
  name: string;
  verbs: string[];
}

export interface ProfileType {
  description: string;
  name: "task" | "decision" | "milestone" | "financial" | "schedule" | "material" | "risk" | "constraint" | "data_point" | "preference" | "profile" | "relationship" | "plan" | "event" | "relation" | "other" | (string & {});
  fields?: ProfileField[];
  time?: string;
}

export interface ProfileVerb {
  cardinality: string;
  description: string;
  name: string;
  node: string;
  type: "task" | "decision" | "milestone" | "financial" | "schedule" | "material" | "risk" | "constraint" | "data_point" | "preference" | "profile" | "relationship" | "plan" | "event" | "relation" | "other" | (string & {});
  money?: string;
}

export interface Profiles {
  default: string;
  items: Profile[];
  choices?: ProfileChoice[];
  phase?: string;
}

export interface ProjectLedger {
  as_of: string;
  findings: LedgerFinding[];
  items: LedgerItem[];
  left_out: LedgerOmission[];
  lines: LedgerLine[];
  matches: LedgerMatch[];
  project: string;
  tolerance: string;
  totals: LedgerTotal[];
  combined?: LedgerTotal;
}

export interface ProjectReport {
  from: string;
  markdown: string;
  money: LedgerTotal[];
  omitted: number;
  project: string;
  to: string;
  topics: ReportTopic[];
  model?: string;
  prose?: string;
}

export interface ProjectTimeline {
  as_of: string;
  critical: string[];
  critical_days: number;
  items: TimelineItem[];
  project: string;
  undated: TimelineItem[];
  left_out?: Record<string, number>;
}

export interface ProjectTrends {
  as_of: string;
  findings: TrendFinding[];
  likes: TrendLikes[];
  project: string;
  series: TrendSeries[];
}

export interface PruneResult {
  protected: number;
  pruned: PrunedMemory[];
  total: number;
  dry_run?: boolean;
  more?: boolean;
}

export interface PrunedMemory {
  id: string;
  importance: number;
  text: string;
}

export interface RecallAgain {
  gone: string[];
  new: string[];
  now: RecallResult;
  then: ServedRecall;
}

export interface RecallResult {
  abstained: boolean;
  hits: Hit[];
  scale: string;
  damaged?: string[];
  dropped?: Drop[];
  explain?: Explain;
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
  recall_id?: string;
  trace?: Traced[];
  truncated?: boolean;
}

export interface RecallsPage {
  items: ServedRecall[];
  next_cursor?: string;
  off?: boolean;
}

export interface Reextraction {
  sources: number;
}

export interface RegenerateResult {
  embedded: number;
  left: number;
}

export interface ReindexResult {
  seconds: number;
  texts: number;
  vectors: number;
  generations?: GenerationStatus[];
}

export interface Rejection {
  index: number;
  reason: string;
  detail?: string;
}

export interface Relation {
  from: string;
  hops: number;
  id: string;
  memory: Memory;
  to: string;
  type: "depends_on" | "blocks" | "causes" | "part_of" | "settles" | "replaces" | (string & {});
}

export interface RelationList {
  fact: Memory;
  facts: Memory[];
  relations: Relation[];
  truncated?: boolean;
}

export interface RelevanceParts {
  confidence_factor: number;
  priority_factor: number;
  similarity: number;
}

export interface RememberResult {
  indexed: boolean;
  memories: Memory[];
  rejected: Rejection[];
  dry_run?: boolean;
  job_id?: string;
  known_as?: string;
  masked?: number;
  masked_in?: string[];
  /** Files of messages that are stored beside the words */
  media?: string[];
  /** Why a model has added nothing yet to the facts that rules found; job_id is its job */
  model_error?: string;
  /** Parts of messages that are not stored, by kind */
  omitted?: Record<string, number>;
  pending?: boolean;
  replayed?: boolean;
  source_id?: string;
  usage?: Usage;
}

export interface ReportItem {
  at: string;
  change: string;
  episode_id: string;
  fact_id: string;
  quote: string;
  says: string;
  uncertain: boolean;
  by?: string;
}

export interface ReportTopic {
  items: ReportItem[];
  topic: string;
}

export interface ReviewItem {
  id: string;
  reason: "conflict" | "low_trust" | "ambiguous_entity" | "ambiguous_match" | "future" | "quarantined" | "candidate" | (string & {});
  since: string;
  actions?: string[];
  entities?: string[];
  memory?: Memory;
  name?: string;
  others?: Memory[];
  truncated?: boolean;
  whose?: string;
  why?: string;
}

export interface ReviewPage {
  items: ReviewItem[];
  next_cursor?: string;
}

export interface SavedSearch {
  created_at: string;
  id: string;
  /** Name; unique in its scope. It cannot be changed */
  name: string;
  scope: Scope;
  updated_at: string;
  /** What raises an alert; match and changed if absent */
  alerts?: ("match" | "changed" | "amount" | "deadline" | "contradiction" | "lag" | (string & {}))[];
  /** Decimal number: greater amounts raise an alert of kind amount */
  amount?: string;
  /** How many changes that an index has not read raise an alert of kind lag; 1000 if absent */
  behind?: number;
  /** What the key was bound to that saved it */
  bound?: string[];
  /** Only amounts in this currency; any if absent */
  currency?: string;
  /** How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent */
  days?: number;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  not_as_project?: boolean;
  not_as_user?: boolean;
  /** What is looked at; facts if absent */
  of?: "facts" | "memories" | (string & {});
  /** Words that all have to occur, and quoted phrases */
  query?: string;
  /** Of a change: the version that was read; another one is a conflict */
  version?: number;
  /** Name of a webhook of the settings, which gets each alert */
  webhook?: string;
}

export interface Scope {
  /** Agent that wrote or reads */
  agent?: string;
  /** Where it was said, for example chat or e-mail */
  channel?: string;
  /** Knowledge domain */
  domain?: string;
  /** Project that the memory belongs to */
  project?: string;
  /** Conversation or run */
  session?: string;
  /** IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset */
  time_zone?: string;
  /** Person whose memory it is */
  user?: string;
}

export interface Searches {
  items: SavedSearch[];
}

export interface ServedHit {
  id: string;
  version: number;
  score?: number;
}

export interface ServedRecall {
  at: string;
  found: number;
  hits: ServedHit[];
  id: string;
  key_name: string;
  ms: number;
  request: ContextRequest;
  scope: Scope;
  via: string;
  what: string;
  abstained?: boolean;
  partial?: boolean;
  request_id?: string;
  tokens?: number;
}

export interface Session {
  first_turn: string;
  id: string;
  last_turn: string;
  scope: Scope;
  tokens: number;
  turns: number;
  uncovered_tokens: number;
  summary?: Memory;
}

export interface SessionContext {
  first_turn: string;
  id: string;
  last_turn: string;
  past: Hit[];
  scope: Scope;
  text: string;
  turns: number;
  uncovered_tokens: number;
  window: Memory[];
  window_tokens: number;
  failed?: string;
  summary?: Memory;
}

export interface SessionItem {
  at: string;
  item: unknown;
  seq: number;
  memory_id?: string;
}

export interface SessionItems {
  items: SessionItem[];
  next_cursor?: string;
}

export interface SessionPage {
  items: Session[];
  next_cursor?: string;
}

export interface SessionTurns {
  first_turn: string;
  id: string;
  items: Memory[];
  last_turn: string;
  scope: Scope;
  tokens: number;
  turns: number;
  uncovered_tokens: number;
  next_cursor?: string;
  summary?: Memory;
}

export interface SignedIn {
  access: "reader" | "writer" | "admin" | (string & {});
  name: string;
  tenant: string;
}

export interface SignedOut {
  signed_out: boolean;
}

export interface SimilarEntries {
  items: EntryHit[];
  scale: string;
  total: number;
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
}

export interface SplitResult {
  kept: Entity;
  out: Entity;
  change?: string;
}

export interface StaleFact {
  last_seen: string;
  memory: Memory;
}

export interface StalePage {
  items: StaleFact[];
  truncated?: boolean;
}

export interface Stats {
  kinds: Record<string, number>;
  states: Record<string, number>;
  total: number;
  newest?: string;
}

export interface SummarizeResult {
  summaries: Memory[];
  usage?: Usage;
}

export interface Summary {
  from: string;
  of: string;
  sources: string[];
  tokens: number;
  model?: string;
  stale?: boolean;
  subject?: string;
  through?: number;
}

export interface SummaryResult {
  entity: Entity;
  fact_count: number;
  summary: string;
  /** Which arms failed: lexical, exact, dense; absent if none did */
  failed_arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** An arm failed, or what it found is damaged: something is missing, and the order may be another one */
  partial?: boolean;
  rag_debug?: LookupNote;
}

export interface Supersession {
  superseded: Memory;
  by?: Memory;
  change?: string;
  masked?: number;
  masked_in?: string[];
}

export interface SweepResult {
  expired: number;
}

export interface TimelineItem {
  after: string[];
  id: string;
  kind: "task" | "milestone" | "deadline" | "schedule" | (string & {});
  name: string;
  quotes: TimelineQuote[];
  critical?: boolean;
  end?: string;
  ended?: boolean;
  late?: string[];
  part_of?: string[];
  start?: string;
}

export interface TimelineQuote {
  episode_id: string;
  quote: string;
}

export interface ToolList {
  /** Definitions, to be handed to a model as they are */
  items: unknown[];
}

export interface Traced {
  id: string;
  score: number;
  parts?: Record<string, Part>;
  place?: number;
  reason?: string;
  similarity?: number;
  weak?: boolean;
  with?: string;
}

export interface TrendFinding {
  change: string;
  fact_ids: string[];
  kind: string;
  mad: string;
  median: string;
  name: string;
  of: string;
  says: string;
  series: number;
  currency?: string;
}

export interface TrendLikes {
  kind: string;
  of: string;
  series: number;
  floor?: string;
  mad?: string;
  median?: string;
}

export interface TrendPoint {
  at: string;
  fact_id: string;
  value: string;
  episode_id?: string;
  quote?: string;
}

export interface TrendSeries {
  change: string;
  falls: number;
  kind: string;
  name: string;
  of: string;
  points: TrendPoint[];
  rises: number;
  counterparty?: string;
  currency?: string;
}

export interface Undone {
  action: string;
  at: string;
  change: string;
}

export interface Unrelated {
  /** Of the relation that was taken back */
  id: string;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

export interface UsageLine {
  day: string;
  input_tokens: number;
  model: string;
  output_tokens: number;
  provider: string;
  purpose: string;
  requests: number;
}

export interface UsageReport {
  budget: BudgetState[];
  lines: UsageLine[];
}

export interface Verification {
  status: "pending_approval" | "verified" | "rejected" | "needs_review" | "disputed" | (string & {});
  at?: string;
  by?: string;
  note?: string;
}

export interface Document {
  /** The text */
  content: string;
  /** Title or file name */
  name: string;
  /** text/markdown or text/plain; by the name's ending if empty */
  media_type?: "text/markdown" | "text/plain";
}

export interface EntryInput {
  /** Category inside the domain */
  category?: string;
  /** 0 to 1; 0 means not stated */
  confidence?: number;
  /** What is known; may be left out where structured data say it */
  content?: string;
  /** Structured data; its values are searchable text */
  structured?: Record<string, unknown>;
  /** Title */
  title?: string;
}

export interface FinancialInput {
  amount: string;
  category?: string;
  check?: string;
  currency?: string;
  quantity?: string;
  rate?: string;
  type?: string;
  unit?: string;
}

export interface ForgetRequest {
  dry_run?: boolean;
  filter?: Record<string, unknown>;
  ids?: string[];
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
  /** Everything that these requests brought: undoes them */
  sources?: string[];
}

export interface IdentifierInput {
  /** email, phone, user_id, name or a word of your own */
  type: string;
  /** The identifier */
  value: string;
  /** Within whom a name means somebody: user:…, project:… or session:…; in answers only */
  owner?: string;
}

export interface KeyedPut {
  /** Your own key of the entry */
  key: string;
  /** Category inside the domain */
  category?: string;
  /** 0 to 1; 0 means not stated */
  confidence?: number;
  /** What is known; may be left out where structured data say it */
  content?: string;
  /** Refuse with conflict if the key has an entry */
  if_absent?: boolean;
  /** It comes from elsewhere: trust tier imported */
  imported?: boolean;
  /** Your own data; filters see it */
  metadata?: Record<string, unknown>;
  /** Structured data; its values are searchable text */
  structured?: Record<string, unknown>;
  /** Labels; filters see them */
  tags?: string[];
  /** Title */
  title?: string;
  /** When it stops being valid and is no longer found; never if empty */
  valid_until?: string | Date;
  /** Refuse with conflict unless the entry has this version */
  version?: number;
  /** How far to go before answering */
  wait?: "stored" | "indexed";
}

export interface KeyedRef {
  /** Your own key of the entry */
  key: string;
}

export interface ListRequest {
  /** List what was archived too */
  archived?: boolean;
  /** Cut texts at 400 characters, which clipped counts the rest of in bytes, and leave out evidence and vectors */
  brief?: boolean;
  /** next_cursor of the page before */
  cursor?: string;
  /** Conditions as JSON; see the filter grammar */
  filter?: Record<string, unknown>;
  /** Memories per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Newest first: the same order backwards */
  newest?: boolean;
  /** By when it was recorded, or when it happened */
  sort?: "recorded" | "event";
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
}

export interface MemoryUpdate {
  /** Id of the memory */
  id: string;
  /** Replaces all metadata; null: none */
  metadata?: Record<string, unknown>;
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
  /** active brings back what was forgotten or quarantined */
  state?: "candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {});
  /** Replaces all tags; null: none */
  tags?: string[];
  /** New wording of a note, or new content of an entry; the old one stays in the history */
  text?: string;
  /** When it ends to hold and is found no more; empty or null: never */
  valid_until?: string | Date;
  /** Refuse with conflict unless the memory has this version */
  version?: number;
}

export interface Message {
  /** What was said, verbatim */
  content: string;
  /** Your own id; storing it again changes nothing */
  external_id?: string;
  metadata?: Record<string, unknown>;
  /** Parts without words that were left out of it, by kind */
  omitted?: Record<string, number>;
  /** user if empty */
  role?: "user" | "assistant" | "system" | "tool" | (string & {});
  /** Name of the person who spoke */
  speaker?: string;
  tags?: string[];
  /** When it was said */
  timestamp?: string | Date;
}

export interface Note {
  /** The text */
  content: string;
  /** manual if empty; reflection, decision, or a word of your own */
  type?: string;
}

export interface Operation {
  /** Forget the entry that has a key */
  delete?: KeyedRef;
  /** Take memories out of search */
  forget?: ForgetRequest;
  /** The entry that has a key */
  get?: KeyedRef;
  /** List memories, oldest first */
  list?: ListRequest;
  /** Store an entry under a key, in place of what the key has */
  put?: KeyedPut;
  /** Store what was said, a note, an entry or a document */
  remember?: RememberRequest;
  /** Whose it is; that of the batch if absent */
  scope?: ScopeInput;
  /** Find what is known about a question */
  search?: RecallRequest;
  /** Change a memory */
  update?: MemoryUpdate;
}

export interface RecallRequest {
  /** The question, in words */
  query: string;
  /** Arms to use; all if empty */
  arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** Answer as it was in the world at this time */
  as_of?: string | Date;
  /** Say how each hit was found, and of every other candidate why it is none */
  explain?: boolean;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold */
  k?: number;
  /** Answer as it was known at this time: nothing that was stored or found out later */
  known_at?: string | Date;
  /** Leave out hits below, and weak ones; 0 to 1 */
  min_score?: number;
  /** Turns to add before and after each hit: 0 to 10 */
  neighbors?: number;
  /** Order of the hits: score if absent, or newest first */
  order?: "score" | "newest";
  /** What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which */
  scale?: "fused" | "cosine";
  /** States to search; active if empty */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
  /** Leave out weak hits: those that fill up the places where less than k was found */
  strong_only?: boolean;
  /** Ids of memories: say of each what every arm gave it and why it is no hit */
  trace?: string[];
}

export interface RememberRequest {
  /** A document, split by its structure */
  document?: Document;
  /** Answer as usual and store nothing */
  dry_run?: boolean;
  /** A curated knowledge entry */
  entry?: EntryInput;
  /** Your own id of text, note, entry or document; storing it again changes nothing */
  external_id?: string;
  /** How facts are derived, about the speaker of each turn, else about the user of the scope; as chosen for the project, the tenant or the server if empty */
  extract?: "none" | "rules" | "llm" | "auto";
  /** It comes from elsewhere: trust tier imported for what users said */
  imported?: boolean;
  /** Turns of a conversation, oldest first, 1,000 at most: messages as here, or as OpenAI, Anthropic, Gemini, LangChain and the AI SDK have them; send a longer one in parts, with the same session */
  messages?: Message[];
  /** Your own data; filters see it */
  metadata?: Record<string, unknown>;
  /** Something noted by hand */
  note?: Note;
  /** What a model is to look for: the name of an extraction profile; that of the project or tenant if empty */
  profile?: string;
  /** Idempotency key */
  request_key?: string;
  /** Role of the speaker of text: user if empty */
  role?: "user" | "assistant" | "system" | "tool" | (string & {});
  /** Name of the person who spoke */
  speaker?: string;
  /** Memories that this one replaces */
  supersedes?: string[];
  /** Labels; filters see them */
  tags?: string[];
  /** One thing that was said */
  text?: string;
  /** When it was said; now if empty */
  timestamp?: string | Date;
  /** When it ends to hold and is found no more; never if empty */
  valid_until?: string | Date;
  /** How far to go before answering */
  wait?: "stored" | "indexed" | "extracted";
}

export interface ScopeInput {
  /** Agent that wrote or reads */
  agent?: string;
  /** Where it was said, for example chat or e-mail */
  channel?: string;
  /** Knowledge domain */
  domain?: string;
  /** Project that the memory belongs to */
  project?: string;
  /** Conversation or run */
  session?: string;
  /** IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset */
  time_zone?: string;
  /** Person whose memory it is */
  user?: string;
}

export interface SystemRef {
  /** Name of the system */
  system: string;
  /** Its id of the record */
  id?: string;
}

export interface ToldEvidence {
  /** Id of a memory that was said, noted or written; if absent, quote is stored */
  id?: string;
  /** The words, verbatim; if absent the sentence of the memory with the value, else all of it */
  quote?: string;
}

/** Note that somebody has seen alerts: all of them, or none if one does not exist. */
export interface AcknowledgeAlertsOptions extends ScopeInput {
  /** Ids of alerts */
  ids: string[];
}

/** What is to be done, is pressing or is due soon: most pressing first, then by deadline. */
export interface ActionableFactsOptions extends ScopeInput {
  /** How many days ahead a deadline or an end may lie: 1 to 3650, 7 if absent */
  days?: number;
  /** Facts at most: 1 to 1000, 50 if absent */
  limit?: number;
}

/** Store a knowledge entry. */
export interface AddEntryOptions extends ScopeInput {
  /** Category inside the domain */
  category?: string;
  /** 0 to 1; 0 means not stated */
  confidence?: number;
  /** Your own id of the entry; storing it again changes nothing and returns the stored entry */
  external_id?: string;
  /** It comes from elsewhere: trust tier imported */
  imported?: boolean;
  /** Your own data; filters see it */
  metadata?: Record<string, unknown>;
  /** Idempotency key */
  request_key?: string;
  /** Structured data; its values are searchable text */
  structured?: Record<string, unknown>;
  /** Labels; filters see them */
  tags?: string[];
  /** Title */
  title?: string;
  /** When it stops being valid and is no longer found; never if empty */
  valid_until?: string | Date;
  /** How far to go before answering */
  wait?: "stored" | "indexed";
}

/** Answer the question of an interview and get the next one. */
export interface AnswerInterviewOptions extends ScopeInput {
  /** Idempotency key */
  request_key?: string;
}

/** Add items of any form to a transcript; what people and the assistant say is remembered. */
export interface AppendSessionItemsOptions extends ScopeInput {
  /** How facts are derived from the turns */
  extract?: "none" | "rules" | "llm" | "auto";
  /** Idempotency key */
  request_key?: string;
}

/** Take what was closed long ago out of listings. */
export interface ArchiveFactsOptions extends ScopeInput {
  /** How long ago they were closed: 1 to 36500, 90 if absent */
  days?: number;
  /** Say how many there are and do nothing */
  dry_run?: boolean;
}

/** Store what was said about an entity, and the facts that follow from it. */
export interface AssimilateOptions extends ScopeInput {
  /** Your own id; storing it again changes nothing */
  external_id?: string;
  /** How facts are derived: auto if empty */
  extract?: "none" | "rules" | "llm" | "auto";
  /** What a model is to look for: the name of an extraction profile; that of the project or tenant if empty */
  profile?: string;
  /** Idempotency key */
  request_key?: string;
  /** Role of the speaker: user if empty */
  role?: "user" | "assistant" | "system" | "tool" | (string & {});
  /** Name of the person who spoke; the entity if empty */
  speaker?: string;
  /** When it was said; now if empty */
  timestamp?: string | Date;
  /** How far to go before answering: stored (the words, and facts that rules find at once), extracted (all facts), indexed (their vectors too); if absent, as indexed with at most 5 s for vectors */
  wait?: "stored" | "extracted" | "indexed";
}

/** What was done, oldest first unless asked otherwise; each entry holds the hash of the one before. */
export interface AuditOptions {
  /** Actions, with commas between them or repeated; entity.* means all that begin with entity. */
  actions?: string[];
  /** Name of the key that acted; local without one */
  actor?: string;
  /** next_cursor of the page before */
  cursor?: string;
  /** From then on, as RFC 3339 */
  from?: string;
  /** Items per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** The latest first */
  newest?: boolean;
  /** Id of what was acted on */
  target?: string;
  /** Before then, as RFC 3339 */
  to?: string;
}

/** Verify pending facts that rest on enough independent sources. */
export interface AutoVerifyFactsOptions extends ScopeInput {
  /** Say what would be verified and do nothing */
  dry_run?: boolean;
  /** Any of these types */
  fact_types?: ("task" | "decision" | "milestone" | "financial" | "schedule" | "material" | "risk" | "constraint" | "data_point" | "preference" | "profile" | "relationship" | "plan" | "event" | "relation" | "other" | (string & {}))[];
  /** 0 to 1 */
  min_confidence?: number;
  /** How many independent sources: 1 to 100, 2 if absent */
  min_evidence?: number;
  /** Only evidence of at least this tier counts; user_stated if absent */
  min_trust?: "user_confirmed" | "user_stated" | "imported" | "assistant_said" | "tool_output" | (string & {});
}

/** Write a copy of the whole store to a file below the server's folder for backups. */
export interface BackupOptions {
  /** Name of a file below the folder that the server's setting --backup-dir names; it must not exist */
  path: string;
}

/** Run up to 1,000 operations one after the other, each with its own result or error, or all writes together. Those that change something need the right writer. */
export interface BatchOptions extends ScopeInput {
  /** Do the writes, which are puts and deletes, together after all reads: all or none */
  atomic?: boolean;
  /** What to do, in this order */
  operations: Operation[];
}

/** Say who somebody is, in at most 200 tokens. */
export interface CardOptions extends ScopeInput {
  /** The facts as they were in the world at this time */
  as_of?: string | Date;
  /** The facts as they were known at this time */
  known_at?: string | Date;
}

/** Replace what a saved search looks for. */
export interface ChangeSearchOptions extends ScopeInput {
  /** What raises an alert; match and changed if absent */
  alerts?: ("match" | "changed" | "amount" | "deadline" | "contradiction" | "lag" | (string & {}))[];
  /** Decimal number: greater amounts raise an alert of kind amount */
  amount?: string;
  /** How many changes that an index has not read raise an alert of kind lag; 1000 if absent */
  behind?: number;
  /** Only amounts in this currency; any if absent */
  currency?: string;
  /** How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent */
  days?: number;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** Name; unique in its scope. It cannot be changed */
  name: string;
  /** What is looked at; facts if absent */
  of?: "facts" | "memories" | (string & {});
  /** Words that all have to occur, and quoted phrases */
  query?: string;
  /** Of a change: the version that was read; another one is a conflict */
  version?: number;
  /** Name of a webhook of the settings, which gets each alert */
  webhook?: string;
}

/** What was learned, replaced, forgotten, or has ended: latest first. */
export interface ChangesOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Conditions on the memory that it happened to, as JSON; see the filter grammar */
  filter?: Record<string, unknown>;
  /** From then on, as RFC 3339 */
  from?: string;
  /** What happened, with commas between them or repeated: learned, replaced, ended, forgotten, planned; all if absent */
  kinds?: ("learned" | "replaced" | "ended" | "forgotten" | "planned" | (string & {}))[];
  /** Items per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Before then, as RFC 3339 */
  to?: string;
}

/** Facts of one entity that cannot all hold. */
export interface ConflictingFactsOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB */
  limit?: number;
}

/** Ask the configured model, which is shown what is known; the exchange is stored. */
export interface ConsultOptions extends ScopeInput {
  /** Most tokens of memory that the model gets: 1 to 200000, 2000 if absent */
  budget?: number;
  /** Your own id of the prompt as a turn */
  external_id?: string;
  /** Idempotency key */
  request_key?: string;
  /** Show the model facts of this session alone */
  session_only?: boolean;
}

/** Make the text that a prompt gets. */
export interface ContextOptions extends ScopeInput {
  /** Arms to use; all if empty */
  arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** Answer as it was in the world at this time */
  as_of?: string | Date;
  /** Tokens at most: 1 to 200000, 1500 if absent */
  budget?: number;
  /** Leave out what was said in this session */
  exclude_session?: string;
  /** Say how each hit was found, and of every other candidate why it is none */
  explain?: boolean;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** briefing if empty; facts and knowledge look at facts and at entries alone */
  format?: "briefing" | "facts" | "knowledge" | "window" | "json" | (string & {});
  /** In the format briefing, begin what is said of each memory with the end of its id; the member records tells which line is which memory anyway */
  ids?: boolean;
  /** Also show turns that only ask; if absent only where nothing else is found */
  include_questions?: boolean;
  /** How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold */
  k?: number;
  /** Answer as it was known at this time: nothing that was stored or found out later */
  known_at?: string | Date;
  /** Leave out hits below, and weak ones; 0 to 1 */
  min_score?: number;
  /** Turns to add before and after each hit: 0 to 10 */
  neighbors?: number;
  /** Order of the hits: score if absent, or newest first */
  order?: "score" | "newest";
  /** Say of every part of the text how many tokens it takes and which hit it comes from, and which hits were left out; the text is the same */
  parts?: boolean;
  /** What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which */
  scale?: "fused" | "cosine";
  /** States to search; active if empty */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
  /** Leave out weak hits: those that fill up the places where less than k was found */
  strong_only?: boolean;
  /** Ids of memories: say of each what every arm gave it and why it is no hit */
  trace?: string[];
}

/** Make an API key for your tenant. */
export interface CreateKeyOptions {
  /** What it may do; with a scope no more than writer */
  access: "reader" | "writer" | "admin" | (string & {});
  /** When the key ends by itself; never if absent */
  expires_at?: string | Date;
  /** Name of the user of the key; the audit shows it */
  name: string;
  /** Bind the key to these values: it reads and writes nothing else; a time zone is that of requests that name none */
  scope?: ScopeInput;
  /** The system that the key may speak for when it tells facts; none if absent */
  system?: string;
}

/** One decision about many items, each answered by itself. */
export interface DecideOptions extends ScopeInput {
  /** Of ended and done: since when; now if absent */
  at?: string | Date;
  /** Say what would happen and do nothing */
  dry_run?: boolean;
  /** Memories instead; see the filter grammar */
  filter?: Record<string, unknown>;
  /** Why */
  note?: string;
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
}

/** Forget a memory, or erase it. */
export interface DeleteMemoryOptions extends ScopeInput {
  /** Remove it for good, with everything derived from it; needs the right admin */
  erase?: boolean;
}

/** What is known of a domain and what is not. */
export interface DomainGapsOptions {
  /** Project that the memory belongs to */
  project?: string;
  /** Person whose memory it is */
  user?: string;
}

/** Facts of one entity that say the same. */
export interface DuplicateFactsOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB */
  limit?: number;
  /** Cosine from which two facts say the same, where cosines carry a meaning: 0 to 1, 0.95 if absent */
  threshold?: number;
}

/** All facts of an entity, those that hold and those that do no longer, with their quotes. */
export interface EntityFactsOptions extends ScopeInput {
  /** Only what held in the world at this time */
  as_of?: string | Date;
  /** Only what was known at this time */
  known_at?: string | Date;
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
}

/** What was changed of an entity, when and by whom, newest first. */
export interface EntityHistoryOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Changes per page: 1 to 1000, 50 if absent */
  limit?: number;
}

/** Facts and entities around an entity. */
export interface EntityNeighborhoodOptions extends ScopeInput {
  /** As it was in the world at this time; steps then lead from entity to entity */
  as_of?: string | Date;
  /** Steps to walk from the facts about the entity and those that name it: 0 to 2 */
  hops?: number;
  /** Facts at most, 1 to 60: those that name an entity first, then the latest; steps then lead from entity to entity. As many as an answer holds if absent */
  limit?: number;
}

/** Remove memories for good, with everything derived from them. */
export interface EraseOptions extends ScopeInput {
  dry_run?: boolean;
  /** Erases them with their identifiers and history, all facts about them and all that name them, in whatever scope of the tenant */
  entities?: string[];
  filter?: Record<string, unknown>;
  /** Files of pictures, recordings and pages, with what a model has read in them */
  media?: string[];
  reason?: string;
  sources?: string[];
  /** With entities: also the episodes that those facts rest on, whoever else they are about */
  words?: boolean;
}

/** How facts are derived from conversations and notes where a request does not say. */
export interface ExtractionOptions {
  /** Project whose default is asked for; that of the tenant if absent */
  project?: string;
}

/** The values of a field with how often they occur, the most frequent first: users, sessions, sources, …. */
export interface FacetsOptions extends ScopeInput {
  /** Whose values are counted */
  field: "agent" | "channel" | "domain" | "kind" | "project" | "role" | "session" | "source_id" | "speaker" | "state" | "trust" | "type" | "user";
  /** Conditions as JSON; see the filter grammar. Counting takes longer with one */
  filter?: Record<string, unknown>;
  /** Kinds, with commas between them or repeated; all if absent */
  kinds?: ("episode" | "note" | "entry" | "passage" | "summary" | "window" | "fact" | (string & {}))[];
  /** Values at most: 1 to 1000, 50 if absent */
  limit?: number;
  /** Only values that begin with this */
  prefix?: string;
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
}

/** What a fact waits for, blocks, causes, belongs to, settles or replaces, and what bears so on it. */
export interface FactRelationsOptions extends ScopeInput {
  /** The relations as they were in the world at this time */
  as_of?: string | Date;
  /** How many relations away a fact may lie: 1 to 3, 1 if absent */
  hops?: number;
}

/** Take memories out of search; they can be brought back. */
export interface ForgetOptions extends ScopeInput {
  dry_run?: boolean;
  filter?: Record<string, unknown>;
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
  /** Everything that these requests brought: undoes them */
  sources?: string[];
}

/** The turns of a session in order, with its tokens and its newest summary. */
export interface GetSessionOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Turns at most; 50 if absent */
  limit?: number;
}

/** How many memories there are of each day, week or month; periods without any are left out. */
export interface HistogramOptions extends ScopeInput {
  /** How long the steps are: day if absent; weeks begin on Monday */
  by?: "day" | "week" | "month" | "";
  /** Conditions as JSON; see the filter grammar. Counting takes longer with one */
  filter?: Record<string, unknown>;
  /** Kinds, with commas between them or repeated; all if absent */
  kinds?: ("episode" | "note" | "entry" | "passage" | "summary" | "window" | "fact" | (string & {}))[];
  /** By whose values each step is counted: kind if absent */
  split?: "agent" | "channel" | "domain" | "kind" | "project" | "role" | "session" | "source_id" | "speaker" | "state" | "trust" | "type" | "user" | "";
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
  /** By when it was recorded, or when it happened */
  time?: "recorded" | "event" | "";
}

/** What waits for a person, the most pressing first. */
export interface InboxOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Items per page: 1 to 200, 50 if absent */
  limit?: number;
  /** Why things wait; all reasons if absent */
  reasons?: ("conflict" | "low_trust" | "ambiguous_entity" | "ambiguous_match" | "future" | "quarantined" | "candidate" | (string & {}))[];
}

/** What saved searches have raised, oldest first. */
export interface ListAlertsOptions extends ScopeInput {
  /** Only alerts behind this place: next of the page before */
  after?: number;
  /** Alerts per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Only alerts that nobody has acknowledged */
  open?: boolean;
  /** Only alerts of this saved search */
  search?: string;
}

/** List entities by ascending id, without those that were merged into others. */
export interface ListEntitiesOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Entities per page: 1 to 1000, 50 if absent */
  limit?: number;
}

/** Background jobs, newest first. */
export interface ListJobsOptions {
  /** Say how many jobs are not done, too */
  counts?: boolean;
  /** next_cursor of the page before */
  cursor?: string;
  /** Only jobs of this kind */
  kind?: string;
  /** Jobs per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Only jobs in this state */
  state?: "ready" | "done" | "dead" | (string & {});
}

/** List the entries of this very scope that have a key, oldest first. */
export interface ListKeyedEntriesOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Entries per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** What the keys begin with; all keys if absent */
  prefix?: string;
}

/** List memories, oldest first: active ones unless states are named. */
export interface ListMemoriesOptions extends ScopeInput {
  /** List what was archived too */
  archived?: boolean;
  /** Cut texts at 400 characters, which clipped counts the rest of in bytes, and leave out evidence and vectors */
  brief?: boolean;
  /** next_cursor of the page before */
  cursor?: string;
  /** Conditions as JSON; see the filter grammar */
  filter?: Record<string, unknown>;
  /** Memories per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Newest first: the same order backwards */
  newest?: boolean;
  /** By when it was recorded, or when it happened */
  sort?: "recorded" | "event" | "";
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
}

/** Extraction profiles: what a model looks for. */
export interface ListProfilesOptions {
  /** Project whose default is asked for; that of the tenant if absent */
  project?: string;
}

/** A transcript, exactly as it was given. */
export interface ListSessionItemsOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** The last items instead of the first, in order all the same; has no cursor */
  latest?: boolean;
  /** Items at most; 1000 if absent */
  limit?: number;
}

/** Sessions with their counts, the one with the latest turn first. */
export interface ListSessionsOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Sessions or turns at most; 50 if absent */
  limit?: number;
}

/** The facts of one entity: all of them, or those that matter for a query. */
export interface LookupOptions extends ScopeInput {
  /** The facts as they were in the world at this time */
  as_of?: string | Date;
  /** The facts as they were known at this time */
  known_at?: string | Date;
  /** Say how the facts were found */
  rag_debug?: boolean;
  /** Steps to walk from the facts that match: 0 to 2 */
  rag_expand_hops?: number;
  /** Leave out facts below; 0 to 1 */
  rag_min_score?: number;
  /** What the facts should matter for; all facts of the entity if absent */
  rag_query?: string;
  /** Facts at most that match the query: 1 to 200, 10 if absent */
  rag_top_k?: number;
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
}

/** The facts of one entity in words. */
export interface LookupSummaryOptions extends ScopeInput {
  /** The facts as they were in the world at this time */
  as_of?: string | Date;
  /** The facts as they were known at this time */
  known_at?: string | Date;
  /** Say how the facts were found */
  rag_debug?: boolean;
  /** Steps to walk from the facts that match: 0 to 2 */
  rag_expand_hops?: number;
  /** Leave out facts below; 0 to 1 */
  rag_min_score?: number;
  /** What the facts should matter for; all facts of the entity if absent */
  rag_query?: string;
  /** Facts at most that match the query: 1 to 200, 10 if absent */
  rag_top_k?: number;
  /** States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
}

/** Pictures, recordings and scanned pages, by id. */
export interface MediaOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Files per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Only files that no model has read */
  unread?: boolean;
}

/** The money of a project by item, counterparty, phase and currency, matched, as of any date. */
export interface ProjectLedgerOptions {
  /** Agent that wrote or reads */
  agent?: string;
  /** The ledger as it stood then; now if absent */
  as_of?: string | Date;
  /** Where it was said, for example chat or e-mail */
  channel?: string;
  /** Knowledge domain */
  domain?: string;
  /** json if absent */
  format?: "json" | "csv" | "";
  /** EUR:USD=1.08: one EUR is 1.08 USD; repeated, all from one currency */
  rate?: string[];
  /** Conversation or run */
  session?: string;
  /** IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset */
  time_zone?: string;
  /** How far amounts may be apart that belong together: 2% or 50; 1% if absent */
  tolerance?: string;
  /** Person whose memory it is */
  user?: string;
}

/** What became known and what ended in a project in a period, by topic, with quotes. */
export interface ProjectReportOptions {
  /** Agent that wrote or reads */
  agent?: string;
  /** Where it was said, for example chat or e-mail */
  channel?: string;
  /** Knowledge domain */
  domain?: string;
  /** json if absent */
  format?: "json" | "markdown" | "";
  /** Beginning; 30 days before the end if absent */
  from?: string;
  /** Do not ask the configured model to phrase it */
  plain?: boolean;
  /** Conversation or run */
  session?: string;
  /** IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset */
  time_zone?: string;
  /** End, exclusive; now if absent */
  to?: string;
  /** Person whose memory it is */
  user?: string;
}

/** How amounts, dates and risks of a project have moved, and which moved unlike the others. */
export interface ProjectTrendsOptions {
  /** Agent that wrote or reads */
  agent?: string;
  /** Nothing that was said later; now if absent */
  as_of?: string | Date;
  /** Where it was said, for example chat or e-mail */
  channel?: string;
  /** Knowledge domain */
  domain?: string;
  /** Conversation or run */
  session?: string;
  /** IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset */
  time_zone?: string;
  /** Person whose memory it is */
  user?: string;
}

/** Forget the turns and notes of a scope that matter least. */
export interface PruneOptions extends ScopeInput {
  /** Report what would go and forget nothing */
  dry_run?: boolean;
  /** Turns and notes that may stay; as the server is set if absent */
  max_memories?: number;
}

/** Store an entry under a key, in place of what the key has. */
export interface PutEntryOptions extends ScopeInput {
  /** Category inside the domain */
  category?: string;
  /** 0 to 1; 0 means not stated */
  confidence?: number;
  /** Refuse with conflict if the key has an entry */
  if_absent?: boolean;
  /** It comes from elsewhere: trust tier imported */
  imported?: boolean;
  /** Your own data; filters see it */
  metadata?: Record<string, unknown>;
  /** Structured data; its values are searchable text */
  structured?: Record<string, unknown>;
  /** Labels; filters see them */
  tags?: string[];
  /** Title */
  title?: string;
  /** When it stops being valid and is no longer found; never if empty */
  valid_until?: string | Date;
  /** Refuse with conflict unless the entry has this version */
  version?: number;
  /** How far to go before answering */
  wait?: "stored" | "indexed";
}

/** What was asked and what was given for it, newest first. */
export interface RecallsOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Only questions for which nothing was found */
  empty?: boolean;
  /** Rows per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** Only what was asked through this surface */
  via?: "rest" | "mcp" | "cli" | "library" | "";
}

/** Derive facts in the background: again from all sources that facts were derived from, or from those that none were. */
export interface ReextractOptions extends ScopeInput {
  /** From conversations and notes that no facts were derived from, as is chosen for them now */
  missing?: boolean;
}

/** Make vectors for what has none, facts first. */
export interface RegenerateEmbeddingsOptions extends ScopeInput {
  /** Also rebuild vectors of the beginning of a text */
  cut?: boolean;
  /** Vectors at most: 1 to 1000, 100 if absent */
  limit?: number;
}

/** Rebuild the indexes from the truth; or change the embedder in the background. */
export interface ReindexOptions {
  /** Remove the vectors of the generation before the last switch */
  forget_old?: boolean;
  /** Go back to the generation before the last switch */
  rollback?: boolean;
  /** Make the vectors of this embedder, and switch to it when they are all there: the name of one that the server's settings name, which are builtin:, and those of TRILITH_EMBEDDER and TRILITH_EMBEDDERS */
  to?: string;
}

/** Say how a fact bears on another one of its owner. */
export interface RelateFactsOptions extends ScopeInput {
  /** Why, in your own words; it is kept as what the relation rests on */
  note?: string;
  /** Idempotency key */
  request_key?: string;
}

/** Store what was said, a note, an entry or a document. */
export interface RememberOptions extends ScopeInput {
  /** Answer as usual and store nothing */
  dry_run?: boolean;
  /** Your own id of text, note, entry or document; storing it again changes nothing */
  external_id?: string;
  /** How facts are derived, about the speaker of each turn, else about the user of the scope; as chosen for the project, the tenant or the server if empty */
  extract?: "none" | "rules" | "llm" | "auto";
  /** It comes from elsewhere: trust tier imported for what users said */
  imported?: boolean;
  /** Your own data; filters see it */
  metadata?: Record<string, unknown>;
  /** What a model is to look for: the name of an extraction profile; that of the project or tenant if empty */
  profile?: string;
  /** Idempotency key */
  request_key?: string;
  /** Role of the speaker of text: user if empty */
  role?: "user" | "assistant" | "system" | "tool" | (string & {});
  /** Name of the person who spoke */
  speaker?: string;
  /** Memories that this one replaces */
  supersedes?: string[];
  /** Labels; filters see them */
  tags?: string[];
  /** When it was said; now if empty */
  timestamp?: string | Date;
  /** When it ends to hold and is found no more; never if empty */
  valid_until?: string | Date;
  /** How far to go before answering */
  wait?: "stored" | "indexed" | "extracted";
}

/** Save a search that runs on every change and raises alerts. */
export interface SaveSearchOptions extends ScopeInput {
  /** What raises an alert; match and changed if absent */
  alerts?: ("match" | "changed" | "amount" | "deadline" | "contradiction" | "lag" | (string & {}))[];
  /** Decimal number: greater amounts raise an alert of kind amount */
  amount?: string;
  /** How many changes that an index has not read raise an alert of kind lag; 1000 if absent */
  behind?: number;
  /** Only amounts in this currency; any if absent */
  currency?: string;
  /** How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent */
  days?: number;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** What is looked at; facts if absent */
  of?: "facts" | "memories" | (string & {});
  /** Words that all have to occur, and quoted phrases */
  query?: string;
  /** Of a change: the version that was read; another one is a conflict */
  version?: number;
  /** Name of a webhook of the settings, which gets each alert */
  webhook?: string;
}

/** Find what is known about a question. */
export interface SearchOptions extends ScopeInput {
  /** Arms to use; all if empty */
  arms?: ("lexical" | "exact" | "dense" | "fact" | (string & {}))[];
  /** Answer as it was in the world at this time */
  as_of?: string | Date;
  /** Say how each hit was found, and of every other candidate why it is none */
  explain?: boolean;
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold */
  k?: number;
  /** Answer as it was known at this time: nothing that was stored or found out later */
  known_at?: string | Date;
  /** Leave out hits below, and weak ones; 0 to 1 */
  min_score?: number;
  /** Turns to add before and after each hit: 0 to 10 */
  neighbors?: number;
  /** Order of the hits: score if absent, or newest first */
  order?: "score" | "newest";
  /** What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which */
  scale?: "fused" | "cosine";
  /** States to search; active if empty */
  states?: ("candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {}))[];
  /** Leave out weak hits: those that fill up the places where less than k was found */
  strong_only?: boolean;
  /** Ids of memories: say of each what every arm gave it and why it is no hit */
  trace?: string[];
}

/** Entities by what they are called, with the number of their facts. */
export interface SearchEntitiesOptions extends ScopeInput {
  /** next_cursor of the page before */
  cursor?: string;
  /** Entities per page: 1 to 1000, 50 if absent */
  limit?: number;
  /** What is in a name, an alias or an identifier */
  q?: string;
  /** By name, by falling number of facts, or by when something was stored last; facts if absent */
  sort?: "name" | "facts" | "heard" | "";
  /** person, project, organisation, thing or session */
  type?: string;
}

/** Facts by relevance for a query, or newest first. */
export interface SearchFactsOptions extends ScopeInput {
  /** false: facts in every state; true if absent */
  active_only?: boolean;
  /** Facts as they were in the world at this time */
  as_of?: string | Date;
  /** Say what the relevance is made of */
  explain?: boolean;
  /** Any of these types */
  fact_types?: ("task" | "decision" | "milestone" | "financial" | "schedule" | "material" | "risk" | "constraint" | "data_point" | "preference" | "profile" | "relationship" | "plan" | "event" | "relation" | "other" | (string & {}))[];
  /** Conditions; see the filter grammar */
  filter?: Record<string, unknown>;
  /** Only facts that carry an amount of money */
  financial_only?: boolean;
  /** Facts as they were known at this time */
  known_at?: string | Date;
  /** How many at most: 1 to 200, 50 if absent */
  limit?: number;
  /** 0 to 1 */
  min_confidence?: number;
  /** Only facts with at least this amount, in whatever currency; 0 if absent: no condition */
  min_financial_amount?: number;
  /** Any of these */
  priority?: ("critical" | "high" | "normal" | "low" | (string & {}))[];
  /** Whether something is to be done about them */
  requires_action?: boolean;
  /** Leave out weak hits: those that fill up the places where less than limit was found for the query */
  strong_only?: boolean;
  /** Only facts that hold now; an active fact that is over never comes */
  valid_only?: boolean;
  /** Any of these; what is rejected is not active */
  verification_status?: ("pending_approval" | "verified" | "rejected" | "needs_review" | "disputed" | (string & {}))[];
}

/** What a prompt needs of a session: the newest turns, the newest summary and the relevant past. */
export interface SessionContextOptions extends ScopeInput {
  /** Tokens of the newest turns; as the server is set if absent */
  budget?: number;
  /** Memories of before the window; as the server is set if absent */
  limit?: number;
  /** What the past is searched for; the latest turn of the user if absent */
  query?: string;
}

/** Sign a browser in with a key; the answer sets a cookie. */
export interface SignInOptions {
  /** An API key */
  key?: string;
  /** What a link of trilith ui holds; it works once */
  link?: string;
}

/** The entries of a domain that are most like a text or an embedding. */
export interface SimilarEntriesOptions extends ScopeInput {
  /** A vector instead of the text, from the active embedder, with its number of dimensions */
  embedding?: number[];
  /** Leave out the entries of this session */
  exclude_session?: string;
  /** Entries at most: 1 to 50, 5 if absent */
  limit?: number;
  /** Leave out entries below; 0.7 if absent and the embedder's scores carry a threshold, else 0.14 */
  min_score?: number;
}

/** Facts that are similar to one, most similar first. */
export interface SimilarFactsOptions extends ScopeInput {
  /** Facts at most: 1 to 200, 10 if absent */
  limit?: number;
  /** Leave out facts below; 0 to 1 */
  min_score?: number;
}

/** Take a part of an entity out of it, or undo a merge. */
export interface SplitEntityOptions extends ScopeInput {
  /** Aliases that go along */
  aliases?: string[];
  /** Facts that are the new entity's */
  facts?: string[];
  /** Identifiers of the new entity; at least one, and one has to be left */
  identifiers?: IdentifierInput[];
  /** Undo the merge of this entity, the last one that was merged in; nothing else may be set then but version */
  merged?: string;
  /** Name of the new entity; that of its first identifier if absent */
  name?: string;
  /** Refuse with conflict unless the entity has this version */
  version?: number;
}

/** Facts of which nothing was heard for long, longest first. */
export interface StaleFactsOptions extends ScopeInput {
  /** How old the newest evidence may be: 1 to 36500, 30 if absent */
  days?: number;
  /** Facts at most: 1 to 1000, 50 if absent */
  limit?: number;
}

/** Make a summary of a session, a period or an entity, or of the summaries of a scope by topic. */
export interface SummarizeOptions extends ScopeInput {
  /** rules: an extract; llm: by a model; auto: by a model if one is configured */
  by?: "rules" | "llm" | "auto";
  /** Id of the entity */
  entity?: string;
  /** A day, a month or a year, as 2025-06-30, 2025-06 or 2025 */
  period?: string;
  /** Name of the session */
  session_id?: string;
  /** Tokens of a summary at most; 400 if absent */
  tokens?: number;
  /** Summarise the summaries of the scope by what they are about */
  topics?: boolean;
}

/** Correct a fact: by a sentence in any words, or by another fact. */
export interface SupersedeFactOptions extends ScopeInput {
  /** When the old one ceased to hold; when the new one began if absent */
  at?: string | Date;
  /** Id of the fact that holds instead: a present one of the same entity */
  by?: string;
  /** Why */
  note?: string;
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
  /** What holds instead, in any words; or that it is not so */
  text?: string;
}

/** Store a fact that you state as data. */
export interface TellFactOptions extends ScopeInput {
  /** By when */
  action_deadline?: string;
  /** 0 to 1; 0.9 if absent */
  confidence?: number;
  /** Further details */
  content?: Record<string, unknown>;
  /** The words that it rests on; if absent the sentence, stored as it stands */
  evidence?: ToldEvidence;
  /** Your own id: the same request with it answers the same fact, another one is a conflict */
  external_id?: string;
  /** Type of the fact; that of the verb if absent, else other */
  fact_type?: "task" | "decision" | "milestone" | "financial" | "schedule" | "material" | "risk" | "constraint" | "data_point" | "preference" | "profile" | "relationship" | "plan" | "event" | "relation" | "other" | (string & {});
  /** The money of the fact; its amount is a decimal */
  financial?: FinancialInput;
  /** normal if absent */
  priority?: "critical" | "high" | "normal" | "low" | (string & {});
  /** Something is to be done about it */
  requires_action?: boolean;
  /** The fact in words, which contain the value; made from subject, verb and value if absent */
  sentence?: string;
  /** A verb of your own holds one value at a time; a verb that rules know says so itself */
  single_valued?: boolean;
  /** The record of a system that your key may speak for: it verifies an equal fact, and is a conflict with an unequal one */
  source?: SystemRef;
  /** Whom or what it is about; made if it is not known. If absent, the project of the scope for matters of a project, else who speaks in the evidence, else the user, project or session of the scope */
  subject?: IdentifierInput;
  /** Instead of a verb: a key of your own, which has one value at a time */
  topic?: string;
  /** Since when it holds; if absent since the evidence was said */
  valid_from?: string | Date;
  /** When it ends to hold; never if absent */
  valid_until?: string | Date;
  /** The value of the verb or the topic */
  value?: string;
  /** What the value is, such as Location; that of the verb if absent */
  value_type?: string;
  /** How the subject relates to the value, such as lives_in */
  verb?: string;
}

/** What is to be done in a project and when, what waits for what, and the critical chain. */
export interface TimelineOptions {
  /** Agent that wrote or reads */
  agent?: string;
  /** The timeline as it was at this time; now if absent */
  as_of?: string | Date;
  /** Where it was said, for example chat or e-mail */
  channel?: string;
  /** Knowledge domain */
  domain?: string;
  /** Conversation or run */
  session?: string;
  /** IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset */
  time_zone?: string;
  /** Person whose memory it is */
  user?: string;
}

/** Definitions of the memory's tools for a model; they are called at /mcp. */
export interface ToolsOptions {
  /** As which API takes them: openai (chat completions) if absent */
  format?: "openai" | "openai-responses" | "anthropic" | "gemini" | "mcp" | "";
  /** Sets of tools beside the default one, with commas between them or repeated: graph, reference, review, scope, sessions, subagent */
  tools?: string[];
}

/** Take what an import has stored out of search, however long ago it was. */
export interface UndoImportOptions extends ScopeInput {
  /** Only count what would be forgotten */
  dry_run?: boolean;
}

/** Amounts of money that nobody has verified, largest first. */
export interface UnverifiedFinancialFactsOptions extends ScopeInput {
  /** Facts at most: 1 to 1000, 10 if absent */
  limit?: number;
  /** Only facts of at least this amount, a decimal in whatever currency; 5000 if absent */
  min_amount?: string;
}

/** Change what an entity is called and known by; absent members stay as they are. */
export interface UpdateEntityOptions extends ScopeInput {
  /** Other names that it goes by */
  add_aliases?: string[];
  /** Further names from outside; conflict if another entity has one of them */
  add_identifiers?: IdentifierInput[];
  /** What it is called */
  name?: string;
  remove_aliases?: string[];
  /** Names of attributes */
  remove_attributes?: string[];
  /** Identifiers that lead here no longer; one has to be left */
  remove_identifiers?: IdentifierInput[];
  /** Your own data, one value a name */
  set_attributes?: Record<string, unknown>;
  /** person, project, organisation, thing, session or a word of your own */
  type?: string;
  /** Refuse with conflict unless the entity has this version */
  version?: number;
}

/** Change a memory; absent members stay as they are. */
export interface UpdateMemoryOptions extends ScopeInput {
  /** Replaces all metadata; null: none */
  metadata?: Record<string, unknown>;
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
  /** active brings back what was forgotten or quarantined */
  state?: "candidate" | "active" | "superseded" | "retracted" | "expired" | "quarantined" | (string & {});
  /** Replaces all tags; null: none */
  tags?: string[];
  /** New wording of a note, or new content of an entry; the old one stays in the history */
  text?: string;
  /** When it ends to hold and is found no more; empty or null: never */
  valid_until?: string | Date;
  /** Refuse with conflict unless the memory has this version */
  version?: number;
}

/** What was used of providers, and what the budget leaves for today. */
export interface UsageOptions {
  /** How many days, today included; 30 if left out */
  days?: number;
}

/** Choose how facts are derived where a request does not say. */
export interface UseExtractionOptions {
  /** Project whose choice it becomes; the tenant's if absent */
  project?: string;
}

/** Choose what a model looks for where a request names no profile. */
export interface UseProfileOptions {
  /** Only while the project is in this phase: the attribute phase of its entity */
  phase?: string;
  /** Project whose default it becomes; the tenant's if absent */
  project?: string;
  /** Only for what people of this role say: the attribute role of the speaker's entity */
  role?: string;
}

/** Record a person's decision about a fact. */
export interface VerifyFactOptions extends ScopeInput {
  /** Of ended and done: since when; now if absent */
  at?: string | Date;
  /** Why */
  note?: string;
  /** Idempotency key: repeating the request with it answers what the first one answered */
  request_key?: string;
}
