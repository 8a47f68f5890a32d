// Package op describes operations: their names, the rights that they need, the places of their fields in a request, and
// the room and method that carry them out. REST, OpenAPI, the command call, the Go client and the Go library are made
// from a [Table].
//
// A request is one struct, read by reflection once. A field with a tag path is in the path of the URL, if the route
// names it; every other one is in the query of GET and DELETE and in the body of the rest, under its json name. An
// object in a query is present if its required members are. A tag header names a header that says the same. The tags
// doc, enum, minimum, maximum, minLength, maxLength, minItems, maxItems and pattern describe a field, and are checked
// in the same way for every caller. A request that is a string is the only name of the path.
package op

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Rooms has the rooms of an engine: values with the methods that carry operations out, by their types.
type Rooms interface{ Room(reflect.Type) any }

// None is the request of an operation that has only a scope.
type None struct{}

// Route describes an operation to a client. Generated code contains it, so that a client needs no table, and with it no
// engine.
type Route struct {
	Method, Path string
	Choice       string // NAME=VALUE in the query, which tells operations of one method and path apart; empty: it has its own
	Scope        string // members of it in requests, besides those in the path: with commas, none is all, "-" is none
	ScopeInBody  bool
	InQuery      bool // there is no body, whatever the method
	Repeats      bool // repeating a request is harmless
}

// Scoped returns a scope with no more members than requests have. It keeps the tenant.
func (r Route) Scoped(s trilith.Scope) trilith.Scope {
	v := reflect.ValueOf(&s).Elem()
	for _, f := range scopeShape().Fields {
		if !r.takes(f.Name) {
			f.in(v).SetZero()
		}
	}
	return s
}

// Op is one operation.
type Op struct {
	Route
	Name string         // of the operation in OpenAPI and of the command call; stable
	Need trilith.Access // the least right
	Help string         // a line
	Go   string         // name of the Go method, which is that of the room's method unless an option says otherwise

	Operator bool                                             // works on the whole store
	Long     bool                                             // takes as long as the store is large
	Later    bool                                             // the answer may say Pending, and a later one is complete
	Waits    bool                                             // may wait for facts, in addition to its own time
	Standby  bool                                             // may be answered by a copy that is a little old
	Bodiless bool                                             // may be sent without a body
	Public   bool                                             // needs no key
	Large    func(in any) bool                                // whether the answer may be large; nil: never
	Rights   func(in any) (field string, need trilith.Access) // the right that a request needs beyond Need; nil: none
	Columns  []string                                         // of the table that call prints; nil: none

	Text       *Text                  // that the answer may be; nil: it is always JSON
	Describe   func(*Describer, Node) // completes the description; nil: it is complete
	In         *Shape                 // the request
	Out        reflect.Type           // the answer
	Room       reflect.Type
	RoomMethod string // its comment documents the Go methods

	projectDoc  string
	query, body []*Field // those that travel there
	scope       []*Field // of the scope
	all         []*Field // of the request and of the scope

	// Do carries a request out that was decoded, and with it checked.
	Do func(ctx context.Context, rooms Rooms, s trilith.Scope, in any) (any, error)
}

// Option changes an operation.
type Option func(*Op)

// Within names the members of the scope that requests have, if it is not all of them.
func Within(members ...string) Option {
	return func(o *Op) { o.Scope = strings.Join(members, ",") }
}

// Project is for operations whose requests name a project, and nothing else of a scope: doc says which.
func Project(doc string) Option {
	return func(o *Op) { o.Scope, o.projectDoc = "project", doc }
}

// Named is the name of the Go methods, if it is not that of the room's method.
func Named(name string) Option { return func(o *Op) { o.Go = name } }

// Columns are the members that the command call shows of each item, such as "memory.id".
func Columns(paths ...string) Option { return func(o *Op) { o.Columns = paths } }

// Large says for which requests the answer may be large.
func Large[In any](f func(In) bool) Option {
	return func(o *Op) { o.Large = func(in any) bool { return f(*in.(*In)) } }
}

// Always is for [Large].
func Always[In any](In) bool { return true }

// Rights returns the right that a request needs beyond the least of its operation, and the field that requires it.
func Rights[In any](f func(In) (field string, need trilith.Access)) Option {
	return func(o *Op) { o.Rights = func(in any) (string, trilith.Access) { return f(*in.(*In)) } }
}

// Text is an answer in another form than JSON, for requests with its format in the query.
type Text struct {
	Format, Media string
	Write         func(w io.Writer, out any) error
}

// AsText is for operations whose answer may be a text.
func AsText[Out any](format, media string, write func(io.Writer, *Out) error) Option {
	return func(o *Op) {
		o.Text = &Text{format, media, func(w io.Writer, out any) error {
			of := out.(Out)
			return write(w, &of)
		}}
		o.query = append(o.query, &Field{Name: "format", Doc: "json if absent", Type: reflect.TypeFor[string](), kind: "string",
			unused: true, limits: limits{Enum: []string{"json", format}}})
	}
}

// Method is a method of a room R.
type Method[R, In, Out any] = func(R, context.Context, trilith.Scope, In) (Out, error)

// Read describes an operation that every key may call. The route is a method and a path, as "GET /facts/{id}",
// and where several operations have it, the parameter of the query that chooses this one, as "GET /facts?view=stale". It
// panics for a row that cannot work: a table is made by the program itself.
func Read[R, In, Out any](name, route string, do Method[R, In, Out], help string, options ...Option) *Op {
	return describe(name, route, trilith.AccessReader, do, help, options)
}

// Write describes an operation that needs the right writer.
func Write[R, In, Out any](name, route string, do Method[R, In, Out], help string, options ...Option) *Op {
	return describe(name, route, trilith.AccessWriter, do, help, options)
}

// Admin describes an operation that needs the right admin.
func Admin[R, In, Out any](name, route string, do Method[R, In, Out], help string, options ...Option) *Op {
	return describe(name, route, trilith.AccessAdmin, do, help, options)
}

// Options for rows of a table.
var (
	Operator   Option = func(o *Op) { o.Operator = true }
	Long       Option = func(o *Op) { o.Long = true }
	Later      Option = func(o *Op) { o.Later = true }
	Standby    Option = func(o *Op) { o.Standby = true }
	Waits      Option = func(o *Op) { o.Waits = true }
	Repeatable Option = func(o *Op) { o.Repeats = true }
	Once       Option = func(o *Op) { o.Repeats = false } // although it needs no right to write
	Bodiless   Option = func(o *Op) { o.Bodiless = true }
	Public     Option = func(o *Op) { o.Public = true }
	// ScopeInBody is for operations that have names in their path, and their scope in the body nevertheless.
	ScopeInBody Option = func(o *Op) { o.ScopeInBody = true }
	// InQuery is for operations that have everything outside their path in the query, whatever their method.
	InQuery Option = func(o *Op) { o.InQuery, o.ScopeInBody = true, false }
	// Tenant is for operations whose requests have no scope: they are about everything that the key may see, or its
	// whole tenant.
	Tenant Option = func(o *Op) { o.Scope, o.ScopeInBody = "-", false }
)

// Described completes the description of an operation whose bodies are not JSON.
func Described(complete func(*Describer, Node)) Option { return func(o *Op) { o.Describe = complete } }

// Edge describes an operation that an edge carries out itself: it needs what only the edge knows, or its bodies are not
// JSON. No table has it.
func Edge[In, Out any](name, route string, need trilith.Access, help string, options ...Option) *Op {
	o := begin[In, Out](name, route, need, help, options)
	o.place()
	return o
}

func begin[In, Out any](name, route string, need trilith.Access, help string, options []Option) *Op {
	method, path, _ := strings.Cut(route, " ")
	path, choice, _ := strings.Cut(path, "?")
	r := Route{Method: method, Path: path, Choice: choice, Repeats: need == trilith.AccessReader}
	o := &Op{Route: r, Name: name, Need: need, Help: help, Out: reflect.TypeFor[Out]()}
	o.In = requestOf(reflect.TypeFor[In](), o.Route)
	o.ScopeInBody = o.HasBody() && !strings.Contains(path, "{")
	for _, apply := range options {
		apply(o)
	}
	return o
}

func describe[R, In, Out any](name, route string, need trilith.Access, do Method[R, In, Out], help string,
	options []Option) *Op {
	full := runtime.FuncForPC(reflect.ValueOf(do).Pointer()).Name()
	o := begin[In, Out](name, route, need, help, options)
	o.Room, o.RoomMethod = reflect.TypeFor[R](), full[strings.LastIndexByte(full, '.')+1:]
	if strings.Contains(full, ".Bare[") {
		o.RoomMethod = o.Go
	}
	if o.Go == "" {
		o.Go = o.RoomMethod
	}
	if _, ok := o.Room.MethodByName(o.RoomMethod); !ok {
		panic(fmt.Sprintf("op: %s: %s has no method %q; a method without a request has to be named", name, o.Room, o.RoomMethod))
	}
	o.place()
	o.Do = func(ctx context.Context, rooms Rooms, s trilith.Scope, in any) (any, error) {
		r, ok := rooms.Room(o.Room).(R)
		if !ok {
			return nil, trilith.Errorf(trilith.Unsupported, "%s: is not offered here", name)
		}
		out, err := do(r, ctx, s, *in.(*In))
		Fill(&out)
		return out, err
	}
	return o
}

// place finds out where the fields travel: a member of the scope whose name is in the path is there. It panics unless
// the names in the path are those of fields.
func (o *Op) place() {
	open := strings.Count(o.Path, "{")
	put := func(f *Field, inBody bool) {
		switch {
		case f.Path && !o.inPath(f.Name):
			open = -1
		case f.Path:
			open--
		case inBody:
			o.body = append(o.body, f)
		default:
			o.query = append(o.query, f)
		}
	}
	for _, f := range scopeShape().Fields {
		own := *f
		if o.inPath(f.Name) {
			own.Path, own.Required = true, true
		}
		if f.Name == "project" {
			own.Doc = cmp.Or(o.projectDoc, f.Doc)
		}
		f = &own
		if o.takes(f.Name) {
			o.scope = append(o.scope, f)
			put(f, o.ScopeInBody)
		}
	}
	for _, f := range o.In.Fields {
		put(f, o.HasBody())
	}
	if name, value := o.choice(); name != "" {
		o.query = append(o.query, &Field{Name: name, Type: reflect.TypeFor[string](), kind: "string", unused: true,
			Required: true, limits: limits{Enum: []string{value}}})
	}
	if open != 0 {
		panic(fmt.Sprintf("op: %s: the request and the path %s have different names", o.Name, o.Path))
	}
	o.all = slices.Concat(o.In.Fields, o.scope)
}

// choice returns what [Route.Choice] says.
func (r Route) choice() (name, value string) {
	name, value, _ = strings.Cut(r.Choice, "=")
	return name, value
}

// takes reports whether requests have a member of the scope.
func (r Route) takes(member string) bool {
	return r.Scope == "" || r.inPath(member) || slices.Contains(strings.Split(r.Scope, ","), member)
}

func (r Route) inPath(name string) bool { return strings.Contains(r.Path, "{"+name+"}") }

// HasBody reports whether the fields of requests are in the body.
func (r Route) HasBody() bool {
	return r.Method != http.MethodGet && r.Method != http.MethodDelete && !r.InQuery
}

// Bare makes a method without a request one with a request. Its row has to be [Named] as the method is.
func Bare[R, Out any](do func(R, context.Context, trilith.Scope) (Out, error)) Method[R, None, Out] {
	return func(r R, ctx context.Context, s trilith.Scope, _ None) (Out, error) { return do(r, ctx, s) }
}

// New returns a pointer to an empty request.
func (o *Op) New() any { return reflect.New(o.In.Type).Interface() }

// Pending reports whether an answer says that the rest of the work follows.
func (o *Op) Pending(out any) bool {
	return o.Later && reflect.ValueOf(out).FieldByName("Pending").Bool()
}

// Searches reports whether a request searches by words: whether it has a query.
func Searches(in any) bool { return has(reflect.ValueOf(in).Elem(), "Query") }

// has reports whether a request has a field of a name, and a value in it.
func has(request reflect.Value, name string) bool {
	if request.Kind() != reflect.Struct {
		return false
	}
	f := request.FieldByName(name)
	return f.IsValid() && !f.IsZero()
}

// Table is a list of operations.
type Table struct {
	Ops    []*Op
	byName map[string]*Op
}

// NewTable makes a table, and panics for two operations of one name or route.
func NewTable(families ...[]*Op) *Table {
	t := &Table{byName: map[string]*Op{}}
	routes := map[string]bool{}
	for _, o := range slices.Concat(families...) {
		route := o.Method + o.Path + o.Choice
		if t.byName[o.Name] != nil || routes[route] {
			panic("op: " + o.Name + " is there twice, or its route")
		}
		t.Ops, t.byName[o.Name], routes[route] = append(t.Ops, o), o, true
	}
	return t
}

// Name describes a name in the path that is no id, and says how long it may be.
func Name(text string, most int) Option {
	return func(o *Op) { f := o.ownName(); f.Doc, f.MaxLength = text, most }
}

// Doc describes the id in the path of an operation whose request is one.
func Doc(text string) Option { return func(o *Op) { o.ownName().Doc = text } }

// ownName returns the name in the path for changes: other operations of the route may have the shape of the request too.
func (o *Op) ownName() *Field {
	in, f := *o.In, *o.In.Fields[0]
	in.Fields = append([]*Field{&f}, in.Fields[1:]...)
	o.In = &in
	return &f
}

// Of returns the operation of a name; nil if there is none.
func (t *Table) Of(name string) *Op { return t.byName[name] }
