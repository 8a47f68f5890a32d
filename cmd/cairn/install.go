package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/mcpserver"
)

type installCmd struct {
	Client string   `arg:"" help:"claude-code, cursor, vscode or codex." enum:"claude-code,cursor,vscode,codex"`
	Print  bool     `help:"Print the configuration; this program does not touch files of others."`
	URL    string   `help:"Use a running server, such as http://localhost:7700/mcp, instead of starting cairn mcp." name:"url" placeholder:"URL"`
	Key    bool     `help:"With --url: send an API key, which the client reads from the variable CAIRN_KEY."`
	Tools  []string `help:"Sets of tools beside the default one: graph, review, subagent; scope shows the arguments user, agent, project and session." placeholder:"SET,..."`
	scopeFlags
}

// connection is how a client reaches the memory: by a program that it starts, or at an address.
type connection struct {
	args []string // of cairn
	url  string   // empty: start the program
	key  bool
}

// keyVariable holds the API key where a client reads it.
const keyVariable = "CAIRN_KEY"

// clients print the configuration of each client: where it belongs, and what it says.
var clients = map[string]func(connection) (where, text string){
	"claude-code": func(c connection) (string, string) {
		server := c.described("type", "${"+keyVariable+"}")
		return ".mcp.json in your project, for everybody who works there\nfor yourself: " + c.claudeCommand(),
			document("mcpServers", server)
	},
	"cursor": func(c connection) (string, string) {
		return ".cursor/mcp.json in your project, or ~/.cursor/mcp.json for all of them",
			document("mcpServers", c.described("", "${env:"+keyVariable+"}"))
	},
	"vscode": func(c connection) (string, string) {
		server := c.described("type", "${input:cairn-key}")
		if !c.key {
			return ".vscode/mcp.json in your project", document("servers", server)
		}
		return ".vscode/mcp.json in your project", indent(map[string]any{"servers": map[string]any{"cairn": server},
			"inputs": []any{map[string]any{"type": "promptString", "id": "cairn-key", "description": "API key of cairn",
				"password": true}}})
	},
	"codex": func(c connection) (string, string) {
		lines := []string{"[mcp_servers.cairn]"}
		switch {
		case c.url == "":
			lines = append(lines, `command = "cairn"`, "args = "+list(c.args))
		default:
			lines = append(lines, "url = "+strconv.Quote(c.url))
			if c.key {
				lines = append(lines, "bearer_token_env_var = "+strconv.Quote(keyVariable))
			}
		}
		return "~/.codex/config.toml", strings.Join(lines, "\n")
	},
}

func (c *installCmd) Run(a *app) error {
	if !c.Print {
		return cairn.Errorf(cairn.Invalid, "install: add --print; writing the configuration is up to you")
	}
	if c.Key && c.URL == "" {
		return cairn.Errorf(cairn.Invalid, "key: goes with --url; cairn mcp opens the memory itself and needs none")
	}
	if err := mcpserver.CheckTools(c.Tools); err != nil {
		return err
	}
	conn, err := c.connection(a)
	if err != nil {
		return err
	}
	where, text := clients[c.Client](conn)
	return a.out.result(map[string]string{"client": c.Client, "where": where, "text": text}, func() {
		for line := range strings.SplitSeq(where, "\n") {
			fmt.Fprintln(a.stderr, "# "+line) // not part of what is piped into a file
		}
		a.out.linef("%s", text)
	})
}

func (c *installCmd) connection(a *app) (connection, error) {
	fixed := c.in(cairn.Scope{}).Fields()
	if c.URL == "" {
		conn := connection{args: []string{"mcp"}}
		add := func(name, value string) {
			if value != "" {
				conn.args = append(conn.args, "--"+name, value)
			}
		}
		if a.Store != a.defaultStore {
			add("store", a.Store)
		}
		if a.Tenant != "default" {
			add("tenant", a.Tenant)
		}
		add("tools", strings.Join(c.Tools, ","))
		for _, f := range fixed {
			add(f.Name, f.Value)
		}
		return conn, nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return connection{}, cairn.Errorf(
			cairn.Invalid, "url: %.200q is not an address such as http://localhost:7700/mcp", c.URL)
	}
	u.Path = cmp.Or(strings.TrimSuffix(u.Path, "/"), "/mcp")
	q := u.Query()
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

// described is the connection as JSON clients want it; typeName is the member that tells the transport, if there is
// one.
func (c connection) described(typeName, key string) map[string]any {
	out := map[string]any{"command": "cairn", "args": c.args}
	transport := "stdio"
	if c.url != "" {
		out, transport = map[string]any{"url": c.url}, "http"
		if c.key {
			out["headers"] = map[string]string{"Authorization": "Bearer " + key}
		}
	}
	if typeName != "" {
		out[typeName] = transport
	}
	return out
}

// claudeCommand is the line that does the same for one person.
func (c connection) claudeCommand() string {
	if c.url == "" {
		return "claude mcp add --scope user cairn -- cairn " + shellWords(c.args)
	}
	line := "claude mcp add --scope user --transport http cairn " + shellWords([]string{c.url})
	if c.key {
		line += ` --header "Authorization: Bearer $` + keyVariable + `"`
	}
	return line
}

func shellWords(args []string) string {
	out := make([]string, len(args))
	for i, arg := range args {
		if out[i] = arg; strings.Trim(
			arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@") != "" {
			out[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func document(member string, server map[string]any) string {
	return indent(map[string]any{member: map[string]any{"cairn": server}})
}

func indent(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // strings and lists of them
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
