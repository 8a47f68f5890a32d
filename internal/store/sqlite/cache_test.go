package sqlite

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Not in the suite: what a store keeps in memory, and how two that have the same file open learn of each other's
// commits, is this driver's.

var inAcme = trilith.Scope{Tenant: "acme"}

// openTwo opens a new file twice, as two processes do.
func openTwo(t *testing.T) (a, b *Store) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trilith.db")
	for _, s := range []**Store{&a, &b} {
		var err error
		if *s, err = Open(t.Context(), Options{Path: path}); err != nil {
			t.Fatalf("Open = %v, want nil", err)
		}
		t.Cleanup(func() { (*s).Close() })
	}
	return a, b
}

func memory(id trilith.ID, text string) trilith.Memory {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	return trilith.Memory{ID: id, Version: 1, Kind: trilith.KindNote, Text: text, Scope: inAcme, EventTime: at,
		RecordedAt: at,
		State:      trilith.StateActive, Trust: trilith.TrustUserStated}
}

// fact has an episode as evidence.
func fact(id, episode trilith.ID, text string) trilith.Memory {
	m := memory(id, text)
	m.Kind, m.Fact = trilith.KindFact,
		&trilith.Fact{EntityID: id, Verb: "lives_in", FactID: "Location:Oslo",
			Evidence: []trilith.Evidence{{EpisodeID: episode}}}
	return m
}

func mustCommit(t *testing.T, s *Store, b role.Batch) {
	t.Helper()
	if _, err := s.Commit(t.Context(), inAcme, b); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
}

func got(t *testing.T, s *Store, sc trilith.Scope, ids ...trilith.ID) []trilith.Memory {
	t.Helper()
	ms, err := s.Get(t.Context(), sc, ids)
	if err != nil {
		t.Fatalf("Get = %v, want nil", err)
	}
	return ms
}

func textsOfAll(ms []trilith.Memory) (out []string) {
	for _, m := range ms {
		out = append(out, m.Text)
	}
	return out
}

// warm reads memories until the cache holds them.
func warm(t *testing.T, s *Store, ids ...trilith.ID) {
	t.Helper()
	for range 2 { // the first time it may only learn where the log ends
		got(t, s, inAcme, ids...)
	}
	wantHeld(t, s, true, ids...)
}

func wantHeld(t *testing.T, s *Store, want bool, ids ...trilith.ID) {
	t.Helper()
	found, _ := s.cache.pick(inAcme.Tenant, ids)
	for i, m := range found {
		if held := m != nil; held != want {
			t.Errorf("the cache holds %s: %v, want %v", ids[i], held, want)
		}
	}
}

func TestCommitsReachTheCache(t *testing.T) {
	t.Parallel()
	const id3, episode = trilith.ID("00000000-0000-7000-8000-000000000003"),
		trilith.ID("00000000-0000-7000-8000-00000000000e")
	a, b := openTwo(t)
	resting := trilith.Where("evidence", trilith.OpContains, episode)
	for _, c := range []struct {
		name string
		by   *Store
	}{{"of this process", a}, {"of another process", b}} {
		mustCommit(t, c.by, role.Batch{
			Memories: []trilith.Memory{memory(id1, "one"), memory(id2, "two"), fact(id3, episode, "three")}})
		warm(t, a, id1, id2, id3)
		for _, step := range []struct {
			what  string
			batch role.Batch
			want  []string
			facts []string
		}{
			{"a put", role.Batch{Memories: []trilith.Memory{memory(id1, "one again")}},
				[]string{"one again", "two", "three"}, []string{"three"}},
			{"a fact that rests on something else",
				role.Batch{Memories: []trilith.Memory{fact(id3, id1, "three elsewhere")}},
				[]string{"one again", "two", "three elsewhere"}, nil},
			{"a fact that rests on it again", role.Batch{Memories: []trilith.Memory{fact(id3, episode, "three back")}},
				[]string{"one again", "two", "three back"}, []string{"three back"}},
			{"a deletion", role.Batch{Delete: []role.Ref{{ID: id2}, {ID: id3}}}, []string{"one again"}, nil},
			{"a memory put again", role.Batch{Memories: []trilith.Memory{memory(id2, "two back")}},
				[]string{"one again", "two back"}, nil},
		} {
			mustCommit(t, c.by, step.batch)
			for visit := range 3 { // by what was read, by what is kept
				if diff := cmp.Diff(step.want, textsOfAll(got(t, a, inAcme, id1, id2, id3))); diff != "" {
					t.Errorf("after %s %s, Get number %d (-want +got):\n%s", step.what, c.name, visit, diff)
				}
				if diff := cmp.Diff(step.facts, textsOfAll(listed(t, a, resting))); diff != "" {
					t.Errorf("after %s %s, List of the facts that rest on an episode, number %d (-want +got):\n%s",
						step.what, c.name, visit, diff)
				}
			}
		}
	}
}

func TestFailedCommitsLeaveTheCacheTrue(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t)
	mustCommit(t, a, role.Batch{Memories: []trilith.Memory{memory(id1, "one")}})
	warm(t, a, id1)
	for _, s := range []*Store{a, b} {
		_, err := s.Commit(t.Context(), inAcme, role.Batch{Memories: []trilith.Memory{memory(id1, "never")},
			Claims: []role.Claim{{Key: role.Key{Space: "s", Value: "v"}, Owner: id1},
				{Key: role.Key{Space: "s", Value: "v"}, Owner: id2}}})
		if trilith.KindOf(err) != trilith.Conflict {
			t.Fatalf("Commit of a claim that another owns = %v, want Conflict", err)
		}
		for range 2 {
			if diff := cmp.Diff([]string{"one"}, textsOfAll(got(t, a, inAcme, id1))); diff != "" {
				t.Errorf("Get after a commit that failed (-want +got):\n%s", diff)
			}
		}
	}
}

// Erased memories are not in the cache when the commit returns; in another process, when that looks at the log next.
func TestErasedLeavesTheCache(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t)
	mustCommit(t, a, role.Batch{Memories: []trilith.Memory{memory(id1, "one"), memory(id2, "two")}})
	warm(t, a, id1, id2)
	warm(t, b, id1, id2)
	mustCommit(t, a, role.Batch{Delete: []role.Ref{{ID: id1}}})
	wantHeld(t, a, false, id1)
	wantHeld(t, a, true, id2)
	if _, err := b.Head(t.Context(), trilith.AsSystem("test"), 0); err != nil {
		t.Fatalf("Head = %v, want nil", err)
	}
	wantHeld(t, b, false, id1)
	wantHeld(t, b, true, id2)
}

// A reader that read a memory before it was erased does not bring it back into the cache afterwards.
func TestErasedStaysOutOfTheCache(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	mustCommit(t, s, role.Batch{Memories: []trilith.Memory{memory(id1, "one"), memory(id2, "two")}})
	warm(t, s, id2)
	ids := []trilith.ID{id1}
	found, of := s.cache.pick(inAcme.Tenant, ids)
	read, head, err := s.missing(t.Context(), inAcme.Tenant, ids, found)
	if err != nil || read[0] == nil || head != of.head {
		t.Fatalf("missing = %v, %d, %v; want the memory at %d", read, head, err, of.head)
	}
	mustCommit(t, s, role.Batch{Delete: []role.Ref{{ID: id1}}})
	s.cache.keep(of, inAcme.Tenant, read)
	wantHeld(t, s, false, id1)
}

func TestCachedMemoriesBelongToTheCaller(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	var want trilith.Memory
	n := 0
	fill(reflect.ValueOf(&want).Elem(), &n)
	want.ID, want.Scope, want.Kind = id1, inAcme, trilith.KindFact
	want.Metadata = map[string]any{"deep": map[string]any{"list": []any{"a"}}}
	mustCommit(t, s, role.Batch{Memories: []trilith.Memory{want}})
	want = got(t, s, inAcme, id1)[0]
	warm(t, s, id1)
	for range 2 {
		for _, m := range append(
			got(t, s, inAcme, id1), listed(
				t, s, trilith.Where("evidence", trilith.OpContains, want.Fact.Evidence[0].EpisodeID))...) {
			if diff := cmp.Diff(want, m); diff != "" {
				t.Fatalf("a memory differs from what was read first (-first +now):\n%s", diff)
			}
			m.Metadata["deep"].(map[string]any)["list"].([]any)[0] = "changed"
			m.Tags[0], m.Supersedes[0], m.Entry.Title = "changed", "changed", "changed"
			m.Fact.Verb, m.Fact.Evidence[0].Quote, m.Fact.Evidence[0].Premises[0].Quote = "changed",
				"changed", "changed"
			*m.ValidUntil, *m.Fact.ActionDeadline, *m.Fact.Evidence[0].Until = time.Time{}, time.Time{}, time.Time{}
		}
	}
}

func TestCacheKeepsScopesApart(t *testing.T) {
	t.Parallel()
	const episode = trilith.ID("00000000-0000-7000-8000-00000000000e")
	s := openNew(t)
	of := func(user string, m trilith.Memory) trilith.Memory { m.Scope.User = user; return m }
	mustCommit(t, s, role.Batch{
		Memories: []trilith.Memory{of("ana", fact(id1, episode, "Ana's")), of("ben", fact(id2, episode, "Ben's"))}})
	warm(t, s, id1, id2)
	ana := trilith.Scope{Tenant: "acme", User: "ana"}
	if diff := cmp.Diff([]string{"Ana's"}, textsOfAll(got(t, s, ana, id1, id2))); diff != "" {
		t.Errorf("Get in a narrow scope (-want +got):\n%s", diff)
	}
	if ms := got(t, s, trilith.Scope{Tenant: "other"}, id1, id2); len(ms) != 0 {
		t.Errorf("Get in another tenant = %q, want nothing", textsOfAll(ms))
	}
	for _, c := range []struct {
		scope trilith.Scope
		want  []string
	}{{ana, []string{"Ana's"}}, {inAcme, []string{"Ana's", "Ben's"}}, {trilith.Scope{Tenant: "other"}, nil}} {
		var found []trilith.Memory
		for m, err := range s.List(
			t.Context(), c.scope, role.Listing{Filter: trilith.Where("evidence", trilith.OpContains, episode)}) {
			if err != nil {
				t.Fatalf("List = %v, want nil", err)
			}
			found = append(found, m)
		}
		if diff := cmp.Diff(c.want, textsOfAll(found)); diff != "" {
			t.Errorf("List in %+v (-want +got):\n%s", c.scope, diff)
		}
	}
}

func TestCacheBeginsAnew(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t)
	mustCommit(t, a, role.Batch{Memories: []trilith.Memory{memory(id1, "one"), memory(id2, "two")}})
	warm(t, a, id1, id2)
	var many role.Batch
	for i := range followedChanges {
		many.Memories = append(many.Memories,
			memory(trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", 100+i)), "another"))
	}
	mustCommit(t, b, role.Batch{Memories: []trilith.Memory{memory(id2, "two again")}})
	mustCommit(t, b, many)
	if diff := cmp.Diff([]string{"one", "two again"}, textsOfAll(got(t, a, inAcme, id1, id2))); diff != "" {
		t.Errorf("Get after more changes than are followed (-want +got):\n%s", diff)
	}
	warm(t, a, id1, id2)
	if err := a.follow(t.Context(), a.cache.now(), 1); err != nil { // the log of a file ends no earlier than it did
		t.Fatalf("follow = %v, want nil", err)
	}
	wantHeld(t, a, false, id1, id2)
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	var c memoryCache
	text := strings.Repeat("x", 100<<10)
	ids := make([]trilith.ID, 2*cacheBytes/len(text))
	for i := range ids {
		ids[i] = trilith.ID(fmt.Sprint(i))
		m := memory(ids[i], text)
		c.keep(c.now(), "acme", []*stored{nil, {memory: m, size: len(text)}})
		c.pick("acme", ids[:1])
		if c.size > cacheBytes || c.size != len(c.elements)*len(text) || c.recent.Len() != len(c.elements) {
			t.Fatalf("after %d memories of %d bytes the cache takes %d for %d of them, want %d at most", i+1, len(text),
				c.size, len(c.elements), cacheBytes)
		}
	}
	found, _ := c.pick("acme", ids)
	if found[0] == nil || found[len(ids)-1] == nil || found[1] != nil {
		t.Errorf("held: the first, asked for each time: %v, the last: %v, the second: %v; want all but the second",
			found[0] != nil, found[len(ids)-1] != nil, found[1] != nil)
	}
	c.keep(c.now(), "acme", []*stored{{memory: memory(id1, ""), size: cacheBytes/64 + 1}})
	if found, _ := c.pick("acme", []trilith.ID{id1}); found[0] != nil {
		t.Error("the cache keeps a memory that takes the place of many")
	}
}

// Two stores put two memories again and again, always with the same text, and alternate the fact that has an episode
// as evidence. Every read finds one text, none older than the last acknowledged one, and one fact.
func TestReadsBesideCommitsAreOfOneMoment(t *testing.T) {
	t.Parallel()
	const (
		rounds  = 40
		id3     = trilith.ID("00000000-0000-7000-8000-000000000003")
		id4     = trilith.ID("00000000-0000-7000-8000-000000000004")
		episode = trilith.ID("00000000-0000-7000-8000-00000000000e")
		other   = trilith.ID("00000000-0000-7000-8000-00000000000f")
	)
	a, b := openTwo(t)
	stores := []*Store{a, b}
	put := func(n int) error {
		text := fmt.Sprintf("%06d", n)
		on := []trilith.ID{episode, other}
		_, err := stores[n/2%2].Commit(
			t.Context(), inAcme, role.Batch{Memories: []trilith.Memory{memory(id1, text), memory(id2, text),
				fact(id3, on[n%2], text), fact(id4, on[1-n%2], text)}})
		return err
	}
	if err := put(0); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
	var acknowledged atomic.Int64
	var writing, reading sync.WaitGroup
	writing.Go(func() {
		for n := 1; n <= rounds; n++ {
			if err := put(n); err != nil {
				t.Errorf("Commit = %v, want nil", err)
				return
			}
			acknowledged.Store(int64(n))
		}
	})
	done := make(chan struct{})
	for i := range 4 {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				least := fmt.Sprintf("%06d", acknowledged.Load())
				ms, err := stores[i%2].Get(t.Context(), inAcme, []trilith.ID{id1, id2})
				if err != nil || len(ms) != 2 || ms[0].Text != ms[1].Text || ms[0].Text < least {
					t.Errorf("Get = %q, %v; want one text, %s or later", textsOfAll(ms), err, least)
					return
				}
				var facts []trilith.Memory
				for m, err := range stores[i%2].List(
					t.Context(), inAcme, role.Listing{Filter: trilith.Where("evidence", trilith.OpContains, episode)}) {
					if err != nil {
						t.Errorf("List = %v, want nil", err)
						return
					}
					facts = append(facts, m)
				}
				if len(facts) != 1 || facts[0].Text < ms[0].Text {
					t.Errorf("List of the facts that rest on an episode = %q, want one, %s or later",
						textsOfAll(facts), ms[0].Text)
					return
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
}

// BenchmarkRead reads the rows of a recall: facts by their ids, and facts with its hits as evidence. The cached ones
// were read before.
func BenchmarkRead(b *testing.B) {
	const n, facts, episodes = 5000, 32, 10
	s, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "trilith.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	name := func(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }
	for from := 0; from < n; from += role.MaxBatch {
		var batch role.Batch
		for i := range role.MaxBatch {
			m := fact(name(from+i), name(n+from+i), "Ana lives in Oslo, in the street behind the station.")
			m.Fact.Node, m.Fact.Certainty, m.Fact.Confidence = trilith.Node{Type: "Location", Name: "Oslo"},
				trilith.Stated, .85
			m.Fact.Evidence[0].Quote, m.Fact.Evidence[0].Rule = "I live in Oslo, in the street behind the station.",
				"en.lives_in.1"
			batch.Memories = append(batch.Memories, m)
		}
		if _, err := s.Commit(b.Context(), inAcme, batch); err != nil {
			b.Fatal(err)
		}
	}
	ids := make([]trilith.ID, facts)
	get := func(i int) error {
		for k := range ids {
			ids[k] = name((i*7919 + k*997) % n)
		}
		ms, err := s.Get(b.Context(), inAcme, ids)
		if err == nil && len(ms) != facts {
			err = fmt.Errorf("%d facts, want %d", len(ms), facts)
		}
		return err
	}
	resting := func(i int) error {
		var f trilith.Filter
		for k := range episodes {
			f.Or = append(f.Or, trilith.Where("evidence", trilith.OpContains, name(n+(i*7919+k*997)%n)))
		}
		found := 0
		for _, err := range s.List(b.Context(), inAcme, role.Listing{Filter: f}) {
			if err != nil {
				return err
			}
			found++
		}
		if found != episodes {
			return fmt.Errorf("%d facts, want %d", found, episodes)
		}
		return nil
	}
	for _, c := range []struct {
		name string
		read func(int) error
	}{{fmt.Sprintf("get_%d_of_%d", facts, n), get}, {fmt.Sprintf("resting_%d_of_%d", episodes, n), resting}} {
		b.Run(c.name+"/from_file", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.cache.restart(s.cache.now(), s.cache.now().head)
				if err := c.read(i); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/kept", func(b *testing.B) {
			for i := range n {
				if err := c.read(i); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := c.read(i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
