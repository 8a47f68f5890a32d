package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// headings are the headings under which facts are listed, in order: first those about a person, as people introduce
// themselves, then matters of projects.
var headings = []string{"Who", "Home", "Work", "Health", "People", "Tastes", "Things", "Plans", "Tasks", "Decisions",
	"Money", "Matters", "Events", "Other"}

// headingOfVerb are the headings of verbs of people. A key that ends in _ stands for all verbs with that prefix.
var headingOfVerb = map[string]string{
	"has_name": "Who", "goes_by": "Who", "has_age": "Who", "has_birthday": "Who",
	"born_in": "Who", "comes_from": "Who", "has_nationality": "Who",
	"has_marital_status": "Who", "has_phone": "Who", "has_email": "Who",
	"speaks": "Who", "has_trait": "Who",
	"lives_in": "Home", "has_address": "Home",
	"works_as": "Work", "works_at": "Work", "works_in": "Work", "works_on": "Work", "has_work_status": "Work",
	"runs": "Work", "teaches": "Work",
	"studies": "Work", "studies_at": "Work", "has_degree": "Work", "learns": "Work",
	"allergic_to": "Health", "intolerant_to": "Health", "follows_diet": "Health", "avoids": "Health",
	"has_condition": "Health", "takes_medicine": "Health",
	"has_children": "People",
	"plays":        "Tastes", "does_regularly": "Tastes", "favourite_": "Tastes",
	"owns": "Things", "uses": "Things",
}

// headingOfType are the headings of facts whose verb has none.
var headingOfType = map[trilith.FactType]string{
	trilith.FactProfile: "Who", trilith.FactRelationship: "People", trilith.FactPreference: "Tastes", trilith.FactPlan: "Plans",
	trilith.FactSchedule: "Plans",
	trilith.FactTask:     "Tasks", trilith.FactDecision: "Decisions", trilith.FactFinancial: "Money",
	trilith.FactMilestone: "Matters", trilith.FactMaterial: "Matters",
	trilith.FactRisk: "Matters", trilith.FactConstraint: "Matters", trilith.FactDataPoint: "Matters",
	trilith.FactEvent: "Events",
}

// SortByHeading sorts facts by heading, the newest of each first. Ties are ordered by text, so that every store lists
// the same facts in the same order, and then by id.
func SortByHeading(ms []trilith.Memory) {
	slices.SortFunc(ms, func(a, b trilith.Memory) int {
		return cmp.Or(cmp.Compare(slices.Index(headings, HeadingOf(a.Fact)), slices.Index(headings, HeadingOf(b.Fact))),
			b.EventTime.Compare(a.EventTime), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
}

// HeadingOf returns the heading under which a fact is listed. A fact about somebody's relative, such as
// sister_lives_in, is listed under people.
func HeadingOf(f *trilith.Fact) string {
	family, _, _ := strings.Cut(f.Verb, "_")
	heading := cmp.Or(headingOfVerb[f.Verb], headingOfVerb[family+"_"])
	if heading == "" && f.Type == trilith.FactProfile && verbOfRelative(f.Verb) != "" {
		heading = "People"
	}
	return cmp.Or(heading, headingOfType[f.Type], headings[len(headings)-1])
}

// verbOfRelative returns the verb that follows a relation, such as lives_in in younger_sister_lives_in, if it has a
// heading; else "".
func verbOfRelative(verb string) string {
	for relation, rest, ok := strings.Cut(verb, "_"); ok; relation, rest, ok = strings.Cut(rest, "_") {
		if headingOfVerb[rest] != "" && relation != "" {
			return rest
		}
	}
	return ""
}
