// Package wordvec has a rough meaning of English words: a table inside the program has a vector for each of some ten
// thousand words, made so that the vectors of texts that belong together point the same way. "Outdoor activities"
// comes out near "enjoys hiking", which share no word.
//
// A text is the sum of its words, unit length. Stop words are not in the table, and the length of a vector is the
// weight of its word: training made rare and telling words long and common ones short. A word that the table lacks
// counts as the word that it is derived from or a slip of the pen for, or as the two that it is made of, if the table
// has those; all others count nothing.
//
// The vectors are rough. Their cosine adds to the score of shared words; it does not separate related from unrelated
// texts, so it is fit for no threshold and finds no duplicates.
//
// The table also says how common a stem is in what people write to each other ([Share]), which tells the telling words
// of a question where a memory is too small to count them.
//
// README.md in this folder names the sources of the table and their licences; tools/wordvec makes it.
package wordvec

import "math"

// Dims is the number of dimensions of a vector.
const Dims = 256

// Embed returns the unit vector of a text, Dims long, or nil if the table knows no word of it. It allocates nothing but
// the result for a text in ASCII, and takes about 0.2 µs for a word. It is safe for concurrent use.
func Embed(text string) []float32 {
	var sum Sum
	words := Scan(text)
	for word := words.Next(); word != nil; word = words.Next() {
		sum.Add(word, 1)
	}
	return sum.Unit()
}

// Share returns the share of background texts, each a turn of a conversation or a sentence, that hold an English stem,
// as textproc stems it: at least 0, below 1. It is 0 of a stem that is too rare to be listed.
func Share(stem string) float64 {
	if i := shipped().stems.find(stem); i >= 0 {
		return float64(float32At(shipped().shares, i))
	}
	return 0
}

// Sum is the sum of the vectors of words.
type Sum [Dims]float32

// Add adds the vector of a word, as [Scanner.Next] returns it, times a weight. It reports whether the word is known.
func (s *Sum) Add(word []byte, weight float32) bool {
	t := shipped()
	rows, n := t.rowsOf(word)
	for _, row := range rows[:n] {
		t.addRow(s, row, weight/float32(n))
	}
	return n > 0
}

// Unit returns the sum, made one long, or nil if it is nothing.
func (s *Sum) Unit() []float32 {
	var square float64
	for _, x := range s {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return nil
	}
	scale := float32(1 / math.Sqrt(square))
	unit := make([]float32, Dims)
	for i, x := range s {
		unit[i] = x * scale
	}
	return unit
}
