package gate

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/saidtest"
)

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		checkGate(t, text)
		checkGate(t, "> "+trilith.FenceOpen+">\n"+text+"\n"+trilith.FenceClose+"\n"+text)
		for sentence := range strings.SplitSeq(text, ". ") {
			Steers(sentence)
			Directs(sentence, true)
			Directs(sentence, false)
		}
	})
}
