package rest_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/transfer/imports"
)

// importing opens the edge with imports of files.
func importing(t *testing.T, c rest.Config) *edge {
	t.Helper()
	e := open(t, c)
	c.Engine, c.Imports = e.engine, imports.New(e.engine, time.Now)
	e.Handler = rest.New(c)
	return e
}

const chat = `[{"title":"Slate","create_time":1740000000,"conversation_id":"c1","current_node":"b","mapping":{
	"a":{"id":"a","parent":null,"children":["b"],"message":null},
	"b":{"id":"b","parent":"a","children":[],"message":{"id":"b","author":{"role":"user"},"create_time":1740000001,
	"content":{"content_type":"text","parts":["The slate comes from Wales."]}}}}}]`

// upload sends a form: fields as NAME=VALUE, files as NAME and content.
func (e *edge) upload(t *testing.T, fields []string, files [][2]string, headers ...string) (trilith.ImportRun, answer) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		part, err := w.CreateFormFile("files", f[0])
		if err == nil {
			_, err = part.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := e.do("POST", "/api/v1/imports", body.String(),
		append([]string{"Content-Type", w.FormDataContentType()}, headers...)...)
	var out trilith.ImportRun
	if err := json.Unmarshal([]byte(got.body), &out); err != nil {
		t.Fatalf("POST /imports = %d %s", got.status, got.body)
	}
	return out, got
}

func (e *edge) total(t *testing.T, query string, headers ...string) int {
	t.Helper()
	var page trilith.Page
	got := e.do("GET", "/api/v1/memories"+query, "", headers...)
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 {
		t.Fatalf("GET /memories = %d %s", got.status, got.body)
	}
	return len(page.Items)
}

// TestImportFiles: files are looked at without storing anything, stored, not stored twice, listed, and taken back
// whenever somebody wants that.
func TestImportFiles(t *testing.T) {
	t.Parallel()
	e := importing(t, rest.Config{Local: true})
	files := [][2]string{{"conversations.json", chat}, {"../../etc/harbour.md", "# Harbour\n\nThe harbour is deep."},
		{"strange.bin", "\x00\x01"}}
	dry, got := e.upload(t, []string{"dry_run=true", "user=ana"}, files)
	if got.status != 200 || dry.State != trilith.ImportDry || dry.Stored != 2 || dry.Found.Conversations != 1 ||
		dry.Found.Messages != 1 || dry.Found.Documents != 1 || len(dry.Rejected) != 1 ||
		dry.Rejected[0].File != "strange.bin" || len(dry.Files) != 3 || dry.Files[0].Format != "chatgpt" {
		t.Fatalf("a dry run = %d %s", got.status, got.body)
	}
	if strings.Contains(got.body, "trilith-import-") || strings.Contains(got.body, "/tmp") ||
		strings.Contains(got.body, "etc") {
		t.Errorf("a dry run shows where files lie: %s", got.body)
	}
	if n := e.total(t, ""); n != 0 {
		t.Fatalf("a dry run has stored %d memories", n)
	}
	done, got := e.upload(t, []string{"user=ana"}, files)
	if done.State != trilith.ImportDone || done.Stored != 2 || done.ID != dry.ID || done.BytesRead != done.Bytes {
		t.Fatalf("an import = %d %s; the dry run had the id %s", got.status, got.body, dry.ID)
	}
	if n := e.total(t, "?user=ana"); n != 2 {
		t.Errorf("the import has stored %d memories of Ana, want 2", n)
	}
	own := e.note(t, "ana", "The slate is my own.")
	again, got := e.upload(t, []string{"user=ana"}, files)
	if again.Stored != 0 || again.Skipped != 2 || again.ID != done.ID {
		t.Errorf("the same files again = %d %s", got.status, got.body)
	}
	var list trilith.ImportRuns
	if got := e.do("GET", "/api/v1/imports", ""); json.Unmarshal([]byte(got.body), &list) != nil ||
		len(list.Items) != 1 || list.Items[0].ID != done.ID {
		t.Errorf("GET /imports = %d %s", got.status, got.body)
	}
	one := "/api/v1/imports/" + string(done.ID)
	if got := e.do("GET", one, ""); got.status != 200 || !strings.Contains(got.body, `"state":"done"`) {
		t.Errorf("GET %s = %d %s", one, got.status, got.body)
	}
	if got := e.do("DELETE", one+"?dry_run=true", ""); got.status != 200 || e.total(t, "") != 3 ||
		!strings.Contains(got.body, `"forgotten":2`) {
		t.Errorf("a dry undo = %d %s", got.status, got.body)
	}
	if got := e.do("DELETE", one, ""); got.status != 200 || !strings.Contains(got.body, `"state":"undone"`) {
		t.Errorf("an undo = %d %s", got.status, got.body)
	}
	if got := e.do("GET", "/api/v1/memories", ""); !strings.Contains(got.body, string(own)) || e.total(t, "") != 1 {
		t.Errorf("after the undo: %s, want the own note alone", got.body)
	}
	if got := e.do("GET", one, ""); !strings.Contains(got.body, `"state":"undone"`) {
		t.Errorf("GET after the undo = %d %s", got.status, got.body)
	}
}

// TestImportsOfOthers: an import gets the scope of its sender, for any files and fields, and nobody else sees it or
// undoes it.
func TestImportsOfOthers(t *testing.T) {
	t.Parallel()
	e := importing(t, rest.Config{})
	admin := []string{"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessAdmin)}
	reader := []string{"Authorization", "Bearer " + e.key(t, "acme", trilith.AccessReader)}
	other := []string{"Authorization", "Bearer " + e.key(t, "other", trilith.AccessAdmin)}
	bound := func(user string) []string {
		secret, _, err := e.engine.CreateKey(t.Context(), trilith.APIKeyRequest{Name: user, Tenant: "acme",
			Access: trilith.AccessWriter, Scope: trilith.Scope{User: user}})
		if err != nil {
			t.Fatal(err)
		}
		return []string{"Authorization", "Bearer " + secret}
	}
	ana, ben := bound("ana"), bound("ben")
	turns := `{"id":"m1","memory":"The mill is old.","user_id":"ben","created_at":"2025-01-01T00:00:00Z"}` + "\n"
	done, got := e.upload(t, nil, [][2]string{{"memories.jsonl", turns}}, ana...)
	if got.status != 200 || done.Stored != 1 || done.Scope.User != "ana" {
		t.Fatalf("an import of Ana = %d %s", got.status, got.body)
	}
	if n := e.total(t, "?user=ana", admin...); n != 1 {
		t.Errorf("Ana has %d memories, want 1", n)
	}
	one := "/api/v1/imports/" + string(done.ID)
	for _, c := range []struct {
		who     string
		headers []string
		method  string
		status  int
	}{{"ben", ben, "GET", 404}, {"ben", ben, "DELETE", 404}, {"another tenant", other, "GET", 404},
		{"another tenant", other, "DELETE", 404}, {"a reader", reader, "GET", 200}, {"a reader", reader, "DELETE", 403},
		{"nobody", nil, "GET", 401}, {"ana", ana, "GET", 200}, {"the admin", admin, "GET", 200}} {
		if got := e.do(c.method, one, "", c.headers...); got.status != c.status {
			t.Errorf("%s %s by %s = %d %s, want %d", c.method, one, c.who, got.status, got.body, c.status)
		}
	}
	if got := e.do("GET", "/api/v1/imports", "", ben...); strings.Contains(got.body, string(done.ID)) {
		t.Errorf("Ben sees an import of Ana: %s", got.body)
	}
	for who, headers := range map[string][]string{"reader": reader, "nobody": nil} {
		if _, got := e.upload(t, nil, [][2]string{{"memories.jsonl", turns}}, headers...); got.status != 403 &&
			got.status != 401 {
			t.Errorf("an import by %s = %d", who, got.status)
		}
	}
	if _, got := e.upload(t, []string{"user=ben"}, [][2]string{{"memories.jsonl", turns}}, ana...); got.status != 403 {
		t.Errorf("an import of Ana for Ben = %d %s", got.status, got.body)
	}
	if got := e.do("DELETE", one, "", ana...); got.status != 200 || e.total(t, "", admin...) != 0 {
		t.Errorf("an undo by Ana = %d %s", got.status, got.body)
	}
}

// TestImportsRefuse: an unknown form or field and a file of another program are refused, and the error says what to do
// instead.
func TestImportsRefuse(t *testing.T) {
	t.Parallel()
	e := importing(t, rest.Config{Local: true})
	notes := [][2]string{{"a.txt", "The slate is green."}}
	for _, c := range []struct {
		fields []string
		files  [][2]string
		says   string
	}{
		{nil, nil, "files: send one"},
		{[]string{"dry_run=perhaps"}, notes, "dry_run"},
		{[]string{"extract=magic"}, notes, "extract"},
		{[]string{"modified=yesterday?"}, notes, "modified"},
		{[]string{"tenant=other"}, notes, "tenant"},
		{nil, slices.Repeat(notes, 101), "more than 100"},
	} {
		if _, got := e.upload(t, c.fields, c.files); got.status < 400 || got.status > 429 ||
			!strings.Contains(got.body, c.says) {
			t.Errorf("an import with %v and %d files = %d %s, want %q", c.fields, len(c.files), got.status, got.body, c.says)
		}
	}
	for _, c := range []struct{ name, content, says string }{
		{"export.jsonl", `{"trilith_export":1}` + "\n", "POST /import"},
		{"chunks.db", "SQLite format 3\x00 and more", "trilith import"},
	} {
		out, got := e.upload(t, nil, [][2]string{{c.name, c.content}})
		if got.status != 200 || out.Stored != 0 || len(out.Rejected) != 1 ||
			!strings.Contains(out.Rejected[0].Reason, c.says) {
			t.Errorf("an import of %s = %d %s, want %q", c.name, got.status, got.body, c.says)
		}
	}
	for _, body := range []string{"", "--x\r\n", "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nslate"} {
		got := e.do("POST", "/api/v1/imports", body, "Content-Type", "multipart/form-data; boundary=x")
		if got.status != 400 {
			t.Errorf("a form that ends early = %d %s", got.status, got.body)
		}
	}
	if got := e.do("POST", "/api/v1/imports", `{}`); got.status != 400 || !strings.Contains(got.body, "multipart") {
		t.Errorf("JSON in place of a form = %d %s", got.status, got.body)
	}
	if got := open(t, rest.Config{Local: true}).do("GET", "/api/v1/imports", ""); got.status != 501 {
		t.Errorf("a server without imports = %d", got.status)
	}
	if n := e.total(t, ""); n != 0 {
		t.Errorf("%d memories were stored", n)
	}
}
