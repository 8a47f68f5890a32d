package memory

import (
	"context"
	"iter"
	"reflect"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
)

// operations are what a memory does, wherever it lies.
type operations interface {
	Me(ctx context.Context) (trilith.Me, error)
	Feed(ctx context.Context, s trilith.Scope, q trilith.FeedQuery) (trilith.Feed, error)
	AuditLog(ctx context.Context, s trilith.Scope, q trilith.AuditQuery) (trilith.AuditPage, error)
	Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error)
	Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error)
	Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error)
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
	Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error)
	Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error)
	Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error)
	List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error)
	Update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (trilith.Memory, error)
	Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error)
	Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error)
	Share(ctx context.Context, s trilith.Scope, id trilith.ID, to trilith.Scope) (trilith.Memory, error)
	History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error)
	Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error)
	ConsultStream(
		ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, piece func(string),
	) (trilith.ConsultResult, error)
	Recalls(ctx context.Context, s trilith.Scope, r trilith.RecallsRequest) (trilith.RecallsPage, error)
	LoggedRecall(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ServedRecall, error)
	RecallAgain(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.RecallAgain, error)
	ForgetRecalls(ctx context.Context, s trilith.Scope) (int, error)
	AddEntry(ctx context.Context, s trilith.Scope, r trilith.EntryRequest) (trilith.Memory, error)
	Entry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error)
	SimilarEntries(ctx context.Context, s trilith.Scope, r trilith.SimilarRequest) (trilith.SimilarEntries, error)
	PutEntry(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (trilith.Memory, error)
	EntryByKey(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error)
	ForgetByKey(ctx context.Context, s trilith.Scope, key string) (trilith.ForgetResult, error)
	EraseByKey(ctx context.Context, s trilith.Scope, key string) (trilith.EraseReceipt, error)
	KeyedEntries(ctx context.Context, s trilith.Scope, r trilith.KeyedRequest) (trilith.Page, error)
	Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) ([]trilith.OperationResult, error)
	SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (trilith.SavedSearch, error)
	Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error)
	SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error)
	ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchRequest) (trilith.SavedSearch, error)
	DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) error
	Alerts(ctx context.Context, s trilith.Scope, q trilith.AlertQuery) (trilith.AlertPage, error)
	AcknowledgeAlerts(ctx context.Context, s trilith.Scope, ids []trilith.ID) (trilith.Acknowledged, error)
	Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error)
	DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error)
	StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error)
	AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (trilith.Interview, error)
	InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error)
	Assimilate(ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest) (trilith.AssimilateResult, error)
	TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error)
	Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error)
	Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error)
	LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.SummaryResult, error)
	Reextract(ctx context.Context, s trilith.Scope, missing bool) (trilith.Reextraction, error)
	Inbox(ctx context.Context, s trilith.Scope, r trilith.InboxQuery) (trilith.ReviewPage, error)
	Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error)
	Undo(ctx context.Context, s trilith.Scope, change trilith.ID) (trilith.Undone, error)
	SupersedeFact(
		ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest,
	) (trilith.Supersession, error)
	AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (trilith.AutoVerifyResult, error)
	SimilarFacts(ctx context.Context, s trilith.Scope, id trilith.ID, minScore float64, limit int) (trilith.FactPage, error)
	DuplicateFacts(
		ctx context.Context, s trilith.Scope, threshold float64, limit int, cursor string,
	) (trilith.FactGroups, error)
	FactConflicts(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.FactGroups, error)
	StaleFacts(ctx context.Context, s trilith.Scope, days, limit int) (trilith.StalePage, error)
	VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (trilith.Memory, error)
	Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (trilith.Relation, error)
	Relations(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.RelationQuery) (trilith.RelationList, error)
	Unrelate(ctx context.Context, s trilith.Scope, id, relation trilith.ID) error
	Timeline(
		ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery,
	) (trilith.ProjectTimeline, error)
	DrawTimeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (string, error)
	Facts(ctx context.Context, s trilith.Scope, q trilith.FactQuery) (trilith.FactPage, error)
	Actionable(ctx context.Context, s trilith.Scope, limit, days int) (trilith.Page, error)
	UnverifiedFinancial(ctx context.Context, s trilith.Scope, minAmount string, limit int) (trilith.Page, error)
	Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error)
	ProjectLedger(ctx context.Context, s trilith.Scope, q trilith.LedgerQuery) (trilith.ProjectLedger, error)
	ProjectTrends(ctx context.Context, s trilith.Scope, q trilith.TrendQuery) (trilith.ProjectTrends, error)
	ProjectReport(ctx context.Context, s trilith.Scope, q trilith.ReportQuery) (trilith.ProjectReport, error)
	FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error)
	Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error)
	Entities(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.EntityPage, error)
	UpdateEntity(ctx context.Context, s trilith.Scope, id trilith.ID, u trilith.EntityUpdate) (trilith.Entity, error)
	MergeEntities(ctx context.Context, s trilith.Scope, into, from trilith.ID) (trilith.Entity, error)
	SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (trilith.SplitResult, error)
	EntityHistory(
		ctx context.Context, s trilith.Scope, id trilith.ID, limit int, cursor string,
	) (trilith.EntityHistory, error)
	Neighborhood(
		ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.NeighborhoodQuery,
	) (trilith.Neighborhood, error)
	SearchEntities(ctx context.Context, s trilith.Scope, q trilith.EntityQuery) (trilith.EntityList, error)
	FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.EntityFactsQuery) (trilith.LookupResult, error)
	Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error)
	UseProfile(ctx context.Context, s trilith.Scope, name string) error
	UseProfileFor(ctx context.Context, s trilith.Scope, p trilith.ProfileChoice) error
	Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error)
	UseExtraction(ctx context.Context, s trilith.Scope, mode trilith.Extraction) error
	Generations(ctx context.Context) ([]trilith.GenerationStatus, error)
	SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error)
	Rollback(ctx context.Context) ([]trilith.GenerationStatus, error)
	ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error)
	Jobs(ctx context.Context, s trilith.Scope, l trilith.JobListing) ([]trilith.Job, error)
	RetryJob(ctx context.Context, s trilith.Scope, id trilith.ID) error
	Usage(ctx context.Context, s trilith.Scope, days int) (trilith.UsageReport, error)
	Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error)
	Archive(ctx context.Context, s trilith.Scope, days int, dry bool) (trilith.ArchiveResult, error)
	RegenerateEmbeddings(ctx context.Context, s trilith.Scope, limit int, cut bool) (trilith.RegenerateResult, error)
	Languages(ctx context.Context) ([]string, error)
	UseLanguages(ctx context.Context, codes ...string) error
	ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (trilith.SessionPage, error)
	GetSession(ctx context.Context, s trilith.Scope, id string, r trilith.SessionQuery) (trilith.SessionTurns, error)
	SessionContext(
		ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest,
	) (trilith.SessionContext, error)
	Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (trilith.SummarizeResult, error)
	Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error)
	AppendItems(ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems) (trilith.SessionItems, error)
	SessionItems(ctx context.Context, s trilith.Scope, id string, r trilith.ItemsQuery) (trilith.SessionItems, error)
	PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error)
	ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error)
	Export(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error]
	ImportFiles(ctx context.Context, s trilith.Scope, r trilith.FilesImport) (trilith.ImportRun, error)
	ImportRun(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ImportRun, error)
	ImportRuns(ctx context.Context, s trilith.Scope) (trilith.ImportRuns, error)
	UndoImport(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (trilith.ImportRun, error)
	PutMedia(ctx context.Context, s trilith.Scope, m trilith.NewMedia) (trilith.StoredMedia, error)
	Media(ctx context.Context, s trilith.Scope, q trilith.MediaQuery) (trilith.MediaPage, error)
	MediaFile(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.MediaFile, error)
	Events(ctx context.Context, s trilith.Scope, after string) iter.Seq2[trilith.Event, error]
	JobCounts(ctx context.Context, s trilith.Scope) (trilith.JobCounts, error)
	Import(ctx context.Context, items iter.Seq2[trilith.ExportItem, error]) (trilith.ImportResult, error)
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
