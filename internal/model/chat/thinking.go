package chat

import "strings"

// thoughts takes out of a streamed text the thinking of a model before it answers: everything between <think> and
// </think>, or <thinking> and </thinking>, at the very beginning. Anywhere else such words are the answer's own, and
// may be a quotation.
type thoughts struct {
	held     string // the beginning, as long as it may become a mark
	closing  string // the mark that ends the thoughts under way
	over     bool   // there were thoughts: white space behind them is not the answer's
	answered bool   // the answer has begun
}

// marks begin and end thoughts.
var marks = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

const space = " \t\r\n"

// pass takes the next piece and returns the settled part of the answer.
func (t *thoughts) pass(piece string) string {
	if t.answered {
		return piece
	}
	t.held += piece
	switch {
	case t.closing == "" && !t.opened():
		return t.settle()
	case t.closing == "":
		return ""
	}
	_, rest, ended := strings.Cut(t.held, t.closing)
	if !ended { // of thoughts only as much is kept as may be the beginning of their end
		t.held = t.held[max(0, len(t.held)-len(t.closing)+1):]
		return ""
	}
	t.closing, t.held, t.over = "", rest, true
	return t.pass("")
}

// opened reports whether the held text may be or has become the beginning of thoughts.
func (t *thoughts) opened() bool {
	start := strings.TrimLeft(t.held, space)
	for _, m := range marks {
		if rest, ok := strings.CutPrefix(start, m[0]); ok {
			t.closing, t.held = m[1], rest
			return true
		}
		if strings.HasPrefix(m[0], start) {
			return true
		}
	}
	return false
}

// end returns the rest when the text is over. Only white space is no answer.
func (t *thoughts) end() string {
	if t.answered || t.closing != "" || strings.TrimSpace(t.held) == "" {
		return ""
	}
	return t.settle()
}

func (t *thoughts) settle() string {
	out := t.held
	if t.over {
		out = strings.TrimLeft(out, space)
	}
	t.answered, t.held = true, ""
	return out
}
