package engine_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// manyWriters is how many callers write one thing at once.
const manyWriters = 8

// parallelWrite is one write that many callers make at once, each row in a tenant of its own.
type parallelWrite struct {
	name   string
	before func(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) // makes what the write is about
	write  func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, first, second trilith.ID) (answer any, err error)
	apart  bool   // each caller gets an answer of its own; else all get the same one
	loses  string // begins the reason with which all but one may be refused; empty: none may
}

// writtenAlone are the kinds that no two requests write at once, with the reason.
var writtenAlone = map[string]string{
	string(role.RecordGeneration): "by the process whose turn it is", string(role.RecordMigration): "by a copy of a store",
	string(role.RecordSchedule): "claimed by one process", string(role.RecordPosition): "by the process whose turn it is",
	string(role.RecordUsage):  "added up by one loop",
	string(role.RecordRecall): "by the loop of the recall log", string(role.RecordRecalls): "by the loop of the recall log",
	string(role.RecordAlerted): "by the loop of the alerts", string(role.RecordAlert): "by the loop of the alerts",
	string(role.RecordReview):     "see the facts that name nobody",
	string(role.RecordExtraction): "by the job that holds the lease",
	string(role.RecordSignIn):     "under a random id",
}

// TestParallelWriters: of many callers that write one thing at once all get the same answer, or the documented
// Conflict with a reason; nothing is there twice, and nothing half.
func TestParallelWriters(t *testing.T) {
	t.Parallel()
	for store, open := range map[string]func(testing.TB, ...func(*engine.Config)) rig.Rig{
		"inmem": rig.InMemory, "sqlite": rig.OnNewFile, "postgres": rig.OnNewPostgres} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			e := open(t, func(c *engine.Config) {
				c.Sessions.Episodic = 2
				c.Recalls = served.Config{Rows: 1000}
				c.Extract = trilith.ExtractRules
			})
			written := map[string]bool{}
			for i, row := range parallelWrites {
				s := trilith.Scope{Tenant: fmt.Sprintf("row-%d", i), User: "ana", Actor: "tester"}
				t.Run(row.name, func(t *testing.T) { row.run(t, e, s) })
				kindsIn(t, e, s.Tenant, written)
			}
			kindsIn(t, e, trilith.SystemTenant, written)
			for _, kind := range allKinds() {
				if !written[kind] && writtenAlone[kind] == "" {
					t.Errorf("no row writes a %s", kind)
				}
			}
			e.MustSettle(t)
			if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
				t.Errorf("Doctor = %+v, %v", report, err)
			}
		})
	}
}

func allKinds() (out []string) {
	for _, k := range trilith.Kinds() {
		out = append(out, "memory of kind "+string(k))
	}
	for _, k := range role.RecordKinds() {
		out = append(out, string(k))
	}
	return out
}

// kindsIn marks the kinds of which a tenant has something.
func kindsIn(t *testing.T, r rig.Rig, tenant string, written map[string]bool) {
	t.Helper()
	for _, k := range role.RecordKinds() {
		rs, err := r.Parts.Store.Records(t.Context(), trilith.Scope{Tenant: tenant},
			role.RecordListing{Kind: k, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		written[string(k)] = written[string(k)] || len(rs) > 0
	}
	for m, err := range r.Parts.Store.List(t.Context(), trilith.Scope{Tenant: tenant}, role.Listing{}) {
		if err != nil {
			t.Fatal(err)
		}
		written["memory of kind "+string(m.Kind)] = true
	}
}

func (p parallelWrite) run(t *testing.T, r rig.Rig, s trilith.Scope) {
	var first, second trilith.ID
	if p.before != nil {
		first, second = p.before(r, t, s)
	}
	answers, errs := make([]string, manyWriters), make([]error, manyWriters)
	rig.Together(manyWriters, func(n int) {
		var answer any
		answer, errs[n] = p.write(r, t.Context(), s, n, first, second)
		text, err := json.Marshal(answer)
		if answers[n] = string(text); err != nil {
			t.Error(err)
		}
	})
	lost := 0
	var got []string
	for n, err := range errs {
		switch {
		case err == nil:
			got = append(got, answers[n])
		case p.loses != "" && trilith.KindOf(err) == trilith.Conflict && strings.HasPrefix(trilith.MessageOf(err), p.loses):
			lost++
		default:
			t.Errorf("writer %d: %v", n, err)
		}
	}
	distinct := len(slices.Compact(slices.Sorted(slices.Values(got))))
	switch {
	case p.loses != "" && lost != manyWriters-1:
		t.Errorf("%d of %d writers lost, want all but one", lost, manyWriters)
	case p.apart && distinct != len(got), !p.apart && distinct != 1:
		t.Errorf("%d different answers of %d writers: %q", distinct, len(got), got)
	}
}

// onlyOne is the id of the one memory of a kind that the scope has.
func onlyOne(r rig.Rig, ctx context.Context, s trilith.Scope, kind trilith.Kind) (trilith.ID, error) {
	page, err := r.List(ctx, s, trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, kind)})
	if err == nil && len(page.Items) != 1 {
		err = trilith.Errorf(trilith.Internal, "%d of kind %s are stored, want one", len(page.Items), kind)
	}
	if err != nil {
		return "", err
	}
	return page.Items[0].ID, nil
}

// remembers is a row in which all send one request, after which the scope has one memory of the kind.
func remembers(name string, kind trilith.Kind, q trilith.RememberRequest) parallelWrite {
	return parallelWrite{name: name,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, _ int, _, _ trilith.ID) (any, error) {
			s.Session = "talk"
			if _, err := r.Remember(ctx, s, q); err != nil {
				return nil, err
			}
			return onlyOne(r, ctx, s, kind)
		}}
}

// twoFacts makes two facts of the scope.
func twoFacts(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
	t.Helper()
	var ids []trilith.ID
	for _, said := range []string{"I live in Berlin.", "I work at Globex."} {
		res, err := r.Assimilate(t.Context(), s, trilith.AssimilateRequest{Content: said,
			Identifier: trilith.Identifier{Type: "email", Value: "ana@example.com"}})
		if err != nil || len(res.Facts) == 0 {
			t.Fatalf("Assimilate(%q) = %+v, %v", said, res, err)
		}
		ids = append(ids, res.Facts[0].ID)
	}
	return ids[0], ids[1]
}

func twoEntities(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
	t.Helper()
	var ids []trilith.ID
	for _, mail := range []string{"ana@example.com", "ben@example.com"} {
		res, err := r.Assimilate(t.Context(), s, trilith.AssimilateRequest{Content: "I live in Berlin.",
			Identifier: trilith.Identifier{Type: "email", Value: mail}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, res.Entity.ID)
	}
	return ids[0], ids[1]
}

func oneNote(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
	t.Helper()
	res, err := r.Remember(t.Context(), s, trilith.RememberRequest{Note: &trilith.Note{Content: "The pump is in the cellar."}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Memories[0].ID, ""
}

func oneSearch(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
	t.Helper()
	q, err := r.SaveSearch(t.Context(), s, trilith.SearchRequest{Name: "pumps", Of: trilith.SearchMemories, Query: "pump"})
	if err != nil {
		t.Fatal(err)
	}
	return q.ID, ""
}

func oneTurn(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
	t.Helper()
	s.Session = "talk"
	for _, said := range []string{"The pump is in the cellar.", "It needs a new valve.", "The plumber comes on Friday."} {
		if _, err := r.Remember(t.Context(), s, trilith.RememberRequest{Text: said}); err != nil {
			t.Fatal(err)
		}
	}
	return "", ""
}

func hookKey(r rig.Rig, ctx context.Context, s trilith.Scope) (trilith.ID, error) {
	_, k, err := r.CreateKey(ctx, trilith.APIKeyRequest{Name: "hook", Tenant: s.Tenant, Access: trilith.AccessReader})
	return k.ID, err
}

// ok answers for a write whose answer is no id.
func ok(err error) (any, error) { return "done", err }

var parallelWrites = []parallelWrite{
	remembers("a turn by its id", trilith.KindEpisode, trilith.RememberRequest{Text: "I live in Berlin.", ExternalID: "t"}),
	remembers("turns by their ids", trilith.KindEpisode, trilith.RememberRequest{Messages: []trilith.Message{
		{ExternalID: "m", Content: "I live in Berlin."}}}),
	remembers("a note by its id", trilith.KindNote,
		trilith.RememberRequest{Note: &trilith.Note{Content: "Pump."}, ExternalID: "n"}),
	remembers("an entry by its id", trilith.KindEntry,
		trilith.RememberRequest{Entry: &trilith.Entry{Content: "Pump."}, ExternalID: "e"}),
	remembers("a document by its id", trilith.KindPassage, trilith.RememberRequest{ExternalID: "d",
		Document: &trilith.Document{Name: "Pump", Content: "A pump."}}),
	remembers("a note under a request key", trilith.KindNote,
		trilith.RememberRequest{Note: &trilith.Note{Content: "Pump."}, RequestKey: "k"}),
	{name: "turns of one session", apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			s.Session = "talk"
			res, err := r.Remember(ctx, s, trilith.RememberRequest{Text: fmt.Sprintf("Pump number %d.", n)})
			if err != nil {
				return nil, err
			}
			return res.Memories[0].Seq, nil
		}},
	{name: "an entry under a key",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			m, err := r.PutEntry(ctx, s, "pump", trilith.PutRequest{Entry: trilith.Entry{Content: "In the cellar."}})
			return m.ID, err
		}},
	{name: "entries in place of each other", apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			m, err := r.PutEntry(ctx, s, "pump",
				trilith.PutRequest{Entry: trilith.Entry{Content: fmt.Sprintf("Room %d.", n)}})
			if err == nil && m.Version == 0 {
				err = trilith.Errorf(trilith.Internal, "no version")
			}
			return m.Version, err
		}},
	{name: "an entry if the key is free", loses: "if_absent: ",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			m, err := r.PutEntry(ctx, s, "pump",
				trilith.PutRequest{Entry: trilith.Entry{Content: fmt.Sprintf("Room %d.", n)}, IfAbsent: true})
			return m.ID, err
		}},
	{name: "a file",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			m, err := r.PutMedia(ctx, s, trilith.NewMedia{Name: fmt.Sprintf("%d.png", n), Data: rig.Picture(6)})
			m.New = false
			return m, err
		}},
	{name: "a fact and its entity by an identifier",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			res, err := r.Assimilate(ctx, s, trilith.AssimilateRequest{Content: "I live in Berlin.",
				Identifier: trilith.Identifier{Type: "email", Value: "ana@example.com"}})
			if err != nil {
				return nil, err
			}
			fact, err := onlyOne(r, ctx, s, trilith.KindFact)
			return []trilith.ID{res.Entity.ID, fact}, err
		}},
	{name: "a fact of another application",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			_, err := r.ImportFacts(ctx, s,
				[]trilith.ForeignFact{rig.Foreign("7", "The mill has two stones.", trilith.Scope{User: "ana"})})
			if err != nil {
				return nil, err
			}
			return onlyOne(r, ctx, s, trilith.KindFact)
		}},
	{name: "numbers for facts", before: twoFacts,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, first, second trilith.ID) (any, error) {
			if _, err := r.NumberFacts(ctx, trilith.Scope{Tenant: s.Tenant}); err != nil {
				return nil, err
			}
			return r.LegacyIDs(ctx, s, []trilith.ID{first, second})
		}},
	{name: "items of a session", apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			items, err := r.AppendItems(ctx, s, "run",
				trilith.AppendItems{Items: rig.Raw(fmt.Sprintf(`{"role":"user","content":"Pump %d."}`, n))})
			if err != nil {
				return nil, err
			}
			return items.Items[0].Seq, nil
		}},
	{name: "a summary of a session", before: oneTurn,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			_, err := r.Summarize(ctx, s, trilith.SummarizeRequest{Session: "talk", By: trilith.ExtractRules})
			return ok(err)
		}},
	{name: "windows of a session", before: oneTurn,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			if err := r.Work(ctx); err != nil {
				return nil, err
			}
			page, err := r.List(ctx, s, trilith.ListRequest{Filter: rig.OfWindows})
			return len(page.Items), err
		}},
	{name: "a judgement of another store", before: twoFacts,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			_, _, err := r.Restore(ctx, trilith.Scope{Tenant: s.Tenant}, []trilith.ExportItem{{Judged: &trilith.Judged{
				ID: trilith.DeriveID("judged", s.Tenant), At: time.Unix(1_700_000_000, 0), Salt: strings.Repeat("ab", 16),
				Hashes: []string{strings.Repeat("cd", 32)}}}})
			return ok(err)
		}},
	{name: "a search by its name", loses: "name: ",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			q, err := r.SaveSearch(ctx, s, trilith.SearchRequest{Name: "pumps", Of: trilith.SearchMemories, Query: "pump"})
			return q.ID, err
		}},
	{name: "a change of a search", before: oneSearch, apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			q, err := r.ChangeSearch(ctx, s, id,
				trilith.SearchChange{SearchRequest: trilith.SearchRequest{Query: fmt.Sprintf("pump %d", n)}})
			return q.Version, err
		}},
	{name: "an acknowledgement of an alert",
		before: func(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
			oneSearch(r, t, s)
			oneNote(r, t, s)
			if err := r.RunSearches(t.Context()); err != nil {
				t.Fatal(err)
			}
			page, err := r.Alerts(t.Context(), s, trilith.AlertQuery{})
			if err != nil || len(page.Items) != 1 {
				t.Fatalf("Alerts = %+v, %v, want one", page, err)
			}
			return page.Items[0].ID, ""
		},
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			if _, err := r.AcknowledgeAlerts(ctx, s, trilith.AcknowledgeRequest{IDs: []trilith.ID{id}}); err != nil {
				return nil, err
			}
			page, err := r.Alerts(ctx, s, trilith.AlertQuery{Open: true})
			return len(page.Items), err
		}},
	{name: "a decision about a fact", before: twoFacts,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			m, err := r.VerifyFact(ctx, s, id, trilith.VerifyRequest{Decision: trilith.DecideVerify})
			return []any{m.ID, m.State, m.Fact.Verification.Status}, err
		}},
	{name: "a decision about many", before: twoFacts,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, first, second trilith.ID) (any, error) {
			rep, err := r.Decide(ctx, s, trilith.BulkDecision{IDs: []trilith.ID{first, second},
				Decision: trilith.DecideReject, RequestKey: "k"})
			return len(rep.Items), err
		}},
	{name: "another fact in place of one", before: twoFacts,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			m, err := r.SupersedeFact(ctx, s, id, trilith.SupersedeRequest{Text: "I live in Hamburg.", RequestKey: "k"})
			if err != nil {
				return nil, err
			}
			return m.By.ID, nil
		}},
	{name: "a relation of facts", before: twoFacts,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, first, second trilith.ID) (any, error) {
			rel, err := r.Relate(ctx, s, first, trilith.RelateRequest{Type: trilith.Causes, To: second})
			return rel.ID, err
		}},
	{name: "a merge of entities", before: twoEntities,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, first, second trilith.ID) (any, error) {
			v, err := r.MergeEntities(ctx, s, first, trilith.MergeRequest{From: second})
			return v.ID, err
		}},
	{name: "a change of an entity", before: twoEntities, apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			v, err := r.UpdateEntity(ctx, s, id, trilith.EntityUpdate{AddAliases: []string{fmt.Sprintf("Ana %d", n)}})
			return v.Version, err
		}},
	{name: "an identifier of one entity", before: twoEntities,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			v, err := r.UpdateEntity(ctx, s, id,
				trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{{Type: "phone", Value: "030 1"}}})
			return v.ID, err
		}},
	{name: "a share", before: oneNote,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			m, err := r.Share(ctx, s, id, trilith.ShareRequest{Scope: trilith.Scope{User: "ben"}})
			return m.ID, err
		}},
	{name: "a change of a memory", before: oneNote,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			m, err := r.Update(ctx, s, id, trilith.UpdateRequest{Tags: &[]string{"seen"}})
			return []any{m.ID, m.Tags}, err
		}},
	{name: "new wordings of a note under a version", before: oneNote, loses: "version: ",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			m, err := r.Update(ctx, s, id, trilith.UpdateRequest{Text: new(fmt.Sprintf("Room %d.", n)), Version: 1})
			return m.ID, err
		}},
	{name: "a forgetting", before: oneNote,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			if _, err := r.Forget(ctx, s, trilith.ForgetRequest{IDs: []trilith.ID{id}}); err != nil {
				return nil, err
			}
			m, err := r.Get(ctx, s, id)
			return m.State, err
		}},
	{name: "an erasure", before: oneNote,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			_, err := r.Erase(ctx, s, trilith.EraseRequest{IDs: []trilith.ID{id}})
			if trilith.KindOf(err) == trilith.NotFound { // it is gone already
				err = nil
			}
			return ok(err)
		}},
	{name: "an object", apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			o, err := r.PutObject(ctx, s, trilith.Object{Type: "thread", Name: "t", Scope: s.Bare()}, false)
			return o.Version, err
		}},
	{name: "a new object", loses: "name: ",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			o, err := r.PutObject(ctx, s, trilith.Object{Type: "thread", Name: "t", Scope: s.Bare()}, true)
			return o.Name, err
		}},
	{name: "a profile",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			return r.UseProfile(ctx, trilith.Scope{Tenant: s.Tenant}, trilith.ProfileRequest{Name: "personal"})
		}},
	{name: "an extraction",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			return r.UseExtraction(ctx, trilith.Scope{Tenant: s.Tenant}, trilith.ExtractionRequest{Extract: trilith.ExtractRules})
		}},
	{name: "languages",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			return r.UseLanguages(ctx, trilith.Scope{Tenant: s.Tenant}, trilith.LanguageChoice{Languages: []string{"de"}})
		}},
	{name: "an API key", apart: true,
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			k, err := hookKey(r, ctx, s)
			return k, err
		}},
	{name: "the end of an API key",
		before: func(r rig.Rig, t *testing.T, s trilith.Scope) (first, second trilith.ID) {
			k, err := hookKey(r, t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			return k, ""
		},
		write: func(r rig.Rig, ctx context.Context, _ trilith.Scope, n int, id, _ trilith.ID) (any, error) {
			return ok(r.RevokeKey(ctx, id))
		}},
	{name: "an export of another store",
		write: func(r rig.Rig, ctx context.Context, s trilith.Scope, n int, _, _ trilith.ID) (any, error) {
			data := rig.Picture(7)
			file := trilith.MediaFile{Data: data, Media: trilith.Media{ID: trilith.DeriveID("media", s.Tenant),
				Name: "a.png", Type: "image/png",
				SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Bytes: len(data), State: trilith.MediaUnread}}
			v := trilith.Entity{ID: trilith.DeriveID("entity", s.Tenant), Type: "person", Name: "Ana Berg", Version: 1,
				Identifiers: []trilith.Identifier{{Type: "email", Value: "ana@example.com"}}}
			_, _, err := r.Restore(ctx, trilith.Scope{Tenant: s.Tenant}, []trilith.ExportItem{{Entity: &v},
				{Media: &file}})
			if err != nil {
				return nil, err
			}
			got, err := r.Entity(ctx, s, v.ID)
			return got.ID, err
		}},
}
