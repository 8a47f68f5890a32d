package gate

import (
	"strings"
	"unicode"
)

// Instruction says what in the text reads like an order to a model; empty if nothing does. It sees through case, full
// width letters and invisible characters between letters. Such a test can be evaded by whoever rewrites the order in other
// words; what it guards is the crowd of copied ones. Who is behind a text is the trust tier's question.
func Instruction(text string) string {
	folded := fold(text)
	if what := markup(folded); what != "" {
		return what
	}
	return order(folded)
}

// fold lower-cases and removes what hides words.
func fold(text string) string {
	if printable(text) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E: // full width forms of ! to ~
			r -= 0xFF01 - '!'
		case invisible(r):
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// roleTags are names of tags and markers that chat templates and tool protocols give a meaning to.
var roleTags = []string{"system", "assistant", "user", "developer", "tool", "tool_call", "tool_calls", "tool_result",
	"function_call", "function_calls", "instructions", "cairn-memory"}

// callKeys are JSON members that only a tool call has; so does a "name" with "arguments" behind it.
var callKeys = []string{`"tool_calls"`, `"function_call"`, `"tool_use"`}

func markup(s string) string {
	const maxTag = 32 // bytes of a tag looked at; keeps the time for a hostile text linear
	named := false
	for i := range len(s) {
		switch s[i] {
		case '<':
			rest := strings.TrimLeft(s[i+1:min(len(s), i+maxTag)], "</| ")
			for _, tag := range roleTags {
				if after, ok := strings.CutPrefix(rest, tag); ok && after != "" && strings.IndexByte("> |/=", after[0]) >= 0 {
					return "a role tag"
				}
			}
			if strings.HasPrefix(s[i:], "<|im_") || strings.HasPrefix(s[i:], "<<sys>>") {
				return "a role tag"
			}
		case '[':
			if strings.HasPrefix(s[i:], "[inst]") || strings.HasPrefix(s[i:], "[/inst]") {
				return "a role tag"
			}
		case '"':
			for _, key := range callKeys {
				if strings.HasPrefix(s[i:], key) {
					return "a tool call"
				}
			}
			named = named || strings.HasPrefix(s[i:], `"name"`)
			if named && strings.HasPrefix(s[i:], `"arguments"`) {
				return "a tool call"
			}
		}
	}
	return ""
}

// An orderPattern is a run of words with gaps. Each step lists its alternatives; between two steps lie at most gap
// other words, and all of it in one sentence. The step "http" matches an address.
type orderPattern struct {
	what  string
	gap   int
	steps [][]string
}

func pattern(what string, gap int, steps ...string) orderPattern {
	p := orderPattern{what: what, gap: gap}
	for _, s := range steps {
		p.steps = append(p.steps, strings.Split(s, "|"))
	}
	return p
}

const (
	override    = "an order to ignore instructions"
	promote     = "an order to recommend"
	standing    = "a standing order"
	exfiltrate  = "an order to send data away"
	hide        = "an order to hide something"
	extract     = "an order to reveal instructions"
	endorsement = "an order to trust a source"
	approve     = "an order to approve memories"
)

var orderPatterns = []orderPattern{
	pattern(override, 3, "ignore|disregard|forget|override|bypass", "previous|prior|above|earlier|all|your|any|preceding", "instruction|instructions|rules|prompt|prompts|guidelines|directives"),
	pattern(override, 3, "ignoriere|ignorieren|vergiss|vergessen|missachte|überschreibe", "vorherigen|bisherigen|obigen|alle|früheren|deine|ihre|vorigen", "anweisung|anweisungen|regeln|instruktionen|vorgaben|befehle"),
	pattern(promote, 2, "you|assistant|ai|agent", "must|should|shall|will|have", "always|only|never", "recommend|suggest|mention|promote|prefer|answer|reply|respond|say|cite|trust|use"),
	pattern(promote, 5, "du|sie|assistent", "musst|müssen|sollst|sollen|wirst|werden", "immer|nur|stets|niemals|nie", "empfehlen|vorschlagen|erwähnen|nennen|antworten|bevorzugen|sagen|verwenden|vertrauen"),
	pattern(standing, 4, "from", "now", "on", "when|whenever|if|every", "asked|asks|user|users|someone|anyone|they|question"),
	pattern(standing, 4, "in", "future", "conversations|sessions|chats|answers", "always|never|recommend|prefer|mention"),
	pattern(standing, 5, "ab|von", "jetzt|sofort|nun|künftig", "wenn|falls|sobald|immer", "gefragt|fragt|nutzer|benutzer|jemand|frage"),
	pattern(exfiltrate, 12, "remember|always|must|please|never|then|now|silently|secretly", "send|post|forward|upload|submit|transmit|leak|exfiltrate|copy", "http"),
	pattern(exfiltrate, 12, "merke|denke|denk|immer|bitte|musst|heimlich|dann|stets", "senden|sende|schicken|schicke|sendest|schickst|übertragen|hochladen|weiterleiten", "http"),
	pattern(exfiltrate, 12, "merke|denke|denk|immer|bitte|musst|heimlich|dann|stets", "http", "senden|schicken|übertragen|hochladen|weiterleiten|weiterzuleiten"),
	pattern(hide, 3, "do|don't|never|without", "tell|telling|inform|informing|reveal|mention|mentioning|show|notify|notifying", "user|users"),
	pattern(hide, 5, "ohne|nicht|niemals|nie", "nutzer|nutzern|benutzer|benutzern|anwender", "sagen|informieren|mitteilen|verraten|erwähnen"),
	pattern(extract, 3, "reveal|print|output|repeat|show|leak", "system", "prompt|instructions|message"),
	pattern(approve, 3, "mark|set|treat|flag|markiere|behandle", "all|every|everything|these|memories|facts|alle|alles|fakten", "as|als", "verified|confirmed|approved|trusted|bestätigt|geprüft|freigegeben"),
	pattern(endorsement, 6, "remember|treat|consider|regard", "as", "trusted|authoritative|reliable|preferred", "source|site|website|company|domain|provider|expert|authority"),
	pattern(endorsement, 8, "merke|betrachte|behandle", "als", "vertrauenswürdige|zuverlässige|bevorzugte|verlässliche", "quelle|seite|website|firma|anbieter"),
}

// patternsAt finds the patterns by their first word.
var patternsAt = func() map[string][]*orderPattern {
	at := map[string][]*orderPattern{}
	for i := range orderPatterns {
		p := &orderPatterns[i]
		for _, w := range p.steps[0] {
			at[w] = append(at[w], p)
		}
	}
	return at
}()

func order(s string) string {
	for at := 0; ; {
		word, end := nextWord(s, at)
		if word == "" {
			return ""
		}
		for _, p := range patternsAt[word] {
			if p.follows(s, end) {
				return p.what
			}
		}
		at = end
	}
}

// follows reports whether the steps after the first are found from at on. Each step takes its first match, which is
// enough for lists of words that do not overlap from step to step.
func (p *orderPattern) follows(s string, at int) bool {
	for _, step := range p.steps[1:] {
		found := false
		for range p.gap + 1 {
			word, end := nextWord(s, at)
			if word == "" || sentenceEnds(s[at:end-len(word)]) {
				return false
			}
			at = end
			for _, alt := range step {
				if found = word == alt || alt == "http" && word == "https"; found {
					break
				}
			}
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

func sentenceEnds(between string) bool {
	return strings.Contains(between, ". ") || strings.Contains(between, "\n\n") || strings.ContainsAny(between, "!?")
}

// nextWord returns the first word at or after at and where it ends; empty at the end of s. A word is letters and digits of
// any script, and an apostrophe within.
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

// isLetter takes every byte above ASCII for part of a letter: dashes and quotes there are rare enough beside umlauts.
func isLetter(c byte) bool { return isAlnum(c) || c >= 0x80 }
