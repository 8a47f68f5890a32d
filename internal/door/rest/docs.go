package rest

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
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
func (s *probes) docs(api *huma.OpenAPI) http.HandlerFunc {
	type row struct {
		Method, Path string
		*huma.Operation
	}
	var rows []row
	for path, item := range api.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put,
			"PATCH": item.Patch, "DELETE": item.Delete} {
			if op != nil {
				rows = append(rows, row{method, path, op})
			}
		}
	}
	for _, o := range slices.Concat(operatorPaths, s.listed) {
		rows = append(rows, row{o.Method, o.Path, &huma.Operation{Summary: o.Summary, Description: o.Description}})
	}
	slices.SortFunc(rows, func(a, b row) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	var page bytes.Buffer
	if err := docsPage.Execute(&page, map[string]any{"Info": api.Info, "Rows": rows}); err != nil {
		panic("rest: the docs page always renders: " + err.Error())
	}
	serve := static("text/html; charset=utf-8", page.Bytes())
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		serve(w, r)
	}
}
