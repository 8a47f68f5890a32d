package transfer

import (
	"bytes"
	"html"
	"io"
	"iter"
	"regexp"
	"strings"

	"github.com/trilith-memory/trilith"
)

// A caption begins with its times, in both formats: 00:01:02.500 --> 00:01:04.000, with a comma in one of them, and
// optional hours in the other.
var (
	captionTimes = regexp.MustCompile(`^\s*((?:\d{1,3}:)?\d{1,2}:\d{2})[.,]\d{3}\s+-->\s+(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{3}`)
	captionVoice = regexp.MustCompile(`<v(?:\.[^\s>]*)?\s+([^>]+)>`)
	captionMarks = regexp.MustCompile(`</?[A-Za-z0-9:.][^>]*>|\{\\[^}]*\}`)
)

// readCaptions reads captions as one document: each caption is a line with its time, so that its position in the
// recording can be found.
func readCaptions(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		data, err := io.ReadAll(io.LimitReader(in.r, trilith.MaxDocumentBytes+1))
		if err != nil {
			yield(Item{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
			return
		}
		if err := fitDocument(len(data)); err != nil {
			yield(Item{}, in.bad(1, err))
			return
		}
		text := captions(string(bytes.TrimPrefix(data, bom)))
		if text == "" {
			yield(Item{}, in.bad(1, trilith.Errorf(trilith.Invalid, "holds no captions")))
			return
		}
		yield(in.document("text/plain", text), nil)
	}
}

// captions returns the captions of a file, one a line. Blocks without times (notes, styles) are left out.
func captions(file string) string {
	var out strings.Builder
	last := ""
	file = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(file)
	for block := range strings.SplitSeq(file, "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		at := 0
		for at < min(len(lines), 3) && !captionTimes.MatchString(lines[at]) { // after a number or a name
			at++
		}
		if at >= len(lines) || !captionTimes.MatchString(lines[at]) {
			continue
		}
		said := strings.Join(lines[at+1:], " ")
		if voice := captionVoice.FindStringSubmatch(said); voice != nil {
			said = strings.TrimSpace(voice[1]) + ": " + said
		}
		said = strings.Join(strings.Fields(html.UnescapeString(captionMarks.ReplaceAllString(said, ""))), " ")
		if said == "" || said == last { // rolling captions repeat the text on the screen
			continue
		}
		last = said
		out.WriteString("[" + captionTimes.FindStringSubmatch(lines[at])[1] + "] " + said + "\n")
	}
	return out.String()
}
