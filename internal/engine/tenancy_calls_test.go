package engine_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// scopedCall is one way to call an operation that takes a scope, with an id of any origin if it takes an id.
type scopedCall func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error)

// withoutIDs are the texts of summaries: their ids are made of the time, which is not the same in two worlds.
func withoutIDs(r trilith.SummarizeResult, err error) (any, error) {
	var out []string
	for i := range r.Summaries {
		out = append(out, r.Summaries[i].Text)
	}
	return out, err
}

// scopedCalls are by the name of the method; TestTenancyCallsEverything keeps them complete. Their memories have a key
// or an external id: then their ids are made of that and do not depend on the time, which is not the same in two
// worlds.
var scopedCalls = map[string][]scopedCall{
	"Get": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Get(ctx, s, id)
	}},
	"List": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.List(ctx, s, trilith.ListRequest{Filter: either("id", "source_id", id)})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.List(ctx, s, trilith.ListRequest{Cursor: string(id)})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.List(ctx, s, trilith.ListRequest{Newest: true, Sort: trilith.TimelineEvent, Brief: true})
		},
	},
	"Delete": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Delete(ctx, s, id, trilith.DeleteRequest{})
	}},
	"DeleteByKey": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.DeleteByKey(ctx, s, "an id like "+string(id), trilith.KeyedDelete{})
	}},
	"Relate": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Relate(ctx, s, id, trilith.RelateRequest{Type: trilith.Causes, To: trilith.DeriveID("none")})
	}},
	"Relations": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Relations(ctx, s, id, trilith.RelationQuery{Hops: 3})
	}},
	"Unrelate": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Unrelate(ctx, s, id, id)
	}},
	"Timeline": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Timeline(ctx, trilith.Scope{Tenant: s.Tenant, Project: "p"}, trilith.TimelineQuery{AsOf: "2026-01-01"})
	}},
	"ListSessions": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.ListSessions(ctx, s, trilith.SessionQuery{})
	}},
	"GetSession": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.GetSession(ctx, s, "s", trilith.SessionTurnsQuery{})
	}},
	"SessionContext": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.SessionContext(ctx, s, "s", trilith.SessionContextRequest{Query: "the harbour of bravo"})
	}},
	"Summarize": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return withoutIDs(e.Summarize(ctx, s, trilith.SummarizeRequest{Session: "s"}))
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return withoutIDs(e.Summarize(ctx, s, trilith.SummarizeRequest{Entity: id}))
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return withoutIDs(e.Summarize(ctx, s, trilith.SummarizeRequest{Topics: true}))
		},
	},
	"Prune": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Prune(ctx, s, trilith.PruneRequest{Max: 1, DryRun: true})
	}},
	"AppendItems": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		items, err := e.AppendItems(ctx, s, "run", trilith.AppendItems{Items: rig.Raw(`{"role":"tool","content":"4"}`)})
		return len(items.Items), err
	}},
	"SessionItems": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		items, err := e.SessionItems(ctx, s, "run", trilith.ItemsQuery{})
		return len(items.Items), err
	}},
	"PopItem": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		it, err := e.PopItem(ctx, s, "run")
		return it.Seq, err
	}},
	"ClearItems": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.ClearItems(ctx, s, "run")
	}},
	"Warm": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return nil, e.Warm(ctx, s)
	}},
	"Usage": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Usage(ctx, s, trilith.UsageQuery{})
	}},
	"Stats": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Stats(ctx, s)
	}},
	"Feed": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Feed(ctx, s, trilith.FeedQuery{})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Feed(ctx, s, trilith.FeedQuery{Filter: either("id", "source_id", id), Limit: 1})
		},
	},
	"AuditLog": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.AuditLog(ctx, s, trilith.AuditQuery{Newest: true, Target: id})
	}},
	"Facets": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Facets(ctx, s, trilith.FacetsQuery{Field: "user"})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Facets(ctx, s, trilith.FacetsQuery{Field: "kind",
				Counting: trilith.Counting{Filter: either("id", "source_id", id)}})
		},
	},
	"Histogram": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Histogram(ctx, s, trilith.HistogramQuery{Time: trilith.TimelineEvent, Split: "user"})
	}},
	"CheckGraph": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.CheckGraph(ctx, s)
	}},
	"RebuildGraph": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.RebuildGraph(ctx, s)
	}},
	"Update": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Update(ctx, s, id, trilith.UpdateRequest{Tags: &[]string{"touched"}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Update(ctx, s, id, trilith.UpdateRequest{Text: new("Another wording."), Version: 1})
		},
	},
	"Share": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Share(ctx, s, id, trilith.ShareRequest{Scope: trilith.Scope{User: "cleo"}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Share(ctx, s, id, trilith.ShareRequest{Scope: trilith.Scope{Tenant: "bravo", User: "ana"}})
		},
	},
	"Reextract": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Reextract(ctx, s, trilith.ReextractRequest{})
	}},
	"Made": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		if _, err := e.Update(ctx, s, id,
			trilith.UpdateRequest{Tags: &[]string{"named"}, RequestKey: "call"}); err != nil {
			return nil, err
		}
		return e.Made(ctx, s, "call")
	}},
	"Forget": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Forget(ctx, s, trilith.ForgetRequest{IDs: []trilith.ID{id}, RequestKey: "forget"})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Forget(ctx, s, trilith.ForgetRequest{IDs: []trilith.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Forget(ctx, s, trilith.ForgetRequest{Sources: []trilith.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Forget(ctx, s, trilith.ForgetRequest{Filter: trilith.Where("id", trilith.OpEq, string(id))})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Forget(ctx, s, trilith.ForgetRequest{Filter: trilith.Where("kind", trilith.OpEq, "note"), DryRun: true})
		},
	},
	"Erase": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Erase(ctx, s, trilith.EraseRequest{IDs: []trilith.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Erase(ctx, s, trilith.EraseRequest{Sources: []trilith.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Erase(ctx, s, trilith.EraseRequest{Filter: trilith.Where("source_id", trilith.OpEq, string(id))})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Erase(ctx, s, trilith.EraseRequest{Filter: trilith.Where("kind", trilith.OpEq, "episode"), DryRun: true})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Erase(ctx, whole(s),
				trilith.EraseRequest{Entities: []trilith.ID{id}, Words: true})
		},
	},
	"History": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.History(ctx, s, id)
	}},
	"Remember": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Remember(ctx, s, trilith.RememberRequest{Text: "It replaces something.", Supersedes: []trilith.ID{id},
				RequestKey: "replace"})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Remember(ctx, s,
				trilith.RememberRequest{Text: "Under an id of the caller.", ExternalID: "an id like " + string(id),
					Timestamp: "2025-05-05"})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Remember(ctx, s,
				trilith.RememberRequest{Text: "Under a key of the caller.", RequestKey: "a key like " + string(id),
					Timestamp: "2025-05-05"})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Remember(ctx, s, trilith.RememberRequest{Text: neighbourly("bravo", "gone"), Timestamp: "2025-05-05",
				RequestKey: "said again"})
		},
	},
	"Recall": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Recall(ctx, s, trilith.RecallRequest{Query: "What of bravo? " + string(id), Neighbors: 2,
				Explain: true})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Recall(ctx, s, trilith.RecallRequest{Query: "the harbour", States: trilith.States(),
				Filter: either("id", "source_id", id)})
		},
	},
	"Consult": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Consult(ctx, s, trilith.ConsultRequest{Prompt: "What of the harbour of bravo? " + string(id)})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			s.Session = "talk"
			return e.Consult(ctx, s, trilith.ConsultRequest{Prompt: "And now?", SessionOnly: true,
				RequestKey: "a key like " + string(id)})
		},
	},
	"Recalls": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Recalls(ctx, s, trilith.RecallsRequest{})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Recalls(ctx, s, trilith.RecallsRequest{Cursor: string(id)})
		},
	},
	"LoggedRecall": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.LoggedRecall(ctx, s, id)
	}},
	"RecallAgain": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.RecallAgain(ctx, s, id)
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			found, err := e.Recall(ctx, s, trilith.RecallRequest{Query: "the harbour"})
			if err != nil {
				return nil, err
			}
			return e.RecallAgain(ctx, s, found.RecallID)
		},
	},
	"ForgetRecalls": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.ForgetRecalls(ctx, s)
	}},
	"Context": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Context(ctx, s,
				trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "the harbour of bravo " + string(id),
					Neighbors: 1}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Context(ctx, s,
				trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "the harbour of bravo"},
					Format: trilith.FormatKnowledge})
		},
	},
	"AddEntry": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		s.Domain = "harbours"
		return e.AddEntry(ctx, s,
			trilith.EntryRequest{Entry: trilith.Entry{Title: "A title", Content: "Under an id of the caller."},
				ExternalID: "an id like " + string(id)})
	}},
	"Entry": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Entry(ctx, s, id)
	}},
	"SimilarEntries": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		s.Domain = "harbours"
		return e.SimilarEntries(
			ctx, s, trilith.SimilarRequest{Text: neighbourly("bravo", "a chart"), MinScore: new(0.0),
				ExcludeSession: string(id)})
	}},
	"Domains": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Domains(ctx, s)
	}},
	"DomainGaps": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		s.Domain = "bakery"
		return e.DomainGaps(ctx, s)
	}},
	"StartInterview": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			s.Domain, s.Session = "bakery", "interview"
			return e.StartInterview(ctx, s)
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			s.Domain, s.Session = "bakery", "like "+string(id[:min(len(id), 50)])
			return e.StartInterview(ctx, s)
		},
	},
	"AnswerInterview": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.AnswerInterview(ctx, s, "interview", trilith.InterviewAnswer{Text: "We have 12 employees."})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.AnswerInterview(ctx, s, string(id), trilith.InterviewAnswer{Text: "Rye bread.", RequestKey: "said"})
		},
	},
	"InterviewGaps": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		if _, err := e.InterviewGaps(ctx, s, string(id)); trilith.KindOf(err) != trilith.NotFound {
			return nil, err
		}
		return e.InterviewGaps(ctx, s, "interview")
	}},
	"Assimilate": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Assimilate(ctx, s,
			trilith.AssimilateRequest{Identifier: shared, Content: "I moved to Bergen.", Timestamp: "2025-05-05",
				ExternalID: string(id)})
	}},
	"TellFact": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.TellFact(ctx, s, trilith.TellRequest{Subject: &shared, Verb: "lives_in", Value: "Bergen",
				ValidFrom: "2025-05-05", Evidence: &trilith.ToldEvidence{ID: id}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.TellFact(ctx, s, trilith.TellRequest{Topic: "harbour", Value: "Bergen", ExternalID: string(id)})
		},
	},
	"Lookup": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Lookup(ctx, s, trilith.LookupRequest{Identifier: shared})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Lookup(ctx, s, trilith.LookupRequest{Identifier: shared, Query: "the harbour", ExpandHops: 2})
		},
	},
	"Card": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Card(ctx, s, trilith.CardRequest{Identifier: shared})
	}},
	"LookupSummary": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.LookupSummary(ctx, s, trilith.LookupRequest{Identifier: shared})
	}},
	"Entity": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Entity(ctx, s, id)
	}},
	"Entities": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Entities(ctx, s, trilith.EntitiesQuery{})
	}},
	"UpdateEntity": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.UpdateEntity(ctx, s, id, trilith.EntityUpdate{AddAliases: []string{"Ana Berg"}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.UpdateEntity(ctx, s, id,
				trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{{Type: "phone", Value: "123"}}})
		},
	},
	"MergeEntities": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.MergeEntities(ctx, s, id, trilith.MergeRequest{From: trilith.DeriveID("entity", s.Tenant, "1")})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.MergeEntities(ctx, s, trilith.DeriveID("entity", s.Tenant, "0"), trilith.MergeRequest{From: id})
		},
	},
	"Undo": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Undo(ctx, s, id)
		},
	},
	"SplitEntity": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.SplitEntity(ctx, s, id,
				trilith.SplitRequest{Identifiers: []trilith.Identifier{{Type: "phone", Value: "0"}}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.SplitEntity(ctx, s, trilith.DeriveID("entity", s.Tenant, "0"), trilith.SplitRequest{Merged: id})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.SplitEntity(ctx, s, trilith.DeriveID("entity", s.Tenant, "0"),
				trilith.SplitRequest{Identifiers: []trilith.Identifier{{Type: "phone", Value: "0"}}, Facts: []trilith.ID{id}})
		},
	},
	"EntityHistory": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.EntityHistory(ctx, s, id, trilith.EntityHistoryQuery{})
	}},
	"Neighborhood": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		if n, err := e.Neighborhood(ctx, s, id, trilith.NeighborhoodQuery{Hops: 2}); err != nil || len(n.Facts) == 0 {
			return n, err
		}
		return e.Neighborhood(ctx, s, id, trilith.NeighborhoodQuery{Hops: 2, Limit: 60, AsOf: "2025-03-01"})
	}},
	"SearchEntities": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.SearchEntities(ctx, s, trilith.EntityQuery{Sort: trilith.EntitiesByName})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.SearchEntities(ctx, s, trilith.EntityQuery{Text: "ana", Limit: 1})
		},
	},
	"FactsOf": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.FactsOf(ctx, s, id, trilith.EntityFactsQuery{})
	}},
	"VectorsAtHand": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.VectorsAtHand(ctx, s, []trilith.Memory{{ID: id, Scope: s}})
	}},
	"VerifyFact": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.VerifyFact(ctx, s, id, trilith.VerifyRequest{Decision: trilith.DecideReject})
	}},
	"Decide": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Decide(ctx, s, trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: trilith.DecideVerify})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Decide(ctx, s, trilith.BulkDecision{Filter: either("id", "source_id", id),
				Decision: trilith.DecideReject})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Decide(ctx, s, trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: trilith.DecideDismiss})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			r, err := e.Decide(ctx, s, trilith.BulkDecision{Filter: trilith.Where("kind", trilith.OpEq, "fact"),
				Decision: trilith.DecideDispute, DryRun: true})
			slices.SortFunc(r.Items, func(a, b trilith.DecisionOutcome) int { // they come by ids, some of which are times
				return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Status, b.Status))
			})
			return r, err
		},
	},
	"SupersedeFact": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.SupersedeFact(ctx, s, id, trilith.SupersedeRequest{By: trilith.DeriveID("fact", "0", s.Tenant)})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.SupersedeFact(ctx, s, trilith.DeriveID("fact", "0", s.Tenant), trilith.SupersedeRequest{By: id})
		},
	},
	"Inbox": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Inbox(ctx, s, trilith.InboxQuery{})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Inbox(ctx, s, trilith.InboxQuery{Reasons: []trilith.ReviewReason{trilith.ReviewAmbiguous}, Limit: 1})
		},
	},
	"SimilarFacts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.SimilarFacts(ctx, s, id, trilith.SimilarFactsQuery{})
	}},
	"DuplicateFacts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.DuplicateFacts(ctx, s, trilith.DuplicatesQuery{Threshold: 0.1})
	}},
	"FactConflicts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.FactConflicts(ctx, s, trilith.GroupsQuery{})
	}},
	"StaleFacts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		p, err := e.StaleFacts(ctx, s, trilith.StaleQuery{Days: 1})
		// Ties are broken by ids, which the two worlds do not share.
		slices.SortStableFunc(p.Items, func(a, b trilith.StaleFact) int {
			if c := a.LastSeen.Compare(b.LastSeen); c != 0 {
				return c
			}
			return strings.Compare(a.Memory.Text, b.Memory.Text)
		})
		return p, err
	}},
	"AutoVerify": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.AutoVerify(ctx, s, trilith.AutoVerifyRequest{MinTrust: trilith.TrustToolOutput, MinEvidence: 1})
	}},
	"Sweep": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Sweep(ctx, s)
	}},
	"Archive": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Archive(ctx, s, trilith.ArchiveRequest{Days: 1})
	}},
	"RegenerateEmbeddings": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.RegenerateEmbeddings(ctx, s, trilith.RegenerateRequest{})
	}},
	"Facts": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Facts(ctx, s, trilith.FactQuery{ActiveOnly: new(false), Filter: either("id", "source_id", id)})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Facts(ctx, s, trilith.FactQuery{Query: "the harbour of bravo"})
		},
	},
	"LegacyIDs": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.LegacyIDs(ctx, s, []trilith.ID{id})
	}},
	"LegacyFact": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.LegacyFact(ctx, s, 1)
	}},
	"Actionable": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Actionable(ctx, s, trilith.ActionableQuery{})
	}},
	"UnverifiedFinancial": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.UnverifiedFinancial(ctx, s, trilith.UnverifiedQuery{MinAmount: "0"})
	}},
	"FactStats": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.FactStats(ctx, s)
	}},
	"Exposure": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Exposure(ctx, s)
	}},
	"ProjectLedger": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		s.Project = "p"
		return e.ProjectLedger(ctx, s, trilith.LedgerQuery{AsOf: "2030-01-01"})
	}},
	"ProjectTrends": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		s.Project = "p"
		return e.ProjectTrends(ctx, s, trilith.TrendQuery{AsOf: "2030-01-01"})
	}},
	"ProjectReport": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		s.Project = "p"
		return e.ProjectReport(ctx, s, trilith.ReportQuery{From: "2020-01-01", To: "2030-01-01"})
	}},
	"Profiles": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Profiles(ctx, s)
	}},
	"UseProfile": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.UseProfile(ctx, s, trilith.ProfileRequest{Name: "construction"})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.UseProfile(ctx, s, trilith.ProfileRequest{Name: string(id)})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.UseProfile(ctx, whole(s), trilith.ProfileRequest{Name: "construction"})
		},
	},
	"Extraction": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Extraction(ctx, s)
	}},
	"UseExtraction": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.UseExtraction(ctx, s, trilith.ExtractionRequest{Extract: trilith.ExtractRules})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.UseExtraction(ctx, whole(s), trilith.ExtractionRequest{Extract: trilith.ExtractRules})
		},
	},
	"Languages": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Languages(ctx, s)
	}},
	"UseLanguages": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.UseLanguages(ctx, s, trilith.LanguageChoice{Languages: []string{"es"}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.UseLanguages(ctx, whole(s), trilith.LanguageChoice{Languages: []string{"es", "en"}})
		},
	},
	"Jobs": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.Jobs(ctx, s, trilith.JobListing{IDs: []trilith.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return e.Jobs(ctx, s, trilith.JobListing{})
		},
	},
	"ListJobs": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.ListJobs(ctx, s, trilith.JobQuery{Counts: true})
	}},
	"Job": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.Job(ctx, s, id)
	}},
	// The cursor of a log is the same for all tenants; an invalid cursor is reported as a change of everything.
	"Events": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		var out []trilith.Event
		for ev, err := range e.Events(ctx, s, "none-"+string(id)) {
			if err != nil {
				return out, err
			}
			ev.Cursor = ""
			if out = append(out, ev); ev.All {
				break
			}
		}
		return out, nil
	}},
	"RetryJob": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
		return e.RetryJob(ctx, s, id)
	}},
	"Audit": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.Audit(ctx, s, 0, 1000)
	}},
	"Export": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		var items []trilith.ExportItem
		for item, err := range e.Export(ctx, s) {
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	}},
	"NumberFacts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.NumberFacts(ctx, s)
	}},
	"ImportFacts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
		return e.ImportFacts(ctx, s,
			[]trilith.ForeignFact{rig.Foreign("4711", "The mill has two stones.", trilith.Scope{User: "berg-0"})})
	}},
	"Restore": {
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			at := time.Date(2025, 4, 4, 0, 0, 0, 0, time.UTC)
			return rig.Restored(e.Restore(
				ctx, s, []trilith.ExportItem{{Memory: &trilith.Memory{ID: id, Version: 1, Kind: trilith.KindNote,
					State: trilith.StateActive, Trust: trilith.TrustImported, Text: "Brought along.", EventTime: at,
					RecordedAt: at}}}))
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return rig.Restored(e.Restore(
				ctx, s, []trilith.ExportItem{
					{Source: &trilith.Source{ID: id, Kind: "note", MemoryIDs: []trilith.ID{id}, RequestKey: "key-0"}}}))
		},
		func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return rig.Restored(e.Restore(
				ctx, s, []trilith.ExportItem{{Erased: &trilith.Erased{Salt: strings.Repeat("0f", 16), IDs: []trilith.ID{id},
					Receipt: trilith.EraseReceipt{ID: trilith.DeriveID("receipt", string(id))}}}}))
		},
	},
}

// whole is a scope without what narrows it; it stays bound to what it is bound to.
func whole(s trilith.Scope) trilith.Scope {
	return trilith.Scope{Tenant: s.Tenant, Actor: s.Actor, Fixed: s.Fixed, Bound: s.Bound}
}

// shared names somebody whom both tenants know.
var shared = trilith.Identifier{Type: "email", Value: "ana@example.com"}

// either accepts memories that have the id in one of two fields.
func either(a, b string, id trilith.ID) trilith.Filter {
	return trilith.Filter{Or: []trilith.Filter{trilith.Where(a, trilith.OpEq, string(id)),
		trilith.Where(b, trilith.OpEq, string(id))}}
}
