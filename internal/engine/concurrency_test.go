package engine_test

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestWritersAndReadersAtOnce: no caller gets an error because others work too, and acknowledged writes stay.
func TestWritersAndReadersAtOnce(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	e := rig.OnFile(t, path)
	const writers, each = 8, 6
	word := func(w, i int) string { return fmt.Sprintf("token%dx%d", w, i) }
	var acknowledged [writers][]trilith.Memory
	rig.Together(2*writers, func(n int) {
		w := n % writers
		s := trilith.Scope{Tenant: "acme", User: "ana", Session: fmt.Sprintf("s%d", w%3)}
		for i := range each {
			if n >= writers {
				if _, err := e.Recall(t.Context(), rig.Acme,
					trilith.RecallRequest{Query: word(w, i) + " said", Neighbors: 2}); err != nil {
					t.Errorf("reader %d: Recall = %v", w, err)
				}
				if _, err := e.List(t.Context(), rig.Acme, trilith.ListRequest{Limit: 5}); err != nil {
					t.Errorf("reader %d: List = %v", w, err)
				}
				continue
			}
			res, err := e.Remember(t.Context(), s, trilith.RememberRequest{Text: "Somebody said " + word(w, i) + "."})
			if err != nil || len(res.Memories) != 1 {
				t.Errorf("writer %d: Remember = %+v, %v", w, res, err)
				continue
			}
			acknowledged[w] = append(acknowledged[w], res.Memories...)
			if hits, err := e.Recall(t.Context(), s, trilith.RecallRequest{Query: word(w, i), K: 1}); err != nil ||
				len(hits.Hits) != 1 || hits.Hits[0].Memory.ID != res.Memories[0].ID {
				t.Errorf("writer %d does not find what it wrote: %+v, %v", w, hits.Hits, err)
			}
			switch i % 3 {
			case 1:
				_, err = e.Update(t.Context(), s, res.Memories[0].ID, trilith.UpdateRequest{Tags: &[]string{"seen"}})
			case 2:
				_, err = e.Forget(t.Context(), s, trilith.ForgetRequest{IDs: []trilith.ID{res.Memories[0].ID}})
			}
			if err != nil {
				t.Errorf("writer %d: change %d = %v", w, i, err)
			}
		}
	})
	e.MustSettle(t)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = rig.OnFile(t, path)
	e.MustSettle(t)
	for w, ms := range acknowledged {
		for i, m := range ms {
			want := 1
			if i%3 == 2 {
				want = 0 // forgotten
			}
			hits := e.MustRecall(t, rig.Acme,
				trilith.RecallRequest{Query: word(w, i), K: 1, Arms: []trilith.Arm{trilith.ArmLexical}}).Hits
			if len(hits) != want || want == 1 && hits[0].Memory.ID != m.ID {
				t.Errorf("after a restart %q is found %d times, want %d", m.Text, len(hits), want)
			}
		}
	}
	if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
		t.Errorf("Doctor = %+v, %v", report, err)
	}
}
