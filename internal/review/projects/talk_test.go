package projects_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/ledger"
)

// said is what a line of a talk says about money, as a person reads it: "I1 invoice 2600 >Q2" is an invoice over 2,600
// that belongs to Q2, and "S1 settled 0 >I1" says that I1 is paid.
type said struct{ id, kind, amount, of, text string }

// readTalk reads a talk: one line a turn, with its day, its speaker, its words and what they say about money.
func readTalk(t *testing.T, path string) (turns []turn, papers []said) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	minutes := map[string]int{}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line)+" | ", " | ")
		day, speaker, words := parts[0], parts[1], parts[2]
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(9*time.Hour + time.Duration(2*minutes[day])*time.Minute)
		minutes[day]++
		turns = append(turns, turn{Session: day, Speaker: speaker, Text: words, Time: at.Format(time.RFC3339)})
		for what := range strings.SplitSeq(parts[3], ";") {
			if f := strings.Fields(what); len(f) > 2 {
				papers = append(papers, said{f[0], f[1], f[2], strings.TrimPrefix(strings.Join(f[3:], ""), ">"), words})
			}
		}
	}
	return turns, papers
}

// talks are short conversations in which people speak of money as they do in chats: without currencies, with few words.
// Each has the least shares of its entries and of its matches that rules find.
var talks = map[string]struct{ entries, matches float64 }{"agency": {0.84, 0.85}, "boat": {0.8, 0.75}, "buch": {0.87, 1},
	"cafe": {0.86, 0.6}, "conf": {0.85, 0.66}, "game": {0.93, 1}, "garten": {0.9, 0.85}, "praxis": {0.85, 0.85},
	"chor": {0.93, 0.88}, "pool": {0.93, 0.9}, "shop": {0.78, 0.66},
	"reha": {0.92, 0.7}, "trip": {0.92, 0.85}, "umzug": {0.86, 1}}

// TestTalkedLedger: rules find the money in talks, and no ledger contains an amount that nobody said.
func TestTalkedLedger(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/talk/*.txt")
	if err != nil || len(files) != len(talks) {
		t.Fatalf("%d talks, %v; want %d", len(files), err, len(talks))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talked(t, name)
		})
	}
}

func talked(t *testing.T, name string) {
	m := open(t)
	turns, papers := readTalk(t, "testdata/talk/"+name+".txt")
	tell(t, m, name, turns)
	last, err := time.Parse(time.RFC3339, turns[len(turns)-1].Time)
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.ProjectLedger(t.Context(), trilith.Scope{Project: name},
		trilith.LedgerQuery{AsOf: last.AddDate(0, 0, 1).Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	names, found, want := map[trilith.ID]string{}, map[string]bool{}, map[string]string{}
	var paid []trilith.ID
	entries := 0.0
	for _, p := range papers {
		if want[p.id] = p.of; p.kind != "settled" {
			entries++
		}
	}
	for _, line := range l.Lines {
		for _, e := range line.Entries {
			if e.Kind == ledger.Settlement {
				paid = append(paid, e.FactID)
				continue
			}
			at := slices.IndexFunc(papers, func(p said) bool {
				return !found[p.id] && orderOr(p.kind) == orderOr(e.Kind) &&
					strings.TrimPrefix(e.Amount, "-") == p.amount && strings.Contains(p.text, e.Quote)
			})
			if at < 0 {
				t.Errorf("not true: %s %s %q", e.Kind, e.Amount, e.Quote)
				continue
			}
			found[papers[at].id], names[e.FactID] = true, papers[at].id
		}
	}
	maps.DeleteFunc(want, func(_, of string) bool { return of == "" })
	all, right := float64(len(want)), 0.0
	for _, match := range l.Matches {
		if id := names[match.FactID]; want[id] == names[match.To] && want[id] != "" {
			right++
			delete(want, id)
		} else {
			t.Errorf("wrong match: %s to %s by %s", id, names[match.To], match.By)
		}
	}
	for _, id := range paid {
		at := slices.IndexFunc(papers, func(p said) bool {
			return p.kind == "settled" && want[p.id] == names[id] && names[id] != ""
		})
		if at < 0 {
			t.Errorf("%s is not said to be paid", names[id])
			continue
		}
		right++
		delete(want, papers[at].id)
	}
	for _, p := range papers {
		if p.kind != "settled" && !found[p.id] {
			t.Logf("not found: %s %s %s %q", p.id, p.kind, p.amount, p.text)
		}
	}
	t.Logf("missed: %v", want)
	share := [2]float64{float64(len(found)) / entries, right / all}
	if least := talks[name]; share[0] < least.entries || share[1] < least.matches {
		t.Errorf("found %s of the entries and matches, want at least %v", fmt.Sprintf("%.2f", share), least)
	}
}
