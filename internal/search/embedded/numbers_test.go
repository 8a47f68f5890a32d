package embedded

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// someNumbers are alike, or far apart, or of some unit, in turns.
var someNumbers = rapid.Custom(func(t *rapid.T) int64 {
	switch rapid.IntRange(0, 5).Draw(t, "kind of number") {
	case 0:
		return rapid.Int64().Draw(t, "any")
	case 1:
		return rapid.SampledFrom(
			[]int64{math.MinInt64, math.MaxInt64, 0, -1, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 +
				1}).Draw(t, "edge")
	case 2:
		return 1e15 + 1e6*rapid.Int64Range(-300, 300).Draw(t, "seconds")
	case 3:
		return 1e15 + 1e3*rapid.Int64Range(-70000, 70000).Draw(t, "milliseconds")
	default:
		return rapid.Int64Range(0, 3).Draw(t, "small")
	}
})

// Numbers are those that were set last, also in a snapshot, and a range contains exactly the numbers within it.
func TestNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var x numbers
		want := rapid.SliceOfN(someNumbers, 0, 10).Draw(t, "first")
		x.add(want...)
		for range rapid.IntRange(0, 3).Draw(t, "fills") {
			same := slices.Repeat([]int64{someNumbers.Draw(t, "filling")}, rapid.IntRange(0, 1500).Draw(t, "times"))
			x.add(same...)
			want = append(want, same...)
		}
		for range rapid.IntRange(0, 40).Draw(t, "sets") {
			slot, v := rapid.IntRange(0, len(want)).Draw(t, "slot"), someNumbers.Draw(t, "number")
			x.set(uint32(slot), v)
			want = append(want[:slot], append([]int64{v}, want[min(slot+1, len(want)):]...)...)
		}
		if rapid.Bool().Draw(t, "kept") {
			again, ok := readNumbers(packed.Read(string(x.appendTo(nil))), x.n)
			if !ok {
				t.Fatal("what was kept is not read")
			}
			x = again.clone()
		}
		for slot, v := range want {
			if got := x.at(uint32(slot)); got != v {
				t.Fatalf("slot %d of %d holds %d, want %d", slot, len(want), got, v)
			}
		}
		low, high := someNumbers.Draw(t, "low"), someNumbers.Draw(t, "high")
		set, inRange := make([]uint64, (len(want)+63)/64), []uint32(nil)
		every := rapid.SampledFrom([]int{1, 7, 100}).Draw(t, "every")
		for slot, v := range want {
			if slot%every != 0 {
				continue
			}
			set[slot/64] |= 1 << (slot % 64)
			if low <= v && v <= high {
				inRange = append(inRange, uint32(slot))
			}
		}
		x.between(set, low, high)
		if got := slices.Collect(members(set)); !slices.Equal(got, inRange) {
			t.Fatalf("between(%d, %d) of %v leaves %v, want %v", low, high, want, got, inRange)
		}
	})
}
