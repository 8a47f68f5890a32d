package op_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

type part struct {
	Role string `json:"role" enum:"user,assistant"`
	Text string `json:"text,omitempty" maxLength:"5"`
}

type request struct {
	ID    string         `json:"-" path:"id" maxLength:"8"`
	Key   string         `json:"key,omitempty" header:"Idempotency-Key"`
	Since trilith.Filter `json:"since,omitzero"`
	Parts []part         `json:"parts" minItems:"1" maxItems:"2"`
	Limit int            `json:"limit,omitempty" minimum:"1" maximum:"9"`
	Tags  []string       `json:"tags,omitempty" maxLength:"3"`
}

type answer struct {
	Items []string `json:"items"`
	Got   request  `json:"-"`
}

type room struct{}

func (room) Put(_ context.Context, _ trilith.Scope, r request) (answer, error) {
	return answer{Got: r}, nil
}

func (room) Get(context.Context, trilith.Scope, trilith.ID) (answer, error) { return answer{}, nil }

func (room) Watch(context.Context, trilith.Scope) (answer, error) { return answer{}, nil }

type rooms struct{}

func (rooms) Room(reflect.Type) any { return room{} }

var put = op.Write("put", "PUT /things/{id}", room.Put, "Put a thing", op.Later)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, body, header, want string }{
		{"all is well", "/things/a?user=ana", `{"parts":[{"role":"user"}],"limit":3}`, "", ""},
		{"null is absent", "/things/a", `{"parts":[{"role":"user","text":null}],"limit":null}`, "", ""},
		{"an unknown member", "/things/a", `{"parts":[{"role":"user"}],"limt":3}`, "", "limt: unexpected property; did you mean limit?"},
		{"one inside", "/things/a", `{"parts":[{"role":"user","txt":""}]}`, "", "parts[0].txt: unexpected property; did you mean text?"},
		{"another case", "/things/a", `{"Parts":[{"role":"user"}]}`, "",
			"Parts: unexpected property; did you mean parts?; body: expected required property parts to be present"},
		{"all at once", "/things/a?x=1", `{"parts":[{"role":"me","text":"longer"}],"limit":10}`, "",
			`limit: expected number <= 9; parts[0].role: expected value to be one of "user, assistant"; ` +
				`parts[0].text: expected length <= 5; x: unknown query parameter`},
		{"zero that is there", "/things/a", `{"parts":[{"role":"user"}],"limit":0}`, "", "limit: expected number >= 1"},
		{"another type", "/things/a", `{"parts":[{"role":"user"}],"limit":"3"}`, "", "limit: expected integer"},
		{"too few", "/things/a", `{"parts":[]}`, "", "parts: expected array length >= 1"},
		{"too many", "/things/a", `{"parts":[{"role":"user"},{"role":"user"},{"role":"user"}]}`, "",
			"parts: expected array length <= 2; send the rest in another request"},
		{"a list", "/things/a", `[]`, "", "body: expected object"},
		{"no JSON", "/things/a", `{`, "", "body: unexpected end of JSON input"},
		{"half a character", "/things/a", `{"key":"\ud800"}`, "", `body: holds \ud800, which is half of a character; write both halves, or leave it out`},
		{"a scope of the query in the body", "/things/a", `{"user":"ana","parts":[{"role":"user"}]}`, "", "user: unexpected property"},
		{"a long name in the path", "/things/123456789", `{"parts":[{"role":"user"}]}`, "", "id: expected length <= 8"},
		{"two keys", "/things/a", `{"key":"x","parts":[{"role":"user"}]}`, "y",
			"key: differs from the header Idempotency-Key; send one of them"},
		{"the key twice", "/things/a", `{"key":"y","parts":[{"role":"user"}]}`, "y", ""},
		{"a doubled name", "/things/a?user=ana&user=ben", `{"parts":[{"role":"user"}]}`, "", "user: is there 2 times"},
		{"nothing as an item", "/things/a", `{"parts":[{"role":"user"}],"tags":[null]}`, "", "tags[0]: expected string"},
		{"nothing as an object", "/things/a", `{"parts":[null]}`, "", "parts[0]: expected object"},
		{"a wrong item", "/things/a", `{"parts":[{"role":"user"}],"tags":["x",1]}`, "", "tags[1]: expected string"},
		{"a filter", "/things/a", `{"parts":[{"role":"user"}],"since":{"a":{"b":1}}}`, "", "since: *"},
		{"no body", "/things/a", "", "", "request body is required"},
	} {
		var err error
		mux := http.NewServeMux()
		mux.HandleFunc("PUT /things/{id}", func(_ http.ResponseWriter, r *http.Request) { _, _, err = put.Decode(r) })
		r := httptest.NewRequest("PUT", c.path, strings.NewReader(c.body))
		r.Header.Set("Idempotency-Key", c.header)
		mux.ServeHTTP(httptest.NewRecorder(), r)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if open, ok := strings.CutSuffix(c.want, "*"); ok && strings.HasPrefix(got, open) {
			got = c.want
		}
		if got != c.want || err != nil && trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("%s: %s = %q, want %q of kind invalid", c.name, c.body, got, c.want)
		}
	}
}

// A request that was written for the wire is the same after decoding.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	want := request{ID: "a/b", Parts: []part{{"user", "hi"}}, Limit: 2, Tags: []string{"x", "y"}}
	query := url.Values{"user": {"ana"}}
	path, hasBody := put.Target(trilith.Scope{}, want, query)
	if path != "/things/a%2Fb" || !hasBody || query.Encode() != "user=ana" {
		t.Fatal(path, query, hasBody)
	}
	body, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /things/{id}", func(_ http.ResponseWriter, r *http.Request) {
		in, s, err := put.Decode(r)
		if got := in.(*request); err != nil || s.User != "ana" || !reflect.DeepEqual(*got, want) {
			t.Errorf("decoded %+v of %+v, %v; want %+v", got, s, err, want)
		}
		out, err := put.Do(t.Context(), rooms{}, s, in)
		if got, ok := out.(answer); err != nil || !ok || got.Items == nil || got.Got.ID != "a/b" {
			t.Errorf("Do = %+v, %v; want an empty list, not none", out, err)
		}
	})
	mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("PUT", path+"?"+query.Encode(), bytes.NewReader(body)))
}

// Members of the scope are where the row says.
func TestScopeOfRequests(t *testing.T) {
	t.Parallel()
	watch := op.Read("watch", "GET /watch/{project}", op.Bare(room.Watch), "Watch", op.Named("Watch"), op.Within("user"))
	r := httptest.NewRequest("GET", "/watch/tower?user=ana", nil)
	r.SetPathValue("project", "tower")
	if _, s, err := watch.Decode(r); err != nil || s.Project != "tower" || s.User != "ana" {
		t.Errorf("Decode = %+v, %v", s, err)
	}
	s, query := watch.Scoped(trilith.Scope{Tenant: "acme", Project: "tower", User: "ana", Agent: "x"}), url.Values{}
	path, _ := watch.Target(s, op.None{}, query)
	if want := (trilith.Scope{Tenant: "acme", Project: "tower", User: "ana"}); s != want || path != "/watch/tower" {
		t.Errorf("Scoped = %+v, Target = %s", s, path)
	}
	if err := watch.Check(trilith.Scope{Project: ".."}, op.None{}); err == nil {
		t.Error("a path of two dots can be sent")
	}
	all := op.Write("all", "POST /all", op.Bare(room.Watch), "All", op.Named("Watch"), op.InQuery, op.Tenant)
	if r = httptest.NewRequest("POST", "/all?user=ana", nil); all.HasBody() {
		t.Error("a request in the query has a body")
	}
	if _, _, err := all.Decode(r); err == nil {
		t.Error("a request without a scope takes a user")
	}
}

// What a client refuses is what it could not send as it is.
func TestCheck(t *testing.T) {
	t.Parallel()
	get := op.Read("get", "GET /things/{id}", room.Get, "Get a thing", op.Doc("Id of the thing"))
	for in, want := range map[any]string{
		trilith.ID("x"): `id: "x" is not a UUID in lower case`,
		trilith.ID("0197C6A0-0000-7000-8000-000000000001"): "",
	} {
		if err := get.Check(trilith.Scope{}, in); trilith.MessageOf(err) != want && (err != nil || want != "") {
			t.Errorf("Check(%v) = %v, want %q", in, err, want)
		}
	}
	err := put.Check(trilith.Scope{}, request{ID: "a", Limit: 100, Parts: []part{{Text: "x\xff"}}})
	if err == nil || err.Error() != "parts[0].text: is not valid UTF-8" {
		t.Errorf("Check = %v, want the text that is not valid, and nothing of limits", err)
	}
}

// TestDescription: a description has the fields at their places with their limits.
func TestDescription(t *testing.T) {
	t.Parallel()
	d := &op.Describer{Schemas: op.Node{}, Tag: func(string) string { return "things" },
		Needs:  func(*op.Op) string { return "" },
		Values: func(reflect.Type) any { return nil }, Custom: func(reflect.Type) op.Node { return nil }}
	got, err := json.Marshal([]any{d.Describe(put), d.Schemas["Request"], d.Schemas["Part"]})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"in":"header","name":"Idempotency-Key"`, `"in":"path","name":"id","required":true`,
		`"operationId":"put"`, `"202":`, `"parts":{"items":{"$ref":"#/components/schemas/Part"},"maxItems":2,"minItems":1`,
		`"additionalProperties":false`, `"enum":["user","assistant"]`, `"required":["role"]`} {
		if !strings.Contains(string(got), part) {
			t.Errorf("the description %s lacks %s", got, part)
		}
	}
}

func TestBadRowsPanic(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(){
		"a name that the path lacks": func() { op.Write("put", "PUT /things", room.Put, "") },
		"a name that no field has":   func() { op.Read("watch", "GET /watch/{id}", op.Bare(room.Watch), "", op.Named("Watch")) },
		"a bare method without name": func() { op.Read("watch", "GET /watch", op.Bare(room.Watch), "") },
		"two of one name":            func() { op.NewTable([]*op.Op{put, put}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			make()
		}()
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	in, s, err := put.Args([]string{"--id=a", "--parts", `{"role":"user"}`, "--limit=2", "--tags=x", "--tags", "y", "--user=ana"})
	if got, _ := in.(*request); err != nil || s.User != "ana" || got.ID != "a" || got.Limit != 2 ||
		len(got.Parts) != 1 || len(got.Tags) != 2 {
		t.Errorf("Args = %+v %+v %v", in, s, err)
	}
	for _, args := range [][]string{{"--nonsense=1"}, {"--limit"}, {"--limit=x", "--id=a"}, {"a", "b"}} {
		if _, _, err := put.Args(args); trilith.KindOf(err) != trilith.Invalid || err == nil {
			t.Errorf("Args(%q) = %v, want invalid", args, err)
		}
	}
	if in, _, err := put.Args([]string{"a", "--parts", `{"role":"user"}`, "--limit=2"}); err != nil || in.(*request).ID != "a" {
		t.Errorf("Args with a name of the path = %+v %v", in, err)
	}
	heading, rows, rest := op.Rows(map[string]any{"next_cursor": "c", "items": []any{
		map[string]any{"id": 1, "memory": map[string]any{"text": "x"}}}}, []string{"id", "memory.text"})
	if strings.Join(heading, " ") != "ID TEXT" || strings.Join(rows[0], " ") != "1 x" || rest["next_cursor"] != "c" {
		t.Error(heading, rows, rest)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"parts":[{"role":"user"}],"limit":3}`, "user=ana")
	f.Fuzz(func(t *testing.T, body, query string) {
		r := httptest.NewRequest("PUT", "/things/a", strings.NewReader(body))
		r.URL.RawQuery = query
		r.SetPathValue("id", "a")
		in, _, err := put.Decode(r)
		if err != nil && trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Decode(%q, %q) = %v, which is not the caller's", body, query, err)
		}
		if err == nil {
			if err := put.Check(trilith.Scope{}, *in.(*request)); err != nil {
				t.Errorf("Decode(%q, %q) = %+v, which cannot be sent: %v", body, query, in, err)
			}
		}
		_, _, _ = put.DecodeJSON([]byte(body))
	})
}
