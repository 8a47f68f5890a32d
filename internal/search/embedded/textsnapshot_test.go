package embedded_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// textPoints are texts of two tenants with every sort of facet.
func textPoints(n int) []role.TextPoint {
	day := time.Date(2025, 3, 1, 12, 0, 0, 123456000, time.UTC)
	ps := make([]role.TextPoint, n)
	for i := range ps {
		until := day.AddDate(0, 0, i)
		f := trilith.Facets{ID: trilith.DeriveID(fmt.Sprint(i)), Version: int64(i%3 + 1), Kind: trilith.KindEpisode,
			State: trilith.StateActive, Role: trilith.RoleUser,
			Scope: trilith.Scope{Tenant: fmt.Sprint("t", i%2), User: fmt.Sprint("u", i%5),
				Session: fmt.Sprint("s", i%7)},
			Speaker: "Ana", Seq: i, SourceID: trilith.DeriveID("source"), EventTime: day, RecordedAt: day.Add(time.Hour),
			Trust: trilith.TrustUserStated}
		if i%4 == 0 {
			f.SharedFrom = trilith.DeriveID("origin")
			f.ValidUntil, f.Tags, f.Metadata = &until, []string{"red"}, map[string]any{"n": float64(i)}
		}
		if i%6 == 0 {
			f.Kind, f.Fact = trilith.KindFact,
				&trilith.Fact{EntityID: trilith.DeriveID("ana"), Verb: "likes",
					Evidence: []trilith.Evidence{{EpisodeID: trilith.DeriveID("e")}}}
		}
		ps[i] = role.TextPoint{
			Facets: f, Text: fmt.Sprintf("garden %d harbour TICKET-%d %s", i, i,
				[]string{"gate", "violin", "rain"}[i%3]), At: day}
	}
	return ps
}

// ask returns what an index answers and holds.
func ask(t *testing.T, x *embedded.Text) (out []any) {
	t.Helper()
	filters := []trilith.Filter{{}, trilith.Where("user", trilith.OpEq, "u1"), trilith.Where("tags", trilith.OpContains,
		"red"),
		trilith.Where("metadata.n", trilith.OpGt, 20),
		trilith.Where("verb", trilith.OpEq, "likes"), trilith.Where("shared_from", trilith.OpEq, trilith.DeriveID("origin")),
		trilith.Where("evidence", trilith.OpContains, trilith.DeriveID("e")),
		trilith.Where("valid_until", trilith.OpNe, nil),
		trilith.Where("event_time", trilith.OpLt, "2025-03-01T12:00:00.123457Z")}
	for _, tenant := range []string{"t0", "t1", "t2"} {
		for _, f := range filters {
			for _, q := range []string{"garden violin", "rain", "TICKET-12"} {
				for _, exact := range []bool{false, true} {
					res, err := x.Search(t.Context(), trilith.Scope{Tenant: tenant},
						role.TextProbe{Text: q, K: 20, Filter: f, Exact: exact})
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, res)
				}
			}
		}
		stamps, err := x.Stamps(t.Context(), trilith.Scope{Tenant: tenant}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, stamps)
	}
	return out
}

// An index that is taken up answers as the one that was kept, and goes on like it.
func TestKeep(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewText(b)
	if mark, err := x.LoadSnapshot(t.Context()); mark != "" || err != nil {
		t.Fatalf("LoadSnapshot of nothing = %q, %v; want nothing", mark, err)
	}
	ps := textPoints(200)
	if err := x.Apply(t.Context(), ps); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(t.Context(), trilith.Scope{Tenant: "t0"},
		[]trilith.ID{ps[0].Facets.ID, ps[8].Facets.ID}); err != nil {
		t.Fatal(err)
	}
	if err := x.SaveSnapshot(t.Context(), "here"); err != nil {
		t.Fatal(err)
	}
	y := embedded.NewText(b)
	if mark, err := y.LoadSnapshot(t.Context()); mark != "here" || err != nil {
		t.Fatalf("LoadSnapshot = %q, %v; want the mark", mark, err)
	}
	if diff := cmp.Diff(ask(t, x), ask(t, y)); diff != "" {
		t.Fatalf("it answers otherwise (-kept +taken up):\n%s", diff)
	}
	more := textPoints(260)[150:]
	for i := range more {
		more[i].Facets.Version += 5
		more[i].Text += " moonlight"
	}
	for _, index := range []*embedded.Text{x, y} {
		if err := index.Apply(t.Context(), more); err != nil {
			t.Fatal(err)
		}
		if err := index.Delete(t.Context(), trilith.Scope{Tenant: "t1"}, []trilith.ID{ps[1].Facets.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(ask(t, x), ask(t, y)); diff != "" {
		t.Fatalf("after more changes it answers otherwise (-kept +taken up):\n%s", diff)
	}
}

// keptRows are the rows of what was kept of a text index, by id.
func keptRows(t *testing.T, b *blobs) map[string][]byte {
	t.Helper()
	rows := map[string][]byte{}
	if err := b.Blobs(t.Context(), "text", trilith.SystemTenant, func(id string, data []byte) error {
		rows[id] = append([]byte{}, data...)
		return nil
	}); err != nil || len(rows) < 2 {
		t.Fatalf("%d rows were kept, %v; want some", len(rows), err)
	}
	return rows
}

// A snapshot that is torn, spoiled, of another format or deleted counts as none.
func TestKeptIsChecked(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewText(b)
	if err := x.Apply(t.Context(), textPoints(50)); err != nil {
		t.Fatal(err)
	}
	if err := x.SaveSnapshot(t.Context(), "here"); err != nil {
		t.Fatal(err)
	}
	good := keptRows(t, b)
	refused := func(what string, rows map[string][]byte) {
		t.Helper()
		b.rows[[2]string{"text", trilith.SystemTenant}] = rows
		y := embedded.NewText(b)
		if mark, err := y.LoadSnapshot(t.Context()); mark != "" || err != nil {
			t.Errorf("%s: LoadSnapshot = %q, %v; want nothing", what, mark, err)
		}
		if stamps, err := y.Stamps(t.Context(), trilith.Scope{Tenant: "t0"}, nil); err != nil || len(stamps) != 0 {
			t.Errorf("%s: the index holds %d memories, %v; want none", what, len(stamps), err)
		}
	}
	with := func(id string, data []byte) map[string][]byte {
		rows := maps.Clone(good)
		if rows[id] = data; data == nil {
			delete(rows, id)
		}
		return rows
	}
	for id, data := range good {
		refused("without "+id, with(id, nil))
		refused("with an empty "+id, with(id, []byte{}))
		for _, n := range []int{1, len(data) / 2, len(data) - 1} {
			refused(fmt.Sprintf("with %d bytes of %s", n, id), with(id, data[:n]))
		}
		for i := 0; i < len(data); i += 1 + len(data)/200 {
			flipped := slices.Clone(data)
			flipped[i] ^= 1 << (i % 8)
			refused(fmt.Sprintf("with another byte %d of %s", i, id), with(id, flipped))
		}
	}
	refused("of the format before", map[string][]byte{"00000000": good["head"]})
	future := packed.AppendText(nil, "trilith text 8")
	refused("of a format to come", with("head", binary.LittleEndian.AppendUint32(future, crc32.ChecksumIEEE(future))))

	// An index that is kept again takes the place of all that, and of what a process left that ended while it kept.
	b.rows[[2]string{"text", trilith.SystemTenant}] = map[string][]byte{
		"00000000": good["head"], "half": {1}, "head": {2}}
	if err := x.SaveSnapshot(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(keptRows(t, b))); !slices.Equal(got, slices.Sorted(maps.Keys(good))) {
		t.Errorf("kept again the rows are %q, want as many as at first", got)
	}
	if mark, err := embedded.NewText(b).LoadSnapshot(t.Context()); mark != "again" || err != nil {
		t.Errorf("kept again: LoadSnapshot = %q, %v; want the new mark", mark, err)
	}
	if err := x.DiscardSnapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if mark, err := embedded.NewText(b).LoadSnapshot(t.Context()); mark != "" || err != nil {
		t.Errorf("after DiscardSnapshot: LoadSnapshot = %q, %v; want nothing", mark, err)
	}
}

// A process that ends while it stores a snapshot leaves the one before.
func TestKeepFailing(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewText(b)
	if err := x.Apply(t.Context(), textPoints(50)); err != nil {
		t.Fatal(err)
	}
	if err := x.SaveSnapshot(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	want := ask(t, x)
	if err := x.Apply(t.Context(), textPoints(70)); err != nil {
		t.Fatal(err)
	}
	b.bad = "head"
	if err := x.SaveSnapshot(t.Context(), "after"); trilith.KindOf(err) != trilith.Unavailable {
		t.Fatalf("SaveSnapshot on a full disk = %v, want kind %s", err, trilith.Unavailable)
	}
	y := embedded.NewText(b)
	if mark, err := y.LoadSnapshot(t.Context()); mark != "before" || err != nil {
		t.Errorf("LoadSnapshot = %q, %v; want the mark before", mark, err)
	}
	if diff := cmp.Diff(want, ask(t, y)); diff != "" {
		t.Errorf("it answers otherwise (-kept +taken up):\n%s", diff)
	}
}

// An index for other languages holds other terms: a snapshot is rebuilt.
func TestKeptIsForItsLanguages(t *testing.T) {
	t.Parallel()
	german, err := textproc.NewAnalyzer("de", "en")
	if err != nil {
		t.Fatal(err)
	}
	b := newBlobs()
	x := embedded.NewTextIn(b, german)
	if err := x.Apply(t.Context(), textPoints(50)); err != nil {
		t.Fatal(err)
	}
	if err := x.SaveSnapshot(t.Context(), "here"); err != nil {
		t.Fatal(err)
	}
	if mark, err := embedded.NewText(b).LoadSnapshot(t.Context()); mark != "" || err != nil {
		t.Errorf("for all languages: LoadSnapshot = %q, %v; want nothing", mark, err)
	}
	y := embedded.NewTextIn(b, german)
	if mark, err := y.LoadSnapshot(t.Context()); mark != "here" || err != nil {
		t.Errorf("for the same languages: LoadSnapshot = %q, %v; want the mark", mark, err)
	}
	if diff := cmp.Diff(ask(t, x), ask(t, y)); diff != "" {
		t.Errorf("it answers otherwise (-kept +taken up):\n%s", diff)
	}
}

// Texts that do not tell their language are in the first of those that the index is for.
func TestTextIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codes []string
		found int
	}{{nil, 0}, {[]string{"es"}, 1}, {[]string{"es", "de"}, 1}} {
		a, err := textproc.NewAnalyzer(c.codes...)
		if err != nil {
			t.Fatal(err)
		}
		x := embedded.NewTextIn(nil, a)
		if err := x.Apply(t.Context(), []role.TextPoint{textPoint("ana", 1, 1, "Viajamos juntos")}); err != nil {
			t.Fatal(err)
		}
		got, err := x.Search(t.Context(), trilith.Scope{Tenant: "ana"}, role.TextProbe{Text: "viajar", K: 10})
		if err != nil || len(got.Candidates) != c.found {
			t.Errorf("for %v: Search found %v, %v; want %d", c.codes, got.Candidates, err, c.found)
		}
	}
}

// BenchmarkSearchWhileKept_100000 searches and writes while the index is kept over and over: how long a search takes at
// most is what keeping costs those who search.
func BenchmarkSearchWhileKept_100000(b *testing.B) {
	x := embedded.NewText(newBlobs())
	if err := x.Apply(b.Context(), textPoints(100_000)); err != nil {
		b.Fatal(err)
	}
	more := textPoints(1000)
	for name, keeping := range map[string]bool{"not_kept": false, "kept": true} {
		b.Run(name, func(b *testing.B) {
			ctx, stop := context.WithCancel(b.Context())
			var beside sync.WaitGroup
			if keeping {
				beside.Go(func() {
					for ctx.Err() == nil {
						if err := x.SaveSnapshot(b.Context(), "here"); err != nil {
							b.Error(err)
						}
					}
				})
			}
			var longest time.Duration
			for i := 0; b.Loop(); i++ {
				if err := x.Apply(b.Context(), more[i%1000:][:1]); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				if _, err := x.Search(b.Context(), trilith.Scope{Tenant: "t0"},
					role.TextProbe{Text: "TICKET-12", K: 10, Exact: true}); err != nil {
					b.Fatal(err)
				}
				longest = max(longest, time.Since(start))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
			stop()
			beside.Wait()
		})
	}
}
