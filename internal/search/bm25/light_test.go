package bm25

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestLightForms: a light form finds what no other form finds, for a share of the score, and does not make a word more
// common that documents hold in another form.
func TestLightForms(t *testing.T) {
	t.Parallel()
	x := New(0, 0)
	x.Put(0, []string{"mother"})
	x.Put(1, []string{"mom"})
	x.Put(2, []string{"mom", "mother"})
	x.Put(3, []string{"dog"})
	q := Query{Terms: []Term{{Forms: []string{"mother"}, Light: []string{"mom", "unknown"}, Scale: 1, Common: -1}},
		Light: .5}
	idf := math.Log(1 + (4-2+.5)/(2+.5))
	want := []Hit{{0, idf}, {2, idf}, {1, .5 * idf}}
	if diff := gocmp.Diff(want, x.Search(q, nil, 10, ascending).Hits, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("Search(mother, lightly mom): -want +got\n%s", diff)
	}
	q.Terms[0].Forms = nil
	want = []Hit{{1, .5 * math.Log(1+(2-1+.5)/(1+.5))}}
	got := x.Search(q, []uint64{0b1010}, 10, ascending).Hits
	if diff := gocmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("Search(lightly mom) in a set of two, a term of light forms alone: -want +got\n%s", diff)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	x := New(K1, B)
	x.Put(0, []string{"a"})
	x.Put(70, []string{"a", "b"})
	x.Put(1, []string{"c"})
	x.Delete(1)
	kept := Gather(K1, B, []Posting{{Slot: 0, Count: 1}, {Slot: 70, Count: 2}},
		map[string][]Posting{"a": {{Slot: 0, Count: 1}, {Slot: 70, Count: 1}}, "b": {{Slot: 70, Count: 1}}})
	for _, c := range []struct {
		term  string
		allow []uint64
		want  bool
	}{
		{"a", nil, true}, {"b", nil, true}, {"c", nil, false}, {"d", nil, false},
		{"a", []uint64{1}, true}, {"b", []uint64{1}, false}, {"b", []uint64{0, 1 << 6}, true},
		{"a", []uint64{0}, false}, {"a", []uint64{}, false},
	} {
		for name, index := range map[string]*Index{"changed": x, "gathered": kept} {
			if got := index.Holds(c.term, c.allow); got != c.want {
				t.Errorf("%s: Holds(%q, %b) = %t, want %t", name, c.term, c.allow, got, c.want)
			}
		}
	}
}
