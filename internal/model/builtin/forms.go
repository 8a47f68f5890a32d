package builtin

import "math"

// forms is the sum of the words' looks.
type forms struct {
	vector [Dims]float32
	words  int
	parts  int
	last   uint64 // place of the last part
}

// Weights of a word's parts. A longer part is shared by fewer words and so says more; a part that holds the word's
// end says less, because there words are inflected. The whole word says most, but not much: lexical search finds
// equal words already.
const (
	shortest = 3
	longest  = 5

	wholeWeight = 1.5
	endFactor   = 0.5

	// Of a script without spaces, where a word has two characters or so: a character, and the pair that it ends.
	packedWeight = 0.4
	pairWeight   = 0.6
)

var partWeight = [longest + 1]float32{3: 1, 4: 1.2, 5: 1.4}

// wordScale makes a word's parts together as long as the word's weight, by the word's length: words of one or two
// letters weigh less, others alike, however many parts they have.
var wordScale = func() (t [maxWord + 1]float32) {
	for n := range t {
		square := wholeWeight * wholeWeight
		for size := shortest; size <= longest; size++ {
			w := float64(partWeight[size])
			if inside := n + 2 - size; inside >= 0 {
				square += w * w * (float64(inside) + endFactor*endFactor)
			}
		}
		t[n] = float32(math.Min(1, 0.4+0.2*float64(n)) / math.Sqrt(square))
	}
	return t
}()

// addWord adds a word between its edges, whose hash is whole.
func (f *forms) addWord(whole uint64, word []rune) {
	f.words++
	scale := wordScale[len(word)-2]
	f.addWide(whole, wholeWeight*scale)
	for i := range word {
		h := uint64(startPart)
		for j := i; j < min(i+longest, len(word)); j++ {
			h = hashNext(h, word[j])
			size := j - i + 1
			if size < shortest {
				continue
			}
			weight := partWeight[size] * scale
			if j == len(word)-1 {
				weight *= endFactor
			}
			f.add(h, weight)
		}
	}
}

// addPacked adds a character of a script that has no spaces between words, and the pair that it ends if one is before
// it.
func (f *forms) addPacked(before, r rune) {
	f.words++
	f.add(hashNext(startPacked, r), packedWeight)
	if before != 0 {
		f.addWide(hashNext(hashNext(startPair, before), r), pairWeight)
	}
}

// addWide adds something heavy. It has four places, lest two such things that meet in one look like a match.
func (f *forms) addWide(h uint64, weight float32) {
	for n := range uint64(4) {
		f.add(h+n, weight/2) // together as long as one place of the whole weight
	}
}

func (f *forms) add(h uint64, weight float32) {
	h = mix(h)
	if h&1 == 1 {
		weight = -weight
	}
	f.last = h >> 1 % Dims
	f.vector[f.last] += weight
	f.parts++
}

// The start and the prime are those of 64-bit FNV-1a (Fowler, Noll, Vo); here a step takes a character, not a byte.
// Different kinds of features have different starts, which no character can make equal: characters have 21 bits.
const (
	startWord   = 0xcbf29ce484222325
	startPart   = startWord ^ 1<<40
	startPacked = startWord ^ 2<<40
	startPair   = startWord ^ 3<<40

	hashPrime = 0x100000001b3
)

func hashNext(h uint64, r rune) uint64 { return (h ^ uint64(r)) * hashPrime }

// mix spreads the bits of h over all of it, after the finalizer of MurmurHash3 (A. Appleby, 2011).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
