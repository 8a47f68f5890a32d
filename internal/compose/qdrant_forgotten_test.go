package compose_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

// TestQdrantForgets: what is forgotten has no point that another program could read, nothing asks for one, and what is
// brought back has one again.
func TestQdrantForgets(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	o := opens(t, besideQdrant(t, server))
	told, err := o.Assimilate(t.Context(), inAcme, trilith.AssimilateRequest{Content: "I live in Bergen.",
		Wait:       trilith.WaitIndexed,
		Identifier: trilith.Identifier{Type: "email", Value: "ana@example.com"}})
	if err != nil || len(told.Facts) == 0 {
		t.Fatalf("Assimilate = %+v, %v", told, err)
	}
	note, err := o.Remember(t.Context(), inAcme, trilith.RememberRequest{Note: &trilith.Note{Content: "The van is green."},
		Wait: trilith.WaitIndexed})
	if err != nil {
		t.Fatal(err)
	}
	points := func(id trilith.ID) int { return len(payloads(t, server, "id", string(id))) }
	for _, id := range []trilith.ID{told.Facts[0].ID, note.Memories[0].ID} {
		if points(id) != 1 {
			t.Fatalf("%s has %d points at first", id, points(id))
		}
		if _, err := o.Forget(t.Context(), inAcme, trilith.ForgetRequest{IDs: []trilith.ID{id}}); err != nil {
			t.Fatal(err)
		}
		until(t, "the end of the point", func() bool { return points(id) == 0 })
		report, err := o.Doctor(t.Context())
		for _, c := range report.Checks {
			if err != nil || c.Name == "vectors" && !c.OK {
				t.Errorf("the doctor says %+v, %v", c, err)
			}
		}
		if made, err := o.RegenerateEmbeddings(t.Context(), inAcme, trilith.RegenerateRequest{}); err != nil || made.Embedded+made.Left != 0 {
			t.Errorf("RegenerateEmbeddings = %+v, %v; want nothing to do", made, err)
		}
		active := trilith.StateActive
		if _, err := o.Update(t.Context(), inAcme, id, trilith.UpdateRequest{State: &active}); err != nil {
			t.Fatal(err)
		}
		until(t, "the point of what was brought back", func() bool { return points(id) == 1 })
	}
}
