package later

import "testing"

func BenchmarkBest(b *testing.B) {
	texts := []string{"I live in Rennes, close to the station, with my two cats and a bicycle.", "We moved into the flat in Nantes, near the river.",
		"The printer has eaten the sheet again, so I wrote it by hand.", "My sister came over for dinner and brought the good cheese."}
	for b.Loop() {
		q, a := Read("Where do I live?"), Read(texts[0])
		var all []Candidate
		for i := range 28 {
			all = append(all, Candidate{Turn: Read(texts[i%4]), Question: float64(i) / 40, Earlier: float64(i%7) / 10})
		}
		Best(Of(false), q, a, .5, all)
	}
}
