package assemble

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// leastEchoed is the length from which a line of the block is recognised; shorter ones may be anybody's words.
const leastEchoed = 24

// WithoutBlock removes the lines from an answer that repeat the block: the assistant did not say the words that came
// from memory. The gate recognises a whole block; this recognises one that came back without its fence. Turns of the
// session may be anybody's words, so only the lines before them are recognised.
func WithoutBlock(answer, block string) string {
	shown := map[string]bool{trilith.FenceClose: block != ""} // which is short, and comes after the turns
	known, _, _ := strings.Cut(block, "\n"+ConsultTurns)
	for line := range strings.SplitSeq(known, "\n") {
		bare := strings.TrimSpace(line)
		if len(bare) >= leastEchoed || strings.HasPrefix(line, "   ") {
			shown[bare], shown[strings.TrimPrefix(bare, "- ")] = true, true
		}
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(answer, "\n") {
		if !shown[strings.Trim(line, " \t\r\n>|*#-")] && !shown[strings.TrimSpace(line)] {
			out.WriteString(line)
		}
	}
	return out.String()
}
