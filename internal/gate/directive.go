package gate

import (
	"slices"
	"strings"
)

// Directs reports whether a sentence says what is to be done, or changes what somebody wants, is paid by or is reached
// at, rather than how things are. It looks at the build of the sentence and not at its topic: a mood (an imperative, an
// obligation, a permission, a wish), what it holds for (all cases, the future), and whom or what it binds (assistants
// and what they do, money, addresses, checks). One of these alone is ordinary speech; an order takes two. What somebody
// says of themselves alone directs nobody if own is set. It is looser than [Steers], and knows the common languages of
// Europe, Chinese and Japanese.
func Directs(sentence string, own bool) bool {
	if strings.Contains(sentence, "<!--") { // meant for machines alone
		return true
	}
	var speaks trait // I is a word of Italian and Polish too, but not with a capital within a sentence
	if strings.Contains(" "+sentence, " I ") || strings.Contains(" "+sentence, " I'") {
		speaks = self
	}
	for _, reading := range readings(sentence) {
		if directed(traits(unmarked(reading))|speaks, own) {
			return true
		}
	}
	return false
}

// trait is a part that a word plays in an order.
type trait uint16

const (
	duty       trait = 1 << iota // must, may, is expected to
	impersonal                   // an obligation that names nobody
	command                      // a verb in the imperative
	wish                         // prefers, wants
	general                      // all, always
	onward                       // from now on
	agent                        // assistants, their tools and any reader
	output                       // what they make: replies, summaries
	everyAgent                   // all agents, any reply
	matter                       // money, checks, secrets
	address                      // of the web, of mail, of an account
	patron                       // the user, as others speak of them
	turned                       // now, new, instead
	self                         // I, my
)

// has reports whether all of the traits are there, and any whether one of them is.
func (t trait) has(all trait) bool  { return t&all == all }
func (t trait) any(some trait) bool { return t&some != 0 }

func directed(t trait, own bool) bool {
	switch bound := agent | output | matter | address; {
	case own && t.has(self) && !t.any(command|everyAgent|patron):
		return false
	case t.has(duty):
		return t.any(agent|everyAgent|address|onward) || t.has(general) && t.any(output|matter)
	case t.has(impersonal), t.has(command):
		return t.any(bound | onward | general | turned)
	case t.has(wish):
		return t.any(bound | onward | general | patron)
	case t.has(onward):
		return t.any(bound)
	case t.has(patron):
		return t.any(address) || t.has(matter|turned)
	}
	return t.has(everyAgent) || t.has(address|turned)
}

// traits collects the parts that the words of a sentence play.
func traits(s string) trait {
	var all trait
	for _, p := range directivePhrases {
		if strings.Contains(s, p.text) {
			all |= p.is
		}
	}
	if addressed(s) {
		all |= address
	}
	const near = 2 // words from "every" to "reply"
	begins, quantified, owed := true, 0, false
	for at, before := 0, ""; ; {
		word, end := nextWord(s, at)
		if word == "" {
			return all
		}
		begins = begins && (before == "" || slices.Contains(hurries, before)) ||
			strings.ContainsAny(s[at:end-len(word)], ".!?:;,-\n(>")
		is := directiveWords[word]
		if before == "zu" && owed && strings.HasSuffix(word, "en") { // ist zu nennen
			is |= duty
		}
		if begins && (commands[word] || imperative(word, s, end)) {
			is |= command
		}
		if quantified--; is.any(agent|output) && quantified >= 0 {
			is |= everyAgent
		}
		if is.has(general) {
			quantified = near
		}
		all |= is
		owed = owed || owes[word]
		at, before = end, word
	}
}

// imperative reports whether a word at the beginning of an English clause commands: it comes right before what it acts
// on, which no noun does, and has no ending of a verb in another form.
func imperative(word, s string, end int) bool {
	next, after := nextWord(s, end)
	if next == "" || strings.TrimSpace(s[end:after-len(next)]) != "" || noCommands[word] || len(word) < 3 ||
		strings.ContainsAny(word, "'0123456789") {
		return false
	}
	for _, ending := range []string{"s", "ed", "ing", "ly"} {
		if strings.HasSuffix(word, ending) && word != "pass" && word != "address" {
			return false
		}
	}
	return objects[next] || strings.HasSuffix(next, "'s")
}

// addressed reports whether a sentence holds an address of the web or of mail, or the number of an account.
func addressed(s string) bool {
	if strings.Contains(s, "[secret:") { // a number of an account, as it is stored
		return true
	}
	for word := range strings.FieldsSeq(s) {
		at := strings.IndexByte(word, '@')
		if strings.Contains(word, "://") || at > 0 && strings.Contains(word[at:], ".") {
			return true
		}
		if len(word) >= 4 && word[0] >= 'a' && word[0] <= 'z' && word[1] >= 'a' && word[1] <= 'z' && isDigit(word[2]) &&
			isDigit(word[3]) && (len(word) == 4 || len(word) > 14) {
			return true // an IBAN, apart or in one
		}
	}
	return false
}
