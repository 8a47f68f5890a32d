package rest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed docs.html
var docsHTML string

var docsPage = template.Must(template.New("docs").Parse(docsHTML))

// Listed is an operation that the description of the API leaves out, because it belongs to another surface or to those
// who run the server.
type Listed struct{ Method, Path, Summary, Description string }

// operatorPaths are the paths for the operator of the server.
var operatorPaths = []Listed{
	{"GET", "/healthz", "Whether the process answers", "Needs no key."},
	{"GET", "/readyz", "Whether the store can be used", "Needs no key."},
	{"GET", "/metrics", "Counters and times in the format of Prometheus", "Needs the right reader of tenant " +
		strconv.Quote(LocalTenant) + "."},
	{"GET", "/openapi.json", "The description of the API", "Needs no key."},
	{"GET", "/docs", "This page", "Needs no key."},
}

// docs renders the description once. The page loads nothing: no script, no font, no other host.
func (s *probes) docs(published func() []byte) http.HandlerFunc {
	page := sync.OnceValue(func() []byte {
		var doc struct {
			Info  node
			Paths map[string]map[string]node
		}
		if err := json.Unmarshal(published(), &doc); err != nil {
			panic("rest: the published description is always JSON: " + err.Error())
		}
		type row struct {
			Method, Path string
			Described    node
		}
		var rows []row
		for path, item := range doc.Paths {
			for method, o := range item {
				choices, _ := o["x-choices"].(node)
				for choice, one := range choices {
					rows = append(rows, row{strings.ToUpper(method), strings.TrimSuffix(path+"?"+choice, "?"), one.(node)})
				}
				if choices == nil {
					rows = append(rows, row{strings.ToUpper(method), path, o})
				}
			}
		}
		for _, o := range slices.Concat(operatorPaths, s.listed) {
			rows = append(rows, row{o.Method, o.Path, node{"summary": o.Summary, "description": o.Description}})
		}
		slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
		var page bytes.Buffer
		if err := docsPage.Execute(&page, map[string]any{"Info": doc.Info, "Rows": rows}); err != nil {
			panic("rest: the docs page always renders: " + err.Error())
		}
		return page.Bytes()
	})
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		static("text/html; charset=utf-8", page())(w, r)
	}
}
