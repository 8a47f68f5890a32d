package callers_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/compat"
	"github.com/trilith-memory/trilith/internal/door/compat/mem0"
	"github.com/trilith-memory/trilith/internal/door/compat/zep"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/internal/transfer/imports"
)

// rig is one memory with its surfaces, and what is beside it.
type rig struct {
	// The first waits for vectors for as long as a busy machine needs, the other, while the provider is away, hardly.
	patient, hasty http.Handler

	memory   *compose.Opened
	settings compose.Settings
	clock    *clocktest.Clock
	names    normaliser
	dir      string // of the recording's files
	tools    string // sets of tools
	provider *provider
	qdrant   *qdranttest.Server
	fire     *firestoretest.Server
	at       string // of the Qdrant server
	database string // in PostgreSQL; "" without one
	keys     map[string]string
	as       string // the key of requests; "" without one
}

// openRig opens a memory as the settings of a recording say. In their values $PROVIDER is the service of embeddings,
// $QDRANT a Qdrant server and $DIR the folder of the recording's files.
func openRig(t *testing.T, store string, set map[string]string, a *txtar.Archive) *rig {
	t.Helper()
	dir := t.TempDir()
	start, err := time.Parse(time.DateOnly, set["clock"])
	if err != nil {
		t.Fatalf("settings: clock: %v", err)
	}
	d := &rig{clock: clocktest.At(start.Add(9 * time.Hour)), provider: newProvider(t),
		qdrant: qdranttest.New(), fire: firestoretest.New(), dir: dir, tools: set["tools"],
		keys: map[string]string{}, names: normaliser{day: set["clock"]}}
	q, f := httptest.NewServer(d.qdrant), httptest.NewServer(d.fire)
	t.Cleanup(q.Close)
	t.Cleanup(f.Close)
	d.at = q.URL
	variables := strings.NewReplacer("$PROVIDER", d.provider.url, "$QDRANT", q.URL, "$DIR", dir)
	for _, file := range a.Files {
		if strings.Contains(file.Name, ".") {
			place := filepath.Join(dir, file.Name)
			text := []byte(variables.Replace(string(file.Data)))
			err := errors.Join(os.MkdirAll(filepath.Dir(place), 0o700), os.WriteFile(place, text, 0o600))
			if err != nil {
				t.Fatal(err)
			}
			if name, ok := strings.CutSuffix(place, ".sql"); ok {
				makeSQLite(t, name+".db", string(text))
			}
		}
	}
	environ := map[string]string{"QDRANT_URL": q.URL, "VOYAGE_API_KEY": "k", "GEMINI_API_KEY": "k",
		"FIRESTORE_EMULATOR_HOST":        strings.TrimPrefix(f.URL, "http://"),
		"GOOGLE_APPLICATION_CREDENTIALS": filepath.Join(dir, "account.json")}
	if strings.HasPrefix(set["embedder"], "vertex:") {
		text := account(t, d.provider.url+"/token")
		if err := os.WriteFile(environ["GOOGLE_APPLICATION_CREDENTIALS"], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := compose.Settings{Embedder: variables.Replace(set["embedder"]), Model: variables.Replace(set["model"]),
		Vectors: set["vectors"], Graph: set["graph"], Domains: variables.Replace(set["domains"]), RecallLog: "on",
		Version: "golden", Now: d.clock.Now, Getenv: func(name string) string { return environ[name] }}
	switch store {
	case "sqlite":
		s.Store = "sqlite:" + filepath.Join(dir, "recorded.db")
	case "postgres":
		extensions := []string{"vector"}
		if s.Graph == "age:" {
			extensions = append(extensions, "age")
		}
		s.Store = pgtest.Database(t, extensions...)
		d.database = s.Store
	case "firestore":
		s.Store = "firestore://recorded"
	default:
		t.Fatalf("settings: there is no store %q", store)
	}
	d.settings = s
	if d.memory, err = compose.Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.memory.Close() })
	d.patient = d.surfaces(d.memory.Waiting(time.Minute, time.Minute))
	d.hasty = d.surfaces(d.memory.Waiting(time.Second, time.Second))
	return d
}

// surfaces are those of a service.
func (d *rig) surfaces(e *engine.Engine) http.Handler {
	door := func(g rest.Guard) http.Handler { return camel.New(e, g) }
	beside := map[string]func(rest.Guard) http.Handler{"/mcp": func(g rest.Guard) http.Handler {
		return mcpserver.NewHandler(mcpserver.Config{Engine: e, Version: "golden", Timeout: g.Timeout()}, g)
	}}
	for _, path := range camel.Paths() {
		beside[path] = door
	}
	for _, other := range []*compat.Dialect{&mem0.Dialect, &zep.Dialect} {
		beside[other.Prefix()] = func(g rest.Guard) http.Handler {
			return other.Handler(e, g, compat.Options{Prefix: other.Prefix()})
		}
	}
	return rest.New(rest.Config{Engine: e, Local: true, Version: "golden", Beside: beside,
		Imports: imports.New(e, d.clock.Now)})
}

// makeSQLite makes a file of another program.
func makeSQLite(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statements)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// ask carries out a request and returns what is recorded of the answer.
func (d *rig) ask(t *testing.T, said string) string {
	t.Helper()
	head, more, _ := strings.Cut(said, "\n")
	verb, arg, _ := strings.Cut(head, " ")
	d.clock.Advance(time.Minute)
	defer d.settle(t)
	switch verb {
	case "GET", "POST", "PUT", "PATCH", "DELETE":
		code, body := d.send(verb, arg, more)
		return fmt.Sprintln(code) + d.names.show(body)
	case "TOOL":
		name, in, _ := strings.Cut(arg, " ")
		if in == "" {
			in = "{}"
		}
		return d.tool(t, fmt.Sprintf(`"tools/call","params":{"name":%q,"arguments":%s,%s}`, name, in+more, meta))
	case "RESOURCE":
		return d.tool(t, fmt.Sprintf(`"resources/read","params":{"uri":%q,%s}`, arg, meta))
	case "PROMPT":
		return d.tool(t, fmt.Sprintf(`"prompts/get","params":{"name":%q,%s}`, arg, meta))
	case "AS":
		return d.become(t, arg)
	case "IMPORT":
		return d.takeOver(t, arg)
	case "KEEPS":
		return d.keeps(t, arg, more)
	case "POINTS":
		return d.points()
	case "SQL":
		return d.query(t, arg+"\n"+more)
	case "CYPHER":
		return d.query(t, fmt.Sprintf("SELECT * FROM cypher('%s', $$ %s $$) AS (a agtype)",
			age.GraphName(rest.LocalTenant), arg))
	case "VIEW":
		return d.view(t)
	case "EMBEDDER":
		d.provider.set(arg == "away")
		return ""
	case "ASKED":
		return d.names.show(d.provider.log())
	}
	t.Fatalf("there is no request %q", head)
	return ""
}

// settle waits until everything that a request began is done, so that the next one meets the same memory in every run.
func (d *rig) settle(t *testing.T) {
	t.Helper()
	if d.provider.isAway() {
		return
	}
	for _, f := range []func(context.Context) error{
		d.memory.Work, d.memory.Settle, d.memory.RunSearches} {
		if err := f(t.Context()); err != nil {
			t.Errorf("what was asked in the background: %v", err)
		}
	}
}

// send sends a request over HTTP. Lines of more that look like a header are one.
func (d *rig) send(method, target, more string) (code int, body string) {
	r := httptest.NewRequest(method, strings.ReplaceAll(target, " ", "%20"), nil)
	for name, value, ok := header(more); ok; name, value, ok = header(more) {
		r.Header.Set(name, value)
		_, more, _ = strings.Cut(more, "\n")
	}
	if more != "" {
		headers := r.Header
		r = httptest.NewRequest(method, strings.ReplaceAll(target, " ", "%20"), strings.NewReader(more))
		r.Header = headers
		r.Header.Set("Content-Type", "application/json")
	}
	r.Host = "localhost:7700"
	if d.as != "" {
		r.Header.Set("Authorization", "Bearer "+d.as)
	}
	w := httptest.NewRecorder()
	if d.provider.isAway() {
		d.hasty.ServeHTTP(w, r)
	} else {
		d.patient.ServeHTTP(w, r)
	}
	return w.Code, w.Body.String()
}

// header reads the first line as a header.
func header(lines string) (name, value string, ok bool) {
	line, _, _ := strings.Cut(lines, "\n")
	name, value, ok = strings.Cut(line, ": ")
	return name, value, ok && !strings.ContainsAny(name, `{}[]"' `)
}

// meta is what a request of MCP carries in the revision that the recordings use.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
	`{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// tool sends a request over MCP and returns the texts of the answer.
func (d *rig) tool(t *testing.T, request string) string {
	t.Helper()
	var head struct {
		Method string
		Params struct{ Name, URI string }
	}
	body := `{"jsonrpc":"2.0","id":1,"method":` + request + `}`
	if err := json.Unmarshal([]byte(body), &head); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	code, answer := d.send("POST", "/mcp?tools="+d.tools, strings.Join([]string{"MCP-Protocol-Version: 2026-07-28",
		"Mcp-Method: " + head.Method, "Mcp-Name: " + head.Params.Name + head.Params.URI,
		"Accept: application/json, text/event-stream", body}, "\n"))
	var msg struct {
		Error  json.RawMessage
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
			Contents          []struct{ Text string }
			Messages          []struct{ Content struct{ Text string } }
		}
	}
	if err := json.Unmarshal([]byte(answer), &msg); err != nil || msg.Error != nil {
		return fmt.Sprintln(code) + d.names.show(answer)
	}
	var out strings.Builder
	if msg.Result.IsError {
		out.WriteString("error\n")
	}
	for _, c := range slices.Concat(msg.Result.Content, msg.Result.Contents) {
		out.WriteString(d.names.show(c.Text))
	}
	for _, m := range msg.Result.Messages {
		out.WriteString(d.names.show(m.Content.Text))
	}
	in := string(msg.Result.StructuredContent)
	if in != "" && (len(msg.Result.Content) != 1 || msg.Result.Content[0].Text != in) {
		out.WriteString("structured\n" + d.names.show(in))
	}
	return out.String()
}

// become takes the key of a tenant, which is made the first time.
func (d *rig) become(t *testing.T, arg string) string {
	t.Helper()
	tenant, access, _ := strings.Cut(arg, " ")
	if d.keys[arg] == "" {
		secret, _, err := d.memory.CreateKey(t.Context(),
			trilith.APIKeyRequest{Name: arg, Tenant: tenant, Access: trilith.Access(access)})
		if err != nil {
			t.Fatal(err)
		}
		d.keys[arg] = secret
	}
	d.as = d.keys[arg]
	return ""
}

// takeOver imports what another program keeps.
func (d *rig) takeOver(t *testing.T, arg string) string {
	t.Helper()
	ctx := t.Context()
	format, collection, _ := strings.Cut(arg, " ")
	o := transfer.Options{Scope: trilith.Scope{Tenant: rest.LocalTenant}, Extract: trilith.ExtractNone}
	var report transfer.Report
	var err error
	switch format {
	case "file":
		r, oops := transfer.Open(filepath.Join(d.dir, collection), "")
		if oops != nil {
			return "error: " + d.names.text(oops.Error()) + "\n"
		}
		report, err = transfer.Run(ctx, d.memory, r.Items(), o)
	case transfer.Qdrant:
		q, oops := transfer.OpenQdrant(ctx,
			transfer.QdrantOptions{URL: d.at + "?collection=" + url.QueryEscape(collection)})
		if oops != nil {
			return "error: " + d.names.text(oops.Error()) + "\n"
		}
		defer q.Close()
		report, err = transfer.Run(ctx, d.memory, q.Items(ctx), o)
	case transfer.Mycel:
		entries, oops := d.settings.OpenCollection("firestore://other?collection="+collection, transfer.MycelCollection)
		if oops != nil {
			return "error: " + d.names.text(oops.Error()) + "\n"
		}
		defer entries.Close()
		g := d.memory.Generation()
		s, oops := transfer.OpenMycel(ctx, entries, transfer.MycelOptions{Dims: g.Dims, Model: g.Model})
		if oops != nil {
			return "error: " + d.names.text(oops.Error()) + "\n"
		}
		report, err = transfer.Run(ctx, d.memory, s.Items(ctx), o)
	case transfer.ConversationFacts:
		table, oops := transfer.OpenFactTable(ctx,
			transfer.FactTableOptions{URL: d.database, Vectors: true, Now: d.clock.Now})
		if oops != nil {
			return "error: " + d.names.text(oops.Error()) + "\n"
		}
		report, err = transfer.Run(ctx, d.memory, table.Items(ctx), o)
		err = errors.Join(err, table.Close(ctx))
	default:
		t.Fatalf("there is no format %q", format)
	}
	if err != nil {
		return "error: " + d.names.text(err.Error()) + "\n"
	}
	return d.names.show(compact(map[string]any{"stored": report.Stored, "duplicates": report.Duplicates,
		"vectors": report.Vectors, "rejected": report.Rejected, "omitted": report.Omitted, "bad": report.BadLineCount}))
}

// keeps puts points or documents of another program into Qdrant or Firestore. A point without a vector gets that of its
// text by the provider's fake.
func (d *rig) keeps(t *testing.T, collection, lines string) string {
	t.Helper()
	for i, line := range strings.Split(lines, "\n") {
		if collection != transfer.MycelCollection {
			break
		}
		entry := object(t, line)
		if dims, ok := entry["embedding"].(float64); ok {
			entry["embedding"] = d.vector(t, fmt.Sprint(entry["title"], entry["content"]), int(dims))
		}
		d.fire.Put("other", "(default)", fmt.Sprintf("%s/e%d", collection, i), entry)
	}
	if collection == transfer.MycelCollection {
		return ""
	}
	d.qdrant.Create(collection, 1024)
	for _, line := range strings.Split(lines, "\n") {
		point := object(t, line)
		point["vector"] = d.vector(t, fmt.Sprint(point["payload"]), 1024)
		d.qdrant.Put(collection, point)
	}
	return ""
}

// vector is that of a text as a list of JSON.
func (d *rig) vector(t *testing.T, text string, dims int) []any {
	t.Helper()
	vectors, err := d.provider.vectors(httptest.NewRequest("GET", "/", nil), []string{text}, dims)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]any, dims)
	for i, x := range vectors[0] {
		out[i] = float64(x)
	}
	return out
}

func object(t *testing.T, line string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(line), &out); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return out
}

// points lists the payloads of what lies in Qdrant, collection by collection.
func (d *rig) points() string {
	var out strings.Builder
	for _, name := range d.qdrant.Names() {
		points := d.qdrant.Points(name)
		var lines []string
		for _, p := range points {
			lines = append(lines, compact(p))
		}
		slices.SortFunc(lines, func(a, b string) int {
			return strings.Compare(uuids.ReplaceAllString(a, ""), uuids.ReplaceAllString(b, ""))
		})
		fmt.Fprintf(&out, "%d points, indexed by %s\n", len(lines), strings.Join(d.qdrant.Indexed(name), " "))
		for _, line := range lines {
			out.WriteString(d.names.show(line))
		}
	}
	return out.String()
}

// query asks the database and shows its rows.
func (d *rig) query(t *testing.T, statement string) string {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, d.database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if strings.Contains(statement, "cypher(") {
		if _, err := conn.Exec(ctx, `LOAD 'age'; SET search_path = ag_catalog, "$user", public`); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.Query(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "error: " + d.names.text(err.Error()) + "\n"
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var cells []string
		for _, raw := range rows.RawValues() {
			cell := "NULL"
			if raw != nil {
				cell = string(raw)
			}
			if vector := strings.Count(cell, ","); strings.HasPrefix(cell, "[") && vector > 100 {
				cell = fmt.Sprintf("%d NUMBERS", vector+1)
			}
			cells = append(cells, d.names.text(cell))
		}
		out.WriteString("  " + strings.Join(cells, " | ") + "\n")
	}
	if err := rows.Err(); err != nil {
		return "error: " + d.names.text(err.Error()) + "\n"
	}
	if out.Len() == 0 {
		return "  no rows\n"
	}
	return out.String()
}

// view makes the view of the facts for SQL.
func (d *rig) view(t *testing.T) string {
	t.Helper()
	n, err := d.memory.NumberFacts(t.Context(), trilith.Scope{Tenant: "default"})
	if err != nil {
		t.Fatal(err)
	}
	v := compose.FactsView{Tenant: "default", Schema: "public", Numbers: true, Generation: d.memory.Generation()}
	if err := compose.MakeFactsView(t.Context(), d.database, v); err != nil {
		return "error: " + d.names.text(err.Error()) + "\n"
	}
	return fmt.Sprintf("  %d facts got a number\n", n)
}
