package memory

import (
	"context"
	"iter"
	"reflect"
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/client"
)

// operations are what a memory does, wherever it lies.
type operations interface {
	Me(ctx context.Context) (cairn.Me, error)
	Feed(ctx context.Context, s cairn.Scope, q cairn.FeedQuery) (cairn.Feed, error)
	AuditLog(ctx context.Context, s cairn.Scope, q cairn.AuditQuery) (cairn.AuditPage, error)
	Stats(ctx context.Context, s cairn.Scope) (cairn.Stats, error)
	Facets(ctx context.Context, s cairn.Scope, q cairn.FacetsQuery) (cairn.FacetList, error)
	Histogram(ctx context.Context, s cairn.Scope, q cairn.HistogramQuery) (cairn.Histogram, error)
	Remember(ctx context.Context, s cairn.Scope, r cairn.RememberRequest) (cairn.RememberResult, error)
	Recall(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error)
	Context(ctx context.Context, s cairn.Scope, r cairn.ContextRequest) (cairn.ContextBlock, error)
	Get(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error)
	List(ctx context.Context, s cairn.Scope, r cairn.ListRequest) (cairn.Page, error)
	Update(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.UpdateRequest) (cairn.Memory, error)
	Forget(ctx context.Context, s cairn.Scope, r cairn.ForgetRequest) (cairn.ForgetResult, error)
	Erase(ctx context.Context, s cairn.Scope, r cairn.EraseRequest) (cairn.EraseReceipt, error)
	Share(ctx context.Context, s cairn.Scope, id cairn.ID, to cairn.Scope) (cairn.Memory, error)
	History(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.History, error)
	Consult(ctx context.Context, s cairn.Scope, r cairn.ConsultRequest) (cairn.ConsultResult, error)
	ConsultStream(
		ctx context.Context, s cairn.Scope, r cairn.ConsultRequest, piece func(string),
	) (cairn.ConsultResult, error)
	Recalls(ctx context.Context, s cairn.Scope, r cairn.RecallsRequest) (cairn.RecallsPage, error)
	LoggedRecall(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.ServedRecall, error)
	RecallAgain(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.RecallAgain, error)
	ForgetRecalls(ctx context.Context, s cairn.Scope) (int, error)
	AddEntry(ctx context.Context, s cairn.Scope, r cairn.EntryRequest) (cairn.Memory, error)
	Entry(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error)
	SimilarEntries(ctx context.Context, s cairn.Scope, r cairn.SimilarRequest) (cairn.SimilarEntries, error)
	PutEntry(ctx context.Context, s cairn.Scope, key string, r cairn.PutRequest) (cairn.Memory, error)
	EntryByKey(ctx context.Context, s cairn.Scope, key string) (cairn.Memory, error)
	ForgetByKey(ctx context.Context, s cairn.Scope, key string) (cairn.ForgetResult, error)
	EraseByKey(ctx context.Context, s cairn.Scope, key string) (cairn.EraseReceipt, error)
	KeyedEntries(ctx context.Context, s cairn.Scope, r cairn.KeyedRequest) (cairn.Page, error)
	Batch(ctx context.Context, s cairn.Scope, ops []cairn.Operation) ([]cairn.OperationResult, error)
	SaveSearch(ctx context.Context, s cairn.Scope, r cairn.SearchRequest) (cairn.SavedSearch, error)
	Searches(ctx context.Context, s cairn.Scope) (cairn.Searches, error)
	SavedSearch(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.SavedSearch, error)
	ChangeSearch(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SearchRequest) (cairn.SavedSearch, error)
	DeleteSearch(ctx context.Context, s cairn.Scope, id cairn.ID) error
	Alerts(ctx context.Context, s cairn.Scope, q cairn.AlertQuery) (cairn.AlertPage, error)
	AcknowledgeAlerts(ctx context.Context, s cairn.Scope, ids []cairn.ID) (cairn.Acknowledged, error)
	Domains(ctx context.Context, s cairn.Scope) (cairn.Domains, error)
	DomainGaps(ctx context.Context, s cairn.Scope) (cairn.DomainGaps, error)
	StartInterview(ctx context.Context, s cairn.Scope) (cairn.Interview, error)
	AnswerInterview(ctx context.Context, s cairn.Scope, id string, r cairn.InterviewAnswer) (cairn.Interview, error)
	InterviewGaps(ctx context.Context, s cairn.Scope, id string) (cairn.DomainGaps, error)
	Assimilate(ctx context.Context, s cairn.Scope, r cairn.AssimilateRequest) (cairn.AssimilateResult, error)
	Lookup(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.LookupResult, error)
	LookupSummary(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.SummaryResult, error)
	Reextract(ctx context.Context, s cairn.Scope, missing bool) (cairn.Reextraction, error)
	Inbox(ctx context.Context, s cairn.Scope, r cairn.InboxQuery) (cairn.ReviewPage, error)
	Decide(ctx context.Context, s cairn.Scope, r cairn.BulkDecision) (cairn.DecisionReport, error)
	SupersedeFact(
		ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SupersedeRequest,
	) (cairn.Supersession, error)
	AutoVerify(ctx context.Context, s cairn.Scope, r cairn.AutoVerifyRequest) (cairn.AutoVerifyResult, error)
	SimilarFacts(ctx context.Context, s cairn.Scope, id cairn.ID, minScore float64, limit int) (cairn.FactPage, error)
	DuplicateFacts(
		ctx context.Context, s cairn.Scope, threshold float64, limit int, cursor string,
	) (cairn.FactGroups, error)
	FactConflicts(ctx context.Context, s cairn.Scope, limit int, cursor string) (cairn.FactGroups, error)
	StaleFacts(ctx context.Context, s cairn.Scope, days, limit int) (cairn.StalePage, error)
	VerifyFact(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.VerifyRequest) (cairn.Memory, error)
	Relate(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.RelateRequest) (cairn.Relation, error)
	Relations(ctx context.Context, s cairn.Scope, id cairn.ID, q cairn.RelationQuery) (cairn.RelationList, error)
	Unrelate(ctx context.Context, s cairn.Scope, id, relation cairn.ID) error
	Timeline(
		ctx context.Context, s cairn.Scope, project string, q cairn.TimelineQuery,
	) (cairn.ProjectTimeline, error)
	DrawTimeline(
		ctx context.Context, s cairn.Scope, project string, q cairn.TimelineQuery, f cairn.TimelineFormat,
	) (string, error)
	Facts(ctx context.Context, s cairn.Scope, q cairn.FactQuery) (cairn.FactPage, error)
	Actionable(ctx context.Context, s cairn.Scope, limit, days int) (cairn.Page, error)
	UnverifiedFinancial(ctx context.Context, s cairn.Scope, minAmount string, limit int) (cairn.Page, error)
	Exposure(ctx context.Context, s cairn.Scope) (cairn.Exposure, error)
	ProjectLedger(ctx context.Context, s cairn.Scope, q cairn.LedgerQuery) (cairn.ProjectLedger, error)
	ProjectTrends(ctx context.Context, s cairn.Scope, q cairn.TrendQuery) (cairn.ProjectTrends, error)
	ProjectReport(ctx context.Context, s cairn.Scope, q cairn.ReportQuery) (cairn.ProjectReport, error)
	FactStats(ctx context.Context, s cairn.Scope) (cairn.FactStats, error)
	Entity(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Entity, error)
	Entities(ctx context.Context, s cairn.Scope, limit int, cursor string) (cairn.EntityPage, error)
	UpdateEntity(ctx context.Context, s cairn.Scope, id cairn.ID, u cairn.EntityUpdate) (cairn.Entity, error)
	MergeEntities(ctx context.Context, s cairn.Scope, into, from cairn.ID) (cairn.Entity, error)
	SplitEntity(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SplitRequest) (cairn.SplitResult, error)
	EntityHistory(
		ctx context.Context, s cairn.Scope, id cairn.ID, limit int, cursor string,
	) (cairn.EntityHistory, error)
	Neighborhood(
		ctx context.Context, s cairn.Scope, id cairn.ID, q cairn.NeighborhoodQuery,
	) (cairn.Neighborhood, error)
	SearchEntities(ctx context.Context, s cairn.Scope, q cairn.EntityQuery) (cairn.EntityList, error)
	FactsOf(ctx context.Context, s cairn.Scope, id cairn.ID, q cairn.EntityFactsQuery) (cairn.LookupResult, error)
	Profiles(ctx context.Context, s cairn.Scope) (cairn.Profiles, error)
	UseProfile(ctx context.Context, s cairn.Scope, name string) error
	UseProfileFor(ctx context.Context, s cairn.Scope, p cairn.ProfileChoice) error
	Extraction(ctx context.Context, s cairn.Scope) (cairn.ExtractionChoice, error)
	UseExtraction(ctx context.Context, s cairn.Scope, mode cairn.Extraction) error
	Generations(ctx context.Context) ([]cairn.GenerationStatus, error)
	SwitchTo(ctx context.Context, embedder string) ([]cairn.GenerationStatus, error)
	Rollback(ctx context.Context) ([]cairn.GenerationStatus, error)
	ForgetPrevious(ctx context.Context) ([]cairn.GenerationStatus, error)
	Jobs(ctx context.Context, s cairn.Scope, l cairn.JobListing) ([]cairn.Job, error)
	RetryJob(ctx context.Context, s cairn.Scope, id cairn.ID) error
	Usage(ctx context.Context, s cairn.Scope, days int) (cairn.UsageReport, error)
	Sweep(ctx context.Context, s cairn.Scope) (cairn.SweepResult, error)
	Archive(ctx context.Context, s cairn.Scope, days int, dry bool) (cairn.ArchiveResult, error)
	RegenerateEmbeddings(ctx context.Context, s cairn.Scope, limit int, cut bool) (cairn.RegenerateResult, error)
	Languages(ctx context.Context) ([]string, error)
	UseLanguages(ctx context.Context, codes ...string) error
	ListSessions(ctx context.Context, s cairn.Scope, r cairn.SessionQuery) (cairn.SessionPage, error)
	GetSession(ctx context.Context, s cairn.Scope, id string, r cairn.SessionQuery) (cairn.SessionTurns, error)
	SessionContext(
		ctx context.Context, s cairn.Scope, id string, r cairn.SessionContextRequest,
	) (cairn.SessionContext, error)
	Summarize(ctx context.Context, s cairn.Scope, r cairn.SummarizeRequest) (cairn.SummarizeResult, error)
	Prune(ctx context.Context, s cairn.Scope, r cairn.PruneRequest) (cairn.PruneResult, error)
	AppendItems(ctx context.Context, s cairn.Scope, id string, r cairn.AppendItems) (cairn.SessionItems, error)
	SessionItems(ctx context.Context, s cairn.Scope, id string, r cairn.ItemsQuery) (cairn.SessionItems, error)
	PopItem(ctx context.Context, s cairn.Scope, id string) (cairn.SessionItem, error)
	ClearItems(ctx context.Context, s cairn.Scope, id string) (cairn.ClearedItems, error)
	Export(ctx context.Context, s cairn.Scope) iter.Seq2[cairn.ExportItem, error]
	ImportFiles(ctx context.Context, s cairn.Scope, r cairn.FilesImport) (cairn.ImportRun, error)
	ImportRun(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.ImportRun, error)
	ImportRuns(ctx context.Context, s cairn.Scope) (cairn.ImportRuns, error)
	UndoImport(ctx context.Context, s cairn.Scope, id cairn.ID, dry bool) (cairn.ImportRun, error)
	PutMedia(ctx context.Context, s cairn.Scope, m cairn.NewMedia) (cairn.StoredMedia, error)
	Media(ctx context.Context, s cairn.Scope, q cairn.MediaQuery) (cairn.MediaPage, error)
	MediaFile(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.MediaFile, error)
	Events(ctx context.Context, s cairn.Scope, after string) iter.Seq2[cairn.Event, error]
	JobCounts(ctx context.Context, s cairn.Scope) (cairn.JobCounts, error)
	Import(ctx context.Context, items iter.Seq2[cairn.ExportItem, error]) (cairn.ImportResult, error)
}

// A program may keep a memory in its own process or on a server behind one interface.
var (
	_ operations = (*Memory)(nil)
	_ operations = (*client.Client)(nil)
)

// TestOperationsAreAll: both have the same operations, with the same signatures. Only a memory in the process has to
// be closed.
func TestOperationsAreAll(t *testing.T) {
	t.Parallel()
	common := reflect.TypeFor[operations]()
	for _, of := range []struct {
		name string
		t    reflect.Type
		own  []string
	}{{"Memory", reflect.TypeFor[*Memory](), []string{"Close"}},
		{"client.Client", reflect.TypeFor[*client.Client](), nil}} {
		own := map[string]bool{}
		for _, name := range of.own {
			own[name] = true
		}
		for i := range of.t.NumMethod() {
			if name := of.t.Method(i).Name; !own[name] {
				if _, ok := common.MethodByName(name); !ok {
					t.Errorf("%s has the method %s, which operations lacks: give the other one the same and list it",
						of.name, name)
				}
			}
		}
	}
}
