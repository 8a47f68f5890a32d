//go:build unix

package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// BenchmarkAssimilate_1caller and BenchmarkAssimilate_64callers compare an assimilate by rules with a bare remember of
// the same sort of turn, in one run on a file. Blocks of both take turns, so that whatever else the machine does slows
// both alike. An operation is one call of each, by every caller; "times" are the ratios of wall and processor time.
// Vectors that follow a block in the background count to the processor time of that block.
func BenchmarkAssimilate_1caller(b *testing.B) { benchmarkAssimilate(b, 1) }

func BenchmarkAssimilate_64callers(b *testing.B) { benchmarkAssimilate(b, 64) }

func benchmarkAssimilate(b *testing.B, callers int) {
	const people, each = 50, 4 // calls of one caller in a block
	e := rig.OnFile(b, rig.NewPath(b))
	random := rand.New(rand.NewPCG(41, uint64(callers)))
	remembers, assimilates := &cost{name: "remember"}, &cost{name: "assimilate"}
	block := func(c *cost, calls int, do func(s trilith.Scope, text string) error) {
		said := make([]plainTurn, callers*calls)
		for i := range said {
			said[i] = newPlainTurn(random, people)
		}
		c.measure(b, len(said), func() {
			rig.Together(callers, func(i int) {
				for n := range calls {
					s := said[i*calls+n]
					if err := do(s.who, s.text); err != nil {
						b.Errorf("%s of %q: %v", c.name, s.text, err)
					}
				}
			})
		}, func() { e.MustSettle(b) })
	}
	remember := func(s trilith.Scope, text string) error {
		_, err := e.Remember(b.Context(), s, trilith.RememberRequest{Text: text})
		return err
	}
	assimilate := func(s trilith.Scope, text string) error {
		_, err := e.Assimilate(b.Context(), s, trilith.AssimilateRequest{Identifier: rig.User(s), Content: text,
			Extract: trilith.ExtractRules})
		return err
	}
	block(&cost{}, each, remember) // the entities and whatever is made at the first use
	block(&cost{}, each, assimilate)
	b.ResetTimer()
	for left := b.N; left > 0; left -= each {
		n := min(left, each)
		block(remembers, n, remember)
		block(assimilates, n, assimilate)
	}
	remembers.report(b)
	assimilates.report(b)
	b.ReportMetric(float64(assimilates.wall)/float64(remembers.wall), "times-wall")
	b.ReportMetric(float64(assimilates.cpu)/float64(remembers.cpu), "times-cpu")
}

// cost is the time that calls took.
type cost struct {
	name      string
	calls     int
	wall, cpu time.Duration
}

// measure adds the wall time of calls, and the processor time that they and the work after them take.
func (c *cost) measure(b *testing.B, calls int, do, after func()) {
	cpu, start := processor(b), time.Now()
	do()
	c.wall += time.Since(start)
	after()
	c.cpu += processor(b) - cpu
	c.calls += calls
}

func (c *cost) report(b *testing.B) {
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(c.calls) }
	b.ReportMetric(per(c.wall), c.name+"-µs/call")
	b.ReportMetric(per(c.cpu), c.name+"-cpu-µs/call")
}

func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// plainTurn is what somebody says.
type plainTurn struct {
	who  trilith.Scope
	text string
}

// newPlainTurn makes one of a plain talk: about a third of the turns tell a fact.
func newPlainTurn(r *rand.Rand, people int) plainTurn {
	of := func(words string) string { all := strings.Fields(words); return all[r.IntN(len(all))] }
	thing := func() string {
		return of("red green old small wooden round heavy bright cheap quiet") + " " +
			of("bicycle lantern kettle violin blanket orchard carpet camera jacket teapot ladder basket")
	}
	city := func() string { return of("Oslo Lisbon Graz Turin Bergen Porto Ghent Krakow Leeds Basel Lyon Malmo") }
	facts := []func() string{
		func() string { return "I love my " + thing() + "." },
		func() string { return "I live in " + city() + " now." },
		func() string { return "I work as a " + of("teacher baker nurse pilot gardener printer") + "." },
		func() string { return "I don't like the " + thing() + " that we saw in " + city() + "." },
		func() string { return "My sister " + of("Ida Vera Paula Nina Clara") + " lives in " + city() + "." },
		func() string { return "I prefer the " + thing() + "." },
	}
	others := []func() string{
		func() string { return "Could you tell me where the " + thing() + " went after the move?" },
		func() string {
			return "The train to " + city() + " was late again, so we talked about the " + thing() + "."
		},
		func() string { return "Thanks, that helps." },
		func() string { return "What would you pack for three days in " + city() + "?" },
		func() string {
			return "It rained all morning. Then the sun came out over " + city() + ", and the " + thing() + " dried."
		},
		func() string { return fmt.Sprintf("Page %d says nothing of the %s.", r.IntN(400), thing()) },
	}
	from := others
	if r.IntN(3) == 0 {
		from = facts
	}
	text := from[r.IntN(len(from))]()
	return plainTurn{trilith.Scope{Tenant: "acme", User: fmt.Sprintf("u%d", r.IntN(people)), Actor: "bench"}, text}
}
