package rest

import (
	"context"
	"encoding/json"
	"io"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/trilith-memory/trilith"
)

// ProjectPath names a project in the path, and narrows it in the query.
type ProjectPath struct {
	Project string `path:"project" doc:"Project" minLength:"1" maxLength:"255"`
	Domain  string `query:"domain" doc:"Knowledge domain" maxLength:"255"`
	User    string `query:"user" doc:"Person whose memory it is" maxLength:"255"`
	Agent   string `query:"agent" doc:"Agent that wrote or reads" maxLength:"255"`
	Session string `query:"session" doc:"Conversation or run" maxLength:"255"`
	Channel string `query:"channel" doc:"Where it was said" maxLength:"255"`
	Zone    string `query:"time_zone" doc:"IANA name of the caller's time zone" maxLength:"64"`
}

func (p ProjectPath) within(who trilith.Identity) trilith.Scope {
	return within(who, trilith.Scope{Project: p.Project, Domain: p.Domain, User: p.User, Agent: p.Agent,
		Session: p.Session, Channel: p.Channel, TimeZone: p.Zone})
}

type ledgerInput struct {
	ProjectPath
	AsOf      string   `query:"as_of" doc:"The ledger as it stood then; now if absent"`
	Tolerance string   `query:"tolerance" doc:"How far amounts may be apart that belong together: 2% or 50; 1% if absent" maxLength:"64"`
	Rates     []string `query:"rate,explode" doc:"EUR:USD=1.08: one EUR is 1.08 USD; repeated, all from one currency" maxItems:"50"`
	Format    string   `query:"format" doc:"json if absent" enum:"json,csv"`
}

type trendsInput struct {
	ProjectPath
	AsOf string `query:"as_of" doc:"Nothing that was said later; now if absent"`
}

type reportInput struct {
	ProjectPath
	From   string `query:"from" doc:"Beginning; 30 days before the end if absent"`
	To     string `query:"to" doc:"End, exclusive; now if absent"`
	Plain  bool   `query:"plain" doc:"Do not ask the configured model to phrase it"`
	Format string `query:"format" doc:"json if absent" enum:"json,markdown"`
}

// registerProjectReports describes the reports on a project's facts.
func (s *factRoutes) registerProjectReports(api huma.API) {
	handleAs(s.edge, api, get("project-ledger", "/projects/{project}/ledger",
		"The money of a project by item, counterparty, phase and currency, matched, as of any date"),
		"text/csv", func(in *ledgerInput) bool { return in.Format == "csv" },
		func(ctx context.Context, who trilith.Identity, in *ledgerInput) (trilith.ProjectLedger, error) {
			return s.engine.ProjectLedger(ctx, in.within(who), trilith.LedgerQuery{AsOf: in.AsOf, Tolerance: in.Tolerance,
				Rates: in.Rates})
		},
		func(l trilith.ProjectLedger, w io.Writer) error { return l.WriteCSV(w) })
	handle(s.edge, api, get("project-trends", "/projects/{project}/trends",
		"How amounts, dates and risks of a project have moved, and which moved unlike the others"),
		func(ctx context.Context, who trilith.Identity, in *trendsInput) (trilith.ProjectTrends, error) {
			return s.engine.ProjectTrends(ctx, in.within(who), trilith.TrendQuery{AsOf: in.AsOf})
		})
	handleAs(s.edge, api, get("project-report", "/projects/{project}/report",
		"What became known and what ended in a project in a period, by topic, with quotes"),
		"text/markdown", func(in *reportInput) bool { return in.Format == "markdown" },
		func(ctx context.Context, who trilith.Identity, in *reportInput) (trilith.ProjectReport, error) {
			return s.engine.ProjectReport(ctx, in.within(who), trilith.ReportQuery{From: in.From, To: in.To,
				Plain: in.Plain})
		},
		func(r trilith.ProjectReport, w io.Writer) error {
			_, err := io.WriteString(w, r.Markdown)
			return err
		})
}

// handleAs registers an operation whose answer is JSON, or on request a text of another media type.
func handleAs[I, O any](s *edge, api huma.API, o operation, media string, wanted func(*I) bool,
	h func(context.Context, trilith.Identity, *I) (O, error), write func(O, io.Writer) error) {
	op := s.describe(o)
	op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
		"application/json": {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[O](), true, "")},
		media:              {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	huma.Register(api, op, func(_ context.Context, in *I) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			r, w := humago.Unwrap(hctx)
			ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
			defer cancel()
			out, err := h(ctx, callOf(ctx).who, in)
			if err != nil {
				fail(w, ctx, err)
				return
			}
			if wanted(in) {
				w.Header().Set("Content-Type", media+"; charset=utf-8")
				_ = write(out, w)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(out)
		}}, nil
	})
}
