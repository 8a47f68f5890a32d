package sdk

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

var update = flag.Bool("update", false, "write what is generated")

const generated = "Generated from the description of the API by: go test ./sdk -update"

// TestGenerated: what clients know of the API is what its description says, and the client of Python that waits is the
// one that does not, without the waiting.
func TestGenerated(t *testing.T) {
	t.Parallel()
	a := readAPI(t)
	methods := a.methods(t)
	const awaited = "python/src/trilith/_async/_methods.py"
	files := map[string]string{
		"python/src/trilith/types.py":       pythonTypes(a),
		"python/src/trilith/_operations.py": pythonOperations(a),
		awaited:                             pythonMethods(methods),
		"typescript/src/types.ts":           typescriptTypes(a),
		"typescript/src/operations.ts":      typescriptOperations(a),
		"typescript/src/methods.ts":         typescriptMethods(methods),
	}
	sources, err := filepath.Glob(filepath.FromSlash("python/src/trilith/_async/*.py"))
	if err != nil || len(sources) == 0 {
		t.Errorf("python/src/trilith/_async: no file: %v", err)
	}
	for _, path := range sources {
		if filepath.ToSlash(path) == awaited {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files["python/src/trilith/_sync/"+filepath.Base(path)] = waiting(string(text))
	}
	files[strings.Replace(awaited, "_async", "_sync", 1)] = waiting(files[awaited])
	for name, want := range files {
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("sdk/%s is not what is generated now: go test ./sdk -update (%v)", name, err)
		}
	}
}

// waiting turns the source of AsyncTrilith into that of Trilith.
func waiting(source string) string {
	return "# Generated from ../_async by: go test ./sdk -update\n" + strings.NewReplacer(
		"async def ", "def ", "async for ", "for ", "async with ", "with ", "await ", "",
		"AsyncConnections", "Connections", "AsyncIterator", "Iterator", "AsyncPages", "Pages", "AsyncTrilith", "Trilith", "AsyncClient", "Client",
		"__aiter__", "__iter__", "__aenter__", "__enter__", "__aexit__", "__exit__",
		"aclose", "close", "aread", "read", "aiter_lines", "iter_lines", "aiter_bytes", "iter_bytes",
		"anyio.to_thread.run_sync(lambda: spawn(store, binary, settings))", "spawn(store, binary, settings)",
		"anyio.sleep", "time.sleep", "import anyio", "import time").Replace(source)
}

var python = words{text: "str", integer: "int", number: "float", truth: "bool", any: "Any", time: "Time", moment: "datetime.datetime",
	list: func(of string) string { return "list[" + of + "]" },
	dict: func(of string) string { return "dict[str, " + of + "]" },
	choice: func(values []string, open bool) string {
		out := `Literal["` + strings.Join(values, `", "`) + `"]`
		if open {
			out += " | str"
		}
		return out
	},
}

// keywords are members that Python cannot name: those of answers are read as answer["from"], arguments end in _.
var keywords = []string{"from", "with"}

func pythonTypes(a *api) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", generated)
	b.WriteString(`"""What the API takes and gives."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from ._model import ContextBlockMore, HitMore, Model, RecallResultMore, RememberResultMore

if TYPE_CHECKING:
    from typing_extensions import Required

Time = Union[str, datetime.datetime]
"""A point in time: RFC 3339, a date as 2025-06-30, or a datetime; one without a zone is local time."""
`)
	var nested strings.Builder
	for _, name := range a.answers {
		base := "Model"
		if slices.Contains([]string{"ContextBlock", "Hit", "RecallResult", "RememberResult"}, name) {
			base = name + "More, Model"
		}
		fmt.Fprintf(&b, "\n\nclass %s(%s):\n", name, base)
		var inner []string
		for _, m := range a.members(name) {
			if slices.Contains(keywords, m.name) {
				continue
			}
			kind := python.typeOf(m, false)
			if !m.required {
				kind += " | None = None"
			}
			fmt.Fprintf(&b, "    %s: %s\n", m.name, kind)
			docstring(&b, m)
			of := a.nested(m.schema)
			if m.schema.moment() {
				of = python.moment
			}
			if of != "" {
				inner = append(inner, fmt.Sprintf("%q: %s", m.name, of))
			}
		}
		if len(inner) > 0 {
			fmt.Fprintf(&nested, "%s._nested = {%s}\n", name, strings.Join(inner, ", "))
		}
	}
	b.WriteString("\n\n" + nested.String())
	for _, name := range a.requests {
		pythonDict(&b, name, "TypedDict", "", a.members(name))
	}
	for _, o := range a.operations {
		base, options := o.scoped("TypedDict")
		if len(options) == 0 {
			continue
		}
		pythonDict(&b, pascal(o.name)+"Options", base, o.summary, options)
	}
	return b.String()
}

// nested is the class of the objects in a member.
func (a *api) nested(s *schema) string {
	for _, inner := range []*schema{s.Items, s.each()} {
		if inner != nil {
			return a.nested(inner)
		}
	}
	return strings.TrimSuffix(s.name(), "Filter")
}

func docstring(b *strings.Builder, m member) {
	if m.text != "" {
		fmt.Fprintf(b, "    \"\"\"%s\"\"\"\n", strings.ReplaceAll(m.text, `"`, "'"))
	}
}

// pythonDict writes the type of a JSON object that is sent.
func pythonDict(b *strings.Builder, name, base, summary string, members []member) {
	fmt.Fprintf(b, "\n\nclass %s(%s, total=False):\n", name, base)
	if summary != "" {
		fmt.Fprintf(b, "    \"\"\"%s.\"\"\"\n\n", summary)
	}
	for _, m := range members {
		kind := python.typeOf(m, true) + " | None"
		if m.name == "scope" || slices.Contains(trilith.ScopeMembers, m.name) { // None would be taken for everybody
			kind = strings.TrimSuffix(kind, " | None")
		}
		if m.required {
			kind = "Required[" + strings.TrimSuffix(kind, " | None") + "]"
		}
		name := m.name
		if slices.Contains(keywords, name) {
			name += "_"
		}
		fmt.Fprintf(b, "    %s: %s\n", name, kind)
		docstring(b, m)
	}
}

func pythonOperations(a *api) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", generated)
	b.WriteString(`from __future__ import annotations

from . import types as t
from ._model import SCOPE, Operation

OPERATIONS: dict[str, Operation] = {
`)
	for _, o := range a.operations {
		body := "None"
		if o.body {
			body = "(" + listed(o.inBody, "*SCOPE") + ")"
		}
		fmt.Fprintf(&b, "    %q: Operation(%q, %q, (%s), %s, %q, t.%s),\n", strings.ReplaceAll(o.name, "-", "_"),
			o.method, o.path, listed(o.query, "*SCOPE"), body, o.repeat, o.answer)
	}
	b.WriteString("}\n")
	return b.String()
}

// listed writes names as elements of a list; all those of a scope as one word.
func listed(names []string, all string) string {
	var out []string
	if inScope := scopeOf(names); len(inScope) == len(scopeNames) {
		out = append(out, all)
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(scopeNames, n) })
	}
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	if len(out) == 1 {
		return out[0] + ","
	}
	return strings.Join(out, ", ")
}

var typescript = words{text: "string", integer: "number", number: "number", truth: "boolean", any: "unknown", time: "string | Date", moment: "string",
	list: func(of string) string {
		if strings.Contains(of, "|") {
			of = "(" + of + ")"
		}
		return of + "[]"
	},
	dict: func(of string) string { return "Record<string, " + of + ">" },
	choice: func(values []string, open bool) string {
		out := `"` + strings.Join(values, `" | "`) + `"`
		if open {
			out += " | (string & {})"
		}
		return out
	},
}

func typescriptTypes(a *api) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", generated)
	b.WriteString("// What the API takes and gives. Times in answers are texts in RFC 3339: new Date(text) reads them.\n")
	for _, name := range slices.Concat(a.answers, a.requests) {
		typescriptInterface(&b, name, "", "", a.members(name), slices.Contains(a.requests, name))
	}
	for _, o := range a.operations {
		base, options := o.scoped("")
		if len(options) == 0 {
			continue
		}
		typescriptInterface(&b, pascal(o.name)+"Options", base, o.summary, options, true)
	}
	return b.String()
}

func typescriptInterface(b *strings.Builder, name, base, summary string, members []member, argument bool) {
	b.WriteString("\n")
	if summary != "" {
		fmt.Fprintf(b, "/** %s. */\n", summary)
	}
	if base != "" {
		base = "extends " + base + " "
	}
	fmt.Fprintf(b, "export interface %s %s{\n", name, base)
	for _, m := range members {
		if m.text != "" {
			fmt.Fprintf(b, "  /** %s */\n", m.text)
		}
		optional := "?"
		if m.required {
			optional = ""
		}
		fmt.Fprintf(b, "  %s%s: %s;\n", m.name, optional, typescript.typeOf(m, argument))
	}
	b.WriteString("}\n")
}

func typescriptOperations(a *api) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", generated)
	b.WriteString(`import type * as t from "./types.js";

/**
 * How an operation is called: which arguments are in the address, which names of the scope are in the body (null: it has
 * none), and how it is repeated safely: as it is, with a key in the header or in the body, or not at all.
 */
export type Operation = readonly [method: string, path: string, query: readonly string[],
  body: readonly string[] | null, repeat: "safe" | "header" | "body" | ""];

export const scopeNames = ["project", "domain", "user", "agent", "session", "channel", "time_zone"] as const;

/** What each operation answers. */
export interface Answers {
`)
	for _, o := range a.operations {
		fmt.Fprintf(&b, "  %s: t.%s;\n", o.camel(), o.answer)
	}
	b.WriteString("}\n\nexport const operations: Record<keyof Answers, Operation> = {\n")
	for _, o := range a.operations {
		body := "null"
		if o.body {
			body = "[" + strings.TrimSuffix(listed(o.inBody, "...scopeNames"), ",") + "]"
		}
		fmt.Fprintf(&b, "  %s: [%q, %q, [%s], %s, %q],\n", o.camel(), o.method, o.path,
			strings.TrimSuffix(listed(o.query, "...scopeNames"), ","), body, o.repeat)
	}
	b.WriteString("};\n")
	return b.String()
}
