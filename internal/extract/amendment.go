package extract

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

// Amendment is a statement about a fact that the turn itself does not contain: that it has ended, was wrong, or has
// another time. The known facts decide which fact is meant; see [reconcile.Amendment]. Its quote is Text[Start:End] of
// its turn: the words of the statement.
type Amendment struct {
	Turn, Start, End int
	Rule             string
	Subjects         []Subject // whose facts are considered
	Verbs            []string  // of the facts that may be meant; empty: any that can end this way
	Any              bool      // any fact may be meant
	Whole            bool      // any fact may be meant whose whole value is these words
	Exact            bool      // the words are the whole value
	Kind             bool      // the words name a kind of thing
	Values           []string  // words that each name the value
	Instead          string
	Was              *time.Time // the last second of a day that was wrong; Due is the right one
	Due              *time.Time // the last second of the new time
	When             string     // the new time as stored in the content; without Due, the days of a habit
	Except           string     // a value that is not meant: the new one
	Over             string     // prefix of the sentence for an ended fact
	Replaces         bool       // Instead replaces all values of the verbs
	Back             bool       // and was true before
	Days             bool       // Was and Due are days of an unknown month
}

// clearest drops ends if the same words give the fact another value or time. Of two corrections it drops the one that
// does not name what was wrong.
func clearest(all []Amendment) []Amendment {
	vague := func(c *Amendment) bool { return c.Instead == "" && c.Due == nil || c.Any && len(c.Values) == 0 }
	return slices.DeleteFunc(slices.Clone(all), func(c Amendment) bool {
		return vague(&c) && slices.ContainsFunc(all, func(o Amendment) bool {
			return !vague(&o) && span{c.Start, c.End}.meets(span{o.Start, o.End})
		})
	})
}

// changed appends the amendment of a rule that matched. A denial, a doubt, hearsay and a clause of somebody else change
// nothing; but another may move what is due.
func (h *hit) changed() {
	if h.Polarity == trilith.Negated || h.Certainty != trilith.Stated || h.turn.Role != trilith.RoleUser ||
		!strings.Contains(h.rule.id, ".moved.") && !(h.owned() && h.wholly()) {
		return
	}
	match := noLonger.ReplaceAllString(h.sentence.text[h.m[0]:h.m[1]], "")
	if !h.rule.whole && h.rule.lang == german && denies(match) {
		return
	}
	start, end := h.place()
	c := Amendment{Turn: h.index, Start: start, End: end, Rule: h.rule.id, Verbs: h.rule.meets,
		Subjects: []Subject{SpeakerSubject, ProjectSubject},
		Over:     [2]string{"No longer: ", "Nicht mehr: "}[h.rule.lang]}
	if h.rule.change(h, &c) {
		h.page.amendments = append(h.page.amendments, c)
	}
}

// unended drops facts that the same words state and end: "our dog Rex died".
func unended(found []Found, all []Amendment) []Found {
	return slices.DeleteFunc(found, func(f Found) bool {
		return f.Polarity == trilith.Affirmed && slices.ContainsFunc(all, func(c Amendment) bool {
			return c.Instead == "" && c.Due == nil && slices.Contains(c.Verbs, f.Verb) &&
				slices.Contains(c.Values, f.Node.Name) && span{c.Start, c.End}.meets(span{f.Start, f.End})
		})
	})
}

// span is a part of a text, in bytes.
type span struct{ start, end int }

func (s span) meets(o span) bool { return s.start < o.end && o.start < s.end }

// newSum matches words for an amount that replaces another one.
var newSum = compiled(`(?i)\b(?:now|raised|increased|went up|gone up|reduced|cut|lowered|dropped to|down to|up to|revised|updated|instead|changed|new|jetzt|nun|erhöht|gestiegen|steigt|gesenkt|gekürzt|sinkt|angehoben|` +
	`aufgestockt|reduziert|korrigiert|geändert|neue[rsn]?|statt|stattdessen|nur noch)\b`)

// sumAmendments returns the ends of amounts that others replace: there is one budget, and a changed rent replaces the
// old one. Single-valued verbs need no amendment for that.
func (p *page) sumAmendments(found []Found) []Amendment {
	var out []Amendment
	for _, f := range found {
		if f.Financial == nil || f.Single || f.Ends || f.Subject == PersonSubject || p.turn.Role != trilith.RoleUser ||
			f.Certainty != trilith.Stated ||
			f.Verb != "has_budget" && !newSum.MatchString(p.turn.Text[f.Start:f.End]) {
			continue
		}
		c := Amendment{Turn: p.index, Start: f.Start, End: f.End, Rule: f.Rule, Verbs: []string{f.Verb},
			Subjects: []Subject{f.Subject}, Except: f.Node.Name, Over: "No longer: "}
		if _, item, ok := strings.Cut(f.Node.Name, " for "); ok {
			c.Values = []string{item}
		} else if f.Verb != "has_budget" && f.Verb != "has_cost" {
			continue // it would end the quotes, or the payments, of everything else
		}
		if strings.HasPrefix(f.Rule, "de.") {
			c.Over = "Nicht mehr: "
		}
		out = append(out, c)
	}
	return out
}

// amending is the function of a rule for changes: it fills in the amendment and reports whether there is one.
type amending func(h *hit, c *Amendment) bool

// place returns the position of the matched words in the turn. For a constructed clause it is the position of the
// original words or, if their order differed, of a part of its sentence.
func (h *hit) place() (start, end int) {
	s := h.sentence
	if !s.made {
		return h.at, s.start + h.m[1]
	}
	if end = s.place(h.m[1]); end <= h.at || !utf8.RuneStart(h.turn.Text[end]) {
		return s.start, s.end
	}
	return h.at, end
}

// Verbs of facts that may end together.
var (
	jobVerbs     = []string{"works_at", "works_as"}
	homeVerbs    = []string{"lives_in", "has_address"}
	partnerVerbs = []string{"has_partner", "has_spouse", "has_husband", "has_wife", "has_friend"}
	thingVerbs   = []string{"owns", "has_pet"}
	belovedVerbs = []string{"has_pet", "has_partner", "has_spouse", "has_husband", "has_wife", "has_friend",
		"has_boss", "has_landlord", "has_colleague", "has_neighbour"}
	plannedVerbs = []string{"plans", "wants", "decided", "has_task", "has_appointment", "has_schedule",
		"has_milestone", "has_deadline", "uses_material"}
	openVerbs     = []string{"has_task", "has_deadline", "plans", "wants", "has_appointment"}
	timedVerbs    = []string{"has_deadline", "has_schedule", "has_appointment", "has_milestone", "has_task", "plans"}
	treatedVerbs  = []string{"takes_medicine", "does_regularly"}
	bearableVerbs = []string{"allergic_to", "intolerant_to", "avoids", "follows_diet"}
)

// almost reports whether words weaken their statement.
func almost(s string) bool {
	return slices.ContainsFunc(words(nil, s), func(w string) bool {
		return negations[w] || wishes[w] || hedges[w] || w == "almost" || w == "nearly" || w == "fast" ||
			w == "beinahe" || w == "lust" || w == "time" || w == "zeit"
	})
}

// finishing lists verbs that do not name the finished activity.
var finishing = wordSet(
	"do done finish finished complete completed sort sorted erledigt fertig gemacht abgeschlossen geschafft abgehakt")

// settling are verbs after which nothing is due any more.
var settling = wordSet("done finished complete completed paid sent submitted filed handed delivered returned signed renewed mailed posted settled published printed sorted " +
	"erledigt fertig abgeschlossen geschafft abgehakt bezahlt gezahlt überwiesen abgeschickt verschickt geschickt gesendet abgegeben eingereicht unterschrieben verlängert geliefert zurückgegeben veröffentlicht fertiggestellt")

// moves fills in the new time of the thing named x.
func moves(h *hit, c *Amendment) bool {
	g := h.rule.groups()
	if h.x != "" && !ends(h, c) && !unnamed.MatchString(tidy(h.x)) {
		return false
	}
	for _, e := range h.within(max(0, h.m[2*g.y]-6), h.m[2*g.y+1]) {
		if e.Kind != dates.Point && e.Kind != dates.Deadline {
			continue
		}
		_, to := h.coming(e)
		last := to.Add(-time.Second)
		c.Due, c.When = &last, last.Format(time.DateOnly)
		return true
	}
	return false
}

// corrects fills in the wrong value, x, and the right one, y.
func corrects(h *hit, c *Amendment) bool {
	if h.cutsDay() {
		return false
	}
	wrong, right := valueOf(h.x), valueOf(h.y)
	if right == "" || strings.EqualFold(wrong, right) || len(strings.Fields(right)) > 6 ||
		len(strings.Fields(wrong)) > 6 || almost(right) || almost(wrong) || notMeant.MatchString(right) ||
		notMeant.MatchString(wrong) {
		return false
	}
	c.Any, c.Instead = true, right
	if wrong != "" {
		c.Values = []string{wrong}
	}
	g := h.rule.groups()
	if g.x > 0 && g.y > 0 {
		c.Was, c.Due = h.dayAt(g.x), h.dayAt(g.y)
		if x, y := dayOfMonth(h.x), dayOfMonth(h.y); x > 0 { // of the month of the other date, or of an unknown one
			if c.Days = y > 0; c.Days {
				c.Due = lastSecond(h.turn.At, y)
			}
			if c.Due != nil {
				c.Was = lastSecond(*c.Due, x)
			}
		}
		if c.Was == nil || c.Due == nil {
			c.Days = false
			c.Was, c.Due = nil, nil
		} else {
			c.When = c.Due.Format(time.DateOnly)
		}
	}
	return true
}

// ordinalDay is a day of an unnamed month.
var ordinalDay = compiled(`(?i)^(?:(?:the|on|am|der|den|dem|vom|zum|auf) )*(\d{1,2})(?:st|nd|rd|th|\.)$`)

// dayOfMonth returns the day that such words name, or 0.
func dayOfMonth(s string) int {
	m := ordinalDay.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// lastSecond returns the last second of a day in the month of a time.
func lastSecond(in time.Time, day int) *time.Time {
	last := time.Date(in.Year(), in.Month(), day+1, 0, 0, 0, 0, in.Location()).Add(-time.Second)
	return &last
}

// cutsDay reports whether a value ends inside a German day, before the month: "am 6" of "am 6. Mai".
func (h *hit) cutsDay() bool {
	g := h.rule.groups()
	return slices.ContainsFunc([]int{g.x, g.y}, func(n int) bool {
		return n > 0 && h.m[2*n] >= 0 && monthNext.MatchString(h.sentence.text[h.m[2*n+1]-1:])
	})
}

var monthNext = compiled(`^` + german1st)

// dayAt returns the last second of the day in a group of the match.
func (h *hit) dayAt(group int) *time.Time {
	for _, e := range h.within(h.m[2*group], h.m[2*group+1]) {
		if e.Granularity == dates.Day && hasDigit.MatchString(h.sentence.text[e.Start:e.End]) {
			_, to := h.coming(e)
			last := to.Add(-time.Second)
			return &last
		}
	}
	return nil
}

// tasteAmendments returns the ends of likings for a kind of thing that somebody dislikes, or likes less than another:
// somebody who cannot stand jogging does not like it in the morning, and somebody who prefers coffee to tea does not
// prefer tea.
func (p *page) tasteAmendments(found []Found) []Amendment {
	var out []Amendment
	for _, f := range found {
		if f.Certainty != trilith.Stated || p.turn.Role != trilith.RoleUser || f.Type != trilith.FactPreference ||
			f.Subject != SpeakerSubject {
			continue
		}
		c := Amendment{Turn: p.index, Start: f.Start, End: f.End, Rule: f.Rule,
			Verbs: []string{"likes", "prefers"}, Kind: true,
			Subjects: []Subject{f.Subject}, Over: "No longer: "}
		less, _ := f.Content["to"].(string)
		switch {
		case f.Verb == "dislikes" && f.Polarity == trilith.Affirmed, f.Verb == "likes" && f.Polarity == trilith.Negated:
			c.Values = []string{f.Node.Name}
		case f.Verb == "prefers" && f.Polarity == trilith.Affirmed && less != "":
			c.Verbs, c.Values, c.Kind, c.Exact = []string{"prefers"}, []string{less}, false, true
		default:
			continue
		}
		if strings.HasPrefix(f.Rule, "de.") {
			c.Over = "Nicht mehr: "
		}
		out = append(out, c)
	}
	return out
}

// notMeant are words that correct no value.
var notMeant = compiled(
	`(?i)^(?:it|that|this|you|me|him|her|them|us|what|how|to|well|no|yes|so|everything|nothing|something|else|literally|seriously|offen[cs]e|harm|es|das|dich|mich|ihn|sie|ernst|so|böse|gut)\b`)

var leadingWords = compiled(
	`(?i)^(?:(?:in|at|to|on|for|from|with|by|am|im|bei|nach|gegen|auf|mit|für|von|als|aus)\s+)+`)

// naming matches the beginning of a sentence that ends with a value: "his name is Brutus", "she lives in Leer".
var naming = compiled(`(?i)^(?:(?:(?:his|her|its|their|my|our|the|sein|seine|ihr|ihre|mein|meine|unser|unsere|der|die|das) (?:[\pL'’-]+ ){1,3}(?:is|was|are|ist|war|sind|heißt|lautet)(?: called| named)?)|` +
	`(?:(?:he|she|it|they|we|er|sie|es|wir) (?:is|was|are|lives?|works?|ist|war|sind|heißt|heißen|wohnt|wohnen|arbeitet|arbeiten)|(?:he|she|it|they|we)['’](?:s|re))(?: called| named)?|(?:I|ich) (?:live|work|am|wohne|arbeite|bin|heiße))\s+`)

// heading matches the word for a correction before a colon: "Zahlendreher: 0170 11".
var heading = compiled(`^[\pL ]{3,25}:\s+`)

// valueOf removes words that do not belong to a value.
func valueOf(s string) string {
	return bare(tidy(tailless(
		leadingWords.ReplaceAllString(naming.ReplaceAllString(heading.ReplaceAllString(tidy(s), ""), ""), ""))))
}
