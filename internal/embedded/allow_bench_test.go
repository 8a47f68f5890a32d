package embedded

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
)

// firstTurn is when the turns begin, and tenthOfTurns a tenth of all their minutes.
var firstTurn = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

const tenthOfTurns = 500

// turnOf is the i-th of many memories as an application stores them: 20 turns to a session, 1,000 users, a tenth of all
// in each channel and with each tag, a minute between two turns until they begin again, and a fact of an entity after
// every ninth turn.
func turnOf(i int) cairn.Facets {
	at := firstTurn.Add(time.Duration(i%(10*tenthOfTurns)) * time.Minute)
	f := cairn.Facets{ID: cairn.DeriveID(fmt.Sprint(i)), Version: 1, Kind: cairn.KindEpisode, Role: cairn.RoleUser,
		State: cairn.StateActive, Trust: cairn.TrustUserStated,
		Scope: cairn.Scope{Tenant: "ana", Project: "p", User: fmt.Sprint("u", i/20%1000),
			Session: fmt.Sprint("s", i/20), Channel: fmt.Sprint("c", i/20%10)},
		Speaker: fmt.Sprint("Speaker ", i%7), Seq: i % 20, SourceID: cairn.DeriveID("source", fmt.Sprint(i/20)),
		EventTime: at, RecordedAt: at.Add(1234567 * time.Microsecond),
		Tags:     []string{fmt.Sprint("tag", i%10), fmt.Sprint("topic", i%7)},
		Metadata: map[string]any{"source": "chat", "n": float64(i % 100), "page": fmt.Sprint(i)}}
	switch {
	case i%10 == 9:
		f.Kind, f.Role, f.Metadata = cairn.KindFact, "", nil
		f.Fact = &cairn.Fact{EntityID: cairn.DeriveID("entity", fmt.Sprint(i/200)), Verb: "likes", FactID: "Thing:Cake",
			Node: cairn.Node{Type: "Thing", Name: "Cake"},
			Type: "preference", Polarity: "positive", Confidence: float64(i%5) / 5, AuthorRole: cairn.RoleUser,
			Evidence: []cairn.Evidence{{EpisodeID: f.ID}}}
	case i%2 == 1:
		f.Role = cairn.RoleAssistant
	}
	return f
}

// manySelections are what searches of the turns ask.
var manySelections = func() (out []named) {
	active := cairn.Where("state", cairn.OpEq, cairn.StateActive)
	plain := cairn.AllOf(cairn.Where("role", cairn.OpNe, cairn.RoleAssistant),
		cairn.Where("kind", cairn.OpNe, cairn.KindFact), active)
	among := func(f cairn.Filter) cairn.Filter { return cairn.AllOf(plain, f) }
	return []named{
		{"all", cairn.Scope{}, cairn.Filter{}},
		{"plain", cairn.Scope{}, plain},
		{"assistant", cairn.Scope{},
			cairn.AllOf(cairn.Where("role", cairn.OpEq, cairn.RoleAssistant),
				cairn.Where("kind", cairn.OpNe, cairn.KindFact), active)},
		{"facts", cairn.Scope{}, cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindFact), active)},
		{"user", cairn.Scope{User: "u7"}, plain},
		{"session", cairn.Scope{Session: "s107"}, plain},
		{"channel", cairn.Scope{Channel: "c3"}, plain},
		{"tag", cairn.Scope{}, among(cairn.Where("tags", cairn.OpContains, "tag3"))},
		{"time", cairn.Scope{}, among(cairn.Where("event_time", cairn.OpGte, firstTurn.Add(tenthOfTurns*time.Minute)))},
		{"moment", cairn.Scope{},
			among(cairn.Moment{World: firstTurn.Add(tenthOfTurns * time.Minute),
				Known: firstTurn.Add(2 * tenthOfTurns * time.Minute)}.Filter())},
		{"metadata", cairn.Scope{}, cairn.Where("metadata.n", cairn.OpGte, 90)},
		{"metadata_text", cairn.Scope{}, cairn.Where("metadata.source", cairn.OpEq, "mail")},
		{"user_metadata", cairn.Scope{User: "u7"}, cairn.Where("metadata.n", cairn.OpGte, 90)},
		{"title", cairn.Scope{}, cairn.Where("title", cairn.OpContains, "x")},
		{"ids", cairn.Scope{}, among(
			cairn.Where("id", cairn.OpIn, []string{string(cairn.DeriveID("1")), string(cairn.DeriveID("2"))}))},
	}
}()

// expensive reports whether a selection is answered faster when it comes again.
func expensive(name string) bool {
	return slices.Contains([]string{"time", "moment", "metadata", "metadata_text", "title"}, name)
}

type named struct {
	name   string
	scope  cairn.Scope
	filter cairn.Filter
}

func manySizes() []int {
	if flag.Lookup("large").Value.String() == "true" {
		return []int{100_000, 1_000_000}
	}
	return []int{100_000}
}

func BenchmarkTable(b *testing.B) {
	for _, n := range manySizes() {
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := heap()
		table := newSlots("ana")
		for i := range n {
			f := turnOf(i)
			table.put(&f, f.RecordedAt)
		}
		b.Run(fmt.Sprintf("grown_%d", n), func(b *testing.B) {
			for b.Loop() {
			}
			b.ReportMetric(float64(heap()-before)/float64(n), "B/slot")
		})
		for _, c := range manySelections {
			c.scope.Tenant = "ana"
			sel, err := compile(c.scope, c.filter)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("allow_%s_%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					freeSet(table.allow(sel))
				}
			})
			if !expensive(c.name) {
				continue
			}
			b.Run(fmt.Sprintf("allow_%s_%d_first", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					table.memos.last = nil
					freeSet(table.allow(sel))
				}
			})
		}
		b.Run(fmt.Sprintf("put_%d", n), func(b *testing.B) {
			fs := make([]cairn.Facets, 1000)
			for i := range fs {
				fs[i] = turnOf(i)
			}
			i := 0
			for b.Loop() {
				table.put(&fs[i%len(fs)], time.Time{})
				i++
			}
		})
		var data []byte
		b.Run(fmt.Sprintf("freeze_%d", n), func(b *testing.B) {
			for b.Loop() {
				table.freeze()
			}
		})
		b.Run(fmt.Sprintf("keep_%d", n), func(b *testing.B) {
			for b.Loop() {
				data = table.appendRange([]byte{0}, 0, table.len())
			}
			b.ReportMetric(float64(len(data))/float64(n), "kept-B/slot")
		})
		kept := string(data)
		data, table = nil, nil
		before = heap()
		var again *slots
		b.Run(fmt.Sprintf("restore_%d", n), func(b *testing.B) {
			for b.Loop() {
				var err error
				if again, err = restoreSlots("ana", kept); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(heap()-before)/float64(n), "B/slot")
		})
		runtime.KeepAlive(again)
	}
}
