package engine_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// ledger keeps what it is given.
type ledger struct{ erased []trilith.Erased }

func (l *ledger) Append(_ string, item trilith.ExportItem) error {
	if item.Erased != nil {
		l.erased = append(l.erased, *item.Erased)
	}
	return nil
}

func TestErase(t *testing.T) {
	t.Parallel()
	const secretText = "Ana's diagnosis is a private matter."
	for name, openRig := range map[string]func(...func(*engine.Config)) rig.Rig{
		"inmem":  func(c ...func(*engine.Config)) rig.Rig { return rig.InMemory(t, c...) },
		"sqlite": func(c ...func(*engine.Config)) rig.Rig { return rig.OnFile(t, rig.NewPath(t), c...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l ledger
			e := openRig(func(c *engine.Config) { c.Ledger = &l })
			kept := e.Note(t, rig.Ana, "The garden has a gate.")
			m := e.Note(t, rig.Ana, secretText)
			if _, err := e.Update(t.Context(), rig.Ana, m.ID,
				trilith.UpdateRequest{Text: new(secretText + " Really.")}); err != nil {
				t.Fatal(err)
			}
			e.MustSettle(t)
			before := e.Exported(t, rig.Acme)
			dry, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}, DryRun: true})
			if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); err != nil || diff != "" || len(l.erased) != 0 {
				t.Fatalf("Erase(dry) = %v, ledger %v; it changed (-before +after):\n%s", err, l.erased, diff)
			}
			receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}, Reason: "asked to"})
			if err != nil || receipt.Memories != 2 || receipt.Sources != 1 || receipt.Texts != 2 ||
				receipt.Vectors != 2 || receipt.Tombstones != 2 || receipt.Reason != "asked to" {
				t.Errorf("Erase = %+v, %v; want both wordings with their texts, vectors and source", receipt, err)
			}
			receipt.ID, receipt.At, receipt.Reason, receipt.DryRun = dry.ID, dry.At, "", true
			receipt.Tombstones = dry.Tombstones // without a salt yet, a dry run cannot tell equal ones apart
			if diff := cmp.Diff(dry, receipt); diff != "" {
				t.Errorf("the dry run promised something else (-dry +done):\n%s", diff)
			}
			e.MustSettle(t)
			file := e.Exported(t, rig.Acme)
			if strings.Contains(file, "diagnosis") || !strings.Contains(file, kept.Text) ||
				!strings.Contains(file, string(receipt.Reason)) {
				t.Errorf("the export after the erasure is wrong: %s", file)
			}
			if len(l.erased) != 1 || len(l.erased[0].IDs) != 2 {
				t.Errorf("the ledger holds %+v, want one erasure of two ids", l.erased)
			}
			for what, err := range map[string]error{"Get": rig.ErrorOf(e.Get(t.Context(), rig.Ana, m.ID)),
				"History": rig.ErrorOf(e.History(t.Context(), rig.Ana, m.ID))} {
				rig.WantError(t, what+" of what was erased", err, trilith.NotFound, string(m.ID))
			}
			if got := e.Found(t, rig.Ana, "diagnosis private matter"); len(got) != 0 {
				t.Errorf("Recall = %q: erased and still found", got)
			}
			all := []trilith.ID{m.ID, l.erased[0].IDs[1], kept.ID}
			texts, err := e.Parts.Text.Stamps(t.Context(), rig.Acme, all)
			vectors, err2 := e.Parts.Vectors.Stamps(t.Context(), rig.Acme, e.Generation(), all)
			if err != nil || err2 != nil || len(texts) != 1 || len(vectors) != 1 {
				t.Errorf("the indexes hold %v and %v (%v, %v), want only what was kept", texts, vectors, err, err2)
			}
			res := e.MustRemember(t, rig.Ana,
				trilith.RememberRequest{Note: &trilith.Note{Content: strings.ToUpper(secretText)}})
			if len(res.Memories) != 0 || len(res.Rejected) != 1 || res.Rejected[0].Reason != trilith.ReasonErased {
				t.Errorf("Remember of an erased text = %+v, want it to stay erased", res)
			}
			if r := e.MustRemember(t, rig.Ben, trilith.RememberRequest{Note: &trilith.Note{Content: secretText}}); len(
				r.Memories) != 1 {
				t.Errorf("what Ana erased is refused to Ben: he learns that she said it: %+v", r)
			}
		})
	}
}

func TestErasedByName(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	req := trilith.RememberRequest{Text: "The first words under the name.", ExternalID: "x"}
	m := e.One(t, rig.Ana, req)
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	req.Text = "Other words under the same name."
	if res := e.MustRemember(t, rig.Ana, req); len(res.Rejected) != 1 || res.Rejected[0].Reason != trilith.ReasonErased {
		t.Errorf("Remember under an erased external id = %+v: an edited record would slip back in", res)
	}
}

// TestShortTexts: "Yes." is said again and again; erasing one must not silence the next, and must hold for itself.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	req := trilith.RememberRequest{Text: "Yes.", Timestamp: "2025-01-01T10:00:00Z"}
	m := e.One(t, rig.Ana, req)
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	if res := e.MustRemember(t, rig.Ana, req); len(res.Memories) != 0 {
		t.Errorf("the erased turn itself came back: %+v", res.Memories)
	}
	for _, at := range []string{"2025-01-02T10:00:00Z", ""} {
		req.Timestamp = at
		if res := e.MustRemember(t, rig.Ana, req); len(res.Memories) != 1 {
			t.Errorf("another yes (at %q) is refused: %+v", at, res.Rejected)
		}
	}
}

func TestEraseSelections(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(6)})
	other := e.Note(t, rig.Ana, "This one stays where it is.")
	one := res.Memories[0]
	if r, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{one.ID, one.ID}}); err != nil ||
		r.Memories != 1 || r.Sources != 0 {
		t.Errorf("Erase(one of six turns, named twice) = %+v, %v, want 1 memory and no source", r, err)
	}
	if r, err := e.Erase(t.Context(), rig.Ana,
		trilith.EraseRequest{Filter: trilith.Where("tags", trilith.OpContains, "tag-1")}); err != nil || r.Memories != 2 {
		t.Errorf("Erase(by tag) = %+v, %v, want 2 memories", r, err)
	}
	if r, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{Sources: []trilith.ID{res.SourceID}}); err != nil ||
		r.Memories != 3 || r.Sources != 1 {
		t.Errorf("Erase(the source) = %+v, %v, want the 3 that are left and the source", r, err)
	}
	if r, err := e.Erase(t.Context(), rig.Ana,
		trilith.EraseRequest{Filter: trilith.Where("tags", trilith.OpContains, "nothing")}); err != nil || r.Memories != 0 {
		t.Errorf("Erase(nothing) = %+v, %v", r, err)
	}
	if got := e.All(t, rig.Ana); len(got) != 1 || got[0].ID != other.ID {
		t.Errorf("left are %+v, want the note only", gistOf(got))
	}
	for names, req := range map[string]trilith.EraseRequest{
		"ids":     {},
		"filter":  {IDs: []trilith.ID{other.ID}, Filter: trilith.Where("kind", trilith.OpEq, "note")},
		"sources": {IDs: []trilith.ID{other.ID}, Sources: []trilith.ID{other.SourceID}},
	} {
		_, err := e.Erase(t.Context(), rig.Ana, req)
		rig.WantError(t, fmt.Sprintf("Erase(%+v)", req), err, trilith.Invalid, names)
	}
}

// TestEraseMany goes over the size of one commit.
func TestEraseMany(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	const n = 1200
	for at := 0; at < n; at += 600 {
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(n)[at : at+600]})
	}
	r, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, "ana")})
	if err != nil || r.Memories != n || r.Sources != 2 || len(e.All(t, rig.Acme)) != 0 {
		t.Errorf("Erase(everything of Ana) = %+v, %v, %d left; want %d memories of 2 sources and none left", r, err,
			len(e.All(t, rig.Acme)), n)
	}
	if res := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(600)}); len(res.Memories) != 0 {
		t.Errorf("%d of 600 erased turns came back by being sent again", len(res.Memories))
	}
}

// Memories that a commit has erased are purged after it, even if a worker purged some in the middle of the erasure,
// and wherever the erasure is cut off.
func TestEraseManyPurgesAfterEachCommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// whose progress is a commit of its own
		e := rig.InMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })
		first := e.One(t, rig.Ana, trilith.RememberRequest{Text: "The first one makes the salt."})
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{first.ID}}); err != nil {
			t.Fatal(err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(450)})
		store, waiting := e.Parts.Store.(*inmem.Store), []int{}
		store.Inject(inmem.Fault{After: func(ctx context.Context, op string) error {
			if op != "Commit" {
				return nil
			}
			jobs, err := e.Jobs(ctx, rig.Acme, trilith.JobListing{Kind: role.JobPurge, State: trilith.JobReady})
			waiting = append(waiting, len(jobs))
			return errors.Join(err, e.Work(ctx)) // a quick worker
		}})
		if _, err := e.Erase(t.Context(), rig.Ana,
			trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, "ana")}); err != nil {
			t.Fatal(err)
		}
		store.Inject(inmem.Fault{})
		if want := []int{1, 1, 1}; !slices.Equal(waiting, want) {
			t.Errorf("after each commit of the erasure %v purges wait, want %v", waiting, want)
		}
	})
}

func TestReceiptsHoldNoContent(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.One(t, rig.Ana, trilith.RememberRequest{Text: "Words of which no trace may stay.", Speaker: "Ana Solberg",
		ExternalID: "chat/1"})
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	items := e.Items(t, rig.Acme)
	if len(items) != 2 || items[1].Erased == nil {
		t.Fatalf("the export holds %+v, want the header and the tombstones", items)
	}
	file := e.Exported(t, rig.Acme)
	for _, trace := range []string{"trace", "Solberg", "chat/1", `"ana"`} {
		if strings.Contains(file, trace) {
			t.Errorf("the receipt holds %q: %s", trace, file)
		}
	}
	for _, h := range append(items[1].Erased.Hashes, items[1].Erased.Salt) {
		if _, err := hex.DecodeString(h); err != nil {
			t.Errorf("tombstone %q is not hexadecimal", h)
		}
	}
	audit, err := e.Audit(t.Context(), rig.Acme, 0, 10)
	if err != nil || len(audit) != 2 || audit[1].Action != "erase" || audit[1].Actor != "tester" ||
		trilith.VerifyAudit(trilith.AuditEntry{}, audit) != nil {
		t.Errorf("Audit = %+v, %v, want who remembered and who erased, chained", audit, err)
	}
}

// TestEraseOfEmptySource: a source without memories (an import may bring one) must not stand for the whole scope.
func TestEraseOfEmptySource(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	kept := e.Note(t, rig.Ana, "Nobody asked to erase this.")
	id := trilith.DeriveID("empty source")
	src := trilith.Source{ID: id, Kind: "note", Scope: trilith.Scope{User: "ana"}, RecordedAt: kept.RecordedAt}
	if _, _, err := e.Restore(t.Context(), rig.Acme, []trilith.ExportItem{{Source: &src}}); err != nil {
		return // refusing such a source is an answer too
	}
	receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{Sources: []trilith.ID{id}})
	if left := e.All(t, rig.Ana); len(left) != 1 {
		t.Errorf("Erase(sources: one that holds no memory) = %+v, %v, and %d memories are left, want 1", receipt,
			err, len(left))
	}
}

// TestEraseMeetsAnUpdate: an edit that lands while an erasure is under way must not leave the erased words behind.
func TestEraseMeetsAnUpdate(t *testing.T) {
	t.Parallel()
	store := rig.NewLasting()
	e := rig.Open(t, store.Config())
	m := e.Note(t, rig.Ana, "The diagnosis that nobody may keep.")
	e.MustSettle(t)
	var once atomic.Bool
	store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
		// At its first commit, that of the salt, the erasure has read what it is going to delete.
		if op == "Commit" && once.CompareAndSwap(false, true) {
			_, err := e.Update(ctx, rig.Ana, m.ID, trilith.UpdateRequest{Text: new("A harmless remark about nothing.")})
			return err
		}
		return nil
	}})
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatalf("Erase = %v", err)
	}
	for _, left := range e.All(t, rig.Acme) {
		t.Errorf("Erase was acknowledged and the store still holds %q (%s)", left.Text, left.State)
	}
}

// TestEraseGoesOnPastOthers: memories that somebody else erases meanwhile must not end the erasure of the others.
func TestEraseGoesOnPastOthers(t *testing.T) {
	t.Parallel()
	store := rig.NewLasting()
	e := rig.Open(t, store.Config())
	ids := rig.Sorted(rig.IDsOf(e.MustRemember(t, rig.Ana,
		trilith.RememberRequest{Messages: rig.Conversation(300)}).Memories))
	e.MustSettle(t)
	var once atomic.Bool
	store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
		// At its first commit, that of the salt, the erasure has read what it is going to delete.
		if op == "Commit" && once.CompareAndSwap(false, true) {
			_, err := e.Erase(ctx, rig.Ana, trilith.EraseRequest{IDs: ids[:250]})
			return err
		}
		return nil
	}})
	receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids})
	if left := e.All(t, rig.Ana); err != nil || len(left) != 0 {
		t.Errorf("Erase(300) = %+v, %v, and %d memories are left: acknowledged, and not erased", receipt,
			err, len(left))
	}
}

// faultyLedger cannot be written to for a while.
type faultyLedger struct {
	ledger
	err error
}

func (l *faultyLedger) Append(tenant string, item trilith.ExportItem) error {
	if l.err != nil {
		return l.err
	}
	return l.ledger.Append(tenant, item)
}

// An erasure that cannot be noted beside the store is not acknowledged, and is noted once that is possible; one that is
// noted leaves no job.
func TestErasureIsNoted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"at once": nil, "when the disk has room": syscall.ENOSPC,
		"when the folder is there": fs.ErrNotExist} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var later atomic.Int64
			l := faultyLedger{err: want}
			now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
			store := inmem.New(now)
			e := rig.Open(t, engine.Config{Store: store, Log: store, Queue: store},
				func(c *engine.Config) { c.Ledger, c.Now = &l, now })
			m := e.Note(t, rig.Ana, "The safe is behind the picture.")
			receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{m.ID}})
			switch {
			case want == nil && err != nil:
				t.Fatal(err)
			case want == syscall.ENOSPC:
				rig.WantError(t, "Erase with a full disk", err, trilith.Exhausted, "recorded")
			case want != nil:
				rig.WantError(t, "Erase without a ledger", err, trilith.Unavailable, "recorded")
			}
			l.err = nil
			jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "note_erasure", State: trilith.JobReady})
			if err != nil || len(jobs) == 0 != (want == nil) {
				t.Errorf("%d jobs wait to note it, %v", len(jobs), err)
			}
			later.Store(int64(2 * time.Minute))
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(l.erased) != 1 || l.erased[0].Receipt.ID != receipt.ID ||
				!slices.Equal(l.erased[0].IDs, []trilith.ID{m.ID}) {
				t.Errorf("the ledger holds %+v, want the erasure once", l.erased)
			}
		})
	}
}

// TestEraseWhatCameWithIt: with a turn goes what programs inserted into its request, and with a told fact its record.
func TestEraseWhatCameWithIt(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	r := trilith.RememberRequest{RequestKey: "k"}
	for _, text := range []string{"I sail.", "I row."} {
		r.Messages = append(r.Messages, trilith.Message{Role: trilith.RoleUser,
			Content: "<system-reminder>The file was read: " + text + "</system-reminder> " + text})
	}
	res := e.MustRemember(t, rig.Ana, r)
	if n := len(e.All(t, rig.Ana)); n != 4 || len(res.Memories) != 2 {
		t.Fatalf("stored %d memories, answered %d, want two turns with their inserts", n, len(res.Memories))
	}
	told, err := e.TellFact(t.Context(), rig.Ana, trilith.TellRequest{Verb: "lives_in", Value: "Leer"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []trilith.ID{res.Memories[0].ID, told.ID} {
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{id}}); err != nil {
			t.Fatal(err)
		}
	}
	if left := e.All(t, rig.Ana); len(left) != 1 || left[0].ID != res.Memories[1].ID {
		t.Errorf("left are %+v, want the other turn only", gistOf(left))
	}
	if _, err := e.Remember(t.Context(), rig.Ana, r); err != nil && trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("the request again: %v", err)
	}
}
