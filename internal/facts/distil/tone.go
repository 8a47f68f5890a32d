package distil

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

//go:embed tone.txt
var toneFile string

// patterns are the rows of tone.txt by name.
var patterns = wordfile.Patterns(toneFile, lazyre.New)

var (
	negation, harmless, leadingNo      = patterns["negation"], patterns["harmless"], patterns["leadingNo"]
	supposing, courtesy, whether       = patterns["supposing"], patterns["courtesy"], patterns["whether"]
	unreal, real, past                 = patterns["unreal"], patterns["real"], patterns["past"]
	takenBack, laughed, staged         = patterns["takenBack"], patterns["laughed"], patterns["staged"]
	told, recounted, phrases           = patterns["told"], patterns["recounted"], patterns["phrases"]
	hearsay, addressed, anaphor        = patterns["hearsay"], patterns["addressed"], patterns["anaphor"]
	first, firstAs                     = patterns["first"], patterns["firstAs"]
	otherPerson, otherName, cannotHave = patterns["otherPerson"], patterns["otherName"], patterns["cannotHave"]

	// avoiding lists verbs that contain a denial: somebody who does not like rain dislikes it.
	avoiding = []string{"dislikes", "avoids", "intolerant_to", "allergic_to", "follows_diet", "hates", "lacks"}
)

// tone checks the tone of the quote in its clause and sentence: words that are denied, asked, supposed or said by
// somebody else are no statement of the speaker.
func (h *hearing) tone() string {
	if reason := h.reported(); reason != "" {
		return reason
	}
	switch f := h.frame; {
	case h.denied():
		h.doubt(DoubtNegation)
	case strings.HasSuffix(f.whole, "?") && h.found.Type != trilith.FactTask &&
		!h.found.Proposed:
		h.doubt(DoubtQuestion)
	case h.supposed():
		h.doubt(DoubtSupposed)
	case h.elsewhere():
		h.doubt(DoubtElsewhere)
	}
	return ""
}

// denied reports whether the clause denies an affirming claim.
func (h *hearing) denied() bool {
	deny := func(s string) bool {
		return negation.MatchString(leadingNo.ReplaceAllString(harmless.ReplaceAllString(s, " "), " "))
	}
	if h.found.Polarity != trilith.Affirmed || !deny(h.frame.clause) ||
		deny(h.claim.Sentence) || deny(strings.ReplaceAll(h.found.Verb, "_", " ")) {
		return false
	}
	if slices.Contains(avoiding, h.found.Verb) && cannotHave.MatchString(h.frame.clause) {
		stem := h.found.Verb[:4] // I do not avoid gluten, I am not allergic to it
		return strings.Contains(strings.ToLower(h.frame.clause), stem)
	}
	return !slices.Contains([]trilith.FactType{trilith.FactDecision, trilith.FactRisk, trilith.FactConstraint,
		trilith.FactTask},
		h.found.Type)
}

// supposed reports whether the sentence only supposes the claim. A task, a risk or a rule may well depend on
// something.
func (h *hearing) supposed() bool {
	f := h.frame
	if takenBack.MatchString(f.next) || laughed.MatchString(f.whole) {
		return true
	}
	if slices.Contains([]trilith.FactType{trilith.FactTask, trilith.FactRisk, trilith.FactConstraint, trilith.FactDecision},
		h.found.Type) {
		return false
	}
	if supposing.MatchString(courtesy.ReplaceAllString(f.whole, " ")) ||
		whether.MatchString(f.before+" "+f.clause) {
		return true
	}
	lasting := slices.Contains(
		[]trilith.FactType{trilith.FactProfile, trilith.FactRelationship, trilith.FactEvent}, h.found.Type)
	return lasting && unreal.MatchString(real.ReplaceAllString(f.clause, " ")) &&
		!unreal.MatchString(h.claim.Sentence)
}

// reported decides about statements that the sentence attributes to somebody. A statement that somebody else made
// about himself is not the speaker's; a thing that the speaker once told others, or believed, need not be true.
func (h *hearing) reported() string {
	upTo := phrases.ReplaceAllString(h.frame.upTo, " ")
	if at := recounted.FindStringSubmatchIndex(upTo); at != nil {
		believed := at[2] >= 0 || at[4] >= 0
		if !addressed.MatchString(h.frame.whole) &&
			(believed || negation.MatchString(upTo[:at[1]]) || staged.MatchString(h.frame.whole) ||
				past.MatchString(upTo[at[1]:])) {
			h.doubt(DoubtSupposed)
		}
		return ""
	}
	at := told.FindStringSubmatchIndex(upTo)
	if at == nil {
		if !hearsay.MatchString(upTo) {
			return ""
		}
		if h.found.Subject == Speaker && !first.MatchString(upTo) {
			return ReasonSpeaker
		}
		h.hearsay()
		return ""
	}
	if said := upTo[at[1]:]; h.found.Subject == Speaker && (!first.MatchString(said) || inQuotes(said)) {
		return ReasonSpeaker
	}
	h.hearsay()
	return ""
}

// hearsay notes that somebody else is said to have said it.
func (h *hearing) hearsay() {
	if h.found.Certainty == trilith.Stated {
		h.found.Certainty = trilith.Reported
		h.found.Confidence = min(h.found.Confidence, reported)
	}
}

// inQuotes reports whether a text begins with quoted words.
func inQuotes(s string) bool {
	return strings.IndexAny(strings.TrimLeft(s, " :,"), "\"“„«»‚‘'") == 0
}

// elsewhere reports whether the object is in the turn or those before, but not at the quote: then the quote states something
// else. A pronoun may stand for a name in the sentence before.
func (h *hearing) elsewhere() bool {
	near := evidence{}
	near.read(h.frame.whole, h.lang)
	if anaphor.MatchString(h.frame.whole) {
		near.read(h.frame.last, h.lang)
	}
	near.read(h.basis, h.lang)
	terms := textproc.Analyzer{}.QueryTerms(string(h.claim.Value), textproc.All)
	inTurn := false
	for _, forms := range terms {
		for _, t := range forms {
			if near["~"+t] || h.more["~"+t] {
				return false
			}
			inTurn = inTurn || h.said["~"+t]
		}
	}
	return inTurn
}
