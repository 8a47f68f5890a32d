package bm25

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// A snapshot finds each of its names, and says of others that it does not hold them.
func TestRestoredNames(t *testing.T) {
	t.Parallel()
	x := New(1, .5)
	name := func(i int) string { return fmt.Sprintf("w%dx", i*7919) }
	const names = 3000
	for i := range names {
		x.Put(uint32(i), []string{name(i)})
	}
	y := again(t, x)
	for i := range 2 * names {
		if got := y.Holds(name(i), nil); got != (i < names) {
			t.Fatalf("Holds(%q) = %t", name(i), got)
		}
	}
	maybe := 0
	for i := names; i < 2*names; i++ {
		if y.kept.maybe.has(&y.kept, name(i)) {
			maybe++
		}
	}
	if maybe > names/10 {
		t.Errorf("of %d names that are not held %d have to be looked for", names, maybe)
	}
	if empty := again(t, New(1, .5)); empty.Holds("a", nil) {
		t.Error("a snapshot of nothing holds a name")
	}
}

// again returns an index as it is restored.
func again(t *testing.T, x *Index) *Index {
	t.Helper()
	var b bytes.Buffer
	w := packed.NewWriter(&b)
	x.Freeze().Write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	y, err := Restore(K1, B, packed.Read(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return y
}
