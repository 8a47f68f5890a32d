package media_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func putMedia(tb testing.TB, r rig.Rig, s trilith.Scope, name string, data []byte) trilith.StoredMedia {
	tb.Helper()
	m, err := r.PutMedia(tb.Context(), s, trilith.NewMedia{Name: name, Data: data})
	if err != nil {
		tb.Fatalf("PutMedia(%s) = %v", name, err)
	}
	return m
}

func files(tb testing.TB, r rig.Rig, s trilith.Scope, unread bool) []trilith.Media {
	tb.Helper()
	page, err := r.Media(tb.Context(), s, trilith.MediaQuery{Unread: unread})
	if err != nil {
		tb.Fatalf("Media = %v", err)
	}
	return page.Items
}

func reader(c *engine.Config) {
	c.Model = scripted.New(scripted.Script{Media: []trilith.MediaKind{trilith.MediaImage}, Entries: []scripted.Entry{
		{Match: "receipt.png", Answer: "Receipt of Quillworth\nTotal 48,00 EUR"},
		{Match: "blank.png", Answer: "[nothing]"},
		{Match: "bad.png", Stop: role.StopRefusal}}})
}

// Without a model a file is kept and listed as unread; with one it is read into passages that say whose reading they
// are, and that rank below what a person said.
func TestMediaIsRead(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	e := rig.OnFile(t, path)
	first := putMedia(t, e, rig.Ana, "receipt.png", rig.Picture(3))
	if !first.New || first.State != trilith.MediaUnread || first.Width != 3 || first.Type != "image/png" {
		t.Errorf("PutMedia = %+v, want a new unread picture", first)
	}
	if again := putMedia(t, e, rig.Ana, "other.png", rig.Picture(3)); again.New || again.ID != first.ID ||
		again.Name != "receipt.png" {
		t.Errorf("PutMedia of the same bytes = %+v, want the first", again)
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := files(t, e, rig.Ana, true); len(got) != 1 {
		t.Fatalf("unread without a model: %+v, want the file", got)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = rig.OnFile(t, path, reader)
	putMedia(t, e, rig.Ana, "blank.png", rig.Picture(4))
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := files(t, e, rig.Ana, true); len(got) != 0 {
		t.Errorf("unread with a model: %+v, want none", got)
	}
	f, err := e.MediaFile(t.Context(), rig.Ana, first.ID)
	if err != nil || !bytes.Equal(f.Data, rig.Picture(3)) || f.Model != "scripted:script" || f.SourceID == "" {
		t.Errorf("MediaFile = %+v, %v, want what was read and the bytes", f.Media, err)
	}
	all := e.All(t, rig.Ana)
	if len(all) != 1 {
		t.Fatalf("%d memories, want the reading of the receipt alone", len(all))
	}
	m := all[0]
	want := map[string]any{"document": "receipt.png", "media": string(first.ID), "media_type": "image/png",
		"media_sha256": first.SHA256, "read_by": "scripted:script"}
	if diff := cmp.Diff(want, m.Metadata); diff != "" || m.Trust != trilith.TrustImported ||
		m.Kind != trilith.KindPassage || m.SourceID != f.SourceID || !strings.Contains(m.Text, "48,00 EUR") {
		t.Errorf("the reading = %+v, metadata (-want +got):\n%s", m, diff)
	}
	report, err := e.Usage(t.Context(), rig.Acme, trilith.UsageQuery{Days: 1})
	if err != nil || !slices.ContainsFunc(report.Lines, func(l trilith.UsageLine) bool {
		return l.Purpose == trilith.PurposeReading && l.Requests == 2
	}) {
		t.Errorf("Usage = %+v, %v, want two requests for reading", report.Lines, err)
	}
}

// TestMessageFiles: pictures in messages are stored if a model reads pictures, the others are counted.
func TestMessageFiles(t *testing.T) {
	t.Parallel()
	list := fmt.Sprintf(`[{"role": "user", "content": [{"type": "text", "text": "This is the receipt."},
		{"type": "image_url", "image_url": {"url": "data:image/png;base64,%s"}},
		{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
		{"type": "image_url", "image_url": {"url": "data:image/png;base64,bm8gcGljdHVyZQ=="}},
		{"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}]}]`,
		base64.StdEncoding.EncodeToString(rig.Picture(5)))
	var ms trilith.Messages
	if err := json.Unmarshal([]byte(list), &ms); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		options []func(*engine.Config)
		files   int
		omitted trilith.PartCounts
	}{
		{"without a model", nil, 0, trilith.PartCounts{trilith.ImagePart: 3, trilith.AudioPart: 1}},
		{"with a model for pictures", []func(*engine.Config){reader}, 1,
			trilith.PartCounts{trilith.ImagePart: 2, trilith.AudioPart: 1}},
	} {
		e := rig.OnFile(t, rig.NewPath(t), c.options...)
		dry, err := e.Remember(t.Context(), rig.Ana, trilith.RememberRequest{Messages: ms, DryRun: true})
		if err != nil || !maps.Equal(dry.Omitted, c.omitted) || len(files(t, e, rig.Ana, false)) > 0 {
			t.Errorf("%s, dry: %v %v", c.name, dry.Omitted, err)
		}
		res, err := e.Remember(t.Context(), rig.Ana, trilith.RememberRequest{Messages: ms})
		files := files(t, e, rig.Ana, false)
		if err != nil || len(res.Memories) != 1 || !maps.Equal(res.Omitted, c.omitted) || len(files) != c.files ||
			len(res.Media) != c.files || c.files > 0 && res.Media[0] != files[0].ID {
			t.Errorf("%s: %v; %d files, answer %v %v; want %d and %v", c.name, err, len(files), res.Media, res.Omitted,
				c.files, c.omitted)
		}
	}
}

// A file that the model refuses to read says so, and its job waits for a person.
func TestMediaFails(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, reader)
	putMedia(t, e, rig.Ana, "bad.png", rig.Picture(5))
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := files(t, e, rig.Ana, true)
	if len(got) != 1 || got[0].State != trilith.MediaFailed || !strings.Contains(got[0].Reason, "refused") {
		t.Errorf("Media = %+v, want it failed with the reason", got)
	}
	jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobDead})
	if err != nil || len(jobs) != 1 || jobs[0].Kind != "read-image" {
		t.Errorf("dead jobs = %+v, %v, want the reading", jobs, err)
	}
}

// The budget of the day puts reading off, and loses nothing.
func TestMediaBudget(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, reader, func(c *engine.Config) {
		c.Budget = []trilith.BudgetLimit{{Purpose: trilith.PurposeReading, Unit: trilith.BudgetRequests, Most: 1}}
	})
	for width := range 3 {
		putMedia(t, e, rig.Ana, "receipt.png", rig.Picture(10+width))
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := files(t, e, rig.Ana, true); len(got) != 2 {
		t.Errorf("%d files are unread, want the two that the budget left", len(got))
	}
}

// Hostile files and wrong names are refused before anything is stored.
func TestMediaRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	cut := rig.Picture(6)
	for name, c := range map[string]struct {
		in   trilith.NewMedia
		want string
	}{
		"zero bytes": {trilith.NewMedia{Name: "a.png"}, "is empty"},
		"cut off":    {trilith.NewMedia{Name: "a.png", Data: cut[:len(cut)/2]}, "cut off"},
		"svg":        {trilith.NewMedia{Name: "a.svg", Type: "image/svg+xml", Data: []byte("<svg/>")}, "is none of png"},
		"too large":  {trilith.NewMedia{Name: "a.png", Data: make([]byte, trilith.MaxMediaBytes+1)}, "larger than"},
		"wrong type": {trilith.NewMedia{Name: "a.jpg", Type: "image/jpeg", Data: cut}, "content-type"},
		"no name":    {trilith.NewMedia{Data: cut}, "name"},
		"extract":    {trilith.NewMedia{Name: "a", Data: cut, Extract: "all"}, "extract"},
		"time":       {trilith.NewMedia{Name: "a", Data: cut, Timestamp: "soon"}, "timestamp"},
		"pdf":        {trilith.NewMedia{Name: "a", Data: []byte("%PDF-1.4\nxx\n%%EOF")}, "file"},
	} {
		_, err := e.PutMedia(t.Context(), rig.Ana, c.in)
		rig.WantError(t, name, err, trilith.Invalid, c.want)
	}
	if got := files(t, e, rig.Acme, false); len(got) > 0 {
		t.Errorf("Media = %+v, want none", got)
	}
	m, err := e.PutMedia(t.Context(), rig.Ana, trilith.NewMedia{Name: "a", Data: cut, DryRun: true})
	if err != nil || !m.New || len(files(t, e, rig.Ana, false)) > 0 {
		t.Errorf("PutMedia as a dry run = %+v, %v, want it checked and not stored", m, err)
	}
}

// A file belongs to its scope: another user, project or tenant neither sees nor erases it.
func TestMediaScopes(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	of := putMedia(t, e, rig.Ana, "a.png", rig.Picture(7))
	putMedia(t, e, rig.Ben, "a.png", rig.Picture(7))
	for _, s := range []trilith.Scope{rig.Ben, {Tenant: "other", User: "ana"}, {Tenant: "other"}} {
		_, err := e.MediaFile(t.Context(), s, of.ID)
		rig.WantError(t, "MediaFile of another", err, trilith.NotFound, string(of.ID))
		_, err = e.Erase(t.Context(), s, trilith.EraseRequest{Media: []trilith.ID{of.ID}})
		rig.WantError(t, "Erase of another's", err, trilith.NotFound, string(of.ID))
	}
	if a, b := files(t, e, rig.Ana, false), files(t, e, rig.Ben, false); len(a) != 1 || len(b) != 1 || a[0].ID == b[0].ID {
		t.Errorf("files of ana and ben = %+v, %+v, want one each", a, b)
	}
}

// Erased stays erased: a file goes with what was read in it, with its owner, and with any of its words; it comes back
// neither by sending it again nor with a backup.
func TestMediaErased(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]func(e rig.Rig, m trilith.Media, read trilith.Memory) trilith.EraseRequest{
		"by id": func(_ rig.Rig, m trilith.Media, _ trilith.Memory) trilith.EraseRequest {
			return trilith.EraseRequest{Media: []trilith.ID{m.ID}}
		},
		"by its words": func(_ rig.Rig, _ trilith.Media, read trilith.Memory) trilith.EraseRequest {
			return trilith.EraseRequest{IDs: []trilith.ID{read.ID}}
		},
		"by source": func(_ rig.Rig, m trilith.Media, _ trilith.Memory) trilith.EraseRequest {
			return trilith.EraseRequest{Sources: []trilith.ID{m.SourceID}}
		},
		"by owner": func(rig.Rig, trilith.Media, trilith.Memory) trilith.EraseRequest {
			return trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, "ana")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, reader)
			putMedia(t, e, rig.Ana, "receipt.png", rig.Picture(8))
			twin := putMedia(t, e, rig.Ben, "receipt.png", rig.Picture(9))
			if err := e.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			backup := e.Items(t, rig.Acme)
			m, read := files(t, e, rig.Ana, false)[0], e.All(t, rig.Ana)[0]
			r := choose(e, m, read)
			r.DryRun = true
			if got, err := e.Erase(t.Context(), rig.Acme, r); err != nil || got.Media != 1 ||
				len(files(t, e, rig.Ana, false)) != 1 {
				t.Fatalf("Erase as a dry run = %+v, %v", got, err)
			}
			r.DryRun = false
			receipt, err := e.Erase(t.Context(), rig.Acme, r)
			if err != nil || receipt.Media != 1 || receipt.Memories != 1 {
				t.Fatalf("Erase = %+v, %v, want a file and its reading", receipt, err)
			}
			left := func() (n int) { return len(files(t, e, rig.Ana, false)) + len(e.All(t, rig.Ana)) }
			if left() != 0 || len(files(t, e, rig.Ben, false)) != 1 {
				t.Errorf("%d are left of ana, %d of ben; want none and the twin", left(), len(files(t, e, rig.Ben, false)))
			}
			_, err = e.PutMedia(t.Context(), rig.Ana, trilith.NewMedia{Name: "x.png", Data: rig.Picture(8)})
			rig.WantError(t, "PutMedia of what was erased", err, trilith.Conflict, "erased")
			e.MustRestore(t, rig.Acme, backup)
			if left() != 0 {
				t.Errorf("%d came back with a backup", left())
			}
			old := rig.InMemory(t)
			old.MustRestore(t, rig.Acme, backup)
			old.MustRestore(t, rig.Acme, e.Items(t, rig.Acme)) // a newer export tells what was erased since
			if got := files(t, old, rig.Acme, false); len(got) != 1 || got[0].ID != twin.ID {
				t.Errorf("after the tombstones: %+v, want the twin alone", got)
			}
		})
	}
}

// An export holds files with their bytes, and makes an equal store; what is unread is read there.
func TestMediaExported(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	putMedia(t, e, rig.Ana, "receipt.png", rig.Picture(8))
	putMedia(t, e, rig.Ben, "receipt.png", rig.Picture(9))
	equal := rig.InMemory(t) // without a reader, so that nothing is read in the background before the two are compared
	equal.MustRestore(t, rig.Acme, e.Items(t, rig.Acme))
	if diff := cmp.Diff(files(t, e, rig.Acme, false), files(t, equal, rig.Acme, false)); diff != "" {
		t.Errorf("files after an export (-there +here):\n%s", diff)
	}
	to := rig.InMemory(t, reader)
	to.MustRestore(t, rig.Acme, equal.Items(t, rig.Acme))
	if err := to.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := files(t, to, rig.Acme, true); len(got) != 0 {
		t.Errorf("unread after a restore: %+v", got)
	}
	if got := len(e.Items(t, rig.Ana)); got >= len(e.Items(t, rig.Acme)) {
		t.Errorf("an export of ana has %d items, want fewer than that of the tenant", got)
	}
	items := slices.DeleteFunc(e.Items(t, rig.Acme), func(it trilith.ExportItem) bool { return it.Media == nil })
	items[0].Media.Data = rig.Picture(1)
	_, _, err := to.Restore(t.Context(), rig.Acme, items)
	rig.WantError(t, "Restore of other bytes", err, trilith.Invalid, "sha256")
}

// TestMediaBound: a tenant has as many bytes of files as a setting lets it have, and erasing makes room.
func TestMediaBound(t *testing.T) {
	t.Parallel()
	first := rig.Picture(8)
	e := rig.InMemory(t, func(c *engine.Config) { c.MediaBytes = int64(len(first)) + 20 })
	id := putMedia(t, e, rig.Ana, "a.png", first).ID
	for _, dry := range []bool{true, false} {
		_, err := e.PutMedia(t.Context(), rig.Ana, trilith.NewMedia{Name: "b.png", Data: rig.Picture(9), DryRun: dry})
		rig.WantError(t, "PutMedia beyond the bound", err, trilith.Exhausted, "TRILITH_MEDIA_MB")
	}
	if again := putMedia(t, e, rig.Ana, "a.png", first); again.New {
		t.Errorf("PutMedia of what is there = %+v, want it as it is", again)
	}
	putMedia(t, e, trilith.Scope{Tenant: "bolt", Actor: "tester"}, "b.png", rig.Picture(9)) // another tenant's
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{Media: []trilith.ID{id}}); err != nil {
		t.Fatal(err)
	}
	putMedia(t, e, rig.Ana, "b.png", rig.Picture(9))
}
