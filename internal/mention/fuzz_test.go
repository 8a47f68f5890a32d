package mention

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/saidtest"
)

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		turn := Read(text)
		turn.Letters(func(string) {})
		half := text[:len(text)/2]
		keys := append(Keys(half, text, "Ana", false), TopicKeys("has_task", half)...)
		if got, ok := turn.Of(append(keys, Keys(half, text, half, true)...)); ok &&
			!(0 <= got.Start && got.Start <= got.End && got.End <= len(text)) {
			t.Errorf("Of(%q) = %+v, out of the text", text, got)
		}
	})
}
