package reconcile

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// tastes are the verbs of opinions about a thing: what is liked is not disliked.
var tastes = []string{"likes", "prefers", "dislikes"}

func isTaste(x *trilith.Fact) bool { return slices.Contains(tastes, x.Verb) }

// replayGroup names the verbs that are replayed together, by one of them.
func replayGroup(x *trilith.Fact) string {
	if isTaste(x) {
		return tastes[0]
	}
	return x.Verb
}

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

// opposed reports whether two facts of one node cannot both hold: a value and its denial, or two tastes.
func opposed(a, b *trilith.Fact) bool {
	if a.Verb == b.Verb {
		return a.Polarity != b.Polarity
	}
	return isTaste(a) && isTaste(b) && attitude(a)*attitude(b) < 0
}

// diets are those of which one has one; beside it, one may well eat no gluten.
var diets = wordSet("vegetarian vegan pescatarian vegetarier vegetarierin veganer veganerin vegetarisch")

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

// Words for when, where or how, and verbs of activities, folded.
var (
	circumstances = wordSet(
		"in on at with during before after while every by for when im am an auf bei mit nach vor beim jeden jede abends morgens")
	usings = wordSet(
		"drinking drink eating eat playing play watching watch reading read doing do going listening listen to having have trinken essen spielen lesen horen sehen machen gehen")
)

// circumstanced reports whether a value is a kind of thing with words about when, where or how, or with an activity:
// jogging in the morning, Kaffee trinken.
func circumstanced(value, kind string) bool {
	said, all := content(kind), strings.Fields(plain(value))
	for len(all) > 0 && usings[all[0]] {
		all = all[1:]
	}
	n := len(strings.Fields(plain(kind)))
	return len(all) >= n && within(content(strings.Join(all[:n], " ")), said) &&
		(len(all) == n || circumstances[all[n]] || usings[all[n]])
}
