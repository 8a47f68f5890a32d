package callers_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "record the answers; each that changes is a line in CHANGELOG")

// TestCallers replays the recordings of testdata. A recording is a txtar file of one team and one memory. The section
// settings says how the memory is opened, and on which stores: the first is the one that -update records, the others
// have to answer alike. A section with a dot in its name is a file beside it (x.sql makes x.db, a file of SQLite), and
// every other section is a story: lines that begin with > are a request, what follows up to the next one is the answer,
// and lines that begin with # are remarks. A request is one of
//
//	> GET /api/v1/…                 REST and the dialects beside it; a body follows in more lines with >
//	> TOOL name {…}                 a tool of MCP, of the sets that the setting tools names
//	> RESOURCE uri                  a resource of MCP
//	> PROMPT name                   a prompt of MCP
//	> AS tenant right               whose key further requests carry
//	> IMPORT format [place]         what another program keeps: qdrant, mycel, conversation-facts; or file NAME
//	> KEEPS collection              what another program keeps in Qdrant or Firestore, a JSON object a line
//	> POINTS                        what lies in Qdrant
//	> SQL …                         PostgreSQL beside the memory; lines of a program that go on begin with >
//	> VIEW                          makes the view for SQL
//	> CYPHER …                      the graph in Apache AGE
//	> EMBEDDER away                 the provider of embeddings answers 503 until it is back
//	> ASKED                         what the provider was asked since the last time
//
// In both, ID1, ID2 … stand for ids in the order in which they are seen; see normaliser for what else is not compared.
func TestCallers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "callers", "*.txtar"))
	if err != nil || len(files) < 5 {
		t.Fatalf("recordings: %q, %v", files, err)
	}
	for _, path := range files {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, store := range strings.Fields(settingsOf(t, archive)["stores"]) {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+store, func(t *testing.T) {
				t.Parallel()
				replay(t, path, store, archive)
			})
		}
	}
}

// begins matches the first line of a request.
var begins = regexp.MustCompile(`^> (GET|POST|PUT|PATCH|DELETE|TOOL|RESOURCE|PROMPT|AS|IMPORT|KEEPS|POINTS|SQL|VIEW|` +
	`CYPHER|EMBEDDER|ASKED)( |$)`)

// replay replays a recording on one store. With -update the first store of the
// recording is the one that writes; run it once more without, for the others.
func replay(t *testing.T, path, store string, a *txtar.Archive) {
	t.Helper()
	set := settingsOf(t, a)
	d := openRig(t, store, set, a)
	files := slices.Clone(a.Files)
	writes := *update && store == strings.Fields(set["stores"])[0]
	for i, f := range files {
		if !isStory(f) {
			continue
		}
		got := d.play(t, string(f.Data))
		files[i].Data = []byte(got)
		if diff := cmp.Diff(strings.Split(string(f.Data), "\n"), strings.Split(got, "\n")); diff != "" && !writes {
			t.Errorf("%s: %s answers differently on %s; if it should, run with -update, then without, "+
				"and say so in CHANGELOG (-want +got):\n%s", path, f.Name, store, diff)
		}
	}
	if writes {
		kept := slices.DeleteFunc(files, func(f txtar.File) bool { return f.Name == "old.jsonl" })
		if err := os.WriteFile(path, txtar.Format(&txtar.Archive{Comment: a.Comment, Files: kept}), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func isStory(f txtar.File) bool { return f.Name != "settings" && !strings.Contains(f.Name, ".") }

// settingsOf reads the section settings: a name and a value a line.
func settingsOf(t *testing.T, a *txtar.Archive) map[string]string {
	t.Helper()
	set := map[string]string{"stores": "sqlite", "embedder": "hash:64", "clock": "2026-06-01"}
	at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "settings" })
	if at < 0 {
		t.Fatal("the recording has no settings")
	}
	for line := range strings.Lines(string(a.Files[at].Data)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			set[name] = value
		}
	}
	return set
}

// play sends the requests of a story and returns it with the answers that come now.
func (d *rig) play(t *testing.T, story string) string {
	t.Helper()
	var out strings.Builder
	lines := strings.Split(strings.TrimRight(story, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if !strings.HasPrefix(line, "> ") {
			if line == "" || strings.HasPrefix(line, "#") {
				out.WriteString(line + "\n")
			}
			continue
		}
		request := []string{}
		for n := i; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
			if i > n && begins.MatchString(lines[i]) {
				break
			}
			request = append(request, strings.TrimPrefix(lines[i], "> "))
			out.WriteString(lines[i] + "\n")
		}
		i--
		said := d.names.fill(strings.Join(request, "\n"))
		for _, answer := range strings.Split(strings.TrimRight(d.ask(t, said), "\n"), "\n") {
			if answer != "" {
				out.WriteString(answer + "\n")
			}
		}
	}
	return out.String()
}
