package engine

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/jobs"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/review"
)

// Actionable is [recall.Reader.Actionable].
func (e *Engine) Actionable(ctx context.Context, s trilith.Scope, limit, days int) (trilith.Page, error) {
	return e.recall.Actionable(ctx, s, limit, days)
}

// ImportFacts is [derive.Deriver.ImportFacts].
func (e *Engine) ImportFacts(ctx context.Context, s trilith.Scope, facts []trilith.ForeignFact) (
	trilith.ImportedFacts, error) {
	return e.derive.ImportFacts(ctx, s, facts)
}

// Archive is [jobs.Runner.Archive].
func (e *Engine) Archive(ctx context.Context, s trilith.Scope, days int, dry bool) (trilith.ArchiveResult, error) {
	return e.jobs.Archive(ctx, s, days, dry)
}

// Authenticate is [credentials.Keys.Authenticate].
func (e *Engine) Authenticate(ctx context.Context, secret string) (trilith.Identity, error) {
	return e.keys.Authenticate(ctx, secret)
}

// AutoVerify is [review.Reviewer.AutoVerify].
func (e *Engine) AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (
	trilith.AutoVerifyResult, error) {
	return e.review.AutoVerify(ctx, s, r)
}

// AwaitGenerations is [generations.Generations.AwaitGenerations].
func (e *Engine) AwaitGenerations(ctx context.Context, progress func([]trilith.GenerationStatus)) error {
	return e.generations.AwaitGenerations(ctx, progress)
}

// Backlog is [jobs.Runner.Backlog].
func (e *Engine) Backlog(ctx context.Context) ([]jobs.Backlog, error) {
	return e.jobs.Backlog(ctx)
}

// CheckGraph is [operate.Operator.CheckGraph].
func (e *Engine) CheckGraph(ctx context.Context, s trilith.Scope) (trilith.GraphReport, error) {
	return e.operate.CheckGraph(ctx, s)
}

// CreateKey is [credentials.Keys.Create].
func (e *Engine) CreateKey(ctx context.Context, r trilith.APIKeyRequest) (secret string, k trilith.APIKey, err error) {
	return e.keys.Create(ctx, r)
}

// DuplicateFacts is [review.Reviewer.DuplicateFacts].
func (e *Engine) DuplicateFacts(ctx context.Context, s trilith.Scope, threshold float64, limit int, cursor string) (
	trilith.FactGroups, error) {
	return e.review.DuplicateFacts(ctx, s, threshold, limit, cursor)
}

// Entities is [entities.Entities.Entities].
func (e *Engine) Entities(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.EntityPage, error) {
	return e.entities.Entities(ctx, s, limit, cursor)
}

// Entity is [entities.Entities.Entity].
func (e *Engine) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	return e.entities.Entity(ctx, s, id)
}

// EntityHistory is [entities.Entities.EntityHistory].
func (e *Engine) EntityHistory(ctx context.Context, s trilith.Scope, id trilith.ID, limit int, cursor string) (
	trilith.EntityHistory, error) {
	return e.entities.EntityHistory(ctx, s, id, limit, cursor)
}

// Exposure is [review.Reviewer.Exposure].
func (e *Engine) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	return e.review.Exposure(ctx, s)
}

// Extraction is [derive.Deriver.Extraction].
func (e *Engine) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	return e.derive.Extraction(ctx, s)
}

// FactConflicts is [review.Reviewer.FactConflicts].
func (e *Engine) FactConflicts(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.FactGroups, error) {
	return e.review.FactConflicts(ctx, s, limit, cursor)
}

// FactStats is [review.Reviewer.FactStats].
func (e *Engine) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	return e.review.FactStats(ctx, s)
}

// Facts is [review.Reviewer.Facts].
func (e *Engine) Facts(ctx context.Context, s trilith.Scope, q trilith.FactQuery) (trilith.FactPage, error) {
	return e.review.Facts(ctx, s, q)
}

// ForgetPrevious is [generations.Generations.ForgetPrevious].
func (e *Engine) ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return e.generations.ForgetPrevious(ctx)
}

// SearchEntities is [entities.Visible.SearchEntities].
func (e *Engine) SearchEntities(ctx context.Context, s trilith.Scope, q trilith.EntityQuery) (trilith.EntityList, error) {
	return entities.VisibleOf(e.entities).SearchEntities(ctx, s, q)
}

// FactsOf is [recall.Surroundings.FactsOf].
func (e *Engine) FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	return recall.SurroundingsOf(e.recall).FactsOf(ctx, s, id, q)
}

// Feed is [review.Feeds.Feed].
func (e *Engine) Feed(ctx context.Context, s trilith.Scope, q trilith.FeedQuery) (trilith.Feed, error) {
	return review.FeedsOf(e.review).Feed(ctx, s, q)
}

// Events is [operate.Events.Listen].
func (e *Engine) Events(ctx context.Context, s trilith.Scope, after string) iter.Seq2[trilith.Event, error] {
	return e.operate.Events().Listen(ctx, s, after)
}

// JobCounts is [jobs.Runner.Counts].
func (e *Engine) JobCounts(ctx context.Context, s trilith.Scope) (trilith.JobCounts, error) {
	return e.jobs.Counts(ctx, s)
}

// AuditLog is [operate.Audits.AuditLog].
func (e *Engine) AuditLog(ctx context.Context, s trilith.Scope, q trilith.AuditQuery) (trilith.AuditPage, error) {
	return e.operate.Audits().AuditLog(ctx, s, q)
}

// Generation is [generations.Generations.Generation].
func (e *Engine) Generation() trilith.Generation {
	return e.generations.Generation()
}

// Generations is [generations.Generations.Generations].
func (e *Engine) Generations(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return e.generations.Generations(ctx)
}

// HasKeys is [credentials.Keys.Any].
func (e *Engine) HasKeys(ctx context.Context) (bool, error) {
	return e.keys.Any(ctx)
}

// Inbox is [review.Reviewer.Inbox].
func (e *Engine) Inbox(ctx context.Context, s trilith.Scope, q trilith.InboxQuery) (trilith.ReviewPage, error) {
	return e.review.Inbox(ctx, s, q)
}

// Keys is [credentials.Keys.All].
func (e *Engine) Keys(ctx context.Context) ([]trilith.APIKey, error) {
	return e.keys.All(ctx)
}

// Languages is [operate.Operator.Languages].
func (e *Engine) Languages(ctx context.Context, s trilith.Scope) ([]string, error) {
	return e.operate.Languages(ctx, s)
}

// List is [review.Reviewer.List].
func (e *Engine) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	return e.review.List(ctx, s, r)
}

// Lookup is [recall.Reader.Lookup].
func (e *Engine) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	return e.recall.Lookup(ctx, s, r)
}

// Card is [recall.Reader.Card].
func (e *Engine) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	return e.recall.Card(ctx, s, r)
}

// LookupSummary is [recall.Reader.LookupSummary].
func (e *Engine) LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.SummaryResult, error) {
	return e.recall.LookupSummary(ctx, s, r)
}

// Made is [truth.Truth.Made].
func (e *Engine) Made(ctx context.Context, s trilith.Scope, key string) ([]trilith.ID, error) {
	return e.truth.Made(ctx, s, key)
}

// Neighborhood is [recall.Reader.Neighborhood].
func (e *Engine) Neighborhood(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	return e.recall.Neighborhood(ctx, s, id, q)
}

// Profiles is [derive.Deriver.Profiles].
func (e *Engine) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	return e.derive.Profiles(ctx, s)
}

// PutObject is [objects.Objects.Put].
func (e *Engine) PutObject(ctx context.Context, s trilith.Scope, o trilith.Object, fresh bool) (trilith.Object, error) {
	return e.objects.Put(ctx, s, o, fresh)
}

// Object is [objects.Objects.Get].
func (e *Engine) Object(ctx context.Context, s trilith.Scope, kind, name string) (trilith.Object, error) {
	return e.objects.Get(ctx, s, kind, name)
}

// Objects is [objects.Objects.List].
func (e *Engine) Objects(ctx context.Context, s trilith.Scope, kind string) ([]trilith.Object, error) {
	return e.objects.List(ctx, s, kind)
}

// DeleteObject is [objects.Objects.Delete].
func (e *Engine) DeleteObject(ctx context.Context, s trilith.Scope, kind, name string) error {
	return e.objects.Delete(ctx, s, kind, name)
}

// SaveSearch is [alerts.Alerts.Save].
func (e *Engine) SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (trilith.SavedSearch, error) {
	return e.alerts.Save(ctx, s, r)
}

// Searches is [alerts.Alerts.Searches].
func (e *Engine) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	return e.alerts.Searches(ctx, s)
}

// SavedSearch is [alerts.Alerts.Search].
func (e *Engine) SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return e.alerts.Search(ctx, s, id)
}

// ChangeSearch is [alerts.Alerts.Change].
func (e *Engine) ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchRequest) (
	trilith.SavedSearch, error) {
	return e.alerts.Change(ctx, s, id, r)
}

// DeleteSearch is [alerts.Alerts.Delete].
func (e *Engine) DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	return e.alerts.Delete(ctx, s, id)
}

// Alerts is [alerts.Alerts.List].
func (e *Engine) Alerts(ctx context.Context, s trilith.Scope, q trilith.AlertQuery) (trilith.AlertPage, error) {
	return e.alerts.List(ctx, s, q)
}

// AcknowledgeAlerts is [alerts.Alerts.Acknowledge].
func (e *Engine) AcknowledgeAlerts(ctx context.Context, s trilith.Scope, ids []trilith.ID) (trilith.Acknowledged, error) {
	return e.alerts.Acknowledge(ctx, s, ids)
}

// RunSearches runs the saved searches on what was committed before the call, and on what has become due.
func (e *Engine) RunSearches(ctx context.Context) error {
	if err := e.alerts.Follower().Follow(ctx); err != nil {
		return err
	}
	return e.alerts.Follower().Sweep(ctx)
}

// PutMedia is [media.Room.Put].
func (e *Engine) PutMedia(ctx context.Context, s trilith.Scope, m trilith.NewMedia) (trilith.StoredMedia, error) {
	return e.media.Put(ctx, s, m)
}

// UndoMedia takes the files that an import brought away, and what was read in them out of search. It returns how many
// files and how many memories that are; with dry it does nothing else.
func (e *Engine) UndoMedia(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (files, memories int, err error) {
	brought, err := e.media.ImportedBy(ctx, s, id)
	if err != nil || len(brought) == 0 {
		return 0, 0, err
	}
	for _, m := range brought {
		if m.SourceID == "" {
			continue
		}
		read, err := e.Forget(ctx, s, trilith.ForgetRequest{DryRun: dry,
			Filter: trilith.Where("source_id", trilith.OpEq, string(m.SourceID))})
		if err != nil {
			return 0, 0, err
		}
		memories += len(read.IDs)
	}
	if !dry {
		err = e.media.TakeAway(ctx, s, brought)
	}
	return len(brought), memories, err
}

// Media is [media.Room.List].
func (e *Engine) Media(ctx context.Context, s trilith.Scope, q trilith.MediaQuery) (trilith.MediaPage, error) {
	return e.media.List(ctx, s, q)
}

// MediaFile is [media.Room.Get].
func (e *Engine) MediaFile(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.MediaFile, error) {
	return e.media.Get(ctx, s, id)
}

// ReadOnly is [truth.Truth.ReadOnly].
func (e *Engine) ReadOnly() string {
	return e.truth.ReadOnly()
}

// RebuildGraph is [operate.Operator.RebuildGraph].
func (e *Engine) RebuildGraph(ctx context.Context, s trilith.Scope) (facts int, err error) {
	return e.operate.RebuildGraph(ctx, s)
}

// Reextract is [derive.Deriver.Reextract].
func (e *Engine) Reextract(ctx context.Context, s trilith.Scope, missing bool) (trilith.Reextraction, error) {
	return e.derive.Reextract(ctx, s, missing)
}

// RegenerateEmbeddings is [operate.Operator.RegenerateEmbeddings].
func (e *Engine) RegenerateEmbeddings(ctx context.Context, s trilith.Scope, limit int, cut bool) (
	trilith.RegenerateResult, error) {
	return e.operate.RegenerateEmbeddings(ctx, s, limit, cut)
}

// Reindex is [operate.Operator.Reindex].
func (e *Engine) Reindex(ctx context.Context, progress func(done, total int)) (trilith.ReindexResult, error) {
	return e.operate.Reindex(ctx, progress)
}

// Repair is [operate.Operator.Repair].
func (e *Engine) Repair(ctx context.Context) (trilith.DoctorReport, error) {
	return e.operate.Repair(ctx)
}

// RevokeKey is [credentials.Keys.Revoke].
func (e *Engine) RevokeKey(ctx context.Context, id trilith.ID) error {
	return e.keys.Revoke(ctx, id)
}

// Rollback is [generations.Generations.Rollback].
func (e *Engine) Rollback(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return e.generations.Rollback(ctx)
}

// Settle is [operate.Operator.Settle].
func (e *Engine) Settle(ctx context.Context) error {
	return e.operate.Settle(ctx)
}

// Share is [truth.Truth.Share].
func (e *Engine) Share(ctx context.Context, s trilith.Scope, id trilith.ID, to trilith.Scope) (trilith.Memory, error) {
	return e.truth.Share(ctx, s, id, to)
}

// SignIn is [credentials.SignIns.Open].
func (e *Engine) SignIn(ctx context.Context, secret string) (token string, who trilith.Identity, err error) {
	return e.signIns.Open(ctx, secret)
}

// SignInLink is [credentials.SignIns.Link].
func (e *Engine) SignInLink(ctx context.Context, tenant string) (token string, err error) {
	return e.signIns.Link(ctx, tenant)
}

// SignOut is [credentials.SignIns.End].
func (e *Engine) SignOut(ctx context.Context, token string) error {
	return e.signIns.End(ctx, token)
}

// SignedIn is [credentials.SignIns.Identify].
func (e *Engine) SignedIn(ctx context.Context, token string) (trilith.Identity, error) {
	return e.signIns.Identify(ctx, token)
}

// UseSignInLink is [credentials.SignIns.UseLink].
func (e *Engine) UseSignInLink(ctx context.Context, link string) (token string, who trilith.Identity, err error) {
	return e.signIns.UseLink(ctx, link)
}

// SimilarFacts is [review.Reviewer.SimilarFacts].
func (e *Engine) SimilarFacts(ctx context.Context, s trilith.Scope, id trilith.ID, minScore float64, limit int) (
	trilith.FactPage, error) {
	return e.review.SimilarFacts(ctx, s, id, minScore, limit)
}

// StaleFacts is [review.Reviewer.StaleFacts].
func (e *Engine) StaleFacts(ctx context.Context, s trilith.Scope, days, limit int) (trilith.StalePage, error) {
	return e.review.StaleFacts(ctx, s, days, limit)
}

// Stats is [operate.Operator.Stats].
func (e *Engine) Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error) {
	return e.operate.Stats(ctx, s)
}

// Sweep is [jobs.Runner.Sweep].
func (e *Engine) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	return e.jobs.Sweep(ctx, s)
}

// SwitchTo is [generations.Generations.SwitchTo].
func (e *Engine) SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error) {
	return e.generations.SwitchTo(ctx, embedder)
}

// Maintain is [generations.Generations.Maintain].
func (e *Engine) Maintain() {
	e.generations.Maintain()
}

// UnverifiedFinancial is [review.Reviewer.UnverifiedFinancial].
func (e *Engine) UnverifiedFinancial(ctx context.Context, s trilith.Scope, minAmount string, limit int) (
	trilith.Page, error) {
	return e.review.UnverifiedFinancial(ctx, s, minAmount, limit)
}

// UpdateEntity is [entities.Entities.UpdateEntity].
func (e *Engine) UpdateEntity(ctx context.Context, s trilith.Scope, id trilith.ID, u trilith.EntityUpdate) (
	trilith.Entity, error) {
	return e.entities.UpdateEntity(ctx, s, id, u)
}

// Usage is [usage.Accounts.Usage].
func (e *Engine) Usage(ctx context.Context, s trilith.Scope, days int) (trilith.UsageReport, error) {
	return e.usage.Usage(ctx, s, days)
}

// UseExtraction is [derive.Deriver.UseExtraction].
func (e *Engine) UseExtraction(ctx context.Context, s trilith.Scope, mode trilith.Extraction) error {
	return e.derive.UseExtraction(ctx, s, mode)
}

// UseLanguages is [operate.Operator.UseLanguages].
func (e *Engine) UseLanguages(ctx context.Context, s trilith.Scope, codes []string) error {
	return e.operate.UseLanguages(ctx, s, codes)
}

// UseProfile is [derive.Deriver.UseProfile].
func (e *Engine) UseProfile(ctx context.Context, s trilith.Scope, c trilith.ProfileChoice) error {
	return e.derive.UseProfile(ctx, s, c)
}

// VectorsAtHand is [generations.Generations.VectorsAtHand].
func (e *Engine) VectorsAtHand(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Vector, error) {
	return e.generations.VectorsAtHand(ctx, s, ms)
}

// Relate is [relations.Relations.Relate].
func (e *Engine) Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (
	trilith.Relation, error) {
	return e.relations.Relate(ctx, s, id, r)
}

// Relations is [relations.Relations.Of].
func (e *Engine) Relations(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.RelationQuery) (
	trilith.RelationList, error) {
	return e.relations.Of(ctx, s, id, q)
}

// Unrelate is [relations.Relations.Unrelate].
func (e *Engine) Unrelate(ctx context.Context, s trilith.Scope, id, relation trilith.ID) error {
	return e.relations.Unrelate(ctx, s, id, relation)
}

// Timeline is [relations.Relations.Timeline].
func (e *Engine) Timeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	return e.relations.Timeline(ctx, s, project, q)
}

// DrawTimeline is [relations.Relations.DrawTimeline].
func (e *Engine) DrawTimeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (string,
	error) {
	return e.relations.DrawTimeline(ctx, s, project, q)
}

// Warm loads what the tenant's first search would have to wait for, and the copies of shared indexes that make searches
// fast.
func (e *Engine) Warm(ctx context.Context, s trilith.Scope) error {
	if err := e.generations.Warm(ctx, s); err != nil {
		return err
	}
	return e.truth.Index.Warm(ctx)
}

// WorkQuick is [jobs.Runner.WorkQuick].
func (e *Engine) WorkQuick(ctx context.Context) error {
	return e.jobs.WorkQuick(ctx)
}

// Work is [jobs.Runner.Work].
func (e *Engine) Work(ctx context.Context) error {
	return e.jobs.Work(ctx)
}
