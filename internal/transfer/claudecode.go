package transfer

import (
	"cmp"
	"encoding/json"
	"iter"
	"strings"

	"github.com/trilith-memory/trilith"
)

// codeRecord holds the used parts of a line of a Claude Code transcript.
type codeRecord struct {
	Type      string `json:"type"`
	ID        string `json:"uuid"`
	Session   string `json:"sessionId"`
	Timestamp stamp  `json:"timestamp"`
	Folder    string `json:"cwd"`
	Branch    string `json:"gitBranch"`
	Sidechain bool   `json:"isSidechain"`
	Agent     string `json:"agentId"`
	Meta      bool   `json:"isMeta"`           // put in by the program
	Summary   bool   `json:"isCompactSummary"` // replaces the turns cut from the context
	Failed    bool   `json:"isApiErrorMessage"`
	Message   struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Attachment struct { // text typed while the agent worked is a record of its own
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		Origin struct {
			Kind string `json:"kind"`
		} `json:"origin"`
	} `json:"attachment"`
}

// readClaudeCode reads a transcript line by line. A session is one of the program's, and its folder is the one in which
// it began: an agent that goes elsewhere stays in its project.
func readClaudeCode(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		first, began := firstFolder(&in), map[string]string{}
		g := gatherer{in: in, yield: yield}
		at := stamp("")
		for l, err := range lines(in, MaxLineBytes) {
			if err != nil {
				if !g.fail(err) {
					return
				}
				continue
			}
			var r codeRecord
			err := decode(l.text, &r, false)
			if err == nil && r.Type == "" {
				err = trilith.Errorf(trilith.Invalid, "type: is missing")
			}
			if err != nil {
				if !g.bad(l.n, err) {
					return
				}
				continue
			}
			r.typed()
			at = r.Timestamp.or(at)
			if omitted := r.omitted(in); omitted != "" {
				g.omit(omitted, 1)
				continue
			}
			if began[r.Session] == "" {
				began[r.Session] = r.Folder
			}
			g.folder = cmp.Or(began[r.Session], first)
			if !g.codeRecord(l, &r, at) {
				return
			}
		}
		g.flush()
	}
}

// typed makes a prompt that was typed while the agent worked a message of the user.
func (r *codeRecord) typed() {
	a := &r.Attachment
	if r.Type == "attachment" && a.Type == "queued_command" && cmp.Or(a.Origin.Kind, "human") == "human" {
		r.Type, r.Message.Content = "user", a.Prompt
	}
}

// omitted returns the name under which a record is left out, or "" for one that is read.
func (r *codeRecord) omitted(in input) string {
	switch {
	case r.Type != "user" && r.Type != "assistant":
		return "records of the program" // summaries, snapshots, progress
	case r.Summary, r.Failed:
		return "records of the program"
	case r.Sidechain && !in.wants(Sidechains):
		return "sidechain messages"
	case r.Meta && !in.wants(System):
		return "system messages"
	}
	return ""
}

func (g *gatherer) codeRecord(l line, r *codeRecord, at stamp) bool {
	s := readBlocks(r.Message.Content)
	if r.ID == "" {
		r.ID = contentID(ClaudeCode, r.Session, string(at), r.Type, string(r.Message.Content))
	}
	g.profile = "personal"
	if r.Branch != "" {
		g.profile = "code"
	}
	scope := trilith.Scope{Project: scopeValue(folderName(g.folder)), Session: scopeValue(r.Session), Channel: ClaudeCode}
	m := trilith.Message{ExternalID: externalID(r.ID), Role: roleOf(r.Type), Timestamp: string(at), Content: s.text,
		Metadata: metadata("cwd", r.Folder, "git_branch", r.Branch, "sidechain", r.Sidechain, "agent_id", r.Agent,
			"parts", s.parts)}
	if r.Meta {
		m.Role = trilith.RoleSystem
	}
	if strings.TrimSpace(m.Content) == "" {
		m.Content = caption("", strings.Join(names(s.parts), ", "))
	}
	if m.Content != "" && !g.say(l.n, scope, m) {
		return false
	}
	return g.tools(l.n, scope, s.tools,
		trilith.Message{ExternalID: m.ExternalID, Timestamp: m.Timestamp, Metadata: m.Metadata})
}
