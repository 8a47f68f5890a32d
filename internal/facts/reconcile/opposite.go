package reconcile

import (
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// tastes are the verbs of opinions about a thing: a person does not both like and dislike a thing.
var tastes = []string{"likes", "prefers", "dislikes"}

// Matter returns the verbs in which facts can contradict a fact: its own, or all of taste. They are replayed together.
func Matter(x *trilith.Fact) []string {
	if isTaste(x) {
		return tastes
	}
	return []string{x.Verb}
}

// opposed reports whether two facts of one node cannot both hold: a value and its denial, or two tastes.
func opposed(a, b *trilith.Fact) bool {
	if a.Verb == b.Verb {
		return a.Polarity != b.Polarity
	}
	return isTaste(a) && isTaste(b) && attitude(a)*attitude(b) < 0
}

func isTaste(x *trilith.Fact) bool { return slices.Contains(tastes, x.Verb) }

// attitude returns the attitude in a taste: 1 for it, -1 against it, 0 if that is open. Somebody who does not prefer a
// thing need not dislike it.
func attitude(x *trilith.Fact) int {
	switch affirmed := x.Polarity == trilith.Affirmed; {
	case affirmed && x.Verb == "dislikes", !affirmed && x.Verb == "likes":
		return -1
	case affirmed:
		return 1
	}
	return 0
}

// diets exclude each other: a person follows one of them. Others, such as eating no gluten, can be added to it.
var diets = map[string]bool{"vegetarian": true, "vegan": true, "pescatarian": true, "vegetarier": true,
	"vegetarierin": true, "veganer": true, "veganerin": true, "vegetarisch": true}

// otherDiet reports whether two facts name two diets that exclude each other: who becomes a vegan is no longer called a
// vegetarian.
func otherDiet(a, b *trilith.Fact) bool {
	return a.Verb == "follows_diet" && a.Verb == b.Verb && diets[textproc.Fold(a.Node.Name)] &&
		diets[textproc.Fold(b.Node.Name)]
}

// dated lists the types of facts whose time is a part of them: another time means that they were moved.
var dated = []trilith.FactType{trilith.FactSchedule, trilith.FactMilestone, trilith.FactPlan, trilith.FactTask}

// postponed reports whether a statement gives a current fact another time: then the former time no longer holds.
func postponed(p *period, s statement) bool {
	x, of := p.m.Fact, s.of.Fact
	if !slices.Contains(dated, of.Type) || of.Polarity == trilith.Negated || rank[s.Trust] < rank[p.m.Trust] ||
		!s.At.After(p.m.EventTime) {
		return false
	}
	if of.ActionDeadline != nil {
		return x.ActionDeadline != nil && !of.ActionDeadline.Equal(*x.ActionDeadline)
	}
	return of.Type != trilith.FactTask && s.Until != nil && p.m.ValidUntil != nil && !s.Until.Equal(*p.m.ValidUntil)
}
