package main

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

// former are the operations that were commands of other names.
var former = map[string]string{
	"alerts": "list-alerts", "facts auto-verify": "auto-verify-facts", "facts conflicts": "conflicting-facts",
	"facts duplicates": "duplicate-facts", "facts similar": "similar-facts", "facts stale": "stale-facts",
	"entities": "list-entities", "entities list": "list-entities", "entities show": "entity-neighborhood",
	"entities update": "update-entity", "entities merge": "merge-entities", "entities split": "split-entity",
	"entities history": "entity-history", "relate": "relate-facts", "relations": "fact-relations",
	"searches": "list-searches", "searches list": "list-searches", "searches save": "save-search",
	"searches delete": "delete-search", "supersede": "supersede-fact", "verify": "verify-fact",
}

// checkFormer returns an error for a command that is an operation now, with the line that carries it out.
func checkFormer(args []string) error {
	for n := min(2, len(args)); n > 0; n-- {
		words := strings.Join(args[:n], " ")
		name := former[words]
		if name == "" && n == 1 && commandFields[words] == "" && operations.All().Of(words) != nil {
			name = words
		}
		if name != "" {
			return trilith.Errorf(trilith.Invalid, "%s: is an operation and no command; write: trilith call %s\n"+
				"trilith call %[2]s --help lists its fields", words, name)
		}
	}
	return nil
}
