package compose_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
	"github.com/trilith-memory/trilith/internal/wait"
)

// besideQdrant are the settings of a memory in a file with its vectors on a server.
func besideQdrant(t *testing.T, s *qdranttest.Server) compose.Settings {
	t.Helper()
	address := qdranttest.Start(t, s)
	return compose.Settings{Store: "sqlite:" + filepath.Join(t.TempDir(), "trilith.db"),
		Vectors: strings.Replace(address, "http://", "qdrant://", 1) + "?collection=mine"}
}

// collectionOf is the only collection of a server.
func collectionOf(t *testing.T, s *qdranttest.Server) string {
	t.Helper()
	names := s.Names()
	if len(names) != 1 {
		t.Fatalf("the server has the collections %q, want one", names)
	}
	return names[0]
}

func down(s *qdranttest.Server, is bool) { s.Set(func(x *qdranttest.Switches) { x.Down = is }) }

// until waits for something that happens in the background.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !f(); {
		if time.Now().After(end) {
			t.Fatalf("%s has not come about", what)
		}
		if err := wait.For(t.Context(), 5*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQdrantAwayAtStart: a server that is away at the start is warned about, words answer, and its vectors come when it
// is there.
func TestQdrantAwayAtStart(t *testing.T) {
	t.Parallel()
	const text = "The ladder leans on the north wall."
	server := qdranttest.New()
	s := besideQdrant(t, server)
	down(server, true)
	var said []string
	s.Say = func(line string) { said = append(said, line) }
	o := opens(t, s)
	if len(said) != 1 || !strings.Contains(said[0], "does not answer now") {
		t.Errorf("opening said %q, want that the server does not answer", said)
	}
	if _, err := o.Remember(t.Context(), inAcme,
		trilith.RememberRequest{Text: text, Extract: trilith.ExtractNone}); err != nil {
		t.Fatalf("Remember = %v, want nil", err)
	}
	res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: text})
	if err != nil || len(res.Hits) != 1 || !res.Partial {
		t.Errorf("Recall while the server is away = %d hits, partial %v, %v; want one by its words, and partial",
			len(res.Hits), res.Partial, err)
	}
	down(server, false)
	finds(t, "once the server is there", o, text)
}

var away = flag.Duration("qdrant.away", 0, "how long TestQdrantAwayUnderLoad is without its server, at least")

// TestQdrantAwayUnderLoad: while the server is away nothing that is stored is lost for it: the position of what
// applies changes waits, and how far it is behind can be seen.
func TestQdrantAwayUnderLoad(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	o := opens(t, besideQdrant(t, server))
	const before, meanwhile = 20, 40
	store := func(n int) trilith.ID {
		res, err := o.Remember(t.Context(), inAcme, trilith.RememberRequest{Extract: trilith.ExtractNone,
			Text: fmt.Sprintf("Box %d holds %s lamps.", n, []string{"red", "green", "blue"}[n%3])})
		if err != nil {
			t.Fatalf("Remember = %v, want nil", err)
		}
		return res.Memories[0].ID
	}
	var ids []trilith.ID
	for n := range before {
		ids = append(ids, store(n))
	}
	if err := o.Settle(t.Context()); err != nil {
		t.Fatalf("Settle = %v", err)
	}
	var faults atomic.Int64
	server.Set(func(x *qdranttest.Switches) { // one after the other: cut, 503, 429
		x.OnRequest = func(string, string, []byte) { faults.Add(1) }
		x.Fail = 503
	})
	for n, gone := before, time.Now(); n < before+meanwhile || time.Since(gone) < *away; n++ {
		ids = append(ids, store(n))
		switch n % 20 {
		case 5:
			server.Set(func(x *qdranttest.Switches) { x.Fail, x.Down = 0, true })
		case 10:
			server.Set(func(x *qdranttest.Switches) { x.Fail, x.Down = 429, false })
		}
		if n == before+meanwhile/2 { // it promises that nothing is left, which nobody can say now
			err := erase(t, o, ids[3], ids[before+2])
			if trilith.KindOf(err) != trilith.Unavailable {
				t.Errorf("Erase while the server is away = %v, want unavailable", err)
			}
		}
	}
	until(t, "a fault", func() bool { return faults.Load() > 0 })
	if st, err := o.Status(t.Context()); err != nil || st.LagVectors == 0 {
		t.Errorf("Status while the server is away = %+v, %v; want changes that wait for vectors", st, err)
	}
	res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: "green lamps"})
	if err != nil || len(res.Hits) == 0 || !res.Partial {
		t.Errorf("Recall while the server is away = %d hits, partial %v, %v", len(res.Hits), res.Partial, err)
	}
	server.Set(func(x *qdranttest.Switches) { *x = qdranttest.Switches{} })
	if err := erase(t, o, ids[3], ids[before+2]); err != nil {
		t.Errorf("Erase, repeated = %v, want nil", err)
	}
	if err := o.Settle(t.Context()); err != nil {
		t.Fatalf("Settle = %v", err)
	}
	held := map[string]bool{}
	for _, p := range server.Points(collectionOf(t, server)) {
		held[p["id"].(string)] = true
	}
	for i, id := range ids {
		if gone := i == 3 || i == before+2; held[string(id)] == gone {
			t.Errorf("memory %d has a vector: %v; want %v", i, held[string(id)], !gone)
		}
	}
	if len(held) != len(ids)-2 {
		t.Errorf("the server holds %d vectors, want %d", len(held), len(ids)-2)
	}
	t.Logf("%d memories were stored meanwhile", len(ids)-before)
}

func erase(t *testing.T, o *compose.Opened, ids ...trilith.ID) error {
	t.Helper()
	_, err := o.Erase(t.Context(), inAcme, trilith.EraseRequest{IDs: ids})
	return err
}

// TestQdrantRepair: vectors that others deleted or left behind are found and repaired, and never reach a caller.
func TestQdrantRepair(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	s := besideQdrant(t, server)
	o := opens(t, s)
	texts := []string{"The ladder leans on the north wall.", "The kettle whistles in B flat.", "The lamp stands by the door."}
	for _, text := range texts {
		remembers(t, o, text)
	}
	name := collectionOf(t, server)
	until(t, "the alias", func() bool { return server.Aliases()["mine"] == name })
	if r := diagnose(t, o.Doctor); !r.OK {
		t.Fatalf("the doctor of a sound memory says %+v", r.Checks)
	}
	points := server.Points(name)
	var lost, kept string
	for id, p := range points {
		if p["tenant_id"] != "acme" {
			t.Errorf("a point of tenant %v", p["tenant_id"])
		}
		lost, kept = kept, id
	}
	server.Remove(name, lost)
	// Left behind: a point of a memory that is no more, and one that somebody else has put there for a memory that is.
	server.Copy(name, kept, "11111111-1111-5111-8111-111111111111", map[string]any{})
	server.Copy(name, kept, string(trilith.DeriveID("qdrant", "acme", "22222222-2222-4222-8222-222222222222")),
		map[string]any{"id": "22222222-2222-4222-8222-222222222222"})
	for range 2 {
		res, err := o.Recall(t.Context(), inAcme,
			trilith.RecallRequest{Query: "what stands by the door", Arms: []trilith.Arm{trilith.ArmDense}, K: 10})
		if err != nil {
			t.Fatalf("Recall = %v", err)
		}
		var found []string
		for _, h := range res.Hits {
			found = append(found, string(h.Memory.ID))
		}
		slices.Sort(found)
		if len(slices.Compact(found)) != len(res.Hits) || slices.Contains(found, "22222222-2222-4222-8222-222222222222") {
			t.Errorf("Recall finds %q, want each memory that is there at most once", found)
		}
	}
	if r := diagnose(t, o.Doctor); r.OK {
		t.Errorf("the doctor finds nothing: %+v", r.Checks)
	}
	if r := diagnose(t, o.Repair); !r.OK || len(r.Repaired) != 1 || r.Repaired[0] != "3 vectors made to agree with the truth" {
		t.Errorf("Repair = %+v, repaired %q; want one vector made and two removed", r.Checks, r.Repaired)
	}
	after := server.Points(name)
	for id := range points {
		delete(after, id)
	}
	if len(after) != 0 || len(server.Points(name)) != len(points) {
		t.Errorf("after Repair the server holds %d points and %d others, want %d", len(server.Points(name)), len(after), len(points))
	}
}

// TestQdrantReplaced: a server that was replaced by an empty one is noticed, by the next process and by one that runs,
// and its vectors are made again without anybody's help.
func TestQdrantReplaced(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	s := besideQdrant(t, server)
	var ahead atomic.Int64 // minutes
	s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load()) * time.Minute) }
	texts := []string{"The ladder leans on the north wall.", "The kettle whistles in B flat."}
	o, err := compose.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		remembers(t, o, text)
	}
	again := func(when string, o *compose.Opened) {
		t.Helper()
		until(t, "vectors "+when, func() bool {
			return len(server.Names()) == 1 && len(server.Points(server.Names()[0])) == len(texts)
		})
		for _, text := range texts {
			finds(t, when, o, text)
		}
		until(t, "the alias "+when, func() bool { return server.Aliases()["mine"] == collectionOf(t, server) })
	}
	again("at first", o)
	server.Lose()
	ahead.Add(1)
	again("after a loss under way", o)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	server.Lose()
	again("after a loss meanwhile", opens(t, s))
}

func diagnose(t *testing.T, f func(context.Context) (trilith.DoctorReport, error)) trilith.DoctorReport {
	t.Helper()
	r, err := f(t.Context())
	if err != nil {
		t.Fatalf("the doctor: %v", err)
	}
	return r
}

// TestQdrantGenerations: each generation has a collection, the alias follows the active one, and the collection of a
// dropped generation is deleted.
func TestQdrantGenerations(t *testing.T) {
	t.Parallel()
	const text = "The ladder leans on the north wall."
	server := qdranttest.New()
	s := besideQdrant(t, server)
	s.Embedder, s.Embedders = "hash:64", []string{"other=hash:32"}
	o := opens(t, s)
	remembers(t, o, text)
	first := collectionOf(t, server)
	until(t, "the first alias", func() bool { return server.Aliases()["mine"] == first })
	if _, err := o.SwitchTo(t.Context(), "other"); err != nil {
		t.Fatalf("SwitchTo = %v", err)
	}
	until(t, "the second alias", func() bool { to := server.Aliases()["mine"]; return to != "" && to != first })
	finds(t, "the other generation", o, text)
	if _, err := o.ForgetPrevious(t.Context()); err != nil {
		t.Fatalf("ForgetPrevious = %v", err)
	}
	until(t, "the end of the first collection", func() bool { return !slices.Contains(server.Names(), first) })
	finds(t, "with the first one gone", o, text)
}

// TestIndexesAreKeptApart: after a change from vectors in the file to a server, and back, everything stored meanwhile
// is found, and nothing that was erased.
func TestIndexesAreKeptApart(t *testing.T) {
	t.Parallel()
	texts := []string{"The ladder leans on the north wall.", "The kettle whistles in B flat.", "The lamp stands by the door."}
	server := qdranttest.New()
	outside := besideQdrant(t, server)
	inside := outside
	inside.Vectors = "embedded:"
	for i, s := range []compose.Settings{inside, outside, inside} {
		o := opens(t, s)
		remembers(t, o, texts[i])
		for _, text := range texts[:i+1] {
			finds(t, fmt.Sprintf("opening %d", i), o, text)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(server.Points(collectionOf(t, server))); n != 2 {
		t.Errorf("the server holds %d vectors, want those of what was stored by then", n)
	}
	o := opens(t, inside)
	if _, err := o.Erase(t.Context(), inAcme,
		trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, "ana")}); err != nil {
		t.Fatalf("Erase = %v", err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if err := opens(t, outside).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(server.Points(collectionOf(t, server))); n != 0 {
		t.Errorf("the server holds %d vectors of what was erased, want none", n)
	}
}

// TestForeignCollections: a collection that trilith did not make is refused, and so are an old server and a wrong key.
func TestForeignCollections(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		set  func(*qdranttest.Server)
		kind trilith.ErrorKind
		want string
	}{
		{"a collection of the name", func(s *qdranttest.Server) { s.Create("mine", 4) }, trilith.Conflict,
			"trilith import --format qdrant"},
		{"an old server", func(s *qdranttest.Server) { s.Set(func(x *qdranttest.Switches) { x.Version = "1.16.3" }) },
			trilith.Unsupported, "1.17 or newer is needed"},
		{"a key", func(s *qdranttest.Server) { s.Set(func(x *qdranttest.Switches) { x.Key = "other" }) },
			trilith.Unauthenticated, "set QDRANT_API_KEY"},
	} {
		server := qdranttest.New()
		c.set(server)
		o, err := compose.Open(t.Context(), besideQdrant(t, server))
		if err == nil {
			_ = o.Close()
		}
		if err == nil || trilith.KindOf(err) != c.kind || !strings.Contains(trilith.MessageOf(err), c.want) {
			t.Errorf("%s: Open = %v, want %s with %q", c.what, err, c.kind, c.want)
		}
	}
}

// TestQdrantOutside: the variables of programs that used the server before name it, and its key.
func TestQdrantOutside(t *testing.T) {
	t.Parallel()
	server := qdranttest.New()
	server.Set(func(x *qdranttest.Switches) { x.Key = "secret-1" })
	url := qdranttest.Start(t, server)
	host, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	for _, env := range []map[string]string{
		{"QDRANT_URL": url}, {"QDRANT_HOST": host, "QDRANT_PORT": port}, {"qdrant_host": host, "qdrant_port": port},
	} {
		env["QDRANT_API_KEY"] = "secret-1"
		opens(t, compose.Settings{Store: "mem:", Vectors: "qdrant:?collection=mine",
			Getenv: func(name string) string { return env[name] }})
	}
}
