package transfer

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// gptConversation holds the used parts of a conversation in a ChatGPT export. Its messages are a tree, because every
// edit and every second answer is a branch; the user sees the path that ends at the current node.
type gptConversation struct {
	ID          string             `json:"id"`
	OtherID     string             `json:"conversation_id"`
	Title       string             `json:"title"`
	CreateTime  stamp              `json:"create_time"`
	UpdateTime  stamp              `json:"update_time"`
	CurrentNode string             `json:"current_node"`
	Mapping     map[string]gptNode `json:"mapping"`
}

type gptNode struct {
	Parent   string      `json:"parent"`
	Children []string    `json:"children"`
	Message  *gptMessage `json:"message"`
}

type gptMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	CreateTime stamp      `json:"create_time"`
	Content    gptContent `json:"content"`
	Recipient  string     `json:"recipient"`
	Metadata   struct {
		Hidden      bool `json:"is_visually_hidden_from_conversation"`
		Attachments []struct {
			Name string `json:"name"`
		} `json:"attachments"`
	} `json:"metadata"`
}

type gptContent struct {
	Type         string            `json:"content_type"`
	Parts        []json.RawMessage `json:"parts"`
	Text         string            `json:"text"`
	Result       string            `json:"result"`
	Profile      string            `json:"user_profile"`
	Instructions string            `json:"user_instructions"`
}

// gptPart is a part that is not plain text.
type gptPart struct {
	Type    string `json:"content_type"`
	Text    string `json:"text"` // of a transcription
	Pointer string `json:"asset_pointer"`
}

// readChatGPT reads the conversations one by one: a session each, named by its id, because titles repeat and change.
func readChatGPT(in input) iter.Seq2[Item, error] {
	return readEach(in, (*gatherer).gptConversation)
}

// readEach reads a list of objects one by one; take yields the items of one and reports whether to go on.
func readEach[T any](in input, take func(*gatherer, element, *T) bool) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		g := gatherer{in: in, yield: yield}
		for e, err := range elements(in, MaxLineBytes) {
			if err != nil {
				if !g.fail(err) {
					return
				}
				continue
			}
			var v T
			if ok, more := g.object(e, &v); !more || ok && !take(&g, e, &v) {
				return
			}
		}
	}
}

func (g *gatherer) gptConversation(e element, c *gptConversation) bool {
	id := cmp.Or(c.ID, c.OtherID)
	if len(c.Mapping) == 0 {
		return g.bad(e.line, trilith.Errorf(trilith.Invalid, "a conversation needs a mapping of messages"))
	}
	path, err := c.path()
	if err != nil && !g.bad(e.line, err) {
		return false
	}
	if id == "" {
		id = contentID(ChatGPT, c.Title, string(c.CreateTime), strings.Join(path, " "))
	}
	scope := trilith.Scope{Session: scopeValue(id), Channel: ChatGPT}
	at := c.start(path)
	for _, key := range path {
		m := c.Mapping[key].Message
		if m == nil {
			continue
		}
		at = m.CreateTime.or(at)
		text, parts := m.Content.read()
		for _, a := range m.Metadata.Attachments {
			if a.Name != "" && !slices.Contains(parts, a.Name) {
				parts = append(parts, a.Name)
			}
		}
		if text == "" && len(parts) == 0 {
			continue
		}
		role, omitted := g.gptRole(m)
		if omitted != "" {
			g.omit(omitted, 1)
			continue
		}
		msg := trilith.Message{ExternalID: externalID(id, cmp.Or(m.ID, key)), Role: role, Timestamp: string(at),
			Content: text, Metadata: metadata("session_name", c.Title, "parts", parts)}
		if role == trilith.RoleTool {
			msg.Speaker = clip(cmp.Or(m.Author.Name, m.Recipient))
		}
		if text == "" {
			msg.Content = caption("", strings.Join(names(parts), ", "))
		}
		if !g.say(e.line, scope, msg) {
			return false
		}
	}
	g.omit("other branches", c.beside(path))
	return g.flush()
}

// gptRole returns the role of a message, or the name under which it is left out.
func (g *gatherer) gptRole(m *gptMessage) (role trilith.Role, omitted string) {
	switch role = roleOf(m.Author.Role); {
	case m.Content.Type == "thoughts" || m.Content.Type == "reasoning_recap":
		return "", "reasoning"
	case m.Author.Role == "system" || m.Metadata.Hidden || m.Content.Type == "user_editable_context":
		if g.in.wants(System) {
			return trilith.RoleSystem, ""
		}
		return "", "system messages"
	case m.Author.Role == "tool" || m.Recipient != "" && m.Recipient != "all":
		if g.in.wants(Tools) {
			return trilith.RoleTool, ""
		}
		return "", "tool messages"
	case role == "":
		return "", "messages of unknown roles"
	}
	return role, ""
}

// read returns the text of a message, and the names of the parts that are not text.
func (c *gptContent) read() (text string, parts []string) {
	var said []string
	for _, raw := range c.Parts {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			said = append(said, s)
			continue
		}
		var p gptPart
		_ = json.Unmarshal(raw, &p) // a part that is no object has no name
		switch {
		case p.Text != "":
			said = append(said, p.Text)
		case p.Pointer != "":
			parts = append(parts, p.Pointer)
		case p.Type != "":
			parts = append(parts, p.Type)
		}
	}
	said = append(said, c.Text, c.Result, c.Profile, c.Instructions)
	said = slices.DeleteFunc(said, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(said, "\n"), parts
}

// path returns the nodes from the root to the current one. If that is not in the mapping, the branch with the latest
// message is taken; the error says so, as it does of a path that breaks off.
func (c *gptConversation) path() (path []string, err error) {
	at := c.CurrentNode
	if _, ok := c.Mapping[at]; !ok {
		at = c.latestLeaf()
		err = trilith.Errorf(trilith.Invalid, "current_node: does not exist; the branch with the latest message is imported")
	}
	seen := make(map[string]bool)
	for at != "" {
		node, ok := c.Mapping[at]
		if !ok || seen[at] {
			err = trilith.Errorf(trilith.Invalid,
				"mapping: the path to the current message breaks off at %.64q; the messages before it are skipped", at)
			break
		}
		seen[at] = true
		path = append(path, at)
		at = node.Parent
	}
	slices.Reverse(path)
	return path, err
}

// latestLeaf returns the node without children whose message is the latest; of several, the last by its key.
func (c *gptConversation) latestLeaf() string {
	best, time := "", stamp("")
	for key, node := range c.Mapping {
		at := stamp("")
		if node.Message != nil {
			at = node.Message.CreateTime
		}
		if len(node.Children) == 0 && (best == "" || at > time || at == time && key > best) {
			best, time = key, at
		}
	}
	if best == "" { // every node has children: a ring
		for key := range c.Mapping {
			best = max(best, key)
		}
	}
	return best
}

// start returns a time for messages before the first one with a time.
func (c *gptConversation) start(path []string) stamp {
	first := stamp("")
	for _, key := range path {
		if m := c.Mapping[key].Message; m != nil {
			first = first.or(m.CreateTime)
		}
	}
	return c.CreateTime.or(first, c.UpdateTime)
}

// Messages of people and assistants on other branches are counted, not imported.
func (c *gptConversation) beside(path []string) int {
	on := make(map[string]bool, len(path))
	for _, key := range path {
		on[key] = true
	}
	n := 0
	for key, node := range c.Mapping {
		if node.Message == nil || on[key] || roleOf(node.Message.Author.Role) == "" {
			continue
		}
		if text, _ := node.Message.Content.read(); text != "" {
			n++
		}
	}
	return n
}
