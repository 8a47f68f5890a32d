package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// gist is what a test looks at of a memory.
type gist struct {
	Kind  trilith.Kind
	Role  trilith.Role
	Text  string
	Seq   int
	Trust trilith.Trust
	State trilith.State
}

func gistOf(ms []trilith.Memory) []gist {
	var out []gist
	for _, m := range ms {
		out = append(out, gist{m.Kind, m.Role, m.Text, m.Seq, m.Trust, m.State})
	}
	return out
}

func TestRememberForms(t *testing.T) {
	t.Parallel()
	active := trilith.StateActive
	for _, c := range []struct {
		name, why string
		req       trilith.RememberRequest
		want      []gist
	}{
		{"messages", "every turn must be found by itself, in its order, with who said it",
			trilith.RememberRequest{Messages: []trilith.Message{{Content: "I moved to Oslo."},
				{Role: trilith.RoleAssistant, Content: "How is Oslo?"}}},
			[]gist{{trilith.KindEpisode, trilith.RoleUser, "I moved to Oslo.", 0, trilith.TrustUserStated, active},
				{trilith.KindEpisode, trilith.RoleAssistant, "How is Oslo?", 1, trilith.TrustAssistantSaid, active}}},
		{"text", "one sentence must not need a conversation around it",
			trilith.RememberRequest{Text: "I moved to Oslo."},
			[]gist{{trilith.KindEpisode, trilith.RoleUser, "I moved to Oslo.", 0, trilith.TrustUserStated, active}}},
		{"note", "what a person notes by hand is the most trusted",
			trilith.RememberRequest{Note: &trilith.Note{Content: "Prefers trains."}},
			[]gist{{trilith.KindNote, "", "Prefers trains.", 0, trilith.TrustUserConfirmed, active}}},
		{"entry", "title and data of an entry must be searchable like its content",
			trilith.RememberRequest{Entry: &trilith.Entry{Category: "travel", Title: "Trains",
				Content: "Night trains run daily.", Structured: map[string]any{"operator": "Vy"}}},
			[]gist{{trilith.KindEntry, "", "travel\nTrains\nNight trains run daily.\noperator: Vy", 0,
				trilith.TrustUserConfirmed, active}}},
		{"document", "a document must be found by its parts",
			trilith.RememberRequest{Document: &trilith.Document{
				Name: "guide.md", Content: rig.Section("Oslo", "The opera is by the water.") + "\n\n" +
					rig.Section("Bergen", "It rains.")}},
			[]gist{{trilith.KindPassage, "", rig.Section("Oslo", "The opera is by the water."), 0,
				trilith.TrustImported, active},
				{trilith.KindPassage, "", rig.Section("Bergen", "It rains."), 1, trilith.TrustImported, active}}},
		{"imported", "words from another product must not pose as said here",
			trilith.RememberRequest{Text: "I moved to Oslo.", Imported: true},
			[]gist{{trilith.KindEpisode, trilith.RoleUser, "I moved to Oslo.", 0, trilith.TrustImported, active}}},
		{"quarantined", "an order hidden in an answer must not steer the next prompt",
			trilith.RememberRequest{Text: rig.OrderText, Role: trilith.RoleAssistant},
			[]gist{{trilith.KindEpisode, trilith.RoleAssistant, rig.OrderText, 0, trilith.TrustAssistantSaid,
				trilith.StateQuarantined}}},
		{"the user's own order", "users may say what they like to their own memory",
			trilith.RememberRequest{Text: rig.OrderText},
			[]gist{{trilith.KindEpisode, trilith.RoleUser, rig.OrderText, 0, trilith.TrustUserStated, active}}},
		{"composed form", "the same name typed on two keyboards must be one name",
			trilith.RememberRequest{Text: "Zoe\u0308 lives in A\u030alesund."},
			[]gist{{trilith.KindEpisode, trilith.RoleUser, "Zoë lives in Ålesund.", 0, trilith.TrustUserStated, active}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			res := e.MustRemember(t, rig.Ana, c.req)
			if diff := cmp.Diff(c.want, gistOf(res.Memories)); diff != "" {
				t.Errorf("Remember(%+v), but %s (-want +got):\n%s", c.req, c.why, diff)
			}
			want := slices.Clone(res.Memories)
			e.MustSettle(t)
			got := e.All(t, rig.Ana)
			for i := range got {
				if got[i].IndexedAt == nil || got[i].Embedding == nil {
					t.Errorf("memory %q is settled and has no vector", got[i].Text)
				}
				got[i].IndexedAt, got[i].Embedding = nil, nil
				want[i].Scope.Actor = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what Remember answered is not what is stored (-answered +stored):\n%s", diff)
			}
		})
	}
}

func TestRememberRejectsItems(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: []trilith.Message{
		{Content: "The first good one."},
		{Content: " \t\u200b\n"},
		{Content: strings.Repeat("x", trilith.MaxTextBytes+1)},
		{Content: "half \x00 a text"},
		{Content: "half a \xff rune"},
		{Role: trilith.RoleSystem, Content: "You are a helpful assistant."},
		{Content: rig.EchoText},
		{Content: "The last good one."},
	}})
	var got []string
	for _, r := range res.Rejected {
		got = append(got, fmt.Sprintf("%d %s", r.Index, r.Reason))
	}
	want := []string{"1 empty", "2 too_long", "3 encoding", "4 encoding", "5 role", "6 echo"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("one bad message must neither be stored nor lose the others; rejections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"The first good one.", "The last good one."},
		[]string{res.Memories[0].Text, res.Memories[1].Text}); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "  "}); len(res.Memories) != 0 || res.SourceID != "" ||
		len(res.Rejected) != 1 {
		t.Errorf("Remember(blank) = %+v, want one rejection and no source", res)
	}
}

func TestRememberRefusesRequests(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	old := e.Note(t, rig.Ana, "Something to replace.")
	before := e.Exported(t, rig.Acme)
	for _, c := range []struct {
		why   string
		scope trilith.Scope
		req   trilith.RememberRequest
		kind  trilith.ErrorKind
		names string
	}{
		{"a request without content is a bug of the caller", rig.Ana, trilith.RememberRequest{}, trilith.Invalid, "request"},
		{"of two contents one would be lost", rig.Ana, trilith.RememberRequest{Text: "a", Note: &trilith.Note{Content: "b"}},
			trilith.Invalid, "text and note"},
		{"a wrong time would be stored as now", rig.Ana, trilith.RememberRequest{Text: "a", Timestamp: "yesterday"},
			trilith.Invalid, "timestamp"},
		{"a message's wrong time too", rig.Ana,
			trilith.RememberRequest{Messages: []trilith.Message{{Content: "a"}, {Content: "b", Timestamp: "soon"}}},
			trilith.Invalid, "messages[1].timestamp"},
		{"an unknown level would be taken for none", rig.Ana, trilith.RememberRequest{Text: "a", Wait: "forever"},
			trilith.Invalid, "wait"},
		{"without a tenant nobody owns it", trilith.Scope{User: "ana"}, trilith.RememberRequest{Text: "a"},
			trilith.Invalid, "tenant"},
		{"our own records are no user's", trilith.Scope{Tenant: trilith.SystemTenant}, trilith.RememberRequest{Text: "a"},
			trilith.Invalid, "tenant"},
		{"a scope that no database holds", trilith.Scope{Tenant: "acme", User: strings.Repeat("u", 256)},
			trilith.RememberRequest{Text: "a"}, trilith.Invalid, "user"},
		{"two successors of one memory", rig.Ana,
			trilith.RememberRequest{Messages: []trilith.Message{{Content: "a"}, {Content: "b"}},
				Supersedes: []trilith.ID{old.ID}}, trilith.Invalid, "supersedes"},
		{"no more than a store commits at once", rig.Ana,
			trilith.RememberRequest{Messages: make([]trilith.Message, trilith.MaxItems+1)}, trilith.Exhausted, "messages"},
	} {
		_, err := e.Remember(t.Context(), c.scope, c.req)
		rig.WantError(t, c.why+": Remember", err, c.kind, c.names)
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a refused request stored something (-before +after):\n%s", diff)
	}
}

func TestRequestKey(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	req := trilith.RememberRequest{
		RequestKey: "k1", Messages: []trilith.Message{{Content: "Once only."}, {Content: " "}, {Content: "And this."}}}
	first := e.MustRemember(t, rig.Ana, req)
	again := e.MustRemember(t, rig.Ana, req)
	if !again.Replayed || first.Replayed {
		t.Errorf("Replayed = %t then %t, want false then true", first.Replayed, again.Replayed)
	}
	if diff := cmp.Diff(sameAnswer(first), sameAnswer(again)); diff != "" {
		t.Errorf("a repeated request must answer what the first did (-first +again):\n%s", diff)
	}
	for _, c := range []struct {
		why   string
		scope trilith.Scope
		req   trilith.RememberRequest
	}{
		{"other words under the key would be lost in silence", rig.Ana,
			trilith.RememberRequest{RequestKey: "k1", Text: "Other words."}},
		{"another person's answer must not come back", rig.Ben, req},
	} {
		_, err := e.Remember(t.Context(), c.scope, c.req)
		rig.WantError(t, c.why+": Remember", err, trilith.Conflict, "idempotency key")
	}
	req.Wait = trilith.WaitIndexed
	if !e.MustRemember(t, rig.Ana, req).Replayed {
		t.Error("how long to wait is no part of the request, but it was not replayed")
	}
	if got := len(e.All(t, rig.Acme)); got != 2 {
		t.Errorf("%d memories are stored, want 2", got)
	}
}

func sameAnswer(r trilith.RememberResult) trilith.RememberResult {
	for i := range r.Memories {
		r.Memories[i].Scope.Actor = ""
	}
	return trilith.RememberResult{Memories: r.Memories, Rejected: r.Rejected, SourceID: r.SourceID}
}

func TestSameRequestAtOnce(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]rig.Rig{"inmem": rig.InMemory(t), "sqlite": rig.OnFile(t, rig.NewPath(t))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const callers = 16
			var answers [callers]trilith.RememberResult
			rig.Together(callers, func(i int) {
				var err error
				answers[i], err = e.Remember(
					t.Context(), rig.Ana, trilith.RememberRequest{
						RequestKey: "k", Messages: []trilith.Message{
							{Content: "Said once."}, {Content: "And once more."}}})
				if err != nil {
					t.Errorf("caller %d: Remember = %v", i, err)
				}
			})
			fresh := 0
			for i, a := range answers {
				if diff := cmp.Diff(sameAnswer(answers[0]), sameAnswer(a)); diff != "" {
					t.Errorf("caller %d got another answer than caller 0 (-0 +%d):\n%s", i, i, diff)
				}
				if !a.Replayed {
					fresh++
				}
			}
			if got := len(e.All(t, rig.Ana)); got != 2 || fresh != 1 {
				t.Errorf("%d memories, %d callers not replayed; an impatient client doubled what was said, want 2 and 1", got, fresh)
			}
		})
	}
}

func TestExternalIDs(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	first := e.One(t, rig.Ana, trilith.RememberRequest{Text: "Line one of the chat.", ExternalID: "chat/1"})
	res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: []trilith.Message{
		{ExternalID: "chat/1", Content: "Line one of the chat."},
		{ExternalID: "chat/2", Content: "Line two of the chat."}}})
	if len(res.Memories) != 1 || res.Memories[0].ExternalID != "chat/2" || len(res.Rejected) != 1 ||
		res.Rejected[0].Reason != trilith.ReasonDuplicate {
		t.Errorf("importing a chat that grew stored %+v and rejected %+v, want the new line and one duplicate",
			res.Memories, res.Rejected)
	}
	if other := e.One(t, rig.Ben,
		trilith.RememberRequest{Text: "Line one of the chat.", ExternalID: "chat/1"}); other.ID == first.ID {
		t.Errorf("two users' chats share the id %s", first.ID)
	}

	const callers = 16
	var stored, duplicate atomic.Int64
	rig.Together(callers, func(int) {
		res, err := e.Remember(t.Context(), rig.Ana, trilith.RememberRequest{Text: "Line three.", ExternalID: "chat/3"})
		switch {
		case err != nil:
			t.Errorf("Remember = %v", err)
		case len(res.Memories) == 1:
			stored.Add(1)
		case len(res.Rejected) == 1 && res.Rejected[0].Reason == trilith.ReasonDuplicate:
			duplicate.Add(1)
		}
	})
	if stored.Load() != 1 || duplicate.Load() != callers-1 {
		t.Errorf("of %d equal imports at once %d stored and %d were duplicates, want 1 and %d", callers, stored.Load(),
			duplicate.Load(), callers-1)
	}
}

func TestSupersede(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	oslo := e.One(t, rig.Ana, trilith.RememberRequest{Text: "I live in Oslo.", Timestamp: "2025-01-10"})
	bergen := e.One(t, rig.Ana, trilith.RememberRequest{Text: "I live in Bergen.", Timestamp: "2025-06-02",
		Supersedes: []trilith.ID{oslo.ID}})

	old, err := e.Get(t.Context(), rig.Ana, oslo.ID)
	if err != nil {
		t.Fatal(err)
	}
	moved := time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC)
	if old.State != trilith.StateSuperseded || old.SupersededBy != bergen.ID || old.ValidUntil == nil ||
		!old.ValidUntil.Equal(moved) || old.SupersededAt == nil {
		t.Errorf("the replaced memory is %+v, want superseded by %s from %v on", old, bergen.ID, moved)
	}
	if got := e.Found(t, rig.Ana, "Where do I live?"); !slices.Equal(got, []string{"I live in Bergen."}) {
		t.Errorf("Recall = %q: a value that was corrected comes back", got)
	}
	for _, id := range []trilith.ID{oslo.ID, bergen.ID} {
		h, err := e.History(t.Context(), rig.Ana, id)
		if got := rig.IDsOf(h.Versions); err != nil || !slices.Equal(got, []trilith.ID{bergen.ID, oslo.ID}) {
			t.Errorf("History(%s) = %v, %v, want the new one and the old one", id, got, err)
		}
	}
	before := e.Exported(t, rig.Acme)
	for _, c := range []struct {
		why   string
		scope trilith.Scope
		old   trilith.ID
		kind  trilith.ErrorKind
		names string
	}{
		{"a chain must not fork", rig.Ana, oslo.ID, trilith.Invalid, "already replaced"},
		{"nobody ends another user's memory", rig.Ben, bergen.ID, trilith.NotFound, "supersedes"},
		{"nor another tenant's", trilith.Scope{Tenant: "globex"}, bergen.ID, trilith.NotFound, "supersedes"},
		{"a wrong id must be told", rig.Ana, trilith.DeriveID("nothing"), trilith.NotFound, "supersedes"},
	} {
		_, err := e.Remember(t.Context(), c.scope,
			trilith.RememberRequest{Text: "I live in Trondheim.", Supersedes: []trilith.ID{c.old}})
		rig.WantError(t, c.why+": Remember", err, c.kind, c.names)
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a refused correction changed something (-before +after):\n%s", diff)
	}
	earlier := e.One(t, rig.Ana,
		trilith.RememberRequest{Text: "I lived in Bodø.", Timestamp: "2020-01-01", Supersedes: []trilith.ID{bergen.ID}})
	if m, err := e.Get(t.Context(), rig.Ana, bergen.ID); err != nil || m.ValidUntil.Before(m.EventTime) {
		t.Errorf("replaced by %+v the memory ends at %v, before it began at %v: %v", earlier, m.ValidUntil,
			m.EventTime, err)
	}
}

// TestSessionNumbers: neighbours are found by number, so writers to one session must neither share nor skip one.
func TestSessionNumbers(t *testing.T) {
	t.Parallel()
	session := trilith.Scope{Tenant: "acme", User: "ana", Session: "s1"}
	for name, e := range map[string]rig.Rig{"inmem": rig.InMemory(t), "sqlite": rig.OnFile(t, rig.NewPath(t))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const writers, each = 8, 5
			rig.Together(writers, func(w int) {
				for i := range each {
					req := trilith.RememberRequest{
						Messages: []trilith.Message{{Content: fmt.Sprintf("question %d of %d", i, w)},
							{Content: fmt.Sprintf("answer %d of %d", i, w)}}}
					if _, err := e.Remember(t.Context(), session, req); err != nil {
						t.Errorf("writer %d: Remember = %v", w, err)
					}
				}
			})
			bySeq := map[int]trilith.Memory{}
			for _, m := range e.All(t, session) {
				if other, ok := bySeq[m.Seq]; ok {
					t.Errorf("number %d belongs to %q and %q", m.Seq, other.Text, m.Text)
				}
				bySeq[m.Seq] = m
			}
			for seq := 0; seq < 2*writers*each; seq += 2 {
				q, a := bySeq[seq].Text, bySeq[seq+1].Text
				if q == "" || strings.Replace(q, "question", "answer", 1) != a {
					t.Errorf("numbers %d and %d are %q and %q, want a question and its answer", seq, seq+1, q, a)
				}
			}
			if other := e.Say(t, trilith.Scope{Tenant: "acme", User: "ben", Session: "s1"}, "Hello."); other.Seq != 0 {
				t.Errorf("another user's session of the same name begins at %d", other.Seq)
			}
		})
	}
}

func TestDryRunStoresNothing(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	old := e.Note(t, rig.Ana, "Something to replace.")
	session := trilith.Scope{Tenant: "acme", User: "ana", Session: "s"}
	before := e.Exported(t, rig.Acme)
	for name, req := range map[string]trilith.RememberRequest{
		"messages": {Messages: []trilith.Message{{Content: "a turn"}, {Content: " "}}},
		"keyed":    {Text: "a text", RequestKey: "k", ExternalID: "x"},
		"entry":    {Entry: &trilith.Entry{Content: "known"}},
		"document": {Document: &trilith.Document{Name: "d.md", Content: "text"}},
		"heir":     {Text: "the new one", Supersedes: []trilith.ID{old.ID}},
	} {
		req.DryRun = true
		s := session
		if name == "heir" {
			s = rig.Ana
		}
		if res := e.MustRemember(t, s, req); !res.DryRun || len(res.Memories) != 1 || res.SourceID != "" {
			t.Errorf("%s: a dry run answers %+v, want the one memory that would be stored, and no source", name, res)
		}
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a dry run stored something (-before +after):\n%s", diff)
	}
	if audit, err := e.Audit(t.Context(), rig.Acme, 1, 10); err != nil || len(audit) != 0 {
		t.Errorf("a dry run left %v in the audit log (%v)", audit, err)
	}
	if m := e.One(t, session, trilith.RememberRequest{Text: "a text", RequestKey: "k", ExternalID: "x"}); m.Seq != 0 {
		t.Errorf("a dry run used up numbers of the session: the first turn has %d", m.Seq)
	}
}

func TestWaitIndexed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		slow := rig.NewFussy(t, func(string) error { <-release; return nil })
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = slow })
		if res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "Found by its words at once."}); res.Indexed {
			t.Error("Remember says that the vector is there while the embedder is at work")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		hurried, err := e.Remember(ctx, rig.Ana, trilith.RememberRequest{Text: "In a hurry.", Wait: trilith.WaitIndexed})
		if trilith.KindOf(err) != trilith.DeadlineExceeded || !hurried.Pending || hurried.JobID == "" ||
			len(hurried.Memories) != 1 || hurried.Indexed {
			t.Errorf("Remember with a slow embedder and a deadline = %+v, %v; want deadline_exceeded beside what is stored, and its job", hurried, err)
		}
		close(release)
		res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "Found by its meaning.", Wait: trilith.WaitIndexed})
		m, err := e.Get(t.Context(), rig.Ana, res.Memories[0].ID)
		if err != nil || !res.Indexed || m.IndexedAt == nil {
			t.Errorf("after wait=indexed: Indexed = %t, the memory was indexed at %v, %v", res.Indexed,
				m.IndexedAt, err)
		}
	})
}

// untilLater is an embedder that does not answer about texts of later.
type untilLater struct{ role.Embedder }

func (u untilLater) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "Later") }) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return u.Embedder.Embed(ctx, use, texts)
}

// TestWaitIndexedOfSeveralShards: a write waits for the vectors of its own shard, however far the others are.
func TestWaitIndexedOfSeveralShards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := untilLater{rig.Hash(t, 64)}
		store := inmem.New(time.Now, inmem.Shards(3))
		e := rig.InMemory(t, func(c *engine.Config) {
			c.Store, c.Log, c.Queue, c.Embedder, c.Graph = store, store, store, away, walk.OverStore(store)
		})
		write := func(tenant, text string) (trilith.RememberResult, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			return e.Remember(ctx, trilith.Scope{Tenant: tenant, User: "ana"},
				trilith.RememberRequest{Text: text, Wait: trilith.WaitIndexed})
		}
		tenants := []string{"a", "b", "c", "d", "e", "f", "g"}
		for n, tenant := range tenants {
			for range n + 1 { // so that no two shards have the same cursor
				if res, err := write(tenant, "Sooner."); err != nil || res.Pending || !res.Indexed {
					t.Fatalf("Remember in %s, wait=indexed = %+v, %v, want it indexed", tenant, res, err)
				}
			}
		}
		for _, tenant := range tenants {
			if res, err := write(tenant, "Later."); trilith.KindOf(err) != trilith.DeadlineExceeded ||
				!res.Pending || res.Indexed {
				t.Errorf("Remember in %s while the embedder is at work = %+v, %v, want deadline_exceeded",
					tenant, res, err)
			}
		}
	})
}

// TestTooManyBytesAtOnce: more than one batch can carry is refused with the reason, and nothing of it is stored.
func TestTooManyBytesAtOnce(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })
	long := strings.Repeat("It rained on the harbour again. ", 2000)
	send := func(bytes int) error {
		var r trilith.RememberRequest
		for n := range bytes/len(long) + 1 {
			r.Messages = append(r.Messages, trilith.Message{Role: trilith.RoleUser, Content: fmt.Sprint(n, " ", long)})
		}
		_, err := e.Remember(t.Context(), rig.Ana, r)
		return err
	}
	if err := send(role.MaxBatchBytes); trilith.KindOf(err) != trilith.Exhausted ||
		!strings.Contains(trilith.MessageOf(err), "send them in parts") {
		t.Errorf("Remember of more than a batch carries = %v, want exhausted and what to do", err)
	}
	if page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{}); err != nil || len(page.Items) != 0 {
		t.Errorf("List = %d memories, %v, want none", len(page.Items), err)
	}
	if err := send(role.MaxBatchBytes - trilith.MaxTextBytes); err != nil {
		t.Errorf("Remember of nearly what a batch carries = %v", err)
	}
}

func TestBackdating(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 7, 1, 12, 0, 0, 123456789, time.UTC)
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = func() time.Time { return now } })
	for given, want := range map[string]time.Time{
		"":                          trilith.Time(now),
		"2021-03-04":                time.Date(2021, 3, 4, 0, 0, 0, 0, time.UTC),
		"2021-03-04T05:06:07+02:00": time.Date(2021, 3, 4, 3, 6, 7, 0, time.UTC),
	} {
		m := e.One(t, rig.Ana, trilith.RememberRequest{Text: "Something said.", Timestamp: given})
		if !m.EventTime.Equal(want) || !m.RecordedAt.Equal(trilith.Time(now)) {
			t.Errorf("Remember(timestamp %q): said %v and recorded %v, want %v and %v", given, m.EventTime,
				m.RecordedAt, want, trilith.Time(now))
		}
	}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{ExternalID: "handbook", Tags: []string{"hr"},
		Document: &trilith.Document{Name: "handbook.md", Content: rig.Section("Leave", "Thirty days a year.") + "\n\n" +
			rig.Section("Travel", "Second class by train.") + "\n\n" + rig.Section("Remote work", "Three days a week.")}})
	if len(res.Memories) != 3 {
		t.Fatalf("the document has %d passages, want 3", len(res.Memories))
	}
	hits := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "Which class by train?", Neighbors: 1}).Hits
	if len(hits) == 0 || !strings.Contains(hits[0].Memory.Text, "Second class by train.") {
		t.Fatalf("Recall = %q, want the passage on travel", rig.TextsOf(hits))
	}
	m := hits[0].Memory
	if m.Metadata["document"] != "handbook.md" || m.Metadata["heading"] != "Travel" ||
		!slices.Equal(m.Tags, []string{"hr"}) {
		t.Errorf("the passage has metadata %v and tags %v: it cannot be cited", m.Metadata, m.Tags)
	}
	if len(hits[0].Neighbors) != 2 || hits[0].Neighbors[0].Seq != 0 || hits[0].Neighbors[1].Seq != 2 {
		t.Errorf("the passages around it are %+v, want the one before and the one after", gistOf(hits[0].Neighbors))
	}
	if again := e.MustRemember(t, rig.Ana, trilith.RememberRequest{ExternalID: "handbook",
		Document: &trilith.Document{Name: "handbook.md", Content: rig.Section("Leave", "Thirty days a year.")}}); len(
		again.Memories) != 0 {
		t.Errorf("sending a document again stored %d passages twice", len(again.Memories))
	}
}

func TestUnicodeScope(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	odd := trilith.Scope{Tenant: "acme", User: "Ünïcødé 🪨 \"'\\\n--", Session: "sess/ïon\t1", Project: "日本"}
	m := e.One(t, odd, trilith.RememberRequest{Text: "Stored under a strange name.", ExternalID: "x"})
	if got := e.Found(t, odd, "strange name"); !slices.Equal(got, []string{m.Text}) {
		t.Errorf("Recall in scope %+v = %q, want the memory", odd, got)
	}
	near := odd
	near.User = "Ünïcødé 🪨 \"'\\\n-"
	if got := e.Found(t, near, "strange name"); len(got) != 0 {
		t.Errorf("Recall in scope %+v = %q: it belongs to another user", near, got)
	}
}

// TestReplayTellsAll: a repeated request is answered as the first one was.
func TestReplayTellsAll(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]rig.Rig{"with an embedder": rig.InMemory(t),
		"without": rig.InMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })} {
		req := trilith.RememberRequest{RequestKey: "k", Text: "My key is " + rig.AWSKey, Wait: trilith.WaitIndexed}
		first := e.MustRemember(t, rig.Ana, req)
		again := e.MustRemember(t, rig.Ana, req)
		if first.Masked != again.Masked || first.Indexed != again.Indexed {
			t.Errorf("%s: first masked %d, indexed %t; repeated masked %d, indexed %t", name, first.Masked,
				first.Indexed, again.Masked, again.Indexed)
		}
	}
}

// A document that is sent again is what it is now: what was taken out of it is not found, what returns is found again,
// and other documents stay.
func TestDocumentIsFollowed(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	part := func(word string) string {
		return "# " + word + "\n\n" + strings.Repeat("The "+word+" stands in the yard. ", 30) + "\n\n"
	}
	send := func(external, content string) {
		t.Helper()
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{
			ExternalID: external, Document: &trilith.Document{Name: external, Content: content}})
	}
	has := func(want ...string) {
		t.Helper()
		var got []string
		for _, word := range []string{"anvil", "barrel", "cradle", "dynamo"} {
			for _, text := range e.Found(t, rig.Ana, word) {
				if strings.Contains(text, word) {
					got = append(got, word)
					break
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	send("other.md", part("dynamo"))
	send("yard.md", part("anvil")+part("barrel"))
	has("anvil", "barrel", "dynamo")
	send("yard.md", part("anvil")+part("cradle"))
	has("anvil", "cradle", "dynamo")
	send("yard.md", part("barrel"))
	has("barrel", "dynamo")
	send("yard.md", part("barrel"))
	has("barrel", "dynamo")
}

// TestVectorWait: for somebody with a bound for vectors a write answers when it is over, with the job that goes on;
// facts do not wait for it.
func TestVectorWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := rig.NewFussy(t, rig.Refusing("", trilith.Unavailable))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = away }).Waiting(2*time.Second, time.Second)
		for _, wait := range []trilith.Wait{trilith.WaitIndexed, trilith.WaitExtracted} {
			start := time.Now()
			res, err := e.Remember(t.Context(), rig.Ana,
				trilith.RememberRequest{Text: "I moved to Bergen.", Extract: trilith.ExtractRules, Wait: wait})
			if took := time.Since(start); err != nil || !res.Pending || res.JobID == "" || res.Indexed ||
				len(res.Memories) != 1 || took > 3*time.Second {
				t.Errorf("Remember, wait %s = %+v, %v after %v; want what is stored and its job after 2 s", wait,
					res, err, took)
			}
		}
		entry, err := e.AddEntry(t.Context(), trilith.Scope{Tenant: "acme", Domain: "towns"},
			trilith.EntryRequest{Entry: trilith.Entry{Content: "Bergen is wet."}, Wait: trilith.WaitIndexed})
		if err != nil || entry.ID == "" || !entry.Pending || entry.JobID == "" {
			t.Errorf("AddEntry = %+v, %v; want the entry and its job", entry, err)
		}
		for wait, most := range map[trilith.Wait]time.Duration{trilith.WaitStored: 0, trilith.WaitExtracted: time.Second,
			trilith.WaitIndexed: 3 * time.Second, "": 3 * time.Second} {
			start := time.Now()
			res, err := e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I work as a nurse in " +
					string(wait) + ".", Wait: wait})
			waits := most > time.Second
			if took := time.Since(start); err != nil || len(res.Facts) == 0 || res.Pending != waits || took > most {
				t.Errorf("Assimilate, wait %q = %+v, %v after %v; want the facts within %v, pending: %t", wait, res,
					err, took, most, waits)
			}
		}
		if _, err := e.Assimilate(
			t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I sail.",
				Wait: "soon"}); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Assimilate, wait soon = %v, want invalid", err)
		}
	})
}
