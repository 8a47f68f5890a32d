package mcpserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

func callParams(tool string, a args) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: a}
}

// post sends a body as a client of the protocol would; headers come in pairs.
func post(t *testing.T, url, body string, headers ...string) (status int, header http.Header, text string) {
	t.Helper()
	return send(t, http.MethodPost, url, body, headers...)
}

func send(t *testing.T, method, url, body string, headers ...string) (status int, header http.Header, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(answer)
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestHTTPAsksWhoYouAre(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	url := r.web(t, false) + "/mcp"
	key := r.key(t, "acme", trilith.AccessReader)
	for _, c := range []struct {
		why     string
		headers []string
		status  int
	}{
		{"no key", nil, 401},
		{"an unknown key", []string{"Authorization", "Bearer trilith_nobody_made_this"}, 401},
		{"a key", []string{"Authorization", "Bearer " + key}, 200},
		{"a key in the other header", []string{"X-API-Key", key}, 200},
		{"a key from a page of another site",
			[]string{"Authorization", "Bearer " + key, "Origin", "https://evil.example"}, 403},
		{"a key from a browser that says so",
			[]string{"Authorization", "Bearer " + key, "Sec-Fetch-Site", "cross-site"}, 403},
		{"a key behind a proxy", []string{"Authorization", "Bearer " + key, "Host", "memory.example.com"}, 200},
	} {
		status, header, body := post(t, url, listTools, c.headers...)
		if status != c.status || status == 401 && header.Get("WWW-Authenticate") != "Bearer" ||
			!strings.HasPrefix(header.Get("Cache-Control"), "no-") {
			t.Errorf("%s = %d %v %s, want %d", c.why, status, header, body, c.status)
		}
	}
	local := newRig(t).web(t, true) + "/mcp"
	for _, c := range []struct {
		origin, host string
		status       int
	}{{"", "", 200}, {"https://evil.example", "", 403}, {"null", "", 403}, {"", "evil.example", 403}} {
		headers := []string{}
		if c.origin != "" {
			headers = append(headers, "Origin", c.origin)
		}
		if c.host != "" {
			headers = append(headers, "Host", c.host)
		}
		if status, _, body := post(t, local, listTools, headers...); status != c.status {
			t.Errorf("without keys, origin %q and host %q = %d %s, want %d", c.origin, c.host, status, body, c.status)
		}
	}
}

func TestHTTPRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	url := r.web(t, true) + "/mcp"
	for _, c := range []struct {
		why, method, url, body string
		status                 int
		kind                   string
	}{
		{"an address with a misspelt value", "POST", url + "?usr=ana", listTools, 400, "invalid"},
		{"an address with an unknown set", "POST", url + "?tools=all", listTools, 400, "invalid"},
		{"an address with too long a value", "POST", url + "?user=" + strings.Repeat("x", 256), listTools,
			400, "invalid"},
		{"a stream that nothing would come on", "GET", url, "", 405, ""},
		{"the end of a session that there is not", "DELETE", url, "", 405, ""},
		{"no JSON", "POST", url, "hello", 400, ""},
		{"half a character in a prompt", "POST", url,
			`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"remember_this","arguments":{"content":"a \ud800"}}}`, 400, "invalid"},
		{"half a character in a resource", "POST", url,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"trilith://\udc00"}}`, 400, "invalid"},
		{"half a character in an argument", "POST", url,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"a \ud800"}}}`, 200, ""},
		{"too much", "POST", url, strings.Repeat(" ", 11<<20), 413, "exhausted"},
	} {
		status, _, body := send(t, c.method, c.url, c.body)
		if status != c.status || c.kind != "" && !strings.Contains(body, `"kind":"`+c.kind+`"`) {
			t.Errorf("%s = %d %s, want %d %s", c.why, status, body, c.status, c.kind)
		}
	}
}

// TestHalfACharacter: a tool reports that an argument is no valid text, and stores nothing of it; a whole character in
// two escapes is valid.
func TestHalfACharacter(t *testing.T) {
	t.Parallel()
	url := newRig(t).web(t, true) + "/mcp"
	for arguments, want := range map[string]string{
		`{"content":"a \ud800"}`:                                "half of a character",
		`{"content":"a","\udc00":1}`:                            "half of a character",
		`{"content":"a","metadata":{"b":"\ud83d\ud83d\ude00"}}`: "half of a character",
		`{"content":"The cat is called \ud83d\ude00 Smile."}`:   `"isError":false`,
	} {
		status, _, body := send(
			t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_append","arguments":`+arguments+`}}`)
		if refused := strings.Contains(body, `"isError":true`); status != 200 ||
			refused != (want == "half of a character") || refused && !strings.Contains(body, want) {
			t.Errorf("memory_append %s = %d %s, want %s", arguments, status, body, want)
		}
	}
}

// TestTenancy: a tenant can neither see nor change nor guess what another one has, through any way in.
func TestTenancy(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	url := r.web(t, false) + "/mcp?tools=graph,review,subagent"
	north := overHTTP(t, url, r.key(t, "north", trilith.AccessWriter))
	south := overHTTP(t, url, r.key(t, "south", trilith.AccessWriter))
	id := north.call(t, "memory_append",
		args{"content": "The well is behind the mill.", "session": "talk", "tags": []string{"well"}}).MemoryID
	about := args{"type": "name", "value": "Mara"}
	fact := north.call(t, "memory_assimilate", args{"identifier": about, "content": "Mara lives in Porto."}).Facts[0].ID
	unknown := trilith.DeriveID("nobody has this")

	same := func(tool string, a func(trilith.ID) args) {
		t.Helper()
		foreign, none := textOf(t, south.try(t, tool, a(id))), textOf(t, south.try(t, tool, a(unknown)))
		if strings.ReplaceAll(foreign, string(id), "ID") != strings.ReplaceAll(none, string(unknown), "ID") {
			t.Errorf("%s answers a foreign id with %s and an unknown one with %s", tool, foreign, none)
		}
	}
	same("memory_get", func(id trilith.ID) args { return args{"id": id, "history": true} })
	same("memory_update", func(id trilith.ID) args { return args{"id": id, "action": "edit", "tags": []string{"x"}} })
	same("memory_update", func(id trilith.ID) args { return args{"id": id, "action": "edit", "restore": true} })
	same("memory_update", func(id trilith.ID) args { return args{"id": id, "action": "supersede", "content": "x"} })
	same("memory_update", func(id trilith.ID) args { return args{"id": id, "action": "verify"} })
	same("memory_forget", func(id trilith.ID) args { return args{"ids": []trilith.ID{id}} })
	same("memory_review", func(id trilith.ID) args { return args{"action": "decide", "id": id, "decision": "verify"} })

	for _, c := range []struct {
		tool string
		args args
	}{
		{"memory_search", args{"query": "well behind the mill"}},
		{"memory_search", args{"query": "well behind the mill", "format": "briefing"}},
		{"search", args{"query": "well behind the mill"}},
		{"memory_forget", args{"filters": args{"tags": args{"contains": "well"}}}},
		{"memory_review", args{}},
	} {
		if text := textOf(t, south.try(t, c.tool, c.args)); strings.Contains(text, "mill") ||
			strings.Contains(text, string(id)) || strings.Contains(text, string(fact)) {
			t.Errorf("%s of another tenant = %s", c.tool, text)
		}
	}
	south.fails(t, "memory_lookup", args{"identifier": about}, trilith.NotFound, "")
	for _, uri := range []string{"memory://item/" + string(id), "memory://session/talk"} {
		if _, err := south.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil ||
			!strings.Contains(err.Error(), "Resource not found") {
			t.Errorf("%s of another tenant = %v, want not found", uri, err)
		}
		north.resource(t, uri)
	}
	for _, uri := range []string{"memory://recent", "memory://search?q=well mill"} {
		if text := south.resource(t, uri); strings.Contains(
			strings.Replace(text, `"query":"well mill"`, "", 1), "mill") {
			t.Errorf("%s of another tenant = %s", uri, text)
		}
	}
	prompt, err := south.GetPrompt(
		t.Context(), &mcp.GetPromptParams{
			Name: "recall_context", Arguments: map[string]string{"topic": "well behind the mill"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range prompt.Messages {
		if text, ok := m.Content.(*mcp.TextContent); !ok || strings.Contains(text.Text, "Mara") ||
			strings.Contains(text.Text, string(id)) {
			t.Errorf("the prompt recall_context of another tenant = %+v", m.Content)
		}
	}
	if text := south.resource(t, "memory://stats"); !strings.Contains(text, `"total":0`) {
		t.Errorf("memory://stats of another tenant = %s", text)
	}
	if got := north.call(t, "memory_get", args{"id": id}); got.Memory.Text != "The well is behind the mill." ||
		got.Memory.Version != 1 {
		t.Errorf("the owner's memory after all this: %+v", got.Memory)
	}
}

// TestRights: a reader reads; the end of a key is the end of its connection.
func TestRights(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	url := r.web(t, false) + "/mcp?tools=graph,review,subagent"
	secret, key, err := r.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "reader", Tenant: "acme",
		Access: trilith.AccessReader})
	if err != nil {
		t.Fatal(err)
	}
	p := overHTTP(t, url, secret)
	for tool, a := range map[string]args{
		"memory_append":     {"content": "x"},
		"memory_update":     {"id": "x", "action": "edit"},
		"memory_forget":     {"ids": []string{"x"}},
		"memory_assimilate": {"identifier": args{"type": "name", "value": "x"}, "content": "x"},
		"memory_review":     {"action": "decide", "id": "x", "decision": "verify"},
		"index":             {"content": "x"},
	} {
		p.fails(t, tool, a, trilith.Forbidden, "this needs the right writer; the key holds reader")
	}
	p.call(t, "memory_search", args{"query": "x"})
	p.call(t, "memory_review", args{})
	p.resource(t, "memory://recent")
	if err := r.RevokeKey(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.CallTool(t.Context(), callParams("memory_search", args{"query": "x"})); err == nil {
		t.Error("a revoked key still finds")
	}
}

// TestNarrowing: a connection that is fixed to a part of the memory never leaves it.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	fixed := local("graph")
	fixed.Scope = trilith.Scope{User: "ana", Project: "boat"}
	for name, p := range map[string]*peer{
		"stdio": r.overPipes(t, fixed),
		"http":  overHTTP(t, r.web(t, true)+"/mcp?tools=graph&user=ana&project=boat", ""),
	} {
		mine := p.call(t, "memory_append",
			args{"content": "The mast is ash, says " + name + ".", "session": name}).MemoryID
		if m, err := r.Get(t.Context(), trilith.Scope{Tenant: "default"}, mine); err != nil || m.Scope.User != "ana" ||
			m.Scope.Project != "boat" || m.Scope.Session != name {
			t.Errorf("%s: stored in %+v, %v, want ana's boat and the session of the call", name, m.Scope, err)
		}
		other, err := r.Remember(
			t.Context(), trilith.Scope{Tenant: "default", User: "ben", Project: "boat", Session: "bens"},
			trilith.RememberRequest{Text: "The mast is oak."})
		if err != nil {
			t.Fatal(err)
		}
		his := other.Memories[0].ID
		for _, format := range []string{"list", "briefing"} {
			const tool = "memory_search"
			p.fails(t, tool, args{"query": "mast", "user": "ben", "format": format}, trilith.Forbidden,
				"user: this connection is fixed to another one")
			if text := textOf(t, p.try(t, tool, args{"query": "mast oak", "user": "ana", "format": format})); strings.Contains(
				text, "oak") {
				t.Errorf("%s: a %s shows what is ben's: %s", name, format, text)
			}
			if text := textOf(t, p.try(t, tool, args{"query": "mast oak", "filters": args{"user": "ben"},
				"format": format})); strings.Contains(text, "oak") {
				t.Errorf("%s: a %s with a filter shows what is ben's: %s", name, format, text)
			}
		}
		p.fails(t, "memory_append", args{"content": "x", "project": "house"}, trilith.Forbidden, "project: ")
		p.fails(t, "memory_assimilate",
			args{"identifier": args{"type": "name", "value": "x"}, "content": "x", "user": "ben"},
			trilith.Forbidden, "user: ")
		p.fails(t, "memory_lookup", args{"identifier": args{"type": "name", "value": "x"}, "user": "ben"},
			trilith.Forbidden, "user: ")
		p.fails(t, "memory_get", args{"id": his}, trilith.NotFound, "")
		p.fails(t, "memory_update", args{"id": his, "action": "supersede", "content": "x"}, trilith.NotFound, "")
		p.fails(t, "memory_forget", args{"ids": []trilith.ID{his}}, trilith.NotFound, "")
		for _, uri := range []string{"memory://item/" + string(his), "memory://session/bens"} {
			if _, err := p.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("%s: %s shows what is ben's", name, uri)
			}
		}
		for _, uri := range []string{"memory://recent", "memory://search?q=mast oak"} {
			if text := p.resource(t, uri); strings.Contains(strings.Replace(text, `"query":"mast oak"`, "", 1), "oak") {
				t.Errorf("%s: %s shows what is ben's: %s", name, uri, text)
			}
		}
		if search := p.call(t, "memory_search", args{"query": "mast", "session": name}); len(search.Results) != 1 ||
			search.Results[0].ID != mine {
			t.Errorf("%s: memory_search in the session = %+v, want the one of it", name, search.Results)
		}
	}
}
