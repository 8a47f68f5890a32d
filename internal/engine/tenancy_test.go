package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/hashembed"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/inmem"
	"github.com/cairn-memory/cairn/internal/recalls"
	"github.com/cairn-memory/cairn/internal/scripted"
	"github.com/cairn-memory/cairn/internal/tables"
)

// scopedCall is one way of calling an operation that takes a scope, with an id of whatever origin where it takes one.
type scopedCall func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error)

// withoutIDs are the texts of summaries: their ids are made of the time, which is not the same in two worlds.
func withoutIDs(r cairn.SummarizeResult, err error) (any, error) {
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
	"Get": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.Get(ctx, s, id)
	}},
	"List": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.List(ctx, s, cairn.ListRequest{Filter: either("id", "source_id", id)})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.List(ctx, s, cairn.ListRequest{Cursor: string(id)})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.List(ctx, s, cairn.ListRequest{Newest: true})
		},
	},
	"ListSessions": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.ListSessions(ctx, s, cairn.SessionQuery{})
	}},
	"GetSession": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.GetSession(ctx, s, "s", cairn.SessionQuery{})
	}},
	"SessionContext": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.SessionContext(ctx, s, "s", cairn.SessionContextRequest{Query: "the harbour of bravo"})
	}},
	"Summarize": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return withoutIDs(e.Summarize(ctx, s, cairn.SummarizeRequest{Session: "s"}))
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return withoutIDs(e.Summarize(ctx, s, cairn.SummarizeRequest{Entity: id}))
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return withoutIDs(e.Summarize(ctx, s, cairn.SummarizeRequest{Topics: true}))
		},
	},
	"Prune": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Prune(ctx, s, cairn.PruneRequest{Max: 1, DryRun: true})
	}},
	"AppendItems": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		items, err := e.AppendItems(ctx, s, "run", cairn.AppendItems{Items: raw(`{"role":"tool","content":"4"}`)})
		return len(items.Items), err
	}},
	"SessionItems": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		items, err := e.SessionItems(ctx, s, "run", cairn.ItemsQuery{})
		return len(items.Items), err
	}},
	"PopItem": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		it, err := e.PopItem(ctx, s, "run")
		return it.Seq, err
	}},
	"ClearItems": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.ClearItems(ctx, s, "run")
	}},
	"Warm": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return nil, e.Warm(ctx, s)
	}},
	"Usage": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Usage(ctx, s, 0)
	}},
	"Stats": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Stats(ctx, s)
	}},
	"CheckGraph": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.CheckGraph(ctx, s)
	}},
	"RebuildGraph": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.RebuildGraph(ctx, s)
	}},
	"Update": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Update(ctx, s, id, cairn.UpdateRequest{Tags: &[]string{"touched"}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Update(ctx, s, id, cairn.UpdateRequest{Text: new("Another wording."), Version: 1})
		},
	},
	"Share": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Share(ctx, s, id, cairn.Scope{User: "cleo"})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Share(ctx, s, id, cairn.Scope{Tenant: "bravo", User: "ana"})
		},
	},
	"Reextract": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Reextract(ctx, s, false)
	}},
	"Made": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		if _, err := e.Update(ctx, s, id,
			cairn.UpdateRequest{Tags: &[]string{"named"}, RequestKey: "call"}); err != nil {
			return nil, err
		}
		return e.Made(ctx, s, "call")
	}},
	"Forget": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Forget(ctx, s, cairn.ForgetRequest{IDs: []cairn.ID{id}, RequestKey: "forget"})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Forget(ctx, s, cairn.ForgetRequest{IDs: []cairn.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Forget(ctx, s, cairn.ForgetRequest{Sources: []cairn.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Forget(ctx, s, cairn.ForgetRequest{Filter: cairn.Where("id", cairn.OpEq, string(id))})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Forget(ctx, s, cairn.ForgetRequest{Filter: cairn.Where("kind", cairn.OpEq, "note"), DryRun: true})
		},
	},
	"Erase": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Erase(ctx, s, cairn.EraseRequest{IDs: []cairn.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Erase(ctx, s, cairn.EraseRequest{Sources: []cairn.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Erase(ctx, s, cairn.EraseRequest{Filter: cairn.Where("source_id", cairn.OpEq, string(id))})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Erase(ctx, s, cairn.EraseRequest{Filter: cairn.Where("kind", cairn.OpEq, "episode"), DryRun: true})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Erase(ctx, cairn.Scope{Tenant: s.Tenant, Actor: s.Actor},
				cairn.EraseRequest{Entities: []cairn.ID{id}, Words: true})
		},
	},
	"History": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.History(ctx, s, id)
	}},
	"Remember": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Remember(ctx, s, cairn.RememberRequest{Text: "It replaces something.", Supersedes: []cairn.ID{id},
				RequestKey: "replace"})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Remember(ctx, s,
				cairn.RememberRequest{Text: "Under an id of the caller.", ExternalID: "an id like " + string(id),
					Timestamp: "2025-05-05"})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Remember(ctx, s,
				cairn.RememberRequest{Text: "Under a key of the caller.", RequestKey: "a key like " + string(id),
					Timestamp: "2025-05-05"})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Remember(ctx, s, cairn.RememberRequest{Text: neighbourly("bravo", "gone"), Timestamp: "2025-05-05",
				RequestKey: "said again"})
		},
	},
	"Recall": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Recall(ctx, s, cairn.RecallRequest{Query: "What of bravo? " + string(id), Neighbors: 2,
				Explain: true})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Recall(ctx, s, cairn.RecallRequest{Query: "the harbour", States: cairn.States(),
				Filter: either("id", "source_id", id)})
		},
	},
	"Consult": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Consult(ctx, s, cairn.ConsultRequest{Prompt: "What of the harbour of bravo? " + string(id)})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			s.Session = "talk"
			return e.Consult(ctx, s, cairn.ConsultRequest{Prompt: "And now?", SessionOnly: true,
				RequestKey: "a key like " + string(id)})
		},
	},
	"Recalls": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Recalls(ctx, s, cairn.RecallsRequest{})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Recalls(ctx, s, cairn.RecallsRequest{Cursor: string(id)})
		},
	},
	"LoggedRecall": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.LoggedRecall(ctx, s, id)
	}},
	"RecallAgain": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.RecallAgain(ctx, s, id)
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			found, err := e.Recall(ctx, s, cairn.RecallRequest{Query: "the harbour"})
			if err != nil {
				return nil, err
			}
			return e.RecallAgain(ctx, s, found.RecallID)
		},
	},
	"ForgetRecalls": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.ForgetRecalls(ctx, s)
	}},
	"Context": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Context(ctx, s,
				cairn.ContextRequest{RecallRequest: cairn.RecallRequest{Query: "the harbour of bravo " + string(id),
					Neighbors: 1}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Context(ctx, s,
				cairn.ContextRequest{RecallRequest: cairn.RecallRequest{Query: "the harbour of bravo"},
					Format: cairn.FormatKnowledge})
		},
	},
	"AddEntry": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		s.Domain = "harbours"
		return e.AddEntry(ctx, s,
			cairn.EntryRequest{Entry: cairn.Entry{Title: "A title", Content: "Under an id of the caller."},
				ExternalID: "an id like " + string(id)})
	}},
	"Entry": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.Entry(ctx, s, id)
	}},
	"SimilarEntries": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		s.Domain = "harbours"
		return e.SimilarEntries(
			ctx, s, cairn.SimilarRequest{Text: neighbourly("bravo", "a chart"), MinScore: new(0.0),
				ExcludeSession: string(id)})
	}},
	"Domains": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Domains(ctx, s)
	}},
	"DomainGaps": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		s.Domain = "bakery"
		return e.DomainGaps(ctx, s)
	}},
	"StartInterview": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			s.Domain, s.Session = "bakery", "interview"
			return e.StartInterview(ctx, s)
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			s.Domain, s.Session = "bakery", "like "+string(id[:min(len(id), 50)])
			return e.StartInterview(ctx, s)
		},
	},
	"AnswerInterview": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.AnswerInterview(ctx, s, "interview", cairn.InterviewAnswer{Text: "We have 12 employees."})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.AnswerInterview(ctx, s, string(id), cairn.InterviewAnswer{Text: "Rye bread.", RequestKey: "said"})
		},
	},
	"InterviewGaps": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		if _, err := e.InterviewGaps(ctx, s, string(id)); cairn.KindOf(err) != cairn.NotFound {
			return nil, err
		}
		return e.InterviewGaps(ctx, s, "interview")
	}},
	"Assimilate": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.Assimilate(ctx, s,
			cairn.AssimilateRequest{Identifier: shared, Content: "I moved to Bergen.", Timestamp: "2025-05-05",
				ExternalID: string(id)})
	}},
	"Lookup": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Lookup(ctx, s, cairn.LookupRequest{Identifier: shared})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Lookup(ctx, s, cairn.LookupRequest{Identifier: shared, Query: "the harbour", ExpandHops: 2})
		},
	},
	"LookupSummary": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.LookupSummary(ctx, s, cairn.LookupRequest{Identifier: shared})
	}},
	"Entity": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.Entity(ctx, s, id)
	}},
	"Entities": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Entities(ctx, s, 0, "")
	}},
	"UpdateEntity": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.UpdateEntity(ctx, s, id, cairn.EntityUpdate{AddAliases: []string{"Ana Berg"}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.UpdateEntity(ctx, s, id,
				cairn.EntityUpdate{AddIdentifiers: []cairn.Identifier{{Type: "phone", Value: "123"}}})
		},
	},
	"MergeEntities": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.MergeEntities(ctx, s, id, cairn.DeriveID("entity", s.Tenant, "1"))
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.MergeEntities(ctx, s, cairn.DeriveID("entity", s.Tenant, "0"), id)
		},
	},
	"SplitEntity": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.SplitEntity(ctx, s, id,
				cairn.SplitRequest{Identifiers: []cairn.Identifier{{Type: "phone", Value: "0"}}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.SplitEntity(ctx, s, cairn.DeriveID("entity", s.Tenant, "0"), cairn.SplitRequest{Merged: id})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.SplitEntity(ctx, s, cairn.DeriveID("entity", s.Tenant, "0"),
				cairn.SplitRequest{Identifiers: []cairn.Identifier{{Type: "phone", Value: "0"}}, Facts: []cairn.ID{id}})
		},
	},
	"EntityHistory": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.EntityHistory(ctx, s, id, 0, "")
	}},
	"Neighborhood": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.Neighborhood(ctx, s, id, 2)
	}},
	"VectorsAtHand": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.VectorsAtHand(ctx, s, []cairn.Memory{{ID: id, Scope: s}})
	}},
	"VerifyFact": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.VerifyFact(ctx, s, id, cairn.VerifyRequest{Decision: cairn.DecideReject})
	}},
	"Decide": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Decide(ctx, s, cairn.BulkDecision{IDs: []cairn.ID{id}, Decision: cairn.DecideVerify})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Decide(ctx, s, cairn.BulkDecision{Filter: either("id", "source_id", id),
				Decision: cairn.DecideReject})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Decide(ctx, s, cairn.BulkDecision{IDs: []cairn.ID{id}, Decision: cairn.DecideDismiss})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Decide(ctx, s, cairn.BulkDecision{Filter: cairn.Where("kind", cairn.OpEq, "fact"),
				Decision: cairn.DecideDispute, DryRun: true})
		},
	},
	"SupersedeFact": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.SupersedeFact(ctx, s, id, cairn.SupersedeRequest{By: cairn.DeriveID("fact", "0", s.Tenant)})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.SupersedeFact(ctx, s, cairn.DeriveID("fact", "0", s.Tenant), cairn.SupersedeRequest{By: id})
		},
	},
	"Inbox": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Inbox(ctx, s, cairn.InboxQuery{})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Inbox(ctx, s, cairn.InboxQuery{Reasons: []cairn.ReviewReason{cairn.ReviewAmbiguous}, Limit: 1})
		},
	},
	"SimilarFacts": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.SimilarFacts(ctx, s, id, 0, 0)
	}},
	"DuplicateFacts": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.DuplicateFacts(ctx, s, 0.1, 0, "")
	}},
	"FactConflicts": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.FactConflicts(ctx, s, 0, "")
	}},
	"StaleFacts": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		p, err := e.StaleFacts(ctx, s, 1, 0)
		// Ties are broken by ids, which the two worlds do not share.
		slices.SortStableFunc(p.Items, func(a, b cairn.StaleFact) int {
			if c := a.LastSeen.Compare(b.LastSeen); c != 0 {
				return c
			}
			return strings.Compare(a.Memory.Text, b.Memory.Text)
		})
		return p, err
	}},
	"AutoVerify": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.AutoVerify(ctx, s, cairn.AutoVerifyRequest{MinTrust: cairn.TrustToolOutput, MinEvidence: 1})
	}},
	"Sweep": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Sweep(ctx, s)
	}},
	"Archive": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Archive(ctx, s, 1, false)
	}},
	"RegenerateEmbeddings": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.RegenerateEmbeddings(ctx, s, 0, false)
	}},
	"Facts": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Facts(ctx, s, cairn.FactQuery{ActiveOnly: new(false), Filter: either("id", "source_id", id)})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Facts(ctx, s, cairn.FactQuery{Query: "the harbour of bravo"})
		},
	},
	"LegacyIDs": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return e.LegacyIDs(ctx, s, []cairn.ID{id})
	}},
	"LegacyFact": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.LegacyFact(ctx, s, 1)
	}},
	"Actionable": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Actionable(ctx, s, 0, 0)
	}},
	"UnverifiedFinancial": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.UnverifiedFinancial(ctx, s, "0", 0)
	}},
	"FactStats": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.FactStats(ctx, s)
	}},
	"Exposure": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Exposure(ctx, s)
	}},
	"Profiles": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Profiles(ctx, s)
	}},
	"UseProfile": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return nil, e.UseProfile(ctx, s, "construction")
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return nil, e.UseProfile(ctx, s, string(id))
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return nil, e.UseProfile(ctx, cairn.Scope{Tenant: s.Tenant, Actor: s.Actor}, "construction")
		},
	},
	"Extraction": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Extraction(ctx, s)
	}},
	"UseExtraction": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return nil, e.UseExtraction(ctx, s, cairn.ExtractRules)
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return nil, e.UseExtraction(ctx, cairn.Scope{Tenant: s.Tenant, Actor: s.Actor}, cairn.ExtractRules)
		},
	},
	"Languages": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Languages(ctx, s)
	}},
	"UseLanguages": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return nil, e.UseLanguages(ctx, s, []string{"es"})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return nil, e.UseLanguages(ctx, cairn.Scope{Tenant: s.Tenant, Actor: s.Actor}, []string{"es", "en"})
		},
	},
	"Jobs": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return e.Jobs(ctx, s, cairn.JobListing{IDs: []cairn.ID{id}})
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
			return e.Jobs(ctx, s, cairn.JobListing{})
		},
	},
	"RetryJob": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
		return nil, e.RetryJob(ctx, s, id)
	}},
	"Audit": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.Audit(ctx, s, 0, 1000)
	}},
	"Export": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		var items []cairn.ExportItem
		for item, err := range e.Export(ctx, s) {
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	}},
	"NumberFacts": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.NumberFacts(ctx, s)
	}},
	"ImportFacts": {func(ctx context.Context, e *engine.Engine, s cairn.Scope, _ cairn.ID) (any, error) {
		return e.ImportFacts(ctx, s,
			[]cairn.ForeignFact{foreign("4711", "The mill has two stones.", cairn.Scope{User: "berg-0"})})
	}},
	"Restore": {
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			at := time.Date(2025, 4, 4, 0, 0, 0, 0, time.UTC)
			return restored(e.Restore(
				ctx, s, []cairn.ExportItem{{Memory: &cairn.Memory{ID: id, Version: 1, Kind: cairn.KindNote,
					State: cairn.StateActive, Trust: cairn.TrustImported, Text: "Brought along.", EventTime: at,
					RecordedAt: at}}}))
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return restored(e.Restore(
				ctx, s, []cairn.ExportItem{
					{Source: &cairn.Source{ID: id, Kind: "note", MemoryIDs: []cairn.ID{id}, RequestKey: "key-0"}}}))
		},
		func(ctx context.Context, e *engine.Engine, s cairn.Scope, id cairn.ID) (any, error) {
			return restored(e.Restore(
				ctx, s, []cairn.ExportItem{{Erased: &cairn.Erased{Salt: strings.Repeat("0f", 16), IDs: []cairn.ID{id},
					Receipt: cairn.EraseReceipt{ID: cairn.DeriveID("receipt", string(id))}}}}))
		},
	},
}

// shared names somebody whom both tenants know.
var shared = cairn.Identifier{Type: "email", Value: "ana@example.com"}

// either accepts memories that have the id in one of two fields.
func either(a, b string, id cairn.ID) cairn.Filter {
	return cairn.Filter{Or: []cairn.Filter{cairn.Where(a, cairn.OpEq, string(id)),
		cairn.Where(b, cairn.OpEq, string(id))}}
}

func restored(stored, skipped int, err error) (any, error) { return [2]int{stored, skipped}, err }

func TestTenancyCallsEverything(t *testing.T) {
	t.Parallel()
	methods := reflect.TypeFor[*engine.Engine]()
	found := 0
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		for arg := range m.Type.NumIn() {
			if m.Type.In(arg) == reflect.TypeFor[cairn.Scope]() {
				if found++; len(scopedCalls[m.Name]) == 0 {
					t.Errorf("Engine.%s takes a scope and scopedCalls has no call of it", m.Name)
				}
				break
			}
		}
	}
	if found != len(scopedCalls) {
		t.Errorf("scopedCalls has %d operations, Engine has %d that take a scope", len(scopedCalls), found)
	}
}

// neighbourly is a text of a tenant, long enough to be recognised when it is said again after an erasure.
func neighbourly(tenant, what string) string {
	return fmt.Sprintf("In the harbour of %s lies something: %s.", tenant, what)
}

// world is an engine, the store behind it, and ids of what its tenants have.
type world struct {
	*engine.Engine
	store   *inmem.Store
	ids     map[string][]cairn.ID // made of names: equal in every world
	passing map[string][]cairn.ID // of receipts and jobs: random
}

// newWorld opens an engine whose clock only ever goes on, and whose workers have no job to do.
func newWorld(t *rapid.T) *world {
	var ticks atomic.Int64
	now := func() time.Time { return time.UnixMilli(1_750_000_000_000 + ticks.Add(1)) }
	store := inmem.New(now)
	store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Lease" {
			return cairn.Errorf(cairn.Unavailable, "no work today")
		}
		return nil
	}})
	unswept(t, store)
	embedder, err := hashembed.New(16)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: store, Queue: store, Graph: tables.New(store),
		Text:    indextest.NewText(),
		Vectors: indextest.NewVector(), Embedder: embedder, Now: now, Version: "test", AssimilateWait: time.Second,
		Extract: cairn.ExtractRules, Recalls: recalls.Config{Rows: 1000},
		Model: scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "- [ ] Paint the boat\n"}}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{e, store, map[string][]cairn.ID{}, map[string][]cairn.ID{}}
}

// settle gives a tenant some of everything, the same names and keys for each, in words of its own.
func (w *world) settle(t *rapid.T, tenant string) {
	ctx := t.Context()
	s := cairn.Scope{Tenant: tenant, Domain: "harbours", User: "ana", Session: "talk"}
	remember := func(r cairn.RememberRequest) cairn.ID {
		r.Timestamp, r.RequestKey = "2025-02-03", "key-"+strconv.Itoa(len(w.ids[tenant]))
		res, err := w.Remember(ctx, s, r)
		if err != nil || len(res.Memories) == 0 {
			t.Fatalf("Remember(%+v) = %+v, %v", r, res, err)
		}
		w.ids[tenant] = append(w.ids[tenant], res.SourceID)
		for _, m := range res.Memories {
			w.ids[tenant] = append(w.ids[tenant], m.ID)
		}
		return res.Memories[0].ID
	}
	remember(cairn.RememberRequest{
		Messages: []cairn.Message{{Role: cairn.RoleUser, Content: neighbourly(tenant, "a boat"), ExternalID: "boat"},
			{Role: cairn.RoleAssistant, Content: neighbourly(tenant, "an anchor")}}})
	note := remember(cairn.RememberRequest{Note: &cairn.Note{Content: neighbourly(tenant, "a net")}})
	remember(cairn.RememberRequest{Entry: &cairn.Entry{Title: tenant, Content: neighbourly(tenant, "a chart")},
		Supersedes: []cairn.ID{note}})
	edited := remember(cairn.RememberRequest{Note: &cairn.Note{Content: neighbourly(tenant, "a rope")}})
	if _, err := w.Update(ctx, s, edited, cairn.UpdateRequest{Text: new(neighbourly(tenant, "a chain"))}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		v := cairn.Entity{ID: cairn.DeriveID("entity", tenant, strconv.Itoa(i)), Type: "person",
			Name: "Ana Berg", Version: 1,
			Identifiers: []cairn.Identifier{{Type: "phone", Value: strconv.Itoa(i)},
				{Type: "email", Value: fmt.Sprintf("ana.%d@example.com", i)},
				{Type: "user_id", Value: fmt.Sprintf("berg-%d", i)}}}
		if _, _, err := w.Restore(ctx, s, []cairn.ExportItem{{Entity: &v}}); err != nil {
			t.Fatal(err)
		}
		w.ids[tenant] = append(w.ids[tenant], v.ID)
	}
	asked := cairn.Scope{Tenant: tenant, Domain: "bakery", User: "ana", Session: "interview"}
	if _, err := w.StartInterview(ctx, asked); err != nil {
		t.Fatal(err)
	}
	if _, err := w.AnswerInterview(ctx, asked, asked.Session,
		cairn.InterviewAnswer{Text: neighbourly(tenant, "a loaf")}); err != nil {
		t.Fatal(err)
	}
	gone := remember(cairn.RememberRequest{Text: neighbourly(tenant, "gone")})
	if err := w.Settle(ctx); err != nil { // so that the receipt counts a vector
		t.Fatal(err)
	}
	receipt, err := w.Erase(ctx, s, cairn.EraseRequest{IDs: []cairn.ID{gone}})
	if err != nil {
		t.Fatal(err)
	}
	dead := cairn.Job{ID: cairn.DeriveID("dead", tenant), Kind: "none", State: cairn.JobDead, CreatedAt: receipt.At,
		UpdatedAt: receipt.At}
	if _, err := w.store.Commit(ctx, cairn.Scope{Tenant: tenant}, cairn.Batch{Jobs: []cairn.Job{dead}}); err != nil {
		t.Fatal(err)
	}
	if jobs, err := w.Jobs(ctx, s, cairn.JobListing{State: cairn.JobDead}); err != nil || len(jobs) != 1 {
		t.Fatalf("Jobs(dead) = %v, %v, want one", jobs, err)
	}
	w.passing[tenant] = []cairn.ID{receipt.ID, dead.ID}
	w.waiting(t, tenant)
}

// waiting gives a tenant something of what waits for a person, and facts that are over.
func (w *world) waiting(t *rapid.T, tenant string) {
	at := time.Date(2025, 2, 3, 0, 0, 0, 0, time.UTC)
	over := at.AddDate(0, 1, 0)
	var b cairn.Batch
	for i, status := range []cairn.VerificationStatus{cairn.NeedsReview, cairn.Disputed, cairn.PendingApproval,
		cairn.PendingApproval} {
		m := cairn.Memory{ID: cairn.DeriveID("fact", strconv.Itoa(i), tenant), Version: 1, Kind: cairn.KindFact,
			Text:  neighbourly(tenant, strconv.Itoa(i/2)),
			Scope: cairn.Scope{Tenant: tenant, User: "ana"}, EventTime: at, RecordedAt: at, State: cairn.StateActive,
			Trust: cairn.TrustAssistantSaid,
			Fact: &cairn.Fact{EntityID: cairn.DeriveID("entity", tenant), Verb: "lives_in",
				Node:     cairn.Node{Type: "Location", Name: strconv.Itoa(i)},
				Polarity: cairn.Affirmed, Evidence: []cairn.Evidence{{EpisodeID: w.ids[tenant][1]}},
				Verification: cairn.Verification{Status: status}}}
		if i == 3 {
			m.ValidUntil = &over
		}
		b.Memories = append(b.Memories, m)
		w.ids[tenant] = append(w.ids[tenant], m.ID)
	}
	body, err := json.Marshal(cairn.ReviewItem{Name: tenant, Since: at})
	if err != nil {
		t.Fatal(err)
	}
	name := cairn.DeriveID("name", tenant)
	b.Records = []cairn.Record{{Kind: cairn.RecordReview, ID: name, Body: body}}
	w.ids[tenant] = append(w.ids[tenant], name)
	if _, err := w.store.Commit(t.Context(), cairn.Scope{Tenant: tenant}, b); err != nil {
		t.Fatal(err)
	}
}

// state is everything that a tenant can see of itself.
func (w *world) state(t *rapid.T, tenant string) string {
	s := cairn.Scope{Tenant: tenant}
	var all []any
	for _, op := range []string{"Export", "Audit", "Jobs"} {
		calls := scopedCalls[op]
		v, err := calls[len(calls)-1](t.Context(), w.Engine, s, "ffffffff-ffff-ffff-ffff-ffffffffffff")
		if err != nil {
			t.Fatal(err)
		}
		if items, ok := v.([]cairn.ExportItem); ok {
			v = items[1:] // the header has the time
		}
		all = append(all, v)
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// accident is what two worlds may differ in: ids, salts and hashes are random, a count of tokens counts pieces of ids,
// and the background reads the clock too.
var accident = regexp.MustCompile(
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,}|…[0-9a-f]{8}|` +
		`2025-06-[0-9]{2}T[0-9:.]+Z|"timings_ms":\{[^}]*\}|"tokens":[0-9]+|"(?:memory_)?ms":[0-9.]+|` +
		`"(?:in|out)put_tokens":[0-9]+`)

// answer is what a caller learns from a call, without what is an accident.
func (w *world) answer(t *rapid.T, call scopedCall, s cairn.Scope, id cairn.ID) string {
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := call(t.Context(), w.Engine, s, id)
	if err != nil {
		return accident.ReplaceAllString(fmt.Sprintf("%v: %v: %s", cairn.KindOf(err), err, cairn.MessageOf(err)), "*")
	}
	masked := func(v any) string {
		body, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return accident.ReplaceAllString(string(body), "*")
	}
	items, ok := v.([]cairn.ExportItem)
	if !ok {
		return masked(v)
	}
	lines := make([]string, len(items)) // they lie in the order of ids
	for i, item := range items {
		lines[i] = masked(item)
	}
	return strings.Join(sorted(lines), "\n")
}

// TestTenancy: whatever tenant alpha does, with ids of its own, of others, or of nobody, it learns nothing about tenant
// bravo and changes nothing there. It does the same in two worlds, one of which has a bravo and one of which does not,
// and every answer, every count and every refusal has to be the same in both.
func TestTenancy(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(scopedCalls))
	for name := range scopedCalls {
		names = append(names, name)
	}
	names = sorted(names)
	rapid.Check(t, func(t *rapid.T) {
		crowded, lonely := newWorld(t), newWorld(t)
		crowded.settle(t, "alpha")
		crowded.settle(t, "bravo")
		lonely.settle(t, "alpha")
		before := crowded.state(t, "bravo")
		foreign := append(crowded.passing["bravo"], crowded.ids["bravo"]...)
		own := crowded.ids["alpha"]
		if diff := cmp.Diff(own, lonely.ids["alpha"]); diff != "" {
			t.Fatalf("the ids of alpha depend on its neighbour (-with +alone):\n%s", diff)
		}
		junk := []cairn.ID{"", "00000000-0000-0000-0000-000000000000", cairn.DeriveID("nobody"),
			"nonsense", "ünïcode-日本",
			cairn.ID(strings.ToUpper(string(foreign[0]))), foreign[0][:35], foreign[0] + " ", "a\x00b",
			cairn.ID(strings.Repeat("f", 300))}
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			name := rapid.SampledFrom(names).Draw(t, "operation")
			variant := rapid.IntRange(0, len(scopedCalls[name])-1).Draw(t, "variant")
			s := cairn.Scope{Tenant: "alpha", User: rapid.SampledFrom([]string{"", "ana", "ben"}).Draw(t, "user"),
				Actor: "tester"}
			id := rapid.OneOf(rapid.SampledFrom(foreign), rapid.SampledFrom(own), rapid.SampledFrom(junk)).Draw(t, "id")
			call := scopedCalls[name][variant]
			got, want := crowded.answer(t, call, s, id), lonely.answer(t, call, s, id)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (variant %d) with id %q tells that there is a neighbour (-alone +with neighbour):\n%s",
					name, variant, id, diff)
			}
		}
		if diff := cmp.Diff(before, crowded.state(t, "bravo")); diff != "" {
			t.Fatalf("the neighbour is not what it was (-before +after):\n%s", diff)
		}
	})
}

// TestTenancyRefusesNames: no operation works without a tenant, for cairn's own tenant, or under a name that is none.
func TestTenancyRefusesNames(t *testing.T) {
	t.Parallel()
	e := inMemory(t).Engine
	id := cairn.DeriveID("any")
	for _, tenant := range []string{"", "_system", "_", "tenänt", "日本", "аlpha" /* a Cyrillic a */, "a b", "a/b",
		"a\x00", "a\n", "alpha\u200b", strings.Repeat("a", 65)} {
		for name, calls := range scopedCalls {
			for i, call := range calls {
				_, err := call(t.Context(), e, cairn.Scope{Tenant: tenant}, id)
				wantError(t, fmt.Sprintf("%s (variant %d) in tenant %q", name, i, tenant), err,
					cairn.Invalid, "tenant: ")
			}
		}
		_, _, err := e.CreateKey(t.Context(), "phone", tenant, cairn.AccessReader)
		wantError(t, fmt.Sprintf("CreateKey for tenant %q", tenant), err, cairn.Invalid, "tenant: ")
	}
}

// TestTenancyScopeValues: other values of a scope are any Unicode, and two that merely look alike are two.
func TestTenancyScopeValues(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	users := []string{"zoë" /* one letter */, "zoe\u0308" /* two */, "ZOË", "日本語", "👩‍👩‍👧", "a b", "a\tb", " ", "%",
		"_", "'; --", `"`, "\u202eana", "ana\u200b", strings.Repeat("é", 127)}
	for i, user := range users {
		e.note(t, cairn.Scope{Tenant: "acme", User: user}, fmt.Sprintf("Note %d belongs to one person.", i))
	}
	for i, user := range users {
		s := cairn.Scope{Tenant: "acme", User: user}
		want := []string{fmt.Sprintf("Note %d belongs to one person.", i)}
		if diff := cmp.Diff(want, e.found(t, s, "Whose note is it?")); diff != "" {
			t.Errorf("Recall for user %q (-want +got):\n%s", user, diff)
		}
		if got := e.all(t, s); len(got) != 1 || got[0].Text != want[0] || got[0].Scope.User != user {
			t.Errorf("List for user %q = %+v, want %q alone", user, got, want)
		}
	}
	for _, bad := range []string{"a\x00b", "\xff", strings.Repeat("é", 128)} {
		for name, calls := range scopedCalls {
			_, err := calls[0](t.Context(), e.Engine, cairn.Scope{Tenant: "acme", User: bad}, cairn.DeriveID("any"))
			wantError(t, fmt.Sprintf("%s for user %.10q", name, bad), err, cairn.Invalid, "user: ")
		}
	}
}
