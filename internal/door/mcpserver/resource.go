package mcpserver

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

// resourceTokens is the size of a listing that a person attaches to a prompt.
const resourceTokens = 8000

const (
	searchURI  = "memory://search"
	itemURI    = "memory://item/"
	sessionURI = "memory://session/"
	recentURI  = "memory://recent"
	statsURI   = "memory://stats"
	alertsURI  = "memory://alerts"
)

// searchExample shows the syntax that most people get wrong at first.
const searchExample = searchURI + "?q=where does Ana live&limit=5"

func (b *builder) addResources() {
	const media = "application/json"
	b.srv.AddResource(&mcp.Resource{URI: searchURI, Name: "search",
		Description: "What is remembered about a question: " + searchExample, MIMEType: media}, b.read(b.readSearch))
	b.srv.AddResource(&mcp.Resource{URI: recentURI, Name: "recent",
		Description: "What was remembered last, newest first.", MIMEType: media}, b.read(b.recent))
	b.srv.AddResource(&mcp.Resource{URI: statsURI, Name: "stats",
		Description: "How much is remembered, by kind and state.", MIMEType: media}, b.read(b.stats))
	b.srv.AddResource(&mcp.Resource{URI: alertsURI, Name: "alerts",
		Description: "What saved searches have raised that nobody has acknowledged, oldest first.", MIMEType: media},
		b.read(func(ctx context.Context, who caller, _ string) (any, error) {
			return b.Engine.Alerts(ctx, who.scope, trilith.AlertQuery{Open: true, Limit: maxResults})
		}))
	for _, t := range []struct {
		template, name, about string
		read                  func(context.Context, caller, string) (any, error)
	}{
		{searchURI + "{?q,limit}", "search", "What is remembered about a question: " + searchExample, b.readSearch},
		{itemURI + "{id}", "item", "One memory, whole.", b.readItem},
		{sessionURI + "{id}", "session", "The turns of a conversation, in order.", b.readSession},
	} {
		b.srv.AddResourceTemplate(
			&mcp.ResourceTemplate{URITemplate: t.template, Name: t.name, Description: t.about, MIMEType: media},
			b.read(t.read))
	}
}

// read makes a resource of a function that takes the part after the resource's name: an id, or the query of the URI.
func (b *builder) read(from func(context.Context, caller, string) (any, error)) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI // canonical
		rest := strings.TrimPrefix(strings.TrimPrefix(uri, itemURI), sessionURI)
		if _, query, ok := strings.Cut(uri, "?"); ok {
			rest = query
		} else if uri == searchURI {
			rest = ""
		} else if id, err := url.PathUnescape(rest); err == nil {
			rest = id
		}
		v, err := from(ctx, b.who(ctx), rest)
		switch {
		case err == nil:
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: string(forModel(v, ""))}}}, nil
		case trilith.KindOf(err) == trilith.NotFound:
			return nil, mcp.ResourceNotFoundError(uri) // not found, as for an unknown one
		}
		return nil, b.protocolError(ctx, "resources/read", err)
	}
}

// foundResource is the result of a search as a resource: the answer of the tool with the question, and fields that
// callers of the resource read.
type foundResource struct {
	Query   string           `json:"query"`
	Results []relevantResult `json:"results"`
	Total   int              `json:"total"` // including those that did not fit
	LeftOut int              `json:"left_out,omitempty"`
	outcome
	coverage
}

// relevantResult adds the score under the resource's name.
type relevantResult struct {
	result
	Relevance float64 `json:"relevance"`
}

// howToSearch answers a search without a question.
type howToSearch struct {
	Error   string `json:"error"`
	Example string `json:"example"`
}

func (e *edge) readSearch(ctx context.Context, who caller, query string) (any, error) {
	v, err := url.ParseQuery(query)
	if err != nil || strings.TrimSpace(v.Get("q")) == "" {
		return howToSearch{"q: is missing; say what you want to know", searchExample}, nil
	}
	limit := defaultResults
	if n, err := strconv.Atoi(v.Get("limit")); err == nil {
		limit = max(1, min(n, maxResults))
	}
	found, err := e.search(ctx, who, searchInput{Query: v.Get("q"), Limit: limit, MaxTokens: resourceTokens})
	if err != nil {
		return nil, err
	}
	out := foundResource{Query: v.Get("q"), Results: []relevantResult{}, Total: len(found.Results) + found.LeftOut,
		LeftOut: found.LeftOut,
		outcome: found.outcome, coverage: found.coverage}
	for _, r := range found.Results {
		out.Results = append(out.Results, relevantResult{r, r.RelevanceScore})
	}
	return out, nil
}

func (e *edge) readItem(ctx context.Context, who caller, id string) (any, error) {
	m, err := e.Engine.Get(ctx, who.scope, trilith.IDOf(id))
	if trilith.Is(err, trilith.Invalid) { // not an id of ours: it does not exist
		err = trilith.Errorf(trilith.NotFound, "id: no memory has this id")
	}
	return brief(m), err
}

// readSession returns the newest turns of a session that fit, oldest first.
func (e *edge) readSession(ctx context.Context, who caller, id string) (any, error) {
	scope, err := e.narrow(ctx, who, narrowing{Session: id})
	if err != nil || strings.TrimSpace(id) == "" {
		return nil, trilith.Errorf(trilith.NotFound, "session: no session has this name")
	}
	out, err := e.turns(ctx, scope, trilith.ListRequest{Limit: trilith.MaxPageSize}, resourceTokens)
	if err == nil && len(out.Results)+out.LeftOut == 0 {
		err = trilith.Errorf(trilith.NotFound, "session: no session has this name")
	}
	if err != nil || out.LeftOut == 0 {
		return out, err
	}
	s, err := e.Engine.GetSession(ctx, scope, id, trilith.SessionTurnsQuery{Limit: 1})
	if err != nil || s.Summary == nil {
		return out, nil
	}
	return sessionOutput{out, s.Summary.Text}, nil
}

// sessionOutput is a session of which not all turns fit, with the summary of the others.
type sessionOutput struct {
	searchOutput
	Summary string `json:"summary"`
}

func (e *edge) recent(ctx context.Context, who caller, _ string) (any, error) {
	return e.newest(ctx, who.scope, trilith.ListRequest{Limit: maxResults}, resourceTokens)
}

func (e *edge) stats(ctx context.Context, who caller, _ string) (any, error) {
	return e.Engine.Stats(ctx, who.scope)
}

// canonical converts requests into the form that is answered. The URI of a resource has to match a template, but people
// and models write a query naturally, with spaces, colons, quotes and letters of any script; + means a space, as in any
// query. The tool memory_context, which no list has, is memory_search for a block.
func canonical(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch params := req.GetParams().(type) {
		case *mcp.ReadResourceParams:
			params.URI = canonicalURI(params.URI)
		case *mcp.CallToolParamsRaw:
			if params.Name == "memory_context" {
				params.Name, params.Arguments = "memory_search", forBlock(params.Arguments)
			}
		}
		return next(ctx, method, req)
	}
}

func canonicalURI(uri string) string {
	uri = strings.TrimSpace(uri)
	if name, query, ok := strings.Cut(uri, "?"); ok && strings.TrimRight(name, "/") == searchURI {
		return searchURI + canonicalQuery(query)
	}
	if strings.TrimRight(uri, "/") == searchURI {
		return searchURI
	}
	for _, prefix := range []string{itemURI, sessionURI} {
		if id, ok := strings.CutPrefix(uri, prefix); ok {
			return prefix + escape(unescape(id))
		}
	}
	return printable(uri)
}

// canonicalQuery keeps q and limit. Any other part belongs to the question before it, which may contain an ampersand.
func canonicalQuery(query string) string {
	var q, limit string
	for i, part := range strings.Split(query, "&") {
		name, value, ok := strings.Cut(part, "=")
		switch {
		case ok && name == "q":
			q = value
		case ok && name == "limit":
			limit = value
		case i > 0 && q != "":
			q += "&" + part
		}
	}
	out := "?q=" + escape(unescape(strings.ReplaceAll(q, "+", " ")))
	if limit != "" {
		out += "&limit=" + escape(unescape(limit))
	}
	return out
}

// unescape undoes percent-encoding; a bare percent sign stays.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// escape encodes everything but letters, digits and - . _ ~ of ASCII.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// printable encodes characters that JSON and templates cannot contain.
func printable(s string) string {
	var out strings.Builder
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f && c != '"' && c != '\\' {
			out.WriteByte(c)
		} else {
			out.WriteString(url.QueryEscape(s[i : i+1]))
		}
	}
	return out.String()
}
