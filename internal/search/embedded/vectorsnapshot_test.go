package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// planePoint is the n-th point of a tenant in a version; no two angles are equal.
func planePoint(tenant string, n int, version int64) role.Point {
	p := point(tenant, n, version, n%360)
	p.Facets.Scope.User, p.Facets.State, p.Facets.Title = fmt.Sprint("u", n%3), trilith.StateActive,
		fmt.Sprintf("title %d of version %d", n, version)
	return p
}

func apply(t testing.TB, x *embedded.Vector, ps ...role.Point) {
	t.Helper()
	if err := x.Apply(t.Context(), g, ps); err != nil {
		t.Fatalf("Apply() = %v", err)
	}
}

// upTo are the points from one number to another, which is not included.
func upTo(from, to int) (ps []role.Point) {
	for n := from; n < to; n++ {
		ps = append(ps, planePoint("ana", n, 1))
	}
	return ps
}

func erase(t testing.TB, x *embedded.Vector, ns ...int) {
	t.Helper()
	var ids []trilith.ID
	for _, n := range ns {
		ids = append(ids, trilith.DeriveID("point", fmt.Sprint(n)))
	}
	if err := x.Delete(t.Context(), trilith.Scope{Tenant: "ana"}, ids); err != nil {
		t.Fatalf("Delete() = %v", err)
	}
}

// keep keeps the partition of ana, which it brings into memory.
func keep(t testing.TB, x *embedded.Vector) {
	t.Helper()
	answers(t, x)
	if err := x.SaveSnapshot(t.Context()); err != nil {
		t.Fatalf("Keep() = %v", err)
	}
}

// answers is what an index says about ana: all stamps, and what it finds by vector, scope and filter.
func answers(t testing.TB, x *embedded.Vector) (out []any) {
	t.Helper()
	ana := trilith.Scope{Tenant: "ana"}
	for _, f := range []trilith.Filter{{}, trilith.Where("user", trilith.OpEq, "u1"),
		trilith.Where("title", trilith.OpEq, "title 7 of version 2")} {
		found, err := indextest.First(
			x.Search(t.Context(), ana, g, role.VectorProbe{Vector: probe(7), K: 30, Filter: f}))
		if err != nil {
			t.Fatalf("Search() = %v", err)
		}
		out = append(out, found)
	}
	stamps, err := x.Stamps(t.Context(), ana, g, nil)
	if err != nil {
		t.Fatalf("Stamps() = %v", err)
	}
	return append(out, stamps)
}

// copied returns other blobs that hold the same.
func copied(rows map[[2]string]map[string][]byte) *blobs {
	b := newBlobs()
	for key, of := range rows {
		b.rows[key] = maps.Clone(of)
	}
	return b
}

var keptPlace = [2]string{"vec kept:" + g.Key(), "ana"}

// Wherever a process ends, the next one has every acknowledged vector, and reads from the snapshot what was in memory.
func TestKeptVectorsAtEveryMoment(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	open := func(b *blobs) *embedded.Vector { return embedded.NewVector(b).KeepOften(16) }
	x := open(b)
	moments := 0
	b.changed = func(rows map[[2]string]map[string][]byte) {
		moments++
		then := copied(rows)
		held := map[trilith.ID]bool{}
		for id := range rows[[2]string{"vec:" + g.Key(), "ana"}] {
			held[trilith.ID(id)] = true
		}
		stamps, err := open(then).Stamps(t.Context(), trilith.Scope{Tenant: "ana"}, g, nil)
		if err != nil {
			t.Fatalf("Stamps() at moment %d = %v", moments, err)
		}
		for _, s := range stamps {
			if !held[s.ID] {
				t.Errorf("moment %d: %s is found and has no row", moments, s.ID)
			}
			delete(held, s.ID)
		}
		if len(held) > 0 {
			t.Errorf("moment %d: %d points have a row and are not found", moments, len(held))
		}
	}
	check := func(what string) {
		t.Helper()
		before := b.reads["ana"]
		if diff := cmp.Diff(answers(t, x), answers(t, open(copied(b.rows)))); diff != "" {
			t.Errorf("%s: opened again it answers otherwise (-memory +opened):\n%s", what, diff)
		}
		if b.reads["ana"] != before {
			t.Errorf("%s: the rows of all points were read", what)
		}
	}
	apply(t, x, upTo(0, 100)...)
	keep(t, x)
	check("kept")
	apply(t, x, planePoint("ana", 7, 2), planePoint("ana", 200, 1))
	erase(t, x, 3, 50)
	check("changed")
	apply(t, x, upTo(300, 340)...)
	keep(t, x)
	check("kept again")
	erase(t, x, 7, 301)
	apply(t, x, planePoint("ana", 3, 1))
	keep(t, x)
	check("kept for the third time")
	if moments < 20 {
		t.Errorf("%d moments were looked at, want more", moments)
	}
}

// A snapshot that lacks a row, or has another one in its place, is not used: the rows of the points are read.
func TestKeptVectorsAreChecked(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewVector(b).KeepOften(16)
	apply(t, x, upTo(0, 50)...)
	keep(t, x)
	apply(t, x, upTo(50, 70)...)
	erase(t, x, 2)
	want := answers(t, x)
	good := maps.Clone(b.rows[keptPlace])
	if len(good) != 1+4+2 { // head, segments, journal
		t.Fatalf("%d rows were kept: %q", len(good), slices.Sorted(maps.Keys(good)))
	}
	opened := func(what string, rows map[string][]byte, reads int) *blobs {
		t.Helper()
		then := copied(b.rows)
		then.rows[keptPlace] = rows
		y := embedded.NewVector(then).KeepOften(16)
		if diff := cmp.Diff(want, answers(t, y)); diff != "" {
			t.Errorf("%s: it answers otherwise:\n%s", what, diff)
		}
		if then.reads["ana"] != reads {
			t.Errorf("%s: the rows of all points were read %d times, want %d", what, then.reads["ana"], reads)
		}
		keep(t, y)
		again := embedded.NewVector(then).KeepOften(16)
		if diff := cmp.Diff(want, answers(t, again)); diff != "" || then.reads["ana"] != reads {
			t.Errorf("%s: kept again, and opened with %d reads of all rows:\n%s", what, then.reads["ana"], diff)
		}
		return then
	}
	opened("as it is", maps.Clone(good), 0)
	with := func(id string, data []byte) map[string][]byte {
		rows := maps.Clone(good)
		if rows[id] = data; data == nil {
			delete(rows, id)
		}
		return rows
	}
	for id, data := range good {
		if id[:4] == "new:" {
			opened("with a spoiled journal", with(id, data[:len(data)-1]), 1)
			continue
		}
		if id == "head" {
			opened("without "+id, with(id, nil), 2) // begun, and once more under a new head
		} else {
			opened("without "+id, with(id, nil), 1)
		}
		for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
			opened(fmt.Sprintf("with %d bytes of %s", n, id), with(id, data[:n:n]), 1)
		}
		for i := 0; i < len(data); i += 1 + len(data)/10 {
			flipped := slices.Clone(data)
			flipped[i] ^= 1 << (i % 8)
			opened(fmt.Sprintf("with another byte %d of %s", i, id), with(id, flipped), 1)
		}
	}
	foreign := newBlobs()
	other := embedded.NewVector(foreign).KeepOften(16)
	apply(t, other, upTo(100, 160)...)
	keep(t, other)
	for id, data := range foreign.rows[keptPlace] {
		opened("with the "+id+" of another snapshot", with(id, data), 1)
	}
	extra := maps.Clone(foreign.rows[keptPlace])
	delete(extra, "head")
	then := opened("with segments and no head", extra, 2)
	if left := len(then.rows[keptPlace]); left != 1+5 {
		t.Errorf("%d rows are left of a snapshot of 69 points and another one: %q", left,
			slices.Sorted(maps.Keys(then.rows[keptPlace])))
	}
}

// Erased data is in no row once it is discarded, in memory or not, and neither is replaced data.
func TestDiscardedVectorsLeaveNothing(t *testing.T) {
	t.Parallel()
	for _, inMemory := range []bool{true, false} {
		b := newBlobs()
		x := embedded.NewVector(b).KeepOften(16)
		apply(t, x, upTo(0, 100)...)
		keep(t, x)
		if !inMemory {
			x = embedded.NewVector(b).KeepOften(16)
		}
		traces := func() (n int) {
			for _, rows := range b.rows {
				for id, row := range rows {
					for _, what := range []string{"title 5 of version 1", "title 60 of version 1",
						"title 61 of version 1"} {
						if bytes.Contains(row, []byte(what)) {
							n++
							t.Logf("%q is in row %s", what, id)
						}
					}
				}
			}
			return n
		}
		if traces() != 6 {
			t.Fatal("the rows and segments of three points do not hold them: this test looks for the wrong thing")
		}
		erase(t, x, 5, 60)
		apply(t, x, planePoint("ana", 61, 2))
		for range 2 { // again it changes nothing
			if err := x.DiscardSnapshot(t.Context()); err != nil {
				t.Fatalf("Discard() = %v", err)
			}
			if n := traces(); n > 0 {
				t.Errorf("in memory %v: what was erased or replaced is in %d rows", inMemory, n)
			}
		}
		want := answers(t, x)
		b.reads = map[string]int{}
		if diff := cmp.Diff(want, answers(t, embedded.NewVector(b).KeepOften(16))); diff != "" || b.reads["ana"] > 0 {
			t.Errorf("opened again it answers otherwise, or has read all rows (%d):\n%s", b.reads["ana"], diff)
		}
	}
}

// Of two processes that keep the same partition neither loses what the other has written.
func TestKeptVectorsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	open := func() *embedded.Vector { return embedded.NewVector(b).KeepOften(16) }
	one, two := open(), open()
	apply(t, one, upTo(0, 40)...)
	keep(t, one)
	answers(t, two) // has it in memory
	apply(t, one, upTo(40, 80)...)
	apply(t, two, upTo(80, 130)...)
	erase(t, two, 5)
	keep(t, two)
	keep(t, one) // knows other slots: gives way
	apply(t, one, planePoint("ana", 7, 2))
	keep(t, one)
	keep(t, two)
	want := answers(t, embedded.NewVector(func() *blobs {
		plain := copied(b.rows)
		delete(plain.rows, keptPlace)
		return plain
	}()))
	if n := len(want[3].([]role.Stamp)); n != 129 {
		t.Fatalf("the rows hold %d points, want 129", n)
	}
	third := open() // the other two learn of each other by the log of changes
	if diff := cmp.Diff(want, answers(t, third)); diff != "" {
		t.Errorf("a third answers otherwise than the rows (-rows +index):\n%s", diff)
	}
}

// A process that cannot write its snapshot goes on, and keeps it later.
func TestKeepVectorsFailing(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewVector(b).KeepOften(16)
	apply(t, x, upTo(0, 60)...)
	answers(t, x)
	for _, bad := range []string{"head", "seg:00000000", "seg:00000002"} {
		b.bad = bad
		if err := x.SaveSnapshot(t.Context()); trilith.KindOf(err) != trilith.Unavailable {
			t.Errorf("Keep() without room for %s = %v, want kind %s", bad, err, trilith.Unavailable)
		}
		apply(t, x, planePoint("ana", 70+len(bad), 1))
		if diff := cmp.Diff(answers(t, x), answers(t, embedded.NewVector(copied(b.rows)))); diff != "" {
			t.Errorf("opened after %s could not be written it answers otherwise:\n%s", bad, diff)
		}
	}
	b.bad = ""
	keep(t, x)
	then := copied(b.rows)
	if diff := cmp.Diff(answers(t, x), answers(t, embedded.NewVector(then).KeepOften(16))); diff != "" ||
		then.reads["ana"] > 0 {
		t.Errorf("kept at last it answers otherwise, or all rows were read (%d):\n%s", then.reads["ana"], diff)
	}
}

// Searches, writes, keeping, compaction and releasing at the same time lose and double nothing.
func TestVectorsUnderLoad(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewVector(b).KeepOften(16)
	ctx, stop := context.WithCancel(t.Context())
	var beside, writers sync.WaitGroup
	apply(t, x, upTo(1000, 1100)...) // never touched again: always found, each once
	for range 2 {
		beside.Go(func() {
			for ctx.Err() == nil {
				stamps, err := x.Stamps(t.Context(), trilith.Scope{Tenant: "ana"}, g, nil)
				found, err2 := indextest.First(
					x.Search(t.Context(), trilith.Scope{Tenant: "ana"}, g,
						role.VectorProbe{Vector: probe(3), K: role.MaxCandidates}))
				if err = errors.Join(err, err2); err != nil {
					t.Errorf("Stamps and Search = %v", err)
					return
				}
				seen := map[trilith.ID]int{}
				for _, c := range found {
					if seen[c.ID]++; seen[c.ID] > 1 {
						t.Errorf("%s is found twice", c.ID)
					}
				}
				there := map[trilith.ID]bool{}
				for _, s := range stamps {
					there[s.ID] = true
				}
				for n := 1000; n < 1100; n++ {
					if id := trilith.DeriveID("point", fmt.Sprint(n)); seen[id] != 1 || !there[id] {
						t.Errorf("point %d is found %d times, and has a stamp: %v", n, seen[id], there[id])
					}
				}
			}
		})
	}
	beside.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			err := x.SaveSnapshot(t.Context())
			if i%3 == 0 {
				err = errors.Join(err, x.DiscardSnapshot(t.Context()))
			}
			if i%5 == 0 {
				x.Release(g)
			}
			if err != nil {
				t.Errorf("Keep and Discard = %v", err)
				return
			}
		}
	})
	want := make([]map[int]int64, 4) // versions of each writer's own points
	for w := range want {
		want[w] = map[int]int64{}
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 5))
			for version := int64(1); version < 60; version++ {
				if version%20 == 0 { // most go: what is left moves together
					for n := range want[w] {
						erase(t, x, n)
					}
					clear(want[w])
				}
				for range 4 {
					n := 100*w + r.IntN(90)
					apply(t, x, planePoint("ana", n, version))
					want[w][n] = version
				}
				n := 100*w + r.IntN(90)
				erase(t, x, n)
				delete(want[w], n)
			}
		})
	}
	writers.Wait()
	stop()
	beside.Wait()
	for name, x := range map[string]*embedded.Vector{
		"in memory": x, "opened again": embedded.NewVector(b).KeepOften(16)} {
		stamps, err := x.Stamps(t.Context(), trilith.Scope{Tenant: "ana"}, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[trilith.ID]int64{}
		for _, s := range stamps {
			got[s.ID] = s.Version
		}
		model := map[trilith.ID]int64{}
		for n := 1000; n < 1100; n++ {
			model[trilith.DeriveID("point", fmt.Sprint(n))] = 1
		}
		for _, own := range want {
			for n, version := range own {
				model[trilith.DeriveID("point", fmt.Sprint(n))] = version
			}
		}
		if diff := cmp.Diff(model, got); diff != "" {
			t.Errorf("%s: -applied +held\n%s", name, diff)
		}
	}
}

// Where most points are gone, what is left moves together, in memory and in the snapshot.
func TestSparseVectorsMoveTogether(t *testing.T) {
	t.Parallel()
	for _, b := range []*blobs{newBlobs(), nil} {
		x := embedded.NewVector(nil)
		if b != nil {
			x = embedded.NewVector(b)
		}
		x.KeepOften(16)
		apply(t, x, upTo(0, 200)...)
		keep(t, x)
		var gone []int
		for n := range 160 {
			gone = append(gone, n)
		}
		erase(t, x, gone...)
		want := answers(t, x)
		keep(t, x)
		if diff := cmp.Diff(want, answers(t, x)); diff != "" {
			t.Errorf("kept it answers otherwise:\n%s", diff)
		}
		apply(t, x, planePoint("ana", 500, 1))
		if b == nil {
			continue
		}
		// head, segments of 40 points, journal
		if ids := slices.Sorted(maps.Keys(b.rows[keptPlace])); len(ids) != 1+3+1 {
			t.Errorf("%d rows are kept of 41 points: %q", len(ids), ids)
		}
		if diff := cmp.Diff(answers(t, x), answers(t, embedded.NewVector(b).KeepOften(16))); diff != "" {
			t.Errorf("opened again it answers otherwise:\n%s", diff)
		}
	}
}

// A snapshot of whole chunks holds their codes: opened again it finds the same, and one that is damaged anywhere is not
// used.
func TestKeptCodes(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewVector(b)
	apply(t, x, upTo(0, 3000)...)
	keep(t, x)
	apply(t, x, planePoint("ana", 7, 2), planePoint("ana", 6000, 1))
	erase(t, x, 3, 2100)
	want := answers(t, x)
	opened := func(what string, reads int, damage func(rows map[string][]byte)) {
		t.Helper()
		then := copied(b.rows)
		damage(then.rows[keptPlace])
		if diff := cmp.Diff(want, answers(t, embedded.NewVector(then))); diff != "" || then.reads["ana"] != reads {
			t.Errorf("%s: all rows were read %d times, want %d; it answers (-memory +opened):\n%s", what,
				then.reads["ana"], reads, diff)
		}
	}
	opened("as it is", 0, func(map[string][]byte) {})
	for id, data := range b.rows[keptPlace] {
		if id[:4] != "seg:" {
			continue
		}
		at := len(data) - 5000 // in the codes, or what belongs to them
		opened("with another byte of "+id, 1,
			func(rows map[string][]byte) { rows[id] = slices.Clone(data); rows[id][at] ^= 1 })
		opened("with a part of "+id, 1, func(rows map[string][]byte) { rows[id] = data[:at:at] })
	}
}

// Erased data leaves nothing in the snapshots of others either: no mean of which it was a part.
func TestDiscardedVectorsLeaveNothingInCodes(t *testing.T) {
	t.Parallel()
	segments := func(degrees int) (out [][]byte) {
		b := newBlobs()
		x := embedded.NewVector(b)
		ps := upTo(0, 3000)
		var gone []int
		for n := 0; n < len(ps); n += 100 {
			ps[n].Vector = vector(degrees)
			gone = append(gone, n)
		}
		apply(t, x, ps...)
		keep(t, x)
		erase(t, x, gone...)
		if err := x.DiscardSnapshot(t.Context()); err != nil {
			t.Fatalf("Discard() = %v", err)
		}
		for _, id := range slices.Sorted(maps.Keys(b.rows[keptPlace])) {
			if id[:4] == "seg:" {
				out = append(out, b.rows[keptPlace][id])
			}
		}
		return out
	}
	if one, other := segments(10), segments(190); len(one) != 2 || !slices.EqualFunc(one, other, bytes.Equal) {
		t.Error("what is kept tells which vectors were erased")
	}
}
