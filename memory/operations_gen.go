// Code generated from internal/door/operations by: go test ./internal/door/operations -update; DO NOT EDIT.

package memory

import (
	"context"
	"github.com/trilith-memory/trilith"
)

// AcknowledgeAlerts notes that somebody has seen alerts. Those that the scope does not cover, and unknown ones, are NotFound,
// and then none is noted.
func (m *Memory) AcknowledgeAlerts(ctx context.Context, s trilith.Scope, r trilith.AcknowledgeRequest) (
	trilith.Acknowledged, error) {
	return m.engine.AcknowledgeAlerts(ctx, m.in(s), r)
}

// Actionable returns the active facts that need attention: those that ask for an action, the urgent ones, and those
// whose deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
// earliest due comes first and a fact without a date last; of others the one that was said first.
func (m *Memory) Actionable(ctx context.Context, s trilith.Scope, r trilith.ActionableQuery) (trilith.Page, error) {
	return m.engine.Actionable(ctx, m.in(s), r)
}

// AddEntry stores a knowledge entry like [Engine.Remember] and returns it. If the external id exists, it returns the
// entry with that id; Conflict if that is not an entry. As there, a timeout may be returned along with the stored
// entry.
func (m *Memory) AddEntry(ctx context.Context, s trilith.Scope, r trilith.EntryRequest) (trilith.Memory, error) {
	return m.engine.AddEntry(ctx, m.in(s), r)
}

// Alerts returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees
// those about memories that it may read.
func (m *Memory) Alerts(ctx context.Context, s trilith.Scope, r trilith.AlertQuery) (trilith.AlertPage, error) {
	return m.engine.Alerts(ctx, m.in(s), r)
}

// AnswerInterview stores a reply in an interview and the facts that it states about the domain, and asks the next
// question. The reply is durable before it is evaluated: a later error loses nothing, and StartInterview continues from
// it. The same text again, for a question that nothing follows yet, is the same answer.
func (m *Memory) AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	return m.engine.AnswerInterview(ctx, m.in(s), id, r)
}

// AppendItems adds items to the transcript of a session, in exactly the named scope, and remembers the words of people
// and the assistant in them. When it returns, the items are durable. Their words are remembered by then, or when
// the program runs again. Repeating a request with its idempotency key returns the first answer.
func (m *Memory) AppendItems(ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems) (
	trilith.SessionItems, error) {
	return m.engine.AppendItems(ctx, m.in(s), id, r)
}

// Archive removes closed memories from listings: those that were superseded, retracted or expired at least so many days
// ago ([trilith.DefaultArchiveDays] if 0, at most 36500). They remain in the history, in answers as of a time, and in
// exports, and judgements remain in force. A memory that becomes active again is listed again.
func (m *Memory) Archive(ctx context.Context, s trilith.Scope, r trilith.ArchiveRequest) (
	trilith.ArchiveResult, error) {
	return m.engine.Archive(ctx, m.in(s), r)
}

// Assimilate stores statements about an entity and derives facts from them. It finds the entity by its identifier, or
// creates it. A failure to derive or embed never prevents storing the words: the answer waits a while for the facts,
// and the background does the rest; see [trilith.AssimilateResult].
func (m *Memory) Assimilate(ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest) (
	trilith.AssimilateResult, error) {
	return m.engine.Assimilate(ctx, m.in(s), r)
}

// AuditLog pages through the audit of the tenant, oldest or latest first. It needs the right admin.
func (m *Memory) AuditLog(ctx context.Context, s trilith.Scope, r trilith.AuditQuery) (trilith.AuditPage, error) {
	return m.engine.AuditLog(ctx, m.in(s), r)
}

// AutoVerify verifies pending facts that satisfy a policy; see [trilith.AutoVerifyRequest]. It skips candidates: only a
// person accepts a proposal. It does not overwrite a person's decision made in the meantime.
func (m *Memory) AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (
	trilith.AutoVerifyResult, error) {
	return m.engine.AutoVerify(ctx, m.in(s), r)
}

// Batch runs operations one after the other, each in its scope or, if it has none, in s. Each has its own result: a
// failure does not stop the others, and does not undo earlier operations. Once the answers exceed a few pages, further
// reads are Exhausted. An error means that the batch is invalid, or that writes of an atomic one failed, and nothing
// was done.
func (m *Memory) Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) (trilith.BatchResults, error) {
	return m.engine.Batch(ctx, m.in(s), r)
}

// Card says who somebody is, in at most [trilith.CardTokens] tokens; see [trilith.Card].
func (m *Memory) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	return m.engine.Card(ctx, m.in(s), r)
}

// ChangeSearch replaces the definition of a search from now on. Its name stays.
func (m *Memory) ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchChange) (
	trilith.SavedSearch, error) {
	return m.engine.ChangeSearch(ctx, m.in(s), id, r)
}

// ClearItems removes all items of a transcript. The memories made from them stay until they are forgotten or erased.
func (m *Memory) ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error) {
	return m.engine.ClearItems(ctx, m.in(s), id)
}

// Context makes the text that a prompt gets, and logs the memories that it shows.
func (m *Memory) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (
	trilith.ContextBlock, error) {
	return m.engine.Context(ctx, m.in(s), r)
}

// Decide makes one decision about many items. Each has its own result.
func (m *Memory) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (
	trilith.DecisionReport, error) {
	return m.engine.Decide(ctx, m.in(s), r)
}

// Delete forgets a memory, or erases it with everything derived from it. Erasing needs the right admin.
func (m *Memory) Delete(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.DeleteRequest) (
	trilith.Deletion, error) {
	return m.engine.Delete(ctx, m.in(s), id, r)
}

// DeleteByKey forgets the entry with a key in exactly this scope, or erases it in any state. Erasing needs the right
// admin.
func (m *Memory) DeleteByKey(ctx context.Context, s trilith.Scope, key string, r trilith.KeyedDelete) (
	trilith.Deletion, error) {
	return m.engine.DeleteByKey(ctx, m.in(s), key, r)
}

// DeleteSearch removes a search with its alerts, and returns the removed search.
func (m *Memory) DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return m.engine.DeleteSearch(ctx, m.in(s), id)
}

// DomainGaps returns the known and the missing fields of the scope's domain, from all sessions.
func (m *Memory) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	return m.engine.DomainGaps(ctx, m.in(s))
}

// Domains lists the schemas that interviews can be about. They are the same for all tenants.
func (m *Memory) Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error) {
	return m.engine.Domains(ctx, m.in(s))
}

// DuplicateFacts returns active facts that say the same as another fact of their entity; see [trilith.FactGroups]. If
// cosines of the active generation carry a meaning, two facts are duplicates at a cosine of at least the threshold;
// otherwise, and of facts not embedded yet, their texts are compared. A page ends early after a thousand facts. No
// stored text is embedded for it.
func (m *Memory) DuplicateFacts(ctx context.Context, s trilith.Scope, r trilith.DuplicatesQuery) (
	trilith.FactGroups, error) {
	return m.engine.DuplicateFacts(ctx, m.in(s), r)
}

// Entities pages through the entities of the tenant by ascending id, without merged ones. A scope narrower than its
// tenant has those that its facts are about or name.
func (m *Memory) Entities(ctx context.Context, s trilith.Scope, r trilith.EntitiesQuery) (trilith.EntityPage, error) {
	return m.engine.Entities(ctx, m.in(s), r)
}

// Entity returns an entity of the tenant as stored. One that was merged into another names the survivor.
func (m *Memory) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	return m.engine.Entity(ctx, m.in(s), id)
}

// EntityHistory pages through the changes of an entity, newest first. An entity that was merged into another has its own
// history, which ends with the merge.
func (m *Memory) EntityHistory(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityHistoryQuery) (
	trilith.EntityHistory, error) {
	return m.engine.EntityHistory(ctx, m.in(s), id, r)
}

// Entry returns a knowledge entry of the scope in any state; NotFound also for a memory that is not an entry.
func (m *Memory) Entry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return m.engine.Entry(ctx, m.in(s), id)
}

// EntryByKey returns the entry with a key in exactly this scope; NotFound if it was forgotten or has expired.
func (m *Memory) EntryByKey(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error) {
	return m.engine.EntryByKey(ctx, m.in(s), key)
}

// Erase destroys memories: in the truth with their former wordings, in sources, vectors and the text index. It leaves a
// receipt and tombstones, so that the same content does not come back when it is sent, imported or restored. If an id
// or source does not exist in the scope, it is NotFound and erases nothing. An erasure of many memories takes several
// commits; an interrupted one can be repeated, and its receipt lists the erased memories.
//
// Entities are erased from the whole tenant: with those that were merged into them, their identifiers, names and
// history, the questions about them, all facts about them and all that name them.
func (m *Memory) Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error) {
	return m.engine.Erase(ctx, m.in(s), r)
}

// Exposure adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
func (m *Memory) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	return m.engine.Exposure(ctx, m.in(s))
}

// Extraction returns how facts are derived in the scope's project, or its tenant, if a request does not say.
func (m *Memory) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	return m.engine.Extraction(ctx, m.in(s))
}

// Facets is [operate.Counts.Facets].
func (m *Memory) Facets(ctx context.Context, s trilith.Scope, r trilith.FacetsQuery) (trilith.FacetList, error) {
	return m.engine.Facets(ctx, m.in(s), r)
}

// FactConflicts returns active facts and candidates that contradict each other: different values of a single-valued
// verb, or a value and its denial.
func (m *Memory) FactConflicts(ctx context.Context, s trilith.Scope, r trilith.GroupsQuery) (
	trilith.FactGroups, error) {
	return m.engine.FactConflicts(ctx, m.in(s), r)
}

// FactStats counts the facts of the scope.
func (m *Memory) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	return m.engine.FactStats(ctx, m.in(s))
}

// Facts finds or lists facts; see [trilith.FactQuery].
func (m *Memory) Facts(ctx context.Context, s trilith.Scope, r trilith.FactQuery) (trilith.FactPage, error) {
	return m.engine.Facts(ctx, m.in(s), r)
}

// FactsOf returns the facts of an entity, or of the one that it was merged into, in a natural order: those that hold and
// those that no longer do. Of a user with one speaker the facts of both are listed.
func (m *Memory) FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	return m.engine.FactsOf(ctx, m.in(s), id, r)
}

// Feed pages through the changes of the scope's memories, latest first: memories that were stored, by the time of
// storing, and memories that were closed, by the time when trilith learned of it.
func (m *Memory) Feed(ctx context.Context, s trilith.Scope, r trilith.FeedQuery) (trilith.Feed, error) {
	return m.engine.Feed(ctx, m.in(s), r)
}

// Forget removes memories from search; see [trilith.ForgetRequest]. If an id does not exist in the scope, it is NotFound
// and forgets nothing.
func (m *Memory) Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error) {
	return m.engine.Forget(ctx, m.in(s), r)
}

// ForgetRecalls deletes the rows of the recall log in the scope, and says how many. It needs the right admin.
func (m *Memory) ForgetRecalls(ctx context.Context, s trilith.Scope) (trilith.ForgottenRecalls, error) {
	return m.engine.ForgetRecalls(ctx, m.in(s))
}

// Get returns a memory of the scope in any state; NotFound also for one in another scope.
func (m *Memory) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return m.engine.Get(ctx, m.in(s), id)
}

// GetSession returns a session with a page of its active turns, in the order in which they were stored, its counts and its
// newest summary.
func (m *Memory) GetSession(ctx context.Context, s trilith.Scope, id string, r trilith.SessionTurnsQuery) (
	trilith.SessionTurns, error) {
	return m.engine.GetSession(ctx, m.in(s), id, r)
}

// Histogram is [operate.Counts.Histogram].
func (m *Memory) Histogram(ctx context.Context, s trilith.Scope, r trilith.HistogramQuery) (
	trilith.Histogram, error) {
	return m.engine.Histogram(ctx, m.in(s), r)
}

// History returns the chain that a memory belongs to; see [trilith.History].
func (m *Memory) History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error) {
	return m.engine.History(ctx, m.in(s), id)
}

// Inbox lists what waits for a person; see [trilith.ReviewPage]. Ambiguous names have no scope, so only a caller that
// sees the whole tenant gets them. A page lists the items of one reason, and those of the next reason only if it is not
// full.
func (m *Memory) Inbox(ctx context.Context, s trilith.Scope, r trilith.InboxQuery) (trilith.ReviewPage, error) {
	return m.engine.Inbox(ctx, m.in(s), r)
}

// InterviewGaps is DomainGaps of the domain that an interview is about, as the interview sees it.
func (m *Memory) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	return m.engine.InterviewGaps(ctx, m.in(s), id)
}

// Job returns one background job of the tenant.
func (m *Memory) Job(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	return m.engine.Job(ctx, m.in(s), id)
}

// KeyedEntries lists the active entries of exactly this scope with a key prefix, oldest first.
func (m *Memory) KeyedEntries(ctx context.Context, s trilith.Scope, r trilith.KeyedRequest) (trilith.Page, error) {
	return m.engine.KeyedEntries(ctx, m.in(s), r)
}

// Languages returns the codes of the languages that the tenant has chosen for its texts, the main one first; none if
// every text tells its own, or the store has a setting for all its tenants.
func (m *Memory) Languages(ctx context.Context, s trilith.Scope) (trilith.LanguageChoice, error) {
	return m.engine.Languages(ctx, m.in(s))
}

// List pages through the memories of the scope by either time, oldest or newest first: active ones unless the request
// or its filter names states. Archived memories are omitted unless requested. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one memory.
func (m *Memory) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	return m.engine.List(ctx, m.in(s), r)
}

// ListJobs returns a page of background jobs of the tenant, newest first.
func (m *Memory) ListJobs(ctx context.Context, s trilith.Scope, r trilith.JobQuery) (trilith.JobPage, error) {
	return m.engine.ListJobs(ctx, m.in(s), r)
}

// ListSessions pages through the sessions in the scope, the one with the latest turn first; sessions of equal times have a
// fixed order. A session that gets a turn between two pages may be listed twice, or not at all.
func (m *Memory) ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (
	trilith.SessionPage, error) {
	return m.engine.ListSessions(ctx, m.in(s), r)
}

// LoggedRecall returns one row of the recall log.
func (m *Memory) LoggedRecall(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ServedRecall, error) {
	return m.engine.LoggedRecall(ctx, m.in(s), id)
}

// Lookup returns the facts of the entity that an identifier names: all active ones in the order of [facts.HeadingOf],
// or with a query those that match it, best first. Vectors and words only find a fact; the graph decides whether this
// entity asserts it. A fact that is in the index and not in the store is left out, counted, and removed from the index.
func (m *Memory) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	return m.engine.Lookup(ctx, m.in(s), r)
}

// LookupSummary is Lookup in words. Without a query it is the lines of [Reader.Card], and after them the sentences of
// the facts that are not on it; with one it is the sentences of the facts that match, best first. Its length is
// bounded, and it says how many facts it leaves out.
func (m *Memory) LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (
	trilith.SummaryResult, error) {
	return m.engine.LookupSummary(ctx, m.in(s), r)
}

// Media returns files that the scope covers, by ascending id.
func (m *Memory) Media(ctx context.Context, s trilith.Scope, r trilith.MediaQuery) (trilith.MediaPage, error) {
	return m.engine.Media(ctx, m.in(s), r)
}

// MergeEntities makes an entity a part of another, with its facts. Merging twice changes nothing.
func (m *Memory) MergeEntities(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.MergeRequest) (
	trilith.Entity, error) {
	return m.engine.MergeEntities(ctx, m.in(s), id, r)
}

// Neighborhood returns an entity, or the one that it was merged into, with its surroundings: its active facts and those
// that name it, by ascending id; then the facts up to hops (0 to 2) away from them, as [role.Graph.Walk] goes; and the
// entities that all of these are about or name. It returns at most [trilith.MaxWalk] facts. With a limit, or as of a
// time, it is bounded: see [trilith.NeighborhoodQuery].
func (m *Memory) Neighborhood(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	return m.engine.Neighborhood(ctx, m.in(s), id, r)
}

// PopItem removes the last item of a transcript and returns it. The turn made of it is forgotten in the same commit, and
// facts with no other evidence are soon after. NotFound if the transcript is empty.
func (m *Memory) PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error) {
	return m.engine.PopItem(ctx, m.in(s), id)
}

// Profiles returns the extraction profiles by name, and which is the default of the scope's project, or of the tenant.
func (m *Memory) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	return m.engine.Profiles(ctx, m.in(s))
}

// ProjectLedger is the money of a project as of a time.
func (m *Memory) ProjectLedger(ctx context.Context, s trilith.Scope, r trilith.LedgerQuery) (
	trilith.ProjectLedger, error) {
	return m.engine.ProjectLedger(ctx, m.in(s), r)
}

// ProjectReport is what became known and what ended in a project in a period.
func (m *Memory) ProjectReport(ctx context.Context, s trilith.Scope, r trilith.ReportQuery) (
	trilith.ProjectReport, error) {
	return m.engine.ProjectReport(ctx, m.in(s), r)
}

// ProjectTrends says how amounts, dates and risks of a project have moved.
func (m *Memory) ProjectTrends(ctx context.Context, s trilith.Scope, r trilith.TrendQuery) (
	trilith.ProjectTrends, error) {
	return m.engine.ProjectTrends(ctx, m.in(s), r)
}

// Prune forgets the least important turns and notes of a scope until the number that the request, or by default the
// server, allows is left. The importance of one depends on who said it, on how many things it names, and on how recent
// it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be restored; the
// audit log has an entry for them.
func (m *Memory) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	return m.engine.Prune(ctx, m.in(s), r)
}

// PutEntry stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the
// stored value is identical, it is returned unchanged. A new value gets the id of the previous one, whose wording ends
// now and stays in the history. A key whose entry was forgotten or has expired gets it back with the new value; a key
// whose entry was erased is refused.
//
// Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match Version and
// IfAbsent. As with [Engine.Remember], a timeout may be returned along with the stored entry.
func (m *Memory) PutEntry(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (
	trilith.Memory, error) {
	return m.engine.PutEntry(ctx, m.in(s), key, r)
}

// Recall searches the memories for a question. The result is logged.
func (m *Memory) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return m.engine.Recall(ctx, m.in(s), r)
}

// RecallAgain repeats a logged question in its scope, and reports the differences between the answers. It is not
// logged. For a consultation it searches the facts that were shown.
func (m *Memory) RecallAgain(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.RecallAgain, error) {
	return m.engine.RecallAgain(ctx, m.in(s), id)
}

// Recalls returns the questions of the scope in the recall log with their results, newest first.
func (m *Memory) Recalls(ctx context.Context, s trilith.Scope, r trilith.RecallsRequest) (
	trilith.RecallsPage, error) {
	return m.engine.Recalls(ctx, m.in(s), r)
}

// Reextract derives the facts of sources in the scope again, in the background: of sources that facts were derived
// from, or with Missing of conversations and notes without any, in the way that is chosen now. Better
// rules or another model add to known facts. What rules would no longer find is removed, unless a person has decided
// about it. A model uses at most the daily budget.
func (m *Memory) Reextract(ctx context.Context, s trilith.Scope, r trilith.ReextractRequest) (
	trilith.Reextraction, error) {
	return m.engine.Reextract(ctx, m.in(s), r)
}

// RegenerateEmbeddings makes vectors for memories of the scope that have none of the active generation, or one of an
// earlier wording: facts first, then all others, each by ascending id, at most Limit ([trilith.DefaultRegenerate] if 0,
// at most MaxPageSize). With Cut it also makes those again that stand for the beginning of a text only, the oldest
// vectors first: for a model that now reads more. A text that the embedder refuses becomes a job, and a text that gets
// no vector is skipped. Without an embedder it is Unsupported.
func (m *Memory) RegenerateEmbeddings(ctx context.Context, s trilith.Scope, r trilith.RegenerateRequest) (
	trilith.RegenerateResult, error) {
	return m.engine.RegenerateEmbeddings(ctx, m.in(s), r)
}

// Relate relates a fact to another one of its owner, as a person says: the note, or a sentence in its place, is stored
// first, and the relation rests on it. Relating them again adds a note. A relation that would put a fact before itself
// is a Conflict.
func (m *Memory) Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (
	trilith.Relation, error) {
	return m.engine.Relate(ctx, m.in(s), id, r)
}

// Relations returns the relations of a fact, in both directions, up to so many hops away, and the facts that they connect.
func (m *Memory) Relations(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelationQuery) (
	trilith.RelationList, error) {
	return m.engine.Relations(ctx, m.in(s), id, r)
}

// RetryJob gives a dead job all its attempts again.
func (m *Memory) RetryJob(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	return m.engine.RetryJob(ctx, m.in(s), id)
}

// SaveSearch stores a new search. Conflict: its scope has one of that name.
func (m *Memory) SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (
	trilith.SavedSearch, error) {
	return m.engine.SaveSearch(ctx, m.in(s), r)
}

// SavedSearch returns a search that the scope covers.
func (m *Memory) SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return m.engine.SavedSearch(ctx, m.in(s), id)
}

// SearchEntities searches entities by name. It reads the records of all entities of the tenant, so that it finds any
// part of a name.
func (m *Memory) SearchEntities(ctx context.Context, s trilith.Scope, r trilith.EntityQuery) (
	trilith.EntityList, error) {
	return m.engine.SearchEntities(ctx, m.in(s), r)
}

// Searches returns the searches that the scope covers, by name.
func (m *Memory) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	return m.engine.Searches(ctx, m.in(s))
}

// SessionContext returns the working memory of a session: the newest turns that fit the budget, the newest summary, and
// memories from outside the window that match the question. These come from the user, project and domain of the
// session, whatever session they were stored in; or from the session itself if it has none of the three. If a search
// fails, the answer says so and contains the rest.
func (m *Memory) SessionContext(ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest) (
	trilith.SessionContext, error) {
	return m.engine.SessionContext(ctx, m.in(s), id, r)
}

// SessionItems pages through a transcript, or returns its latest items, in order. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one item; of the latest items it then omits the earliest.
func (m *Memory) SessionItems(ctx context.Context, s trilith.Scope, id string, r trilith.ItemsQuery) (
	trilith.SessionItems, error) {
	return m.engine.SessionItems(ctx, m.in(s), id, r)
}

// Share makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
// memory.
func (m *Memory) Share(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.ShareRequest) (
	trilith.Memory, error) {
	return m.engine.Share(ctx, m.in(s), id, r)
}

// SimilarEntries returns the active entries of the scope's domain that are most similar to a text or an embedding; see
// [trilith.SimilarRequest].
func (m *Memory) SimilarEntries(ctx context.Context, s trilith.Scope, r trilith.SimilarRequest) (
	trilith.SimilarEntries, error) {
	return m.engine.SimilarEntries(ctx, m.in(s), r)
}

// SimilarFacts returns the active facts of the scope that are similar to a fact, without the fact itself, by descending
// score: the cosine if cosines of the active generation carry a meaning and the fact has been embedded, otherwise the
// fused score for its text as a question. No stored text is embedded for it.
func (m *Memory) SimilarFacts(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SimilarFactsQuery) (
	trilith.FactPage, error) {
	return m.engine.SimilarFacts(ctx, m.in(s), id, r)
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (m *Memory) SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	return m.engine.SplitEntity(ctx, m.in(s), id, r)
}

// StaleFacts returns the active facts that nothing has confirmed for so many days, the longest unconfirmed first; ties
// are ordered by id. A fact is confirmed at the event times of the episodes that it rests on, or at its own if none is
// left, and when a person verified it.
func (m *Memory) StaleFacts(ctx context.Context, s trilith.Scope, r trilith.StaleQuery) (trilith.StalePage, error) {
	return m.engine.StaleFacts(ctx, m.in(s), r)
}

// StartInterview begins an interview about the scope's domain and asks the first question, or resumes the interview in the
// scope's session: it repeats a question that waits for an answer, and processes an answer that nothing follows because
// the process ended. Without a session it creates one.
func (m *Memory) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	return m.engine.StartInterview(ctx, m.in(s))
}

// Stats counts the memories of the scope.
func (m *Memory) Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error) {
	return m.engine.Stats(ctx, m.in(s))
}

// Summarize makes or renews the requested summaries and returns them. A session that exists in several scopes has a
// summary in each. NotFound if there is nothing to summarise.
func (m *Memory) Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	return m.engine.Summarize(ctx, m.in(s), r)
}

// SupersedeFact corrects a fact by another one or by a sentence; see [trilith.SupersedeRequest]. The old fact is closed,
// no earlier than it was last stated, and stays in the history; the new one is verified, because a person vouches for it.
// Naming the same successor again changes nothing. A fact that never held should be rejected instead.
func (m *Memory) SupersedeFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	return m.engine.SupersedeFact(ctx, m.in(s), id, r)
}

// Sweep sets the state of memories whose validity has ended to expired, and replays facts for which a planned time
// has come. It repairs states and times that a clock that was ahead has left behind. Reads do not depend on it: they
// use [trilith.Memory.StateAt]. Repeating it changes nothing.
func (m *Memory) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	return m.engine.Sweep(ctx, m.in(s))
}

// Timeline makes the timeline of a project of the facts that belong to it.
func (m *Memory) Timeline(ctx context.Context, s trilith.Scope, r trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	return m.engine.Timeline(ctx, m.in(s), r)
}

// Undo restores the state before a change; see [trilith.Undone]. It is NotFound for a change of another scope, and
// Conflict if a later change rests on it, or if it was undone already.
func (m *Memory) Undo(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Undone, error) {
	return m.engine.Undo(ctx, m.in(s), id)
}

// Unrelate takes back a relation of a fact: it is forgotten, and rules that find it again in the same words do not
// bring it back.
func (m *Memory) Unrelate(ctx context.Context, s trilith.Scope, id trilith.ID, relation trilith.ID) (
	trilith.Unrelated, error) {
	return m.engine.Unrelate(ctx, m.in(s), id, relation)
}

// UnverifiedFinancial returns unverified facts with at least an amount, active ones and candidates: the largest first,
// ties by id. Amounts are compared exactly, as numbers, regardless of their currency.
func (m *Memory) UnverifiedFinancial(ctx context.Context, s trilith.Scope, r trilith.UnverifiedQuery) (
	trilith.Page, error) {
	return m.engine.UnverifiedFinancial(ctx, m.in(s), r)
}

// Update changes a memory. A new text passes the gate like that of a new memory; the old wording stays in the history
// under a new id. An edit is a correction, so the new wording holds from the old one's event time on; a change in the
// world is a new memory with Supersedes.
func (m *Memory) Update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (
	trilith.Memory, error) {
	return m.engine.Update(ctx, m.in(s), id, r)
}

// UpdateEntity changes the names, identifiers and attributes of an entity; see [trilith.EntityUpdate]. An identifier that
// belongs to another entity is a Conflict, and so is changing an entity that was merged into another.
func (m *Memory) UpdateEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityUpdate) (
	trilith.Entity, error) {
	return m.engine.UpdateEntity(ctx, m.in(s), id, r)
}

// Usage reports the tenant's usage of providers in the last days, today included: 1 to 366, 30 if 0.
func (m *Memory) Usage(ctx context.Context, s trilith.Scope, r trilith.UsageQuery) (trilith.UsageReport, error) {
	return m.engine.Usage(ctx, m.in(s), r)
}

// UseExtraction sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty
// removes the choice.
func (m *Memory) UseExtraction(ctx context.Context, s trilith.Scope, r trilith.ExtractionRequest) (
	trilith.ExtractionChoice, error) {
	return m.engine.UseExtraction(ctx, m.in(s), r)
}

// UseLanguages chooses the languages of the tenant's texts and questions, and returns when all its texts are indexed in
// them; an empty list takes the choice back. If ctx ends before, the choice is stored, and the next search waits for
// the rest. Other processes on the store index the tenant's texts again before their next search of it. A scope that is
// narrower than a tenant is Invalid.
func (m *Memory) UseLanguages(ctx context.Context, s trilith.Scope, r trilith.LanguageChoice) (
	trilith.LanguageChoice, error) {
	return m.engine.UseLanguages(ctx, m.in(s), r)
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none: for
// everything, or for a role, a phase or both. One for a project's phases creates the project's entity, which holds the
// phase.
func (m *Memory) UseProfile(ctx context.Context, s trilith.Scope, r trilith.ProfileRequest) (
	trilith.Profiles, error) {
	return m.engine.UseProfile(ctx, m.in(s), r)
}

// VerifyFact records the decision about a fact; see [trilith.VerifyRequest]. It is NotFound for a memory of another
// scope and Invalid for a memory that is not a fact.
func (m *Memory) VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	return m.engine.VerifyFact(ctx, m.in(s), id, r)
}
