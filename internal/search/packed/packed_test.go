package packed_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u, i, s := rapid.Uint64().Draw(t, "uint"), rapid.Int64().Draw(t, "int"), rapid.String().Draw(t, "text")
		b := packed.AppendText(packed.AppendInt(packed.AppendUint(nil, u), i), s)
		r := packed.Read(string(b) + "rest")
		if gotU, gotI, gotS := r.Uint(), r.Int(), r.Text(); gotU != u || gotI != i || gotS != s || r.Failed() ||
			r.Rest() != "rest" {
			t.Fatalf("read %d, %d, %q, failed %v, rest %q; want %d, %d, %q, false, rest", gotU, gotI, gotS, r.Failed(),
				r.Rest(), u, i, s)
		}
		cut := packed.Read(string(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")]))
		cut.Uint()
		cut.Int()
		cut.Text()
		if !cut.Failed() {
			t.Fatal("what is cut off was read without a failure")
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add("")
	f.Add("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	f.Fuzz(func(t *testing.T, data string) {
		r := packed.Read(data)
		for !r.Failed() && r.Rest() != "" {
			if n := r.Count(1); n > len(data) {
				t.Fatalf("%d things in %d bytes", n, len(data))
			}
			_ = r.Text()
		}
	})
}
