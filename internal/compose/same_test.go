package compose_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// TestQdrantFindsTheSame: as long as Qdrant looks at every vector, it finds what the process finds. The server is that
// of the environment, if it names one.
func TestQdrantFindsTheSame(t *testing.T) {
	t.Parallel()
	address := os.Getenv("TRILITH_TEST_QDRANT")
	if address == "" {
		address = qdranttest.Start(t, qdranttest.New())
	}
	s := compose.Settings{Store: "mem:", Vectors: compose.OwnVectors(
		strings.Replace(address, "http://", "qdrant://", 1)+"?allow_http=true", fmt.Sprintf("same-%d", os.Getpid())),
		Getenv: os.Getenv}
	o := opens(t, s)
	t.Cleanup(func() {
		if err := compose.DropVectors(context.Background(), s); err != nil {
			t.Errorf("DropVectors = %v", err)
		}
	})
	findsTheSame(t, s, o)
}

// TestFirestoreFindsTheSame: so does Firestore, always.
func TestFirestoreFindsTheSame(t *testing.T) {
	t.Parallel()
	_, s := inFirestore(t)
	findsTheSame(t, s, opens(t, s))
}

// findsTheSame wants few candidates to be the same ids with the same cosines as the index in the process finds, and
// many to be those that a loop over all vectors finds, where the index in the process may round.
func findsTheSame(t *testing.T, s compose.Settings, o *compose.Opened) {
	t.Helper()
	inProcess, exact := embedded.NewVector(nil), indextest.NewVector()
	e, err := s.OpenEmbedder("builtin:")
	if err != nil {
		t.Fatal(err)
	}
	const count, questions = 1500, 40
	source := synthetic.New(7)
	var texts []string
	for len(texts) < count {
		for _, turn := range source.Conversation(day, 20).Turns {
			texts = append(texts, turn.Text)
		}
	}
	made, err := e.Embed(t.Context(), role.ForDocument, texts)
	if err != nil {
		t.Fatal(err)
	}
	var points []role.Point
	for i, m := range made {
		if m.Vector != nil {
			points = append(points, role.Point{Vector: m.Vector, At: day, Facets: trilith.Facets{
				Kind: trilith.KindNote, Version: 1,
				ID: trilith.DeriveID("same", fmt.Sprint(i)), State: trilith.StateActive, EventTime: day, RecordedAt: day,
				Seq: i % 50, Scope: trilith.Scope{Tenant: "acme", User: fmt.Sprintf("u%d", i%7)}}})
		}
	}
	for some := range slices.Chunk(points, 500) {
		for _, x := range []role.VectorIndex{o.Vectors, inProcess, exact} {
			if err := x.Apply(t.Context(), e.Generation(), some); err != nil {
				t.Fatal(err)
			}
		}
	}
	search := func(x role.VectorIndex, scope trilith.Scope, p role.VectorProbe) []role.Candidate {
		t.Helper()
		found, err := x.Search(t.Context(), scope, e.Generation(), p)
		if err != nil {
			t.Fatal(err)
		}
		return found[0]
	}
	found, of := 0, 0
	for i := range questions {
		asked, err := e.Embed(t.Context(), role.ForQuery, []string{source.Question(texts[i*31])})
		if err != nil {
			t.Fatal(err)
		}
		if asked[0].Vector == nil {
			continue
		}
		for _, scope := range []trilith.Scope{{Tenant: "acme"}, {Tenant: "acme", User: "u3"}} {
			p := role.VectorProbe{Vector: asked[0].Vector, K: role.ExactCandidates,
				Filter: trilith.Where("seq", trilith.OpLt, 40)}
			there, here := search(o.Vectors, scope, p), search(inProcess, scope, p)
			if diff := cmp.Diff(here, there, cmpopts.EquateApprox(0, 1e-4)); diff != "" {
				t.Errorf("question %d from %+v (-in process +there):\n%s", i, scope, diff)
			}
			p.K = 200
			there, here = search(o.Vectors, scope, p), search(exact, scope, p)
			of += len(here)
			for _, c := range here {
				if slices.ContainsFunc(there, func(d role.Candidate) bool { return d.ID == c.ID }) {
					found++
				}
			}
		}
	}
	if of == 0 || float64(found) < 0.999*float64(of) {
		t.Errorf("of %d candidates %d are found, want 0.999", of, found)
	}
	t.Logf("of %d candidates %d are found", of, found)
}

var day = time.Date(2025, 6, 30, 12, 0, 0, 0, time.UTC)
