// Code generated from internal/door/operations by: go test ./internal/door/operations -update; DO NOT EDIT.

package engine

import (
	"context"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/operate"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/review/projects"
	"github.com/trilith-memory/trilith/internal/talk/interview"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// AcknowledgeAlerts notes that somebody has seen alerts. Those that the scope does not cover, and unknown ones, are NotFound,
// and then none is noted.
func (e *Engine) AcknowledgeAlerts(ctx context.Context, s trilith.Scope, r trilith.AcknowledgeRequest) (
	trilith.Acknowledged, error) {
	return room[*alerts.Alerts](e).Acknowledge(ctx, s, r)
}

// Actionable returns the active facts that need attention: those that ask for an action, the urgent ones, and those
// whose deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
// earliest due comes first and a fact without a date last; of others the one that was said first.
func (e *Engine) Actionable(ctx context.Context, s trilith.Scope, r trilith.ActionableQuery) (trilith.Page, error) {
	return room[*recall.Reader](e).Actionable(ctx, s, r)
}

// Alerts returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees
// those about memories that it may read.
func (e *Engine) Alerts(ctx context.Context, s trilith.Scope, r trilith.AlertQuery) (trilith.AlertPage, error) {
	return room[*alerts.Alerts](e).List(ctx, s, r)
}

// AnswerInterview stores a reply in an interview and the facts that it states about the domain, and asks the next
// question. The reply is durable before it is evaluated: a later error loses nothing, and StartInterview continues from
// it. The same text again, for a question that nothing follows yet, is the same answer.
func (e *Engine) AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	r.ID = id
	return room[*interview.Interviewer](e).AnswerInterview(ctx, s, r)
}

// AppendItems adds items to the transcript of a session, in exactly the named scope, and remembers the words of people
// and the assistant in them. When it returns, the items are durable. Their words are remembered by then, or when
// the program runs again. Repeating a request with its idempotency key returns the first answer.
func (e *Engine) AppendItems(ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems) (
	trilith.SessionItems, error) {
	r.Session = id
	return room[*sessions.Transcripts](e).Append(ctx, s, r)
}

// Archive removes closed memories from listings: those that were superseded, retracted or expired at least so many days
// ago ([trilith.DefaultArchiveDays] if 0, at most 36500). They remain in the history, in answers as of a time, and in
// exports, and judgements remain in force. A memory that becomes active again is listed again.
func (e *Engine) Archive(ctx context.Context, s trilith.Scope, r trilith.ArchiveRequest) (
	trilith.ArchiveResult, error) {
	return room[*jobs.Runner](e).Archive(ctx, s, r)
}

// AutoVerify verifies pending facts that satisfy a policy; see [trilith.AutoVerifyRequest]. It skips candidates: only a
// person accepts a proposal. It does not overwrite a person's decision made in the meantime.
func (e *Engine) AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (
	trilith.AutoVerifyResult, error) {
	return room[*review.Reviewer](e).AutoVerify(ctx, s, r)
}

// Card says who somebody is, in at most [trilith.CardTokens] tokens; see [trilith.Card].
func (e *Engine) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	return room[*recall.Reader](e).Card(ctx, s, r)
}

// ChangeSearch replaces the definition of a search from now on. Its name stays.
func (e *Engine) ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchChange) (
	trilith.SavedSearch, error) {
	r.ID = id
	return room[*alerts.Alerts](e).Change(ctx, s, r)
}

// ClearItems removes all items of a transcript. The memories made from them stay until they are forgotten or erased.
func (e *Engine) ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error) {
	return room[*sessions.Transcripts](e).Clear(ctx, s, id)
}

// Decide makes one decision about many items. Each has its own result.
func (e *Engine) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (
	trilith.DecisionReport, error) {
	return room[Changes](e).Decide(ctx, s, r)
}

// Delete forgets a memory, or erases it with everything derived from it. Erasing needs the right admin.
func (e *Engine) Delete(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.DeleteRequest) (
	trilith.Deletion, error) {
	r.ID = id
	return room[Changes](e).Delete(ctx, s, r)
}

// DeleteByKey forgets the entry with a key in exactly this scope, or erases it in any state. Erasing needs the right
// admin.
func (e *Engine) DeleteByKey(ctx context.Context, s trilith.Scope, key string, r trilith.KeyedDelete) (
	trilith.Deletion, error) {
	r.Key = key
	return room[Changes](e).DeleteByKey(ctx, s, r)
}

// DeleteSearch removes a search with its alerts, and returns the removed search.
func (e *Engine) DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return room[*alerts.Alerts](e).Delete(ctx, s, id)
}

// DomainGaps returns the known and the missing fields of the scope's domain, from all sessions.
func (e *Engine) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	return room[*interview.Interviewer](e).DomainGaps(ctx, s)
}

// Domains lists the schemas that interviews can be about. They are the same for all tenants.
func (e *Engine) Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error) {
	return room[*interview.Interviewer](e).Domains(ctx, s)
}

// DuplicateFacts returns active facts that say the same as another fact of their entity; see [trilith.FactGroups]. If
// cosines of the active generation carry a meaning, two facts are duplicates at a cosine of at least the threshold;
// otherwise, and of facts not embedded yet, their texts are compared. A page ends early after a thousand facts. No
// stored text is embedded for it.
func (e *Engine) DuplicateFacts(ctx context.Context, s trilith.Scope, r trilith.DuplicatesQuery) (
	trilith.FactGroups, error) {
	return room[*review.Reviewer](e).DuplicateFacts(ctx, s, r)
}

// Entities pages through the entities of the tenant by ascending id, without merged ones. A scope narrower than its
// tenant has those that its facts are about or name.
func (e *Engine) Entities(ctx context.Context, s trilith.Scope, r trilith.EntitiesQuery) (trilith.EntityPage, error) {
	return room[*entities.Entities](e).Entities(ctx, s, r)
}

// Entity returns an entity of the tenant as stored. One that was merged into another names the survivor.
func (e *Engine) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	return room[*entities.Entities](e).Entity(ctx, s, id)
}

// EntityHistory pages through the changes of an entity, newest first. An entity that was merged into another has its own
// history, which ends with the merge.
func (e *Engine) EntityHistory(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityHistoryQuery) (
	trilith.EntityHistory, error) {
	r.ID = id
	return room[*entities.Entities](e).EntityHistory(ctx, s, r)
}

// Exposure adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
func (e *Engine) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	return room[*review.Reviewer](e).Exposure(ctx, s)
}

// Extraction returns how facts are derived in the scope's project, or its tenant, if a request does not say.
func (e *Engine) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	return room[*derive.Deriver](e).Extraction(ctx, s)
}

// FactConflicts returns active facts and candidates that contradict each other: different values of a single-valued
// verb, or a value and its denial.
func (e *Engine) FactConflicts(ctx context.Context, s trilith.Scope, r trilith.GroupsQuery) (
	trilith.FactGroups, error) {
	return room[*review.Reviewer](e).FactConflicts(ctx, s, r)
}

// FactStats counts the facts of the scope.
func (e *Engine) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	return room[*review.Reviewer](e).FactStats(ctx, s)
}

// Facts finds or lists facts; see [trilith.FactQuery].
func (e *Engine) Facts(ctx context.Context, s trilith.Scope, r trilith.FactQuery) (trilith.FactPage, error) {
	return room[*review.Reviewer](e).Facts(ctx, s, r)
}

// FactsOf returns the facts of an entity, or of the one that it was merged into, in a natural order: those that hold and
// those that no longer do. Of a user with one speaker the facts of both are listed.
func (e *Engine) FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	r.ID = id
	return room[*recall.Reader](e).FactsOf(ctx, s, r)
}

// GetSession returns a session with a page of its active turns, in the order in which they were stored, its counts and its
// newest summary.
func (e *Engine) GetSession(ctx context.Context, s trilith.Scope, id string, r trilith.SessionTurnsQuery) (
	trilith.SessionTurns, error) {
	r.Session = id
	return room[*sessions.Sessions](e).Get(ctx, s, r)
}

// Inbox lists what waits for a person; see [trilith.ReviewPage]. Ambiguous names have no scope, so only a caller that
// sees the whole tenant gets them. A page lists the items of one reason, and those of the next reason only if it is not
// full.
func (e *Engine) Inbox(ctx context.Context, s trilith.Scope, r trilith.InboxQuery) (trilith.ReviewPage, error) {
	return room[*review.Reviewer](e).Inbox(ctx, s, r)
}

// InterviewGaps is DomainGaps of the domain that an interview is about, as the interview sees it.
func (e *Engine) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	return room[*interview.Interviewer](e).InterviewGaps(ctx, s, id)
}

// Job returns one background job of the tenant.
func (e *Engine) Job(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	return room[*jobs.Runner](e).Job(ctx, s, id)
}

// Languages returns the codes of the languages that the tenant has chosen for its texts, the main one first; none if
// every text tells its own, or the store has a setting for all its tenants.
func (e *Engine) Languages(ctx context.Context, s trilith.Scope) (trilith.LanguageChoice, error) {
	return room[*operate.Operator](e).Languages(ctx, s)
}

// List pages through the memories of the scope by either time, oldest or newest first: active ones unless the request
// or its filter names states. Archived memories are omitted unless requested. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one memory.
func (e *Engine) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	return room[*review.Reviewer](e).List(ctx, s, r)
}

// ListJobs returns a page of background jobs of the tenant, newest first.
func (e *Engine) ListJobs(ctx context.Context, s trilith.Scope, r trilith.JobQuery) (trilith.JobPage, error) {
	return room[*jobs.Runner](e).List(ctx, s, r)
}

// ListSessions pages through the sessions in the scope, the one with the latest turn first; sessions of equal times have a
// fixed order. A session that gets a turn between two pages may be listed twice, or not at all.
func (e *Engine) ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (
	trilith.SessionPage, error) {
	return room[*sessions.Sessions](e).List(ctx, s, r)
}

// LoggedRecall returns one row of the recall log.
func (e *Engine) LoggedRecall(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ServedRecall, error) {
	return room[*served.Log](e).Get(ctx, s, id)
}

// Lookup returns the facts of the entity that an identifier names: all active ones in the order of [facts.HeadingOf],
// or with a query those that match it, best first. Vectors and words only find a fact; the graph decides whether this
// entity asserts it. A fact that is in the index and not in the store is left out, counted, and removed from the index.
func (e *Engine) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	return room[*recall.Reader](e).Lookup(ctx, s, r)
}

// LookupSummary is Lookup in words. Without a query it is the lines of [Reader.Card], and after them the sentences of
// the facts that are not on it; with one it is the sentences of the facts that match, best first. Its length is
// bounded, and it says how many facts it leaves out.
func (e *Engine) LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (
	trilith.SummaryResult, error) {
	return room[*recall.Reader](e).LookupSummary(ctx, s, r)
}

// Media returns files that the scope covers, by ascending id.
func (e *Engine) Media(ctx context.Context, s trilith.Scope, r trilith.MediaQuery) (trilith.MediaPage, error) {
	return room[*media.Room](e).List(ctx, s, r)
}

// MergeEntities makes an entity a part of another, with its facts. Merging twice changes nothing.
func (e *Engine) MergeEntities(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.MergeRequest) (
	trilith.Entity, error) {
	r.ID = id
	return room[Changes](e).MergeEntities(ctx, s, r)
}

// Neighborhood returns an entity, or the one that it was merged into, with its surroundings: its active facts and those
// that name it, by ascending id; then the facts up to hops (0 to 2) away from them, as [role.Graph.Walk] goes; and the
// entities that all of these are about or name. It returns at most [trilith.MaxWalk] facts. With a limit, or as of a
// time, it is bounded: see [trilith.NeighborhoodQuery].
func (e *Engine) Neighborhood(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	r.ID = id
	return room[*recall.Reader](e).Neighborhood(ctx, s, r)
}

// PopItem removes the last item of a transcript and returns it. The turn made of it is forgotten in the same commit, and
// facts with no other evidence are soon after. NotFound if the transcript is empty.
func (e *Engine) PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error) {
	return room[*sessions.Transcripts](e).Pop(ctx, s, id)
}

// Profiles returns the extraction profiles by name, and which is the default of the scope's project, or of the tenant.
func (e *Engine) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	return room[*derive.Deriver](e).Profiles(ctx, s)
}

// ProjectLedger is the money of a project as of a time.
func (e *Engine) ProjectLedger(ctx context.Context, s trilith.Scope, r trilith.LedgerQuery) (
	trilith.ProjectLedger, error) {
	return room[*projects.Projects](e).Ledger(ctx, s, r)
}

// ProjectReport is what became known and what ended in a project in a period.
func (e *Engine) ProjectReport(ctx context.Context, s trilith.Scope, r trilith.ReportQuery) (
	trilith.ProjectReport, error) {
	return room[*projects.Projects](e).Report(ctx, s, r)
}

// ProjectTrends says how amounts, dates and risks of a project have moved.
func (e *Engine) ProjectTrends(ctx context.Context, s trilith.Scope, r trilith.TrendQuery) (
	trilith.ProjectTrends, error) {
	return room[*projects.Projects](e).Trends(ctx, s, r)
}

// Prune forgets the least important turns and notes of a scope until the number that the request, or by default the
// server, allows is left. The importance of one depends on who said it, on how many things it names, and on how recent
// it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be restored; the
// audit log has an entry for them.
func (e *Engine) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	return room[*sessions.Sessions](e).Prune(ctx, s, r)
}

// PutEntry stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the
// stored value is identical, it is returned unchanged. A new value gets the id of the previous one, whose wording ends
// now and stays in the history. A key whose entry was forgotten or has expired gets it back with the new value; a key
// whose entry was erased is refused.
//
// Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match Version and
// IfAbsent. As with [Engine.Remember], a timeout may be returned along with the stored entry.
func (e *Engine) PutEntry(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (
	trilith.Memory, error) {
	r.Key = key
	return room[Changes](e).PutEntry(ctx, s, r)
}

// Recalls returns the questions of the scope in the recall log with their results, newest first.
func (e *Engine) Recalls(ctx context.Context, s trilith.Scope, r trilith.RecallsRequest) (
	trilith.RecallsPage, error) {
	return room[*served.Log](e).List(ctx, s, r)
}

// Reextract derives the facts of sources in the scope again, in the background: of sources that facts were derived
// from, or with Missing of conversations and notes without any, in the way that is chosen now. Better
// rules or another model add to known facts. What rules would no longer find is removed, unless a person has decided
// about it. A model uses at most the daily budget.
func (e *Engine) Reextract(ctx context.Context, s trilith.Scope, r trilith.ReextractRequest) (
	trilith.Reextraction, error) {
	return room[*derive.Deriver](e).Reextract(ctx, s, r)
}

// RegenerateEmbeddings makes vectors for memories of the scope that have none of the active generation, or one of an
// earlier wording: facts first, then all others, each by ascending id, at most Limit ([trilith.DefaultRegenerate] if 0,
// at most MaxPageSize). With Cut it also makes those again that stand for the beginning of a text only, the oldest
// vectors first: for a model that now reads more. A text that the embedder refuses becomes a job, and a text that gets
// no vector is skipped. Without an embedder it is Unsupported.
func (e *Engine) RegenerateEmbeddings(ctx context.Context, s trilith.Scope, r trilith.RegenerateRequest) (
	trilith.RegenerateResult, error) {
	return room[*operate.Operator](e).RegenerateEmbeddings(ctx, s, r)
}

// Relate relates a fact to another one of its owner, as a person says: the note, or a sentence in its place, is stored
// first, and the relation rests on it. Relating them again adds a note. A relation that would put a fact before itself
// is a Conflict.
func (e *Engine) Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (
	trilith.Relation, error) {
	r.ID = id
	return room[*relations.Relations](e).Relate(ctx, s, r)
}

// Relations returns the relations of a fact, in both directions, up to so many hops away, and the facts that they connect.
func (e *Engine) Relations(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelationQuery) (
	trilith.RelationList, error) {
	r.ID = id
	return room[*relations.Relations](e).Of(ctx, s, r)
}

// RetryJob gives a dead job all its attempts again.
func (e *Engine) RetryJob(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	return room[*jobs.Runner](e).Retry(ctx, s, id)
}

// SaveSearch stores a new search. Conflict: its scope has one of that name.
func (e *Engine) SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (
	trilith.SavedSearch, error) {
	return room[*alerts.Alerts](e).Save(ctx, s, r)
}

// SavedSearch returns a search that the scope covers.
func (e *Engine) SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return room[*alerts.Alerts](e).Search(ctx, s, id)
}

// SearchEntities searches entities by name. It reads the records of all entities of the tenant, so that it finds any
// part of a name.
func (e *Engine) SearchEntities(ctx context.Context, s trilith.Scope, r trilith.EntityQuery) (
	trilith.EntityList, error) {
	return room[*entities.Entities](e).SearchEntities(ctx, s, r)
}

// Searches returns the searches that the scope covers, by name.
func (e *Engine) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	return room[*alerts.Alerts](e).Searches(ctx, s)
}

// SessionContext returns the working memory of a session: the newest turns that fit the budget, the newest summary, and
// memories from outside the window that match the question. These come from the user, project and domain of the
// session, whatever session they were stored in; or from the session itself if it has none of the three. If a search
// fails, the answer says so and contains the rest.
func (e *Engine) SessionContext(ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest) (
	trilith.SessionContext, error) {
	r.Session = id
	return room[*sessions.Sessions](e).Context(ctx, s, r)
}

// SessionItems pages through a transcript, or returns its latest items, in order. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one item; of the latest items it then omits the earliest.
func (e *Engine) SessionItems(ctx context.Context, s trilith.Scope, id string, r trilith.ItemsQuery) (
	trilith.SessionItems, error) {
	r.Session = id
	return room[*sessions.Transcripts](e).Items(ctx, s, r)
}

// Share makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
// memory.
func (e *Engine) Share(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.ShareRequest) (
	trilith.Memory, error) {
	r.ID = id
	return room[Changes](e).Share(ctx, s, r)
}

// SimilarFacts returns the active facts of the scope that are similar to a fact, without the fact itself, by descending
// score: the cosine if cosines of the active generation carry a meaning and the fact has been embedded, otherwise the
// fused score for its text as a question. No stored text is embedded for it.
func (e *Engine) SimilarFacts(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SimilarFactsQuery) (
	trilith.FactPage, error) {
	r.ID = id
	return room[*review.Reviewer](e).SimilarFacts(ctx, s, r)
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (e *Engine) SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	r.ID = id
	return room[Changes](e).SplitEntity(ctx, s, r)
}

// StaleFacts returns the active facts that nothing has confirmed for so many days, the longest unconfirmed first; ties
// are ordered by id. A fact is confirmed at the event times of the episodes that it rests on, or at its own if none is
// left, and when a person verified it.
func (e *Engine) StaleFacts(ctx context.Context, s trilith.Scope, r trilith.StaleQuery) (trilith.StalePage, error) {
	return room[*review.Reviewer](e).StaleFacts(ctx, s, r)
}

// StartInterview begins an interview about the scope's domain and asks the first question, or resumes the interview in the
// scope's session: it repeats a question that waits for an answer, and processes an answer that nothing follows because
// the process ended. Without a session it creates one.
func (e *Engine) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	return room[*interview.Interviewer](e).StartInterview(ctx, s)
}

// Stats counts the memories of the scope.
func (e *Engine) Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error) {
	return room[*operate.Operator](e).Stats(ctx, s)
}

// Summarize makes or renews the requested summaries and returns them. A session that exists in several scopes has a
// summary in each. NotFound if there is nothing to summarise.
func (e *Engine) Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	return room[*sessions.Sessions](e).Summarize(ctx, s, r)
}

// SupersedeFact corrects a fact by another one or by a sentence; see [trilith.SupersedeRequest]. The old fact is closed,
// no earlier than it was last stated, and stays in the history; the new one is verified, because a person vouches for it.
// Naming the same successor again changes nothing. A fact that never held should be rejected instead.
func (e *Engine) SupersedeFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	r.ID = id
	return room[Changes](e).SupersedeFact(ctx, s, r)
}

// Sweep sets the state of memories whose validity has ended to expired, and replays facts for which a planned time
// has come. It repairs states and times that a clock that was ahead has left behind. Reads do not depend on it: they
// use [trilith.Memory.StateAt]. Repeating it changes nothing.
func (e *Engine) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	return room[*jobs.Runner](e).Sweep(ctx, s)
}

// TellFact stores a fact that a caller states as data; see [trilith.TellRequest]. It returns the fact that has the
// statement as evidence: an equal one if that is known. A candidate waits for a person. The same request again changes
// nothing while its fact holds.
func (e *Engine) TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error) {
	return room[*derive.Deriver](e).TellFact(ctx, s, r)
}

// Timeline makes the timeline of a project of the facts that belong to it.
func (e *Engine) Timeline(ctx context.Context, s trilith.Scope, r trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	return room[*projects.Projects](e).Timeline(ctx, s, r)
}

// Undo restores the state before a change; see [trilith.Undone]. It is NotFound for a change of another scope, and
// Conflict if a later change rests on it, or if it was undone already.
func (e *Engine) Undo(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Undone, error) {
	return room[Changes](e).Undo(ctx, s, id)
}

// Unrelate takes back a relation of a fact: it is forgotten, and rules that find it again in the same words do not
// bring it back.
func (e *Engine) Unrelate(ctx context.Context, s trilith.Scope, id trilith.ID, relation trilith.ID) (
	trilith.Unrelated, error) {
	return room[*relations.Relations](e).Unrelate(ctx, s, trilith.UnrelateRequest{ID: id, Relation: relation})
}

// UnverifiedFinancial returns unverified facts with at least an amount, active ones and candidates: the largest first,
// ties by id. Amounts are compared exactly, as numbers, regardless of their currency.
func (e *Engine) UnverifiedFinancial(ctx context.Context, s trilith.Scope, r trilith.UnverifiedQuery) (
	trilith.Page, error) {
	return room[*review.Reviewer](e).UnverifiedFinancial(ctx, s, r)
}

// Update changes a memory. A new text passes the gate like that of a new memory; the old wording stays in the history
// under a new id. An edit is a correction, so the new wording holds from the old one's event time on; a change in the
// world is a new memory with Supersedes.
func (e *Engine) Update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (
	trilith.Memory, error) {
	r.ID = id
	return room[Changes](e).Update(ctx, s, r)
}

// UpdateEntity changes the names, identifiers and attributes of an entity; see [trilith.EntityUpdate]. An identifier that
// belongs to another entity is a Conflict, and so is changing an entity that was merged into another.
func (e *Engine) UpdateEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityUpdate) (
	trilith.Entity, error) {
	r.ID = id
	return room[*entities.Entities](e).UpdateEntity(ctx, s, r)
}

// Usage reports the tenant's usage of providers in the last days, today included: 1 to 366, 30 if 0.
func (e *Engine) Usage(ctx context.Context, s trilith.Scope, r trilith.UsageQuery) (trilith.UsageReport, error) {
	return room[*usage.Accounts](e).Usage(ctx, s, r)
}

// UseExtraction sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty
// removes the choice.
func (e *Engine) UseExtraction(ctx context.Context, s trilith.Scope, r trilith.ExtractionRequest) (
	trilith.ExtractionChoice, error) {
	return room[*derive.Deriver](e).UseExtraction(ctx, s, r)
}

// UseLanguages chooses the languages of the tenant's texts and questions, and returns when all its texts are indexed in
// them; an empty list takes the choice back. If ctx ends before, the choice is stored, and the next search waits for
// the rest. Other processes on the store index the tenant's texts again before their next search of it. A scope that is
// narrower than a tenant is Invalid.
func (e *Engine) UseLanguages(ctx context.Context, s trilith.Scope, r trilith.LanguageChoice) (
	trilith.LanguageChoice, error) {
	return room[*operate.Operator](e).UseLanguages(ctx, s, r)
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none: for
// everything, or for a role, a phase or both. One for a project's phases creates the project's entity, which holds the
// phase.
func (e *Engine) UseProfile(ctx context.Context, s trilith.Scope, r trilith.ProfileRequest) (
	trilith.Profiles, error) {
	return room[*derive.Deriver](e).UseProfile(ctx, s, r)
}

// VerifyFact records the decision about a fact; see [trilith.VerifyRequest]. It is NotFound for a memory of another
// scope and Invalid for a memory that is not a fact.
func (e *Engine) VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	r.ID = id
	return room[Changes](e).VerifyFact(ctx, s, r)
}
