package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// talk makes conversations: sessions of 250 turns of two people, 34 words a turn on average, as frequent as words of a
// language are; half of them are of the dozen subjects that a session has.
type talk struct {
	random *rand.Rand
	words  *rand.Zipf
}

func newTalk() talk {
	r := rand.New(rand.NewPCG(1, 2))
	return talk{r, rand.NewZipf(r, 1.07, 8, 39_999)}
}

const sessionTurns = 250

var talkers = []string{"Ana", "Ben", "Cleo", "Dora", "Emil", "Finn", "Gwen", "Hugo"}

func word(n uint64) string {
	return "w" + strings.Map(func(c rune) rune { return c - '0' + 'a' }, fmt.Sprint(n))
}

// turns are n turns, the first of which has a number.
func (k talk) turns(first, n int) []role.TextPoint {
	start := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)
	ps := make([]role.TextPoint, n)
	var subjects [12]uint64
	for at := range ps {
		i := first + at
		session := i / sessionTurns
		if i%sessionTurns == 0 {
			for j := range subjects {
				subjects[j] = 50 + uint64(k.random.IntN(8000))
			}
		}
		var b strings.Builder
		for j := range 8 + k.random.IntN(53) {
			switch {
			case j%2 == 0:
				b.WriteString([]string{"the", "I", "and", "to", "is", "my", "you"}[k.random.IntN(7)])
			case j%4 == 1 && k.random.IntN(3) == 0:
				b.WriteString(word(subjects[k.random.IntN(len(subjects))]))
			default:
				b.WriteString(word(k.words.Uint64()))
			}
			b.WriteByte(' ')
		}
		if k.random.IntN(5) == 0 {
			b.WriteByte('?')
		}
		ps[at] = textPoint("ana", i, 1, b.String())
		f := &ps[at].Facets
		f.Kind, f.Role, f.Seq = trilith.KindEpisode, trilith.RoleUser, i%sessionTurns
		f.Scope.User, f.Scope.Session = "u", fmt.Sprint("s", session)
		f.Speaker = talkers[(session+i%2)%len(talkers)]
		f.EventTime = start.AddDate(0, 0, session)
	}
	return ps
}

// questions are of four to seven words of middling frequency; most name who speaks, some a month.
func (k talk) questions(n int) []string {
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		b.WriteString("When did ")
		if i%4 > 0 {
			b.WriteString(talkers[k.random.IntN(len(talkers))] + " ")
		}
		for range 4 + k.random.IntN(4) {
			b.WriteString(word(20+uint64(k.random.ExpFloat64()*600)) + " ")
		}
		if i%5 == 0 {
			b.WriteString("in March 2024")
		}
		out[i] = b.String() + "?"
	}
	return out
}

// BenchmarkTurnsSearch is a search among the turns of many sessions: without the rules, with each of them alone, and
// with all.
func BenchmarkTurnsSearch(b *testing.B) { benchmarkTurns(b, 100_000) }

// BenchmarkTurnsSearchMillion is the same among a million turns, which are two gigabytes of memory.
func BenchmarkTurnsSearchMillion(b *testing.B) { benchmarkTurns(b, 1_000_000) }

func benchmarkTurns(b *testing.B, n int) {
	k := newTalk()
	x := embedded.NewText(nil)
	for first := 0; first < n; first += 100_000 {
		if err := x.Apply(b.Context(), k.turns(first, 100_000)); err != nil {
			b.Fatal(err)
		}
	}
	questions := k.questions(200)
	for _, rules := range slices.Concat([]lexical.Rules{0}, lexical.AllRules.Each(),
		[]lexical.Rules{lexical.AllRules}) {
		switch rules {
		case lexical.RuleAsked: // goes with nearby
			rules |= lexical.RuleNearby
		case lexical.RuleRoles, lexical.RuleWords, lexical.RuleFacts: // are no matter of words
			continue
		}
		x.LeaveOut(lexical.AllRules &^ rules)
		b.Run(fmt.Sprintf("%s_%d", rules, n), func(b *testing.B) {
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if _, err := x.Search(b.Context(), trilith.Scope{Tenant: "ana"},
					role.TextProbe{Text: questions[i%len(questions)], K: 50, Conversation: true}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
