// Package page is trilith's page for a browser: its files, and the handler that serves them.
//
// The files are written as browsers read them, so nothing is built. They hold no data and need no key. All that the
// page shows comes from /api/v1, which admits the page as it admits every other caller.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Prefix is the path that the page lies under.
const Prefix = "/ui/"

// policy lets the page load its own files and call its own server. Scripts cannot make markup of text: the only policy
// of trusted types is that of the library that holds the page's templates.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types lit-html"

// placeholder is in the document for the folder of the files, whose name changes with any of them.
const placeholder = "{{files}}"

const (
	start    = "index.html" // the document
	entrance = "app.js"     // the module that it loads
)

// file is one file as it is sent.
type file struct {
	kind, etag    string
	plain, packed []byte // packed is empty where packing gains nothing
}

// pages serves the document at every path that a screen may have, and its files for ever.
type pages struct {
	folder   string // of the files, below the prefix
	document file
	files    map[string]file
}

// New returns the handler of every path below [Prefix]. It is nil in a program that was built with the tag no_ui. It is
// safe for concurrent use.
func New() http.Handler {
	if files == nil {
		return nil
	}
	p, err := load(files)
	if err != nil {
		panic("page: the files of the program are always readable: " + err.Error())
	}
	return p
}

func load(from fs.FS) (*pages, error) {
	p := &pages{files: map[string]file{}}
	sum := sha256.New()
	var document []byte
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(body))
		sum.Write(body)
		if name == start {
			document = body
			return nil
		}
		p.files[name] = newFile(name, lean(name, body))
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.folder = "-" + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	body := bytes.ReplaceAll(document, []byte(placeholder), []byte(Prefix+p.folder))
	var links bytes.Buffer
	for _, module := range p.modules(entrance) {
		fmt.Fprintf(&links, "<link rel=\"modulepreload\" href=\"%s%s%s\">\n", Prefix, p.folder, module)
	}
	p.document = newFile(start, bytes.Replace(body, []byte("</head>"), append(links.Bytes(), "</head>"...), 1))
	return p, nil
}

// imported matches the imports that a browser needs before it runs a module.
var imported = regexp.MustCompile(`(?m)^(?:(?:import|export)\b[^'"]*?from|import) '(\.{1,2}/[^']+)'`)

// modules lists those that a module imports, directly or not, each once and after those that it was found in.
func (p *pages) modules(of string) []string {
	found := []string{of}
	for i := 0; i < len(found); i++ {
		for _, m := range imported.FindAllSubmatch(p.files[found[i]].plain, -1) {
			if name := path.Join(path.Dir(found[i]), string(m[1])); !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

var margins = regexp.MustCompile(`(?m)^[ \t]+|^//.*\n`)

// lean leaves out what only readers of the source need: indentation, and lines that are comments. No template of the
// page depends on either. What others have written stays as it is.
func lean(name string, body []byte) []byte {
	if ext := path.Ext(name); ext != ".js" && ext != ".css" || strings.HasPrefix(name, "vendor/") {
		return body
	}
	return margins.ReplaceAll(body, nil)
}

// kinds are the types of the files. They are fixed here because operating systems disagree about endings.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}

func newFile(name string, body []byte) file {
	kind := kinds[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	sum := sha256.Sum256(body)
	f := file{kind: kind, etag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: body}
	if path.Ext(name) != ".woff2" { // packed already
		f.packed = pack(body)
	}
	return f
}

func pack(body []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic("page: the level is one of the package's own: " + err.Error())
	}
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// ServeHTTP answers GET and HEAD.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the page accepts GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, Prefix)
	if !strings.HasPrefix(name, "-") {
		h.Set("Cache-Control", "no-cache")
		p.document.serve(w, r)
		return
	}
	f, ok := p.files[strings.TrimPrefix(name, p.folder)]
	if !ok || !strings.HasPrefix(name, p.folder) {
		h.Set("Cache-Control", "no-store")
		http.Error(w, "this file is of another version of the program; load the page again", http.StatusNotFound)
		return
	}
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	f.serve(w, r)
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.etag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if f.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.packed
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // who is gone needs nothing more
	}
}
