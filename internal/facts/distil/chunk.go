package distil

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

const (
	// MaxTurns is how many turns a model reads at once: with more it begins to overlook facts.
	MaxTurns = 12
	// Overlap is how many turns before a chunk are shown as context.
	Overlap = 2

	maxChunk   = 6000 // bytes of a chunk's text, about 1,500 tokens
	minPiece   = 400  // bytes below which a turn is not cut in two
	maxContext = 1500 // bytes of a turn that is context
	maxFacts   = 100  // of one answer
)

// piece is a turn, or a part of a long one.
type piece struct{ turn, start, end int }

// chunk is the input of the model in one request.
type chunk struct {
	context []int // turns
	pieces  []piece
}

// shown reports whether a turn is one of the chunk's, and whether it is context.
func (c *chunk) shown(turn int) (shown, context bool) {
	if slices.ContainsFunc(c.pieces, func(p piece) bool { return p.turn == turn }) {
		return true, false
	}
	known := slices.Contains(c.context, turn)
	return known, known
}

// chunks divides turns into chunks.
func chunks(turns []Turn) []chunk {
	var all []chunk
	var now []piece
	size := 0
	flush := func() {
		if len(now) > 0 {
			all = append(all, chunk{before(turns, now[0].turn), now})
		}
		now, size = nil, 0
	}
	for i := range turns {
		if t := &turns[i]; t.Context || !readable(t) {
			continue
		}
		for _, p := range cut(turns[i].Text, piece{i, 0, len(turns[i].Text)}, maxChunk) {
			if n := p.end - p.start; len(now) == MaxTurns || size+n > maxChunk {
				flush()
			}
			now, size = append(now, p), size+p.end-p.start
		}
	}
	flush()
	return all
}

// room returns how many tokens an answer about the chunk may have.
func (c *chunk) room() int {
	text := 0
	for _, p := range c.pieces {
		text += p.end - p.start
	}
	return leastRoom + turnRoom*max(len(c.pieces)-1, text/500)
}

// halve makes two chunks of one, nil if it is too small for that.
func (c *chunk) halve(turns []Turn) []chunk {
	pieces := c.pieces
	if len(pieces) == 1 {
		p := pieces[0]
		if p.end-p.start < minPiece {
			return nil
		}
		first := cut(turns[p.turn].Text, p, (p.end-p.start+1)/2)[0]
		pieces = []piece{first, {p.turn, first.end, p.end}}
	}
	mid := len(pieces) / 2
	return []chunk{{c.context, pieces[:mid]}, {before(turns, pieces[mid].turn), pieces[mid:]}}
}

// cut divides a piece that is longer than most: at a paragraph, else at a sentence, a word, a letter.
func cut(text string, p piece, most int) []piece {
	var out []piece
	for p.end-p.start > most {
		head := text[p.start : p.start+most]
		at := 0
		for _, sep := range []string{"\n\n", "\n", ". ", " "} {
			if at = strings.LastIndex(head, sep) + len(sep); at > most/2 {
				break
			}
		}
		if at <= most/2 {
			for at = most; !utf8.RuneStart(text[p.start+at]); at-- {
			}
		}
		out = append(out, piece{p.turn, p.start, p.start + at})
		p.start += at
	}
	return append(out, p)
}

// before returns the turns that are context of a chunk that begins at a turn.
func before(turns []Turn, turn int) []int {
	var out []int
	for i := turn - 1; i >= 0 && len(out) < Overlap; i-- {
		if readable(&turns[i]) {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

func readable(t *Turn) bool {
	return (t.Role == trilith.RoleUser || t.Role == trilith.RoleAssistant || t.Role == "") &&
		strings.TrimSpace(t.Text) != ""
}

// Batches divides n turns into runs of at most MaxTurns, as even as can be: first and end of each.
func Batches(n int) [][2]int {
	count := (n + MaxTurns - 1) / MaxTurns
	var out [][2]int
	for i := range count {
		out = append(out, [2]int{i * n / count, (i + 1) * n / count})
	}
	return out
}
