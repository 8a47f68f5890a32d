package lexical

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Rules is a set of ranking rules besides plain matching of words. Each can be left out, to measure its effect; without
// any, a search is plain BM25. docs/retrieval.md describes the effect and cost of each.
type Rules uint32

// The rules. Roles, words and facts belong to the plan (package retrieve), all others to word search.
const (
	RuleNearby     Rules = 1 << iota // a match counts in the turns around it, too
	RuleAsked                        // a question boosts the next turn of another speaker more
	RuleNames                        // a named person is looked for as the speaker, not as a word
	RuleDates                        // what happened on a day or in a month that is named comes first
	RuleBackground                   // how common a word is in the language counts too
	RuleRequest                      // words of the request count less than words of the matter
	RulePerson                       // turns that say nothing about a person count less
	RuleWhen                         // asked when, turns that speak of a time count more
	RuleCue                          // requested to help, turns that state a preference count more
	RuleRoles                        // the assistant's turns count less, unless the question asks for them
	RuleWords                        // likeness of meaning by word vectors, where no other embedder is configured
	RuleFacts                        // facts are keys of the turns that they rest on
	RuleSpelling                     // a word that no document contains also matches similar spellings and meanings
	RuleRelated                      // a word also matches its synonyms and, if it names a class, the members
	AllRules       Rules = 1<<iota - 1
)

// ruleNames are the names of the rules, in the order of their bits. They appear in answers and must not change.
var ruleNames = []string{"nearby", "asked", "names", "dates", "background", "request", "person", "when", "cue", "roles",
	"words", "facts", "spelling", "related"}

// RulesOf returns the rules of a search in an index that leaves some out.
func RulesOf(p role.TextProbe, without Rules) Rules {
	if !p.Conversation {
		return 0
	}
	return AllRules &^ without
}

// Each returns the rules of the set one by one, in their order.
func (r Rules) Each() (out []Rules) {
	for i := range ruleNames {
		if one := Rules(1) << i; r.Has(one) {
			out = append(out, one)
		}
	}
	return out
}

// String lists the rules, separated by commas; "all" and "none" for those.
func (r Rules) String() string {
	switch r {
	case AllRules:
		return "all"
	case 0:
		return "none"
	}
	return strings.Join(r.Names(), ",")
}

// Names returns the names of the rules in the set, in order.
func (r Rules) Names() (names []string) {
	for i, name := range ruleNames {
		if r.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// Ruled is a text index whose searches of conversations can do without some of the rules, to measure and to test the
// effect of each.
type Ruled interface {
	role.TextIndex
	// LeaveOut makes searches do without some rules from now on. It must not run during a search.
	LeaveOut(without Rules)
}

// Has reports whether all of o are in the set.
func (r Rules) Has(o Rules) bool { return r&o == o }

// ParseRules parses the format of [Rules.String]. A minus before a name removes a rule; a text that begins with one
// starts from all: "-dates,-when".
func ParseRules(text string) (Rules, error) {
	var r Rules
	for i, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		name, away := strings.CutPrefix(name, "-")
		if i == 0 && away {
			r = AllRules
		}
		of := slices.Index(ruleNames, name)
		switch {
		case name == "all" && !away:
			r = AllRules
		case name == "none" && !away:
			r = 0
		case of < 0:
			return 0, trilith.Errorf(trilith.Invalid, "rules: %.32q is not a rule; "+
				"use all, none or names of %s, with a minus before those to leave out",
				name, strings.Join(ruleNames, ", "))
		case away:
			r &^= 1 << of
		default:
			r |= 1 << of
		}
	}
	return r, nil
}
