package gate

import (
	"slices"
	"strings"
)

// Instruction returns the part of the text that reads like an instruction to a model; empty if there is none. It sees
// through the disguises that [fold] and [decoded] undo. An attacker can evade such a test with other words; it catches
// the many copied ones. The trust tier, not this test, accounts for the sender of a text.
func Instruction(text string) string {
	for _, reading := range readings(text) {
		for _, look := range [...]func(string) string{markup, order, unspacedOrder, matched} {
			if what := look(reading); what != "" {
				return what
			}
		}
	}
	return ""
}

func markup(s string) string {
	const maxTag = 32 // bytes of a tag that are read; bounds the time for a hostile text
	roles, named := orders.words["roleTags"], false
	for i := range len(s) {
		for _, f := range orders.fragments[s[i]] {
			if strings.HasPrefix(s[i:], f.text) {
				return f.what
			}
		}
		switch s[i] {
		case '<':
			rest := strings.TrimLeft(s[i+1:min(len(s), i+maxTag)], "</| ")
			tags := roles
			if hidden, ok := strings.CutPrefix(rest, "!--"); ok { // a comment that addresses a role
				rest = strings.Replace(strings.TrimLeft(hidden, " "), ":", ">", 1)
				tags = slices.Concat(roles, orders.words["readers"])
			}
			for _, tag := range tags {
				if after, ok := strings.CutPrefix(rest, tag); ok && after != "" &&
					strings.IndexByte("> |/=", after[0]) >= 0 {
					return roleTag
				}
			}
			if len(s) > i+2 && s[i+1] == '|' && (isAlnum(s[i+2]) || s[i+2] >= 0x80) {
				return roleTag
			}
		case '"':
			named = named || member(s[i:], `"name"`)
			if named && member(s[i:], `"arguments"`) {
				return "a tool call"
			}
			if rest, ok := strings.CutPrefix(s[i:], `"role":`); ok &&
				strings.HasPrefix(strings.TrimLeft(rest, " "), `"system"`) {
				return roleTag
			}
		}
	}
	return ""
}

const roleTag = "a role tag"

// member reports whether s begins with the name of a JSON member.
func member(s, name string) bool {
	rest, ok := strings.CutPrefix(s, name)
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " "), ":")
}

// matched names the first kind of order that a whole text matches; empty if there is none.
func matched(s string) string {
	for _, m := range orders.matches {
		if m.re.MatchString(s) {
			return m.what
		}
	}
	return ""
}

func order(s string) string {
	for at := 0; ; {
		word, end := nextWord(s, at)
		if word == "" {
			return ""
		}
		for _, p := range orders.patterns[word] {
			if (!p.steps[0].clause || beginsClause(s, end-len(word))) && p.follows(s, end) {
				return p.what
			}
		}
		at = end
	}
}

// follows reports whether the steps after the first are found from at on. Each step takes its first match, which is
// enough for lists of words that do not overlap from step to step.
func (p *orderPattern) follows(s string, at int) bool {
	for _, st := range p.steps[1:] {
		found := false
		for range p.gap + 1 {
			word, end := nextWord(s, at)
			if word == "" || sentenceEnds(s[at:end-len(word)]) {
				return false
			}
			at = end
			found = (st.is[word] || word == "https" && st.words[0] == "http") &&
				(!st.clause || beginsClause(s, end-len(word)))
			if found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// unspacedOrder finds orders in scripts without spaces.
func unspacedOrder(s string) string {
	if printable(s) {
		return ""
	}
	for sentence := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("。！？!?\n", r) }) {
		holds := func(st step) bool {
			return slices.ContainsFunc(st.words, func(w string) bool { return strings.Contains(sentence, w) })
		}
		for _, o := range orders.unspaced {
			if holds(o.steps[0]) && holds(o.steps[1]) && !slices.ContainsFunc(o.steps[2:], holds) {
				return o.what
			}
		}
	}
	return ""
}

// Steers reports whether a sentence steers its reader more than it informs. It is less strict than [Instruction]: it
// quarantines nothing, but no fact is taken from such a sentence unless the user said it.
func Steers(sentence string) bool {
	if Instruction(sentence) != "" {
		return true
	}
	s := fold(sentence)
	return slices.ContainsFunc(orders.words["steering"], func(w string) bool { return strings.Contains(s, w) })
}

func sentenceEnds(between string) bool {
	return strings.Contains(between, ". ") || strings.Contains(between, ".\n") || strings.Contains(between, "\n\n") ||
		strings.ContainsAny(between, "!?")
}

// hurries are words that may come before an imperative.
var hurries = set(orders.words["hurries"])

// beginsClause reports whether a clause begins at the offset: after a mark, a line's end, or hurries.
func beginsClause(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t*_\"'")
	if before == "" || strings.IndexByte(".!?:;,-\n(>", before[len(before)-1]) >= 0 {
		return true
	}
	from := len(before)
	for from > 0 && isLetter(before[from-1]) {
		from--
	}
	return hurries[before[from:]]
}

// nextWord returns the first word at or after at and where it ends; empty at the end of s. A word consists of letters
// and digits of any script, and inner apostrophes.
func nextWord(s string, at int) (string, int) {
	for at < len(s) && !isLetter(s[at]) {
		at++
	}
	end := at
	for end < len(s) && (isLetter(s[end]) || s[end] == '\'') {
		end++
	}
	return s[at:end], end
}

// isLetter treats every byte above ASCII as part of a letter: dashes and quotes are rare there compared to umlauts.
func isLetter(c byte) bool { return isAlnum(c) || c >= 0x80 }
