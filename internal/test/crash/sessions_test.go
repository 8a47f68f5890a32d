package crash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// windowTurns is the length of episodic windows; there is one at every second turn.
const windowTurns = 4

// The work of the writer of sessions, and how it is configured: the background summarises sessions and makes windows.
const (
	compaction = "compaction"
	transcript = "transcript"
	interviews = "interviews"
)

func inSessions(c *engine.Config) {
	c.Extract = trilith.ExtractNone
	c.Sessions = engine.SessionConfig{Window: 60, Summary: 60, Episodic: windowTurns}
}

// round does a piece of the work of a kind: what it acknowledges is under the key of the event.
func round(ctx context.Context, m *memory, kind string, i int) (event, error) {
	e := event{Do: "done", Key: fmt.Sprint(i)}
	switch kind {
	case compaction:
		s := trilith.Scope{Tenant: tenant, User: "ana", Session: fmt.Sprint("s", i%3)}
		_, err := m.Remember(ctx, s, trilith.RememberRequest{RequestKey: "k" + e.Key, Messages: []trilith.Message{
			{Role: trilith.RoleUser, Content: fmt.Sprintf("On %d March we decided to paint hull %d in colour %d.", i%28+1, i, i)}}})
		return e, err
	case transcript:
		s := trilith.Scope{Tenant: tenant, User: "ana", Session: "run"}
		_, err := m.AppendItems(ctx, s, "run", trilith.AppendItems{RequestKey: "k" + e.Key, Items: []json.RawMessage{
			fmt.Appendf(nil, `{"role":"user","content":"Hull %d is red."}`, i),
			fmt.Appendf(nil, `{"type":"function_call","n":%d}`, i)}})
		return e, err
	case alerting:
		return e, paint(ctx, m, i)
	default:
		s := bakeryOf(i / len(bakeryAnswers))
		if _, err := m.StartInterview(ctx, s); err != nil {
			return e, err
		}
		_, err := m.AnswerInterview(ctx, s, s.Session, trilith.InterviewAnswer{Text: bakeryAnswers[i%len(bakeryAnswers)],
			RequestKey: "k" + e.Key})
		return e, err
	}
}

// bakeryAnswers fill fields for any question.
var bakeryAnswers = []string{"We bake rye bread. We opened in 1994, with 7 employees.", "It is fired with wood.",
	"From the forester in Elm Valley."}

// bakeryOf is the scope of an interview, each with a person of its own.
func bakeryOf(n int) trilith.Scope {
	return trilith.Scope{Tenant: tenant, Domain: "bakery", User: fmt.Sprint("p", n), Session: "monday"}
}

// work does rounds from a number on until it is killed.
func work(ctx context.Context, path, kind string, from int) error {
	m, err := openAt(ctx, path, time.Now, openEmbedder, inSessions, posting(path))
	if err != nil {
		return err
	}
	var p parent
	for i := from; ; i++ {
		e, err := round(ctx, m, kind, i)
		if err != nil {
			return err
		}
		if err := p.say(e); err != nil {
			return err
		}
	}
}

// killWork runs a writer from a round on, kills it a while after it has acknowledged so many, and returns how many it
// has acknowledged. The while is what the background needs to be amid something.
func killWork(t *testing.T, path, kind string, from, rounds int, while time.Duration) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envPath+"="+path, envSeed+"="+fmt.Sprint(from), envWork+"="+kind)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := 0
	for said := bufio.NewScanner(out); said.Scan(); {
		if done++; done == rounds {
			time.AfterFunc(while, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // killed
	if done < rounds {
		t.Fatalf("the writer ended by itself after %d rounds: %s", done, stderr.String())
	}
	return from + done
}

// TestKillSessions kills writers during compaction and windows, the capture of transcripts, and interviews. Every
// acknowledged write is there once; the next process alone completes what was interrupted.
func TestKillSessions(t *testing.T) {
	t.Parallel()
	for kind, examine := range map[string]func(*testing.T, *memory, int){compaction: examineCompaction,
		transcript: examineTranscript, interviews: examineInterviews} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "crash.db")
			from := 0
			for kill := range 5 {
				n := killWork(t, path, kind, from, 3+4*kill, time.Duration(kill)*3*time.Millisecond)
				// a lease of the dead writer ends with its time
				ahead := func() time.Time { return time.Now().Add(time.Duration(kill+1) * time.Hour) }
				m, err := openAt(t.Context(), path, ahead, openEmbedder, inSessions)
				if err != nil {
					t.Fatal(err)
				}
				for i := from; i <= n; i++ { // the last may have been cut off: it is sent again
					if _, err := round(t.Context(), m, kind, i); err != nil {
						t.Fatalf("round %d again = %v", i, err)
					}
				}
				if err := m.Work(t.Context()); err != nil { // as the background does
					t.Fatal(err)
				}
				examine(t, m, n+1)
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
				if from = n + 1; t.Failed() {
					t.Fatalf("kill %d, after %d rounds", kill+1, n)
				}
			}
		})
	}
}

// examineCompaction: each turn once and in order, the session counts them, what left the window is in its summary, and
// each place of an episodic window has one.
func examineCompaction(t *testing.T, m *memory, rounds int) {
	t.Helper()
	turns := 0
	for s := range min(3, rounds) {
		scope := trilith.Scope{Tenant: tenant, User: "ana"}
		got, err := m.GetSession(t.Context(), scope, fmt.Sprint("s", s),
			trilith.SessionTurnsQuery{Limit: trilith.MaxSessions})
		if err != nil || got.Turns != len(got.Items) {
			t.Fatalf("session s%d counts %d turns of %d, %v", s, got.Turns, len(got.Items), err)
		}
		turns += len(got.Items)
		examineWindows(t, m, got.Items)
		for i, turn := range got.Items {
			if turn.Seq != i || !strings.Contains(turn.Text, fmt.Sprintf("hull %d in", 3*i+s)) {
				t.Errorf("turn %d of s%d is %d: %s", i, s, turn.Seq, turn.Text)
			}
		}
		if got.Uncovered > 100 {
			t.Errorf("%d tokens of session s%d are in no summary, want a window and a quarter and a turn", got.Uncovered, s)
		}
		if got.Summary != nil && got.Summary.Summary.Stale {
			t.Errorf("the summary of s%d is stale when nothing is left to do", s)
		}
	}
	if turns != rounds {
		t.Errorf("there are %d turns, want %d", turns, rounds)
	}
	page, err := m.List(t.Context(), trilith.Scope{Tenant: tenant},
		trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindSummary)})
	if err != nil || len(page.Items) > 3 {
		t.Errorf("there are %d summaries of 3 sessions, %v", len(page.Items), err)
	}
}

// examineWindows: a session has one window for each place that its turns fill, of these turns.
func examineWindows(t *testing.T, m *memory, turns []trilith.Memory) {
	t.Helper()
	s := trilith.Scope{Tenant: tenant, User: "ana", Session: turns[0].Scope.Session}
	page, err := m.List(t.Context(), s, trilith.ListRequest{Limit: trilith.MaxPageSize,
		Filter: trilith.Where("type", trilith.OpEq, trilith.TypeEpisodic)})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]trilith.ID{}
	for _, w := range page.Items {
		if w.Scope.Session == s.Session {
			if got[w.Summary.Subject] != nil || w.Summary.Stale {
				t.Errorf("the window %s of %s is there twice, or stale", w.Summary.Subject, s.Session)
			}
			got[w.Summary.Subject] = w.Summary.Sources
		}
	}
	want := map[string][]trilith.ID{}
	for first := 0; first+windowTurns <= len(turns); first += windowTurns / 2 {
		name := fmt.Sprintf("%d-%d", first, first+windowTurns-1)
		for _, turn := range turns[first : first+windowTurns] {
			want[name] = append(want[name], turn.ID)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the windows of %s (-want +got):\n%s", s.Session, diff)
	}
}

// examineTranscript: each item once and in order, those of people with the name of their turn, each turn once.
func examineTranscript(t *testing.T, m *memory, rounds int) {
	t.Helper()
	s := trilith.Scope{Tenant: tenant, User: "ana"}
	page, err := m.SessionItems(t.Context(), s, "run", trilith.ItemsQuery{})
	if err != nil || len(page.Items) != 2*rounds {
		t.Fatalf("the transcript has %d items, %v; want %d", len(page.Items), err, 2*rounds)
	}
	turns, err := m.List(t.Context(), s, trilith.ListRequest{Limit: trilith.MaxPageSize,
		Filter: trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)})
	if err != nil || len(turns.Items) != rounds {
		t.Fatalf("there are %d turns, %v; want %d", len(turns.Items), err, rounds)
	}
	text := map[trilith.ID]string{}
	for _, turn := range turns.Items {
		text[turn.ID] = turn.Text
	}
	for i, it := range page.Items {
		want := ""
		if i%2 == 0 {
			want = fmt.Sprintf("Hull %d is red.", i/2)
		}
		if it.Seq != i || text[it.MemoryID] != want {
			t.Errorf("item %d is %d, %s of the turn %q; want %q", i, it.Seq, it.Item, text[it.MemoryID], want)
		}
	}
}

// examineInterviews: each answer once, each entry once, no two questions without an answer between them, and what was
// said is known.
func examineInterviews(t *testing.T, m *memory, rounds int) {
	t.Helper()
	for n := range rounds / len(bakeryAnswers) {
		s := bakeryOf(n)
		page, err := m.List(t.Context(), s, trilith.ListRequest{Limit: trilith.MaxPageSize})
		if err != nil {
			t.Fatal(err)
		}
		said, entries := map[string]int{}, map[string]int{}
		var turns []trilith.Memory
		for _, mem := range page.Items {
			switch {
			case mem.Kind == trilith.KindEntry:
				entries[mem.Entry.Title]++
			case mem.Role == trilith.RoleUser:
				said[mem.Text]++
				fallthrough
			default:
				turns = append(turns, mem)
			}
		}
		slices.SortFunc(turns, func(a, b trilith.Memory) int { return a.Seq - b.Seq })
		for i := range len(turns) - 1 {
			if turns[i].Role == trilith.RoleAssistant && turns[i+1].Role == trilith.RoleAssistant {
				t.Errorf("interview %d: %q is asked behind %q", n, turns[i+1].Text, turns[i].Text)
			}
		}
		for _, a := range bakeryAnswers {
			if said[a] != 1 {
				t.Errorf("interview %d: the answer %q is there %d times", n, a, said[a])
			}
		}
		for title, times := range entries {
			if times != 1 {
				t.Errorf("interview %d: %s is captured %d times", n, title, times)
			}
		}
		for _, field := range []string{"specialties", "opened", "staff", "oven"} {
			gaps, err := m.DomainGaps(t.Context(), s)
			if err != nil || !slices.ContainsFunc(gaps.Known,
				func(k trilith.KnownField) bool { return k.Field == field }) {
				t.Errorf("interview %d does not know %s, %v", n, field, err)
			}
		}
	}
}
