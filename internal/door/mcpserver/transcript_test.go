package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestTranscripts replays conversations in each revision of the protocol, over each transport, byte for byte but for
// what is different every time. A file holds lines of the client (>) and what the server says to each (<). Files whose
// name ends with a transport are for that one alone. In both kinds of lines ID1, ID2 … stand for ids in the order in
// which they first appear, TIME for a time, SCORE for a score, which is another once the vector is made; what the
// server says is shown with its members in order, and of tools the names only.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.txtar"))
	if err != nil || len(files) < 3 {
		t.Fatalf("transcripts: %q, %v", files, err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for transport, open := range map[string]func(*testing.T) func(string) string{
			"stdio": replayPipes, "http": replayHTTP} {
			if other := map[string]string{"stdio": "-http", "http": "-stdio"}[transport]; strings.HasSuffix(
				name, other) {
				continue
			}
			t.Run(name+"/"+transport, func(t *testing.T) {
				t.Parallel()
				archive, err := txtar.ParseFile(path)
				if err != nil {
					t.Fatal(err)
				}
				say := open(t)
				names := &placeholders{}
				for i, f := range archive.Files {
					var got strings.Builder
					for line := range strings.Lines(string(f.Data)) {
						if said, ok := strings.CutPrefix(line, "> "); ok {
							got.WriteString(line)
							if answer := say(names.fill(strings.TrimSpace(said))); answer != "" {
								fmt.Fprintf(&got, "< %s\n", names.take(t, answer))
							}
						}
					}
					if diff := cmp.Diff(string(f.Data), got.String()); diff != "" && !*update {
						t.Errorf("%s differs over %s; if it should, run with -update (-want +got):\n%s", f.Name,
							transport, diff)
					}
					archive.Files[i].Data = []byte(got.String())
				}
				if *update {
					if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// replayPipes returns a way of saying a line over standard input and hearing the answer, if one comes.
func replayPipes(t *testing.T) func(string) string {
	in, out, _ := wordsOnly(t).pipes(t, local("graph"))
	lines := bufio.NewReader(out)
	return func(line string) string {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(line, `"id"`) {
			return ""
		}
		answer, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// replayHTTP does the same with requests that carry the headers of their revision.
func replayHTTP(t *testing.T) func(string) string {
	url := wordsOnly(t).web(t, true) + "/mcp?tools=graph"
	negotiated := ""
	return func(line string) string {
		var msg struct {
			Method string
			Params struct {
				ProtocolVersion string
				Name, URI       string
				Meta            map[string]any `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(line), &msg); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var headers []string
		if version, ok := msg.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string); ok {
			headers = append(headers, "MCP-Protocol-Version", version, "Mcp-Method", msg.Method)
			if name := msg.Params.Name + msg.Params.URI; name != "" {
				headers = append(headers, "Mcp-Name", name)
			}
		} else if negotiated != "" {
			headers = append(headers, "MCP-Protocol-Version", negotiated)
		}
		status, header, body := post(t, url, line, headers...)
		if msg.Method == "initialize" {
			negotiated = msg.Params.ProtocolVersion
		}
		if header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s begins a session, and there are none", line)
		}
		if (status == 202) != (body == "") || status >= 500 {
			t.Errorf("%s = %d with the body %q", line, status, body)
		}
		return body
	}
}

// placeholders are the ids that a transcript has seen, in order.
type placeholders struct{ ids []string }

var (
	idPattern     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern   = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z`)
	scorePattern  = regexp.MustCompile(`(relevance_score\\*":)[0-9.]+`)
	tailPattern   = regexp.MustCompile(`…[0-9a-f]{8}`)     // in a context block
	tokensPattern = regexp.MustCompile(`(tokens\\*":)\d+`) // depends on the tail
	namePattern   = regexp.MustCompile(`ID\d+`)
)

func (p *placeholders) fill(line string) string {
	return namePattern.ReplaceAllStringFunc(line, func(name string) string {
		var n int
		if _, err := fmt.Sscanf(name, "ID%d", &n); err != nil || n < 1 || n > len(p.ids) {
			return name
		}
		return p.ids[n-1]
	})
}

// take makes an answer comparable.
func (p *placeholders) take(t *testing.T, answer string) string {
	t.Helper()
	var msg map[string]any
	if err := json.Unmarshal([]byte(answer), &msg); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if result, ok := msg["result"].(map[string]any); ok {
		if result["instructions"] != nil {
			result["instructions"] = "(instructions)"
		}
		if tools, ok := result["tools"].([]any); ok {
			for i, tool := range tools {
				tools[i] = tool.(map[string]any)["name"]
			}
		}
	}
	line, err := json.Marshal(msg)
	if err != nil {
		t.Fatal(err)
	}
	said := timePattern.ReplaceAllString(string(canonical(t, string(line))), "TIME")
	said = scorePattern.ReplaceAllString(said, "${1}SCORE")
	said = tailPattern.ReplaceAllString(said, "…ID")
	said = tokensPattern.ReplaceAllString(said, "${1}N")
	return idPattern.ReplaceAllStringFunc(said, func(id string) string {
		at := slices.Index(p.ids, id)
		if at < 0 {
			at = len(p.ids)
			p.ids = append(p.ids, id)
		}
		return fmt.Sprintf("ID%d", at+1)
	})
}

// TestNothingIsPublic: the answer itself says which results a cache between us and the user may keep, and those of a
// tenant are private. The SDK's default would be public.
func TestNothingIsPublic(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	requests := map[string]string{
		"server/discover":          meta,
		"tools/list":               meta,
		"prompts/list":             meta,
		"resources/list":           meta,
		"resources/templates/list": meta,
		"resources/read":           `"uri":"memory://recent",` + meta,
	}
	for transport, say := range map[string]func(string) string{"stdio": replayPipes(t), "http": replayHTTP(t)} {
		for _, method := range slices.Sorted(maps.Keys(requests)) {
			answer := say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, requests[method]))
			if !strings.Contains(answer, `"cacheScope":"private"`) || !strings.Contains(answer, `"ttlMs":0`) ||
				strings.Contains(answer, "public") {
				t.Errorf("%s over %s answers %s, want it private and stale at once", method, transport, answer)
			}
		}
	}
}
