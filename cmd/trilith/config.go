package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith"
)

// globals are the settings of every command. Each can be given in the environment (TRILITH_ and its name in capitals) or
// in the settings file, and those in perCall as a flag too; flags win over the environment, the environment over the
// file.
type globals struct {
	Store    string `help:"The store: sqlite:PATH, postgres://USER@HOST/DATABASE, firestore://PROJECT/DATABASE, or mem:, which is discarded on exit." default:"${store}" placeholder:"URL" path:""`
	Config   string `help:"Settings file with one NAME=value a line, named as in the environment." placeholder:"FILE" path:""`
	Tenant   string `help:"Tenant to work in." default:"default"`
	JSON     bool   `help:"Print JSON for machines." name:"json"`
	ReadOnly bool   `help:"Open the memory read-only: recall, lookup, list, export, doctor and serve work, and writes are refused. A file that is not writable is opened read-only automatically."`
	Embedder string `help:"The embedder: builtin:, local:NAME_OR_DIR, voyage:, openai:, gemini:, vertex: or ollama: with a model, auto, hash:DIMS (for tests), or none. See docs/providers.md." default:"builtin:" placeholder:"URL" path:""`
	Model    string `help:"The model that derives facts beside the rules: deepseek:, openai:, anthropic:, gemini:, vertex: or ollama: with a model, scripted:FILE (for tests), or none. See docs/providers.md." default:"none" placeholder:"URL" path:""`
	LogLevel string `help:"Lowest level of messages on standard error: debug, info, warn or error." enum:"debug,info,warn,error" default:"warn"`

	// The rest is read only from the environment and the file.

	Texts           string        `help:"The text index: auto, which suits the store; embedded:, in the process; or postgres:, in the database of the store." default:"auto" placeholder:"URL" path:""`
	Vectors         string        `help:"The vector index: auto, embedded: or postgres:, likewise, or qdrant://HOST:6333?collection=NAME, a Qdrant server. See docs/qdrant.md." default:"auto" placeholder:"URL" path:""`
	Graph           string        `help:"The graph: tables, the tables of the store, or age:, Apache AGE in the same PostgreSQL database." enum:"tables,age:" default:"tables"`
	Embedders       []string      `help:"Other embedders that a reindex over HTTP may choose by name: NAME=URL or URL, separated by spaces." sep:" " placeholder:"NAME=URL" path:""`
	Models          string        `help:"Folder of models for local transformers, see trilith model." default:"${models}" placeholder:"DIR" path:""`
	Profiles        string        `help:"Folder of extraction profiles of your own." placeholder:"DIR" path:""`
	Domains         string        `help:"Folder of domain schemas of your own, for interviews." placeholder:"DIR" path:""`
	DailyBudget     []string      `help:"Daily limits of a tenant for providers: tokens=2000000, voyage/tokens=500000, extract/requests=200. Work over the limit waits for the next day." placeholder:"LIMIT=N,..."`
	Languages       []string      `help:"Languages of the texts, by their codes, the main one first: de,fr. If left out, the language of each text is detected." placeholder:"CODE"`
	LogFormat       string        `help:"Format of messages on standard error: text or json." enum:"text,json" default:"text"`
	Reranker        string        `help:"The reranker, which reads the best hits once more and orders them: voyage:, cohere: or jina: with a model, tei:?base_url=URL, or none." default:"none" placeholder:"URL" path:""`
	RerankDepth     int           `help:"How many hits the reranker reads." default:"50" placeholder:"N"`
	RerankTimeout   time.Duration `help:"Time limit of the reranker; after it hits keep their order." default:"2s" placeholder:"TIME"`
	Tokenizer       string        `help:"Tokenizer that counts the tokens of context blocks: o200k, cl100k, or estimate, the larger count of both, for models whose vocabulary is not public." enum:"o200k,cl100k,estimate" default:"o200k"`
	RecallLog       string        `help:"Log of questions and their hits: on, for 7 days and 10000 rows of a tenant; kept, which keeps old rows and adds none; off; other bounds, such as days=30,rows=50000; or auto: on for serve, mcp and chat, kept for other commands." default:"auto" placeholder:"BOUNDS"`
	MediaMB         int           `name:"media-mb" help:"Limit of all pictures, recordings and scans of a tenant together, in MiB; 0: none." default:"10240" placeholder:"MIB"`
	KeepAlerts      string        `help:"Limits for the stored alerts of a tenant: days=30,rows=10000, which is the default, or others." placeholder:"BOUNDS"`
	Webhooks        []string      `help:"Addresses for alerts, by the names that saved searches use: NAME=https://HOST/PATH?secret_env=VARIABLE, or ?secret_file=FILE, separated by spaces. See docs/alerts.md." sep:" " placeholder:"NAME=URL" path:""`
	SessionWindow   int           `help:"Tokens of the newest turns in the context of a session; older turns are summarised in the background." default:"2000" placeholder:"N"`
	SessionPast     int           `help:"Memories from before the window in the context of a session." default:"3" placeholder:"N"`
	SessionSummary  int           `help:"Tokens of a summary." default:"400" placeholder:"N"`
	SessionMemories int           `help:"Number of turns and notes that pruning leaves in a scope." default:"10000" placeholder:"N"`
	SessionManual   bool          `help:"Summarise sessions only when asked to."`
	EpisodicWindows int           `help:"Turns in an episodic window: an additional memory of this many neighbouring turns, which helps to find them. 0 makes none." default:"0" placeholder:"N"`
	Patience        time.Duration `help:"Time that the owner process may be silent before this process opens the memory itself." default:"10s" placeholder:"TIME"`
}

// perCall are the settings that are flags of every command too; switches are those of them without a value.
var (
	perCall  = []string{"store", "config", "tenant", "json", "read-only", "embedder", "model", "log-level"}
	switches = []string{"json", "read-only"}
)

const envPrefix = "TRILITH_"

// checkFlags returns an error for a setting of the installation that was given as a flag.
func checkFlags(kctx *kong.Context) error {
	for _, at := range kctx.Path {
		if at.Flag != nil && !at.Resolved && isInstallation(kctx.Model.Node, at.Flag) {
			return trilith.Errorf(trilith.Invalid, "--%s: is a setting of the installation and no flag; put %s=VALUE into the "+
				"environment, or into the file that --config or TRILITH_CONFIG names; trilith help settings lists them",
				at.Flag.Name, envName(at.Flag.Name))
		}
	}
	return nil
}

// isInstallation reports whether a flag is known to the parser for the settings only.
func isInstallation(program *kong.Node, f *kong.Flag) bool {
	return f.Name != "help" && !slices.Contains(perCall, f.Name) && slices.Contains(program.Flags, f)
}

// settings are the flags that may come from the environment or the file: those that describe an installation, not a
// call.
var settings = []string{"store", "read-only", "texts", "vectors", "graph", "embedder", "embedders", "daily-budget",
	"languages", "model", "reranker", "rerank-depth", "rerank-timeout", "tokenizer", "recall-log", "profiles", "domains", "models", "hub",
	"tenant", "extract", "patience", "json", "log-level", "log-format", "traces", "addr", "max-body", "backup-dir", "import-url",
	"media-mb", "keep-alerts", "webhooks", "session-window", "session-past", "session-summary", "session-memories", "session-manual",
	"episodic-windows"}

// mcpSettings are settings only of trilith mcp: an agent's configuration describes an installation, and can often say
// an environment only.
var mcpSettings = append([]string{"tools"}, trilith.ScopeNames...)

// fileSettings is a configuration file: values by name.
type fileSettings map[string]string

// under returns the settings combined with those of the environment, which take precedence.
func (s fileSettings) under(getenv func(string) string) fileSettings {
	out := fileSettings{}
	maps.Copy(out, s)
	for _, flag := range slices.Concat(settings, mcpSettings) {
		if v := getenv(envName(flag)); v != "" {
			out[envName(flag)] = v
		}
	}
	return out
}

func (s fileSettings) resolver() kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, at *kong.Path, f *kong.Flag) (any, error) {
		if v := s[envName(f.Name)]; v != "" && isSetting(at, f.Name) { // an empty one is not set
			return v, nil
		}
		return nil, nil
	})
}

// isSetting reports whether a flag of the command that at leads to may come from elsewhere.
func isSetting(at *kong.Path, flag string) bool {
	if flag == "extract" { // to other commands it is an option of one request
		return at.Command != nil && (at.Command.Name == "serve" || at.Command.Name == "mcp")
	}
	return slices.Contains(settings, flag) || at.Command != nil && at.Command.Name == "mcp" &&
		slices.Contains(mcpSettings, flag)
}

// configFile reads the file that --config or TRILITH_CONFIG names.
func configFile(args []string, getenv func(string) string) (fileSettings, error) {
	path := getenv(envPrefix + "CONFIG")
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--config="); ok {
			path = v
		} else if a == "--config" && i+1 < len(args) {
			path = args[i+1]
		}
	}
	if path == "" {
		return nil, nil
	}
	path, err := openHome("config", path, homeOf(getenv))
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "config: %w", err)
	}
	defer f.Close()
	return readSettings(path, f)
}

// homeOf returns the user's home folder; empty if it is not known.
func homeOf(getenv func(string) string) string { return cmp.Or(getenv("HOME"), getenv("USERPROFILE")) }

// readSettings parses NAME=value lines; it skips empty lines and those that begin with #.
func readSettings(path string, r io.Reader) (fileSettings, error) {
	out := fileSettings{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, trilith.Errorf(trilith.Invalid, "config: %s line %d: write NAME=value", path, n)
		}
		out[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	if err := lines.Err(); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "config: %w", err)
	}
	return out, checkNames(out)
}

// checkNames returns an error for names in the file that are no settings, so that a misspelled one is not silently
// ignored.
func checkNames(file fileSettings) error {
	known := settingNames()
	for name := range file {
		if !slices.Contains(known, name) || name == envName("config") {
			return trilith.Errorf(trilith.Invalid, "config: %s is not a setting; known are %s", name,
				strings.Join(known, ", "))
		}
	}
	return nil
}

// envName returns the environment variable of a flag.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// defaultModels is a folder next to the default store.
func defaultModels(getenv func(string) string) string {
	return filepath.Join(dataDir(getenv), "models")
}

// unseenMemory returns an error if the default store is not there yet, but the one that this program made when it was
// called cairn is: an empty memory would hide a full one.
func (a *app) unseenMemory() error {
	if a.Store != a.defaultStore || a.refill {
		return nil
	}
	if _, err := os.Stat(strings.TrimPrefix(a.defaultStore, "sqlite:")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	former := filepath.Join(filepath.Dir(dataDir(a.getenv)), "cairn", "cairn.db")
	if _, err := os.Stat(former); err != nil {
		return nil
	}
	return trilith.MadeByCairn(former, "sqlite:"+former, "a new file at "+strings.TrimPrefix(a.defaultStore, "sqlite:"))
}

// defaultStore returns the store in the user's data directory.
func defaultStore(getenv func(string) string) string {
	return fmt.Sprintf("sqlite:%s", filepath.Join(dataDir(getenv), "trilith.db"))
}

// dataDir returns trilith's folder in the user's data directory.
func dataDir(getenv func(string) string) string {
	dir := getenv("XDG_DATA_HOME")
	if dir == "" {
		switch home := getenv("HOME"); {
		case runtime.GOOS == "windows":
			dir = getenv("LOCALAPPDATA")
		case home == "":
			dir = "."
		case runtime.GOOS == "darwin":
			dir = filepath.Join(home, "Library", "Application Support")
		default:
			dir = filepath.Join(home, ".local", "share")
		}
	}
	return filepath.Join(dir, "trilith")
}
