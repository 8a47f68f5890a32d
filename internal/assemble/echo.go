package assemble

import (
	"strings"

	"github.com/cairn-memory/cairn"
)

// leastEchoed is the length from which a line of the block is recognised; shorter ones may be anybody's words.
const leastEchoed = 24

// WithoutBlock takes from an answer the lines that it repeats from the block: what memory said is not said by the
// assistant. The gate knows a block that is whole; this knows one that came back without its fence. Turns of the
// session are anybody's words, so only the lines before them are known.
func WithoutBlock(answer, block string) string {
	shown := map[string]bool{cairn.FenceClose: block != ""} // which is short, and comes after the turns
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
