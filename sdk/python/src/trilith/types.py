# Generated from the description of the API by: go test ./sdk -update
"""What the API takes and gives."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from ._model import ContextBlockMore, HitMore, Model, RecallResultMore, RememberResultMore

if TYPE_CHECKING:
    from typing_extensions import Required

Time = Union[str, datetime.datetime]
"""A point in time: RFC 3339, a date as 2025-06-30, or a datetime; one without a zone is local time."""


class APIKey(Model):
    access: Literal["reader", "writer", "admin"] | str
    created_at: datetime.datetime
    id: str
    name: str
    tenant: str
    expires_at: datetime.datetime | None = None
    revoked_at: datetime.datetime | None = None
    scope: Scope | None = None
    system: str | None = None


class Acknowledged(Model):
    acknowledged: int


class Alert(Model):
    at: datetime.datetime
    id: str
    kind: Literal["match", "changed", "amount", "deadline", "contradiction", "lag"] | str
    scope: Scope
    """Of the search"""
    search_id: str
    seq: int
    """Place among the alerts of the tenant; ascends without gaps when they are raised"""
    acknowledged_at: datetime.datetime | None = None
    acknowledged_by: str | None = None
    before_id: str | None = None
    """Of a change: the memory that it took the place of"""
    behind: int | None = None
    """Of a lag: how many changes wait"""
    delivered_at: datetime.datetime | None = None
    """When its webhook took it"""
    due: datetime.datetime | None = None
    """Of a deadline"""
    memory_id: str | None = None
    state: Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str | None = None
    """Of the memory, at the time"""
    version: int | None = None
    """Of the memory, at the time"""


class AlertPage(Model):
    items: list[Alert]
    next: int
    """What to give as after to go on: what is raised later lies behind it"""
    more: bool | None = None
    """There are more now"""


class ArchiveResult(Model):
    archived: int
    dry_run: bool | None = None


class ArmReport(Model):
    arm: Literal["lexical", "exact", "dense", "fact"] | str
    candidates: int
    error: str | None = None


class AssimilateResult(Model):
    assimilated_facts: list[Memory]
    entity: Entity
    job_id: str | None = None
    masked: int | None = None
    masked_in: list[str] | None = None
    model_error: str | None = None
    """Why a model has added nothing yet to the facts that rules found; job_id is its job"""
    pending: bool | None = None
    source_id: str | None = None
    usage: Usage | None = None


class AuditEntry(Model):
    action: str
    actor: str
    at: datetime.datetime
    hash: str
    prev_hash: str
    seq: int
    detail: dict[str, str] | None = None
    target: str | None = None


class AuditPage(Model):
    items: list[AuditEntry]
    next_cursor: str | None = None


class AutoVerifyResult(Model):
    left: int
    pending: int
    policy: str
    verified: list[str]
    dry_run: bool | None = None


class BackupResult(Model):
    path: str


class BatchResults(Model):
    results: list[OperationResult]


class BudgetState(Model):
    limit: str
    most: int
    used: int


class Build(Model):
    done: int
    started_at: datetime.datetime
    total: int
    error: str | None = None


class Card(Model):
    entity: Entity
    facts: int
    """How many facts belong into the card"""
    left: int
    """How many of them it has no room for"""
    text: str
    """One line a slot; empty if nothing is known that belongs into a card"""
    tokens: int


class Check(Model):
    detail: str
    name: str
    ok: bool
    fix: str | None = None


class ClearedItems(Model):
    removed: int


class ConsultResult(Model):
    actions: list[Memory]
    answer: str
    session: str
    stored: bool
    used: ConsultUsed
    cut_off: bool | None = None
    memory_missing: str | None = None
    not_stored: str | None = None
    rejected: list[Rejection] | None = None
    replayed: bool | None = None
    turns: list[str] | None = None


class ConsultUsed(Model):
    actions: list[str]
    facts: list[str]
    memory_ms: float
    past: list[str]
    tokens: int
    turns: list[str]
    recall_id: str | None = None
    summary: str | None = None
    usage: Usage | None = None


class ContextBlock(ContextBlockMore, Model):
    format: Literal["briefing", "facts", "knowledge", "window", "json"] | str
    hits: list[Hit]
    left: int
    text: str
    tokens: int
    abstained: bool | None = None
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    left_out: list[ContextLeft] | None = None
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""
    parts: list[ContextPart] | None = None
    recall_id: str | None = None
    records: list[ContextRecord] | None = None
    scale: str | None = None


class ContextLeft(Model):
    id: str
    reason: str
    """room: it did not fit; repeated: its speaker says the same words there already"""
    score: float
    tokens: int
    """That its line would take, cut as the layout cuts long texts"""
    weak: bool | None = None


class ContextPart(Model):
    end: int
    """Where it ends, exclusive"""
    start: int
    """Where it begins, in bytes of the text as UTF-8"""
    tokens: int
    """Counted by itself: at the borders of parts a vocabulary may join what is counted apart"""
    why: Literal["frame", "hit", "fact", "neighbor", "action"] | str
    """frame, hit, fact, neighbor, later or action"""
    cut: bool | None = None
    """Only a part of its words is there"""
    hit: str | None = None
    """The hit that it is or that brought it"""
    id: str | None = None
    """The memory that is there; absent for a frame"""


class ContextRecord(Model):
    id: str
    line: int
    cut: bool | None = None


class ContextRequest(Model):
    query: str
    """The question, in words"""
    arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Arms to use; all if empty"""
    as_of: str | None = None
    """Answer as it was in the world at this time"""
    budget: int | None = None
    """Tokens at most: 1 to 200000, 1500 if absent"""
    exclude_session: str | None = None
    """Leave out what was said in this session"""
    explain: bool | None = None
    """Say how each hit was found, and of every other candidate why it is none"""
    filter: dict[str, Any] | None = None
    """Conditions; see the filter grammar"""
    format: Literal["briefing", "facts", "knowledge", "window", "json"] | str | None = None
    """briefing if empty; facts and knowledge look at facts and at entries alone"""
    ids: bool | None = None
    """In the format briefing, begin what is said of each memory with the end of its id; the member records tells which line is which memory anyway"""
    include_questions: bool | None = None
    """Also show turns that only ask; if absent only where nothing else is found"""
    k: int | None = None
    """How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold"""
    known_at: str | None = None
    """Answer as it was known at this time: nothing that was stored or found out later"""
    min_score: float | None = None
    """Leave out hits below, and weak ones; 0 to 1"""
    neighbors: int | None = None
    """Turns to add before and after each hit: 0 to 10"""
    order: Literal["score", "newest"] | str | None = None
    """Order of the hits: score if absent, or newest first"""
    parts: bool | None = None
    """Say of every part of the text how many tokens it takes and which hit it comes from, and which hits were left out; the text is the same"""
    scale: Literal["fused", "cosine"] | str | None = None
    """What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None = None
    """States to search; active if empty"""
    strong_only: bool | None = None
    """Leave out weak hits: those that fill up the places where less than k was found"""
    trace: list[str] | None = None
    """Ids of memories: say of each what every arm gave it and why it is no hit"""


class DecisionOutcome(Model):
    id: str
    error: ItemError | None = None
    state: Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str | None = None
    verification_status: Literal["pending_approval", "verified", "rejected", "needs_review", "disputed"] | str | None = None


class DecisionReport(Model):
    failed: int
    items: list[DecisionOutcome]
    change: str | None = None
    dry_run: bool | None = None
    masked: int | None = None
    masked_in: list[str] | None = None


class Deletion(Model):
    ids: list[str]
    change: str | None = None
    """Undoes it, if it is not an erasure"""
    receipt: EraseReceipt | None = None
    """Proof of an erasure"""


class DoctorReport(Model):
    checks: list[Check]
    ok: bool
    generations: list[GenerationCount] | None = None
    repaired: list[str] | None = None


class Domain(Model):
    fields: list[DomainField]
    id: str
    language: str
    persona: Persona
    title: str
    description: str | None = None


class DomainField(Model):
    id: str
    label: str
    question: str
    type: str
    aliases: list[str] | None = None
    category: str | None = None
    choices: list[str] | None = None
    follow_ups: list[DomainField] | None = None
    order: int | None = None
    required: bool | None = None
    when: list[str] | None = None


class DomainGap(Model):
    field: str
    label: str
    question: str
    required: bool
    type: str
    choices: list[str] | None = None
    skipped: bool | None = None


class DomainGaps(Model):
    domain: str
    items: list[DomainGap]
    known: list[KnownField]
    missing: int
    title: str


class Domains(Model):
    items: list[Domain]


class Drop(Model):
    id: str
    reason: str
    score: float


class Embedded(Model):
    generated_at: datetime.datetime
    generation: str
    model: str
    cut: bool | None = None


class Entity(Model):
    created_at: datetime.datetime
    id: str
    identifiers: list[Identifier]
    name: str
    type: str
    version: int
    aliases: list[str] | None = None
    attributes: dict[str, Any] | None = None
    change: str | None = None
    changes: int | None = None
    masked: int | None = None
    masked_in: list[str] | None = None
    merged: list[str] | None = None
    merged_into: str | None = None
    owner: str | None = None


class EntityChange(Model):
    action: Literal["created", "updated", "merged", "merged_in", "split", "split_out"] | str
    at: datetime.datetime
    entity_id: str
    seq: int
    added: EntityParts | None = None
    by: str | None = None
    other: str | None = None
    removed: EntityParts | None = None


class EntityHistory(Model):
    items: list[EntityChange]
    next_cursor: str | None = None


class EntityList(Model):
    items: list[FoundEntity]
    next_cursor: str | None = None


class EntityPage(Model):
    items: list[Entity]
    next_cursor: str | None = None


class EntityParts(Model):
    aliases: list[str] | None = None
    attributes: dict[str, Any] | None = None
    identifiers: list[Identifier] | None = None
    name: str | None = None
    type: str | None = None


class Entry(Model):
    category: str | None = None
    """Category inside the domain"""
    confidence: float | None = None
    """0 to 1; 0 means not stated"""
    content: str | None = None
    """What is known; may be left out where structured data say it"""
    structured: dict[str, Any] | None = None
    """Structured data; its values are searchable text"""
    title: str | None = None
    """Title"""


class EntryHit(Model):
    memory: Memory
    score: float


class EraseReceipt(Model):
    at: datetime.datetime
    id: str
    memories: int
    sources: int
    texts: int
    tombstones: int
    vectors: int
    dry_run: bool | None = None
    entities: int | None = None
    facts: int | None = None
    masked: int | None = None
    masked_in: list[str] | None = None
    media: int | None = None
    objects: int | None = None
    reason: str | None = None
    recalls: int | None = None
    searches: int | None = None
    shares: int | None = None
    transcripts: int | None = None


class Event(Model):
    kind: Literal["open", "change", "alert", "jobs", "lag"] | str
    """open, change, alert, jobs or lag"""
    alerts: list[Alert] | None = None
    """Of an alert: up to a thousand of them; GET /alerts has them all"""
    all: bool | None = None
    """Anything may have changed: reload everything that you show"""
    count: int | None = None
    """Of a change: how many memories"""
    cursor: str | None = None
    """Where to continue after a break; also the id of the event"""
    ids: list[str] | None = None
    """Of a change: the first hundred of them"""
    jobs: JobCounts | None = None
    lag: Lag | None = None


class Evidence(Model):
    end: int
    episode_id: str
    quote: str
    start: int
    at: datetime.datetime | None = None
    certainty: Literal["stated", "planned", "reported", "hedged"] | str | None = None
    confidence: float | None = None
    ends: bool | None = None
    entity_id: str | None = None
    heir: str | None = None
    other: bool | None = None
    premises: list[Premise] | None = None
    proposed: bool | None = None
    rule: str | None = None
    said_at: datetime.datetime | None = None
    says: str | None = None
    source_id: str | None = None
    trust: Literal["user_confirmed", "user_stated", "imported", "assistant_said", "tool_output"] | str | None = None
    until: datetime.datetime | None = None
    withdrawn: bool | None = None


class ExampleFact(Model):
    about: str
    quote: str
    sentence: str
    topic: str
    value: str
    amount: str | None = None
    confidence: str | None = None
    fields: dict[str, str] | None = None
    time_words: str | None = None
    whose_words: str | None = None


class ExampleTurn(Model):
    role: Literal["user", "assistant", "system", "tool"] | str
    text: str
    speaker: str | None = None


class Explain(Model):
    arms: list[ArmReport]
    filter: dict[str, Any]
    fired: str
    pulled: str
    terms: list[str]
    timings_ms: dict[str, float]
    generation: str | None = None
    usage: Usage | None = None


class Exposure(Model):
    items: list[ExposureSum]


class ExposureSum(Model):
    amount: str
    facts: int
    currency: str | None = None
    project: str | None = None
    type: str | None = None


class ExtractionChoice(Model):
    extract: str
    project: str | None = None


class ExtractionReport(Model):
    calls: int
    facts: int
    model: str
    profile: str
    usage: Usage
    read_by: str | None = None
    refused: dict[str, int] | None = None
    unread: list[str] | None = None


class Facet(Model):
    count: int
    last: datetime.datetime
    value: str


class FacetList(Model):
    items: list[Facet]
    more: bool | None = None


class Fact(Model):
    author_role: Literal["user", "assistant", "system", "tool"] | str
    certainty: Literal["stated", "planned", "reported", "hedged"] | str
    confidence: float
    entity_id: str
    evidence: list[Evidence]
    fact: Node
    fact_id: str
    fact_type: Literal["task", "decision", "milestone", "financial", "schedule", "material", "risk", "constraint", "data_point", "preference", "profile", "relationship", "plan", "event", "relation", "other"] | str
    polarity: Literal["affirmed", "negated"] | str
    priority: Literal["critical", "high", "normal", "low"] | str
    relationship_key: str
    verb: str
    verification: Verification
    action_deadline: datetime.datetime | None = None
    content: dict[str, Any] | None = None
    financial: Financial | None = None
    guest: bool | None = None
    legacy_id: int | None = None
    owner: str | None = None
    requires_action: bool | None = None
    rule: str | None = None
    single_valued: bool | None = None


class FactGroup(Model):
    entity_id: str
    facts: list[Memory]
    score: float | None = None
    truncated: bool | None = None
    verb: str | None = None


class FactGroups(Model):
    items: list[FactGroup]
    cut: list[str] | None = None
    next_cursor: str | None = None
    scale: str | None = None


class FactHit(Model):
    memory: Memory
    relevance: float
    score: float
    explain: RelevanceParts | None = None
    weak: bool | None = None


class FactPage(Model):
    items: list[FactHit]
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""
    scale: str | None = None
    truncated: bool | None = None


class FactStats(Model):
    fact_types: dict[str, int]
    states: dict[str, int]
    total: int
    verification_status: dict[str, int]


class Features(Model):
    model: bool
    recall_log: bool
    reranker: bool
    vectors: bool


class Feed(Model):
    items: list[FeedItem]
    next_cursor: str | None = None


class FeedItem(Model):
    at: datetime.datetime
    kind: Literal["learned", "replaced", "ended", "forgotten", "planned"] | str
    after: Memory | None = None
    before: Memory | None = None


class Financial(Model):
    amount: str
    category: str | None = None
    check: str | None = None
    currency: str | None = None
    quantity: str | None = None
    rate: str | None = None
    type: str | None = None
    unit: str | None = None


class ForgetResult(Model):
    ids: list[str]
    change: str | None = None
    dry_run: bool | None = None


class ForgottenRecalls(Model):
    deleted: int


class FoundEntity(Model):
    entity: Entity
    facts: int
    past: int
    last_heard: datetime.datetime | None = None


class Generation(Model):
    dims: int
    model: str
    provider: str
    recipe: int
    threshold: bool
    address: str | None = None
    variant: str | None = None


class GenerationCount(Model):
    cut: int
    generation: Generation
    key: str
    missing: int
    refused: int
    state: Literal["active", "building", "previous"] | str
    vectors: int
    build: Build | None = None
    embedder: str | None = None


class GenerationList(Model):
    items: list[GenerationStatus]


class GenerationStatus(Model):
    generation: Generation
    key: str
    state: Literal["active", "building", "previous"] | str
    build: Build | None = None
    embedder: str | None = None


class Histogram(Model):
    items: list[HistogramStep]


class HistogramStep(Model):
    counts: dict[str, int]


class History(Model):
    versions: list[Memory]
    truncated: bool | None = None


class Hit(HitMore, Model):
    memory: Memory
    score: float
    duplicates: int | None = None
    facts: list[Memory] | None = None
    later: LaterTurn | None = None
    neighbors: list[Memory] | None = None
    parts: dict[str, Part] | None = None
    relevance: float | None = None
    similarity: float | None = None
    weak: bool | None = None


class Identifier(Model):
    type: str
    """email, phone, user_id, name or a word of your own"""
    value: str
    """The identifier"""
    owner: str | None = None
    """Within whom a name means somebody: user:…, project:… or session:…; in answers only"""


class ImportFault(Model):
    file: str
    reason: str
    line: int | None = None
    """From 1; absent where all of the file is meant"""


class ImportFound(Model):
    conversations: int
    documents: int
    messages: int
    notes: int


class ImportRun(Model):
    bytes: int
    """Of the files"""
    bytes_read: int
    files: list[ImportedFile]
    found: ImportFound
    id: str
    rejected: list[ImportFault]
    """What could not be read or taken; the first hundred"""
    rejected_count: int
    scope: Scope
    skipped: int
    """There already, or erased"""
    started_at: datetime.datetime
    state: Literal["dry", "running", "done", "interrupted", "undone"] | str
    stored: int
    """Memories that are new, or would be"""
    updated_at: datetime.datetime
    forgotten: int | None = None
    """Of one that was undone: how many memories were taken out of search"""
    left_out: dict[str, int] | None = None
    """How much was left out on purpose, by what it is"""
    media_taken: int | None = None
    """Of one that was undone: how many pictures, recordings and scans were taken away"""
    refused: dict[str, int] | None = None
    """How many were refused, by the reason"""


class ImportRuns(Model):
    items: list[ImportRun]
    more: bool | None = None
    """There are earlier ones"""


class ImportedFile(Model):
    bytes: int
    name: str
    format: str | None = None
    """Empty: it was not recognised"""


class Interview(Model):
    domain: str
    entries: list[Memory]
    id: str
    known: int
    language: str
    missing: int
    relevant_context: list[EntryHit]
    scope: Scope
    state: Literal["open", "paused", "done"] | str
    title: str
    acknowledgement: str | None = None
    answer: Literal["answer", "skip", "question", "stop"] | str | None = None
    answer_id: str | None = None
    context_summary: str | None = None
    field: str | None = None
    question: str | None = None
    repeated: list[str] | None = None
    without: list[Literal["classify", "dispatch", "structure", "persist", "gap", "persona"] | str] | None = None


class ItemError(Model):
    detail: str
    kind: str
    rejected: list[Rejection] | None = None


class Job(Model):
    attempts: int
    created_at: datetime.datetime
    id: str
    kind: str
    max_attempts: int
    run_at: datetime.datetime
    state: Literal["ready", "done", "dead"] | str
    updated_at: datetime.datetime
    error: str | None = None
    leased_until: datetime.datetime | None = None
    payload: Any | None = None
    report: ExtractionReport | None = None
    request_id: str | None = None
    worker: str | None = None


class JobCounts(Model):
    dead: int
    """Given up, until they are retried"""
    ready: int
    """Waiting for their time or a worker"""
    running: int
    more: bool | None = None
    """There are more jobs than were counted"""


class JobPage(Model):
    items: list[Job]
    counts: JobCounts | None = None
    """Of all jobs of the tenant, whatever was asked for"""
    next_cursor: str | None = None


class KeyPage(Model):
    items: list[APIKey]
    next_cursor: str | None = None


class KnownField(Model):
    entry_ids: list[str]
    field: str
    label: str
    value: str
    confidence: float | None = None


class Lag(Model):
    texts: int
    vectors: int


class LanguageChoice(Model):
    languages: list[str]
    """Codes of the languages that the tenant's texts are in, the main one first; none: every text tells its own"""


class LaterTurn(Model):
    at: datetime.datetime
    id: str


class LedgerEntry(Model):
    amount: str
    at: datetime.datetime
    fact_id: str
    kind: str
    episode_id: str | None = None
    number: str | None = None
    quote: str | None = None


class LedgerFinding(Model):
    amount: str
    counterparty: str
    currency: str
    fact_ids: list[str]
    item: str
    kind: str
    others: list[str]
    says: str


class LedgerItem(Model):
    budget: str
    committed: str
    currency: str
    estimated: str
    fact_ids: list[str]
    invoiced: str
    item: str
    open: str
    paid: str
    phase: str
    quoted: str
    variance: str | None = None
    variance_percent: str | None = None
    without: list[str] | None = None


class LedgerLine(Model):
    budget: str
    committed: str
    counterparty: str
    currency: str
    entries: list[LedgerEntry]
    estimated: str
    invoiced: str
    item: str
    open: str
    paid: str
    phase: str
    quoted: str


class LedgerMatch(Model):
    by: str
    fact_id: str
    to: str
    amount_fits: str | None = None


class LedgerOmission(Model):
    fact_id: str
    reason: str
    amount: str | None = None
    currency: str | None = None
    kind: str | None = None
    quote: str | None = None


class LedgerTotal(Model):
    allocated: str
    budget: str
    committed: str
    currency: str
    estimated: str
    invoiced: str
    open: str
    paid: str
    quoted: str
    rates: list[str] | None = None
    variance: str | None = None
    variance_percent: str | None = None
    without: list[str] | None = None


class LookupHit(Model):
    collection: str
    fact_id: str
    id: str
    relationship_key: str
    score: float
    verb: str
    verified: bool
    reason: str | None = None


class LookupNote(Model):
    min_score: float
    orphan_count: int
    query: str
    scale: str
    timings_ms: dict[str, float]
    top_k: int
    vector_hits: list[LookupHit]
    verified_count: int
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""


class LookupResult(Model):
    entity: Entity
    facts: list[Memory]
    also: list[str] | None = None
    """Other entities whose facts are among these: of a user with one speaker that speaker, and the reverse"""
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""
    rag_debug: LookupNote | None = None
    scale: str | None = None
    truncated: bool | None = None


class Me(Model):
    access: Literal["reader", "writer", "admin"] | str
    features: Features
    name: str
    open: bool
    tenant: str
    version: str
    read_only: str | None = None
    scope: Scope | None = None


class Media(Model):
    bytes: int
    id: str
    media_type: str
    name: str
    recorded_at: datetime.datetime
    scope: Scope
    sha256: str
    state: str
    event_time: datetime.datetime | None = None
    extract: str | None = None
    height: int | None = None
    import_id: str | None = None
    model: str | None = None
    not_as_project: bool | None = None
    not_as_user: bool | None = None
    pages: list[int] | None = None
    read_at: datetime.datetime | None = None
    reason: str | None = None
    source_id: str | None = None
    width: int | None = None


class MediaPage(Model):
    items: list[Media]
    next_cursor: str | None = None


class Memory(Model):
    event_time: datetime.datetime
    id: str
    kind: Literal["episode", "note", "entry", "passage", "summary", "window", "fact"] | str
    recorded_at: datetime.datetime
    scope: Scope
    seq: int
    state: Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str
    text: str
    trust: Literal["user_confirmed", "user_stated", "imported", "assistant_said", "tool_output"] | str
    version: int
    archived_at: datetime.datetime | None = None
    change: str | None = None
    clipped: int | None = None
    embedding: Embedded | None = None
    entry: Entry | None = None
    external_id: str | None = None
    fact: Fact | None = None
    indexed_at: datetime.datetime | None = None
    job_id: str | None = None
    masked: int | None = None
    masked_in: list[str] | None = None
    metadata: dict[str, Any] | None = None
    pending: bool | None = None
    planned: bool | None = None
    role: Literal["user", "assistant", "system", "tool"] | str | None = None
    shared_from: str | None = None
    source_id: str | None = None
    speaker: str | None = None
    summary: Summary | None = None
    superseded_at: datetime.datetime | None = None
    superseded_by: str | None = None
    supersedes: list[str] | None = None
    tags: list[str] | None = None
    type: str | None = None
    valid_until: datetime.datetime | None = None


class Neighborhood(Model):
    entities: list[Entity]
    entity: Entity
    facts: list[Memory]
    cut: int | None = None
    more: dict[str, int] | None = None
    truncated: bool | None = None


class NewKey(Model):
    key: APIKey
    secret: str
    """Shown once; only its hash is stored"""


class Node(Model):
    name: str
    type: str
    entity_ref: str | None = None


class OperationResult(Model):
    error: ItemError | None = None
    forgotten: ForgetResult | None = None
    found: RecallResult | None = None
    listed: Page | None = None
    memory: Memory | None = None
    remembered: RememberResult | None = None


class Page(Model):
    items: list[Memory]
    next_cursor: str | None = None
    truncated: bool | None = None


class Part(Model):
    norm: float
    rank: int
    raw: float
    weight: float


class Persona(Model):
    greeting: str | None = None
    name: str | None = None
    style: str | None = None


class Premise(Model):
    end: int
    episode_id: str
    quote: str
    start: int


class Profile(Model):
    description: str
    name: str
    types: list[ProfileType]
    verbs: list[ProfileVerb]
    categories: list[ProfileCategory] | None = None
    examples: list[ProfileExample] | None = None
    extends: str | None = None
    rules: list[str] | None = None
    topics: list[ProfileTopic] | None = None


class ProfileCategory(Model):
    name: str
    code: str | None = None


class ProfileChoice(Model):
    name: str
    phase: str | None = None
    project: str | None = None
    role: str | None = None


class ProfileExample(Model):
    turns: list[ExampleTurn]
    facts: list[ExampleFact] | None = None


class ProfileField(Model):
    description: str
    name: str
    type: str
    choices: list[str] | None = None
    required: bool | None = None


class ProfileTopic(Model):
    description: str
    name: str
    verbs: list[str]


class ProfileType(Model):
    description: str
    name: Literal["task", "decision", "milestone", "financial", "schedule", "material", "risk", "constraint", "data_point", "preference", "profile", "relationship", "plan", "event", "relation", "other"] | str
    fields: list[ProfileField] | None = None
    time: str | None = None


class ProfileVerb(Model):
    cardinality: str
    description: str
    name: str
    node: str
    type: Literal["task", "decision", "milestone", "financial", "schedule", "material", "risk", "constraint", "data_point", "preference", "profile", "relationship", "plan", "event", "relation", "other"] | str
    money: str | None = None


class Profiles(Model):
    default: str
    items: list[Profile]
    choices: list[ProfileChoice] | None = None
    phase: str | None = None


class ProjectLedger(Model):
    as_of: datetime.datetime
    findings: list[LedgerFinding]
    items: list[LedgerItem]
    left_out: list[LedgerOmission]
    lines: list[LedgerLine]
    matches: list[LedgerMatch]
    project: str
    tolerance: str
    totals: list[LedgerTotal]
    combined: LedgerTotal | None = None


class ProjectReport(Model):
    markdown: str
    money: list[LedgerTotal]
    omitted: int
    project: str
    to: datetime.datetime
    topics: list[ReportTopic]
    model: str | None = None
    prose: str | None = None


class ProjectTimeline(Model):
    as_of: datetime.datetime
    critical: list[str]
    critical_days: int
    items: list[TimelineItem]
    project: str
    undated: list[TimelineItem]
    left_out: dict[str, int] | None = None


class ProjectTrends(Model):
    as_of: datetime.datetime
    findings: list[TrendFinding]
    likes: list[TrendLikes]
    project: str
    series: list[TrendSeries]


class PruneResult(Model):
    protected: int
    pruned: list[PrunedMemory]
    total: int
    dry_run: bool | None = None
    more: bool | None = None


class PrunedMemory(Model):
    id: str
    importance: float
    text: str


class RecallAgain(Model):
    gone: list[str]
    new: list[str]
    now: RecallResult
    then: ServedRecall


class RecallResult(RecallResultMore, Model):
    abstained: bool
    hits: list[Hit]
    scale: str
    damaged: list[str] | None = None
    dropped: list[Drop] | None = None
    explain: Explain | None = None
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""
    recall_id: str | None = None
    trace: list[Traced] | None = None
    truncated: bool | None = None


class RecallsPage(Model):
    items: list[ServedRecall]
    next_cursor: str | None = None
    off: bool | None = None


class Reextraction(Model):
    sources: int


class RegenerateResult(Model):
    embedded: int
    left: int


class ReindexResult(Model):
    seconds: float
    texts: int
    vectors: int
    generations: list[GenerationStatus] | None = None


class Rejection(Model):
    index: int
    reason: str
    detail: str | None = None


class Relation(Model):
    hops: int
    id: str
    memory: Memory
    to: str
    type: Literal["depends_on", "blocks", "causes", "part_of", "settles", "replaces"] | str


class RelationList(Model):
    fact: Memory
    facts: list[Memory]
    relations: list[Relation]
    truncated: bool | None = None


class RelevanceParts(Model):
    confidence_factor: float
    priority_factor: float
    similarity: float


class RememberResult(RememberResultMore, Model):
    indexed: bool
    memories: list[Memory]
    rejected: list[Rejection]
    dry_run: bool | None = None
    job_id: str | None = None
    known_as: str | None = None
    masked: int | None = None
    masked_in: list[str] | None = None
    media: list[str] | None = None
    """Files of messages that are stored beside the words"""
    model_error: str | None = None
    """Why a model has added nothing yet to the facts that rules found; job_id is its job"""
    omitted: dict[str, int] | None = None
    """Parts of messages that are not stored, by kind"""
    pending: bool | None = None
    replayed: bool | None = None
    source_id: str | None = None
    usage: Usage | None = None


class ReportItem(Model):
    at: datetime.datetime
    change: str
    episode_id: str
    fact_id: str
    quote: str
    says: str
    uncertain: bool
    by: str | None = None


class ReportTopic(Model):
    items: list[ReportItem]
    topic: str


class ReviewItem(Model):
    id: str
    reason: Literal["conflict", "low_trust", "ambiguous_entity", "ambiguous_match", "future", "quarantined", "candidate"] | str
    since: datetime.datetime
    actions: list[str] | None = None
    entities: list[str] | None = None
    memory: Memory | None = None
    name: str | None = None
    others: list[Memory] | None = None
    truncated: bool | None = None
    whose: str | None = None
    why: str | None = None


class ReviewPage(Model):
    items: list[ReviewItem]
    next_cursor: str | None = None


class SavedSearch(Model):
    created_at: datetime.datetime
    id: str
    name: str
    """Name; unique in its scope. It cannot be changed"""
    scope: Scope
    updated_at: datetime.datetime
    alerts: list[Literal["match", "changed", "amount", "deadline", "contradiction", "lag"] | str] | None = None
    """What raises an alert; match and changed if absent"""
    amount: str | None = None
    """Decimal number: greater amounts raise an alert of kind amount"""
    behind: int | None = None
    """How many changes that an index has not read raise an alert of kind lag; 1000 if absent"""
    bound: list[str] | None = None
    """What the key was bound to that saved it"""
    currency: str | None = None
    """Only amounts in this currency; any if absent"""
    days: int | None = None
    """How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent"""
    filter: dict[str, Any] | None = None
    """Conditions; see the filter grammar"""
    not_as_project: bool | None = None
    not_as_user: bool | None = None
    of: Literal["facts", "memories"] | str | None = None
    """What is looked at; facts if absent"""
    query: str | None = None
    """Words that all have to occur, and quoted phrases"""
    version: int | None = None
    """Of a change: the version that was read; another one is a conflict"""
    webhook: str | None = None
    """Name of a webhook of the settings, which gets each alert"""


class Scope(Model):
    agent: str | None = None
    """Agent that wrote or reads"""
    channel: str | None = None
    """Where it was said, for example chat or e-mail"""
    domain: str | None = None
    """Knowledge domain"""
    project: str | None = None
    """Project that the memory belongs to"""
    session: str | None = None
    """Conversation or run"""
    time_zone: str | None = None
    """IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset"""
    user: str | None = None
    """Person whose memory it is"""


class Searches(Model):
    items: list[SavedSearch]


class ServedHit(Model):
    id: str
    version: int
    score: float | None = None


class ServedRecall(Model):
    at: datetime.datetime
    found: int
    hits: list[ServedHit]
    id: str
    key_name: str
    ms: float
    request: ContextRequest
    scope: Scope
    via: str
    what: str
    abstained: bool | None = None
    partial: bool | None = None
    request_id: str | None = None
    tokens: int | None = None


class Session(Model):
    first_turn: datetime.datetime
    id: str
    last_turn: datetime.datetime
    scope: Scope
    tokens: int
    turns: int
    uncovered_tokens: int
    summary: Memory | None = None


class SessionContext(Model):
    first_turn: datetime.datetime
    id: str
    last_turn: datetime.datetime
    past: list[Hit]
    scope: Scope
    text: str
    turns: int
    uncovered_tokens: int
    window: list[Memory]
    window_tokens: int
    failed: str | None = None
    summary: Memory | None = None


class SessionItem(Model):
    at: datetime.datetime
    item: Any
    seq: int
    memory_id: str | None = None


class SessionItems(Model):
    items: list[SessionItem]
    next_cursor: str | None = None


class SessionPage(Model):
    items: list[Session]
    next_cursor: str | None = None


class SessionTurns(Model):
    first_turn: datetime.datetime
    id: str
    items: list[Memory]
    last_turn: datetime.datetime
    scope: Scope
    tokens: int
    turns: int
    uncovered_tokens: int
    next_cursor: str | None = None
    summary: Memory | None = None


class SignedIn(Model):
    access: Literal["reader", "writer", "admin"] | str
    name: str
    tenant: str


class SignedOut(Model):
    signed_out: bool


class SimilarEntries(Model):
    items: list[EntryHit]
    scale: str
    total: int
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""


class SplitResult(Model):
    kept: Entity
    out: Entity
    change: str | None = None


class StaleFact(Model):
    last_seen: datetime.datetime
    memory: Memory


class StalePage(Model):
    items: list[StaleFact]
    truncated: bool | None = None


class Stats(Model):
    kinds: dict[str, int]
    states: dict[str, int]
    total: int
    newest: datetime.datetime | None = None


class SummarizeResult(Model):
    summaries: list[Memory]
    usage: Usage | None = None


class Summary(Model):
    of: str
    sources: list[str]
    tokens: int
    model: str | None = None
    stale: bool | None = None
    subject: str | None = None
    through: int | None = None


class SummaryResult(Model):
    entity: Entity
    fact_count: int
    summary: str
    failed_arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None = None
    """Which arms failed: lexical, exact, dense; absent if none did"""
    partial: bool | None = None
    """An arm failed, or what it found is damaged: something is missing, and the order may be another one"""
    rag_debug: LookupNote | None = None


class Supersession(Model):
    superseded: Memory
    by: Memory | None = None
    change: str | None = None
    masked: int | None = None
    masked_in: list[str] | None = None


class SweepResult(Model):
    expired: int


class TimelineItem(Model):
    after: list[str]
    id: str
    kind: Literal["task", "milestone", "deadline", "schedule"] | str
    name: str
    quotes: list[TimelineQuote]
    critical: bool | None = None
    end: datetime.datetime | None = None
    ended: bool | None = None
    late: list[str] | None = None
    part_of: list[str] | None = None
    start: datetime.datetime | None = None


class TimelineQuote(Model):
    episode_id: str
    quote: str


class ToolList(Model):
    items: list[Any]
    """Definitions, to be handed to a model as they are"""


class Traced(Model):
    id: str
    score: float
    parts: dict[str, Part] | None = None
    place: int | None = None
    reason: str | None = None
    similarity: float | None = None
    weak: bool | None = None


class TrendFinding(Model):
    change: str
    fact_ids: list[str]
    kind: str
    mad: str
    median: str
    name: str
    of: str
    says: str
    series: int
    currency: str | None = None


class TrendLikes(Model):
    kind: str
    of: str
    series: int
    floor: str | None = None
    mad: str | None = None
    median: str | None = None


class TrendPoint(Model):
    at: datetime.datetime
    fact_id: str
    value: str
    episode_id: str | None = None
    quote: str | None = None


class TrendSeries(Model):
    change: str
    falls: int
    kind: str
    name: str
    of: str
    points: list[TrendPoint]
    rises: int
    counterparty: str | None = None
    currency: str | None = None


class Undone(Model):
    action: str
    at: datetime.datetime
    change: str


class Unrelated(Model):
    id: str
    """Of the relation that was taken back"""


class Usage(Model):
    input_tokens: int
    output_tokens: int


class UsageLine(Model):
    day: str
    input_tokens: int
    model: str
    output_tokens: int
    provider: str
    purpose: str
    requests: int


class UsageReport(Model):
    budget: list[BudgetState]
    lines: list[UsageLine]


class Verification(Model):
    status: Literal["pending_approval", "verified", "rejected", "needs_review", "disputed"] | str
    at: datetime.datetime | None = None
    by: str | None = None
    note: str | None = None


APIKey._nested = {"created_at": datetime.datetime, "expires_at": datetime.datetime, "revoked_at": datetime.datetime, "scope": Scope}
Alert._nested = {"at": datetime.datetime, "scope": Scope, "acknowledged_at": datetime.datetime, "delivered_at": datetime.datetime, "due": datetime.datetime}
AlertPage._nested = {"items": Alert}
AssimilateResult._nested = {"assimilated_facts": Memory, "entity": Entity, "usage": Usage}
AuditEntry._nested = {"at": datetime.datetime}
AuditPage._nested = {"items": AuditEntry}
BatchResults._nested = {"results": OperationResult}
Build._nested = {"started_at": datetime.datetime}
Card._nested = {"entity": Entity}
ConsultResult._nested = {"actions": Memory, "used": ConsultUsed, "rejected": Rejection}
ConsultUsed._nested = {"usage": Usage}
ContextBlock._nested = {"hits": Hit, "left_out": ContextLeft, "parts": ContextPart, "records": ContextRecord}
DecisionOutcome._nested = {"error": ItemError}
DecisionReport._nested = {"items": DecisionOutcome}
Deletion._nested = {"receipt": EraseReceipt}
DoctorReport._nested = {"checks": Check, "generations": GenerationCount}
Domain._nested = {"fields": DomainField, "persona": Persona}
DomainField._nested = {"follow_ups": DomainField}
DomainGaps._nested = {"items": DomainGap, "known": KnownField}
Domains._nested = {"items": Domain}
Embedded._nested = {"generated_at": datetime.datetime}
Entity._nested = {"created_at": datetime.datetime, "identifiers": Identifier}
EntityChange._nested = {"at": datetime.datetime, "added": EntityParts, "removed": EntityParts}
EntityHistory._nested = {"items": EntityChange}
EntityList._nested = {"items": FoundEntity}
EntityPage._nested = {"items": Entity}
EntityParts._nested = {"identifiers": Identifier}
EntryHit._nested = {"memory": Memory}
EraseReceipt._nested = {"at": datetime.datetime}
Event._nested = {"alerts": Alert, "jobs": JobCounts, "lag": Lag}
Evidence._nested = {"at": datetime.datetime, "premises": Premise, "said_at": datetime.datetime, "until": datetime.datetime}
Explain._nested = {"arms": ArmReport, "usage": Usage}
Exposure._nested = {"items": ExposureSum}
ExtractionReport._nested = {"usage": Usage}
Facet._nested = {"last": datetime.datetime}
FacetList._nested = {"items": Facet}
Fact._nested = {"evidence": Evidence, "fact": Node, "verification": Verification, "action_deadline": datetime.datetime, "financial": Financial}
FactGroup._nested = {"facts": Memory}
FactGroups._nested = {"items": FactGroup}
FactHit._nested = {"memory": Memory, "explain": RelevanceParts}
FactPage._nested = {"items": FactHit}
Feed._nested = {"items": FeedItem}
FeedItem._nested = {"at": datetime.datetime, "after": Memory, "before": Memory}
FoundEntity._nested = {"entity": Entity, "last_heard": datetime.datetime}
GenerationCount._nested = {"generation": Generation, "build": Build}
GenerationList._nested = {"items": GenerationStatus}
GenerationStatus._nested = {"generation": Generation, "build": Build}
Histogram._nested = {"items": HistogramStep}
History._nested = {"versions": Memory}
Hit._nested = {"memory": Memory, "facts": Memory, "later": LaterTurn, "neighbors": Memory, "parts": Part}
ImportRun._nested = {"files": ImportedFile, "found": ImportFound, "rejected": ImportFault, "scope": Scope, "started_at": datetime.datetime, "updated_at": datetime.datetime}
ImportRuns._nested = {"items": ImportRun}
Interview._nested = {"entries": Memory, "relevant_context": EntryHit, "scope": Scope}
ItemError._nested = {"rejected": Rejection}
Job._nested = {"created_at": datetime.datetime, "run_at": datetime.datetime, "updated_at": datetime.datetime, "leased_until": datetime.datetime, "report": ExtractionReport}
JobPage._nested = {"items": Job, "counts": JobCounts}
KeyPage._nested = {"items": APIKey}
LaterTurn._nested = {"at": datetime.datetime}
LedgerEntry._nested = {"at": datetime.datetime}
LedgerLine._nested = {"entries": LedgerEntry}
LookupNote._nested = {"vector_hits": LookupHit}
LookupResult._nested = {"entity": Entity, "facts": Memory, "rag_debug": LookupNote}
Me._nested = {"features": Features, "scope": Scope}
Media._nested = {"recorded_at": datetime.datetime, "scope": Scope, "event_time": datetime.datetime, "read_at": datetime.datetime}
MediaPage._nested = {"items": Media}
Memory._nested = {"event_time": datetime.datetime, "recorded_at": datetime.datetime, "scope": Scope, "archived_at": datetime.datetime, "embedding": Embedded, "entry": Entry, "fact": Fact, "indexed_at": datetime.datetime, "summary": Summary, "superseded_at": datetime.datetime, "valid_until": datetime.datetime}
Neighborhood._nested = {"entities": Entity, "entity": Entity, "facts": Memory}
NewKey._nested = {"key": APIKey}
OperationResult._nested = {"error": ItemError, "forgotten": ForgetResult, "found": RecallResult, "listed": Page, "memory": Memory, "remembered": RememberResult}
Page._nested = {"items": Memory}
Profile._nested = {"types": ProfileType, "verbs": ProfileVerb, "categories": ProfileCategory, "examples": ProfileExample, "topics": ProfileTopic}
ProfileExample._nested = {"turns": ExampleTurn, "facts": ExampleFact}
ProfileType._nested = {"fields": ProfileField}
Profiles._nested = {"items": Profile, "choices": ProfileChoice}
ProjectLedger._nested = {"as_of": datetime.datetime, "findings": LedgerFinding, "items": LedgerItem, "left_out": LedgerOmission, "lines": LedgerLine, "matches": LedgerMatch, "totals": LedgerTotal, "combined": LedgerTotal}
ProjectReport._nested = {"money": LedgerTotal, "to": datetime.datetime, "topics": ReportTopic}
ProjectTimeline._nested = {"as_of": datetime.datetime, "items": TimelineItem, "undated": TimelineItem}
ProjectTrends._nested = {"as_of": datetime.datetime, "findings": TrendFinding, "likes": TrendLikes, "series": TrendSeries}
PruneResult._nested = {"pruned": PrunedMemory}
RecallAgain._nested = {"now": RecallResult, "then": ServedRecall}
RecallResult._nested = {"hits": Hit, "dropped": Drop, "explain": Explain, "trace": Traced}
RecallsPage._nested = {"items": ServedRecall}
ReindexResult._nested = {"generations": GenerationStatus}
Relation._nested = {"memory": Memory}
RelationList._nested = {"fact": Memory, "facts": Memory, "relations": Relation}
RememberResult._nested = {"memories": Memory, "rejected": Rejection, "usage": Usage}
ReportItem._nested = {"at": datetime.datetime}
ReportTopic._nested = {"items": ReportItem}
ReviewItem._nested = {"since": datetime.datetime, "memory": Memory, "others": Memory}
ReviewPage._nested = {"items": ReviewItem}
SavedSearch._nested = {"created_at": datetime.datetime, "scope": Scope, "updated_at": datetime.datetime}
Searches._nested = {"items": SavedSearch}
ServedRecall._nested = {"at": datetime.datetime, "hits": ServedHit, "request": ContextRequest, "scope": Scope}
Session._nested = {"first_turn": datetime.datetime, "last_turn": datetime.datetime, "scope": Scope, "summary": Memory}
SessionContext._nested = {"first_turn": datetime.datetime, "last_turn": datetime.datetime, "past": Hit, "scope": Scope, "window": Memory, "summary": Memory}
SessionItem._nested = {"at": datetime.datetime}
SessionItems._nested = {"items": SessionItem}
SessionPage._nested = {"items": Session}
SessionTurns._nested = {"first_turn": datetime.datetime, "items": Memory, "last_turn": datetime.datetime, "scope": Scope, "summary": Memory}
SimilarEntries._nested = {"items": EntryHit}
SplitResult._nested = {"kept": Entity, "out": Entity}
StaleFact._nested = {"last_seen": datetime.datetime, "memory": Memory}
StalePage._nested = {"items": StaleFact}
Stats._nested = {"newest": datetime.datetime}
SummarizeResult._nested = {"summaries": Memory, "usage": Usage}
SummaryResult._nested = {"entity": Entity, "rag_debug": LookupNote}
Supersession._nested = {"superseded": Memory, "by": Memory}
TimelineItem._nested = {"quotes": TimelineQuote, "end": datetime.datetime, "start": datetime.datetime}
Traced._nested = {"parts": Part}
TrendPoint._nested = {"at": datetime.datetime}
TrendSeries._nested = {"points": TrendPoint}
Undone._nested = {"at": datetime.datetime}
UsageReport._nested = {"budget": BudgetState, "lines": UsageLine}
Verification._nested = {"at": datetime.datetime}


class Document(TypedDict, total=False):
    content: Required[str]
    """The text"""
    name: Required[str]
    """Title or file name"""
    media_type: Literal["text/markdown", "text/plain"] | None
    """text/markdown or text/plain; by the name's ending if empty"""


class EntryInput(TypedDict, total=False):
    category: str | None
    """Category inside the domain"""
    confidence: float | None
    """0 to 1; 0 means not stated"""
    content: str | None
    """What is known; may be left out where structured data say it"""
    structured: dict[str, Any] | None
    """Structured data; its values are searchable text"""
    title: str | None
    """Title"""


class FinancialInput(TypedDict, total=False):
    amount: Required[str]
    category: str | None
    check: str | None
    currency: str | None
    quantity: str | None
    rate: str | None
    type: str | None
    unit: str | None


class ForgetRequest(TypedDict, total=False):
    dry_run: bool | None
    filter: dict[str, Any] | None
    ids: list[str] | None
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""
    sources: list[str] | None
    """Everything that these requests brought: undoes them"""


class IdentifierInput(TypedDict, total=False):
    type: Required[str]
    """email, phone, user_id, name or a word of your own"""
    value: Required[str]
    """The identifier"""
    owner: str | None
    """Within whom a name means somebody: user:…, project:… or session:…; in answers only"""


class KeyedPut(TypedDict, total=False):
    key: Required[str]
    """Your own key of the entry"""
    category: str | None
    """Category inside the domain"""
    confidence: float | None
    """0 to 1; 0 means not stated"""
    content: str | None
    """What is known; may be left out where structured data say it"""
    if_absent: bool | None
    """Refuse with conflict if the key has an entry"""
    imported: bool | None
    """It comes from elsewhere: trust tier imported"""
    metadata: dict[str, Any] | None
    """Your own data; filters see it"""
    structured: dict[str, Any] | None
    """Structured data; its values are searchable text"""
    tags: list[str] | None
    """Labels; filters see them"""
    title: str | None
    """Title"""
    valid_until: Time | None
    """When it stops being valid and is no longer found; never if empty"""
    version: int | None
    """Refuse with conflict unless the entry has this version"""
    wait: Literal["stored", "indexed"] | None
    """How far to go before answering"""


class KeyedRef(TypedDict, total=False):
    key: Required[str]
    """Your own key of the entry"""


class ListRequest(TypedDict, total=False):
    archived: bool | None
    """List what was archived too"""
    brief: bool | None
    """Cut texts at 400 characters, which clipped counts the rest of in bytes, and leave out evidence and vectors"""
    cursor: str | None
    """next_cursor of the page before"""
    filter: dict[str, Any] | None
    """Conditions as JSON; see the filter grammar"""
    limit: int | None
    """Memories per page: 1 to 1000, 50 if absent"""
    newest: bool | None
    """Newest first: the same order backwards"""
    sort: Literal["recorded", "event"] | None
    """By when it was recorded, or when it happened"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""


class MemoryUpdate(TypedDict, total=False):
    id: Required[str]
    """Id of the memory"""
    metadata: dict[str, Any] | None
    """Replaces all metadata; null: none"""
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""
    state: Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str | None
    """active brings back what was forgotten or quarantined"""
    tags: list[str] | None
    """Replaces all tags; null: none"""
    text: str | None
    """New wording of a note, or new content of an entry; the old one stays in the history"""
    valid_until: Time | None
    """When it ends to hold and is found no more; empty or null: never"""
    version: int | None
    """Refuse with conflict unless the memory has this version"""


class Message(TypedDict, total=False):
    content: Required[str]
    """What was said, verbatim"""
    external_id: str | None
    """Your own id; storing it again changes nothing"""
    metadata: dict[str, Any] | None
    omitted: dict[str, int] | None
    """Parts without words that were left out of it, by kind"""
    role: Literal["user", "assistant", "system", "tool"] | str | None
    """user if empty"""
    speaker: str | None
    """Name of the person who spoke"""
    tags: list[str] | None
    timestamp: Time | None
    """When it was said"""


class Note(TypedDict, total=False):
    content: Required[str]
    """The text"""
    type: str | None
    """manual if empty; reflection, decision, or a word of your own"""


class Operation(TypedDict, total=False):
    delete: KeyedRef | None
    """Forget the entry that has a key"""
    forget: ForgetRequest | None
    """Take memories out of search"""
    get: KeyedRef | None
    """The entry that has a key"""
    list: ListRequest | None
    """List memories, oldest first"""
    put: KeyedPut | None
    """Store an entry under a key, in place of what the key has"""
    remember: RememberRequest | None
    """Store what was said, a note, an entry or a document"""
    scope: ScopeInput
    """Whose it is; that of the batch if absent"""
    search: RecallRequest | None
    """Find what is known about a question"""
    update: MemoryUpdate | None
    """Change a memory"""


class RecallRequest(TypedDict, total=False):
    query: Required[str]
    """The question, in words"""
    arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None
    """Arms to use; all if empty"""
    as_of: Time | None
    """Answer as it was in the world at this time"""
    explain: bool | None
    """Say how each hit was found, and of every other candidate why it is none"""
    filter: dict[str, Any] | None
    """Conditions; see the filter grammar"""
    k: int | None
    """How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold"""
    known_at: Time | None
    """Answer as it was known at this time: nothing that was stored or found out later"""
    min_score: float | None
    """Leave out hits below, and weak ones; 0 to 1"""
    neighbors: int | None
    """Turns to add before and after each hit: 0 to 10"""
    order: Literal["score", "newest"] | None
    """Order of the hits: score if absent, or newest first"""
    scale: Literal["fused", "cosine"] | None
    """What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States to search; active if empty"""
    strong_only: bool | None
    """Leave out weak hits: those that fill up the places where less than k was found"""
    trace: list[str] | None
    """Ids of memories: say of each what every arm gave it and why it is no hit"""


class RememberRequest(TypedDict, total=False):
    document: Document | None
    """A document, split by its structure"""
    dry_run: bool | None
    """Answer as usual and store nothing"""
    entry: EntryInput | None
    """A curated knowledge entry"""
    external_id: str | None
    """Your own id of text, note, entry or document; storing it again changes nothing"""
    extract: Literal["none", "rules", "llm", "auto"] | None
    """How facts are derived, about the speaker of each turn, else about the user of the scope; as chosen for the project, the tenant or the server if empty"""
    imported: bool | None
    """It comes from elsewhere: trust tier imported for what users said"""
    messages: list[Message] | None
    """Turns of a conversation, oldest first, 1,000 at most: messages as here, or as OpenAI, Anthropic, Gemini, LangChain and the AI SDK have them; send a longer one in parts, with the same session"""
    metadata: dict[str, Any] | None
    """Your own data; filters see it"""
    note: Note | None
    """Something noted by hand"""
    profile: str | None
    """What a model is to look for: the name of an extraction profile; that of the project or tenant if empty"""
    request_key: str | None
    """Idempotency key"""
    role: Literal["user", "assistant", "system", "tool"] | str | None
    """Role of the speaker of text: user if empty"""
    speaker: str | None
    """Name of the person who spoke"""
    supersedes: list[str] | None
    """Memories that this one replaces"""
    tags: list[str] | None
    """Labels; filters see them"""
    text: str | None
    """One thing that was said"""
    timestamp: Time | None
    """When it was said; now if empty"""
    valid_until: Time | None
    """When it ends to hold and is found no more; never if empty"""
    wait: Literal["stored", "indexed", "extracted"] | None
    """How far to go before answering"""


class ScopeInput(TypedDict, total=False):
    agent: str
    """Agent that wrote or reads"""
    channel: str
    """Where it was said, for example chat or e-mail"""
    domain: str
    """Knowledge domain"""
    project: str
    """Project that the memory belongs to"""
    session: str
    """Conversation or run"""
    time_zone: str
    """IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset"""
    user: str
    """Person whose memory it is"""


class SystemRef(TypedDict, total=False):
    system: Required[str]
    """Name of the system"""
    id: str | None
    """Its id of the record"""


class ToldEvidence(TypedDict, total=False):
    id: str | None
    """Id of a memory that was said, noted or written; if absent, quote is stored"""
    quote: str | None
    """The words, verbatim; if absent the sentence of the memory with the value, else all of it"""


class AcknowledgeAlertsOptions(ScopeInput, total=False):
    """Note that somebody has seen alerts: all of them, or none if one does not exist."""

    ids: Required[list[str]]
    """Ids of alerts"""


class ActionableFactsOptions(ScopeInput, total=False):
    """What is to be done, is pressing or is due soon: most pressing first, then by deadline."""

    days: int | None
    """How many days ahead a deadline or an end may lie: 1 to 3650, 7 if absent"""
    limit: int | None
    """Facts at most: 1 to 1000, 50 if absent"""


class AddEntryOptions(ScopeInput, total=False):
    """Store a knowledge entry."""

    category: str | None
    """Category inside the domain"""
    confidence: float | None
    """0 to 1; 0 means not stated"""
    external_id: str | None
    """Your own id of the entry; storing it again changes nothing and returns the stored entry"""
    imported: bool | None
    """It comes from elsewhere: trust tier imported"""
    metadata: dict[str, Any] | None
    """Your own data; filters see it"""
    request_key: str | None
    """Idempotency key"""
    structured: dict[str, Any] | None
    """Structured data; its values are searchable text"""
    tags: list[str] | None
    """Labels; filters see them"""
    title: str | None
    """Title"""
    valid_until: Time | None
    """When it stops being valid and is no longer found; never if empty"""
    wait: Literal["stored", "indexed"] | None
    """How far to go before answering"""


class AnswerInterviewOptions(ScopeInput, total=False):
    """Answer the question of an interview and get the next one."""

    request_key: str | None
    """Idempotency key"""


class AppendSessionItemsOptions(ScopeInput, total=False):
    """Add items of any form to a transcript; what people and the assistant say is remembered."""

    extract: Literal["none", "rules", "llm", "auto"] | None
    """How facts are derived from the turns"""
    request_key: str | None
    """Idempotency key"""


class ArchiveFactsOptions(ScopeInput, total=False):
    """Take what was closed long ago out of listings."""

    days: int | None
    """How long ago they were closed: 1 to 36500, 90 if absent"""
    dry_run: bool | None
    """Say how many there are and do nothing"""


class AssimilateOptions(ScopeInput, total=False):
    """Store what was said about an entity, and the facts that follow from it."""

    external_id: str | None
    """Your own id; storing it again changes nothing"""
    extract: Literal["none", "rules", "llm", "auto"] | None
    """How facts are derived: auto if empty"""
    profile: str | None
    """What a model is to look for: the name of an extraction profile; that of the project or tenant if empty"""
    request_key: str | None
    """Idempotency key"""
    role: Literal["user", "assistant", "system", "tool"] | str | None
    """Role of the speaker: user if empty"""
    speaker: str | None
    """Name of the person who spoke; the entity if empty"""
    timestamp: Time | None
    """When it was said; now if empty"""
    wait: Literal["stored", "extracted", "indexed"] | None
    """How far to go before answering: stored (the words, and facts that rules find at once), extracted (all facts), indexed (their vectors too); if absent, as indexed with at most 5 s for vectors"""


class AuditOptions(TypedDict, total=False):
    """What was done, oldest first unless asked otherwise; each entry holds the hash of the one before."""

    actions: list[str] | None
    """Actions, with commas between them or repeated; entity.* means all that begin with entity."""
    actor: str | None
    """Name of the key that acted; local without one"""
    cursor: str | None
    """next_cursor of the page before"""
    from_: str | None
    """From then on, as RFC 3339"""
    limit: int | None
    """Items per page: 1 to 1000, 50 if absent"""
    newest: bool | None
    """The latest first"""
    target: str | None
    """Id of what was acted on"""
    to: str | None
    """Before then, as RFC 3339"""


class AutoVerifyFactsOptions(ScopeInput, total=False):
    """Verify pending facts that rest on enough independent sources."""

    dry_run: bool | None
    """Say what would be verified and do nothing"""
    fact_types: list[Literal["task", "decision", "milestone", "financial", "schedule", "material", "risk", "constraint", "data_point", "preference", "profile", "relationship", "plan", "event", "relation", "other"] | str] | None
    """Any of these types"""
    min_confidence: float | None
    """0 to 1"""
    min_evidence: int | None
    """How many independent sources: 1 to 100, 2 if absent"""
    min_trust: Literal["user_confirmed", "user_stated", "imported", "assistant_said", "tool_output"] | str | None
    """Only evidence of at least this tier counts; user_stated if absent"""


class BackupOptions(TypedDict, total=False):
    """Write a copy of the whole store to a file below the server's folder for backups."""

    path: Required[str]
    """Name of a file below the folder that the server's setting --backup-dir names; it must not exist"""


class BatchOptions(ScopeInput, total=False):
    """Run up to 1,000 operations one after the other, each with its own result or error, or all writes together. Those that change something need the right writer."""

    atomic: bool | None
    """Do the writes, which are puts and deletes, together after all reads: all or none"""
    operations: Required[list[Operation]]
    """What to do, in this order"""


class CardOptions(ScopeInput, total=False):
    """Say who somebody is, in at most 200 tokens."""

    as_of: Time | None
    """The facts as they were in the world at this time"""
    known_at: Time | None
    """The facts as they were known at this time"""


class ChangeSearchOptions(ScopeInput, total=False):
    """Replace what a saved search looks for."""

    alerts: list[Literal["match", "changed", "amount", "deadline", "contradiction", "lag"] | str] | None
    """What raises an alert; match and changed if absent"""
    amount: str | None
    """Decimal number: greater amounts raise an alert of kind amount"""
    behind: int | None
    """How many changes that an index has not read raise an alert of kind lag; 1000 if absent"""
    currency: str | None
    """Only amounts in this currency; any if absent"""
    days: int | None
    """How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent"""
    filter: dict[str, Any] | None
    """Conditions; see the filter grammar"""
    name: Required[str]
    """Name; unique in its scope. It cannot be changed"""
    of: Literal["facts", "memories"] | str | None
    """What is looked at; facts if absent"""
    query: str | None
    """Words that all have to occur, and quoted phrases"""
    version: int | None
    """Of a change: the version that was read; another one is a conflict"""
    webhook: str | None
    """Name of a webhook of the settings, which gets each alert"""


class ChangesOptions(ScopeInput, total=False):
    """What was learned, replaced, forgotten, or has ended: latest first."""

    cursor: str | None
    """next_cursor of the page before"""
    filter: dict[str, Any] | None
    """Conditions on the memory that it happened to, as JSON; see the filter grammar"""
    from_: str | None
    """From then on, as RFC 3339"""
    kinds: list[Literal["learned", "replaced", "ended", "forgotten", "planned"] | str] | None
    """What happened, with commas between them or repeated: learned, replaced, ended, forgotten, planned; all if absent"""
    limit: int | None
    """Items per page: 1 to 1000, 50 if absent"""
    to: str | None
    """Before then, as RFC 3339"""


class ConflictingFactsOptions(ScopeInput, total=False):
    """Facts of one entity that cannot all hold."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB"""


class ConsultOptions(ScopeInput, total=False):
    """Ask the configured model, which is shown what is known; the exchange is stored."""

    budget: int | None
    """Most tokens of memory that the model gets: 1 to 200000, 2000 if absent"""
    external_id: str | None
    """Your own id of the prompt as a turn"""
    request_key: str | None
    """Idempotency key"""
    session_only: bool | None
    """Show the model facts of this session alone"""


class ContextOptions(ScopeInput, total=False):
    """Make the text that a prompt gets."""

    arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None
    """Arms to use; all if empty"""
    as_of: Time | None
    """Answer as it was in the world at this time"""
    budget: int | None
    """Tokens at most: 1 to 200000, 1500 if absent"""
    exclude_session: str | None
    """Leave out what was said in this session"""
    explain: bool | None
    """Say how each hit was found, and of every other candidate why it is none"""
    filter: dict[str, Any] | None
    """Conditions; see the filter grammar"""
    format: Literal["briefing", "facts", "knowledge", "window", "json"] | str | None
    """briefing if empty; facts and knowledge look at facts and at entries alone"""
    ids: bool | None
    """In the format briefing, begin what is said of each memory with the end of its id; the member records tells which line is which memory anyway"""
    include_questions: bool | None
    """Also show turns that only ask; if absent only where nothing else is found"""
    k: int | None
    """How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold"""
    known_at: Time | None
    """Answer as it was known at this time: nothing that was stored or found out later"""
    min_score: float | None
    """Leave out hits below, and weak ones; 0 to 1"""
    neighbors: int | None
    """Turns to add before and after each hit: 0 to 10"""
    order: Literal["score", "newest"] | None
    """Order of the hits: score if absent, or newest first"""
    parts: bool | None
    """Say of every part of the text how many tokens it takes and which hit it comes from, and which hits were left out; the text is the same"""
    scale: Literal["fused", "cosine"] | None
    """What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States to search; active if empty"""
    strong_only: bool | None
    """Leave out weak hits: those that fill up the places where less than k was found"""
    trace: list[str] | None
    """Ids of memories: say of each what every arm gave it and why it is no hit"""


class CreateKeyOptions(TypedDict, total=False):
    """Make an API key for your tenant."""

    access: Required[Literal["reader", "writer", "admin"] | str]
    """What it may do; with a scope no more than writer"""
    expires_at: Time | None
    """When the key ends by itself; never if absent"""
    name: Required[str]
    """Name of the user of the key; the audit shows it"""
    scope: ScopeInput
    """Bind the key to these values: it reads and writes nothing else; a time zone is that of requests that name none"""
    system: str | None
    """The system that the key may speak for when it tells facts; none if absent"""


class DecideOptions(ScopeInput, total=False):
    """One decision about many items, each answered by itself."""

    at: Time | None
    """Of ended and done: since when; now if absent"""
    dry_run: bool | None
    """Say what would happen and do nothing"""
    filter: dict[str, Any] | None
    """Memories instead; see the filter grammar"""
    note: str | None
    """Why"""
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""


class DeleteMemoryOptions(ScopeInput, total=False):
    """Forget a memory, or erase it."""

    erase: bool | None
    """Remove it for good, with everything derived from it; needs the right admin"""


class DomainGapsOptions(TypedDict, total=False):
    """What is known of a domain and what is not."""

    project: str
    """Project that the memory belongs to"""
    user: str
    """Person whose memory it is"""


class DuplicateFactsOptions(ScopeInput, total=False):
    """Facts of one entity that say the same."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB"""
    threshold: float | None
    """Cosine from which two facts say the same, where cosines carry a meaning: 0 to 1, 0.95 if absent"""


class EntityFactsOptions(ScopeInput, total=False):
    """All facts of an entity, those that hold and those that do no longer, with their quotes."""

    as_of: Time | None
    """Only what held in the world at this time"""
    known_at: Time | None
    """Only what was known at this time"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""


class EntityHistoryOptions(ScopeInput, total=False):
    """What was changed of an entity, when and by whom, newest first."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Changes per page: 1 to 1000, 50 if absent"""


class EntityNeighborhoodOptions(ScopeInput, total=False):
    """Facts and entities around an entity."""

    as_of: Time | None
    """As it was in the world at this time; steps then lead from entity to entity"""
    hops: int | None
    """Steps to walk from the facts about the entity and those that name it: 0 to 2"""
    limit: int | None
    """Facts at most, 1 to 60: those that name an entity first, then the latest; steps then lead from entity to entity. As many as an answer holds if absent"""


class EraseOptions(ScopeInput, total=False):
    """Remove memories for good, with everything derived from them."""

    dry_run: bool | None
    entities: list[str] | None
    """Erases them with their identifiers and history, all facts about them and all that name them, in whatever scope of the tenant"""
    filter: dict[str, Any] | None
    media: list[str] | None
    """Files of pictures, recordings and pages, with what a model has read in them"""
    reason: str | None
    sources: list[str] | None
    words: bool | None
    """With entities: also the episodes that those facts rest on, whoever else they are about"""


class ExtractionOptions(TypedDict, total=False):
    """How facts are derived from conversations and notes where a request does not say."""

    project: str
    """Project whose default is asked for; that of the tenant if absent"""


class FacetsOptions(ScopeInput, total=False):
    """The values of a field with how often they occur, the most frequent first: users, sessions, sources, …."""

    field: Required[Literal["agent", "channel", "domain", "kind", "project", "role", "session", "source_id", "speaker", "state", "trust", "type", "user"]]
    """Whose values are counted"""
    filter: dict[str, Any] | None
    """Conditions as JSON; see the filter grammar. Counting takes longer with one"""
    kinds: list[Literal["episode", "note", "entry", "passage", "summary", "window", "fact"] | str] | None
    """Kinds, with commas between them or repeated; all if absent"""
    limit: int | None
    """Values at most: 1 to 1000, 50 if absent"""
    prefix: str | None
    """Only values that begin with this"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""


class FactRelationsOptions(ScopeInput, total=False):
    """What a fact waits for, blocks, causes, belongs to, settles or replaces, and what bears so on it."""

    as_of: Time | None
    """The relations as they were in the world at this time"""
    hops: int | None
    """How many relations away a fact may lie: 1 to 3, 1 if absent"""


class ForgetOptions(ScopeInput, total=False):
    """Take memories out of search; they can be brought back."""

    dry_run: bool | None
    filter: dict[str, Any] | None
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""
    sources: list[str] | None
    """Everything that these requests brought: undoes them"""


class GetSessionOptions(ScopeInput, total=False):
    """The turns of a session in order, with its tokens and its newest summary."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Turns at most; 50 if absent"""


class HistogramOptions(ScopeInput, total=False):
    """How many memories there are of each day, week or month; periods without any are left out."""

    by: Literal["day", "week", "month", ""] | None
    """How long the steps are: day if absent; weeks begin on Monday"""
    filter: dict[str, Any] | None
    """Conditions as JSON; see the filter grammar. Counting takes longer with one"""
    kinds: list[Literal["episode", "note", "entry", "passage", "summary", "window", "fact"] | str] | None
    """Kinds, with commas between them or repeated; all if absent"""
    split: Literal["agent", "channel", "domain", "kind", "project", "role", "session", "source_id", "speaker", "state", "trust", "type", "user", ""] | None
    """By whose values each step is counted: kind if absent"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""
    time: Literal["recorded", "event", ""] | None
    """By when it was recorded, or when it happened"""


class InboxOptions(ScopeInput, total=False):
    """What waits for a person, the most pressing first."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Items per page: 1 to 200, 50 if absent"""
    reasons: list[Literal["conflict", "low_trust", "ambiguous_entity", "ambiguous_match", "future", "quarantined", "candidate"] | str] | None
    """Why things wait; all reasons if absent"""


class ListAlertsOptions(ScopeInput, total=False):
    """What saved searches have raised, oldest first."""

    after: int | None
    """Only alerts behind this place: next of the page before"""
    limit: int | None
    """Alerts per page: 1 to 1000, 50 if absent"""
    open: bool | None
    """Only alerts that nobody has acknowledged"""
    search: str | None
    """Only alerts of this saved search"""


class ListEntitiesOptions(ScopeInput, total=False):
    """List entities by ascending id, without those that were merged into others."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Entities per page: 1 to 1000, 50 if absent"""


class ListJobsOptions(TypedDict, total=False):
    """Background jobs, newest first."""

    counts: bool | None
    """Say how many jobs are not done, too"""
    cursor: str | None
    """next_cursor of the page before"""
    kind: str | None
    """Only jobs of this kind"""
    limit: int | None
    """Jobs per page: 1 to 1000, 50 if absent"""
    state: Literal["ready", "done", "dead"] | str | None
    """Only jobs in this state"""


class ListKeyedEntriesOptions(ScopeInput, total=False):
    """List the entries of this very scope that have a key, oldest first."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Entries per page: 1 to 1000, 50 if absent"""
    prefix: str | None
    """What the keys begin with; all keys if absent"""


class ListMemoriesOptions(ScopeInput, total=False):
    """List memories, oldest first: active ones unless states are named."""

    archived: bool | None
    """List what was archived too"""
    brief: bool | None
    """Cut texts at 400 characters, which clipped counts the rest of in bytes, and leave out evidence and vectors"""
    cursor: str | None
    """next_cursor of the page before"""
    filter: dict[str, Any] | None
    """Conditions as JSON; see the filter grammar"""
    limit: int | None
    """Memories per page: 1 to 1000, 50 if absent"""
    newest: bool | None
    """Newest first: the same order backwards"""
    sort: Literal["recorded", "event", ""] | None
    """By when it was recorded, or when it happened"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""


class ListProfilesOptions(TypedDict, total=False):
    """Extraction profiles: what a model looks for."""

    project: str
    """Project whose default is asked for; that of the tenant if absent"""


class ListSessionItemsOptions(ScopeInput, total=False):
    """A transcript, exactly as it was given."""

    cursor: str | None
    """next_cursor of the page before"""
    latest: bool | None
    """The last items instead of the first, in order all the same; has no cursor"""
    limit: int | None
    """Items at most; 1000 if absent"""


class ListSessionsOptions(ScopeInput, total=False):
    """Sessions with their counts, the one with the latest turn first."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Sessions or turns at most; 50 if absent"""


class LookupOptions(ScopeInput, total=False):
    """The facts of one entity: all of them, or those that matter for a query."""

    as_of: Time | None
    """The facts as they were in the world at this time"""
    known_at: Time | None
    """The facts as they were known at this time"""
    rag_debug: bool | None
    """Say how the facts were found"""
    rag_expand_hops: int | None
    """Steps to walk from the facts that match: 0 to 2"""
    rag_min_score: float | None
    """Leave out facts below; 0 to 1"""
    rag_query: str | None
    """What the facts should matter for; all facts of the entity if absent"""
    rag_top_k: int | None
    """Facts at most that match the query: 1 to 200, 10 if absent"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""


class LookupSummaryOptions(ScopeInput, total=False):
    """The facts of one entity in words."""

    as_of: Time | None
    """The facts as they were in the world at this time"""
    known_at: Time | None
    """The facts as they were known at this time"""
    rag_debug: bool | None
    """Say how the facts were found"""
    rag_expand_hops: int | None
    """Steps to walk from the facts that match: 0 to 2"""
    rag_min_score: float | None
    """Leave out facts below; 0 to 1"""
    rag_query: str | None
    """What the facts should matter for; all facts of the entity if absent"""
    rag_top_k: int | None
    """Facts at most that match the query: 1 to 200, 10 if absent"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"""


class MediaOptions(ScopeInput, total=False):
    """Pictures, recordings and scanned pages, by id."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Files per page: 1 to 1000, 50 if absent"""
    unread: bool | None
    """Only files that no model has read"""


class ProjectLedgerOptions(TypedDict, total=False):
    """The money of a project by item, counterparty, phase and currency, matched, as of any date."""

    agent: str
    """Agent that wrote or reads"""
    as_of: Time | None
    """The ledger as it stood then; now if absent"""
    channel: str
    """Where it was said, for example chat or e-mail"""
    domain: str
    """Knowledge domain"""
    format: Literal["json", "csv", ""] | None
    """json if absent"""
    rate: list[str] | None
    """EUR:USD=1.08: one EUR is 1.08 USD; repeated, all from one currency"""
    session: str
    """Conversation or run"""
    time_zone: str
    """IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset"""
    tolerance: str | None
    """How far amounts may be apart that belong together: 2% or 50; 1% if absent"""
    user: str
    """Person whose memory it is"""


class ProjectReportOptions(TypedDict, total=False):
    """What became known and what ended in a project in a period, by topic, with quotes."""

    agent: str
    """Agent that wrote or reads"""
    channel: str
    """Where it was said, for example chat or e-mail"""
    domain: str
    """Knowledge domain"""
    format: Literal["json", "markdown", ""] | None
    """json if absent"""
    from_: str | None
    """Beginning; 30 days before the end if absent"""
    plain: bool | None
    """Do not ask the configured model to phrase it"""
    session: str
    """Conversation or run"""
    time_zone: str
    """IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset"""
    to: str | None
    """End, exclusive; now if absent"""
    user: str
    """Person whose memory it is"""


class ProjectTrendsOptions(TypedDict, total=False):
    """How amounts, dates and risks of a project have moved, and which moved unlike the others."""

    agent: str
    """Agent that wrote or reads"""
    as_of: Time | None
    """Nothing that was said later; now if absent"""
    channel: str
    """Where it was said, for example chat or e-mail"""
    domain: str
    """Knowledge domain"""
    session: str
    """Conversation or run"""
    time_zone: str
    """IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset"""
    user: str
    """Person whose memory it is"""


class PruneOptions(ScopeInput, total=False):
    """Forget the turns and notes of a scope that matter least."""

    dry_run: bool | None
    """Report what would go and forget nothing"""
    max_memories: int | None
    """Turns and notes that may stay; as the server is set if absent"""


class PutEntryOptions(ScopeInput, total=False):
    """Store an entry under a key, in place of what the key has."""

    category: str | None
    """Category inside the domain"""
    confidence: float | None
    """0 to 1; 0 means not stated"""
    if_absent: bool | None
    """Refuse with conflict if the key has an entry"""
    imported: bool | None
    """It comes from elsewhere: trust tier imported"""
    metadata: dict[str, Any] | None
    """Your own data; filters see it"""
    structured: dict[str, Any] | None
    """Structured data; its values are searchable text"""
    tags: list[str] | None
    """Labels; filters see them"""
    title: str | None
    """Title"""
    valid_until: Time | None
    """When it stops being valid and is no longer found; never if empty"""
    version: int | None
    """Refuse with conflict unless the entry has this version"""
    wait: Literal["stored", "indexed"] | None
    """How far to go before answering"""


class RecallsOptions(ScopeInput, total=False):
    """What was asked and what was given for it, newest first."""

    cursor: str | None
    """next_cursor of the page before"""
    empty: bool | None
    """Only questions for which nothing was found"""
    limit: int | None
    """Rows per page: 1 to 1000, 50 if absent"""
    via: Literal["rest", "mcp", "cli", "library", ""] | None
    """Only what was asked through this surface"""


class ReextractOptions(ScopeInput, total=False):
    """Derive facts in the background: again from all sources that facts were derived from, or from those that none were."""

    missing: bool | None
    """From conversations and notes that no facts were derived from, as is chosen for them now"""


class RegenerateEmbeddingsOptions(ScopeInput, total=False):
    """Make vectors for what has none, facts first."""

    cut: bool | None
    """Also rebuild vectors of the beginning of a text"""
    limit: int | None
    """Vectors at most: 1 to 1000, 100 if absent"""


class ReindexOptions(TypedDict, total=False):
    """Rebuild the indexes from the truth; or change the embedder in the background."""

    forget_old: bool | None
    """Remove the vectors of the generation before the last switch"""
    rollback: bool | None
    """Go back to the generation before the last switch"""
    to: str | None
    """Make the vectors of this embedder, and switch to it when they are all there: the name of one that the server's settings name, which are builtin:, and those of TRILITH_EMBEDDER and TRILITH_EMBEDDERS"""


class RelateFactsOptions(ScopeInput, total=False):
    """Say how a fact bears on another one of its owner."""

    note: str | None
    """Why, in your own words; it is kept as what the relation rests on"""
    request_key: str | None
    """Idempotency key"""


class RememberOptions(ScopeInput, total=False):
    """Store what was said, a note, an entry or a document."""

    dry_run: bool | None
    """Answer as usual and store nothing"""
    external_id: str | None
    """Your own id of text, note, entry or document; storing it again changes nothing"""
    extract: Literal["none", "rules", "llm", "auto"] | None
    """How facts are derived, about the speaker of each turn, else about the user of the scope; as chosen for the project, the tenant or the server if empty"""
    imported: bool | None
    """It comes from elsewhere: trust tier imported for what users said"""
    metadata: dict[str, Any] | None
    """Your own data; filters see it"""
    profile: str | None
    """What a model is to look for: the name of an extraction profile; that of the project or tenant if empty"""
    request_key: str | None
    """Idempotency key"""
    role: Literal["user", "assistant", "system", "tool"] | str | None
    """Role of the speaker of text: user if empty"""
    speaker: str | None
    """Name of the person who spoke"""
    supersedes: list[str] | None
    """Memories that this one replaces"""
    tags: list[str] | None
    """Labels; filters see them"""
    timestamp: Time | None
    """When it was said; now if empty"""
    valid_until: Time | None
    """When it ends to hold and is found no more; never if empty"""
    wait: Literal["stored", "indexed", "extracted"] | None
    """How far to go before answering"""


class SaveSearchOptions(ScopeInput, total=False):
    """Save a search that runs on every change and raises alerts."""

    alerts: list[Literal["match", "changed", "amount", "deadline", "contradiction", "lag"] | str] | None
    """What raises an alert; match and changed if absent"""
    amount: str | None
    """Decimal number: greater amounts raise an alert of kind amount"""
    behind: int | None
    """How many changes that an index has not read raise an alert of kind lag; 1000 if absent"""
    currency: str | None
    """Only amounts in this currency; any if absent"""
    days: int | None
    """How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent"""
    filter: dict[str, Any] | None
    """Conditions; see the filter grammar"""
    of: Literal["facts", "memories"] | str | None
    """What is looked at; facts if absent"""
    query: str | None
    """Words that all have to occur, and quoted phrases"""
    version: int | None
    """Of a change: the version that was read; another one is a conflict"""
    webhook: str | None
    """Name of a webhook of the settings, which gets each alert"""


class SearchOptions(ScopeInput, total=False):
    """Find what is known about a question."""

    arms: list[Literal["lexical", "exact", "dense", "fact"] | str] | None
    """Arms to use; all if empty"""
    as_of: Time | None
    """Answer as it was in the world at this time"""
    explain: bool | None
    """Say how each hit was found, and of every other candidate why it is none"""
    filter: dict[str, Any] | None
    """Conditions; see the filter grammar"""
    k: int | None
    """How many hits at most: 1 to 200; if absent 10, or as many as the budget of a block in the format briefing or json may hold"""
    known_at: Time | None
    """Answer as it was known at this time: nothing that was stored or found out later"""
    min_score: float | None
    """Leave out hits below, and weak ones; 0 to 1"""
    neighbors: int | None
    """Turns to add before and after each hit: 0 to 10"""
    order: Literal["score", "newest"] | None
    """Order of the hits: score if absent, or newest first"""
    scale: Literal["fused", "cosine"] | None
    """What score and min_score are: fused if absent; cosine where the embedder's cosines carry a meaning, else fused too. The answer says which"""
    states: list[Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str] | None
    """States to search; active if empty"""
    strong_only: bool | None
    """Leave out weak hits: those that fill up the places where less than k was found"""
    trace: list[str] | None
    """Ids of memories: say of each what every arm gave it and why it is no hit"""


class SearchEntitiesOptions(ScopeInput, total=False):
    """Entities by what they are called, with the number of their facts."""

    cursor: str | None
    """next_cursor of the page before"""
    limit: int | None
    """Entities per page: 1 to 1000, 50 if absent"""
    q: str | None
    """What is in a name, an alias or an identifier"""
    sort: Literal["name", "facts", "heard", ""] | None
    """By name, by falling number of facts, or by when something was stored last; facts if absent"""
    type: str | None
    """person, project, organisation, thing or session"""


class SearchFactsOptions(ScopeInput, total=False):
    """Facts by relevance for a query, or newest first."""

    active_only: bool | None
    """false: facts in every state; true if absent"""
    as_of: Time | None
    """Facts as they were in the world at this time"""
    explain: bool | None
    """Say what the relevance is made of"""
    fact_types: list[Literal["task", "decision", "milestone", "financial", "schedule", "material", "risk", "constraint", "data_point", "preference", "profile", "relationship", "plan", "event", "relation", "other"] | str] | None
    """Any of these types"""
    filter: dict[str, Any] | None
    """Conditions; see the filter grammar"""
    financial_only: bool | None
    """Only facts that carry an amount of money"""
    known_at: Time | None
    """Facts as they were known at this time"""
    limit: int | None
    """How many at most: 1 to 200, 50 if absent"""
    min_confidence: float | None
    """0 to 1"""
    min_financial_amount: float | None
    """Only facts with at least this amount, in whatever currency; 0 if absent: no condition"""
    priority: list[Literal["critical", "high", "normal", "low"] | str] | None
    """Any of these"""
    requires_action: bool | None
    """Whether something is to be done about them"""
    strong_only: bool | None
    """Leave out weak hits: those that fill up the places where less than limit was found for the query"""
    valid_only: bool | None
    """Only facts that hold now; an active fact that is over never comes"""
    verification_status: list[Literal["pending_approval", "verified", "rejected", "needs_review", "disputed"] | str] | None
    """Any of these; what is rejected is not active"""


class SessionContextOptions(ScopeInput, total=False):
    """What a prompt needs of a session: the newest turns, the newest summary and the relevant past."""

    budget: int | None
    """Tokens of the newest turns; as the server is set if absent"""
    limit: int | None
    """Memories of before the window; as the server is set if absent"""
    query: str | None
    """What the past is searched for; the latest turn of the user if absent"""


class SignInOptions(TypedDict, total=False):
    """Sign a browser in with a key; the answer sets a cookie."""

    key: str | None
    """An API key"""
    link: str | None
    """What a link of trilith ui holds; it works once"""


class SimilarEntriesOptions(ScopeInput, total=False):
    """The entries of a domain that are most like a text or an embedding."""

    embedding: list[float] | None
    """A vector instead of the text, from the active embedder, with its number of dimensions"""
    exclude_session: str | None
    """Leave out the entries of this session"""
    limit: int | None
    """Entries at most: 1 to 50, 5 if absent"""
    min_score: float | None
    """Leave out entries below; 0.7 if absent and the embedder's scores carry a threshold, else 0.14"""


class SimilarFactsOptions(ScopeInput, total=False):
    """Facts that are similar to one, most similar first."""

    limit: int | None
    """Facts at most: 1 to 200, 10 if absent"""
    min_score: float | None
    """Leave out facts below; 0 to 1"""


class SplitEntityOptions(ScopeInput, total=False):
    """Take a part of an entity out of it, or undo a merge."""

    aliases: list[str] | None
    """Aliases that go along"""
    facts: list[str] | None
    """Facts that are the new entity's"""
    identifiers: list[IdentifierInput] | None
    """Identifiers of the new entity; at least one, and one has to be left"""
    merged: str | None
    """Undo the merge of this entity, the last one that was merged in; nothing else may be set then but version"""
    name: str | None
    """Name of the new entity; that of its first identifier if absent"""
    version: int | None
    """Refuse with conflict unless the entity has this version"""


class StaleFactsOptions(ScopeInput, total=False):
    """Facts of which nothing was heard for long, longest first."""

    days: int | None
    """How old the newest evidence may be: 1 to 36500, 30 if absent"""
    limit: int | None
    """Facts at most: 1 to 1000, 50 if absent"""


class SummarizeOptions(ScopeInput, total=False):
    """Make a summary of a session, a period or an entity, or of the summaries of a scope by topic."""

    by: Literal["rules", "llm", "auto"] | None
    """rules: an extract; llm: by a model; auto: by a model if one is configured"""
    entity: str | None
    """Id of the entity"""
    period: str | None
    """A day, a month or a year, as 2025-06-30, 2025-06 or 2025"""
    session_id: str | None
    """Name of the session"""
    tokens: int | None
    """Tokens of a summary at most; 400 if absent"""
    topics: bool | None
    """Summarise the summaries of the scope by what they are about"""


class SupersedeFactOptions(ScopeInput, total=False):
    """Correct a fact: by a sentence in any words, or by another fact."""

    at: Time | None
    """When the old one ceased to hold; when the new one began if absent"""
    by: str | None
    """Id of the fact that holds instead: a present one of the same entity"""
    note: str | None
    """Why"""
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""
    text: str | None
    """What holds instead, in any words; or that it is not so"""


class TellFactOptions(ScopeInput, total=False):
    """Store a fact that you state as data."""

    action_deadline: str | None
    """By when"""
    confidence: float | None
    """0 to 1; 0.9 if absent"""
    content: dict[str, Any] | None
    """Further details"""
    evidence: ToldEvidence | None
    """The words that it rests on; if absent the sentence, stored as it stands"""
    external_id: str | None
    """Your own id: the same request with it answers the same fact, another one is a conflict"""
    fact_type: Literal["task", "decision", "milestone", "financial", "schedule", "material", "risk", "constraint", "data_point", "preference", "profile", "relationship", "plan", "event", "relation", "other"] | str | None
    """Type of the fact; that of the verb if absent, else other"""
    financial: FinancialInput | None
    """The money of the fact; its amount is a decimal"""
    priority: Literal["critical", "high", "normal", "low"] | str | None
    """normal if absent"""
    requires_action: bool | None
    """Something is to be done about it"""
    sentence: str | None
    """The fact in words, which contain the value; made from subject, verb and value if absent"""
    single_valued: bool | None
    """A verb of your own holds one value at a time; a verb that rules know says so itself"""
    source: SystemRef | None
    """The record of a system that your key may speak for: it verifies an equal fact, and is a conflict with an unequal one"""
    subject: IdentifierInput | None
    """Whom or what it is about; made if it is not known. If absent, the project of the scope for matters of a project, else who speaks in the evidence, else the user, project or session of the scope"""
    topic: str | None
    """Instead of a verb: a key of your own, which has one value at a time"""
    valid_from: Time | None
    """Since when it holds; if absent since the evidence was said"""
    valid_until: Time | None
    """When it ends to hold; never if absent"""
    value: str | None
    """The value of the verb or the topic"""
    value_type: str | None
    """What the value is, such as Location; that of the verb if absent"""
    verb: str | None
    """How the subject relates to the value, such as lives_in"""


class TimelineOptions(TypedDict, total=False):
    """What is to be done in a project and when, what waits for what, and the critical chain."""

    agent: str
    """Agent that wrote or reads"""
    as_of: Time | None
    """The timeline as it was at this time; now if absent"""
    channel: str
    """Where it was said, for example chat or e-mail"""
    domain: str
    """Knowledge domain"""
    session: str
    """Conversation or run"""
    time_zone: str
    """IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset"""
    user: str
    """Person whose memory it is"""


class ToolsOptions(TypedDict, total=False):
    """Definitions of the memory's tools for a model; they are called at /mcp."""

    format: Literal["openai", "openai-responses", "anthropic", "gemini", "mcp", ""] | None
    """As which API takes them: openai (chat completions) if absent"""
    tools: list[str] | None
    """Sets of tools beside the default one, with commas between them or repeated: graph, reference, review, scope, sessions, subagent"""


class UndoImportOptions(ScopeInput, total=False):
    """Take what an import has stored out of search, however long ago it was."""

    dry_run: bool | None
    """Only count what would be forgotten"""


class UnverifiedFinancialFactsOptions(ScopeInput, total=False):
    """Amounts of money that nobody has verified, largest first."""

    limit: int | None
    """Facts at most: 1 to 1000, 10 if absent"""
    min_amount: str | None
    """Only facts of at least this amount, a decimal in whatever currency; 5000 if absent"""


class UpdateEntityOptions(ScopeInput, total=False):
    """Change what an entity is called and known by; absent members stay as they are."""

    add_aliases: list[str] | None
    """Other names that it goes by"""
    add_identifiers: list[IdentifierInput] | None
    """Further names from outside; conflict if another entity has one of them"""
    name: str | None
    """What it is called"""
    remove_aliases: list[str] | None
    remove_attributes: list[str] | None
    """Names of attributes"""
    remove_identifiers: list[IdentifierInput] | None
    """Identifiers that lead here no longer; one has to be left"""
    set_attributes: dict[str, Any] | None
    """Your own data, one value a name"""
    type: str | None
    """person, project, organisation, thing, session or a word of your own"""
    version: int | None
    """Refuse with conflict unless the entity has this version"""


class UpdateMemoryOptions(ScopeInput, total=False):
    """Change a memory; absent members stay as they are."""

    metadata: dict[str, Any] | None
    """Replaces all metadata; null: none"""
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""
    state: Literal["candidate", "active", "superseded", "retracted", "expired", "quarantined"] | str | None
    """active brings back what was forgotten or quarantined"""
    tags: list[str] | None
    """Replaces all tags; null: none"""
    text: str | None
    """New wording of a note, or new content of an entry; the old one stays in the history"""
    valid_until: Time | None
    """When it ends to hold and is found no more; empty or null: never"""
    version: int | None
    """Refuse with conflict unless the memory has this version"""


class UsageOptions(TypedDict, total=False):
    """What was used of providers, and what the budget leaves for today."""

    days: int | None
    """How many days, today included; 30 if left out"""


class UseExtractionOptions(TypedDict, total=False):
    """Choose how facts are derived where a request does not say."""

    project: str
    """Project whose choice it becomes; the tenant's if absent"""


class UseProfileOptions(TypedDict, total=False):
    """Choose what a model looks for where a request names no profile."""

    phase: str | None
    """Only while the project is in this phase: the attribute phase of its entity"""
    project: str
    """Project whose default it becomes; the tenant's if absent"""
    role: str | None
    """Only for what people of this role say: the attribute role of the speaker's entity"""


class VerifyFactOptions(ScopeInput, total=False):
    """Record a person's decision about a fact."""

    at: Time | None
    """Of ended and done: since when; now if absent"""
    note: str | None
    """Why"""
    request_key: str | None
    """Idempotency key: repeating the request with it answers what the first one answered"""
