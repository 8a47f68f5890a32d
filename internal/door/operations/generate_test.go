package operations_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

var update = flag.Bool("update", false, "write the generated methods")

const (
	module = "github.com/trilith-memory/trilith"
	header = "// Code generated from internal/door/operations by: go test ./internal/door/operations -update; DO NOT EDIT.\n\n"
)

// surfaces are the types that get a method for each operation. A method by hand of the same name takes its place.
var surfaces = []struct {
	folder, receiver string
	body             func(o *op.Op, fromPath []string, request string) string
}{
	{"internal/engine", "e *Engine", func(o *op.Op, _ []string, request string) string {
		room := strings.Replace(o.Room.String(), "engine.", "", 1)
		if o.In.Type == reflect.TypeFor[op.None]() {
			return fmt.Sprintf("room[%s](e).%s(ctx, s)", room, o.RoomMethod)
		}
		return fmt.Sprintf("room[%s](e).%s(ctx, s, %s)", room, o.RoomMethod, request)
	}},
	{"memory", "m *Memory", func(o *op.Op, fromPath []string, _ string) string {
		return fmt.Sprintf("m.engine.%s(%s)", o.Go, strings.Join(slices.Concat([]string{"ctx", "m.in(s)"}, fromPath), ", "))
	}},
	{"client", "c *Client", func(o *op.Op, _ []string, request string) string {
		route := fmt.Sprintf("op.Route{Method: %q, Path: %q", o.Method, o.Path)
		if o.Choice != "" {
			route += fmt.Sprintf(", Choice: %q", o.Choice)
		}
		if o.Scope != "" {
			route += fmt.Sprintf(", Scope: %q", o.Scope)
		}
		if o.ScopeInBody {
			route += ", ScopeInBody: true"
		}
		if o.InQuery {
			route += ", InQuery: true"
		}
		if o.Repeats {
			route += ", Repeats: true"
		}
		return fmt.Sprintf("perform[%s](ctx, c,\n%s}, s, %s)", o.Out, route, request)
	}},
}

// TestGenerated: the methods of the engine, the library and the client are those of the table.
func TestGenerated(t *testing.T) {
	t.Parallel()
	ops := slices.SortedFunc(slices.Values(operations.All().Ops),
		func(a, b *op.Op) int { return strings.Compare(a.Go, b.Go) })
	for _, s := range surfaces {
		folder := filepath.Join("..", "..", "..", s.folder)
		byHand, imports := methodsIn(t, folder), map[string]bool{"context": true, module: true}
		var methods strings.Builder
		for _, o := range ops {
			if _, ok := byHand[s.receiver[3:]+"."+o.Go]; ok {
				continue
			}
			method(&methods, o, comment(t, o), s.receiver, s.body)
			switch path := elem(o.Room).PkgPath(); {
			case s.folder == "client":
				imports[module+"/internal/door/op"] = true
			case s.folder == "internal/engine" && !strings.HasSuffix(path, "/engine"):
				imports[path] = true
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%spackage %s\n\nimport (\n", header, filepath.Base(s.folder))
		for _, path := range slices.Sorted(maps.Keys(imports)) {
			fmt.Fprintf(&b, "%q\n", path)
		}
		b.WriteString(")\n" + methods.String())
		want, err := format.Source([]byte(b.String()))
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.folder, err, b.String())
		}
		path := filepath.Join(folder, "operations_gen.go")
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what is generated now: go test ./internal/door/operations -update (%v)", path, err)
		}
	}
}

func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// method writes the method of one operation: names of the path come first, then the rest of the request.
func method(b *strings.Builder, o *op.Op, doc, receiver string, body func(*op.Op, []string, string) string) {
	var arguments, set strings.Builder
	var given, inLiteral []string
	rest := false
	for _, f := range o.In.Fields {
		if !f.Path {
			rest = true
			continue
		}
		fmt.Fprintf(&arguments, ", %s %s", f.Name, f.Type)
		fmt.Fprintf(&set, "r.%s = %s\n", f.Go, f.Name)
		given, inLiteral = append(given, f.Name), append(inLiteral, f.Go+": "+f.Name)
	}
	request := "r"
	switch in := o.In.Type; {
	case in == reflect.TypeFor[op.None]():
		request = "op.None{}"
	case in.Kind() == reflect.String:
		request = given[0]
		set.Reset()
	case rest:
		fmt.Fprintf(&arguments, ", r %s", in)
		given = append(given, "r")
	default:
		set.Reset()
		request = fmt.Sprintf("%s{%s}", in, strings.Join(inLiteral, ", "))
	}
	if strings.HasPrefix(receiver, "m ") { // it hands over to the engine
		set.Reset()
	}
	head, answer := fmt.Sprintf("func (%s) %s(ctx context.Context, s trilith.Scope%s) (", receiver, o.Go, &arguments), o.Out.String()
	if len(head)+len(answer) > 108 {
		head += "\n"
	}
	fmt.Fprintf(b, "\n%s%s%s, error) {\n%sreturn %s\n}\n", doc, head, answer, &set, body(o, given, request))
}

// comment returns the comment of the room's method, which becomes that of the generated ones.
func comment(t *testing.T, o *op.Op) string {
	folder := filepath.Join("..", "..", "..", strings.TrimPrefix(elem(o.Room).PkgPath(), module+"/"))
	text := methodsIn(t, folder)[elem(o.Room).Name()+"."+o.RoomMethod]
	if text == "" {
		t.Errorf("%s: %s has no comment, which would be that of the operation", o.Name, o.RoomMethod)
	}
	return strings.Replace(text, "// "+o.RoomMethod+" ", "// "+o.Go+" ", 1)
}

var parsed = map[string]map[string]string{}

// methodsIn returns the comments of the methods in a folder that are written by hand, by type and name.
func methodsIn(t *testing.T, folder string) map[string]string {
	if known := parsed[folder]; known != nil {
		return known
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() {
				text := ""
				if fn.Doc != nil {
					for _, line := range fn.Doc.List {
						text += line.Text + "\n"
					}
				}
				of := fn.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				out[fmt.Sprint(of)+"."+fn.Name.Name] = text
			}
		}
	}
	parsed[folder] = out
	return out
}
