package labelled_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/labelled"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

const (
	hay = `[{"question_id": "q1", "question_type": "multi-session", "question": "Where was the heron?", "answer": "at the pond", "question_date": "2023/05/30 (Tue) 23:40",
		"haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:00"], "haystack_session_ids": ["s1", "s2", "s1"],
		"haystack_sessions": [[{"role": "user", "content": "Soup?"}], [{"role": "assistant", "content": "Hm."}, {"role": "user", "content": "At the pond.", "has_answer": true}], [{"role": "user", "content": "Soup again."}]]},
		{"question_id": "q2_abs", "question_type": "multi-session", "question": "Where was the swan?", "haystack_sessions": [[{"role": "user", "content": "A heron.", "has_answer": true}]]}]`
	talks = `[{"sample_id": "pond", "qa": [{"question": "What did Odile see?", "answer": 2022, "evidence": ["D1:1; D1:02", "D:2:1"], "category": 1}, {"question": "Nothing?", "evidence": [], "category": 9}],
		"conversation": {"session_10": [{"speaker": "Pim", "dia_id": "D10:1", "text": "Ten already."}], "session_02": [{"text": "no session"}],
		"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{"speaker": "Odile", "dia_id": "D1:1", "text": "A heron."}, {"speaker": "Pim", "dia_id": "D1:2", "text": "Where?"}],
		"session_2": [{"speaker": "Odile", "dia_id": "D2:1", "text": "Here.", "blip_caption": "a pond", "query": "heron pond"}, {"speaker": "Pim", "text": "Lovely."}]}}]`
)

// A labelled set that is made of a benchmark's file can be evaluated, and holds what importing the file would store.
func TestWriteSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		want       []quality.Query
		turns      []string
	}{
		{"longmemeval", hay, []quality.Query{
			{ID: "q1", Group: "q1", Category: "multi-session", Text: "Where was the heron?", Answer: "at the pond",
				Evidence: []string{"q1/s2/1"}},
			{ID: "q2_abs", Group: "q2_abs", Category: "multi-session", Text: "Where was the swan?",
				Evidence: []string{}, Abstention: true}},
			[]string{"q1|q1/s1|q1/s1/0|user||Soup?|2023-05-20T02:21:00", "q1|q1/s2|q1/s2/0|assistant||Hm.|2023-05-21T09:00:00",
				"q1|q1/s2|q1/s2/1|user||At the pond.|2023-05-21T09:00:00",
				"q1|q1/s1.2|q1/s1.2/0|user||Soup again.|", "q2_abs|q2_abs/0|q2_abs/0/0|user||A heron.|"}},
		{"locomo", talks, []quality.Query{
			{ID: "pond/q0", Group: "pond", Category: "multi-hop", Text: "What did Odile see?", Answer: "2022",
				Evidence: []string{"pond/D1:1", "pond/D1:2", "pond/D2:1"}},
			{ID: "pond/q1", Group: "pond", Category: "9", Text: "Nothing?", Evidence: []string{}}},
			[]string{"pond|pond/session_1|pond/D1:1|user|Odile|A heron.|2023-05-08T13:56:00",
				"pond|pond/session_1|pond/D1:2|user|Pim|Where?|2023-05-08T13:56:00",
				"pond|pond/session_2|pond/D2:1|user|Odile|Here.\n[a pond]|", "pond|pond/session_2|pond/D2:2|user|Pim|Lovely.|",
				"pond|pond/session_10|pond/D10:1|user|Pim|Ten already.|"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, set := filepath.Join(dir, "file.json"), filepath.Join(dir, "set")
			if err := os.WriteFile(file, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			turns, questions, err := labelled.WriteSet(set, file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := quality.LoadSet(set)
			if err != nil || len(got.Docs) != turns || len(got.Queries) != questions {
				t.Fatalf("LoadSet holds %d turns and %d questions, %v, want %d and %d", len(got.Docs), len(got.Queries),
					err, turns, questions)
			}
			if diff := cmp.Diff(c.want, got.Queries); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
			var all []string
			for item := range labelled.Turns(got) {
				for _, m := range item.Request.Messages {
					all = append(all, strings.Join(
						[]string{item.Scope.Project, item.Scope.Session, m.ExternalID, string(m.Role), m.Speaker,
							m.Content, m.Timestamp}, "|"))
				}
			}
			if diff := cmp.Diff(c.turns, all); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			for _, q := range got.Queries {
				for _, id := range q.Evidence {
					if !slices.ContainsFunc(
						got.Docs, func(d quality.Doc) bool { return d.ID == id && d.Group == q.Group }) {
						t.Errorf("question %s names %s as evidence, which is no turn of %s", q.ID, id, q.Group)
					}
				}
			}
		})
	}
}

// Half a set is none, and nothing that is there is touched.
func TestWriteSetRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"cut.json": hay[:len(hay)-200],
		"wrong.json":  strings.Replace(hay, "2023/05/21", "soon", 1),
		"other.jsonl": `{"memory": "m", "id": "1", "user_id": "u"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		set := filepath.Join(dir, name+".set")
		if _, _, err := labelled.WriteSet(set, filepath.Join(dir, name)); trilith.KindOf(err) != trilith.Invalid ||
			err == nil {
			t.Errorf("WriteSet of %s = %v, want Invalid", name, err)
		}
		if _, err := os.Stat(set); err == nil {
			t.Errorf("WriteSet of %s leaves a folder", name)
		}
	}
	if _, _, err := labelled.WriteSet(dir, filepath.Join(dir, "cut.json")); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("WriteSet into a folder that is there = %v, want Conflict", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cut.json")); err != nil {
		t.Errorf("WriteSet into a folder that is there removes it: %v", err)
	}
}
