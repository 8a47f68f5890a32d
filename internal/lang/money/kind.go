package money

import "strings"

// Kind is what an amount is, by the words about it.
type Kind string

// The kinds.
const (
	Estimate    Kind = "estimate"
	Quote       Kind = "quote"
	ChangeOrder Kind = "change_order"
	HardCost    Kind = "hard_cost"
	Invoice     Kind = "invoice"
	Payment     Kind = "payment"
	Budget      Kind = "budget"
	CreditNote  Kind = "credit_note"
	Refund      Kind = "refund"
)

// trigger is a word, or a pair of them, that tells a kind. See lexicon.txt.
type trigger struct {
	kind    Kind
	pattern string
}

// clausesApart is how many bytes a word counts as farther away that is in the clause after the amount's.
const clausesApart = 25

// kindReach is how many bytes before and behind an amount its words may be.
const kindReach = 80

// Classify returns the kind of the amount a of text, by the nearest word for a kind in its sentence, at most 80
// bytes before or behind it. A tie between a word before and one behind goes to the one before, and a tie between
// two before it to the longer. It returns "" if no word tells. An amount that lies outside the text is of no kind.
func Classify(text string, a Amount, lang Lang) Kind {
	if a.Start < 0 || a.End > len(text) || a.Start > a.End {
		return ""
	}
	before := nearestKind(sentenceBefore(text[max(0, a.Start-kindReach):a.Start]), lang, true)
	after := sentenceBehind(text[a.End:min(len(text), a.End+kindReach)])
	if likened := likening().FindStringIndex(after); likened != nil {
		after = after[:likened[0]] // a bill "as quoted" is a bill
	}
	behind := nearestKind(after, lang, false)
	if at := strings.IndexByte(after, ','); at >= 0 && at < behind.distance {
		behind.distance += clausesApart
	}
	if before.kind != "" && (behind.kind == "" || before.distance <= behind.distance) {
		return before.kind
	}
	return behind.kind
}

// sentenceBefore returns the part of s that belongs to its last sentence.
func sentenceBefore(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '\n' || isSentenceEnd(s, i) {
			return s[i+1:]
		}
	}
	return s
}

func sentenceBehind(s string) string {
	for i := range len(s) {
		if s[i] == '\n' || isSentenceEnd(s, i) {
			return s[:i]
		}
	}
	return s
}

// isSentenceEnd takes a mark for one when white space and no small letter follow, which tells most abbreviations apart.
func isSentenceEnd(s string, i int) bool {
	switch s[i] {
	case '!', '?', ';':
		return true
	case '.':
		rest := strings.TrimLeft(s[i+1:], " ")
		return len(rest) > 0 && len(rest) < len(s)-i-1 && isCapital(rest[0]) && (i < 2 || s[i-2] != ' ') &&
			!labelEnd().MatchString(s[max(0, i-4):i])
	}
	return false
}

type nearest struct {
	kind     Kind
	distance int // bytes
}

// nearestKind returns the trigger of s that is nearest to its end, or to its beginning.
func nearestKind(s string, lang Lang, toEnd bool) (best nearest) {
	longest := 0
	tokens := lex(s, nil)
	for i, t := range tokens {
		if t.class != word {
			continue
		}
		w, pair := strings.ToLower(s[t.start:t.end]), ""
		end := t.end
		if i+1 < len(tokens) && tokens[i+1].class == word {
			pair = w + "+" + strings.ToLower(s[tokens[i+1].start:tokens[i+1].end])
		}
		kind, paired := kindOf(w, pair, lang)
		if kind == "" {
			continue
		}
		if paired {
			end = tokens[i+1].end
		}
		distance := t.start
		if toEnd {
			distance = len(s) - end
		}
		if best.kind == "" || distance < best.distance || distance == best.distance && end-t.start > longest {
			best, longest = nearest{kind, distance}, end-t.start
		}
	}
	return best
}

// kindOf tells the kind of a word, or of it and the next.
func kindOf(w, pair string, lang Lang) (kind Kind, paired bool) {
	if unlike[w] || unlike[pair] {
		return "", false
	}
	for _, t := range triggers {
		if pair != "" && t.pattern == pair {
			return t.kind, true
		}
		if matches(t.pattern, w, lang) && kind == "" {
			kind = t.kind
		}
	}
	return kind, false
}

func matches(pattern, w string, lang Lang) bool {
	if stem, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(w, stem)
	}
	if stem, ok := strings.CutPrefix(pattern, "*"); ok {
		return lang != English && strings.HasSuffix(w, stem)
	}
	return w == pattern
}
