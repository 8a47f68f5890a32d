package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

const ourSet = "quality/testdata/set"

// ran runs the tool with nothing in its environment, and returns what it printed. Nothing is left behind.
func ran(t *testing.T, args ...string) (string, error) {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var out, complaints bytes.Buffer
	err := run(t.Context(), args, func(string) string { return "" }, &out, &complaints)
	if left, rerr := os.ReadDir(tmp); rerr != nil || len(left) > 0 {
		t.Errorf("%v are left behind, %v", left, rerr)
	}
	return out.String(), err
}

func TestEval(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"nDCG@10"}},
		{"--json --arms lexical", []string{`"r@10"`, "arms=lexical", "facts=false"}},
		{"--json --facts", []string{"facts=true"}},
		{"--json --context", []string{`"budget": 2400`, `"plain"`}},
		{"--baselines", []string{"recall is ahead by", "RRF"}},
		{"--json --baselines", []string{`"ahead_ndcg@10"`}},
		{"--json --pooled", []string{`"restricted"`, `"unrestricted"`}},
		{"--json --young 10 --role user --embedder none --episodic-windows 3", []string{"set-young10", "windows=3"}},
	} {
		got, err := ran(t, append([]string{"eval", ourSet}, strings.Fields(c.args)...)...)
		if err != nil {
			t.Errorf("eval %s: %v", c.args, err)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("eval %s prints no %s:\n%s", c.args, want, got)
			}
		}
	}
	for _, args := range []string{"--context --pooled", "--baselines --pooled", "--ablate", "--role king"} {
		if got, err := ran(t, append([]string{"eval", ourSet}, strings.Fields(args)...)...); err == nil {
			t.Errorf("eval %s prints %s, want an error", args, got)
		}
	}
	if _, err := ran(t, "eval", t.TempDir()); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("eval of an empty folder = %v, want NotFound", err)
	}
	if _, err := ran(t, "eval", "nowhere"); err == nil || trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("eval of no folder = %v, want Invalid", err)
	}
}

// TestAnswers: a model answers the questions of a set, and its answers are graded.
func TestAnswers(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script.yaml")
	for name, text := range map[string]string{
		"docs.jsonl":    `{"id": "1", "group": "g", "text": "I saw the heron at the pond.", "time": "2025-03-04T10:00:00"}`,
		"queries.jsonl": `{"id": "q", "group": "g", "text": "Where did I see the heron?", "answer": "the pond", "evidence": ["1"]}`,
		"script.yaml":   "entries:\n  - answer: pond\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"eval", dir, "--answers", "--embedder", "none"}
	if _, err := ran(t, args...); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("eval --answers without a model = %v, want Invalid", err)
	}
	got, err := ran(t, append(args, "--model", "scripted:"+script)...)
	if err != nil || !strings.Contains(got, "100.0, 100.0") || !strings.Contains(got, "reaches 100 %") {
		t.Errorf("eval --answers prints %s, %v", got, err)
	}
}

// TestModel: what is missing is said before anything is started.
func TestModel(t *testing.T) {
	const set = "extraction/testdata"
	for _, args := range [][]string{{"model", set}, {"model", "nowhere", "--model", "scripted:x"},
		{"model", set, "--model", "scripted:x", "--program", "nowhere"}} {
		if got, err := ran(t, args...); trilith.KindOf(err) != trilith.Invalid && trilith.KindOf(err) != trilith.NotFound {
			t.Errorf("%q prints %s, %v; want what is missing", args, got, err)
		}
	}
}

// A benchmark's file becomes a labelled set.
func TestEvalSet(t *testing.T) {
	file, set := filepath.Join(t.TempDir(), "hay.json"), filepath.Join(t.TempDir(), "set")
	hay := `[{"question_id": "q1", "question_type": "single", "question": "Where did I see the heron?",
		"haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["s1"], "haystack_sessions": [[
		{"role": "user", "content": "I saw the heron at the pond.", "has_answer": true}, {"role": "assistant", "content": "How lovely."}]]}]`
	if err := os.WriteFile(file, []byte(hay), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ran(t, "evalset", file, set); err != nil || got != "2 turns and 1 questions written to "+set+"\n" {
		t.Errorf("evalset prints %q, %v", got, err)
	}
	got, err := ran(t, "eval", set, "--json")
	var r evaluated
	if err == nil {
		err = json.Unmarshal([]byte(got), &r)
	}
	if err != nil || len(r.Sets) != 1 || r.Sets[0].Overall.NDCG10 != 100 {
		t.Errorf("eval of the set = %s, %v; want nDCG@10 of 100", got, err)
	}
	if _, err := ran(t, "evalset", file, set); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("evalset into a folder that is there = %v, want Conflict", err)
	}
}
