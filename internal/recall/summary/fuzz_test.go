package summary

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/test/saidtest"
)

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		texts := []Text{{Who: "Ana", Text: text}, {Text: text[:len(text)/2]}}
		for _, budget := range []int{0, 3, 40} {
			for _, q := range Extract(texts, budget, func(s string) int { return len(s) / 4 }) {
				if q.Text < 0 || q.Text >= len(texts) || q.Said == "" {
					t.Errorf("Extract(%q) = %+v", text, q)
				}
			}
		}
		Unfounded(text, texts)
		Topics([]string{text, texts[1].Text, ""})
	})
}
