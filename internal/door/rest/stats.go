package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// CountingQuery says in the query of a URL which memories are counted. It is exported as [ScopeQuery] is.
type CountingQuery struct {
	ScopeQuery
	StatesQuery
	Kinds  []string `query:"kinds,explode" doc:"Kinds, with commas between them or repeated; all if absent"`
	Filter string   `query:"filter" doc:"Conditions as JSON; see the filter grammar. Counting takes longer with one"`
}

type facetsInput struct {
	CountingQuery
	Field  string `query:"field" required:"true" doc:"Whose values are counted" enum:"agent,channel,domain,kind,project,role,session,source_id,speaker,state,trust,type,user"`
	Prefix string `query:"prefix" doc:"Only values that begin with this" maxLength:"255"`
	Limit  int    `query:"limit" doc:"Values at most: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
}

type histogramInput struct {
	CountingQuery
	By    trilith.Period   `query:"by" doc:"How long the steps are: day if absent; weeks begin on Monday" enum:"day,week,month"`
	Time  trilith.Timeline `query:"time" doc:"By when it was recorded, or when it happened" enum:"recorded,event"`
	Split string           `query:"split" doc:"By whose values each step is counted: kind if absent" enum:"agent,channel,domain,kind,project,role,session,source_id,speaker,state,trust,type,user"`
}

func (s *memoryRoutes) registerStats(api huma.API) {
	handle(s.edge, api, get("facets", "/stats/facets",
		"The values of a field with how often they occur, the most frequent first: users, sessions, sources, …"),
		func(ctx context.Context, who trilith.Identity, in *facetsInput) (trilith.FacetList, error) {
			c, err := in.counting()
			if err != nil {
				return trilith.FacetList{}, err
			}
			return s.engine.Facets(ctx, in.within(who),
				trilith.FacetsQuery{Counting: c, Field: in.Field, Prefix: in.Prefix, Limit: in.Limit})
		})
	handle(s.edge, api, get("histogram", "/stats/histogram",
		"How many memories there are of each day, week or month; periods without any are left out"),
		func(ctx context.Context, who trilith.Identity, in *histogramInput) (trilith.Histogram, error) {
			c, err := in.counting()
			if err != nil {
				return trilith.Histogram{}, err
			}
			return s.engine.Histogram(ctx, in.within(who),
				trilith.HistogramQuery{Counting: c, By: in.By, Time: in.Time, Split: in.Split})
		})
}

func (q CountingQuery) counting() (c trilith.Counting, err error) {
	c.States = q.states()
	for _, name := range separated(q.Kinds) {
		c.Kinds = append(c.Kinds, trilith.Kind(name))
	}
	if q.Filter != "" {
		err = c.Filter.UnmarshalJSON([]byte(q.Filter))
	}
	return c, err
}
