package house_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/trilith-memory/trilith"

// layer is a row of the import table: these packages may import those layers, and no other package of ours.
type layer struct {
	name     string
	packages []string // folders below the module; "." is its root
	may      []string // names of layers
	why      string   // printed when the row is broken
}

// layers is the import table: imports run one way, along the data's way. Standard library and third-party modules are
// not its matter; see modules for those.
var layers = []layer{
	{"words", []string{"."}, nil,
		"the words must outlive every choice of driver, model and surface"},
	{"bytes", []string{"internal/search/packed", "internal/lang/lazyre"}, nil,
		"how numbers and texts are written and matched depends on nothing else"},
	{"time", []string{"internal/wait", "internal/test/clocktest"}, nil,
		"how a wait ends with its context, and what a clock shows, is the same for whoever asks"},
	{"bugs", []string{"internal/lang/survive"}, nil,
		"a panic over one text is survived alike whoever has read it"},
	{"definitions", []string{"internal/yamlfiles"}, []string{"words"},
		"a folder of definitions is read alike whatever they define"},
	{"files", []string{"internal/disk"}, []string{"words", "time"},
		"what the system says of files is the same for whoever writes them"},
	{"algorithms", []string{"internal/search/vec", "internal/search/bm25", "internal/lang/textproc", "internal/lang/dates", "internal/lang/money",
		"internal/lang/pdftext", "internal/lang/filetype", "internal/model/bert", "internal/test/synthetic", "internal/lang/tokens"},
		[]string{"bytes"},
		"an algorithm knows texts, vectors and times, never memories, so that stages and drivers can both use it"},
	{"prompts", []string{"internal/lang/prompt"}, []string{"words", "bytes", "algorithms"},
		"what a model reads is rendered and made safe alike, whoever shows it"},
	{"names", []string{"internal/lang/names"}, []string{"algorithms"},
		"names are compared in the form in which all text is, and by whom they are asked for is not their matter"},
	{"meanings", []string{"internal/lang/wordvec"}, []string{"algorithms"},
		"it holds the meanings of words in the form in which all text is compared, and nothing else"},
	{"search", []string{"internal/search/lexical"}, []string{"words", "algorithms", "meanings"},
		"what a search by words knows of conversations is the same for every index that scores them"},
	{"numbers", []string{"internal/door/metrics"}, nil,
		"how numbers are counted and written is one matter, which numbers there are is another"},
	{"traces", []string{"internal/trace"}, []string{"words"},
		"what a request spends its time on is told alike wherever it is spent"},
	{"stages", []string{"internal/truth/gate", "internal/talk/inserts", "internal/truth/ingest", "internal/lang/extract", "internal/facts/profile", "internal/facts/distil",
		"internal/review/timeline", "internal/facts/reconcile", "internal/recall/later", "internal/search/retrieve", "internal/recall/verify", "internal/recall/assemble",
		"internal/talk/interview", "internal/recall/summary", "internal/review/ledger", "internal/review/trend"},
		[]string{"words", "bytes", "prompts", "definitions", "algorithms", "meanings", "search"},
		"the order of the stages belongs to the engine, and a stage must run on any driver"},
	{"index", []string{"internal/search/index"}, []string{"words", "traces", "algorithms", "meanings"},
		"it carries changes from one role to another and must not know who plays them"},
	{"standbys", []string{"internal/store/standby"}, []string{"words", "time"},
		"which copy of a database has what a request may expect is decided by positions, whatever is asked"},
	{"truth", []string{"internal/truth"}, []string{"words", "traces", "names", "stages", "index"},
		"every change of a memory is committed by it, so it can know none of those that want one"},
	{"credentials", []string{"internal/operate/credentials"}, []string{"words", "names", "stages", "index", "truth"},
		"whether a caller is let in depends on nothing that the memory knows"},
	{"usage", []string{"internal/truth/usage"}, []string{"words", "names", "stages", "index", "truth"},
		"what is used of providers is counted for whatever purpose"},
	{"generations", []string{"internal/truth/generations"}, []string{"words", "time", "names", "stages", "index", "truth", "usage"},
		"vectors are made for facts and questions, and know neither"},
	{"entities", []string{"internal/facts/entities"}, []string{"words", "names", "stages", "index", "truth"},
		"who is spoken of can be known without anything being known of them"},
	{"facts", []string{"internal/facts"}, []string{"words", "names", "stages", "index", "truth", "entities"},
		"facts revise themselves by assertions, whoever derived them"},
	{"relations", []string{"internal/facts/relations"},
		[]string{"words", "bytes", "algorithms", "names", "stages", "index", "truth", "entities", "facts"},
		"how facts bear on each other is known without knowing who asks or who found it"},
	{"derive", []string{"internal/facts/derive"},
		[]string{"words", "bugs", "algorithms", "names", "stages", "index", "truth", "usage", "entities", "facts", "relations"},
		"what was said becomes facts in one direction only"},
	{"recall", []string{"internal/recall"},
		[]string{"words", "traces", "names", "stages", "index", "truth", "usage", "generations", "entities", "facts",
			"relations"},
		"a question is answered from what is there; nothing is derived for it"},
	{"projects", []string{"internal/review/projects"}, []string{"words", "names", "stages", "index", "truth", "usage"},
		"what is computed of a project's facts needs no search, and decides about none of them"},
	{"review", []string{"internal/review"},
		[]string{"words", "names", "stages", "index", "truth", "generations", "entities", "facts", "relations",
			"recall", "projects"},
		"who reviews reads as everybody does and decides about facts"},
	{"recalls", []string{"internal/recall/served"}, []string{"words", "names", "stages", "index", "truth"},
		"what was given is noted for whoever gave it"},
	{"media", []string{"internal/talk/media"}, []string{"words", "names", "stages", "index", "truth", "usage", "algorithms"},
		"what a model reads in a file is stored by whoever opens the rooms"},
	{"objects", []string{"internal/operate/objects"}, []string{"words", "names", "stages", "index", "truth"},
		"what programs keep beside memories needs nothing that is known of those"},
	{"alerts", []string{"internal/review/alerts"}, []string{"words", "algorithms", "names", "stages", "index", "truth"},
		"a saved search compares a memory with words and a filter, and asks no index"},
	{"sessions", []string{"internal/talk/sessions"},
		[]string{"words", "names", "stages", "index", "truth", "usage", "facts", "recall"},
		"a prompt gets what was said and what is found; facts are derived of it by others"},
	{"consult", []string{"internal/talk/consult"},
		[]string{"words", "names", "stages", "index", "truth", "usage", "generations", "entities", "facts", "derive",
			"recall", "review", "sessions", "recalls"},
		"an answer is made of what is there; what is said in it is stored by whoever opens the rooms"},
	{"jobs", []string{"internal/operate/jobs"},
		[]string{"words", "time", "bugs", "traces", "names", "stages", "index", "truth", "usage", "generations", "entities", "facts",
			"derive", "review", "sessions", "media", "alerts"},
		"a job calls the room that made it, and no room waits for the runner"},
	{"operate", []string{"internal/operate"},
		[]string{"words", "names", "stages", "index", "truth", "usage", "generations", "facts", "derive", "jobs",
			"alerts"},
		"who operates a store looks at all of it, and nothing below needs an operator"},
	{"interviews", []string{"internal/talk/interviewer"}, []string{"words", "stages", "index", "truth", "usage"},
		"an interview writes and finds as everybody does, by functions that the engine hands down"},
	{"engine", []string{"internal/engine"},
		[]string{"words", "time", "bugs", "traces", "names", "prompts", "stages", "index", "truth", "usage", "generations", "entities", "facts",
			"relations", "derive", "recall", "review", "projects", "recalls", "objects", "media", "alerts", "consult", "sessions", "jobs", "operate", "credentials",
			"interviews", "standbys"},
		"drivers are handed to the engine, and surfaces stand on top of it"},
	{"providers", []string{"internal/model/provider"}, []string{"words", "time"},
		"it knows requests and answers, and nothing of what the drivers above it ask for"},
	{"webhooks", []string{"internal/review/webhook"}, []string{"words"},
		"it knows an address and a signature, and nothing of what is sent"},
	{"chat", []string{"internal/model/chat"}, []string{"words", "providers"},
		"what all models behind a service do alike knows none of the services"},
	{"embedding", []string{"internal/model/embedding"}, []string{"words", "providers"},
		"what all embedders behind a service do alike knows none of the services"},
	{"wire", []string{"internal/store/qdrantapi"}, []string{"words", "time"},
		"requests and answers of a server are the same for a driver and for who imports from it"},
	{"walk", []string{"internal/store/walk"}, []string{"words"},
		"how a graph is walked is the same wherever its edges lie"},
	{"rows", []string{"internal/store/sqlrows"}, []string{"words"},
		"how memories are listed in pages is the same whichever database holds their rows"},
	{"drivers", []string{"internal/test/inmem", "internal/store/sqlite", "internal/search/embedded", "internal/model/hashembed",
		"internal/model/builtin", "internal/store/tables", "internal/model/scripted", "internal/model/local",
		"internal/store/qdrant", "internal/model/openai", "internal/model/anthropic", "internal/model/gemini", "internal/model/ollama", "internal/model/voyage",
		"internal/model/rerank", "internal/store/postgres", "internal/store/age", "internal/store/firestore"},
		[]string{"words", "bytes", "time", "files", "algorithms", "meanings", "search", "providers", "chat",
			"embedding", "wire", "walk", "rows"},
		"a driver plays roles of the root package; what it needs from another driver is a role too"},
	{"suites", []string{"internal/test/tracetest", "internal/test/storetest", "internal/test/indextest", "internal/test/embedtest", "internal/test/graphtest",
		"internal/test/modeltest", "internal/test/reranktest", "internal/test/providertest", "internal/test/hubtest", "internal/test/llamatest",
		"internal/test/berttest", "internal/test/saidtest", "internal/test/pgtest", "internal/test/qdranttest", "internal/test/firestoretest"},
		[]string{"words", "time", "traces", "algorithms", "search"},
		"the driver's test calls the suite, never the reverse; a reference computes with the algorithms that drivers have in common"},
	{"users", []string{"internal/test/scenario", "internal/quality", "internal/transfer", "internal/demo",
		"internal/transfer/migrate"}, []string{"words", "bugs", "algorithms", "wire"},
		"it talks to the memory as any program would and must run over every combination of drivers"},
	{"imports", []string{"internal/transfer/imports"}, []string{"words", "users"},
		"it reads files as the command does, for callers who can name none"},
	{"operations", []string{"internal/door/op"}, []string{"words"},
		"what an operation is called and how its requests travel is the same whatever it does"},
	{"table", []string{"internal/door/operations"}, []string{"words", "operations", "engine", "entities", "relations", "derive", "recall",
		"review", "alerts"},
		"a row names the method of a room; whoever offers operations reads the rows"},
	{"edges", []string{"internal/door/rest", "internal/door/camel", "internal/door/mcpserver", "internal/door/proxy"},
		[]string{"words", "traces", "numbers", "operations", "table", "engine"},
		"an edge decodes, calls the engine and maps the error kind; deciding happens below it"},
	{"dialects", []string{"internal/door/compat"}, []string{"words", "engine"},
		"what the dialects of other vendors have in common is the same whichever of them is spoken"},
	{"vendors", []string{"internal/door/compat/mem0", "internal/door/compat/zep"}, []string{"words", "engine", "dialects"},
		"a vendor's dialect is an edge; no dialect needs another"},
	{"page", []string{"internal/door/page"}, []string{"words"},
		"the page knows nothing but the API that every caller has"},
	{"hub", []string{"internal/model/hub"}, []string{"words", "files"},
		"it knows files, hashes and where they come from, and nothing of what is computed with them"},
	{"processes", []string{"internal/door/owner"}, []string{"words"},
		"it knows locks, sockets and terms, and nothing of what is said over them"},
	{"compose", []string{"internal/compose"},
		[]string{"words", "traces", "time", "algorithms", "stages", "engine", "providers", "webhooks", "embedding", "drivers", "hub",
			"processes"},
		"it chooses who plays each role; whoever wants a memory gives it settings"},
	{"measuring", []string{"internal/measure"}, []string{"words", "algorithms", "engine", "compose", "users"},
		"labelled sets are stored and asked as a program does it, for users and for research"},
	{"crash", []string{"internal/test/crash"}, nil,
		"it is tests alone: it kills the whole program from outside"},
	{"callers", []string{"internal/test/callers"}, nil,
		"it is tests alone: it is the programs that call this one"},
	{"sdk", []string{"sdk"}, nil,
		"it is tests alone: the clients in other languages are no Go"},
	{"tools", []string{"tools/wordvec"}, []string{"algorithms", "meanings"},
		"a tool reads words as the program does, and the program never needs it"},
	{"research", []string{"tools/ablate"}, []string{"words", "search", "stages", "compose", "measuring", "users"},
		"it measures what users need not choose, and the program never needs it"},
	{"bench", []string{"tools/bench"}, []string{"words", "algorithms", "index", "engine", "edges", "compose"},
		"it opens memories as a program does and measures them from outside, and the program never needs it"},
	{"client", []string{"client"}, []string{"words", "operations"},
		"programs of other people import it, and of the internal packages only how requests travel is theirs"},
	{"library", []string{"memory"}, []string{"words", "engine", "compose", "imports", "edges"},
		"programs of other people import it: it hands over to the engine what compose has opened, and decides nothing"},
	{"command", []string{"cmd/trilith"},
		[]string{"words", "traces", "time", "files", "algorithms", "stages", "index", "operations", "table", "engine", "hub",
			"compose", "measuring", "users", "imports", "edges", "page", "dialects", "vendors", "processes"},
		"the command is where surfaces, settings and processes meet; what plays the roles compose chooses"},
}

// platforms are those that we build for: an import behind a build constraint counts too.
var platforms = []string{"linux", "darwin", "windows"}

func TestImports(t *testing.T) {
	t.Parallel()
	rowOf := make(map[string]layer)
	for _, l := range layers {
		for _, p := range l.packages {
			rowOf[p] = l
		}
	}
	imports := make(map[string]map[string]bool) // folder to folders, over all platforms
	for _, goos := range platforms {
		for _, p := range listPackages(t, goos) {
			if imports[p.folder] == nil {
				imports[p.folder] = make(map[string]bool)
			}
			for _, imported := range p.imports {
				imports[p.folder][imported] = true
			}
		}
	}
	for folder, imported := range imports {
		row, ok := rowOf[folder]
		if !ok {
			t.Errorf("package %s is in no row of the import table: find its layer in docs/design.md and add it to layers in imports_test.go", folder)
			continue
		}
		for i := range imported {
			if to, ok := rowOf[i]; ok && !slices.Contains(row.may, to.name) {
				t.Errorf("%s (%s) imports %s (%s); it may import %s, because %s",
					folder, row.name, i, to.name, orNothing(row.may), row.why)
			}
		}
	}
}

// TestDriversAreComposedInOnePlace: a row that may import drivers is a place that chooses among them.
func TestDriversAreComposedInOnePlace(t *testing.T) {
	t.Parallel()
	var may []string
	for _, l := range layers {
		if slices.Contains(l.may, "drivers") {
			may = append(may, l.name)
		}
	}
	if !slices.Equal(may, []string{"compose"}) {
		t.Errorf("layers: %q may import drivers; want compose alone, which offers what others need of one", may)
	}
}

func TestImportTable(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	var below []string
	for _, l := range layers {
		for _, p := range l.packages {
			if other, ok := seen[p]; ok {
				t.Errorf("layers names %s twice: in %q and in %q", p, other, l.name)
			}
			seen[p] = l.name
		}
		for _, m := range l.may {
			if !slices.Contains(below, m) {
				t.Errorf("layers: %q may import %q, which is no row above it: imports must run one way", l.name, m)
			}
		}
		if l.why == "" {
			t.Errorf("layers: %q has no reason", l.name)
		}
		below = append(below, l.name)
	}
}

type listed struct {
	folder  string
	imports []string // folders of our own packages
}

// listPackages asks the go command for the packages of the module and what their production code imports of ours. The
// answer of a cached test run stays right because the shape tests open every Go file in the same run.
func listPackages(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list on %s: %v\n%s", goos, err, exit.Stderr)
		}
		t.Fatalf("go list on %s: %v", goos, err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatalf("go list on %s: its answer is not JSON: %v", goos, err)
		}
		l := listed{folder: folderOf(p.ImportPath)}
		for _, i := range p.Imports {
			if i == module || strings.HasPrefix(i, module+"/") {
				l.imports = append(l.imports, folderOf(i))
			}
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		t.Fatalf("go list on %s names no package", goos)
	}
	return all
}

func folderOf(importPath string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing of ours"
	}
	return strings.Join(names, ", ")
}
