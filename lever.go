package cairn

import (
	"slices"
	"strings"
)

// Levers is a set of the levers of recall: rules beside plain matching of words that can each be left out, to see what it
// gives. The zero value is plain BM25. What each does, gains and costs is told in docs/retrieval.md.
type Levers uint32

// The levers.
const (
	LeverNearby     Levers = 1 << iota // a turn lends what it matches to the turns around it
	LeverAsked                         // a question lends more to the turn of another speaker that follows it
	LeverNames                         // who is named is looked for as the speaker, not as a word
	LeverDates                         // what happened on a day or in a month that is named comes first
	LeverBackground                    // how common a word is in the language counts too
	LeverRequest                       // words of the request count less than words of the matter
	LeverPerson                        // turns that say nothing about a person count less
	LeverWhen                          // asked when, turns that speak of a time count more
	LeverCue                           // requested to help, turns that state a preference count more
	LeverRoles                         // what the assistant said counts less, unless it is asked for
	LeverWords                         // likeness of meaning by word vectors, where no other embedder is configured
	LeverFacts                         // facts are keys of the turns that they rest on
	LeverSpelling                      // a word that nobody used is looked for as those that are spelt alike, or mean the same
	AllLevers       Levers = 1<<iota - 1
)

// leverNames are those of the levers, in the order of their bits.
var leverNames = []string{"nearby", "asked", "names", "dates", "background", "request", "person", "when", "cue", "roles", "words", "facts", "spelling"}

// Has reports whether all of l are pulled.
func (v Levers) Has(l Levers) bool { return v&l == l }

// Each returns the levers of the set one by one, in their order.
func (v Levers) Each() (out []Levers) {
	for i := range leverNames {
		if l := Levers(1) << i; v.Has(l) {
			out = append(out, l)
		}
	}
	return out
}

// String lists the levers with commas between them; "all" and "none" for those.
func (v Levers) String() string {
	switch v {
	case AllLevers:
		return "all"
	case 0:
		return "none"
	}
	var names []string
	for i, name := range leverNames {
		if v.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// ParseLevers reads what [Levers.String] writes. A name with a minus before it takes a lever away; who begins with such a name
// begins with all: "-dates,-when".
func ParseLevers(text string) (Levers, error) {
	var v Levers
	for i, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		name, away := strings.CutPrefix(name, "-")
		if i == 0 && away {
			v = AllLevers
		}
		of := slices.Index(leverNames, name)
		switch {
		case name == "all" && !away:
			v = AllLevers
		case name == "none" && !away:
			v = 0
		case of < 0:
			return 0, Errorf(Invalid, "levers: %.32q is none; use all, none or names of %s, with a minus before what is to be left out", name, strings.Join(leverNames, ", "))
		case away:
			v &^= 1 << of
		default:
			v |= 1 << of
		}
	}
	return v, nil
}
