package sessions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// run appends items to the transcript of ana's session run.
func run(t *testing.T, r rig.Rig, items ...string) []trilith.SessionItem {
	t.Helper()
	got, err := r.AppendItems(t.Context(), rig.Ana, "run", trilith.AppendItems{Items: rig.Raw(items...)})
	if err != nil || len(got.Items) != len(items) {
		t.Fatalf("AppendItems = %+v, %v", got, err)
	}
	return got.Items
}

// transcript is the transcript of ana's session run, an item a line.
func transcript(t *testing.T, r rig.Rig) string {
	t.Helper()
	page, err := r.SessionItems(t.Context(), rig.Ana, "run", trilith.ItemsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range page.Items {
		out = append(out, string(it.Item))
	}
	return strings.Join(out, "\n")
}

const (
	lives = `{"role":"user","content":"I live in Tromsø."}`
	works = `{"role":"user","content":"I work in Narvik."}`
	looks = `{"type":"function_call","name":"weather","arguments":"{\"city\": \"Tromsø\",  \"n\": 12345678901234567890}"}`
)

// An export has a transcript after its turns, and an import restores it exactly. It has neither erased items nor those
// of another scope.
func TestTranscriptIsRestored(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		run(t, e, looks, lives, works)
		was := transcript(t, e)
		all := e.Items(t, rig.Acme)
		if n := len(e.Items(t, rig.Ben)); slices.ContainsFunc(e.Items(t, rig.Ben), func(it trilith.ExportItem) bool {
			return it.Item != nil
		}) {
			t.Errorf("an export of another user has %d items, some of a transcript that is not theirs", n)
		}
		other := open()
		other.MustRestore(t, rig.Acme, all)
		if got := transcript(t, other); got != was {
			t.Errorf("the restored transcript is\n%s\nwant\n%s", got, was)
		}
		if stored, _ := other.MustRestore(t, rig.Acme, all); stored != 0 {
			t.Errorf("restoring again stored %d items", stored)
		}
		turns, err := other.GetSession(t.Context(), rig.Ana, "run", trilith.SessionTurnsQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Erase(t.Context(), rig.Ana,
			trilith.EraseRequest{IDs: []trilith.ID{turns.Items[0].ID}}); err != nil {
			t.Fatal(err)
		}
		other.MustRestore(t, rig.Acme, all)
		if got := transcript(t, other); got != looks+"\n"+works {
			t.Errorf("after an erasure and an import the transcript is\n%s", got)
		}
		erased, err := other.Erase(t.Context(), rig.Acme,
			trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, rig.Ana.User)})
		if err != nil || erased.Transcripts != 1 {
			t.Fatalf("Erase of a user = %+v, %v; want one transcript gone", erased, err)
		}
		other.MustRestore(t, rig.Acme, all)
		if got := transcript(t, other); got != "" {
			t.Errorf("after the user was erased an import brings back\n%s", got)
		}
		third := open()
		third.MustRestore(t, rig.Acme, all)
		third.MustRestore(t, rig.Acme, other.Items(t, rig.Acme)) // the tombstones
		if got := transcript(t, third); got != "" {
			t.Errorf("tombstones of another store leave\n%s", got)
		}
	})
}

// A transcript without remembered turns is deleted with its scope, and stays when other memories are deleted.
func TestTranscriptIsErasedWithItsScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		filter trilith.Filter
		gone   bool
	}{
		{trilith.Where("user", trilith.OpEq, rig.Ana.User), true},
		{trilith.Where("session", trilith.OpIn, []string{"run", "walk"}), true},
		{trilith.Where("user", trilith.OpEq, "nobody"), false},
		{trilith.AllOf(trilith.Where("user", trilith.OpEq, rig.Ana.User), trilith.Where("tags", trilith.OpContains,
			"x")), false},
		{trilith.Where("kind", trilith.OpNe, trilith.KindFact), false},
	} {
		e := rig.InMemory(t)
		run(t, e, looks)
		dry, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Filter: c.filter, DryRun: true})
		if err != nil || (dry.Transcripts == 1) != c.gone || transcript(t, e) != looks {
			t.Errorf("a dry run of erasing %+v = %+v, %v", c.filter, dry, err)
		}
		if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Filter: c.filter}); err != nil {
			t.Fatal(err)
		}
		if gone := transcript(t, e) == ""; gone != c.gone {
			t.Errorf("after erasing %+v the transcript is gone: %t, want %t", c.filter, gone, c.gone)
		}
	}
}

// Secrets of items are masked wherever they are; what has none is kept as it is.
func TestTranscriptMasksSecrets(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
	run(t, e, `{"role":"user","content":"My key is `+key+` & more."}`, `{"type":"function_call","id":12345678901234567890,`+
		`"arguments":{"token":"`+key+`","city":"Tromsø"}}`, `{"type":"note",  "password": "hunter2hunter2"}`, looks)
	got := strings.ReplaceAll(transcript(t, e), `\u0026`, "&")
	for _, secret := range []string{key, "hunter2"} {
		if strings.Contains(got, secret) {
			t.Errorf("the transcript holds %q:\n%s", secret, got)
		}
	}
	for _, kept := range []string{"& more.", "12345678901234567890", `"city":"Tromsø"`, looks} {
		if !strings.Contains(got, kept) {
			t.Errorf("the transcript lacks %q:\n%s", kept, got)
		}
	}
}

// A turn and the item's reference to it are stored in one commit: with any interruption, erasing the turn erases the
// item. An item that repeats an erased text does not stay either.
func TestTranscriptForgetsErasedTurns(t *testing.T) {
	t.Parallel()
	for writes := 0; writes < 6; writes++ {
		kept := rig.NewLasting()
		alive, left := true, writes
		e := rig.Open(t, kept.Config())
		kept.Inject(rig.Gone(&left, &alive))
		_, err := e.AppendItems(rig.Counted(t), rig.Ana, "run", trilith.AppendItems{Items: rig.Raw(lives, works),
			RequestKey: "k"})
		kept.Inject(inmem.Fault{})
		next := rig.Open(t, kept.Config())
		erase := func() {
			t.Helper()
			page, err := next.List(t.Context(), rig.Ana, trilith.ListRequest{Filter: rig.Episodes})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Items {
				if strings.Contains(m.Text, "Tromsø") {
					if _, err := next.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		erase() // before the job of what was cut off
		if err := next.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		erase()
		want := works
		if writes == 0 {
			want = ""
		}
		if got := transcript(t, next); got != want {
			t.Errorf("after %d writes (%v) and an erasure the transcript is %q, want %q", writes, err, got, want)
		}
		jobs, err := next.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "capture"})
		if err != nil || len(jobs) > 0 {
			t.Errorf("after %d writes there are jobs left: %+v, %v", writes, jobs, err)
		}
	}
}
