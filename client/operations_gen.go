// Code generated from internal/door/operations by: go test ./internal/door/operations -update; DO NOT EDIT.

package client

import (
	"context"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// AcknowledgeAlerts notes that somebody has seen alerts. Those that the scope does not cover, and unknown ones, are NotFound,
// and then none is noted.
func (c *Client) AcknowledgeAlerts(ctx context.Context, s trilith.Scope, r trilith.AcknowledgeRequest) (
	trilith.Acknowledged, error) {
	return perform[trilith.Acknowledged](ctx, c,
		op.Route{Method: "POST", Path: "/alerts/acknowledge", ScopeInBody: true, Repeats: true}, s, r)
}

// Actionable returns the active facts that need attention: those that ask for an action, the urgent ones, and those
// whose deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
// earliest due comes first and a fact without a date last; of others the one that was said first.
func (c *Client) Actionable(ctx context.Context, s trilith.Scope, r trilith.ActionableQuery) (trilith.Page, error) {
	return perform[trilith.Page](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=actionable", Repeats: true}, s, r)
}

// AddEntry stores a knowledge entry like [Engine.Remember] and returns it. If the external id exists, it returns the
// entry with that id; Conflict if that is not an entry. As there, a timeout may be returned along with the stored
// entry.
func (c *Client) AddEntry(ctx context.Context, s trilith.Scope, r trilith.EntryRequest) (trilith.Memory, error) {
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "POST", Path: "/entries", ScopeInBody: true}, s, r)
}

// Alerts returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees
// those about memories that it may read.
func (c *Client) Alerts(ctx context.Context, s trilith.Scope, r trilith.AlertQuery) (trilith.AlertPage, error) {
	return perform[trilith.AlertPage](ctx, c,
		op.Route{Method: "GET", Path: "/alerts", Repeats: true}, s, r)
}

// AnswerInterview stores a reply in an interview and the facts that it states about the domain, and asks the next
// question. The reply is durable before it is evaluated: a later error loses nothing, and StartInterview continues from
// it. The same text again, for a question that nothing follows yet, is the same answer.
func (c *Client) AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	r.ID = id
	return perform[trilith.Interview](ctx, c,
		op.Route{Method: "POST", Path: "/interviews/{id}/answers", ScopeInBody: true}, s, r)
}

// AppendItems adds items to the transcript of a session, in exactly the named scope, and remembers the words of people
// and the assistant in them. When it returns, the items are durable. Their words are remembered by then, or when
// the program runs again. Repeating a request with its idempotency key returns the first answer.
func (c *Client) AppendItems(ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems) (
	trilith.SessionItems, error) {
	r.Session = id
	return perform[trilith.SessionItems](ctx, c,
		op.Route{Method: "POST", Path: "/sessions/{id}/items"}, s, r)
}

// Archive removes closed memories from listings: those that were superseded, retracted or expired at least so many days
// ago ([trilith.DefaultArchiveDays] if 0, at most 36500). They remain in the history, in answers as of a time, and in
// exports, and judgements remain in force. A memory that becomes active again is listed again.
func (c *Client) Archive(ctx context.Context, s trilith.Scope, r trilith.ArchiveRequest) (
	trilith.ArchiveResult, error) {
	return perform[trilith.ArchiveResult](ctx, c,
		op.Route{Method: "POST", Path: "/admin/jobs", Choice: "do=archive", InQuery: true, Repeats: true}, s, r)
}

// Assimilate stores statements about an entity and derives facts from them. It finds the entity by its identifier, or
// creates it. A failure to derive or embed never prevents storing the words: the answer waits a while for the facts,
// and the background does the rest; see [trilith.AssimilateResult].
func (c *Client) Assimilate(ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest) (
	trilith.AssimilateResult, error) {
	return perform[trilith.AssimilateResult](ctx, c,
		op.Route{Method: "POST", Path: "/graph/assimilate", ScopeInBody: true}, s, r)
}

// AuditLog pages through the audit of the tenant, oldest or latest first. It needs the right admin.
func (c *Client) AuditLog(ctx context.Context, s trilith.Scope, r trilith.AuditQuery) (trilith.AuditPage, error) {
	return perform[trilith.AuditPage](ctx, c,
		op.Route{Method: "GET", Path: "/admin", Choice: "view=audit", Scope: "-"}, s, r)
}

// AutoVerify verifies pending facts that satisfy a policy; see [trilith.AutoVerifyRequest]. It skips candidates: only a
// person accepts a proposal. It does not overwrite a person's decision made in the meantime.
func (c *Client) AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (
	trilith.AutoVerifyResult, error) {
	return perform[trilith.AutoVerifyResult](ctx, c,
		op.Route{Method: "POST", Path: "/review", Choice: "do=auto-verify", ScopeInBody: true}, s, r)
}

// Batch runs operations one after the other, each in its scope or, if it has none, in s. Each has its own result: a
// failure does not stop the others, and does not undo earlier operations. Once the answers exceed a few pages, further
// reads are Exhausted. An error means that the batch is invalid, or that writes of an atomic one failed, and nothing
// was done.
func (c *Client) Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) (trilith.BatchResults, error) {
	return perform[trilith.BatchResults](ctx, c,
		op.Route{Method: "POST", Path: "/batch", ScopeInBody: true}, s, r)
}

// Card says who somebody is, in at most [trilith.CardTokens] tokens; see [trilith.Card].
func (c *Client) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	return perform[trilith.Card](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/lookup", Choice: "view=card", Repeats: true}, s, r)
}

// ChangeSearch replaces the definition of a search from now on. Its name stays.
func (c *Client) ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchChange) (
	trilith.SavedSearch, error) {
	r.ID = id
	return perform[trilith.SavedSearch](ctx, c,
		op.Route{Method: "PUT", Path: "/searches/{id}"}, s, r)
}

// ClearItems removes all items of a transcript. The memories made from them stay until they are forgotten or erased.
func (c *Client) ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error) {
	return perform[trilith.ClearedItems](ctx, c,
		op.Route{Method: "DELETE", Path: "/sessions/{id}/items"}, s, id)
}

// Context makes the text that a prompt gets, and logs the memories that it shows.
func (c *Client) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (
	trilith.ContextBlock, error) {
	return perform[trilith.ContextBlock](ctx, c,
		op.Route{Method: "POST", Path: "/context", ScopeInBody: true, Repeats: true}, s, r)
}

// Decide makes one decision about many items. Each has its own result.
func (c *Client) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (
	trilith.DecisionReport, error) {
	return perform[trilith.DecisionReport](ctx, c,
		op.Route{Method: "POST", Path: "/review", Choice: "do=decide", ScopeInBody: true}, s, r)
}

// Delete forgets a memory, or erases it with everything derived from it. Erasing needs the right admin.
func (c *Client) Delete(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.DeleteRequest) (
	trilith.Deletion, error) {
	r.ID = id
	return perform[trilith.Deletion](ctx, c,
		op.Route{Method: "DELETE", Path: "/memories/{id}"}, s, r)
}

// DeleteByKey forgets the entry with a key in exactly this scope, or erases it in any state. Erasing needs the right
// admin.
func (c *Client) DeleteByKey(ctx context.Context, s trilith.Scope, key string, r trilith.KeyedDelete) (
	trilith.Deletion, error) {
	r.Key = key
	return perform[trilith.Deletion](ctx, c,
		op.Route{Method: "DELETE", Path: "/memories/by-key/{key}"}, s, r)
}

// DeleteSearch removes a search with its alerts, and returns the removed search.
func (c *Client) DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return perform[trilith.SavedSearch](ctx, c,
		op.Route{Method: "DELETE", Path: "/searches/{id}"}, s, id)
}

// DomainGaps returns the known and the missing fields of the scope's domain, from all sessions.
func (c *Client) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	return perform[trilith.DomainGaps](ctx, c,
		op.Route{Method: "GET", Path: "/domains/{domain}/gaps", Scope: "project,user", Repeats: true}, s, op.None{})
}

// Domains lists the schemas that interviews can be about. They are the same for all tenants.
func (c *Client) Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error) {
	return perform[trilith.Domains](ctx, c,
		op.Route{Method: "GET", Path: "/domains", Scope: "-", Repeats: true}, s, op.None{})
}

// DuplicateFacts returns active facts that say the same as another fact of their entity; see [trilith.FactGroups]. If
// cosines of the active generation carry a meaning, two facts are duplicates at a cosine of at least the threshold;
// otherwise, and of facts not embedded yet, their texts are compared. A page ends early after a thousand facts. No
// stored text is embedded for it.
func (c *Client) DuplicateFacts(ctx context.Context, s trilith.Scope, r trilith.DuplicatesQuery) (
	trilith.FactGroups, error) {
	return perform[trilith.FactGroups](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=duplicates", Repeats: true}, s, r)
}

// Entities pages through the entities of the tenant by ascending id, without merged ones. A scope narrower than its
// tenant has those that its facts are about or name.
func (c *Client) Entities(ctx context.Context, s trilith.Scope, r trilith.EntitiesQuery) (trilith.EntityPage, error) {
	return perform[trilith.EntityPage](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities", Repeats: true}, s, r)
}

// Entity returns an entity of the tenant as stored. One that was merged into another names the survivor.
func (c *Client) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	return perform[trilith.Entity](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/{id}", Repeats: true}, s, id)
}

// EntityHistory pages through the changes of an entity, newest first. An entity that was merged into another has its own
// history, which ends with the merge.
func (c *Client) EntityHistory(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityHistoryQuery) (
	trilith.EntityHistory, error) {
	r.ID = id
	return perform[trilith.EntityHistory](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/{id}", Choice: "view=history", Repeats: true}, s, r)
}

// Entry returns a knowledge entry of the scope in any state; NotFound also for a memory that is not an entry.
func (c *Client) Entry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "GET", Path: "/entries/{id}", Repeats: true}, s, id)
}

// EntryByKey returns the entry with a key in exactly this scope; NotFound if it was forgotten or has expired.
func (c *Client) EntryByKey(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error) {
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "GET", Path: "/memories/by-key/{key}", Repeats: true}, s, key)
}

// Erase destroys memories: in the truth with their former wordings, in sources, vectors and the text index. It leaves a
// receipt and tombstones, so that the same content does not come back when it is sent, imported or restored. If an id
// or source does not exist in the scope, it is NotFound and erases nothing. An erasure of many memories takes several
// commits; an interrupted one can be repeated, and its receipt lists the erased memories.
//
// Entities are erased from the whole tenant: with those that were merged into them, their identifiers, names and
// history, the questions about them, all facts about them and all that name them.
func (c *Client) Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error) {
	return perform[trilith.EraseReceipt](ctx, c,
		op.Route{Method: "POST", Path: "/admin/erase", ScopeInBody: true}, s, r)
}

// Exposure adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
func (c *Client) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	return perform[trilith.Exposure](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=exposure", Repeats: true}, s, op.None{})
}

// Extraction returns how facts are derived in the scope's project, or its tenant, if a request does not say.
func (c *Client) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	return perform[trilith.ExtractionChoice](ctx, c,
		op.Route{Method: "GET", Path: "/settings", Choice: "of=extraction", Scope: "project", Repeats: true}, s, op.None{})
}

// Facets is [operate.Counts.Facets].
func (c *Client) Facets(ctx context.Context, s trilith.Scope, r trilith.FacetsQuery) (trilith.FacetList, error) {
	return perform[trilith.FacetList](ctx, c,
		op.Route{Method: "GET", Path: "/stats", Choice: "view=facets", Repeats: true}, s, r)
}

// FactConflicts returns active facts and candidates that contradict each other: different values of a single-valued
// verb, or a value and its denial.
func (c *Client) FactConflicts(ctx context.Context, s trilith.Scope, r trilith.GroupsQuery) (
	trilith.FactGroups, error) {
	return perform[trilith.FactGroups](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=conflicts", Repeats: true}, s, r)
}

// FactStats counts the facts of the scope.
func (c *Client) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	return perform[trilith.FactStats](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=stats", Repeats: true}, s, op.None{})
}

// Facts finds or lists facts; see [trilith.FactQuery].
func (c *Client) Facts(ctx context.Context, s trilith.Scope, r trilith.FactQuery) (trilith.FactPage, error) {
	return perform[trilith.FactPage](ctx, c,
		op.Route{Method: "POST", Path: "/facts/search", ScopeInBody: true, Repeats: true}, s, r)
}

// FactsOf returns the facts of an entity, or of the one that it was merged into, in a natural order: those that hold and
// those that no longer do. Of a user with one speaker the facts of both are listed.
func (c *Client) FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	r.ID = id
	return perform[trilith.LookupResult](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/{id}", Choice: "view=facts", Repeats: true}, s, r)
}

// Feed pages through the changes of the scope's memories, latest first: memories that were stored, by the time of
// storing, and memories that were closed, by the time when trilith learned of it.
func (c *Client) Feed(ctx context.Context, s trilith.Scope, r trilith.FeedQuery) (trilith.Feed, error) {
	return perform[trilith.Feed](ctx, c,
		op.Route{Method: "GET", Path: "/changes", Repeats: true}, s, r)
}

// Forget removes memories from search; see [trilith.ForgetRequest]. If an id does not exist in the scope, it is NotFound
// and forgets nothing.
func (c *Client) Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error) {
	return perform[trilith.ForgetResult](ctx, c,
		op.Route{Method: "POST", Path: "/forget", ScopeInBody: true}, s, r)
}

// ForgetRecalls deletes the rows of the recall log in the scope, and says how many. It needs the right admin.
func (c *Client) ForgetRecalls(ctx context.Context, s trilith.Scope) (trilith.ForgottenRecalls, error) {
	return perform[trilith.ForgottenRecalls](ctx, c,
		op.Route{Method: "DELETE", Path: "/recalls"}, s, op.None{})
}

// Get returns a memory of the scope in any state; NotFound also for one in another scope.
func (c *Client) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "GET", Path: "/memories/{id}", Repeats: true}, s, id)
}

// GetSession returns a session with a page of its active turns, in the order in which they were stored, its counts and its
// newest summary.
func (c *Client) GetSession(ctx context.Context, s trilith.Scope, id string, r trilith.SessionTurnsQuery) (
	trilith.SessionTurns, error) {
	r.Session = id
	return perform[trilith.SessionTurns](ctx, c,
		op.Route{Method: "GET", Path: "/sessions/{id}", Repeats: true}, s, r)
}

// Histogram is [operate.Counts.Histogram].
func (c *Client) Histogram(ctx context.Context, s trilith.Scope, r trilith.HistogramQuery) (
	trilith.Histogram, error) {
	return perform[trilith.Histogram](ctx, c,
		op.Route{Method: "GET", Path: "/stats", Choice: "view=histogram", Repeats: true}, s, r)
}

// History returns the chain that a memory belongs to; see [trilith.History].
func (c *Client) History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error) {
	return perform[trilith.History](ctx, c,
		op.Route{Method: "GET", Path: "/memories/{id}", Choice: "view=history", Repeats: true}, s, id)
}

// Inbox lists what waits for a person; see [trilith.ReviewPage]. Ambiguous names have no scope, so only a caller that
// sees the whole tenant gets them. A page lists the items of one reason, and those of the next reason only if it is not
// full.
func (c *Client) Inbox(ctx context.Context, s trilith.Scope, r trilith.InboxQuery) (trilith.ReviewPage, error) {
	return perform[trilith.ReviewPage](ctx, c,
		op.Route{Method: "GET", Path: "/review", Repeats: true}, s, r)
}

// InterviewGaps is DomainGaps of the domain that an interview is about, as the interview sees it.
func (c *Client) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	return perform[trilith.DomainGaps](ctx, c,
		op.Route{Method: "GET", Path: "/interviews/{id}/gaps", Repeats: true}, s, id)
}

// Job returns one background job of the tenant.
func (c *Client) Job(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	return perform[trilith.Job](ctx, c,
		op.Route{Method: "GET", Path: "/jobs/{id}", Scope: "-", Repeats: true}, s, id)
}

// KeyedEntries lists the active entries of exactly this scope with a key prefix, oldest first.
func (c *Client) KeyedEntries(ctx context.Context, s trilith.Scope, r trilith.KeyedRequest) (trilith.Page, error) {
	return perform[trilith.Page](ctx, c,
		op.Route{Method: "GET", Path: "/memories", Choice: "view=keyed", Repeats: true}, s, r)
}

// Languages returns the codes of the languages that the tenant has chosen for its texts, the main one first; none if
// every text tells its own, or the store has a setting for all its tenants.
func (c *Client) Languages(ctx context.Context, s trilith.Scope) (trilith.LanguageChoice, error) {
	return perform[trilith.LanguageChoice](ctx, c,
		op.Route{Method: "GET", Path: "/settings", Choice: "of=languages", Scope: "-", Repeats: true}, s, op.None{})
}

// List pages through the memories of the scope by either time, oldest or newest first: active ones unless the request
// or its filter names states. Archived memories are omitted unless requested. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one memory.
func (c *Client) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	return perform[trilith.Page](ctx, c,
		op.Route{Method: "GET", Path: "/memories", Repeats: true}, s, r)
}

// ListJobs returns a page of background jobs of the tenant, newest first.
func (c *Client) ListJobs(ctx context.Context, s trilith.Scope, r trilith.JobQuery) (trilith.JobPage, error) {
	return perform[trilith.JobPage](ctx, c,
		op.Route{Method: "GET", Path: "/jobs", Scope: "-", Repeats: true}, s, r)
}

// ListSessions pages through the sessions in the scope, the one with the latest turn first; sessions of equal times have a
// fixed order. A session that gets a turn between two pages may be listed twice, or not at all.
func (c *Client) ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (
	trilith.SessionPage, error) {
	return perform[trilith.SessionPage](ctx, c,
		op.Route{Method: "GET", Path: "/sessions", Repeats: true}, s, r)
}

// LoggedRecall returns one row of the recall log.
func (c *Client) LoggedRecall(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ServedRecall, error) {
	return perform[trilith.ServedRecall](ctx, c,
		op.Route{Method: "GET", Path: "/recalls/{id}", Repeats: true}, s, id)
}

// Lookup returns the facts of the entity that an identifier names: all active ones in the order of [facts.HeadingOf],
// or with a query those that match it, best first. Vectors and words only find a fact; the graph decides whether this
// entity asserts it. A fact that is in the index and not in the store is left out, counted, and removed from the index.
func (c *Client) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	return perform[trilith.LookupResult](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/lookup", Repeats: true}, s, r)
}

// LookupSummary is Lookup in words. Without a query it is the lines of [Reader.Card], and after them the sentences of
// the facts that are not on it; with one it is the sentences of the facts that match, best first. Its length is
// bounded, and it says how many facts it leaves out.
func (c *Client) LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (
	trilith.SummaryResult, error) {
	return perform[trilith.SummaryResult](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/lookup", Choice: "view=summary", Repeats: true}, s, r)
}

// Media returns files that the scope covers, by ascending id.
func (c *Client) Media(ctx context.Context, s trilith.Scope, r trilith.MediaQuery) (trilith.MediaPage, error) {
	return perform[trilith.MediaPage](ctx, c,
		op.Route{Method: "GET", Path: "/media", Repeats: true}, s, r)
}

// MergeEntities makes an entity a part of another, with its facts. Merging twice changes nothing.
func (c *Client) MergeEntities(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.MergeRequest) (
	trilith.Entity, error) {
	r.ID = id
	return perform[trilith.Entity](ctx, c,
		op.Route{Method: "POST", Path: "/graph/entities/{id}/merge"}, s, r)
}

// Neighborhood returns an entity, or the one that it was merged into, with its surroundings: its active facts and those
// that name it, by ascending id; then the facts up to hops (0 to 2) away from them, as [role.Graph.Walk] goes; and the
// entities that all of these are about or name. It returns at most [trilith.MaxWalk] facts. With a limit, or as of a
// time, it is bounded: see [trilith.NeighborhoodQuery].
func (c *Client) Neighborhood(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	r.ID = id
	return perform[trilith.Neighborhood](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities/{id}", Choice: "view=neighborhood", Repeats: true}, s, r)
}

// PopItem removes the last item of a transcript and returns it. The turn made of it is forgotten in the same commit, and
// facts with no other evidence are soon after. NotFound if the transcript is empty.
func (c *Client) PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error) {
	return perform[trilith.SessionItem](ctx, c,
		op.Route{Method: "DELETE", Path: "/sessions/{id}/items", Choice: "which=last"}, s, id)
}

// Profiles returns the extraction profiles by name, and which is the default of the scope's project, or of the tenant.
func (c *Client) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	return perform[trilith.Profiles](ctx, c,
		op.Route{Method: "GET", Path: "/settings", Choice: "of=profiles", Scope: "project", Repeats: true}, s, op.None{})
}

// ProjectLedger is the money of a project as of a time.
func (c *Client) ProjectLedger(ctx context.Context, s trilith.Scope, r trilith.LedgerQuery) (
	trilith.ProjectLedger, error) {
	return perform[trilith.ProjectLedger](ctx, c,
		op.Route{Method: "GET", Path: "/projects/{project}", Choice: "view=ledger", Repeats: true}, s, r)
}

// ProjectReport is what became known and what ended in a project in a period.
func (c *Client) ProjectReport(ctx context.Context, s trilith.Scope, r trilith.ReportQuery) (
	trilith.ProjectReport, error) {
	return perform[trilith.ProjectReport](ctx, c,
		op.Route{Method: "GET", Path: "/projects/{project}", Choice: "view=report", Repeats: true}, s, r)
}

// ProjectTrends says how amounts, dates and risks of a project have moved.
func (c *Client) ProjectTrends(ctx context.Context, s trilith.Scope, r trilith.TrendQuery) (
	trilith.ProjectTrends, error) {
	return perform[trilith.ProjectTrends](ctx, c,
		op.Route{Method: "GET", Path: "/projects/{project}", Choice: "view=trends", Repeats: true}, s, r)
}

// Prune forgets the least important turns and notes of a scope until the number that the request, or by default the
// server, allows is left. The importance of one depends on who said it, on how many things it names, and on how recent
// it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be restored; the
// audit log has an entry for them.
func (c *Client) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	return perform[trilith.PruneResult](ctx, c,
		op.Route{Method: "POST", Path: "/memories/prune", ScopeInBody: true}, s, r)
}

// PutEntry stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the
// stored value is identical, it is returned unchanged. A new value gets the id of the previous one, whose wording ends
// now and stays in the history. A key whose entry was forgotten or has expired gets it back with the new value; a key
// whose entry was erased is refused.
//
// Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match Version and
// IfAbsent. As with [Engine.Remember], a timeout may be returned along with the stored entry.
func (c *Client) PutEntry(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (
	trilith.Memory, error) {
	r.Key = key
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "PUT", Path: "/memories/by-key/{key}", ScopeInBody: true}, s, r)
}

// Recall searches the memories for a question. The result is logged.
func (c *Client) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return perform[trilith.RecallResult](ctx, c,
		op.Route{Method: "POST", Path: "/search", ScopeInBody: true, Repeats: true}, s, r)
}

// RecallAgain repeats a logged question in its scope, and reports the differences between the answers. It is not
// logged. For a consultation it searches the facts that were shown.
func (c *Client) RecallAgain(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.RecallAgain, error) {
	return perform[trilith.RecallAgain](ctx, c,
		op.Route{Method: "GET", Path: "/recalls/{id}", Choice: "view=again", Repeats: true}, s, id)
}

// Recalls returns the questions of the scope in the recall log with their results, newest first.
func (c *Client) Recalls(ctx context.Context, s trilith.Scope, r trilith.RecallsRequest) (
	trilith.RecallsPage, error) {
	return perform[trilith.RecallsPage](ctx, c,
		op.Route{Method: "GET", Path: "/recalls", Repeats: true}, s, r)
}

// Reextract derives the facts of sources in the scope again, in the background: of sources that facts were derived
// from, or with Missing of conversations and notes without any, in the way that is chosen now. Better
// rules or another model add to known facts. What rules would no longer find is removed, unless a person has decided
// about it. A model uses at most the daily budget.
func (c *Client) Reextract(ctx context.Context, s trilith.Scope, r trilith.ReextractRequest) (
	trilith.Reextraction, error) {
	return perform[trilith.Reextraction](ctx, c,
		op.Route{Method: "POST", Path: "/admin/jobs", Choice: "do=reextract", InQuery: true, Repeats: true}, s, r)
}

// RegenerateEmbeddings makes vectors for memories of the scope that have none of the active generation, or one of an
// earlier wording: facts first, then all others, each by ascending id, at most Limit ([trilith.DefaultRegenerate] if 0,
// at most MaxPageSize). With Cut it also makes those again that stand for the beginning of a text only, the oldest
// vectors first: for a model that now reads more. A text that the embedder refuses becomes a job, and a text that gets
// no vector is skipped. Without an embedder it is Unsupported.
func (c *Client) RegenerateEmbeddings(ctx context.Context, s trilith.Scope, r trilith.RegenerateRequest) (
	trilith.RegenerateResult, error) {
	return perform[trilith.RegenerateResult](ctx, c,
		op.Route{Method: "POST", Path: "/admin/jobs", Choice: "do=embed", InQuery: true, Repeats: true}, s, r)
}

// Relate relates a fact to another one of its owner, as a person says: the note, or a sentence in its place, is stored
// first, and the relation rests on it. Relating them again adds a note. A relation that would put a fact before itself
// is a Conflict.
func (c *Client) Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (
	trilith.Relation, error) {
	r.ID = id
	return perform[trilith.Relation](ctx, c,
		op.Route{Method: "POST", Path: "/facts/{id}/relations"}, s, r)
}

// Relations returns the relations of a fact, in both directions, up to so many hops away, and the facts that they connect.
func (c *Client) Relations(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelationQuery) (
	trilith.RelationList, error) {
	r.ID = id
	return perform[trilith.RelationList](ctx, c,
		op.Route{Method: "GET", Path: "/facts/{id}", Choice: "view=relations", Repeats: true}, s, r)
}

// Remember stores something. With a RequestKey it can be repeated: the second time it changes nothing. If nothing of it
// is stored, that is an error, a [*trilith.Refused].
func (c *Client) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (
	trilith.RememberResult, error) {
	return perform[trilith.RememberResult](ctx, c,
		op.Route{Method: "POST", Path: "/memories", ScopeInBody: true}, s, r)
}

// RetryJob gives a dead job all its attempts again.
func (c *Client) RetryJob(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	return perform[trilith.Job](ctx, c,
		op.Route{Method: "POST", Path: "/jobs/{id}/retry", Scope: "-"}, s, id)
}

// SaveSearch stores a new search. Conflict: its scope has one of that name.
func (c *Client) SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (
	trilith.SavedSearch, error) {
	return perform[trilith.SavedSearch](ctx, c,
		op.Route{Method: "POST", Path: "/searches", ScopeInBody: true}, s, r)
}

// SavedSearch returns a search that the scope covers.
func (c *Client) SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return perform[trilith.SavedSearch](ctx, c,
		op.Route{Method: "GET", Path: "/searches/{id}", Repeats: true}, s, id)
}

// SearchEntities searches entities by name. It reads the records of all entities of the tenant, so that it finds any
// part of a name.
func (c *Client) SearchEntities(ctx context.Context, s trilith.Scope, r trilith.EntityQuery) (
	trilith.EntityList, error) {
	return perform[trilith.EntityList](ctx, c,
		op.Route{Method: "GET", Path: "/graph/entities", Choice: "view=search", Repeats: true}, s, r)
}

// Searches returns the searches that the scope covers, by name.
func (c *Client) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	return perform[trilith.Searches](ctx, c,
		op.Route{Method: "GET", Path: "/searches", Repeats: true}, s, op.None{})
}

// SessionContext returns the working memory of a session: the newest turns that fit the budget, the newest summary, and
// memories from outside the window that match the question. These come from the user, project and domain of the
// session, whatever session they were stored in; or from the session itself if it has none of the three. If a search
// fails, the answer says so and contains the rest.
func (c *Client) SessionContext(ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest) (
	trilith.SessionContext, error) {
	r.Session = id
	return perform[trilith.SessionContext](ctx, c,
		op.Route{Method: "POST", Path: "/sessions/{id}/context", Repeats: true}, s, r)
}

// SessionItems pages through a transcript, or returns its latest items, in order. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one item; of the latest items it then omits the earliest.
func (c *Client) SessionItems(ctx context.Context, s trilith.Scope, id string, r trilith.ItemsQuery) (
	trilith.SessionItems, error) {
	r.Session = id
	return perform[trilith.SessionItems](ctx, c,
		op.Route{Method: "GET", Path: "/sessions/{id}", Choice: "view=items", Repeats: true}, s, r)
}

// Share makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
// memory.
func (c *Client) Share(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.ShareRequest) (
	trilith.Memory, error) {
	r.ID = id
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "POST", Path: "/memories/{id}/share", Repeats: true}, s, r)
}

// SimilarEntries returns the active entries of the scope's domain that are most similar to a text or an embedding; see
// [trilith.SimilarRequest].
func (c *Client) SimilarEntries(ctx context.Context, s trilith.Scope, r trilith.SimilarRequest) (
	trilith.SimilarEntries, error) {
	return perform[trilith.SimilarEntries](ctx, c,
		op.Route{Method: "POST", Path: "/entries/similar", ScopeInBody: true, Repeats: true}, s, r)
}

// SimilarFacts returns the active facts of the scope that are similar to a fact, without the fact itself, by descending
// score: the cosine if cosines of the active generation carry a meaning and the fact has been embedded, otherwise the
// fused score for its text as a question. No stored text is embedded for it.
func (c *Client) SimilarFacts(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SimilarFactsQuery) (
	trilith.FactPage, error) {
	r.ID = id
	return perform[trilith.FactPage](ctx, c,
		op.Route{Method: "GET", Path: "/facts/{id}", Choice: "view=similar", Repeats: true}, s, r)
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (c *Client) SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	r.ID = id
	return perform[trilith.SplitResult](ctx, c,
		op.Route{Method: "POST", Path: "/graph/entities/{id}/split"}, s, r)
}

// StaleFacts returns the active facts that nothing has confirmed for so many days, the longest unconfirmed first; ties
// are ordered by id. A fact is confirmed at the event times of the episodes that it rests on, or at its own if none is
// left, and when a person verified it.
func (c *Client) StaleFacts(ctx context.Context, s trilith.Scope, r trilith.StaleQuery) (trilith.StalePage, error) {
	return perform[trilith.StalePage](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=stale", Repeats: true}, s, r)
}

// StartInterview begins an interview about the scope's domain and asks the first question, or resumes the interview in the
// scope's session: it repeats a question that waits for an answer, and processes an answer that nothing follows because
// the process ended. Without a session it creates one.
func (c *Client) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	return perform[trilith.Interview](ctx, c,
		op.Route{Method: "POST", Path: "/interviews", ScopeInBody: true}, s, op.None{})
}

// Stats counts the memories of the scope.
func (c *Client) Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error) {
	return perform[trilith.Stats](ctx, c,
		op.Route{Method: "GET", Path: "/stats", Repeats: true}, s, op.None{})
}

// Summarize makes or renews the requested summaries and returns them. A session that exists in several scopes has a
// summary in each. NotFound if there is nothing to summarise.
func (c *Client) Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	return perform[trilith.SummarizeResult](ctx, c,
		op.Route{Method: "POST", Path: "/summaries", ScopeInBody: true}, s, r)
}

// SupersedeFact corrects a fact by another one or by a sentence; see [trilith.SupersedeRequest]. The old fact is closed,
// no earlier than it was last stated, and stays in the history; the new one is verified, because a person vouches for it.
// Naming the same successor again changes nothing. A fact that never held should be rejected instead.
func (c *Client) SupersedeFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	r.ID = id
	return perform[trilith.Supersession](ctx, c,
		op.Route{Method: "POST", Path: "/facts/{id}", Choice: "do=supersede"}, s, r)
}

// Sweep sets the state of memories whose validity has ended to expired, and replays facts for which a planned time
// has come. It repairs states and times that a clock that was ahead has left behind. Reads do not depend on it: they
// use [trilith.Memory.StateAt]. Repeating it changes nothing.
func (c *Client) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	return perform[trilith.SweepResult](ctx, c,
		op.Route{Method: "POST", Path: "/admin/jobs", Choice: "do=sweep", InQuery: true, Repeats: true}, s, op.None{})
}

// TellFact stores a fact that a caller states as data; see [trilith.TellRequest]. It returns the fact that has the
// statement as evidence: an equal one if that is known. A candidate waits for a person. The same request again changes
// nothing while its fact holds.
func (c *Client) TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error) {
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "POST", Path: "/facts", ScopeInBody: true, Repeats: true}, s, r)
}

// Timeline makes the timeline of a project of the facts that belong to it.
func (c *Client) Timeline(ctx context.Context, s trilith.Scope, r trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	return perform[trilith.ProjectTimeline](ctx, c,
		op.Route{Method: "GET", Path: "/projects/{project}", Choice: "view=timeline", Repeats: true}, s, r)
}

// Undo restores the state before a change; see [trilith.Undone]. It is NotFound for a change of another scope, and
// Conflict if a later change rests on it, or if it was undone already.
func (c *Client) Undo(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Undone, error) {
	return perform[trilith.Undone](ctx, c,
		op.Route{Method: "POST", Path: "/changes/{id}/undo"}, s, id)
}

// Unrelate takes back a relation of a fact: it is forgotten, and rules that find it again in the same words do not
// bring it back.
func (c *Client) Unrelate(ctx context.Context, s trilith.Scope, id trilith.ID, relation trilith.ID) (
	trilith.Unrelated, error) {
	return perform[trilith.Unrelated](ctx, c,
		op.Route{Method: "DELETE", Path: "/facts/{id}/relations/{relation}"}, s, trilith.UnrelateRequest{ID: id, Relation: relation})
}

// UnverifiedFinancial returns unverified facts with at least an amount, active ones and candidates: the largest first,
// ties by id. Amounts are compared exactly, as numbers, regardless of their currency.
func (c *Client) UnverifiedFinancial(ctx context.Context, s trilith.Scope, r trilith.UnverifiedQuery) (
	trilith.Page, error) {
	return perform[trilith.Page](ctx, c,
		op.Route{Method: "GET", Path: "/facts", Choice: "view=unverified", Repeats: true}, s, r)
}

// Update changes a memory. A new text passes the gate like that of a new memory; the old wording stays in the history
// under a new id. An edit is a correction, so the new wording holds from the old one's event time on; a change in the
// world is a new memory with Supersedes.
func (c *Client) Update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (
	trilith.Memory, error) {
	r.ID = id
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "PATCH", Path: "/memories/{id}"}, s, r)
}

// UpdateEntity changes the names, identifiers and attributes of an entity; see [trilith.EntityUpdate]. An identifier that
// belongs to another entity is a Conflict, and so is changing an entity that was merged into another.
func (c *Client) UpdateEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.EntityUpdate) (
	trilith.Entity, error) {
	r.ID = id
	return perform[trilith.Entity](ctx, c,
		op.Route{Method: "PATCH", Path: "/graph/entities/{id}"}, s, r)
}

// Usage reports the tenant's usage of providers in the last days, today included: 1 to 366, 30 if 0.
func (c *Client) Usage(ctx context.Context, s trilith.Scope, r trilith.UsageQuery) (trilith.UsageReport, error) {
	return perform[trilith.UsageReport](ctx, c,
		op.Route{Method: "GET", Path: "/stats", Choice: "view=usage", Scope: "-", Repeats: true}, s, r)
}

// UseExtraction sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty
// removes the choice.
func (c *Client) UseExtraction(ctx context.Context, s trilith.Scope, r trilith.ExtractionRequest) (
	trilith.ExtractionChoice, error) {
	return perform[trilith.ExtractionChoice](ctx, c,
		op.Route{Method: "PUT", Path: "/settings", Choice: "of=extraction", Scope: "project", ScopeInBody: true, Repeats: true}, s, r)
}

// UseLanguages chooses the languages of the tenant's texts and questions, and returns when all its texts are indexed in
// them; an empty list takes the choice back. If ctx ends before, the choice is stored, and the next search waits for
// the rest. Other processes on the store index the tenant's texts again before their next search of it. A scope that is
// narrower than a tenant is Invalid.
func (c *Client) UseLanguages(ctx context.Context, s trilith.Scope, r trilith.LanguageChoice) (
	trilith.LanguageChoice, error) {
	return perform[trilith.LanguageChoice](ctx, c,
		op.Route{Method: "PUT", Path: "/settings", Choice: "of=languages", Scope: "-", Repeats: true}, s, r)
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none: for
// everything, or for a role, a phase or both. One for a project's phases creates the project's entity, which holds the
// phase.
func (c *Client) UseProfile(ctx context.Context, s trilith.Scope, r trilith.ProfileRequest) (
	trilith.Profiles, error) {
	return perform[trilith.Profiles](ctx, c,
		op.Route{Method: "PUT", Path: "/settings", Choice: "of=profile", Scope: "project", ScopeInBody: true, Repeats: true}, s, r)
}

// VerifyFact records the decision about a fact; see [trilith.VerifyRequest]. It is NotFound for a memory of another
// scope and Invalid for a memory that is not a fact.
func (c *Client) VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	r.ID = id
	return perform[trilith.Memory](ctx, c,
		op.Route{Method: "POST", Path: "/facts/{id}", Choice: "do=verify"}, s, r)
}
