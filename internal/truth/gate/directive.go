package gate

import (
	"slices"
	"strings"
)

// trait is the part that a word plays in an instruction.
type trait uint16

const (
	duty       trait = 1 << iota // must, may, is expected to
	impersonal                   // an obligation without a subject
	command                      // a verb in the imperative
	wish                         // prefers, wants
	general                      // all, always
	onward                       // from now on
	agent                        // assistants, their tools and any reader
	output                       // their output: replies, summaries
	everyAgent                   // all agents, any reply
	matter                       // money, checks, secrets
	address                      // of the web, of mail, of an account
	patron                       // the user in the third person
	turned                       // now, new, instead
	self                         // I, my
)

// Directs reports whether a sentence gives an instruction, or changes what somebody wants or how somebody is paid or
// reached, instead of stating a fact. It looks at the grammar of the sentence and not at its topic: a mood (an
// imperative, an obligation, a permission, a wish), its extent (all cases, the future), and its target (assistants and
// their actions, money, addresses, checks). A single one of these is ordinary speech; an instruction has two. If own is
// set, a statement only about the speaker does not count. It is less strict than [Steers], and knows the common
// languages of Europe, Chinese and Japanese.
func Directs(sentence string, own bool) bool {
	if strings.Contains(sentence, "<!--") { // an HTML comment: only machines read it
		return true
	}
	var speaks trait // I is a word of Italian and Polish too, but not with a capital within a sentence
	if strings.Contains(" "+sentence, " I ") || strings.Contains(" "+sentence, " I'") {
		speaks = self
	}
	return slices.ContainsFunc(readings(sentence), func(reading string) bool {
		return directed(traits(unmarked(reading))|speaks, own)
	})
}

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

// Imperatives, verbs that oblige, beginnings of objects and words before objects, see directives.txt.
var (
	commands   = set(strings.Split(unmarked(strings.Join(orders.words["commands"], "|")), "|"))
	owes       = set(orders.words["owes"])
	objects    = set(orders.words["objects"])
	noCommands = set(orders.words["noCommands"])
)

// traits collects the traits of the words of a sentence.
func traits(s string) trait {
	var all trait
	for _, p := range orders.phrases {
		if strings.Contains(s, p.text) {
			all |= p.is
		}
	}
	if addressed(s) {
		all |= address
	}
	const near = 2 // words between "every" and "reply"
	begins, quantified, owed := true, 0, false
	for at, before := 0, ""; ; {
		word, end := nextWord(s, at)
		if word == "" {
			return all
		}
		begins = begins && (before == "" || hurries[before]) ||
			strings.ContainsAny(s[at:end-len(word)], ".!?:;,-\n(>")
		is := orders.traits[word]
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

// addressed reports whether a sentence contains a web or mail address, or an account number.
func addressed(s string) bool {
	if strings.Contains(s, "[secret:") { // an account number in its stored form
		return true
	}
	for word := range strings.FieldsSeq(s) {
		at := strings.IndexByte(word, '@')
		if strings.Contains(word, "://") || at > 0 && strings.Contains(word[at:], ".") {
			return true
		}
		if len(word) >= 4 && word[0] >= 'a' && word[0] <= 'z' && word[1] >= 'a' && word[1] <= 'z' && isDigit(word[2]) &&
			isDigit(word[3]) && (len(word) == 4 || len(word) > 14) {
			return true // an IBAN, with or without spaces
		}
	}
	return false
}

// imperative reports whether a word at the beginning of an English clause is an imperative: it comes right before its
// object, which a noun never does, and has no ending of another verb form.
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

func (t trait) any(some trait) bool { return t&some != 0 }

var traitNamed = map[string]trait{"duty": duty, "impersonal": impersonal, "command": command, "wish": wish,
	"general": general, "onward": onward, "agent": agent, "output": output, "matter": matter, "patron": patron,
	"turned": turned, "self": self}

// has reports whether all of the traits are present, and any whether at least one is.
func (t trait) has(all trait) bool { return t&all == all }
