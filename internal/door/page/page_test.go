//go:build !no_ui

package page

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func get(t *testing.T, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	New().ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	var from io.Reader = res.Body
	if res.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if from, err = gzip.NewReader(res.Body); err != nil {
			t.Fatal(err)
		}
	}
	body, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func loaded(t *testing.T) *pages {
	t.Helper()
	p, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHeaders: every answer keeps scripts, frames and markup of others out.
func TestHeaders(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	for _, target := range []string{"/ui/", "/ui/ask", "/ui/memories/x", Prefix + p.folder + "app.js",
		"/ui/-old/app.js"} {
		res := get(t, target)
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("GET %s: %s is %q, want %q", target, name, got, want)
			}
		}
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'",
			"frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
			"trusted-types lit-html"} {
			if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, want) ||
				strings.Contains(got, "unsafe") {
				t.Errorf("GET %s: the policy is %q, want %q in it and nothing unsafe", target, got, want)
			}
		}
	}
}

// TestCaching: browsers fetch the document again every time, and its files never, because the name of their folder
// depends on them.
func TestCaching(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	document := get(t, "/ui/ask", "Accept-Encoding", "gzip")
	if got := document.Header.Get("Cache-Control"); document.StatusCode != 200 || got != "no-cache" {
		t.Errorf("GET /ui/ask = %d, Cache-Control %q", document.StatusCode, got)
	}
	if res := get(t, "/ui/ask", "If-None-Match", document.Header.Get("ETag")); res.StatusCode != 304 {
		t.Errorf("GET /ui/ask with its ETag = %d, want 304", res.StatusCode)
	}
	res := get(t, Prefix+p.folder+"app.js", "Accept-Encoding", "gzip")
	if got := res.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") ||
		res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("GET app.js: Cache-Control %q, Content-Encoding %q", got, res.Header.Get("Content-Encoding"))
	}
	if plain := get(t, Prefix+p.folder+"app.js"); bodyOf(t, plain) != bodyOf(t, res) {
		t.Error("app.js differs packed and plain")
	}
	res = get(t, "/ui/-0123456789abcdef/app.js")
	if got := res.Header.Get("Cache-Control"); res.StatusCode != 404 || got != "no-store" {
		t.Errorf("GET a file of another version = %d, Cache-Control %q", res.StatusCode, got)
	}
	r := httptest.NewRequest(http.MethodPost, "/ui/ask", http.NoBody)
	w := httptest.NewRecorder()
	New().ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST /ui/ask = %d, want 405", w.Code)
	}
}

// TestDocument: it loads what it names, from this server, and nothing else.
func TestDocument(t *testing.T) {
	t.Parallel()
	body := bodyOf(t, get(t, "/ui/ask"))
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(body, -1) {
		if m[1] == "#main" || strings.HasPrefix(m[1], "data:image/svg+xml,") {
			continue
		}
		if res := get(t, m[1]); res.StatusCode != 200 || !strings.HasPrefix(m[1], Prefix) {
			t.Errorf("the document names %s, which answers %d", m[1], res.StatusCode)
		}
	}
	if strings.Contains(body, placeholder) {
		t.Errorf("the document still holds %s", placeholder)
	}
}

var anyImport = regexp.MustCompile(`(?:from |import |import\()'(\.{1,2}/[\w./-]+\.js)'`)

// TestImports: every module that is imported is there.
func TestImports(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	for name, f := range p.files {
		if path.Ext(name) != ".js" || strings.HasPrefix(name, "vendor/") {
			continue
		}
		for _, m := range anyImport.FindAllSubmatch(f.plain, -1) {
			if to := path.Join(path.Dir(name), string(m[1])); p.files[to].plain == nil {
				t.Errorf("%s imports %s, which is not there", name, m[1])
			}
		}
	}
}

// TestText: stored text becomes text, in every screen. What makes markup of text, or lets text be a script or a style,
// is in none of our files.
func TestText(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|unsafeHTML|unsafeSVG|document\.write|` +
		`createContextualFragment|setHTML|DOMParser|srcdoc|\beval\(|new Function|\bstyle=|javascript:|` +
		`\son[a-z]+=["'$]|https?://`)
	for name, f := range loaded(t).files {
		if ext := path.Ext(name); ext != ".js" || strings.HasPrefix(name, "vendor/") {
			continue
		}
		for _, m := range forbidden.FindAll(f.plain, -1) {
			t.Errorf("%s holds %s", name, m)
		}
	}
}

// sent is how many bytes of the files that have an ending are sent.
func (p *pages) sent(names []string, ext string) (n int) {
	for _, name := range names {
		switch f := p.files[name]; {
		case path.Ext(name) != ext:
		case f.packed == nil:
			n += len(f.plain)
		default:
			n += len(f.packed)
		}
	}
	return n
}

// TestBudgets: the page stays small. The messages of a second language are loaded by those who read it.
func TestBudgets(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	all := slices.Sorted(maps.Keys(p.files))
	first := slices.Concat(p.modules(entrance), p.modules("screens/ask.js"))
	slices.Sort(first)
	first = slices.Compact(first)
	oneLanguage := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == "words.de.js" })
	for _, b := range []struct {
		what      string
		got, most int
	}{
		{"JavaScript of the first screen", p.sent(first, ".js"), 25_000},
		// More than the 45,000 that were wanted: fifteen screens, each loaded when it is opened.
		{"JavaScript in one language", p.sent(oneLanguage, ".js"), 70_000},
		{"CSS", p.sent(all, ".css"), 10_000},
		{"fonts", p.sent(all, ".woff2"), 160_000},
		{"files of the first screen", len(first) + 1 + 1 + 3, 12}, // the document, the style, three fonts
	} {
		t.Logf("%s: %d of %d", b.what, b.got, b.most)
		if b.got > b.most || b.got == 0 {
			t.Errorf("%s: %d, want 1 to %d", b.what, b.got, b.most)
		}
	}
}

// TestVendored: files of others are those that NOTICE names, byte for byte.
func TestVendored(t *testing.T) {
	t.Parallel()
	notice, err := os.ReadFile("../../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range loaded(t).files {
		if !strings.HasPrefix(name, "vendor/") && path.Ext(name) != ".woff2" || strings.HasSuffix(name, ".txt") {
			continue
		}
		sum := sha256.Sum256(f.plain)
		if want := hex.EncodeToString(sum[:]); !strings.Contains(string(notice), want) {
			t.Errorf("NOTICE does not name internal/door/page/static/%s with sha256 %s", name, want)
		}
	}
}

var (
	message = regexp.MustCompile(`'([\w.-]+)': '((?:[^'\\]|\\.)*)'`)
	used    = regexp.MustCompile(`\bt\('([\w.-]+)'[,)]`)
	values  = regexp.MustCompile(`\{\w+\}`)
)

// TestWords: both languages have every message, with the same values in it, and every message that a screen names is
// there.
func TestWords(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	table := func(name string) map[string]string {
		all := map[string]string{}
		for _, m := range message.FindAllSubmatch(p.files[name].plain, -1) {
			all[string(m[1])] = string(m[2])
		}
		return all
	}
	en, de := table("words.js"), table("words.de.js")
	maps.Copy(en, table("words.more.js"))
	if len(en) < 100 {
		t.Fatalf("words.js has %d messages", len(en))
	}
	for key, text := range en {
		if de[key] == "" {
			t.Errorf("words.de.js lacks %s", key)
			continue
		}
		in := func(s string) []string {
			found := values.FindAllString(s, -1)
			slices.Sort(found)
			return slices.Compact(found)
		}
		if !slices.Equal(in(text), in(de[key])) || strings.Contains(text, "|") != strings.Contains(de[key], "|") {
			t.Errorf("%s: %q and %q hold other values or forms", key, text, de[key])
		}
	}
	for key := range de {
		if en[key] == "" {
			t.Errorf("words.js lacks %s", key)
		}
	}
	for name, f := range p.files {
		for _, m := range used.FindAllSubmatch(f.plain, -1) {
			if path.Ext(name) == ".js" && !strings.HasPrefix(name, "vendor/") && en[string(m[1])] == "" {
				t.Errorf("%s says %s, which is no message", name, m[1])
			}
		}
	}
}
