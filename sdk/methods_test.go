package sdk

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

const generatedMethods = "Generated from the table of operations by: go test ./sdk -update"

// byHand are the operations whose methods are in client.py, client.ts and the bases of these, with the reason.
var byHand = map[string]string{
	"batch":              "atomic is an argument with a default",
	"delete-keyed-entry": "is two methods: forget_by_key and erase_by_key",
	"delete-memory":      "forget and erase do the same for one id and for many",
	"delete-recalls":     "gives the only member of its answer",
	"generations":        "gives the only member of its answer",
	"get-languages":      "gives the only member of its answer",
	"imports":            "gives the only member of its answer",
	"media":              "gives one page, not all of them",
	"reindex":            "is three methods: switch_to, rollback and forget_previous",
	"remember":           "is three methods: remember of a text or of messages, note and document",
	"tools":              "the format is its first argument, with a default",
	"undo-import":        "dry_run is an argument with a default",
	"unrelate-facts":     "gives nothing",
	"use-languages":      "gives the only member of its answer",
}

// ofEdge are operations that the edge carries out itself, so that no table has them, by the names of the Go methods.
var ofEdge = map[string]string{"get-import": "ImportRun", "me": "Me"}

// plainNames are methods of the Go client that have another name elsewhere: an iterator is called by what it gives.
var plainNames = map[string]string{"Delete": "forget", "DeleteByKey": "forget_by_key", "List": "memories",
	"ListSessions": "sessions", "GetSession": "turns", "Import": "import_", "ListJobs": "jobs"}

// pointless are operations that do nothing without options: TypeScript requires these.
var pointless = []string{"split-entity", "supersede-fact", "tell-fact", "update-entity", "update-memory"}

// method is a method of both clients.
type method struct {
	*operation
	goName, snake string
	arguments     []argument
	options       string // name of their type; none if empty
	required      bool   // the options
	item          string // type of the items in its pages; it has none if empty
	text          []string
}

// argument is what a method takes by itself.
type argument struct {
	member
	as   string // its name
	many bool   // it is a list of names: Python takes them one by one
}

var (
	afterSmall = regexp.MustCompile(`([a-z])([A-Z])`)
	afterLine  = regexp.MustCompile(`_([a-z]?)`)
	inPath     = regexp.MustCompile(`\{(\w+)\}`)
)

// plainName is the name of a method of the Go client elsewhere.
func plainName(goName string) string {
	return cmp.Or(plainNames[goName], strings.ToLower(afterSmall.ReplaceAllString(goName, "${1}_$2")))
}

// camelCase is a name as TypeScript has it.
func camelCase(snake string) string {
	return afterLine.ReplaceAllStringFunc(snake, func(s string) string { return strings.ToUpper(strings.TrimPrefix(s, "_")) })
}

// methods are those of the rows of the table, by name.
func (a *api) methods(t *testing.T) []*method {
	var out []*method
	comments := goComments(t)
	for _, o := range a.operations {
		row, name := operations.All().Of(o.name), ofEdge[o.name]
		if row != nil {
			name = row.Go
		}
		if name == "" || byHand[o.name] != "" {
			continue
		}
		m := &method{operation: &o, goName: name, snake: plainName(name)}
		m.takes(a)
		m.text = m.explain(row, comments)
		out = append(out, m)
	}
	slices.SortFunc(out, func(x, y *method) int { return strings.Compare(x.snake, y.snake) })
	for i, m := range out[1:] {
		if out[i].snake == m.snake {
			t.Errorf("%s and %s are both the method %s: list one in byHand, or name it in plainNames", out[i].name, m.name, m.snake)
		}
	}
	return out
}

// takes finds out what a method takes and gives. Names of the path come first.
func (m *method) takes(a *api) {
	as := map[string]string{}
	for _, one := range own[m.name] {
		wire, name := taken(one)
		as[wire] = name
	}
	for _, found := range inPath.FindAllStringSubmatch(m.path, -1) {
		m.arguments = append(m.arguments, argument{member: member{name: found[1], required: true,
			schema: &schema{Type: "string"}}, as: cmp.Or(as[found[1]], found[1])})
	}
	left := slices.Clone(m.operation.options)
	for _, one := range own[m.name] {
		wire, name := taken(one)
		is := func(of member) bool { return of.name == wire }
		i := slices.IndexFunc(m.all, is)
		if i < 0 {
			continue // it is in the path
		}
		arg := argument{member: m.all[i], as: name}
		arg.many = arg.schema.Items != nil && arg.schema.Items.Type == "string"
		if !arg.many {
			arg.required = !strings.HasSuffix(one, "?")
		}
		m.arguments = append(m.arguments, arg)
		left = slices.DeleteFunc(left, is)
	}
	base, options := operation{options: left}.scoped("")
	switch {
	case len(options) > 0:
		m.options = pascal(m.name) + "Options"
		m.required = slices.Contains(pointless, m.name) ||
			slices.ContainsFunc(options, func(of member) bool { return of.required })
	case base != "":
		m.options = base
	}
	answer := a.Components.Schemas[m.answer].Properties
	if answer["next_cursor"] != nil && slices.ContainsFunc(left, func(of member) bool { return of.name == "cursor" }) {
		m.item = answer["items"].Items.name()
	}
}

// optional is the name by which the options are known, with the scope alone.
func (m *method) optional() string {
	if m.options == "ScopeInput" {
		return "scope"
	}
	return "options"
}

// goComments are the comments of the methods of the Go client, which are those of the rooms.
func goComments(t *testing.T) map[string]string {
	files, err := filepath.Glob(filepath.FromSlash("../client/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("client: no file: %v", err)
	}
	out := map[string]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() {
				out[fn.Name.Name] = fn.Doc.Text()
			}
		}
	}
	return out
}

var (
	seeGo     = regexp.MustCompile(`[;:,] see \[[^\]]*\]|,? (?:as|in the order of) \[(?:facts|role)\.[^\]]*\](?: goes)?`)
	inBracket = regexp.MustCompile(` \([^()]*\[[^()]*\)`)
	sentence  = regexp.MustCompile(`\. ([A-Z])`)
	ofGo      = regexp.MustCompile(`\[|\bctx\b|\bin s\b|\bStream\b|returned along with|a page of`)
	goWord    = regexp.MustCompile(`(^|[a-z,] )\[?(?:[A-Za-z]+\.)*([A-Z]\w*)\]?`)
	longWord  = regexp.MustCompile(`\w{4,}`)
)

// explain is what a method says of itself: the help of its row, and what the comment of the Go method says beyond.
// Sentences about Go alone are left out.
func (m *method) explain(row *op.Op, comments map[string]string) []string {
	help := m.summary
	if !strings.HasSuffix(help, "…") {
		help += "."
	}
	text := []string{help}
	translate := translator(row, comments)
	for i, paragraph := range strings.Split(strings.TrimSpace(comments[m.goName]), "\n\n") {
		paragraph = strings.Join(strings.Fields(paragraph), " ")
		if i == 0 {
			paragraph = strings.TrimPrefix(strings.TrimPrefix(paragraph, m.goName+" "), "is ")
		}
		paragraph = inBracket.ReplaceAllString(seeGo.ReplaceAllString(paragraph, ""), "")
		paragraph = strings.ReplaceAll(paragraph, " if 0", " if absent")
		paragraph = goWord.ReplaceAllStringFunc(paragraph, translate)
		var kept []string
		for j, s := range strings.Split(sentence.ReplaceAllString(paragraph, ".\n$1"), "\n") {
			if s != "" && !ofGo.MatchString(s) && (i+j > 0 || !covers(help, s)) {
				kept = append(kept, strings.ToUpper(s[:1])+s[1:])
			}
		}
		if len(kept) > 0 {
			text = append(text, strings.Join(kept, " "))
		}
	}
	if row != nil && row.Need == trilith.AccessAdmin && !strings.Contains(strings.Join(text, " "), "right admin") {
		text = append(text, "It needs the right admin.")
	}
	return text
}

// covers reports whether a text has all the words of a sentence, but for its verb and for endings.
func covers(text, sentence string) bool {
	_, rest, _ := strings.Cut(sentence, " ")
	return !slices.ContainsFunc(longWord.FindAllString(rest, -1), func(word string) bool {
		return !strings.Contains(strings.ToLower(text), strings.ToLower(word[:4]))
	})
}

// translator turns the Go name of a field or a method into that of the API; it marks methods with ~. Fields of the row
// win over those of other operations.
func translator(row *op.Op, methods map[string]string) func(string) string {
	fields := map[string]string{}
	for _, r := range append(slices.Clone(operations.All().Ops), row) {
		if r != nil {
			for _, f := range r.In.Fields {
				fields[f.Go] = f.Name
			}
		}
	}
	return func(found string) string {
		parts := goWord.FindStringSubmatch(found)
		_, isMethod := methods[parts[2]]
		switch {
		case parts[1] == "" && !afterSmall.MatchString(found): // a word at the beginning
			return found
		case fields[parts[2]] != "":
			return parts[1] + fields[parts[2]]
		case isMethod:
			return parts[1] + "~" + plainName(parts[2])
		}
		return found
	}
}

// inSnake and inCamel resolve the marks of translate.
func inSnake(text string) string { return strings.ReplaceAll(text, "~", "") }

var marked = regexp.MustCompile(`~(\w+)`)

func inCamel(text string) string {
	return marked.ReplaceAllStringFunc(text, func(s string) string { return camelCase(s[1:]) })
}

// wrapped breaks a text into lines.
func wrapped(text, indent string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			b.WriteString(indent)
		case width+len(word) > 118-len(indent):
			b.WriteString("\n" + indent)
			width = 0
		default:
			b.WriteString(" ")
		}
		b.WriteString(word)
		width += len(word) + 1
	}
	return b.String() + "\n"
}

// pythonMethods writes the methods of AsyncTrilith.
func pythonMethods(methods []*method) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", generatedMethods)
	b.WriteString(`"""One method for each operation; those that do more than their operation are in client.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .. import types as t
from ._base import AsyncPages, Base

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Methods(Base):
    """The methods of AsyncTrilith that are made from the table of operations."""
`)
	words := python
	words.of, words.time = "t.", "t.Time"
	words.choice = func([]string, bool) string { return "str" } // the server checks it
	for _, m := range methods {
		m.python(&b, words)
	}
	return b.String()
}

func (m *method) python(b *strings.Builder, words words) {
	takes, sends := []string{"self"}, []string{fmt.Sprintf("%q", strings.ReplaceAll(m.name, "-", "_"))}
	for _, a := range m.arguments {
		kind, value, wire := words.typeOf(a.member, true), a.as, a.name
		switch {
		case a.many && a.required:
			takes, value = append(takes, "*"+a.as+": str"), "list("+a.as+")"
		case a.many:
			takes, value = append(takes, "*"+a.as+": str"), "list("+a.as+") or None"
		case a.required:
			takes = append(takes, a.as+": "+kind)
		default:
			takes = append(takes, a.as+": "+kind+" | None = None")
		}
		if a.as != a.name && slices.Contains(scopeNames, a.as) { // the scope has another one of that name
			takes = append(takes, "/")
		}
		if slices.Contains(keywords, wire) {
			wire += "_"
		}
		sends = append(sends, wire+"="+value)
	}
	if m.options != "" {
		takes = append(takes, "**"+m.optional()+": Unpack[t."+m.options+"]")
		sends = append(sends, "**"+m.optional())
	}
	define, answer := "async def", "t."+m.answer
	body := fmt.Sprintf("return cast(%s, await self.call(%s))", answer, strings.Join(sends, ", "))
	if len(body) > 112 {
		body = fmt.Sprintf("return cast(\n            %s, await self.call(%s)\n        )", answer, strings.Join(sends, ", "))
	}
	if m.item != "" {
		define, answer = "def", fmt.Sprintf("AsyncPages[t.%s, t.%s]", m.answer, m.item)
		body = fmt.Sprintf("return AsyncPages(self.call, %s, dict(%s))", sends[0], strings.Join(sends[1:], ", "))
	}
	head := fmt.Sprintf("    %s %s(%s) -> %s:\n", define, m.snake, strings.Join(takes, ", "), answer)
	if len(head) > 121 {
		head = fmt.Sprintf("    %s %s(\n        %s\n    ) -> %s:\n", define, m.snake, strings.Join(takes, ", "), answer)
	}
	fmt.Fprintf(b, "\n%s%s        %s\n", head, m.pythonDoc(), body)
}

func (m *method) pythonDoc() string {
	const indent = "        "
	doc := wrapped(`"""`+inSnake(m.text[0]), indent)
	for _, paragraph := range m.text[1:] {
		doc += "\n" + wrapped(inSnake(paragraph), indent)
	}
	for i, a := range m.documented() {
		if i == 0 {
			doc += "\n"
		}
		doc += wrapped(a.as+": "+a.explained(), indent)
	}
	if strings.Count(doc, "\n") == 1 {
		return strings.TrimSuffix(doc, "\n") + `"""` + "\n"
	}
	return doc + indent + `"""` + "\n"
}

// documented are the arguments that the description says something about.
func (m *method) documented() []argument {
	return slices.DeleteFunc(slices.Clone(m.arguments), func(a argument) bool { return a.member.text == "" })
}

// explained is the description of an argument, with its values.
func (a argument) explained() string {
	text := strings.TrimSuffix(a.member.text, ".")
	var values []string
	for _, v := range a.schema.Enum {
		if v, ok := v.(string); ok {
			values = append(values, v)
		}
	}
	if len(values) > 0 {
		text += " (" + strings.Join(values, ", ") + ")"
	}
	return text + "."
}

// typescriptMethods writes the methods of Trilith.
func typescriptMethods(methods []*method) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", generatedMethods)
	b.WriteString(`// One method for each operation; those that do more than their operation are in client.ts.

import { Base, list } from "./base.js";
import type { Pages } from "./base.js";
import type * as t from "./types.js";

/** The methods of Trilith that are made from the table of operations. */
export class Methods extends Base {
`)
	words := typescript
	words.of = "t."
	words.choice = func(values []string, _ bool) string { return typescript.choice(values, false) }
	for i, m := range methods {
		if i > 0 {
			b.WriteString("\n")
		}
		m.typescript(&b, words)
	}
	b.WriteString("}\n")
	return b.String()
}

func (m *method) typescript(b *strings.Builder, words words) {
	var takes, sends []string
	for _, a := range m.arguments {
		kind, value := words.typeOf(a.member, true), a.as
		switch {
		case a.many && a.required:
			kind, value = ": string | string[]", "list("+a.as+")"
		case a.many:
			kind, value = ": string | string[] | undefined", "list("+a.as+")"
		case a.required:
			kind = ": " + kind
		default:
			kind = "?: " + kind
		}
		takes = append(takes, a.as+kind)
		if value != a.name {
			value = a.name + ": " + value
		}
		sends = append(sends, value)
	}
	call := fmt.Sprintf("%q", m.operation.camel())
	if m.options != "" {
		option := m.optional() + ": t." + m.options
		if !m.required {
			option += " = {}"
		}
		takes = append(takes, option)
		sends = slices.Insert(sends, 0, "..."+m.optional())
	}
	switch {
	case m.options != "" && len(sends) == 1:
		call += ", " + m.optional()
	case len(sends) > 0:
		call += ", { " + strings.Join(sends, ", ") + " }"
	}
	answer, do := "Promise<t."+m.answer+">", "call"
	if m.item != "" {
		answer, do = "Pages<t."+m.answer+">", "paged"
	}
	head := fmt.Sprintf("  %s(%s): %s {\n", camelCase(m.snake), strings.Join(takes, ", "), answer)
	if len(head) > 121 {
		head = fmt.Sprintf("  %s(\n    %s,\n  ): %s {\n", camelCase(m.snake), strings.Join(takes, ",\n    "), answer)
	}
	fmt.Fprintf(b, "%s%s    return this.%s(%s);\n  }\n", m.typescriptDoc(), head, do, call)
}

func (m *method) typescriptDoc() string {
	const indent = "   * "
	doc := wrapped(inCamel(m.text[0]), indent)
	for _, paragraph := range m.text[1:] {
		doc += "   *\n" + wrapped(inCamel(paragraph), indent)
	}
	for i, a := range m.documented() {
		if i == 0 {
			doc += "   *\n"
		}
		doc += wrapped("@param "+a.as+" "+a.explained(), indent)
	}
	if strings.Count(doc, "\n") == 1 {
		return "  /** " + inCamel(m.text[0]) + " */\n"
	}
	return "  /**\n" + doc + "   */\n"
}
