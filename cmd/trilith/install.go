package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

type installCmd struct {
	Client  string   `arg:"" help:"claude-code, cursor, vscode, codex or gemini." enum:"claude-code,cursor,vscode,codex,gemini"`
	Print   bool     `help:"Print the configuration and change nothing."`
	DryRun  bool     `help:"Show what would change in which file, and change nothing."`
	Undo    bool     `help:"Remove the configuration that install wrote."`
	Global  bool     `help:"For all your projects, in your home folder, and not for this folder alone."`
	NoHooks bool     `help:"Claude Code: only the tools, without the hooks that add memory to each session and store conversations."`
	URL     string   `help:"Use a running server, such as http://localhost:7700/mcp, instead of starting trilith mcp." name:"url" placeholder:"URL"`
	Key     bool     `help:"With --url: send an API key, which the client reads from the variable TRILITH_KEY."`
	Tools   []string `help:"Sets of tools beside the default one: graph, reference, review, sessions, subagent; scope shows the arguments user, agent, project and session; only takes the default one away." placeholder:"SET,..."`
	scopeFlags
}

// connection is how a client reaches the memory: by a program that it starts, or at an address.
type connection struct {
	args []string // of trilith
	url  string   // empty: start the program
	key  bool
}

// keyVariable holds the API key where a client reads it.
const keyVariable = "TRILITH_KEY"

// agentFile describes the configuration of an agent: where it is, and what its parts are called.
type agentFile struct {
	where string // for a person
	file  string // below the project, or the home folder
	outer string // has the servers
	kind  string // has the kind of the connection; "" for none
	url   string // has the address
	key   string // stands for the API key
}

var clients = map[string]agentFile{
	"claude-code": {".mcp.json in your project, for everybody who works there", ".mcp.json", "mcpServers", "type", "url",
		"${" + keyVariable + "}"},
	"cursor": {".cursor/mcp.json in your project, or ~/.cursor/mcp.json for all of them", ".cursor/mcp.json", "mcpServers",
		"", "url", "${env:" + keyVariable + "}"},
	"vscode": {".vscode/mcp.json in your project", ".vscode/mcp.json", "servers", "type", "url", "${input:trilith-key}"},
	"codex":  {"~/.codex/config.toml", ".codex/config.toml", "mcp_servers.trilith", "", "url", ""},
	"gemini": {".gemini/settings.json in your project, or ~/.gemini/settings.json for all of them",
		".gemini/settings.json", "mcpServers", "", "httpUrl", "$" + keyVariable},
}

// vscodeKey asks for the API key.
var vscodeKey = map[string]any{"type": "promptString", "id": "trilith-key", "description": "API key of trilith",
	"password": true}

func (c *installCmd) Run(a *app) error {
	if c.Key && c.URL == "" {
		return trilith.Errorf(trilith.Invalid, "key: goes with --url; trilith mcp opens the memory itself and needs none")
	}
	if err := mcpserver.CheckTools(c.Tools); err != nil {
		return err
	}
	conn, err := c.connection(a)
	if err != nil {
		return err
	}
	if !c.Print {
		return c.configure(a, conn)
	}
	where, text := clients[c.Client].where, c.text(conn)
	if c.Client == "claude-code" {
		where += "\nfor yourself: " + conn.claudeCommand()
	}
	return a.out.result(map[string]string{"client": c.Client, "where": where, "text": text}, func() {
		for line := range strings.SplitSeq(where, "\n") {
			fmt.Fprintln(a.stderr, "# "+line) // standard output may be piped into a file
		}
		a.out.linef("%s", text)
	})
}

// configure changes the files of a client, or shows what would change.
func (c *installCmd) configure(a *app, conn connection) error {
	edits, err := c.edits(a, conn)
	if err != nil {
		return err
	}
	all := []difference{}
	for _, e := range edits {
		d, err := e.apply(c.DryRun)
		if err != nil {
			return err
		}
		if len(d.Lines) > 0 {
			all = append(all, d)
		}
	}
	return a.out.result(all, func() {
		for _, d := range all {
			a.out.linef("%s", d.Path)
			for _, l := range d.Lines {
				a.out.linef("%s", l)
			}
		}
		switch {
		case len(all) == 0:
			a.out.linef("nothing to change")
		case c.DryRun:
			a.out.linef("%s", a.out.dim("dry run: nothing was changed"))
		case !c.Undo:
			a.out.linef("restart %s; --undo takes it out again", c.Client)
		}
		if c.Client == "claude-code" && !c.NoHooks && c.URL == "" && c.User == "" && !c.Undo {
			a.out.linef("what you say is remembered as the user %s, the person of this machine; --user names another", a.person)
		}
		if c.Client == "claude-code" && c.Global && !c.Undo {
			a.out.linef("for the tools in all your projects run: %s", conn.claudeCommand())
		}
	})
}

// text is the configuration as a whole.
func (c *installCmd) text(conn connection) string {
	if c.Client == "codex" {
		return conn.toml()
	}
	g := clients[c.Client]
	whole := map[string]any{g.outer: map[string]any{"trilith": conn.described(g)}}
	if c.Client == "vscode" && conn.key {
		whole["inputs"] = []any{vscodeKey}
	}
	return indent(whole)
}

// edits returns the changes of a client's files.
func (c *installCmd) edits(a *app, conn connection) (out []edit, err error) {
	in := "."
	if c.Global || c.Client == "codex" {
		if in = homeOf(a.getenv); in == "" {
			return nil, trilith.Errorf(trilith.Invalid, "install: HOME is not set, so the home folder is not known")
		}
	}
	isClaude, g := c.Client == "claude-code", clients[c.Client]
	path := filepath.Join(in, filepath.FromSlash(g.file))
	switch {
	case c.Client == "vscode" && (c.Global || conn.key):
		return nil, trilith.Errorf(trilith.Unsupported,
			"install: --global and --key work for vscode with --print only; its file for all projects cannot be written")
	case c.Client == "codex" && c.Undo:
		return []edit{editTOML(path, g.outer, "")}, nil
	case c.Client == "codex":
		return []edit{editTOML(path, g.outer, conn.toml())}, nil
	case !isClaude || !c.Global: // Claude Code keeps the servers of all projects in its own file
		out = append(out, editJSON(path, func(o object) (object, error) {
			if c.Undo {
				return setIn(o, g.outer, "trilith", nil)
			}
			return setIn(o, g.outer, "trilith", conn.described(g))
		}))
	}
	if isClaude && !c.NoHooks && conn.url == "" {
		out = append(out, editJSON(filepath.Join(in, ".claude", "settings.json"), func(o object) (object, error) {
			return setHooks(o, conn.hook(), c.Undo)
		}))
	}
	return out, nil
}

// hookEvents are the events at which Claude Code calls: when a session starts, when the user has written, before the
// session is shortened, when an answer has ended, and when the session ends.
var hookEvents = []string{"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}

// hookTimeout is how many seconds the caller waits for a hook.
const hookTimeout = 15

// hook returns the command for Claude Code.
func (c connection) hook() string {
	var args []string
	for i := 1; i+1 < len(c.args); i += 2 { // after mcp; the sets of tools are for that
		if c.args[i] != "--tools" {
			args = append(args, c.args[i], c.args[i+1])
		}
	}
	return strings.TrimSpace("trilith hook claude-code " + shellWords(args))
}

// isHook reports whether a command is one of trilith's.
func isHook(command string) bool { return strings.HasPrefix(command, "trilith hook claude-code") }

// setHooks adds our command to the hooks of each event, replacing an earlier one, or removes it.
func setHooks(o object, command string, undo bool) (object, error) {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	var hooks object
	if err := o.read("hooks", &hooks); err != nil {
		return nil, err
	}
	for _, event := range hookEvents {
		var groups []json.RawMessage
		if err := hooks.read(event, &groups); err != nil {
			return nil, err
		}
		groups = slices.DeleteFunc(groups, func(raw json.RawMessage) bool {
			var group struct{ Hooks []hook }
			return json.Unmarshal(raw, &group) == nil && len(group.Hooks) == 1 && isHook(group.Hooks[0].Command)
		})
		if !undo {
			group, err := compact(map[string]any{"hooks": []hook{{"command", command, hookTimeout}}})
			if err != nil {
				return nil, err
			}
			groups = append(groups, group)
		}
		var err error
		if hooks, err = hooks.with(event, groups, len(groups)); err != nil {
			return nil, err
		}
	}
	return o.with("hooks", hooks, len(hooks))
}

func (c *installCmd) connection(a *app) (connection, error) {
	fixed := c.in(trilith.Scope{}).Fields()
	if c.URL == "" {
		conn := connection{args: []string{"mcp"}}
		add := func(name, value string) {
			if value != "" {
				conn.args = append(conn.args, "--"+name, value)
			}
		}
		if err := c.where(a, add); err != nil {
			return connection{}, err
		}
		add("tools", strings.Join(c.Tools, ","))
		for _, f := range fixed {
			add(f.Name, f.Value)
		}
		return conn, nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return connection{}, trilith.Errorf(
			trilith.Invalid, "url: %.200q is not an address such as http://localhost:7700/mcp", compose.Masked(c.URL))
	}
	if u.User != nil {
		return connection{}, trilith.Errorf(trilith.Invalid, "url: holds a login, which others would read in the file of the client; "+
			"with --key the client reads an API key from %s", keyVariable)
	}
	u.Path = cmp.Or(strings.TrimSuffix(u.Path, "/"), "/mcp")
	q := u.Query()
	for name := range q {
		if name != "tools" && !slices.Contains(trilith.ScopeMembers, name) {
			return connection{}, trilith.Errorf(trilith.Invalid, "url: %.64q is no parameter of the address; it takes tools and a scope, "+
				"and a key is sent with --key", name)
		}
	}
	if len(c.Tools) > 0 {
		q.Set("tools", strings.Join(c.Tools, ","))
	}
	for _, f := range fixed {
		if f.Value != "" {
			q.Set(f.Name, f.Value)
		}
	}
	u.RawQuery = q.Encode()
	return connection{url: u.String(), key: c.Key}, nil
}

// where adds the settings that tell a client the place of the memory. Of a settings file it adds only the name, because
// the file stays where it is. An address with a password is refused, because other users can read the files of clients,
// and every program on the machine the command lines in them.
func (c *installCmd) where(a *app, add func(name, value string)) error {
	path, err := openHome("config", cmp.Or(a.Config, a.getenv(envName("config"))), homeOf(a.getenv))
	if err != nil {
		return err
	}
	stored := fileSettings{}
	if path != "" {
		if stored, err = c.settingsFile(a, &path); err != nil {
			return err
		}
		add("config", path)
	}
	in, err := openHome("store", stored[envName("store")], homeOf(a.getenv))
	if err != nil {
		return err
	}
	if a.Store != a.defaultStore && a.Store != in {
		if !c.Undo && compose.HoldsSecret(a.Store) {
			return trilith.Errorf(trilith.Invalid, "store: holds a password, which install writes into no file of a client; put the "+
				"line %s=… into a file of your own outside of projects, chmod 600 it, and give it to install as --config FILE",
				envName("store"))
		}
		add("store", a.Store)
	}
	if a.Tenant != cmp.Or(stored[envName("tenant")], "default") {
		add("tenant", a.Tenant)
	}
	return nil
}

// settingsFile reads the settings file at a path, and makes the path a whole one: clients start trilith in any folder.
// A file with a password is refused where others can read it.
func (c *installCmd) settingsFile(a *app, path *string) (fileSettings, error) {
	whole, err := filepath.Abs(*path)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "config: %w", err)
	}
	*path = whole
	stored, err := configFile([]string{"--config=" + whole}, a.getenv)
	if err != nil || c.Undo || !slices.ContainsFunc(slices.Collect(maps.Values(stored)), compose.HoldsSecret) {
		return stored, err
	}
	info, err := os.Stat(whole)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "config: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, trilith.Errorf(trilith.Invalid, "config: %s holds a password, and others can read it; run: chmod 600 %[1]s", whole)
	}
	here, err := filepath.Abs(".")
	if err == nil && !c.Global && strings.HasPrefix(whole, here+string(filepath.Separator)) {
		err = trilith.Errorf(trilith.Invalid, "config: %s holds a password and is in the project, with which it may be shared; "+
			"move it to your home folder", whole)
	}
	return stored, err
}

// described returns the connection in the form of an agent whose configuration is JSON.
func (c connection) described(g agentFile) map[string]any {
	out := map[string]any{"command": "trilith", "args": c.args}
	transport := "stdio"
	if c.url != "" {
		out, transport = map[string]any{g.url: c.url}, "http"
		if c.key {
			out["headers"] = map[string]string{"Authorization": "Bearer " + g.key}
		}
	}
	if g.kind != "" {
		out[g.kind] = transport
	}
	return out
}

// toml returns the connection in the form of Codex.
func (c connection) toml() string {
	lines := []string{"[mcp_servers.trilith]"}
	if c.url == "" {
		lines = append(lines, `command = "trilith"`, "args = "+list(c.args))
	} else {
		lines = append(lines, "url = "+strconv.Quote(c.url))
	}
	if c.key {
		lines = append(lines, "bearer_token_env_var = "+strconv.Quote(keyVariable))
	}
	return strings.Join(lines, "\n")
}

// claudeCommand returns the command that does the same for one person.
func (c connection) claudeCommand() string {
	if c.url == "" {
		return "claude mcp add --scope user trilith -- trilith " + shellWords(c.args)
	}
	line := "claude mcp add --scope user --transport http trilith " + shellWords([]string{c.url})
	if c.key {
		line += ` --header "Authorization: Bearer $` + keyVariable + `"`
	}
	return line
}

func shellWords(args []string) string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = arg
		if strings.Trim(
			arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@") != "" {
			out[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func indent(v any) string {
	var out strings.Builder
	_ = encodeJSON(&out, "  ", v) // strings and lists of them
	return strings.TrimSpace(out.String())
}

// list is a list of strings in TOML, whose basic strings JSON's are.
func list(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = indent(arg)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
