//go:build unix

package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/processor"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// BenchmarkAssimilate_1caller and BenchmarkAssimilate_64callers compare an assimilate by rules with a bare remember of
// the same sort of turn, in one run on a file. Blocks of both take turns, so that whatever else the machine does slows
// both alike. An operation is one call of each, by every caller; "times" are the ratios of wall and processor time.
// Vectors that follow a block in the background count to the processor time of that block.
func BenchmarkAssimilate_1caller(b *testing.B) { benchmarkAssimilate(b, 1, 4, plainTurn) }

func BenchmarkAssimilate_64callers(b *testing.B) { benchmarkAssimilate(b, 64, 4, plainTurn) }

// BenchmarkAssimilate_history is that of few people who have told some hundred facts each, and tell two in each turn.
func BenchmarkAssimilate_history(b *testing.B) { benchmarkAssimilate(b, 4, 120, movingTurn) }

// benchmarkAssimilate begins with a block of some turns of each caller that does not count: it makes the entities, and
// whatever else is made at the first use.
func benchmarkAssimilate(b *testing.B, callers, before int, turn func(*rand.Rand) said) {
	const each = 4 // calls of one caller in a block
	e := rig.OnFile(b, rig.NewPath(b))
	random := rand.New(rand.NewPCG(41, uint64(callers)))
	remembers, assimilates := &cost{name: "remember"}, &cost{name: "assimilate"}
	block := func(c *cost, calls int, do func(s trilith.Scope, text string) error) {
		turns := make([]said, callers*calls)
		for i := range turns {
			turns[i] = turn(random)
		}
		c.measure(b, len(turns), func() {
			rig.Together(callers, func(i int) {
				for n := range calls {
					s := turns[i*calls+n]
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
	block(&cost{}, before, remember)
	block(&cost{}, before, assimilate)
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
	cpu, start := processor.Time(b), time.Now()
	do()
	c.wall += time.Since(start)
	after()
	c.cpu += processor.Time(b) - cpu
	c.calls += calls
}

func (c *cost) report(b *testing.B) {
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(c.calls) }
	b.ReportMetric(per(c.wall), c.name+"-µs/call")
	b.ReportMetric(per(c.cpu), c.name+"-cpu-µs/call")
}

// said is what somebody says.
type said struct {
	who  trilith.Scope
	text string
}

func oneOf(r *rand.Rand, words string) string {
	all := strings.Fields(words)
	return all[r.IntN(len(all))]
}

func saidBy(r *rand.Rand, people int, text string) said {
	return said{trilith.Scope{Tenant: "acme", User: fmt.Sprintf("u%d", r.IntN(people)), Actor: "bench"}, text}
}

// plainTurn makes a turn of a plain talk of fifty people: about a third of the turns tell a fact.
func plainTurn(r *rand.Rand) said {
	thing := oneOf(r, "red green old small wooden round heavy bright cheap quiet") + " " +
		oneOf(r, "bicycle lantern kettle violin blanket orchard carpet camera jacket teapot ladder basket")
	city := oneOf(r, "Oslo Lisbon Graz Turin Bergen Porto Ghent Krakow Leeds Basel Lyon Malmo")
	facts := []string{
		"I love my " + thing + ".",
		"I live in " + city + " now.",
		"I work as a " + oneOf(r, "teacher baker nurse pilot gardener printer") + ".",
		"I don't like the " + thing + " that we saw in " + city + ".",
		"My sister " + oneOf(r, "Ida Vera Paula Nina Clara") + " lives in " + city + ".",
		"I prefer the " + thing + ".",
	}
	others := []string{
		"Could you tell me where the " + thing + " went after the move?",
		"The train to " + city + " was late again, so we talked about the " + thing + ".",
		"Thanks, that helps.",
		"What would you pack for three days in " + city + "?",
		"It rained all morning. Then the sun came out over " + city + ", and the " + thing + " dried.",
		fmt.Sprintf("Page %d says nothing of the %s.", r.IntN(400), thing),
	}
	from := others
	if r.IntN(3) == 0 {
		from = facts
	}
	return saidBy(r, 50, from[r.IntN(len(from))])
}

// movingTurn makes a turn of one of eight people who move often and drink much tea.
func movingTurn(r *rand.Rand) said {
	return saidBy(r, 8, fmt.Sprintf("I live in Town%d. I like tea%d.", r.IntN(50), r.IntN(70)))
}
