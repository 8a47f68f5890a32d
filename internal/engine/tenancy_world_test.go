package engine_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// neighbourly is a text of a tenant, long enough to be recognised when it is said again after an erasure.
func neighbourly(tenant, what string) string {
	return fmt.Sprintf("In the harbour of %s lies something: %s.", tenant, what)
}

// world is an engine, the store behind it, and ids of what its tenants have.
type world struct {
	*engine.Engine
	store   *inmem.Store
	ids     map[string][]trilith.ID // made of names: equal in every world
	passing map[string][]trilith.ID // of receipts and jobs: random
}

// newWorld opens an engine whose clock only ever goes on, and whose workers have no job to do.
func newWorld(t *rapid.T) *world {
	var ticks atomic.Int64
	now := func() time.Time { return time.UnixMilli(1_750_000_000_000 + ticks.Add(1)) }
	store := inmem.New(now)
	rig.Unswept(t, store, now())
	embedder, err := hashembed.New(16)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: store, Queue: resting{store},
		Graph: walk.OverStore(store), Text: indextest.NewText(),
		Vectors: indextest.NewVector(), Embedder: embedder, Now: now, Version: "test", AssimilateWait: time.Second,
		Extract: trilith.ExtractRules, Recalls: served.Config{Rows: 1000},
		Model: scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "- [ ] Paint the boat\n"}}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{e, store, map[string][]trilith.ID{}, map[string][]trilith.ID{}}
}

// settle gives a neighbour some of everything, the same names and keys for each, in words of its own. A neighbour is a
// tenant, or whom the scope is bound to.
func (w *world) settle(t *rapid.T, s trilith.Scope, tenant string) {
	ctx, all := t.Context(), trilith.Scope{Tenant: s.Tenant}
	s.Domain, s.Session = "harbours", "talk"
	remember := func(r trilith.RememberRequest) trilith.ID {
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
	remember(trilith.RememberRequest{
		Messages: []trilith.Message{{Role: trilith.RoleUser, Content: neighbourly(tenant, "a boat"), ExternalID: "boat"},
			{Role: trilith.RoleAssistant, Content: neighbourly(tenant, "an anchor")}}})
	note := remember(trilith.RememberRequest{Note: &trilith.Note{Content: neighbourly(tenant, "a net")}})
	remember(trilith.RememberRequest{Entry: &trilith.Entry{Title: tenant, Content: neighbourly(tenant, "a chart")},
		Supersedes: []trilith.ID{note}})
	edited := remember(trilith.RememberRequest{Note: &trilith.Note{Content: neighbourly(tenant, "a rope")}})
	if _, err := w.Update(ctx, s, edited, trilith.UpdateRequest{Text: new(neighbourly(tenant, "a chain"))}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		v := trilith.Entity{ID: trilith.DeriveID("entity", tenant, strconv.Itoa(i)), Type: "person",
			Name: "Ana Berg", Version: 1,
			Identifiers: []trilith.Identifier{{Type: "phone", Value: strconv.Itoa(i)},
				{Type: "email", Value: fmt.Sprintf("%s.%d@example.com", s.User, i)},
				{Type: "user_id", Value: fmt.Sprintf("berg-%d", i)}}}
		if s.Bound != (trilith.Bound{}) { // identifiers are unique in a tenant
			v.Identifiers = v.Identifiers[1:2]
		}
		if _, _, err := w.Restore(ctx, all, []trilith.ExportItem{{Entity: &v}}); err != nil {
			t.Fatal(err)
		}
		w.ids[tenant] = append(w.ids[tenant], v.ID)
	}
	asked := s
	asked.Domain, asked.Session = "bakery", "interview"
	if _, err := w.StartInterview(ctx, asked); err != nil {
		t.Fatal(err)
	}
	if _, err := w.AnswerInterview(ctx, asked, asked.Session,
		trilith.InterviewAnswer{Text: neighbourly(tenant, "a loaf")}); err != nil {
		t.Fatal(err)
	}
	gone := remember(trilith.RememberRequest{Text: neighbourly(tenant, "gone")})
	if err := w.Settle(ctx); err != nil { // so that the receipt counts a vector
		t.Fatal(err)
	}
	receipt, err := w.Erase(ctx, s, trilith.EraseRequest{IDs: []trilith.ID{gone}})
	if err != nil {
		t.Fatal(err)
	}
	dead := trilith.Job{ID: trilith.DeriveID("dead", tenant), Kind: "none", State: trilith.JobDead, CreatedAt: receipt.At,
		UpdatedAt: receipt.At}
	if _, err := w.store.Commit(ctx, all, role.Batch{Jobs: []trilith.Job{dead}}); err != nil {
		t.Fatal(err)
	}
	if jobs, err := w.Jobs(ctx, all, trilith.JobListing{IDs: []trilith.ID{dead.ID}}); err != nil || len(jobs) != 1 {
		t.Fatalf("Jobs(%s) = %v, %v, want one", dead.ID, jobs, err)
	}
	w.passing[tenant] = []trilith.ID{receipt.ID, dead.ID}
	w.waiting(t, s, tenant)
}

// waiting gives a tenant something of what waits for a person, and facts that are over.
func (w *world) waiting(t *rapid.T, s trilith.Scope, tenant string) {
	at := time.Date(2025, 2, 3, 0, 0, 0, 0, time.UTC)
	over := at.AddDate(0, 1, 0)
	var b role.Batch
	for i, status := range []trilith.VerificationStatus{trilith.NeedsReview, trilith.Disputed, trilith.PendingApproval,
		trilith.PendingApproval} {
		m := trilith.Memory{ID: trilith.DeriveID("fact", strconv.Itoa(i), tenant), Version: 1, Kind: trilith.KindFact,
			Text:  neighbourly(tenant, strconv.Itoa(i/2)),
			Scope: trilith.Scope{Tenant: s.Tenant, User: s.User}, EventTime: at, RecordedAt: at, State: trilith.StateActive,
			Trust: trilith.TrustAssistantSaid,
			Fact: &trilith.Fact{EntityID: trilith.DeriveID("entity", tenant), Verb: "lives_in",
				Node:     trilith.Node{Type: "Location", Name: strconv.Itoa(i)},
				Polarity: trilith.Affirmed, Evidence: []trilith.Evidence{{EpisodeID: w.ids[tenant][1]}},
				Verification: trilith.Verification{Status: status}}}
		if i == 3 {
			m.ValidUntil = &over
		}
		b.Memories = append(b.Memories, m)
		w.ids[tenant] = append(w.ids[tenant], m.ID)
	}
	body, err := json.Marshal(trilith.ReviewItem{Name: tenant, Since: at})
	if err != nil {
		t.Fatal(err)
	}
	name := trilith.DeriveID("name", tenant)
	b.Records = []role.Record{{Kind: role.RecordReview, ID: name, Body: body}}
	w.ids[tenant] = append(w.ids[tenant], name)
	if _, err := w.store.Commit(t.Context(), trilith.Scope{Tenant: s.Tenant}, b); err != nil {
		t.Fatal(err)
	}
}

// state is everything that a tenant can see of itself.
func (w *world) state(t *rapid.T, tenant string) string {
	s := trilith.Scope{Tenant: tenant}
	var all []any
	for _, op := range []string{"Export", "Audit", "Jobs"} {
		calls := scopedCalls[op]
		v, err := calls[len(calls)-1](t.Context(), w.Engine, s, "ffffffff-ffff-ffff-ffff-ffffffffffff")
		if err != nil {
			t.Fatal(err)
		}
		if items, ok := v.([]trilith.ExportItem); ok {
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

// accident is what two worlds may differ in: ids, salts and hashes are random, cursors hold ids, a count of tokens
// counts pieces of ids, and the background reads the clock too.
var accident = regexp.MustCompile(
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,}|…[0-9a-f]{8}|` +
		`2025-06-[0-9]{2}T[0-9:.]+Z|"timings_ms":\{[^}]*\}|"tokens":[0-9]+|"(?:memory_)?ms":[0-9.]+|` +
		`"(?:in|out)put_tokens":[0-9]+|"next_cursor":"[A-Za-z0-9_-]+"`)

// answer is what a caller learns from a call, without what is an accident.
func (w *world) answer(t *rapid.T, call scopedCall, s trilith.Scope, id trilith.ID) string {
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := call(t.Context(), w.Engine, s, id)
	if err != nil {
		return accident.ReplaceAllString(fmt.Sprintf("%v: %v: %s", trilith.KindOf(err), err, trilith.MessageOf(err)), "*")
	}
	masked := func(v any) string {
		body, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return accident.ReplaceAllString(string(body), "*")
	}
	items, ok := v.([]trilith.ExportItem)
	if !ok {
		return masked(v)
	}
	lines := make([]string, len(items)) // they lie in the order of ids
	for i, item := range items {
		lines[i] = masked(item)
	}
	return strings.Join(rig.Sorted(lines), "\n")
}
