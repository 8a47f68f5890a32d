package rest

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsHTML string

var docsPage = template.Must(template.New("docs").Parse(docsHTML))

// docs renders the description once. The page loads nothing: no script, no font, no other host.
func (s *server) docs(api *huma.OpenAPI) http.HandlerFunc {
	type row struct {
		Method, Path string
		*huma.Operation
	}
	var rows []row
	for path, item := range api.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op != nil {
				rows = append(rows, row{method, path, op})
			}
		}
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
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		serve(w, r)
	}
}
