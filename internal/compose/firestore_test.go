package compose_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/compose"
	"github.com/cairn-memory/cairn/internal/firestore"
	"github.com/cairn-memory/cairn/internal/firestoretest"
)

// inFirestore starts a double that asks for indexes, and returns it with settings for a store on it.
func inFirestore(t *testing.T) (*firestoretest.Server, compose.Settings) {
	t.Helper()
	double := firestoretest.New()
	if err := double.RequireIndexes(firestore.IndexesJSON(256)); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(double)
	t.Cleanup(h.Close)
	host := strings.TrimPrefix(h.URL, "http://")
	return double, compose.Settings{Store: "firestore://test-project/memory?prefix=mine",
		Getenv: func(name string) string {
			if name == "FIRESTORE_EMULATOR_HOST" {
				return host
			}
			return ""
		}}
}

// TestFirestore: a memory in Firestore finds by words and by vectors what was stored, in another process too, and
// after it is opened again.
func TestFirestore(t *testing.T) {
	t.Parallel()
	const first, second = "The ladder leans on the north wall.", "The kettle whistles in B flat."
	for _, vectors := range []string{"auto", "embedded:"} {
		t.Run(vectors, func(t *testing.T) {
			t.Parallel()
			_, s := inFirestore(t)
			s.Vectors = vectors
			a := opens(t, s)
			remembers(t, a, first)
			finds(t, "who stored it", a, first)
			b := opens(t, s)
			finds(t, "another process", b, first)
			remembers(t, b, second)
			finds(t, "the first one", a, second)
			c := opens(t, s)
			finds(t, "one that is opened again", c, first)
		})
	}
}

// TestFirestoreSettings: what cannot be a store is refused with what to write.
func TestFirestoreSettings(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"firestore://":                            "no project",
		"firestore://UPPER/data":                  "no project",
		"firestore://my-project/data/more":        "no database",
		"firestore://my-project/data?prefix=a/b":  "prefix",
		"firestore://my-project/data?shards=none": "shards",
		"firestore://my-project/data?password=x":  "no parameter",
		"firestore://my-project?key_file=absent":  "credentials",
	} {
		_, err := compose.Open(t.Context(), compose.Settings{Store: url})
		if cairn.KindOf(err) != cairn.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want Invalid about %q", url, err, want)
		}
	}
}

// TestFirestoreBill holds what one turn and one recall cost, as Firestore counts it, to what docs/firestore.md says.
func TestFirestoreBill(t *testing.T) {
	t.Parallel()
	const vectors = 3_000
	double, s := inFirestore(t)
	o := opens(t, s)
	for from := 0; from < vectors; from += 1000 {
		var r cairn.RememberRequest
		r.Extract, r.Wait = cairn.ExtractNone, cairn.WaitStored
		for n := from; n < from+1000; n++ {
			r.Messages = append(r.Messages, cairn.Message{Content: fmt.Sprintf(
				"Parcel %d went to street %d of town %d.", n, n%97, n%31)})
		}
		if _, err := o.Remember(t.Context(), inAcme, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	bill := func(what string, do func(ctx context.Context) error, reads, writes int) {
		t.Helper()
		double.Bill()
		if err := do(t.Context()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		b := double.Bill()
		t.Logf("%s: %d reads, %d writes, %d deletes, %v", what, b.Reads, b.Writes, b.Deletes, b.ReadsOf)
		if b.Reads > reads || b.Writes+b.Deletes > writes {
			t.Errorf("%s costs %d reads and %d writes, want %d and %d at most", what, b.Reads, b.Writes+b.Deletes,
				reads, writes)
		}
	}
	bill("one turn", func(ctx context.Context) error {
		_, err := o.Remember(ctx, inAcme, cairn.RememberRequest{Text: "The violin is at the luthier's.",
			Extract: cairn.ExtractNone, Wait: cairn.WaitStored})
		return err
	}, 12, 12)
	// What follows goes on in the background, which looks at the store meanwhile.
	bill("its vector", func(ctx context.Context) error { return o.Settle(ctx) }, 100, 20)
	bill("one turn until it is indexed", func(ctx context.Context) error {
		_, err := o.Remember(ctx, inAcme, cairn.RememberRequest{Text: "The cello is at the luthier's, too.",
			Extract: cairn.ExtractNone, Wait: cairn.WaitIndexed})
		return err
	}, 120, 30)
	bill("one recall", func(ctx context.Context) error {
		res, err := o.Recall(ctx, inAcme, cairn.RecallRequest{Query: "Which parcel went to street 5 of town 7?"})
		if err == nil && len(res.Hits) == 0 {
			t.Error("the recall finds nothing")
		}
		return err
	}, 250, 20)
}
