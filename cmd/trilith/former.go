package main

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

// former are the commands of before, with those that do the same; an operation is one of call.
var former = map[string]string{
	"graph": "doctor --compare-graph", "graph check": "doctor --compare-graph", "graph rebuild": "doctor --compare-graph --repair",
	"show": "call get-memory", "history": "call memory-history", "update": "call update-memory", "share": "call share-memory",
	"entry": "call add-entry", "entry add": "call add-entry", "entry show": "call get-entry", "entry similar": "call similar-entries",
	"extraction": "call extraction", "profiles": "call list-profiles", "profiles list": "call list-profiles",
	"profiles show": "call list-profiles", "profiles use": "call use-profile", "languages": "call get-languages",
	"languages show": "call get-languages", "languages set": "call use-languages", "languages clear": "call use-languages",
	"facts sweep": "call sweep-facts", "facts archive": "call archive-facts",
	"facts regenerate-embeddings": "call regenerate-embeddings",
	"tools":                       "mcp --print openai",
	"alerts":                      "call list-alerts", "facts auto-verify": "call auto-verify-facts", "facts conflicts": "call conflicting-facts",
	"facts duplicates": "call duplicate-facts", "facts similar": "call similar-facts", "facts stale": "call stale-facts",
	"entities": "call list-entities", "entities list": "call list-entities", "entities show": "call entity-neighborhood",
	"entities update": "call update-entity", "entities merge": "call merge-entities", "entities split": "call split-entity",
	"entities history": "call entity-history", "relate": "call relate-facts", "relations": "call fact-relations",
	"jobs": "call list-jobs", "media save": "export --media ID FILE",
	"session items": "call list-session-items", "session prune": "call prune", "session summarize": "call summarize", "project timeline": "call timeline", "project trends": "call project-trends",
	"searches": "call list-searches", "searches list": "call list-searches", "searches save": "call save-search",
	"searches delete": "call delete-search", "supersede": "call supersede-fact", "verify": "call verify-fact",
}

// checkFormer returns an error for a command that is an operation now, with the line that carries it out.
func checkFormer(args []string) error {
	for n := min(2, len(args)); n > 0; n-- {
		words := strings.Join(args[:n], " ")
		now := former[words]
		if now == "" && n == 1 && commandFields[words] == "" && operations.All().Of(words) != nil {
			now = "call " + words
		}
		if now != "" {
			return trilith.Errorf(trilith.Invalid, "%s: is no command; write: trilith %s; trilith %[2]s --help says more",
				words, now)
		}
	}
	return nil
}
