package facts

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// permanentRelations are verbs of relations that do not change in the course of a life.
var permanentRelations = map[string]bool{"has_mother": true, "has_father": true, "has_parent": true, "has_son": true,
	"has_daughter": true, "has_child": true, "has_brother": true,
	"has_sister": true, "has_sibling": true, "has_relative": true}

// changeable are verbs whose values change in a person's life, in addition to the types of facts that change. They
// also apply to the person's people, as in sister_lives_in. A key that ends in _ stands for all verbs with that prefix.
var changeable = map[string]bool{"lives_in": true, "has_address": true, "works_as": true, "works_at": true,
	"works_in": true, "has_work_status": true, "runs": true,
	"teaches": true, "studies": true, "studies_at": true, "learns": true, "has_marital_status": true,
	"allergic_to": true, "intolerant_to": true, "follows_diet": true,
	"has_condition": true, "takes_medicine": true, "has_phone": true, "has_email": true,
	"uses": true,
}

// Changeable reports whether a fact is of a sort that can end without anybody saying so: home, work, studies, health,
// contact data, relations, plans, tasks, deadlines, amounts.
func Changeable(f *trilith.Fact) bool {
	switch f.Type {
	case trilith.FactPlan, trilith.FactTask, trilith.FactSchedule, trilith.FactFinancial:
		return true
	case trilith.FactRelationship:
		return !permanentRelations[f.Verb]
	}
	family, _, _ := strings.Cut(f.Verb, "_")
	return changeable[f.Verb] || changeable[family+"_"] || verbOfRelative(f.Verb, changeable) != ""
}

// verbOfRelative returns the verb in among that follows a relation, such as lives_in in younger_sister_lives_in; "" if
// there is none.
func verbOfRelative[V any](verb string, among map[string]V) string {
	for relation, rest, ok := strings.Cut(verb, "_"); ok; relation, rest, ok = strings.Cut(rest, "_") {
		if _, known := among[rest]; known && relation != "" {
			return rest
		}
	}
	return ""
}
