package dates

// window is how many tokens on each side of an expression are searched for the tense of its sentence.
const window = 12

// senseOf returns whether the sentence around the tokens [i, end) is about the past or the future. The nearest word
// decides; of two equally near ones, the one before the expression.
func (p *parser) senseOf(i, end int) sense {
	left, right := i-1, end
	auxiliary, participle := false, false
	for range window {
		for _, at := range [...]*int{&left, &right} {
			if *at < 0 || *at >= len(p.tokens) {
				continue
			}
			if p.isSentenceEnd(*at) {
				*at = -1
				continue
			}
			t := p.at(*at)
			switch r := t.lexeme.roles; {
			case t.shape != word || r&notPast != 0:
			case r&aPastCue != 0:
				return past
			case r&aFutureCue != 0:
				return future
			case r&anAuxiliary != 0:
				auxiliary = true
			case r == 0 && !t.upper && p.lex.past(p.text[t.start:t.end]):
				participle = true
				if p.lex.simplePast {
					return past
				}
			}
			if auxiliary && participle {
				return past
			}
			if at == &left {
				*at--
			} else {
				*at++
			}
		}
	}
	return neutral
}

// isSentenceEnd reports whether token i ends a sentence. A dot after a number may belong to an ordinal.
func (p *parser) isSentenceEnd(i int) bool {
	if t := p.at(i); t.shape != mark {
		return false
	} else if t.n == '!' || t.n == '?' || t.n == ';' {
		return true
	} else if t.n != '.' {
		return false
	}
	return p.at(i-1).shape != number && (i+1 >= len(p.tokens) || p.at(i+1).upper)
}
