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
	Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error)
	Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error)
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
	Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error)
	ConsultStream(
		ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, piece func(string),
	) (trilith.ConsultResult, error)
	TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error)
	Generations(ctx context.Context) ([]trilith.GenerationStatus, error)
	SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error)
	Rollback(ctx context.Context) ([]trilith.GenerationStatus, error)
	ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error)
	ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (trilith.SessionPage, error)
	GetSession(ctx context.Context, s trilith.Scope, id string, r trilith.SessionTurnsQuery) (trilith.SessionTurns, error)
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
