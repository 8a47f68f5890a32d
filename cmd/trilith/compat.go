package main

import (
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
	"github.com/trilith-memory/trilith/internal/door/compat/mem0"
	"github.com/trilith-memory/trilith/internal/door/compat/zep"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
)

// dialects are the APIs of other memory systems.
var dialects = []*compat.Dialect{&mem0.Dialect, &zep.Dialect}

// speak serves the dialects under their prefixes, and the named ones at their vendors' own paths too.
func speak(e *engine.Engine, beside map[string]func(rest.Guard) http.Handler, atRoot []string, erase bool) error {
	for _, d := range dialects {
		at := func(prefix string) func(rest.Guard) http.Handler {
			o := compat.Options{Prefix: prefix, Erases: erase}
			return func(g rest.Guard) http.Handler { return d.Handler(e, g, o) }
		}
		beside[d.Prefix()] = at(d.Prefix())
		if !slices.Contains(atRoot, d.Name) {
			continue
		}
		for _, root := range d.Roots {
			beside[root] = at("/")
		}
	}
	for _, name := range atRoot {
		if !slices.ContainsFunc(dialects, func(d *compat.Dialect) bool { return d.Name == name }) {
			return trilith.Errorf(trilith.Invalid, "compat: %.40q is not one of %s", name, dialectNames())
		}
	}
	return nil
}

func dialectNames() string {
	var names []string
	for _, d := range dialects {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}
