package projects

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

func goldenText(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nrun with -update if this is right", name, diff)
	}
}

func date(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// fact is one that was said on the first of January.
func fact(n int, verb string, kind trilith.FactType, name, when, due string) trilith.Memory {
	node := trilith.Node{Type: "Thing", Name: name}
	said := date("2026-01-01")
	f := &trilith.Fact{Owner: trilith.ProjectOwner("mill"), Verb: verb, FactID: node.ID(), Node: node, Type: kind,
		Polarity: trilith.Affirmed,
		Evidence: []trilith.Evidence{{EpisodeID: "e", Quote: name + " " + when + due, At: said}}}
	if when != "" {
		f.Content = map[string]any{"when": when}
	}
	if due != "" {
		at := date(due).Add(24*time.Hour - time.Second)
		f.ActionDeadline = &at
	}
	return trilith.Memory{ID: trilith.ID(fmt.Sprintf("00000000-0000-0000-0000-%012d", n)), Kind: trilith.KindFact,
		State: trilith.StateActive, EventTime: said, RecordedAt: said, Fact: f}
}

func relation(t trilith.RelationType, from, to *trilith.Memory) trilith.Relation {
	return trilith.Relation{Type: t, From: from.ID, To: to.ID,
		Memory: trilith.Memory{State: trilith.StateActive, Fact: trilith.NewRelation(t, "", from, to)}}
}

// mill is a small project.
func mill() ([]trilith.Memory, []trilith.Relation) {
	fs := []trilith.Memory{
		fact(1, "has_deadline", trilith.FactSchedule, "building permit", "", "2026-02-20"),
		fact(2, "has_task", trilith.FactTask, "order the scaffolding", "", "2026-02-06"),
		fact(3, "has_schedule", trilith.FactSchedule, "roof works", "from 2 March 2026 to 3 April 2026", ""),
		fact(4, "has_milestone", trilith.FactMilestone, "roof closed", "by 17 April 2026", ""),
		fact(5, "has_schedule", trilith.FactSchedule, "delivery of the windows", "on 9 March 2026", ""),
		fact(6, "has_task", trilith.FactTask, "paint <the> \"hall\" & stairs; then rest", "", "2026-05-15"),
		fact(7, "has_milestone", trilith.FactMilestone, "Eröffnung der Mühle", "am 4. Juli 2026", ""),
		fact(8, "has_task", trilith.FactTask, "choose the colours", "", ""),
		fact(9, "has_task", trilith.FactTask, "call the neighbours", "", ""),
		fact(10, "has_task", trilith.FactTask, "an offer of the assistant", "", "2026-03-01"),
		fact(11, "has_task", trilith.FactTask, "plant trees", "", "2026-03-01"),
		fact(12, "has_milestone", trilith.FactMilestone, "opening", "on 1 June 2026", ""),
		fact(13, "lives_in", trilith.FactProfile, "Oslo", "", ""),
	}
	fs[9].State = trilith.StateCandidate
	fs[10].Fact.Polarity = trilith.Negated
	until := date("2026-01-20")
	fs[11].State, fs[11].SupersededBy, fs[11].ValidUntil = trilith.StateSuperseded, fs[6].ID, &until
	fs[1].Fact.Evidence = append(fs[1].Fact.Evidence,
		trilith.Evidence{EpisodeID: "f", Quote: "The scaffolding is ordered.", At: date("2026-02-05"), Ends: true})
	return fs, []trilith.Relation{
		relation(trilith.DependsOn, &fs[2], &fs[0]),
		relation(trilith.DependsOn, &fs[2], &fs[1]),
		relation(trilith.Blocks, &fs[2], &fs[3]),
		relation(trilith.DependsOn, &fs[6], &fs[3]),
		relation(trilith.DependsOn, &fs[5], &fs[7]),
		relation(trilith.DependsOn, &fs[4], &fs[3]),
		relation(trilith.PartOf, &fs[5], &fs[6]),
		relation(trilith.Causes, &fs[0], &fs[4]),
		relation(trilith.DependsOn, &fs[8], &fs[12]),
	}
}

func names(ids []trilith.ID) (out []string) {
	fs, _ := mill()
	for _, id := range ids {
		for i := range fs {
			if fs[i].ID == id {
				out = append(out, fs[i].Fact.Node.Name)
			}
		}
	}
	return out
}

func TestBuild(t *testing.T) {
	t.Parallel()
	fs, rs := mill()
	got := buildTimeline("mill", date("2026-03-15"), fs, rs)
	if diff := cmp.Diff([]string{"order the scaffolding", "roof works", "roof closed", "Eröffnung der Mühle"},
		names(got.Critical)); diff != "" || got.CriticalDays != 149 {
		t.Errorf("critical chain of %d days, want 149 (-want +got):\n%s", got.CriticalDays, diff)
	}
	if diff := cmp.Diff(map[string]int{"candidate": 1, "denied": 1, "replaced": 1, "unrelated": 1},
		got.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	for _, it := range got.Items {
		if it.Name == "delivery of the windows" && len(it.Late) != 1 {
			t.Errorf("%s is late for %v, want the roof, which is closed later", it.Name, it.Late)
		}
		if it.Name == "roof works" && (it.Start == nil || !it.Start.Equal(date("2026-03-02")) ||
			!it.End.Equal(date("2026-04-03"))) {
			t.Errorf("%s is from %v to %v", it.Name, it.Start, it.End)
		}
		if it.Ended != (it.Name == "order the scaffolding") {
			t.Errorf("%s: ended is %t", it.Name, it.Ended)
		}
		if len(it.Quotes) == 0 {
			t.Errorf("%s quotes nothing", it.Name)
		}
	}
	if len(got.Undated) != 2 {
		t.Errorf("undated: %v, want two", got.Undated)
	}
	goldenText(t, "mill.mmd", got.Mermaid())
}

// Before it was replaced a milestone is on the timeline, and what was said later is not.
func TestBuildAsOf(t *testing.T) {
	t.Parallel()
	fs, rs := mill()
	got := buildTimeline("mill", date("2026-01-10"), fs, rs)
	var all []string
	for _, it := range got.Items {
		all = append(all, it.Name)
		if it.Ended {
			t.Errorf("%s has ended before somebody said so", it.Name)
		}
	}
	if !strings.Contains(strings.Join(all, "|"), "|opening|") {
		t.Errorf("as of 10 January: %q, want the opening that was moved later", all)
	}
	if got := buildTimeline("mill", date("2025-12-01"), fs, rs); len(got.Items)+len(got.Undated) != 0 {
		t.Errorf("before anything was said: %+v", got)
	}
}

// A timeline is bounded, and says how much it leaves out.
func TestBuildIsBounded(t *testing.T) {
	t.Parallel()
	var fs []trilith.Memory
	for i := range 2 * trilith.MaxTimeline {
		fs = append(fs, fact(i, "has_task", trilith.FactTask, fmt.Sprint("task ", i), "",
			date("2026-01-01").AddDate(0, 0, i).Format(time.DateOnly)))
	}
	got := buildTimeline("mill", date("2026-03-15"), fs, nil)
	if len(got.Items) != trilith.MaxTimeline || got.LeftOut[trilith.TimelineTooMany] != trilith.MaxTimeline {
		t.Errorf("%d items, left out: %v; want %d of each", len(got.Items), got.LeftOut, trilith.MaxTimeline)
	}
}

// Circles, which relations of the past may form, end.
func TestCriticalEndsInCircles(t *testing.T) {
	t.Parallel()
	fs, _ := mill()
	rs := []trilith.Relation{relation(trilith.DependsOn, &fs[2], &fs[0]), relation(trilith.DependsOn, &fs[0], &fs[2]),
		relation(trilith.Blocks, &fs[0], &fs[0])}
	if got := buildTimeline("mill", date("2026-03-15"), fs, rs); len(got.Critical) != 2 {
		t.Errorf("critical chain %v, want the two", got.Critical)
	}
}
