package compose_test

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
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

// TestFirestore: words and vectors find what is stored in Firestore, also in another process, and after the store is
// opened again.
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

// TestFirestoreSettings: a setting that cannot name a store is refused with what to write.
func TestFirestoreSettings(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"firestore://":                            "not a project",
		"firestore://UPPER/data":                  "not a project",
		"firestore://my-project/data/more":        "not a database",
		"firestore://my-project/data?prefix=a/b":  "prefix",
		"firestore://my-project/data?shards=none": "shards",
		"firestore://my-project/data?password=x":  "not a parameter",
		"firestore://my-project?key_file=absent":  "credentials",
	} {
		_, err := compose.Open(t.Context(), compose.Settings{Store: url})
		if trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want Invalid about %q", url, err, want)
		}
	}
}

// TestFirestoreRepair: vectors that others deleted or left behind are found and repaired, and never reach a caller.
func TestFirestoreRepair(t *testing.T) {
	t.Parallel()
	const project, database = "test-project", "memory"
	double, s := inFirestore(t)
	o := opens(t, s)
	for _, text := range []string{"The ladder leans on the north wall.", "The kettle whistles in B flat.",
		"The lamp stands by the door."} {
		remembers(t, o, text)
	}
	vectors := func() (paths []string) {
		for _, path := range double.Documents(project, database) {
			if strings.Contains(path, "/trilith_vectors/") {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		return paths
	}
	before := vectors()
	if len(before) != 3 {
		t.Fatalf("the server holds the vectors %q, want three", before)
	}
	if r := diagnose(t, o.Doctor); !r.OK {
		t.Fatalf("the doctor of a sound memory says %+v", r.Checks)
	}
	// Left behind: the vector of a memory that is no more.
	const stray = "22222222-2222-4222-8222-222222222222"
	generation, _, _ := strings.Cut(before[1], "~"+lastID(before[1]))
	double.Copy(project, database, before[1], generation+"~"+stray, map[string]any{"memory": stray})
	double.Remove(project, database, before[0])
	res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: "what stands by the door",
		Arms: []trilith.Arm{trilith.ArmDense}, K: 10})
	if err != nil {
		t.Fatalf("Recall = %v", err)
	}
	for _, h := range res.Hits {
		if h.Memory.ID == stray {
			t.Errorf("Recall finds %s, which is no memory", stray)
		}
	}
	if r := diagnose(t, o.Doctor); r.OK {
		t.Errorf("the doctor finds nothing: %+v", r.Checks)
	}
	if r := diagnose(t, o.Repair); !r.OK || !slices.Contains(r.Repaired, "2 vectors made to agree with the truth") {
		t.Errorf("Repair = %+v, repaired %q; want one vector made and one removed", r.Checks, r.Repaired)
	}
	// The vector of what the doctor writes to see whether it is found may go later.
	after := slices.DeleteFunc(vectors(), func(path string) bool {
		return !slices.Contains(before, path) && lastID(path) != stray
	})
	if !slices.Equal(after, before) {
		t.Errorf("after Repair the server holds %q, want %q", after, before)
	}
}

// lastID is the id of the memory at the end of the path of a vector.
func lastID(path string) string { return path[strings.LastIndexByte(path, '~')+1:] }

var billed = flag.Int("firestore.vectors", 3_000, "vectors of TestFirestoreBill; the docs tell of 10000")

// TestFirestoreBill holds what one turn, one recall and a process at rest cost, as Firestore counts it, to what
// docs/firestore.md says of 10,000 vectors. With fewer, each hundred are one read less. The clock stands still while
// something is done, so what background work looks at from time to time is not among it.
func TestFirestoreBill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		double := firestoretest.New()
		if err := double.RequireIndexes(firestore.IndexesJSON(256)); err != nil {
			t.Fatal(err)
		}
		o := opens(t, compose.Settings{Store: "firestore://test-project", Now: time.Now,
			Firestore: firestoretest.Transport{Server: double}, Getenv: func(name string) string {
				return map[string]string{"FIRESTORE_EMULATOR_HOST": "double"}[name]
			}})
		(&bill{double, o}).examine(t)
	})
}

// bill is a memory on a server that counts.
type bill struct {
	double *firestoretest.Server
	memory *compose.Opened
}

// within does something and wants it to cost so much at most.
func (b *bill) within(t *testing.T, what string, reads, writes int, do func(ctx context.Context) error) {
	t.Helper()
	synctest.Wait()
	b.double.Bill()
	err := do(t.Context())
	got := b.double.Bill()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	t.Logf("%s: %d reads, %d writes, %d deletes, %v", what, got.Reads, got.Writes, got.Deletes, got.ReadsOf)
	if got.Reads > reads || got.Writes+got.Deletes > writes {
		t.Errorf("%s costs %d reads and %d writes, want %d and %d at most", what, got.Reads, got.Writes+got.Deletes,
			reads, writes)
	}
}

// settle waits until all has been done that follows from what was written, and is done soon.
func (b *bill) settle(ctx context.Context) error {
	err := b.memory.Settle(ctx)
	<-time.After(time.Minute)
	return err
}

func (b *bill) remember(text string, wait trilith.Wait) func(context.Context) error {
	return func(ctx context.Context) error {
		r := trilith.RememberRequest{Text: text, Extract: trilith.ExtractNone, Wait: wait}
		_, err := b.memory.Remember(ctx, inAcme, r)
		return err
	}
}

func (b *bill) recall(t *testing.T, query string) func(context.Context) error {
	return func(ctx context.Context) error {
		res, err := b.memory.Recall(ctx, inAcme, trilith.RecallRequest{Query: query})
		if err == nil && (len(res.Hits) == 0 || res.Partial) {
			t.Errorf("the recall finds %d hits, partial: %v; want some, and the whole", len(res.Hits), res.Partial)
		}
		return err
	}
}

func (b *bill) examine(t *testing.T) {
	for from := 0; from < *billed; from += 1000 {
		r := trilith.RememberRequest{Extract: trilith.ExtractNone, Wait: trilith.WaitStored}
		for n := from; n < from+1000; n++ {
			r.Messages = append(r.Messages, trilith.Message{Content: fmt.Sprintf(
				"Parcel %d went to street %d of town %d.", n, n%97, n%31)})
		}
		if _, err := b.memory.Remember(t.Context(), inAcme, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	fewer := 100 - *billed/100
	b.within(t, "one turn", 12, 12, b.remember("The violin is at the luthier's.", trilith.WaitStored))
	b.within(t, "its vector, and the minute after", 150, 20, b.settle)
	b.within(t, "one turn until it is indexed", 60, 20, b.remember("The cello is at the luthier's, too.",
		trilith.WaitIndexed))
	if err := b.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.within(t, "one recall", 250-fewer, 4, b.recall(t, "Which parcel went to street 5 of town 7?"))
	b.within(t, "the same again", 170-fewer, 4, b.recall(t, "Which parcel went to street 5 of town 7?"))
	b.within(t, "in other words", 250-fewer, 4, b.recall(t, "Was there a parcel for street 5 in town 7?"))
	b.within(t, "one recall of something else", 250-fewer, 4, b.recall(t, "Who has sent anything to town 30?"))
	const hours = 6
	b.within(t, "a quarter of a day at rest", 100_000/(24/hours), 10_000, func(context.Context) error {
		<-time.After(hours * time.Hour)
		return nil
	})
}
