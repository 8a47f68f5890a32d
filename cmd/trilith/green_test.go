package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// transcripts writes a folder of Claude Code: sessions long enough to be summarised, with tool calls, some of which
// have no input, and turns without a word.
func transcripts(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for session := range 4 {
		var lines strings.Builder
		at := time.Date(2025, 5, 1+session, 8, 0, 0, 0, time.UTC)
		put := func(n int, kind, content string) {
			fmt.Fprintf(&lines, `{"type":%q,"uuid":"u%d-%d","sessionId":"s%d","cwd":"/home/ana/shop","timestamp":%q,"message":{"role":%q,"content":%s}}`+"\n",
				kind, session, n, session, at.Add(time.Duration(n)*time.Minute).Format(time.RFC3339), kind, content)
		}
		for n := range 60 {
			put(3*n, "user", fmt.Sprintf("%q", fmt.Sprintf("Please look at refund number %d of the shop in Lisbon. %s", n,
				strings.Repeat("The currency of the order has to be kept as it was. ", 4))))
			put(3*n+1, "assistant", fmt.Sprintf(`[{"type":"text","text":"Refund %d keeps its currency."},{"type":"tool_use","id":"t%d","name":"ExitPlanMode","input":{}}]`, n, n))
			put(3*n+2, "user", []string{`"👍"`, `"..."`, `"I work at Globex."`}[n%3])
		}
		path := filepath.Join(dir, fmt.Sprintf("s%d.jsonl", session))
		if err := os.WriteFile(path, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDoctorIsGreen: after any series of ordinary commands on a new store, some of them killed on the way, the doctor
// finds no fault.
func TestDoctorIsGreen(t *testing.T) {
	t.Parallel()
	program := built(t)
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			store := filepath.Join(s.home, "green.db")
			transcripts(t, filepath.Join(s.home, "projects"))
			random := rand.New(rand.NewPCG(seed, 16))
			var log []string
			run := func(upTo time.Duration, args ...string) string {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), upTo)
				defer cancel()
				cmd := exec.CommandContext(ctx, program, args...)
				cmd.Dir, cmd.Env = s.home, append(s.environ(), "TRILITH_STORE=sqlite:"+store, "TRILITH_EMBEDDER=builtin:")
				out, err := cmd.CombinedOutput()
				log = append(log, fmt.Sprintf("%v %v", args, cmd.ProcessState))
				// A search while a killed rebuild is not done again says so.
				honest := cmd.ProcessState.ExitCode() == 7 && strings.Contains(string(out), "the answer is incomplete")
				if err != nil && ctx.Err() == nil && !honest {
					t.Fatalf("trilith %s: %v\n%s\nafter %q", strings.Join(args, " "), err, out, log)
				}
				return string(out)
			}
			backups := 0
			commands := [][]string{{"import", "projects", "--with", "tools"}, {"import", "projects"},
				{"import", "projects", "--extract", "rules", "--user", "ana"}, {"recall", "which refund keeps its currency"},
				{"recall", "who works at Globex"}, {"export", "out.jsonl"}, {"list"}, {"session", "list"},
				{"remember", "--user", "ben", "I live in Porto."}, {"remember", "--note", "👍"}, {"facts", "Globex"},
				{"forget", "--filter", `{"session": "s1", "role": "assistant"}`},
				{"erase", "--yes", "--filter", `{"session": "s2", "seq": {"lt": 30}}`}, {"reindex"}, {"backup"}, {"call", "list-jobs"}}
			const whole = 2 * time.Minute
			run(whole, "import", "projects", "--with", "tools")
			if left := run(whole, "call", "list-jobs", "--state", "ready"); strings.Contains(left, "summarize") {
				t.Errorf("an import leaves jobs:\n%s", left)
			}
			for range 25 {
				args := slices.Clone(commands[random.IntN(len(commands))])
				upTo := whole
				if random.IntN(2) == 0 { // killed
					upTo = time.Duration(50+random.IntN(900)) * time.Millisecond
				}
				if args[0] != "backup" {
					run(upTo, args...)
					continue
				}
				backup := filepath.Join(s.home, fmt.Sprintf("backup-%d.db", backups))
				backups++
				run(whole, "backup", backup)
				run(whole, "restore", backup, "--replace")
			}
			run(whole, "doctor") // anything but 0 is a fault
			run(whole, "doctor")
		})
	}
}
