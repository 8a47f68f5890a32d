package memory

import (
	"context"
	"iter"
	"reflect"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	table "github.com/trilith-memory/trilith/internal/door/operations"
)

// operations are what a memory does, wherever it lies, but for those of the table, whose methods are generated.
type operations interface {
	Me(ctx context.Context) (trilith.Me, error)
	Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error)
	Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error)
	Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error)
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
	Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error)
	ConsultStream(
		ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, piece func(string),
	) (trilith.ConsultResult, error)
	Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error)
	DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error)
	StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error)
	AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (trilith.Interview, error)
	InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error)
	TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error)
	Reextract(ctx context.Context, s trilith.Scope, missing bool) (trilith.Reextraction, error)
	Timeline(
		ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery,
	) (trilith.ProjectTimeline, error)
	DrawTimeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (string, error)
	ProjectLedger(ctx context.Context, s trilith.Scope, q trilith.LedgerQuery) (trilith.ProjectLedger, error)
	ProjectTrends(ctx context.Context, s trilith.Scope, q trilith.TrendQuery) (trilith.ProjectTrends, error)
	ProjectReport(ctx context.Context, s trilith.Scope, q trilith.ReportQuery) (trilith.ProjectReport, error)
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
	common, generated := reflect.TypeFor[operations](), map[string]bool{}
	for _, o := range table.All().Ops {
		generated[o.Go] = true
	}
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
			if name := of.t.Method(i).Name; !own[name] && !generated[name] {
				if _, ok := common.MethodByName(name); !ok {
					t.Errorf("%s has the method %s, which operations lacks: give the other one the same and list it",
						of.name, name)
				}
			}
		}
	}
}
