package summary

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/tokens"
)

type turn struct {
	ID, Session, Speaker, Role, Text, Time string
}

type query struct {
	Answer   any
	Evidence []string
}

func lines[T any](t *testing.T, path string) (out []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// TestOpenSets measures what summaries of a tenth of the tokens of a session keep of the evidence of labelled
// questions. TRILITH_TEST_SETS names the folder of the sets.
func TestOpenSets(t *testing.T) {
	dir := os.Getenv("TRILITH_TEST_SETS")
	if dir == "" {
		t.Skip("TRILITH_TEST_SETS names no folder of labelled sets")
	}
	count := tokens.Named(tokens.Default)
	var a textproc.Analyzer
	termsOf := func(s string) map[string]bool {
		out := map[string]bool{}
		ts, _ := a.Terms(s)
		for _, x := range ts {
			if len(x) > 2 {
				out[x] = true
			}
		}
		return out
	}
	for _, set := range []string{"locomo", "realtalk", "longmemeval_s", "beam_100K"} {
		docs := lines[turn](t, filepath.Join(dir, set, "docs.jsonl"))
		queries := lines[query](t, filepath.Join(dir, set, "queries.jsonl"))
		sessions := map[string][]turn{}
		where := map[string]string{}
		var order []string
		for _, d := range docs {
			if sessions[d.Session] == nil {
				order = append(order, d.Session)
			}
			sessions[d.Session] = append(sessions[d.Session], d)
			where[d.ID] = d.Session
		}
		need := map[string]bool{}
		for _, q := range queries {
			for _, e := range q.Evidence {
				need[where[e]] = true
			}
		}
		var share [3]float64
		var half [3]float64
		var quoted [3]float64
		n := 0
		sums := map[string][3]string{}
		rng := rand.New(rand.NewPCG(1, 2))
		used := [3]int{}
		for _, id := range order {
			if !need[id] {
				continue
			}
			ts := sessions[id]
			total := 0
			texts := make([]Text, len(ts))
			for i, x := range ts {
				texts[i] = Text{Who: x.Speaker, Text: x.Text}
				if x.Role == "assistant" {
					texts[i].Weight = 0.3
				}
				total += count(x.Text)
			}
			budget := total / 10
			pick := func(order []int) string {
				left := budget
				var b strings.Builder
				for _, i := range order {
					c := count(ts[i].Text)
					if c > left {
						words := strings.Fields(ts[i].Text)
						for len(words) > 0 && count(strings.Join(words, " ")) > left {
							words = words[:len(words)-1-len(words)/8]
						}
						b.WriteString(strings.Join(words, " ") + "\n")
						break
					}
					left -= c
					b.WriteString(ts[i].Text + "\n")
				}
				return b.String()
			}
			last := make([]int, len(ts))
			for i := range last {
				last[i] = len(ts) - 1 - i
			}
			sum := Lines(texts, Extract(texts, budget, count))
			if c := count(sum); c > budget+2 {
				t.Errorf("%s: %d tokens over %d", id, c, budget)
			}
			x := [3]string{sum, pick(last), pick(rng.Perm(len(ts)))}
			for k := range x {
				used[k] += count(x[k])
			}
			sums[id] = x
		}
		for _, q := range queries {
			if len(q.Evidence) == 0 {
				continue
			}
			n++
			for k := range 3 {
				var mean, q1 float64
				for _, e := range q.Evidence {
					text := ""
					for _, d := range sessions[where[e]] {
						if d.ID == e {
							text = d.Text
						}
					}
					want, have := termsOf(text), termsOf(sums[where[e]][k])
					hit := 0
					for w := range want {
						if have[w] {
							hit++
						}
					}
					if len(want) > 0 {
						mean += float64(hit) / float64(len(want)) / float64(len(q.Evidence))
					}
					for _, s := range split(text) {
						if len(s) >= shortest && strings.Contains(sums[where[e]][k], s[:min(len(s), 40)]) {
							q1 = 1
						}
					}
				}
				quoted[k] += q1
				share[k] += mean
				if mean >= 0.5 {
					half[k]++
				}
			}
		}
		var row []string
		for k, name := range []string{"extract", "last", "random"} {
			row = append(row, fmt.Sprintf("%s: quoted %.1f words %.1f half %.1f (%d tokens)", name,
				100*quoted[k]/float64(n), 100*share[k]/float64(n), 100*half[k]/float64(n), used[k]))
		}
		t.Log(set, n, strings.Join(row, " | "))
	}
}
