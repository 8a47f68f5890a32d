package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// lasting lists verbs of relations that do not change in the course of a life.
var lasting = map[string]bool{"has_mother": true, "has_father": true, "has_parent": true, "has_son": true,
	"has_daughter": true, "has_child": true, "has_brother": true,
	"has_sister": true, "has_sibling": true, "has_relative": true}

// changeable lists verbs whose values change in a person's life, in addition to the types of facts that change. They
// also apply to the person's people, as in sister_lives_in.
var changeable = map[string]bool{"lives_in": true, "has_address": true, "works_as": true, "works_at": true,
	"works_in": true, "has_work_status": true, "runs": true,
	"teaches": true, "studies": true, "studies_in": true, "learns": true, "has_marital_status": true,
	"allergic_to": true, "intolerant_to": true, "follows_diet": true,
	"has_condition": true, "takes_medicine": true, "has_phone": true, "has_work_phone": true, "has_email": true,
	"has_work_email": true, "uses": true, "lives_with": true, "commutes_by": true, "provider_": true,
	"has_weight": true, "has_role": true, "member_of": true}

// Changes reports whether a fact is of a sort that can end without anybody saying so: home, work, studies, health,
// contact data, relations, plans, tasks, deadlines, amounts.
func Changes(f *cairn.Fact) bool {
	switch f.Type {
	case cairn.FactPlan, cairn.FactTask, cairn.FactSchedule, cairn.FactFinancial:
		return true
	case cairn.FactRelationship:
		return !lasting[f.Verb]
	}
	return changeable[f.Verb] || ofSomebody(f.Verb, changeable) != ""
}

// Facts about a person are listed in the order in which people introduce themselves: name, home, work, health, family
// and friends, likes, plans, things to do; then matters of projects.

// parts are the headings for the facts about a person, in order.
var parts = []string{"Who", "Home", "Work", "Health", "People", "Tastes", "Things", "Plans", "Tasks", "Decisions",
	"Money", "Matters", "Events", "Other"}

// partOfVerb maps verbs of people to headings. A key that ends in _ stands for all verbs with that prefix.
var partOfVerb = map[string]string{
	"has_name": "Who", "goes_by": "Who", "has_age": "Who", "has_birthday": "Who", "has_birth_year": "Who",
	"born_in": "Who", "comes_from": "Who", "has_nationality": "Who",
	"has_marital_status": "Who", "has_phone": "Who", "has_work_phone": "Who", "has_email": "Who",
	"has_work_email": "Who", "speaks": "Who", "has_trait": "Who",
	"has_height": "Who", "has_size": "Who",
	"lives_in": "Home", "has_address": "Home", "has_rent": "Home", "lives_with": "Home",
	"works_as": "Work", "works_at": "Work", "works_in": "Work", "works_on": "Work", "has_work_status": "Work",
	"has_salary": "Work", "runs": "Work", "teaches": "Work", "commutes_by": "Work",
	"studies": "Work", "studies_in": "Work", "has_degree": "Work", "learns": "Work",
	"allergic_to": "Health", "intolerant_to": "Health", "follows_diet": "Health", "avoids": "Health",
	"has_condition": "Health", "takes_medicine": "Health",
	"has_blood_type": "Health", "has_weight": "Health",
	"has_children": "People",
	"plays":        "Tastes", "does_regularly": "Tastes", "favourite_": "Tastes", "member_of": "Tastes", "has_role": "Tastes",
	"owns": "Things", "uses": "Things", "provider_": "Things",
}

var partOfType = map[cairn.FactType]string{
	cairn.FactProfile: "Who", cairn.FactRelationship: "People", cairn.FactPreference: "Tastes", cairn.FactPlan: "Plans",
	cairn.FactSchedule: "Plans",
	cairn.FactTask:     "Tasks", cairn.FactDecision: "Decisions", cairn.FactFinancial: "Money",
	cairn.FactMilestone: "Matters", cairn.FactMaterial: "Matters",
	cairn.FactRisk: "Matters", cairn.FactConstraint: "Matters", cairn.FactDataPoint: "Matters",
	cairn.FactEvent: "Events",
}

// PartOf returns the heading under which a fact is listed. A fact about somebody's relative, such as sister_lives_in,
// is listed under people.
func PartOf(f *cairn.Fact) string {
	family, _, _ := strings.Cut(f.Verb, "_")
	part := cmp.Or(partOfVerb[f.Verb], partOfVerb[family+"_"])
	if part == "" && f.Type == cairn.FactProfile && ofSomebody(f.Verb, partOfVerb) != "" {
		part = "People"
	}
	return cmp.Or(part, partOfType[f.Type], parts[len(parts)-1])
}

// ofSomebody returns the verb in among that follows a relation, such as lives_in in younger_sister_lives_in; "" if
// there is none.
func ofSomebody[V any](verb string, among map[string]V) string {
	for relation, rest, ok := strings.Cut(verb, "_"); ok; relation, rest, ok = strings.Cut(rest, "_") {
		if _, known := among[rest]; known && relation != "" {
			return rest
		}
	}
	return ""
}

// InOrderOfLife sorts facts by heading, the newest of each first. Ties are ordered by text, so that every store lists
// the same facts in the same order, and then by id.
func InOrderOfLife(ms []cairn.Memory) {
	slices.SortFunc(ms, func(a, b cairn.Memory) int {
		return cmp.Or(cmp.Compare(slices.Index(parts, PartOf(a.Fact)), slices.Index(parts, PartOf(b.Fact))),
			b.EventTime.Compare(a.EventTime), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
}
