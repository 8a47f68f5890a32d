package embedded

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// firstTurn is when the turns begin, and tenthOfTurns a tenth of all their minutes.
var firstTurn = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

const tenthOfTurns = 500

// turnOf is the i-th of many memories as an application stores them: 20 turns to a session, 1,000 users, a tenth of all
// in each channel and with each tag, a minute between two turns until they begin again, and a fact of an entity after
// every ninth turn.
func turnOf(i int) trilith.Facets {
	at := firstTurn.Add(time.Duration(i%(10*tenthOfTurns)) * time.Minute)
	f := trilith.Facets{ID: trilith.DeriveID(fmt.Sprint(i)), Version: 1, Kind: trilith.KindEpisode, Role: trilith.RoleUser,
		State: trilith.StateActive, Trust: trilith.TrustUserStated,
		Scope: trilith.Scope{Tenant: "ana", Project: "p", User: fmt.Sprint("u", i/20%1000),
			Session: fmt.Sprint("s", i/20), Channel: fmt.Sprint("c", i/20%10)},
		Speaker: fmt.Sprint("Speaker ", i%7), Seq: i % 20, SourceID: trilith.DeriveID("source", fmt.Sprint(i/20)),
		EventTime: at, RecordedAt: at.Add(1234567 * time.Microsecond),
		Tags:     []string{fmt.Sprint("tag", i%10), fmt.Sprint("topic", i%7)},
		Metadata: map[string]any{"source": "chat", "n": float64(i % 100), "page": fmt.Sprint(i)}}
	switch {
	case i%10 == 9:
		f.Kind, f.Role, f.Metadata = trilith.KindFact, "", nil
		f.Fact = &trilith.Fact{EntityID: trilith.DeriveID("entity", fmt.Sprint(i/200)), Verb: "likes", FactID: "Thing:Cake",
			Node: trilith.Node{Type: "Thing", Name: "Cake"},
			Type: "preference", Polarity: "positive", Confidence: float64(i%5) / 5, AuthorRole: trilith.RoleUser,
			Evidence: []trilith.Evidence{{EpisodeID: f.ID}}}
	case i%2 == 1:
		f.Role = trilith.RoleAssistant
	}
	return f
}

// manySelections are what searches of the turns ask.
var manySelections = func() (out []named) {
	active := trilith.Where("state", trilith.OpEq, trilith.StateActive)
	plain := trilith.AllOf(trilith.Where("role", trilith.OpNe, trilith.RoleAssistant),
		trilith.Where("kind", trilith.OpNe, trilith.KindFact), active)
	among := func(f trilith.Filter) trilith.Filter { return trilith.AllOf(plain, f) }
	return []named{
		{"all", trilith.Scope{}, trilith.Filter{}},
		{"plain", trilith.Scope{}, plain},
		{"assistant", trilith.Scope{},
			trilith.AllOf(trilith.Where("role", trilith.OpEq, trilith.RoleAssistant),
				trilith.Where("kind", trilith.OpNe, trilith.KindFact), active)},
		{"facts", trilith.Scope{}, trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindFact), active)},
		{"user", trilith.Scope{User: "u7"}, plain},
		{"session", trilith.Scope{Session: "s107"}, plain},
		{"channel", trilith.Scope{Channel: "c3"}, plain},
		{"tag", trilith.Scope{}, among(trilith.Where("tags", trilith.OpContains, "tag3"))},
		{"time", trilith.Scope{}, among(trilith.Where("event_time", trilith.OpGte, firstTurn.Add(tenthOfTurns*time.Minute)))},
		{"moment", trilith.Scope{},
			among(trilith.Moment{World: firstTurn.Add(tenthOfTurns * time.Minute),
				Known: firstTurn.Add(2 * tenthOfTurns * time.Minute)}.Filter())},
		{"metadata", trilith.Scope{}, trilith.Where("metadata.n", trilith.OpGte, 90)},
		{"metadata_text", trilith.Scope{}, trilith.Where("metadata.source", trilith.OpEq, "mail")},
		{"user_metadata", trilith.Scope{User: "u7"}, trilith.Where("metadata.n", trilith.OpGte, 90)},
		{"title", trilith.Scope{}, trilith.Where("title", trilith.OpContains, "x")},
		{"ids", trilith.Scope{}, among(
			trilith.Where("id", trilith.OpIn, []string{string(trilith.DeriveID("1")), string(trilith.DeriveID("2"))}))},
	}
}()

// expensive reports whether a selection is answered faster when it comes again.
func expensive(name string) bool {
	return slices.Contains([]string{"time", "moment", "metadata", "metadata_text", "title"}, name)
}

type named struct {
	name   string
	scope  trilith.Scope
	filter trilith.Filter
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
			fs := make([]trilith.Facets, 1000)
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
